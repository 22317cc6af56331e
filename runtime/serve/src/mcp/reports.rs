//! Events of a call as notifications to its client: progress, and what the tool emits as logs.

use std::time::Duration;

use onionskin_core::event::{Event, EventKind};
use rmcp::model::{
    LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParam, ProgressNotificationParam,
    ServerJsonRpcMessage,
};
use serde_json::Value;
use tokio::time::timeout;

use super::client::Requester;

/// Reports of one call.
pub(super) struct Reports<'c> {
    requester: &'c Requester,
    /// The name of the tool, as the client knows it.
    tool: &'c str,
    /// Whether the call is the run of an agent, which reports each step of its work.
    is_agent: bool,
    /// The progress that was reported last. It only grows.
    progress: f64,
    /// Whether the client reads nothing. Then nothing more is reported of this call, so that the call goes on.
    has_stalled: bool,
}

/// The time for the client to take a report.
const PATIENCE: Duration = Duration::from_secs(1);

impl<'c> Reports<'c> {
    pub(super) fn new(requester: &'c Requester, tool: &'c str, is_agent: bool) -> Self {
        Self { requester, tool, is_agent, progress: 0.0, has_stalled: false }
    }

    /// Reports an event. A client that does not read does not end the call: the call ends with its connection.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other events are for people who watch the run, not for its client"
    )]
    pub(super) async fn report(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Progress { done, total, message, .. } if !self.is_agent && event.is_outermost() => {
                self.progress = self.progress.max(*done);
                self.notify(self.progress, *total, message.clone()).await;
            }
            EventKind::User { value, .. } => self.log(value).await,
            // One more step, of which nobody knows the total.
            _ if self.is_agent => {
                if let Some(message) = step(event, true) {
                    self.progress += 1.0;
                    self.notify(self.progress, None, Some(message)).await;
                }
            }
            _ => {}
        }
    }

    async fn notify(&mut self, progress: f64, total: Option<f64>, message: Option<String>) {
        let Some(token) = self.requester.progress_token.clone() else { return };
        let mut report = ProgressNotificationParam::new(token, progress);
        (report.total, report.message) = (total, message);
        let requester = self.requester;
        self.send(requester.peer.notify_progress(report)).await;
    }

    async fn log(&mut self, data: &Value) {
        const LEVEL: LoggingLevel = LoggingLevel::Info;
        if self.requester.log_level.is_some_and(|least| severity(LEVEL) >= severity(least)) {
            let mut message = LoggingMessageNotificationParam::new(LEVEL, data.clone());
            message.logger = Some(self.tool.to_owned());
            let requester = self.requester;
            self.send(async {
                if let Some(logs) = &requester.logs {
                    let log = LoggingMessageNotification::new(message.clone());
                    if logs.send(ServerJsonRpcMessage::notification(log.into())).await {
                        return;
                    }
                }
                // Without a stream of the request, or after it has broken off.
                let _ = requester.peer.notify_logging_message(message).await;
            })
            .await;
        }
    }
}

impl Reports<'_> {
    async fn send<T>(&mut self, report: impl Future<Output = T>) {
        self.has_stalled = self.has_stalled || timeout(PATIENCE, report).await.is_err();
    }
}

/// What a call does now, if the event says so. The run of an agent says it for each step of its work.
#[expect(clippy::wildcard_enum_match_arm, reason = "other events say nothing of it")]
pub(super) fn step(event: &Event, is_agent: bool) -> Option<String> {
    match &event.kind {
        EventKind::Progress { message, .. } if is_agent || event.is_outermost() => message.clone(),
        EventKind::ToolStarted { tool, .. } if is_agent => Some(format!("{}: {tool}", event.agent)),
        _ => None,
    }
}

/// The rank of a level of logs.
fn severity(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}
