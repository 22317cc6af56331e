//! The server of an agent.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CancelNotification, CloseSessionRequest, InitializeRequest, ListSessionsRequest, LoadSessionRequest,
    NewSessionRequest, PromptRequest, ResumeSessionRequest,
};
use agent_client_protocol::{Agent, Client, Lines, on_receive_notification, on_receive_request};
use onionskin_core::{AgentHandle, CancellationToken};
use onionskin_lines::standard_streams;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use crate::connection::Connection;
use crate::conversations::Conversations;
use crate::error::AcpError;
use crate::lines;

/// How long runs may take to pause when the client has left, and again to write their end.
const LAST_WORK: Duration = Duration::from_millis(500);

/// An agent for an editor, over the [Agent Client Protocol](https://agentclientprotocol.com), version 1.
///
/// Each session of the client is one [`Session`](onionskin_core::Session) of the agent; with a session store, sessions can be listed and
/// loaded again. The client sees the text of the agent, its calls and those of its children. It is asked for approvals, and gets other
/// questions as forms, or as text that the next prompt answers.
///
/// ```
/// use onionskin::acp::AcpServer;
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
/// use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, duplex, split};
///
/// agent! { Clerk { instruction: "Answer." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("Good morning.")]);
/// let clerk = Clerk::builder().model(model).build().await.unwrap();
/// // In place of the streams that an editor opens; `serve_stdio` takes those.
/// let (editor, agent) = duplex(1024);
/// let (input, output) = split(agent);
/// let served = tokio::spawn(AcpServer::new(&clerk).serve(input, output));
///
/// let (answers, mut requests) = split(editor);
/// let request = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#;
/// requests.write_all(format!("{request}\n").as_bytes()).await.unwrap();
/// let answer = BufReader::new(answers).lines().next_line().await.unwrap().unwrap();
/// assert!(answer.contains(r#""name":"Clerk""#), "{answer}");
///
/// // The client leaves.
/// requests.shutdown().await.unwrap();
/// served.await.unwrap().unwrap();
/// # });
/// ```
#[derive(Debug, Clone)]
#[must_use = "a server does nothing until it serves"]
pub struct AcpServer {
    agent: AgentHandle,
    user: Option<Arc<str>>,
    cancellation: CancellationToken,
}

impl AcpServer {
    /// A server of this agent.
    pub fn new(agent: &AgentHandle) -> Self {
        Self { agent: agent.clone(), user: None, cancellation: CancellationToken::new() }
    }

    /// Runs for this user, lists only this user's stored sessions, and loads none of another user. Without it, all stored sessions are
    /// listed, and a run is for the user of its session. A blank id is an error when the server serves.
    pub fn user(mut self, id: impl Into<Arc<str>>) -> Self {
        self.user = Some(id.into());
        self
    }

    /// Sets a token that ends the connection, as the client ends it by closing the input.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Serves a client on standard input and standard output, until the client closes standard input.
    ///
    /// From this call on, what the program and its tools print to standard output goes to standard error instead (Unix), because other
    /// texts would break the protocol. Standard input is empty for them, and for the processes that they start.
    ///
    /// Cancel safety: as [`Self::serve`]. A thread may go on to wait for a line of standard input.
    ///
    /// # Errors
    /// As [`Self::serve`]; also if a standard stream is closed.
    pub async fn serve_stdio(self) -> Result<(), AcpError> {
        let (input, output) = standard_streams().map_err(|source| AcpError::Streams { source })?;
        self.serve(input, output).await
    }

    /// Serves a client, until it closes `input`. Runs in progress are cancelled then; one that asks a question in a stored session pauses.
    ///
    /// Each message is one line of JSON, of at most 64 MiB, and a client has at most 1,000 sessions open. A line that is not a message gets the protocol's error, and the connection goes
    /// on.
    ///
    /// Cancel safety: dropping the future cancels the runs in progress.
    ///
    /// # Errors
    /// Returns an error if reading or writing fails, or if the id of the user is blank.
    pub async fn serve(
        self,
        input: impl AsyncRead + Send + 'static,
        output: impl AsyncWrite + Send + 'static,
    ) -> Result<(), AcpError> {
        if self.user.as_deref().is_some_and(|id| id.trim().is_empty()) {
            return Err(AcpError::BlankUser);
        }
        let ends = CancellationToken::new();
        let _dropped = ends.clone().drop_guard();
        let connection = Arc::new(Connection {
            agent: self.agent,
            user: self.user,
            conversations: Conversations::default(),
            has_forms: AtomicBool::new(false),
            ends: ends.clone(),
            closed: ends.child_token(),
            backlog: Arc::default(),
            prompts: TaskTracker::new(),
        });
        let served = tokio::select! {
            served = talk(&connection, input, output) => served,
            () = self.cancellation.cancelled() => Ok(()),
        };
        connection.closed.cancel();
        connection.prompts.close();
        if timeout(LAST_WORK, connection.prompts.wait()).await.is_err() {
            ends.cancel();
            let _ = timeout(LAST_WORK, connection.prompts.wait()).await;
        }
        served.map_err(|error| AcpError::connection(&error))
    }
}

/// Answers the messages of the client. A handler keeps later messages waiting, so work is done in tasks.
async fn talk(
    connection: &Arc<Connection>,
    input: impl AsyncRead + Send + 'static,
    output: impl AsyncWrite + Send + 'static,
) -> agent_client_protocol::Result<()> {
    let output = lines::write(output, Arc::clone(&connection.backlog));
    let [initializes, begins, loads, resumes] = [(); 4].map(|()| Arc::clone(connection));
    let [lists, closes, prompts, cancels] = [(); 4].map(|()| Arc::clone(connection));
    Agent
        .v1()
        .name("onionskin")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _| {
                responder.respond(initializes.initialize(&request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, client: ConnectionTo<Client>| {
                let connection = Arc::clone(&begins);
                client.spawn(async move { responder.respond_with_result(connection.begin(request).await) })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: LoadSessionRequest, responder, client: ConnectionTo<Client>| {
                let (connection, view) = (Arc::clone(&loads), client.clone());
                client.spawn(async move {
                    let LoadSessionRequest { session_id, cwd, mcp_servers, .. } = request;
                    responder.respond_with_result(connection.load(session_id, &cwd, &mcp_servers, view).await)
                })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ResumeSessionRequest, responder, client: ConnectionTo<Client>| {
                let connection = Arc::clone(&resumes);
                client.spawn(async move {
                    let ResumeSessionRequest { session_id, cwd, mcp_servers, .. } = &request;
                    responder.respond_with_result(connection.resume(session_id, cwd, mcp_servers).await)
                })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ListSessionsRequest, responder, client: ConnectionTo<Client>| {
                let connection = Arc::clone(&lists);
                client.spawn(async move { responder.respond_with_result(connection.list(request).await) })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: CloseSessionRequest, responder, _| {
                responder.respond_with_result(closes.close(&request.session_id))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, client: ConnectionTo<Client>| {
                prompts.prompt(&request, responder, client);
                Ok(())
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |request: CancelNotification, _| {
                cancels.cancel(&request.session_id);
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(Lines::new(output, lines::read(input)))
        .await
}
