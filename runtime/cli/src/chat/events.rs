//! Events for tests, in the form in which they are stored.

use onionskin_core::event::Event;
use serde_json::{Value, json};

/// A run that reports events.
#[derive(Clone)]
pub(super) struct Play {
    agent: String,
    scope: String,
}

impl Play {
    /// The outermost run.
    pub(super) fn new(agent: &str) -> Self {
        Self { agent: agent.to_owned(), scope: String::new() }
    }

    /// The run of an agent that this call of this run began.
    pub(super) fn child(&self, agent: &str, call: u32, tool: &str) -> Self {
        let above = if self.scope.is_empty() { String::new() } else { format!("{}/", self.scope) };
        Self { agent: agent.to_owned(), scope: format!("{above}turn 1/call {call}/tool {tool}") }
    }

    pub(super) fn begins(&self, shown: bool) -> Event {
        self.event(None, &json!({ "type": "run_started", "input": "Go.", "shown": shown }))
    }

    pub(super) fn asks(&self) -> Event {
        self.event(None, &json!({ "type": "turn_started", "turn": 1 }))
    }

    pub(super) fn says(&self, text: &str) -> Event {
        self.event(None, &json!({ "type": "text_delta", "text": text }))
    }

    pub(super) fn restarts(&self) -> Event {
        self.event(None, &json!({ "type": "turn_restarted", "turn": 1 }))
    }

    pub(super) fn notes(&self, text: &str) -> Event {
        self.event(None, &json!({ "type": "notice", "text": text }))
    }

    pub(super) fn answered(&self, tokens: u64) -> Event {
        let usage = json!({ "input_tokens": tokens, "output_tokens": 0 });
        self.event(None, &json!({ "type": "turn_finished", "usage": usage, "stop": "done" }))
    }

    pub(super) fn calls(&self, call: u32, tool: &str, source: &str, arguments: &Value) -> Event {
        let call_id = format!("call_{call}");
        let kind = json!({ "type": "tool_started", "call_id": call_id, "tool": tool, "source": source, "arguments": arguments.to_string() });
        self.event(Some((call, tool)), &kind)
    }

    pub(super) fn reports(&self, call: u32, tool: &str, done: u32, message: &str) -> Event {
        let kind =
            json!({ "type": "progress", "call_id": "call_1", "done": done, "total": 9, "message": message });
        self.event(Some((call, tool)), &kind)
    }

    /// The end of a call after so many tenths of a second.
    pub(super) fn gets(&self, call: u32, tool: &str, outcome: &Value, text: &str, tenths: u32) -> Event {
        let kind = json!({
            "type": "tool_finished", "call_id": format!("call_{call}"), "tool": tool, "outcome": outcome,
            "content": [{ "type": "text", "text": text }], "attempts": 1,
            "duration_ms": tenths * 100,
        });
        self.event(Some((call, tool)), &kind)
    }

    pub(super) fn ends(&self, text: &str) -> Event {
        self.event(None, &json!({ "type": "run_finished", "text": text }))
    }

    pub(super) fn fails(&self) -> Event {
        self.event(None, &json!({ "type": "run_failed", "error": "no" }))
    }

    fn event(&self, call: Option<(u32, &str)>, kind: &Value) -> Event {
        let (step, call, name) = match call {
            Some((call, name)) => ("tool", Some(call), name),
            None => ("run", None, ""),
        };
        let step =
            json!({ "scope": self.scope, "turn": 1, "kind": step, "call": call, "name": name, "attempt": 0 });
        let event = json!({ "step": step, "seq": 1, "agent": self.agent, "kind": kind });
        serde_json::from_value(event).expect("an event")
    }
}
