//! The sessions of the protocol library, with events that a client can come back for.

use std::sync::Arc;

use futures_util::Stream;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification,
    GetExtensions as _, ServerJsonRpcMessage,
};
use rmcp::transport::WorkerTransport;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker, SessionConfig, SessionError,
};
use rmcp::transport::streamable_http_server::session::{
    RestoreOutcome, ServerSseMessage, SessionId, SessionManager,
};

use super::events::{Events, Reader, common};
use crate::logs::RequestLogs;

/// The id with which the protocol library begins a stream without a request.
const BEGIN: &str = "0";

/// Manages sessions. Streams of requests without a session have no events to come back for: such a request ends with its connection.
pub(crate) struct Manager {
    pub(crate) inner: LocalSessionManager,
    events: Arc<Events>,
}

impl Manager {
    pub(crate) fn new(config: SessionConfig) -> Self {
        let events = Arc::<Events>::default();
        let mut inner = LocalSessionManager::default().with_event_store(Arc::clone(&events) as _);
        inner.session_config = config;
        Self { inner, events }
    }

    async fn sweep(&self) {
        if self.events.is_full() {
            let live = self.inner.sessions.read().await;
            self.events.sweep(|session| live.contains_key(session));
        }
    }

    /// Reads a stream of a session, and lets the session last.
    async fn read(
        &self,
        id: &SessionId,
        name: &str,
        after: Option<usize>,
    ) -> Result<Reader, LocalSessionManagerError> {
        // Its own stream is not read: it would end with an earlier connection.
        drop(self.inner.create_standalone_stream(id).await?);
        self.events.read(name, id, after).ok_or(SessionError::InvalidEventId.into())
    }
}

impl SessionManager for Manager {
    type Error = LocalSessionManagerError;
    type Transport = WorkerTransport<LocalSessionWorker>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        self.sweep().await;
        self.inner.create_session().await
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.inner.has_session(id).await
    }

    /// Its requests are cancelled: the protocol library would let them go on for five seconds.
    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        for (request, stream) in self.events.open(id) {
            let cancelled = CancelledNotification::new(CancelledNotificationParam::new(Some(request), None));
            // A session that has ended by itself takes no messages.
            let _ = self.inner.accept_message(id, ClientJsonRpcMessage::notification(cancelled.into())).await;
            self.events.end(&stream);
        }
        self.events.end(&common(id));
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.sweep().await;
        let handle = self.inner.sessions.read().await.get(id).cloned();
        let handle = handle.ok_or_else(|| LocalSessionManagerError::SessionNotFound(Arc::clone(id)))?;
        let mut stream = handle.establish_request_wise_channel().await?;
        // The first event has no message. It says the name of the stream.
        let first = stream.inner.recv().await.and_then(|event| event.event_id);
        let name = first.as_deref().and_then(|id| id.rsplit_once('/')).map(|(name, _)| name);
        let name = name.ok_or(SessionError::SessionServiceTerminated)?;
        let request = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request),
            ClientJsonRpcMessage::Notification(_)
            | ClientJsonRpcMessage::Response(_)
            | ClientJsonRpcMessage::Error(_) => None,
        };
        self.events.claim(name, id, request.map(|request| request.id.clone()));
        let reader = self.events.read(name, id, None).ok_or(SessionError::SessionServiceTerminated)?;
        let head = request.and_then(|request| request.request.extensions().get::<http::request::Parts>());
        if let Some(logs) = head.and_then(|head| head.extensions.get::<RequestLogs>()) {
            let (events, name) = (Arc::clone(&self.events), name.to_owned());
            logs.go_to(move |log| drop(events.store(&name, &ServerSseMessage::from_message(log))));
        }
        handle.push_message(message, stream.http_request_id).await?;
        Ok(reader)
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        let cancelled = if let ClientJsonRpcMessage::Notification(message) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &message.notification
        {
            cancelled.params.request_id.clone()
        } else {
            None
        };
        self.inner.accept_message(id, message).await?;
        // A cancelled request gets no answer.
        if let Some(cancelled) = cancelled {
            let open = self.events.open(id).into_iter().filter(|(request, _)| *request == cancelled);
            open.for_each(|(_, stream)| self.events.end(&stream));
        }
        Ok(())
    }

    /// The newest connection gets what is not for a request, also what came while there was none.
    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.read(id, &common(id), None).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        if last_event_id == BEGIN {
            return self.read(id, &common(id), None).await;
        }
        let (name, number) = last_event_id.rsplit_once('/').ok_or(SessionError::InvalidEventId)?;
        let number = number.parse().map_err(|_| SessionError::InvalidEventId)?;
        self.read(id, name, Some(number)).await
    }

    async fn restore_session(&self, id: SessionId) -> Result<RestoreOutcome<Self::Transport>, Self::Error> {
        self.inner.restore_session(id).await
    }
}
