//! A message hook implements `MessageHook`.

use std::future::Future;
use std::sync::Arc;

use super::message::{Delivery, Participant, SentMessage};
use onionskin_definitions::error::BoxError;
use onionskin_tools::context::RunContext;
use onionskin_tools::model::{History, Message};
use onionskin_tools::onion::{Absent, InArc, MadeBy};
use onionskin_tools::services::ServiceTypes;

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
    note = "the function's name is the function; for `.message_hook(..)`, write `name::new()`, with the hook's configuration in the \
            parentheses"
)]
pub trait MessageHook: Send + Sync + Sized + 'static {
    /// How lists construct the hook, and which state it works on: a type of [`made`](crate::made), as for
    /// [`Hook::Made`](crate::Hook::Made).
    type Made: MadeBy<Self>;

    /// The name of the method that it implements, if it is one only. `#[message_hook]` writes it, and a workflow that names the hook at
    /// another place is refused.
    const PLACE: Option<&'static str> = None;

    /// Runs before a message is sent. It may change the message, or drop it: the hooks after it do not run then. `run` is the run of the
    /// agent that has the hook; `silent` says that people are not shown the message.
    ///
    /// Cancel safety: the runtime drops the future when the run ends, so a hook may end at any of its awaits.
    ///
    /// # Errors
    /// Any error ends the run.
    fn process_message_before_send<'a>(
        &'a self,
        run: &'a RunContext,
        sender: &'a Participant,
        message: &'a mut SentMessage,
        recipient: &'a Participant,
        silent: bool,
    ) -> impl Future<Output = Result<Delivery, BoxError>> + Send + 'a {
        let _ = (run, sender, message, recipient, silent);
        Absent::new(Ok(Delivery::Send))
    }

    /// Runs first in each turn, on the conversation so far. It may change the agent's state, which the system prompt of the turn then
    /// shows.
    ///
    /// Cancel safety: as [`Self::process_message_before_send`].
    ///
    /// # Errors
    /// Any error ends the run.
    fn update_agent_state<'a>(
        &'a self,
        run: &'a RunContext,
        messages: &'a History,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        let _ = (run, messages);
        Absent::new(Ok(()))
    }

    /// Runs in each turn, on the newest message: the input, or the results of calls. It does not run if the agent wrote that message. It
    /// may change what the model reads in this turn. The conversation keeps the message as it was.
    ///
    /// Cancel safety: as [`Self::process_message_before_send`].
    ///
    /// # Errors
    /// Any error ends the run.
    fn process_last_received_message<'a>(
        &'a self,
        run: &'a RunContext,
        message: &'a mut Message,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        let _ = (run, message);
        Absent::new(Ok(()))
    }

    /// Runs in each turn, on all messages that the model will read. It may change them for this turn. The conversation stays as it was.
    /// Messages that end with an answer of the model are sent as they are: some providers continue that answer, others reject the request.
    ///
    /// Cancel safety: as [`Self::process_message_before_send`].
    ///
    /// # Errors
    /// Any error ends the run. So does a hook that leaves no message ([`NoMessagesError`](crate::message_hooks::NoMessagesError)), or splits a call
    /// from its result.
    fn process_all_messages_before_reply<'a>(
        &'a self,
        run: &'a RunContext,
        messages: &'a mut History,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        let _ = (run, messages);
        Absent::new(Ok(()))
    }

    /// Whether the hook works in [`Self::process_message_before_send`]. If it does, a text of the agent is shown after the hooks, as one
    /// piece, and nothing is shown while the model writes. A hook at other places returns `false`: that method is not called then.
    /// By default the answer is `true`. `#[message_hook]` writes it. It is asked once, when the agent is built.
    fn is_before_send(&self) -> bool {
        true
    }

    /// Lists the services that the hook takes with [`RunContext::provided`]. `#[message_hook]` writes it. Building an agent compares the
    /// list with what the program provides. By default the list is empty. A wrapper of another hook forwards it.
    fn services(taken: &mut ServiceTypes) {
        let _ = taken;
    }
}

/// The values in parentheses after a message hook's name in `agent!`.
pub type ValuesOfMessageHook<H> = <<H as MessageHook>::Made as MadeBy<H>>::Values;

/// The state that a message hook works on.
pub type StateOfMessageHook<H> = <<H as MessageHook>::Made as MadeBy<H>>::State;

/// A shared hook: its fields exist once.
#[diagnostic::do_not_recommend]
impl<H: MessageHook> MessageHook for Arc<H> {
    type Made = InArc<H::Made>;

    const PLACE: Option<&'static str> = H::PLACE;

    fn process_message_before_send<'a>(
        &'a self,
        run: &'a RunContext,
        sender: &'a Participant,
        message: &'a mut SentMessage,
        recipient: &'a Participant,
        silent: bool,
    ) -> impl Future<Output = Result<Delivery, BoxError>> + Send + 'a {
        (**self).process_message_before_send(run, sender, message, recipient, silent)
    }

    fn update_agent_state<'a>(
        &'a self,
        run: &'a RunContext,
        messages: &'a History,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        (**self).update_agent_state(run, messages)
    }

    fn process_last_received_message<'a>(
        &'a self,
        run: &'a RunContext,
        message: &'a mut Message,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        (**self).process_last_received_message(run, message)
    }

    fn process_all_messages_before_reply<'a>(
        &'a self,
        run: &'a RunContext,
        messages: &'a mut History,
    ) -> impl Future<Output = Result<(), BoxError>> + Send + 'a {
        (**self).process_all_messages_before_reply(run, messages)
    }

    fn is_before_send(&self) -> bool {
        (**self).is_before_send()
    }

    fn services(taken: &mut ServiceTypes) {
        H::services(taken);
    }
}
