//! Message hooks as trait objects.

use futures_util::future::BoxFuture;

use super::hook::MessageHook;
use super::message::{Delivery, Participant, SentMessage};
use onionskin_definitions::error::BoxError;
use onionskin_tools::context::RunContext;
use onionskin_tools::model::{History, Message};
use onionskin_tools::onion::{at_place, short_name};
use onionskin_tools::services::ServiceTypes;

type Done<'a, T> = BoxFuture<'a, Result<T, BoxError>>;

/// A [`MessageHook`] as a trait object.
pub(crate) trait DynMessageHook: Send + Sync + 'static {
    fn name(&self) -> &'static str;

    fn services_dyn(&self, taken: &mut ServiceTypes);

    fn is_before_send_dyn(&self) -> bool;

    fn before_send_dyn<'a>(
        &'a self,
        run: &'a RunContext,
        sender: &'a Participant,
        message: &'a mut SentMessage,
        recipient: &'a Participant,
        silent: bool,
    ) -> Done<'a, Delivery>;

    fn update_state_dyn<'a>(&'a self, run: &'a RunContext, messages: &'a History) -> Done<'a, ()>;

    fn last_received_dyn<'a>(&'a self, run: &'a RunContext, message: &'a mut Message) -> Done<'a, ()>;

    fn before_reply_dyn<'a>(&'a self, run: &'a RunContext, messages: &'a mut History) -> Done<'a, ()>;
}

impl<H: MessageHook> DynMessageHook for H {
    fn name(&self) -> &'static str {
        short_name::<H>()
    }

    fn services_dyn(&self, taken: &mut ServiceTypes) {
        H::services(taken);
    }

    fn is_before_send_dyn(&self) -> bool {
        self.is_before_send()
    }

    fn before_send_dyn<'a>(
        &'a self,
        run: &'a RunContext,
        sender: &'a Participant,
        message: &'a mut SentMessage,
        recipient: &'a Participant,
        silent: bool,
    ) -> Done<'a, Delivery> {
        Box::pin(at_place::<H, _, _>(
            "process_message_before_send",
            self.process_message_before_send(run, sender, message, recipient, silent),
        ))
    }

    fn update_state_dyn<'a>(&'a self, run: &'a RunContext, messages: &'a History) -> Done<'a, ()> {
        Box::pin(at_place::<H, _, _>("update_agent_state", self.update_agent_state(run, messages)))
    }

    fn last_received_dyn<'a>(&'a self, run: &'a RunContext, message: &'a mut Message) -> Done<'a, ()> {
        Box::pin(at_place::<H, _, _>(
            "process_last_received_message",
            self.process_last_received_message(run, message),
        ))
    }

    fn before_reply_dyn<'a>(&'a self, run: &'a RunContext, messages: &'a mut History) -> Done<'a, ()> {
        Box::pin(at_place::<H, _, _>(
            "process_all_messages_before_reply",
            self.process_all_messages_before_reply(run, messages),
        ))
    }
}
