//! What is known of the client of a request.

use rmcp::model::{ClientCapabilities, LoggingLevel, ProgressToken, ProtocolVersion};
use rmcp::service::{Peer, RequestContext, RoleServer};

use crate::client::Client;
use crate::logs::RequestLogs;
use crate::user::User;

/// The client of one request.
pub(crate) struct Requester {
    pub(crate) peer: Peer<RoleServer>,
    /// What tools know of it.
    pub(crate) client: Client,
    /// Whether it brings answers back with the same request again, as from 2026-07-28 on, and is asked by no request.
    pub(crate) is_asked_by_result: bool,
    /// Whether it takes a task for a call that takes long.
    pub(crate) has_tasks: bool,
    pub(crate) progress_token: Option<ProgressToken>,
    /// The lowest level of logs that it wants; `None` for no logs.
    pub(crate) log_level: Option<LoggingLevel>,
    /// The logs of a request in a session.
    pub(crate) logs: Option<RequestLogs>,
}

impl Requester {
    /// `session_level` is the level of logs that the client of a session has set.
    pub(crate) fn new(context: &RequestContext<RoleServer>, session_level: LoggingLevel) -> Self {
        let version = context.protocol_version();
        let is_new =
            version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        let capabilities = context.client_capabilities().unwrap_or_default();
        let info = context.client_info();
        let mut client = Client {
            name: info.as_ref().map(|info| info.name.clone()).unwrap_or_default(),
            version: info.map(|info| info.version).unwrap_or_default(),
            has_forms: has_forms(&capabilities),
            has_sampling: capabilities.sampling.is_some(),
            has_roots: capabilities.roots.is_some(),
            ..Client::default()
        };
        let mut logs = None;
        if let Some(head) = context.extensions.get::<http::request::Parts>() {
            logs = head.extensions.get().cloned();
            client.set_headers(&head.headers);
            client.user = head.extensions.get::<User>().cloned();
        }
        Self {
            peer: context.peer.clone(),
            client,
            is_asked_by_result: is_new,
            has_tasks: is_new && capabilities.supports_tasks(),
            progress_token: context.meta.get_progress_token(),
            log_level: if is_new { context.meta.log_level() } else { Some(session_level) },
            logs,
        }
    }
}

/// Whether a client can show a form to a person. One that names no kind of elicitation shows forms.
fn has_forms(capabilities: &ClientCapabilities) -> bool {
    let elicitation = capabilities.elicitation.as_ref();
    elicitation.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}
