//! [`MessageHook`]: the trait of message hooks.

use std::future::Future;

use super::message::{Delivery, Participant, SentMessage};
use crate::places::hooks;
use onionskin_tools::model::{History, Message};

hooks! {
    /// Code on the messages of an agent: see the [module](crate::message_hooks) for its order and its errors. By default all methods do
    /// nothing.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use onionskin::message_hooks::{BoxError, Delivery, MessageHook, Participant, SentMessage};
    /// use onionskin::{RunContext, ScriptedModel, ScriptedTurn, agent, made};
    ///
    /// /// Keeps a key out of all messages.
    /// #[derive(Default)]
    /// struct NoKey;
    ///
    /// impl MessageHook for NoKey {
    ///     type Made = made::ByDefault;
    ///
    ///     async fn process_message_before_send(
    ///         &self,
    ///         _run: &RunContext,
    ///         _sender: &Participant,
    ///         message: &mut SentMessage,
    ///         _recipient: &Participant,
    ///         _silent: bool,
    ///     ) -> Result<Delivery, BoxError> {
    ///         message.change_texts(|text| Some(text.replace("k-17", "[key]")));
    ///         Ok(Delivery::Send)
    ///     }
    /// }
    ///
    /// agent! { Clerk { instruction: "Answer.", message_hooks: [NoKey] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::say("You said: {input}")]);
    /// let output = Clerk::builder().model(model).run("It is k-17.").await.unwrap();
    /// assert_eq!(output.text, "You said: It is [key].");
    /// # });
    /// ```
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is not a message hook",
        label = "not a message hook",
        note = "write `#[message_hook(process_message_before_send)]` of `onionskin::message_hooks` on the function, or another of the four \
                places, and name the function here, or implement `MessageHook` for the type",
        note = "a hook around tool calls, `#[tool_hook]`, belongs in `tool_hooks`, one around runs, `#[run_hook]`, in `run_hooks`, one around \
                turns, `#[turn_hook]`, in `turn_hooks`",
        note = "`name` alone is the function itself: pass `name::new(..)` to `.message_hook(..)`"
    )]
    pub trait MessageHook, DynMessageHook {
        constants {
            /// The name of the method that it implements, if it implements only one. `#[message_hook]` sets
            /// it, and a workflow that names the hook at another place is refused.
            PLACE: Option<&'static str> = None;
        }

        methods {
            /// Whether [`Self::process_message_before_send`] is called. If so, a text of the agent is shown
            /// after the hooks, in one piece, and nothing is shown while the model writes. A hook at other
            /// places returns `false`. The default is `true`. `#[message_hook]` generates this method. It is
            /// called once, when the agent is built.
            is_before_send() -> bool = true;

            /// The name that errors and descriptions show. The default is the name of the type.
            shown_name() -> Option<String> = None;
        }

        places {
            /// Runs before a message is sent. It may change the message, or drop it, so that later hooks do
            /// not run. `run` is the run of the agent that has the hook; `silent` means that the message is
            /// not shown to people.
            ///
            /// Cancel safety: the runtime drops the future when the run ends, so a hook may end at any of its awaits.
            ///
            /// # Errors
            /// Any error ends the run.
            "process_message_before_send" process_message_before_send(
                sender: &'a Participant, message: &'a mut SentMessage, recipient: &'a Participant, silent: bool
            ) -> Delivery = Delivery::Send;

            /// Runs first in each turn, on the conversation so far. It may change the agent's state, which the system prompt of the turn then
            /// shows.
            ///
            /// Cancel safety: as [`Self::process_message_before_send`].
            ///
            /// # Errors
            /// Any error ends the run.
            "update_agent_state" update_agent_state(messages: &'a History) -> () = ();

            /// Runs in each turn, on the newest message: the input, or the results of calls. It does not run
            /// if the agent wrote that message. It may change the message for this turn; the conversation
            /// keeps the original.
            ///
            /// Cancel safety: as [`Self::process_message_before_send`].
            ///
            /// # Errors
            /// Any error ends the run.
            "process_last_received_message" process_last_received_message(message: &'a mut Message) -> () = ();

            /// Runs in each turn, on all messages that the model will read. It may change them for this turn;
            /// the conversation is unchanged. Messages that end with an answer of the model are sent
            /// unchanged: some providers continue that answer, others reject the request.
            ///
            /// Cancel safety: as [`Self::process_message_before_send`].
            ///
            /// # Errors
            /// Any error ends the run. So does a hook that leaves no message
            /// ([`NoMessagesError`](crate::message_hooks::NoMessagesError)), or separates a call from its
            /// result.
            "process_all_messages_before_reply" process_all_messages_before_reply(messages: &'a mut History) -> () = ();
        }
    }
}
