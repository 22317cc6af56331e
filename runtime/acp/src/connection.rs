//! The requests of the client.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, ClientCapabilities, CloseSessionResponse, ElicitationCapabilities, Implementation,
    InitializeRequest, InitializeResponse, ListSessionsRequest, ListSessionsResponse, LoadSessionResponse,
    McpServer, NewSessionRequest, NewSessionResponse, PromptCapabilities, PromptRequest, PromptResponse,
    ResumeSessionResponse, SessionCapabilities, SessionCloseCapabilities, SessionId, SessionInfo,
    SessionListCapabilities, SessionResumeCapabilities,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Client, Error};
use onionskin_core::sessions::{SessionError, SessionQuery, SessionStoreError, Sessions};
use onionskin_core::{AgentHandle, CancellationToken};
use tokio_util::task::TaskTracker;

use crate::backlog::Backlog;
use crate::content;
use crate::conversations::{Conversation, Conversations, no_session};
use crate::open_questions::OpenQuestions;
use crate::replay;
use crate::turn::{Turn, failure};
use crate::view::View;

/// The sessions of a page: each is read for its title.
const PAGE: usize = 20;

/// The agent, and what a client does with it.
pub(crate) struct Connection {
    pub(crate) agent: AgentHandle,
    pub(crate) user: Option<Arc<str>>,
    pub(crate) conversations: Conversations,
    /// Whether the client shows forms.
    pub(crate) has_forms: AtomicBool,
    /// Cancels the prompts in progress.
    pub(crate) ends: CancellationToken,
    /// Cancelled when the client is gone.
    pub(crate) closed: CancellationToken,
    /// The messages that the client has not read.
    pub(crate) backlog: Arc<Backlog>,
    /// The prompts in progress.
    pub(crate) prompts: TaskTracker,
}

impl Connection {
    pub(crate) fn initialize(&self, request: &InitializeRequest) -> InitializeResponse {
        let ClientCapabilities { elicitation, .. } = &request.client_capabilities;
        let has_forms = elicitation.as_ref().is_some_and(ElicitationCapabilities::supports_form);
        self.has_forms.store(has_forms, Ordering::Relaxed);
        let stores = self.agent.sessions().is_some();
        let sessions = SessionCapabilities::new()
            .close(SessionCloseCapabilities::new())
            .list(stores.then(SessionListCapabilities::new))
            .resume(stores.then(SessionResumeCapabilities::new));
        let capabilities = AgentCapabilities::new()
            .load_session(stores)
            .prompt_capabilities(PromptCapabilities::new().image(true).audio(true).embedded_context(true))
            .session_capabilities(sessions);
        let name = self.agent.name();
        // A client with another version gets this one, and decides.
        InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(capabilities)
            .agent_info(Implementation::new(name, env!("CARGO_PKG_VERSION")).title(name.to_owned()))
    }

    /// # Errors
    /// Returns the protocol's error if the folder is not absolute, if there are too many sessions, or if the session cannot be stored.
    pub(crate) async fn begin(&self, request: NewSessionRequest) -> Result<NewSessionResponse, Error> {
        check(&request.cwd, &request.mcp_servers)?;
        self.conversations.check_room()?;
        let session = self.agent.session();
        let session = if self.agent.sessions().is_some() {
            let id = session.id().to_owned();
            self.agent.open_session(id).await.map_err(|error| failure(&error))?
        } else {
            session
        };
        Ok(NewSessionResponse::new(self.conversations.insert(session)?.id.clone()))
    }

    /// Opens a stored session, and shows what it has.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) async fn load(
        &self,
        id: SessionId,
        cwd: &Path,
        servers: &[McpServer],
        client: ConnectionTo<Client>,
    ) -> Result<LoadSessionResponse, Error> {
        let conversation = self.open(&id, cwd, servers).await?;
        let view = View { client, session: id, backlog: Arc::clone(&self.backlog) };
        let mut state = conversation.turns.lock().await;
        replay::replay(&conversation.session.history(), &view, &mut state.calls);
        if let Some(text) = state.open.as_ref().and_then(OpenQuestions::text) {
            view.say(text);
        }
        state.calls.forget();
        Ok(LoadSessionResponse::new())
    }

    /// As [`Self::load`], without showing it.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) async fn resume(
        &self,
        id: &SessionId,
        cwd: &Path,
        servers: &[McpServer],
    ) -> Result<ResumeSessionResponse, Error> {
        self.open(id, cwd, servers).await?;
        Ok(ResumeSessionResponse::new())
    }

    /// # Errors
    /// Returns the protocol's error if there is no such session of the user, if there are too many, or if it cannot be read.
    async fn open(
        &self,
        id: &SessionId,
        cwd: &Path,
        servers: &[McpServer],
    ) -> Result<Arc<Conversation>, Error> {
        check(cwd, servers)?;
        if let Ok(known) = self.conversations.get(id) {
            return Ok(known);
        }
        let sessions = self.sessions()?;
        let stored = match sessions.read(&id.0).await {
            Ok(stored) => stored,
            Err(SessionError::Store(SessionStoreError::Missing { .. })) => return Err(no_session(id)),
            Err(error) => return Err(failure(&error)),
        };
        if self.user.is_some() && stored.user.is_some() && self.user != stored.user {
            return Err(no_session(id));
        }
        let session = self.agent.open_session(Arc::clone(&id.0)).await.map_err(|error| failure(&error))?;
        self.conversations.insert(session)
    }

    /// # Errors
    /// Returns the protocol's error if the store fails.
    pub(crate) async fn list(&self, request: ListSessionsRequest) -> Result<ListSessionsResponse, Error> {
        let sessions = self.sessions()?;
        let mut query = SessionQuery::default();
        (query.user, query.limit, query.cursor) = (self.user.clone(), PAGE, request.cursor);
        let page = sessions.list(&query).await.map_err(|error| {
            let is_cursor = matches!(error, SessionStoreError::WrongCursor { .. });
            if is_cursor { content::invalid(error.to_string()) } else { failure(&error) }
        })?;
        // The store does not know folders.
        let cwd = request.cwd.or_else(|| std::env::current_dir().ok()).unwrap_or_else(|| PathBuf::from("/"));
        let mut shown = Vec::new();
        for info in page.sessions {
            let stored = sessions.read(&info.id).await.ok();
            let title = stored.and_then(|stored| replay::title(stored.content.history()));
            let session = SessionInfo::new(Arc::clone(&info.id), cwd.clone());
            shown.push(session.title(title).updated_at(time(info.updated)));
        }
        Ok(ListSessionsResponse::new(shown).next_cursor(page.next))
    }

    fn sessions(&self) -> Result<Sessions, Error> {
        self.agent.sessions().ok_or_else(Error::method_not_found)
    }

    /// # Errors
    /// Returns the protocol's error if there is no such session.
    pub(crate) fn close(&self, id: &SessionId) -> Result<CloseSessionResponse, Error> {
        self.conversations.remove(id)?.cancel();
        Ok(CloseSessionResponse::new())
    }

    pub(crate) fn cancel(&self, id: &SessionId) {
        if let Ok(conversation) = self.conversations.get(id) {
            conversation.cancel();
        }
    }

    /// Begins the run of a prompt. It is in progress when this returns, so that a later message can cancel it.
    pub(crate) fn prompt(
        &self,
        request: &PromptRequest,
        responder: Responder<PromptResponse>,
        client: ConnectionTo<Client>,
    ) {
        let token = self.ends.child_token();
        let begun = self.conversations.get(&request.session_id).and_then(|conversation| {
            let input = content::input(&request.prompt)?;
            conversation.begin(&token)?;
            Ok((conversation, input))
        });
        let (conversation, input) = match begun {
            Ok(begun) => begun,
            Err(error) => {
                let _ = responder.respond_with_error(error);
                return;
            }
        };
        let turn = Turn {
            agent: self.agent.clone(),
            user: self.user.clone(),
            view: View { client, session: request.session_id.clone(), backlog: Arc::clone(&self.backlog) },
            conversation,
            has_forms: self.has_forms.load(Ordering::Relaxed),
            token: token.clone(),
            closed: self.closed.clone(),
        };
        self.prompts.spawn(async move {
            // The next prompt may begin when this one is over.
            let _over = token.clone().drop_guard();
            let cancellation = responder.cancellation();
            let mut run = tokio::spawn(turn.run(input));
            let result = tokio::select! {
                result = &mut run => result,
                () = cancellation.cancelled() => {
                    token.cancel();
                    run.await
                }
            };
            // A panic is the error of its prompt.
            let result = result.unwrap_or_else(|end| Err(failure(&end)));
            let _ = responder.respond_with_result(result.map(PromptResponse::new));
        });
    }
}

/// Checks what a client says of a new session.
///
/// # Errors
/// Returns the protocol's error if the folder is not absolute.
fn check(cwd: &Path, servers: &[McpServer]) -> Result<(), Error> {
    if !cwd.is_absolute() {
        return Err(content::invalid(format!("`cwd` is not absolute: {}", cwd.display())));
    }
    if !servers.is_empty() {
        tracing::warn!(
            count = servers.len(),
            "the editor's MCP servers are not used: the agent has the servers that its card or program names"
        );
    }
    Ok(())
}

/// A time as the protocol writes it.
fn time(time: SystemTime) -> Option<String> {
    jiff::Timestamp::try_from(time).ok().map(|time| time.to_string())
}
