//! What the client is shown of a session.

use std::sync::Arc;

use agent_client_protocol::Client;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, SessionId, SessionNotification, SessionUpdate,
};

use crate::backlog::Backlog;
use crate::content;

/// The client, and the session that it shows.
#[derive(Clone)]
pub(crate) struct View {
    pub(crate) client: ConnectionTo<Client>,
    pub(crate) session: SessionId,
    pub(crate) backlog: Arc<Backlog>,
}

impl View {
    pub(crate) fn send(&self, update: SessionUpdate) {
        self.backlog.add();
        // A client that is gone is no reason to leave a run: the end of the connection cancels it.
        let _ = self.client.send_notification(SessionNotification::new(self.session.clone(), update));
    }

    /// A part of the agent's answer, or words of the program.
    pub(crate) fn say(&self, text: impl Into<String>) {
        self.send(SessionUpdate::AgentMessageChunk(ContentChunk::new(content::text(text))));
    }

    /// A part of the reasoning, or a word about the run.
    pub(crate) fn think(&self, text: impl Into<String>) {
        self.send(SessionUpdate::AgentThoughtChunk(ContentChunk::new(content::text(text))));
    }

    /// A part of an earlier input.
    pub(crate) fn show_input(&self, part: ContentBlock) {
        self.send(SessionUpdate::UserMessageChunk(ContentChunk::new(part)));
    }
}
