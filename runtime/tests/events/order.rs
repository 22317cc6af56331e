//! The order of events, in runs of random scripts.

use std::collections::BTreeMap;

use onionskin::event::{Event, EventKind, RunOutput};
use proptest::prelude::*;

use super::script::{on_a_paused_clock, script};

/// What has begun and not ended, of each run.
#[derive(Default)]
struct OpenRun {
    began: bool,
    turn: Option<u32>,
    turns: u32,
    calls: Vec<String>,
    ended: bool,
}

/// The guide's table of events, as a check. A run is an agent at a scope.
#[derive(Default)]
struct Order {
    runs: BTreeMap<(String, String), OpenRun>,
    seq: u64,
}

impl Order {
    fn next(&mut self, event: &Event) {
        assert_eq!(event.seq, self.seq + 1, "the numbers have no gaps");
        self.seq = event.seq;
        if let EventKind::RunStarted { .. } = event.kind
            && !event.step.scope().is_empty()
        {
            let open: usize = self.runs.values().map(|run| run.calls.len()).sum();
            assert!(open > 0, "a child's run begins within a call: {event:?}");
        }
        let run = self.runs.entry((event.step.scope().to_owned(), event.agent.to_string())).or_default();
        assert!(!run.ended, "the end of a run is its last event: {event:?}");
        match &event.kind {
            EventKind::RunStarted { .. } => assert!(!std::mem::replace(&mut run.began, true), "{event:?}"),
            EventKind::TurnStarted { turn, .. } => {
                assert!(
                    run.calls.is_empty(),
                    "a turn begins when the calls of the one before have ended: {event:?}"
                );
                assert_eq!((run.turn.replace(*turn), *turn), (None, run.turns + 1), "{event:?}");
                run.turns = *turn;
            }
            EventKind::TextDelta { .. }
            | EventKind::ReasoningDelta { .. }
            | EventKind::TurnRestarted { .. } => {
                assert!(run.turn.is_some(), "within a turn: {event:?}");
            }
            EventKind::TurnFinished { .. } => assert!(run.turn.take().is_some(), "{event:?}"),
            EventKind::ToolStarted { call_id, .. } => {
                assert!(run.turn.is_none(), "calls begin after the turn: {event:?}");
                assert!(!run.calls.iter().any(|open| **open == **call_id), "{event:?}");
                run.calls.push(call_id.to_string());
            }
            EventKind::ToolFinished { call_id, .. } => {
                let open = run.calls.iter().position(|open| **open == **call_id);
                run.calls.remove(open.unwrap_or_else(|| panic!("it did not begin: {event:?}")));
            }
            EventKind::Progress { call_id: Some(call_id), .. }
            | EventKind::User { call_id: Some(call_id), .. } => {
                assert!(run.calls.iter().any(|open| **open == **call_id), "within the call: {event:?}");
            }
            EventKind::RunFinished { .. } => {
                assert!(run.turn.is_none() && run.calls.is_empty(), "all has ended: {event:?}");
                run.ended = true;
            }
            EventKind::RunFailed { .. } => {
                assert!(run.calls.is_empty(), "all calls have ended: {event:?}");
                run.ended = true;
            }
            _ => {}
        }
        assert!(run.began, "the beginning of a run is its first event: {event:?}");
    }

    fn end(&self) {
        let open: Vec<_> = self.runs.iter().filter(|(_, run)| !run.ended).map(|(run, _)| run).collect();
        assert!(open.is_empty(), "without an end: {open:?}");
    }
}

proptest! {
    #[test]
    fn a8_the_events_of_each_run_come_in_the_order_that_the_guide_says(script in script()) {
        on_a_paused_clock(async {
            let (agent, open) = script.agent().await;
            let (mut order, mut text, mut sum) = (Order::default(), String::new(), RunOutput::default());
            let mut stream = agent.stream("go");
            while let Some(event) = stream.next().await {
                order.next(&event);
                sum.add(&event);
                match &event.kind {
                    EventKind::TurnStarted { .. } | EventKind::TurnRestarted { .. } if &*event.agent == "parent" => text.clear(),
                    EventKind::TextDelta { text: piece, .. } if &*event.agent == "parent" => text.push_str(piece),
                    _ => {}
                }
            }
            order.end();
            assert_eq!(open.count(), 0);
            if let Ok(output) = stream.output().await {
                assert!(output.text == text || output.text == "It is enough.", "{text} {}", output.text);
                assert_eq!(output, sum);
            }
        });
    }
}
