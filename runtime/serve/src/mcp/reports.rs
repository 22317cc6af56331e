//! Events of a call as notifications to its client: progress, and what the tool emits as logs.

use onionskin_core::event::{Event, EventKind};
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam};
use serde_json::Value;

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
}

impl<'c> Reports<'c> {
    pub(super) fn new(requester: &'c Requester, tool: &'c str, is_agent: bool) -> Self {
        Self { requester, tool, is_agent, progress: 0.0 }
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
            EventKind::Progress { message: Some(message), .. } => self.step(message.clone()).await,
            EventKind::ToolStarted { tool, .. } if self.is_agent || !event.is_outermost() => {
                self.step(format!("{}: {tool}", event.agent)).await;
            }
            EventKind::User { value, .. } => self.log(value).await,
            EventKind::Notice { text, .. } => self.log(&Value::from(text.as_str())).await,
            _ => {}
        }
    }

    /// One more step, of which nobody knows the total.
    async fn step(&mut self, message: String) {
        if self.is_agent {
            self.progress += 1.0;
            self.notify(self.progress, None, Some(message)).await;
        }
    }

    async fn notify(&self, progress: f64, total: Option<f64>, message: Option<String>) {
        let Some(token) = self.requester.progress_token.clone() else { return };
        let mut report = ProgressNotificationParam::new(token, progress);
        (report.total, report.message) = (total, message);
        let _ = self.requester.peer.notify_progress(report).await;
    }

    async fn log(&self, data: &Value) {
        const LEVEL: LoggingLevel = LoggingLevel::Info;
        if self.requester.log_level.is_some_and(|least| severity(LEVEL) >= severity(least)) {
            let mut message = LoggingMessageNotificationParam::new(LEVEL, data.clone());
            message.logger = Some(self.tool.to_owned());
            let _ = self.requester.peer.notify_logging_message(message).await;
        }
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
