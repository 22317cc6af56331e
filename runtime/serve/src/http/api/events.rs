//! The events of a run as a client of plain HTTP sees them. Arguments, results, reasoning and errors of calls are of the inside: an agent
//! may have secrets from the people that it serves.

use onionskin_core::event::{CallOutcome, Event, EventKind};
use serde_json::{Value, json};

/// An event for clients: its name and its data.
pub(super) type PublicEvent = (&'static str, Value);

/// What clients see of an event; `None` for an event of the inside.
#[expect(clippy::wildcard_enum_match_arm, reason = "clients see only what is listed here")]
pub(super) fn public(event: Event) -> Option<PublicEvent> {
    let is_outermost = event.is_outermost();
    let agent = event.agent;
    Some(match event.kind {
        EventKind::TextDelta { text, .. } if is_outermost => ("text_delta", json!({ "text": text })),
        EventKind::TurnRestarted { turn, .. } if is_outermost => ("turn_restarted", json!({ "turn": turn })),
        EventKind::ToolStarted { call_id, tool, .. } => {
            ("tool_started", json!({ "agent": agent, "call_id": call_id, "tool": tool }))
        }
        // A call that waits for an answer is not finished.
        EventKind::ToolFinished { outcome: CallOutcome::Paused, .. } => return None,
        EventKind::ToolFinished { call_id, tool, outcome, .. } => {
            let failed = matches!(outcome, CallOutcome::Error(_) | CallOutcome::Abort);
            ("tool_finished", json!({ "agent": agent, "call_id": call_id, "tool": tool, "failed": failed }))
        }
        EventKind::Progress { call_id, done, total, message, .. } => (
            "progress",
            json!({ "agent": agent, "call_id": call_id, "done": done, "total": total, "message": message }),
        ),
        EventKind::User { call_id, value, .. } => {
            ("user", json!({ "agent": agent, "call_id": call_id, "value": value }))
        }
        _ => return None,
    })
}
