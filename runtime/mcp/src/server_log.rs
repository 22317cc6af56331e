//! The log messages of a server (`notifications/message`), as events of `tracing`.
#![expect(deprecated, reason = "the protocol of 2026 has logging, and names standard error for later ones")]

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use onionskin_core::secret::Redact as _;
use rmcp::model::{ClientRequest, LoggingLevel, RequestMetaObject, SetLevelRequest, SetLevelRequestParams};
use rmcp::service::PeerRequestOptions;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;
use tracing::dispatcher::{Dispatch, get_default, with_default};
use tracing::{Level, debug, enabled, error, info, warn};

use super::secrets::Secrets;
use super::visible::{name, visible};
use crate::mutex::lock;

/// The content of a longer message is left out.
const LONGEST: usize = 64 << 10;
/// The most messages in a window. Further ones are counted.
const MOST: u32 = 100;
const WINDOW: Duration = Duration::from_secs(1);

/// Where the messages of a server go. The thread of a connection has no subscriber, so it is that of whoever opened the connection.
#[derive(Clone)]
pub(super) struct ServerLog {
    server: Arc<str>,
    secrets: Secrets,
    subscriber: Dispatch,
    /// The lowest level that is logged; `None` if nothing is.
    level: Option<LoggingLevel>,
    pace: Arc<Mutex<Pace>>,
}

/// The messages of the current window.
struct Pace {
    window: Instant,
    count: u32,
}

#[derive(Deserialize)]
struct Message {
    level: String,
    logger: Option<String>,
    #[serde(default)]
    data: Value,
}

/// The lowest level that a subscriber logs. It is asked on a thread of its own, because `enabled!` leaves its answer in the filters of
/// `tracing-subscriber`, which then drop the next span of the thread.
fn level(subscriber: &Dispatch) -> Option<LoggingLevel> {
    let ask = || {
        with_default(subscriber, || match () {
            () if enabled!(target: TARGET, Level::DEBUG) => Some(LoggingLevel::Debug),
            () if enabled!(target: TARGET, Level::INFO) => Some(LoggingLevel::Info),
            () if enabled!(target: TARGET, Level::WARN) => Some(LoggingLevel::Warning),
            () if enabled!(target: TARGET, Level::ERROR) => Some(LoggingLevel::Error),
            () => None,
        })
    };
    thread::scope(|scope| thread::Builder::new().spawn_scoped(scope, ask).ok()?.join().ok()).flatten()
}

impl ServerLog {
    pub(super) fn new(server: &Arc<str>, secrets: &Secrets) -> Self {
        let pace = Arc::new(Mutex::new(Pace { window: Instant::now(), count: 0 }));
        let subscriber = get_default(Dispatch::clone);
        let level = level(&subscriber);
        Self { server: Arc::clone(server), secrets: secrets.clone(), subscriber, level, pace }
    }

    /// The request to set the level, if anything is logged.
    pub(super) fn request(&self) -> Option<ClientRequest> {
        let params = SetLevelRequestParams::new(self.level?);
        Some(ClientRequest::SetLevelRequest(SetLevelRequest::new(params)))
    }

    /// The level as a part of any request.
    pub(super) fn options(&self) -> PeerRequestOptions {
        let options = PeerRequestOptions::no_options();
        let Some(level) = self.level else { return options };
        let mut meta = RequestMetaObject::default();
        meta.set_log_level(level);
        options.with_meta(meta)
    }

    /// Writes a message with these parameters.
    pub(super) fn write(&self, params: &str) {
        let Some(left_out) = self.admit() else { return };
        let server = &*self.server;
        with_default(&self.subscriber, || {
            if left_out > 0 {
                warn!(target: TARGET, parent: None, server, "log: {left_out} messages are left out");
            }
            if params.len() > LONGEST {
                warn!(target: TARGET, parent: None, server, "log: a message of {} bytes is left out", params.len());
                return;
            }
            // What is no message tells nobody anything.
            let Ok(Message { level, logger, mut data }) = serde_json::from_str(params) else { return };
            let redactor = self.secrets.with_callers();
            data.redact(&redactor);
            let text = match data {
                Value::String(text) => name(&text),
                data => visible(&data.to_string()),
            };
            let logger = logger.map(|logger| name(&redactor.redact(logger)));
            match level.as_str() {
                "info" | "notice" => info!(target: TARGET, parent: None, server, logger, "log: {text}"),
                "warning" => warn!(target: TARGET, parent: None, server, logger, "log: {text}"),
                "error" | "critical" | "alert" | "emergency" => {
                    error!(target: TARGET, parent: None, server, logger, "log: {text}");
                }
                _ => debug!(target: TARGET, parent: None, server, logger, "log: {text}"),
            }
        });
    }

    /// Counts a message. If it may be written: how many of the window before may not.
    fn admit(&self) -> Option<u32> {
        let mut pace = lock(&self.pace);
        let mut left_out = 0;
        if pace.window.elapsed() >= WINDOW {
            left_out = pace.count.saturating_sub(MOST);
            *pace = Pace { window: Instant::now(), count: 0 };
        }
        pace.count = pace.count.saturating_add(1);
        (pace.count <= MOST).then_some(left_out)
    }
}

/// The name under which a program filters the messages.
const TARGET: &str = "onionskin_mcp::server";
