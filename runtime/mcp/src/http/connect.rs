//! Makes a connection to a server by its address.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ErrorCode, ProtocolVersion, SubscriptionFilter};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, Peer, RoleClient, RunningService,
    ServiceError,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError};

use tokio::time::Instant;

use super::client::{HttpClient, Target};
use super::fetch;
use crate::client::{Client, Unasked};
use crate::endpoint::{self, Mistake};
use crate::http_error::HttpError;
use crate::server_config::ServerConfig;
use crate::wire::Fault;

/// Requests that wait for the beginning of their answers, at most.
const REQUESTS: usize = 256;
/// The pause before a broken stream is opened again. It doubles with each failed attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Why there is no connection.
pub(crate) enum ConnectError {
    /// The exchange failed.
    Http(HttpError),
    /// The server refused the handshake, or gave an answer to it that cannot be used.
    Handshake(Box<ClientInitializeError>),
}

/// Shakes hands. Servers of the protocol of 2026 are discovered, earlier ones are initialized.
pub(crate) async fn connect(
    config: &ServerConfig,
    unasked: Unasked,
    fault: Fault,
) -> Result<RunningService<RoleClient, Client>, ConnectError> {
    let (address, headers) = endpoint::read(&config.command.value, &config.headers).map_err(|mistake| {
        let (Mistake::Address(reason) | Mistake::Header(_, reason)) = mistake;
        ConnectError::Http(HttpError::Unreachable { reason: reason.to_owned() })
    })?;
    let http = fetch::client(&address).map_err(ConnectError::Http)?;
    let mut settings = StreamableHttpClientTransportConfig::with_uri(address.as_str())
        .max_concurrent_requests(REQUESTS)
        // The server is started again instead, so that calls that take effect once are not repeated.
        .reinit_on_expired_session(false);
    let mut pauses = ExponentialBackoff::default();
    (pauses.max_times, pauses.base_duration, pauses.max_delay) = (None, FIRST_PAUSE, Some(LONGEST_PAUSE));
    settings.retry_config = Arc::new(pauses);
    let target = Target {
        http,
        #[cfg(feature = "mcp-auth")]
        login: config.login(),
        address,
        headers,
    };
    let client = HttpClient::new(target, unasked.clone(), fault);
    let transport = StreamableHttpClientTransport::with_client(client, settings);
    let versions = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    };
    let service = unasked.client().serve_with_lifecycle(transport, versions).await.map_err(|error| {
        match handshake_error(&error) {
            Some(http) => ConnectError::Http(http),
            None => ConnectError::Handshake(Box::new(error)),
        }
    })?;
    let announces = service.peer_info().is_some_and(|info| {
        info.capabilities.tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true))
    });
    let is_session = service.peer_info().is_some_and(|info| info.protocol_version.has_initialize());
    if announces && !is_session {
        tokio::spawn(follow_tools(service.peer().clone(), unasked));
    }
    Ok(service)
}

/// Subscribes to changes of the tools, as the protocol of 2026 asks for. Earlier ones announce them in the session.
async fn follow_tools(peer: Peer<RoleClient>, unasked: Unasked) {
    let mut pause = FIRST_PAUSE;
    while !peer.is_transport_closed() {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        let begun = Instant::now();
        let is_refused = match peer.listen(filter).await {
            Ok(mut changes) => {
                while let Ok(Some(_)) = changes.next().await {
                    unasked.tools_changed();
                }
                false
            }
            Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => return,
            Err(_) => true,
        };
        if begun.elapsed() > LONGEST_PAUSE {
            pause = FIRST_PAUSE;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
        if !is_refused {
            // What changed while nobody listened.
            unasked.tools_changed();
        }
    }
}

/// The failed exchange behind a handshake.
fn handshake_error(error: &ClientInitializeError) -> Option<HttpError> {
    match error {
        ClientInitializeError::TransportError { error, .. } => http_error(error),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => handshake_error(fallback),
        _ => None,
    }
}

/// The failed exchange behind an error of the library.
pub(crate) fn http_error(error: &(dyn std::error::Error + 'static)) -> Option<HttpError> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(StreamableHttpError::Client(http)) =
            error.downcast_ref::<StreamableHttpError<HttpError>>()
        {
            return Some(http.clone());
        }
        next = error.source();
    }
    None
}
