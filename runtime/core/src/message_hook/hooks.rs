//! The message hooks of one agent, by place.

use std::future::pending;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::hook::DynMessageHook;
use super::message::{Delivery, Participant, SentMessage};
use crate::places::tried;
use crate::run_hook::RunInput;
use crate::turn_hook::NoMessagesError;
use onionskin_definitions::error::BoxError;
use onionskin_tools::context::{DynSender, FailedHook, RunContext, ToolContext};
use onionskin_tools::model::{History, HistoryError, Message};
use onionskin_tools::onion::caught;

/// The message hooks of an agent, in order.
pub(crate) struct MessageHooks {
    agent: Arc<str>,
    all: Vec<Arc<dyn DynMessageHook>>,
    /// The hooks that run before messages are sent.
    before_send: Vec<Arc<dyn DynMessageHook>>,
}

/// A hook that is added to a built agent.
pub(crate) struct AddedHook {
    hook: Arc<dyn DynMessageHook>,
    is_before_send: bool,
}

impl AddedHook {
    /// # Errors
    /// Returns the message of the panic if the hook panics.
    pub(crate) fn new(hook: Arc<dyn DynMessageHook>) -> Result<Self, String> {
        let is_before_send = caught(|| hook.is_before_send())?;
        Ok(Self { hook, is_before_send })
    }
}

impl MessageHooks {
    /// Their names, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        self.all.iter().map(|hook| name(&**hook))
    }

    /// The hooks of an agent; `None` if it has none.
    ///
    /// # Errors
    /// Returns the message of the panic if a hook panics.
    pub(crate) fn new(
        agent: &Arc<str>,
        all: Vec<Arc<dyn DynMessageHook>>,
    ) -> Result<Option<Arc<Self>>, String> {
        if all.is_empty() {
            return Ok(None);
        }
        let before_send = caught(|| all.iter().filter(|hook| hook.is_before_send()).cloned().collect())?;
        Ok(Some(Arc::new(Self { agent: Arc::clone(agent), all, before_send })))
    }

    /// These hooks, and another one behind them.
    pub(crate) fn and(agent: &Arc<str>, hooks: Option<&Self>, hook: AddedHook) -> Self {
        let AddedHook { hook, is_before_send } = hook;
        let mut before_send = hooks.map(|hooks| hooks.before_send.clone()).unwrap_or_default();
        before_send.extend(is_before_send.then(|| Arc::clone(&hook)));
        let mut all = hooks.map(|hooks| hooks.all.clone()).unwrap_or_default();
        all.push(hook);
        Self { agent: Arc::clone(agent), all, before_send }
    }

    /// Whether messages pass hooks before they are sent.
    pub(crate) fn is_before_send(&self) -> bool {
        !self.before_send.is_empty()
    }

    /// Runs the hooks on a message and returns it; `None` if one of them drops it.
    pub(crate) async fn before_send(
        &self,
        run: &RunContext,
        sender: &Participant,
        message: impl Into<RunInput>,
        recipient: &Participant,
        silent: bool,
    ) -> Result<Option<RunInput>, FailedHook> {
        let mut message = SentMessage::new(message);
        for hook in &self.before_send {
            let done = tried(async {
                hook.process_message_before_send(run, sender, &mut message, recipient, silent).await
            });
            let done = done.await;
            match self.hook_result(run, &**hook, "process_message_before_send", done).await? {
                Delivery::Send => {}
                Delivery::Drop => return Ok(None),
            }
        }
        Ok(Some(message.0))
    }

    /// Runs the hooks that may change the messages that the model will read, or the state.
    pub(crate) async fn before_reply(
        &self,
        run: &RunContext,
        messages: &mut History,
    ) -> Result<(), FailedHook> {
        for hook in &self.all {
            let done = tried(async { hook.update_agent_state(run, messages).await }).await;
            self.hook_result(run, &**hook, "update_agent_state", done).await?;
        }
        if !matches!(messages.last(), None | Some(Message::Assistant { .. })) {
            self.last_received(run, messages).await?;
        }
        for hook in &self.all {
            let before = messages.clone();
            let done = tried(async { hook.process_all_messages_before_reply(run, messages).await }).await;
            let done = done.and_then(|()| {
                stays_whole(&before, messages)?;
                if messages.is_empty() { Err(NoMessagesError.into()) } else { Ok(()) }
            });
            self.hook_result(run, &**hook, "process_all_messages_before_reply", done).await?;
        }
        Ok(())
    }

    async fn last_received(&self, run: &RunContext, messages: &mut History) -> Result<(), FailedHook> {
        let before = messages.clone();
        let Some(mut last) = messages.pop() else { return Ok(()) };
        for hook in &self.all {
            let done = tried(async { hook.process_last_received_message(run, &mut last).await }).await;
            let done = done.and_then(|()| {
                let mut changed = messages.clone();
                changed.push(last.clone());
                Ok(stays_whole(&before, &changed)?)
            });
            self.hook_result(run, &**hook, "process_last_received_message", done).await?;
        }
        if before.last() == Some(&last) {
            // The messages that the conversation shares stay shared.
            *messages = before;
        } else {
            messages.push(last);
        }
        Ok(())
    }

    /// Runs a hook and returns its result. In a cancelled run it waits until the run drops this future.
    async fn hook_result<T>(
        &self,
        run: &RunContext,
        hook: &dyn DynMessageHook,
        place: &'static str,
        done: Result<T, BoxError>,
    ) -> Result<T, FailedHook> {
        if run.cancellation().is_cancelled() {
            return pending().await;
        }
        done.map_err(|error| FailedHook {
            agent: Arc::clone(&self.agent),
            hook: name(hook).into(),
            place,
            source: error.into(),
        })
    }
}

/// The name of a hook, as errors and descriptions show it.
fn name(hook: &dyn DynMessageHook) -> String {
    hook.shown_name().unwrap_or_else(|| hook.name().to_owned())
}

/// Checks that a hook leaves a conversation that providers accept. Earlier mistakes are not attributed to the
/// hook.
fn stays_whole(before: &History, after: &History) -> Result<(), HistoryError> {
    after.check().or_else(|error| if before.check().is_ok() { Err(error) } else { Ok(()) })
}

impl DynSender for MessageHooks {
    fn send_dyn<'a>(
        &'a self,
        cx: &'a ToolContext,
        recipient: Arc<str>,
        text: String,
        silent: bool,
    ) -> BoxFuture<'a, Result<Option<String>, FailedHook>> {
        Box::pin(async move {
            let (sender, recipient) =
                (Participant::Agent(Arc::clone(&self.agent)), Participant::Agent(recipient));
            let sent = self.before_send(cx.run(), &sender, text, &recipient, silent).await?;
            Ok(sent.map(RunInput::into_text))
        })
    }
}
