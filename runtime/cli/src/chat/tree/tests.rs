//! What the tree shows of runs.

use std::time::Duration;

use onionskin_core::event::Event;
use serde_json::json;

use super::super::events::Play;
use super::Tree;

fn tree(events: impl IntoIterator<Item = (u64, Event)>) -> Tree {
    let mut tree = Tree::default();
    for (tenths, event) in events {
        tree.update(&event, Duration::from_millis(tenths * 100));
    }
    tree
}

fn shown(tree: &Tree, tenths: u64, most: usize, columns: usize) -> String {
    let lines = tree.drawn(Duration::from_millis(tenths * 100), most);
    lines.into_iter().map(|line| line.cut(columns).text() + "\n").collect()
}

#[test]
fn o1_a_failed_call_has_its_reason_below_it_at_the_end() {
    let desk = Play::new("desk");
    let helper = desk.child("helper[1]", 1, "agent__helper");
    let failed = json!({ "error": "failed" });
    let why = "The parcel is too heavy for this carrier: ask another one.";
    let tree = tree([
        (0, desk.begins(true)),
        (0, desk.calls(1, "agent__helper", "agent", &json!({ "input": "Look." }))),
        (0, helper.begins(true)),
        (0, helper.calls(1, "weigh", "function", &json!({ "parcel": "P-81" }))),
        (1, helper.gets(1, "weigh", &failed, why, 1)),
        (2, helper.fails()),
        (2, desk.gets(1, "agent__helper", &failed, "the helper failed", 2)),
        (2, desk.calls(2, "stop", "function", &json!({}))),
        (3, desk.gets(2, "stop", &json!("ok"), "stopped", 1)),
        (3, desk.ends("No.")),
    ]);
    let lines = tree.drawn_with_reasons(Duration::from_millis(300), 99, 30);
    let text: String = lines.iter().map(|line| line.text() + "\n").collect();
    assert_eq!(
        text,
        "\
desk · 0.3 s
├ ✗ helper[1] · 0.2 s · failed  {\"input\":\"Look.\"}
│ │ the helper failed
│ └ ✗ weigh · 0.1 s  {\"parcel\":\"P-81\"}
│     The parcel is too heavy
│     for this carrier: ask
│     another one.
└ ✓ stop · 0.1 s  {} → stopped
"
    );
    let lines = tree.drawn_with_reasons(Duration::from_millis(300), 99, 22);
    assert!(lines.iter().any(|line| line.text() == "│     this carrier:…"), "{lines:?}");
}

#[test]
fn o1_a_tree_has_agents_and_calls_with_times_and_tokens() {
    let pmo = Play::new("PMO");
    let london = pmo.child("London[1]", 2, "agent__London");
    let ok = json!("ok");
    let tree = tree([
        (0, pmo.begins(true)),
        (1, pmo.asks()),
        (9, pmo.answered(1200)),
        (10, pmo.calls(1, "add_one", "function", &json!({ "x": 3 }))),
        (10, pmo.calls(2, "agent__London", "agent", &json!({ "input": "Report." }))),
        (10, pmo.calls(3, "pay", "function", &json!({ "cents": 5 }))),
        (10, london.begins(true)),
        (11, pmo.gets(1, "add_one", &ok, "4", 1)),
        (12, london.asks()),
        (15, london.answered(34)),
        (16, london.calls(1, "time__get", "mcp", &json!({ "tz": "Europe/London" }))),
        (17, london.reports(1, "time__get", 2, "asks the\n clock")),
        (18, pmo.gets(3, "pay", &json!({ "error": "denied" }), "not approved", 8)),
    ]);
    assert_eq!(
        shown(&tree, 30, 99, 99),
        "\
PMO · 3.0 s · 1,234 tokens
├ ✓ add_one · 0.1 s  {\"x\":3} → 4
├ • London[1] · 2.0 s · 34 tokens  {\"input\":\"Report.\"}
│ └ • time__get · 1.4 s  {\"tz\":\"Europe/London\"} · 2 of 9 asks the clock
└ ✗ pay · 0.8 s  {\"cents\":5} → not approved
"
    );
    assert_eq!(
        shown(&tree, 30, 99, 20),
        "\
PMO · 3.0 s · 1,234…
├ ✓ add_one · 0.1 s…
├ • London[1] · 2.0…
│ └ • time__get · 1…
└ ✗ pay · 0.8 s  {\"…
"
    );
}

#[test]
fn o1_a_tree_folds_the_runs_of_a_child_beyond_those_that_are_shown() {
    let pmo = Play::new("PMO");
    let mut events = vec![(0, pmo.begins(true)), (0, pmo.answered(1))];
    for call in 1..=14 {
        events.push((1, pmo.calls(call, "agent__NY", "agent", &json!({}))));
    }
    for call in 1..=14 {
        let ny = pmo.child(&format!("NY[{call}]"), call, "agent__NY");
        events.push((1, ny.begins(call <= 2)));
        events.push((1, ny.calls(1, "get", "mcp", &json!({}))));
        // A run below a folded one is folded too, and counted with it.
        let below = ny.child("Clock[1]", 1, "get");
        events.push((2, below.begins(true)));
        events.push((2, below.answered(10)));
        events.push((2, below.ends("12:00")));
        events.push((2, ny.gets(1, "get", &json!("ok"), "12:00", 1)));
        if call % 2 == 0 {
            events.push((3, ny.ends("noon")));
            events.push((3, pmo.gets(call, "agent__NY", &json!("ok"), "noon", 2)));
        }
    }
    let tree = tree(events);
    let text = shown(&tree, 10, 99, 60);
    assert_eq!(
        text,
        "\
PMO · 1.0 s · 141 tokens
├ • NY[1] · 0.9 s · 10 tokens  {}
│ └ ✓ Clock[1] · 0.0 s · 10 tokens  {} → 12:00
├ ✓ NY[2] · 0.2 s · 10 tokens  {} → noon
│ └ ✓ Clock[1] · 0.0 s · 10 tokens  {} → 12:00
└ and 12 more NY, 6 running
"
    );
    assert_eq!(tree.folded.len(), 6, "what has ended is forgotten");
}

#[test]
fn o1_a_tree_of_too_many_lines_shows_calls_in_progress_and_the_newest() {
    let pmo = Play::new("PMO");
    let mut events = vec![(0, pmo.begins(true))];
    for call in 1..=30 {
        events.push((1, pmo.calls(call, "get", "mcp", &json!({ "n": call }))));
        if call != 2 {
            events.push((1, pmo.gets(call, "get", &json!("ok"), "", 0)));
        }
    }
    let tree = tree(events);
    assert_eq!(
        shown(&tree, 2, 5, 60),
        "\
PMO · 0.2 s
├ 27 calls before
├ • get · 0.1 s  {\"n\":2}
├ ✓ get · 0.0 s  {\"n\":29}
└ ✓ get · 0.0 s  {\"n\":30}
"
    );
    assert_eq!(shown(&tree, 2, 2, 60), "PMO · 0.2 s\n└ 30 calls before\n");
    assert_eq!(shown(&tree, 2, 1, 60), "and 2 more lines\n");
    assert_eq!(shown(&tree, 2, 0, 60), "");
}

#[test]
fn o1_a_tree_keeps_a_bounded_number_of_calls() {
    let pmo = Play::new("PMO");
    let mut tree = tree([(0, pmo.begins(true))]);
    let long = "x".repeat(10_000);
    for call in 1..=10_000 {
        let child = pmo.child("Clock[1]", call, "agent__Clock");
        for event in [
            pmo.calls(call, "agent__Clock", "agent", &json!({ "text": long })),
            child.begins(true),
            child.answered(1),
            child.ends(&long),
            pmo.gets(call, "agent__Clock", &json!("ok"), &long, 1),
        ] {
            tree.update(&event, Duration::ZERO);
        }
    }
    assert_eq!((tree.runs.len(), tree.runs[""].calls.len(), tree.running.len()), (101, 100, 0));
    assert!(tree.runs[""].calls.iter().all(|call| call.arguments.len() < 300 && call.note.len() < 300));
    assert_eq!(shown(&tree, 0, 3, 60).lines().nth(1), Some("├ 9999 calls before"));
    assert_eq!(tree.usage("").total(), 10_000);
}

#[test]
fn o1_names_and_texts_in_the_tree_control_no_terminal() {
    let pmo = Play::new("P\u{1b}[2JMO");
    let tree = tree([
        (0, pmo.begins(true)),
        (0, pmo.calls(1, "g\u{202e}et", "mcp", &json!("\u{9b}31m"))),
        (0, pmo.gets(1, "g\u{202e}et", &json!({ "error": "failed" }), "a\u{7}\r\nb", 0)),
        (0, pmo.fails()),
    ]);
    let shown = shown(&tree, 0, 99, 99);
    assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{9b}', '\u{7}', '\r']), "{shown:?}");
    assert!(shown.starts_with("P\\u{1b}[2JMO · 0.0 s · failed\n"), "{shown}");
}

#[test]
fn o1_a_wide_character_is_cut_whole() {
    let pmo = Play::new("日本語");
    let tree = tree([(0, pmo.begins(true))]);
    assert_eq!(shown(&tree, 0, 9, 6), "日本…\n");
    assert_eq!(shown(&tree, 0, 9, 5), "日本…\n");
    assert_eq!(shown(&tree, 0, 9, 4), "日…\n");
    assert_eq!(shown(&tree, 0, 9, 0), "\n");
}
