//! Compares each request of a run with the one before it: what differs ends the provider's cache.

use std::sync::Arc;

use onionskin_definitions::lock::lock;
use onionskin_tools::model::{History, Model as _, ModelRequest, PrefixCause, PrefixChange, SentRequest};

use super::run::AgentRun;
use super::spans;
use crate::prompt::SystemPrompt;

/// A request of the conversation before turn hooks, if it is compared.
pub(super) struct RequestDraft {
    conversation: History,
    prompted: ModelRequest,
    /// The parts of the system prompt, each with the hash of its text.
    parts: Vec<(String, u64)>,
}

impl RequestDraft {
    /// `conversation` are the messages before message hooks.
    pub(super) fn new(conversation: History, prompted: &ModelRequest, system: &SystemPrompt) -> Self {
        let parts = system.parts.iter().map(|(part, hash)| (part.to_string(), *hash)).collect();
        Self { conversation, prompted: prompted.clone(), parts }
    }
}

impl AgentRun {
    /// Whether requests are compared: somebody reads the events or the spans.
    pub(super) fn compares_requests(&self) -> bool {
        self.cx.events().are_kept() || spans::are_recorded()
    }

    /// How a request differs from the one before it, of this run or of the agent's last run in the session. `hooked` is the request
    /// before secrets were removed.
    pub(super) fn prefix_change(
        &self,
        draft: RequestDraft,
        hooked: ModelRequest,
        sent: &ModelRequest,
    ) -> Option<(PrefixChange, Option<PrefixCause>)> {
        let RequestDraft { conversation, prompted, parts } = draft;
        let identity = self.model().identity(sent.model.as_deref());
        let model = format!("{} {}", identity.provider(), identity.model().unwrap_or_default());
        let sent = Arc::new(SentRequest { model, parts, conversation, prompted, hooked, sent: sent.clone() });
        let mut before = lock(&self.sent).replace(Arc::clone(&sent));
        // A child begins anew in each call.
        if self.cx.parent().is_none() {
            before = before.or_else(|| self.session.sent_by(&self.instance.name));
            self.session.keep_sent(&self.instance.name, Arc::clone(&sent));
        }
        before?.change(&sent)
    }
}
