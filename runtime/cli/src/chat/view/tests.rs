//! What a run looks like: as lines, and on a screen.

use std::cell::Cell;
use std::io;
use std::num::NonZeroU16;
use std::rc::Rc;
use std::time::Duration;

use onionskin_core::event::Event;
use proptest::prelude::*;
use serde_json::json;

use super::super::events::Play;
use super::{Live, Plain, View};

fn now(tenths: u64) -> Duration {
    Duration::from_millis(tenths * 100)
}

fn plain(events: impl IntoIterator<Item = (u64, Event)>) -> String {
    let mut out = Vec::new();
    let mut view = Plain::new(&mut out);
    for (tenths, event) in events {
        view.update(&event, now(tenths));
        view.show(now(tenths)).unwrap();
    }
    view.end(now(0)).unwrap();
    drop(view);
    String::from_utf8(out).unwrap()
}

#[test]
fn o1_without_a_terminal_each_change_is_a_line() {
    let pmo = Play::new("PMO");
    let london = pmo.child("London[1]", 2, "agent__London");
    let other = pmo.child("London[2]", 3, "agent__London");
    let ok = json!("ok");
    let text = plain([
        (0, pmo.begins(true)),
        (0, pmo.says("Let me ")),
        (0, pmo.says("see.")),
        (0, pmo.answered(10)),
        (1, pmo.calls(1, "add_one", "function", &json!({ "x": 3 }))),
        (1, pmo.calls(2, "agent__London", "agent", &json!({ "input": "Report." }))),
        (1, pmo.calls(3, "agent__London", "agent", &json!({ "input": "Hide." }))),
        (1, london.begins(true)),
        (1, other.begins(false)),
        (1, other.notes("a secret")),
        (1, other.calls(1, "get", "mcp", &json!({}))),
        (2, london.says("not for the user")),
        (2, pmo.reports(1, "add_one", 1, "")),
        (3, pmo.reports(1, "add_one", 2, "")),
        (20, pmo.reports(1, "add_one", 3, "more")),
        (21, pmo.gets(1, "add_one", &json!({ "error": "failed" }), "no\nidea", 20)),
        (22, other.ends("hidden")),
        (22, pmo.gets(3, "agent__London", &ok, "hidden", 21)),
        (23, london.notes("the server restarted")),
        (23, london.ends("noon")),
        (23, pmo.gets(2, "agent__London", &ok, "noon", 22)),
        (23, pmo.asks()),
        (23, pmo.says("Al")),
        (23, pmo.restarts()),
        (23, pmo.says("All is well.")),
        (24, pmo.answered(10)),
        (24, pmo.ends("All is well.")),
    ]);
    assert_eq!(
        text,
        "\
Let me see.
PMO calls add_one {\"x\":3}
London[1] begins {\"input\":\"Report.\"}
PMO add_one: 1 of 9
PMO add_one: 3 of 9: more
PMO add_one fails: no idea (2.0 s)
London[1]: the server restarted
London[1] ends (2.2 s, 0 tokens)
PMO agent__London: noon (2.2 s)
Al
(the model failed and is asked again: this part of its answer does not count)
All is well.
PMO ends (2.4 s, 20 tokens); and 1 more London
"
    );
}

#[test]
fn o1_an_answer_that_no_model_wrote_is_shown() {
    let pmo = Play::new("PMO");
    let text =
        plain([(0, pmo.begins(true)), (0, pmo.says("a")), (0, pmo.answered(1)), (0, pmo.ends("b\u{1b}[2J"))]);
    assert_eq!(text, "a\nb\\u{1b}[2J\nPMO ends (0.0 s, 1 token)\n");
}

fn cells(count: usize) -> NonZeroU16 {
    NonZeroU16::try_from(u16::try_from(count).unwrap()).unwrap()
}

/// A terminal in a window that can change.
struct Window {
    size: Rc<Cell<(usize, usize)>>,
    screen: vt100::Parser,
}

impl io::Write for Window {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (columns, rows) = self.size.get();
        let now = (cells(rows), cells(columns));
        if self.screen.screen().size() != now {
            self.screen.screen_mut().set_size(now.0, now.1);
        }
        self.screen.process(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Window {
    fn new(columns: usize, rows: usize) -> Self {
        let screen = vt100::Parser::new(cells(rows), cells(columns), 0);
        Self { size: Rc::new(Cell::new((columns, rows))), screen }
    }

    /// The lines that are not empty at the end.
    fn text(&self) -> String {
        self.screen.screen().contents().trim_end().to_owned()
    }
}

fn live(window: &mut Window) -> Live<&mut Window, impl Fn() -> (usize, usize)> {
    let size = Rc::clone(&window.size);
    Live::new(window, move || size.get(), false)
}

#[test]
fn o1_the_tree_is_drawn_below_the_text_and_stays_at_the_end() {
    let mut window = Window::new(40, 8);
    let pmo = Play::new("PMO");
    let mut view = live(&mut window);
    let see = |view: &mut Live<&mut Window, _>, tenths, event: &Event| {
        view.update(event, now(tenths));
        view.show(now(tenths)).unwrap();
    };
    see(&mut view, 0, &pmo.begins(true));
    for text in ["One", " and\n", "two", " and three."] {
        see(&mut view, 1, &pmo.says(text));
    }
    let shown = |view: &Live<&mut Window, _>| view.out().text();
    assert_eq!(shown(&view), "One and\ntwo and three.\nPMO · 0.1 s · writes");
    see(&mut view, 2, &pmo.answered(5));
    see(&mut view, 2, &pmo.calls(1, "get", "mcp", &json!({})));
    assert_eq!(shown(&view), "One and\ntwo and three.\n\nPMO · 0.2 s · 5 tokens\n└ • get · 0.0 s  {}");
    // A question takes the place of the tree.
    view.pause(now(3)).unwrap();
    assert_eq!(shown(&view), "One and\ntwo and three.");
    see(&mut view, 4, &pmo.gets(1, "get", &json!("ok"), "4", 1));
    see(&mut view, 5, &pmo.asks());
    for line in 1..=9 {
        see(&mut view, 5, &pmo.says(&format!("line {line}\n")));
    }
    assert_eq!(
        shown(&view),
        "line 5\nline 6\nline 7\nline 8\nline 9\n\nPMO · 0.5 s · 5 tokens · writes\n└ ✓ get · 0.1 s  {} → 4"
    );
    see(&mut view, 6, &pmo.says("end"));
    see(&mut view, 6, &pmo.answered(5));
    view.end(now(6)).unwrap();
    assert_eq!(
        shown(&view),
        "line 6\nline 7\nline 8\nline 9\nend\nPMO · 0.6 s · 10 tokens\n└ ✓ get · 0.1 s  {} → 4"
    );
}

#[test]
fn o1_text_that_fills_rows_loses_nothing_and_adds_nothing() {
    for columns in [10, 11, 12, 30] {
        let mut window = Window::new(columns, 40);
        let pmo = Play::new("PMO");
        let mut view = live(&mut window);
        let mut expected = String::new();
        view.update(&pmo.begins(true), now(0));
        for part in ["0123456789", "ab", "\n", "日本語日本語", "\n\n", "01234567890123456789", "\n", "end"]
        {
            expected.push_str(part);
            view.update(&pmo.says(part), now(0));
            // A drawing between any two pieces, also where a row is full.
            view.show(now(0)).unwrap();
        }
        view.pause(now(0)).unwrap();
        let mut whole = Window::new(columns, 40);
        io::Write::write_all(&mut whole, expected.replace('\n', "\r\n").as_bytes()).unwrap();
        let rows = |window: &Window| {
            let screen = window.screen.screen();
            let rows = screen.rows(0, columns.try_into().unwrap()).zip(0..);
            // The terminal breaks long words, and a wide character is a word of its own.
            rows.map(|(text, row)| (screen.row_wrapped(row) && text.is_ascii(), text)).collect::<Vec<_>>()
        };
        assert_eq!(rows(view.out()), rows(&whole), "{columns} columns");
    }
}

#[test]
fn o1_a_window_that_changes_its_size_is_not_garbled() {
    let mut window = Window::new(60, 12);
    let size = Rc::clone(&window.size);
    let pmo = Play::new("PMO");
    let mut view = live(&mut window);
    view.update(&pmo.begins(true), now(0));
    view.update(&pmo.calls(1, "a_tool_with_a_long_name", "mcp", &json!({ "and": "long arguments" })), now(0));
    view.update(&pmo.says("Some text."), now(0));
    for (columns, rows) in [(60, 12), (30, 12), (30, 6), (80, 20), (11, 2), (80, 20)] {
        size.set((columns, rows));
        view.show(now(1)).unwrap();
        let text = view.out().text();
        assert_eq!(text.matches("PMO").count(), usize::from(rows >= 3), "{columns} x {rows}: {text}");
        assert!(text.lines().all(|line| line.chars().count() <= columns), "{text}");
    }
    view.pause(now(1)).unwrap();
    assert!(view.out().text().ends_with("Some text."), "{}", view.out().text());
}

#[test]
fn o1_ten_thousand_events_in_a_second_are_few_drawings() {
    let mut window = Window::new(60, 12);
    let pmo = Play::new("PMO");
    let mut view = live(&mut window);
    view.update(&pmo.begins(true), now(0));
    view.update(&pmo.calls(1, "get", "mcp", &json!({})), now(0));
    for event in 0..10_000 {
        view.update(&pmo.reports(1, "get", event, "x"), now(0));
        view.update(&pmo.says("y"), now(0));
    }
    view.show(now(0)).unwrap();
    view.end(now(0)).unwrap();
    assert!(view.out().text().ends_with("9999 of 9 x"), "{}", view.out().text());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Drawings between the pieces change nothing of a text, whatever it has and wherever it is broken. No word is lost or broken.
    #[test]
    fn o1_any_text_in_any_pieces_is_shown_as_it_is(
        columns in 10_usize..40,
        pieces in prop::collection::vec(("[a-c日本é👍\u{301} \n]{0,15}", any::<bool>()), 0..12),
    ) {
        let pmo = Play::new("PMO");
        let shown = |pieces: &[(String, bool)]| {
            let mut window = Window::new(columns, 250);
            let mut view = live(&mut window);
            view.update(&pmo.begins(true), now(0));
            view.update(&pmo.calls(1, "get", "mcp", &json!({})), now(0));
            for (piece, is_shown) in pieces {
                view.update(&pmo.says(piece), now(0));
                if *is_shown {
                    view.show(now(0)).unwrap();
                }
            }
            view.pause(now(0)).unwrap();
            view.out().text()
        };
        let text: String = pieces.iter().map(|(piece, _)| piece.as_str()).collect();
        let whole = shown(&[(text.clone(), false)]);
        prop_assert_eq!(&shown(&pieces), &whole);
        // An accent may have no letter.
        let letters = |text: &str| text.replace('\u{301}', "").split_whitespace().collect::<String>();
        prop_assert_eq!(letters(&whole), letters(&text));
        for word in text.split_whitespace().filter(|word| word.is_ascii() && word.len() < columns) {
            prop_assert!(whole.lines().any(|row| row.split_whitespace().any(|part| part == word)), "{word}: {whole}");
        }
    }
}
