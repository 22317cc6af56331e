//! Questions at a terminal.

use std::io::{self, BufReader, Cursor, Read, Write};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use onionskin::approval::{Always, Approval};
use onionskin::event::EventKind;
use onionskin::question::{Answer, Answerer, AskError, Question, QuestionKind, Terminal};
use onionskin::{ScriptedModel, ScriptedTurn, ToolContext, agent, tool};
use serde_json::{Value, json};

/// What was written.
#[derive(Clone, Default)]
struct Screen(Arc<Mutex<Vec<u8>>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Screen {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

async fn ask_in_terminal(question: &Question, lines: &'static str) -> (Option<Answer>, String) {
    let screen = Screen::default();
    let terminal = Terminal::on(Cursor::new(lines), screen.clone());
    (terminal.answer(question.clone()).await, screen.text())
}

fn approval() -> Question {
    Question::new(QuestionKind::Approval, "pay")
        .with_arguments(json!({ "cents": 5 }))
        .with_text("it is a lot")
}

fn value(schema: Value) -> Question {
    Question::new(QuestionKind::Question, "order").with_text("Which size?").with_answer_schema(schema)
}

#[tokio::test]
async fn u3_a_terminal_shows_who_asks_what_and_takes_an_approval() {
    let (answer, shown) = ask_in_terminal(&approval(), "perhaps\ny\n").await;
    assert_eq!(answer, Some(Answer::allow()));
    assert!(shown.starts_with("agent: pay {\"cents\":5}: it is a lot\n"), "{shown}");
    assert!(shown.contains("write y, a or n"), "{shown}");
    assert_eq!(
        ask_in_terminal(&approval(), "a\n").await.0,
        Some(Approval::AllowAlways(Always::Arguments).into())
    );
    assert_eq!(ask_in_terminal(&approval(), "N\n").await.0, Some(Approval::Deny(None).into()));
    assert_eq!(ask_in_terminal(&approval(), "no  too much \n").await.0, Some(Answer::deny("too much")));
}

#[tokio::test]
async fn u3_a_terminal_asks_again_until_the_value_fits() {
    let (answer, shown) = ask_in_terminal(&value(json!({ "type": "integer" })), "large\n41\n").await;
    assert_eq!(answer, Answer::value(41).ok());
    assert!(shown.contains("expected") && shown.contains("integer"), "{shown}");
    let text = value(json!({ "type": "string" }));
    assert_eq!(ask_in_terminal(&text, "41\n").await.0, Answer::value("41").ok());
    assert_eq!(ask_in_terminal(&text, "\"a b\"\n").await.0, Answer::value("a b").ok());
    assert_eq!(ask_in_terminal(&text, "\n").await.0, Some(Answer::Declined(None)));
}

/// The expected type and the choices are shown, and no key or step.
#[tokio::test]
async fn u3_a_terminal_says_which_answers_fit() {
    let size = json!({ "type": "integer", "maximum": 50 });
    let (answer, shown) = ask_in_terminal(&value(size), "large\n\"41\"\n").await;
    assert_eq!(answer, Answer::value(41).ok(), "as arguments are read");
    assert_eq!(
        shown,
        "agent: order {}: Which size?\n\
         an integer, or nothing to decline> the answer does not fit the question: expected an integer, found the string \"large\"\n\
         an integer, or nothing to decline> "
    );
    let colour = value(json!({ "enum": ["red", "bl\u{1b}ue"] }));
    let (_, shown) = ask_in_terminal(&colour, "\n").await;
    assert!(shown.ends_with("one of \"red\", \"bl\\u001bue\", or nothing to decline> "), "{shown}");
    let object = value(json!({
        "type": "object",
        "properties": { "width": { "type": "integer" }, "colour": { "enum": ["red"] } },
        "required": ["width"],
        "additionalProperties": false,
    }));
    let (answer, shown) =
        ask_in_terminal(&object, "{\"width\": \"5\", \"hight\": 1}\n{\"width\": \"5.0\"}\n").await;
    assert_eq!(answer, Answer::value(json!({ "width": 5 })).ok());
    assert!(
        shown.contains("JSON: {\"width\": an integer, \"colour\": \"red\"}, or nothing to decline> "),
        "{shown}"
    );
    assert!(shown.contains("`hight`: unknown key; it takes `width`, `colour`"), "{shown}");
    let (_, shown) = ask_in_terminal(&value(json!(true)), "\n").await;
    assert!(shown.ends_with("an answer, or nothing to decline> "), "{shown}");
}

#[tokio::test]
async fn u3_a_terminal_whose_input_ended_leaves_the_question_open() {
    assert_eq!(ask_in_terminal(&approval(), "").await.0, None);
    assert_eq!(ask_in_terminal(&approval(), "what?\n").await.0, None);
}

#[tokio::test]
async fn u3_a_terminal_shows_control_characters_escaped() {
    let question = approval().with_text("harmless\u{1b}[2K\rdelete all");
    let (_, shown) = ask_in_terminal(&question, "n\n").await;
    assert!(shown.contains("harmless\\u{1b}[2K\\rdelete all"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");
    let question = approval().with_text("lla \u{202e}eteled");
    let (_, shown) = ask_in_terminal(&question, "n\n").await;
    assert!(shown.contains("lla \\u{202e}eteled"), "{shown}");
}

#[tokio::test]
async fn u3_a_terminal_shows_a_long_question_within_its_window() {
    let blanks = " ".repeat(20_000);
    let question =
        approval().with_text(format!("harmless{blanks}\u{200b}delete all{blanks}, {}", "x".repeat(50_000)));
    let (_, shown) = ask_in_terminal(&question, "n\n").await;
    assert!(shown.contains("harmless[20,000 blanks]\\u{200b}delete all[20,000 blanks], xxx"), "{shown}");
    assert!(shown.contains(" more characters]") && shown.chars().count() < 1_600, "{shown}");
}

/// Lines of a person who types them later.
struct Typed(mpsc::Receiver<&'static [u8]>);

impl Read for Typed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let line = self.0.recv().unwrap_or_default();
        buffer[..line.len()].copy_from_slice(line);
        Ok(line.len())
    }
}

async fn until(what: impl Fn() -> bool) {
    for _ in 0..500 {
        if what() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it did not happen within 5 seconds");
}

#[tokio::test]
async fn u3_a_terminal_asks_no_more_for_a_question_that_was_dropped() {
    let (keys, typed) = mpsc::channel();
    let screen = Screen::default();
    let terminal = Terminal::on(BufReader::new(Typed(typed)), screen.clone());
    let hints = || screen.text().matches("n [reason]> ").count();
    let dropped = tokio::spawn({
        let terminal = terminal.clone();
        async move { terminal.answer(approval()).await }
    });
    until(|| hints() == 1).await;
    dropped.abort();
    assert!(dropped.await.unwrap_err().is_cancelled());
    // The dropped question takes this line, which is not an answer.
    keys.send(b"perhaps\n").unwrap();
    keys.send(b"y\n").unwrap();
    assert_eq!(terminal.answer(approval()).await, Some(Answer::allow()));
    assert_eq!(hints(), 2, "{}", screen.text());
}

#[tokio::test]
async fn u3_a_terminal_keeps_a_bounded_part_of_a_line() {
    let long = io::repeat(b'y').take(50 << 20).chain(Cursor::new("\ny\n"));
    let screen = Screen::default();
    let terminal = Terminal::on(BufReader::new(long), screen.clone());
    assert_eq!(terminal.answer(approval()).await, Some(Answer::allow()));
    assert!(screen.text().contains("has more than 65536 bytes: write a shorter one"), "{}", screen.text());
}

/// What a person approves is what they read.
#[tokio::test]
async fn u3_a_call_that_is_folded_is_approved_after_all_of_it_was_shown() {
    let command = format!("{}; rm -rf ~; {}", "echo ok; ".repeat(50), "echo ok; ".repeat(50));
    let shell = Question::new(QuestionKind::Approval, "shell").with_arguments(json!({ "command": command }));
    for always in ["y\n", "a\n", "yes\ns\n", "perhaps\n"] {
        let (answer, shown) = ask_in_terminal(&shell, always).await;
        assert_eq!(answer, None, "{always}");
        assert!(
            shown.contains("s (show all), n [reason]> a part of the call is not shown: write s"),
            "{shown}"
        );
        assert_eq!(shown.contains("rm -rf"), always.contains('s') && always.contains("\ns"), "{shown}");
    }
    let (answer, shown) = ask_in_terminal(&shell, "s\ny\n").await;
    assert_eq!(answer, Some(Answer::allow()));
    let whole = format!(
        "agent: shell {{\"command\":\"{command}\"}}\ny, a (always with these arguments), n [reason]> "
    );
    assert!(shown.ends_with(&whole), "{shown}");
    assert_eq!(ask_in_terminal(&shell, "n too long\n").await.0, Some(Answer::deny("too long")));
    assert_eq!(
        ask_in_terminal(&shell, "S\na\n").await.0,
        Some(Approval::AllowAlways(Always::Arguments).into())
    );
    // Each part of the question counts: who asks, and why.
    let why = approval().with_text("x".repeat(2_000));
    assert_eq!(ask_in_terminal(&why, "y\n").await.0, None);
    // There is nothing more to show of one that is whole.
    let (answer, shown) = ask_in_terminal(&approval(), "s\n").await;
    assert!(answer.is_none() && shown.contains("write y, a or n"), "{shown}");
}

/// Orders.
#[tool(asks)]
async fn order(cx: &ToolContext, number: u32) -> Result<String, AskError> {
    cx.ask(format!("Which colour of {number}?")).await
}

agent! {
    Buyer { instruction: "Buy.", function_tools: [order] }
}

#[tokio::test]
async fn u3_a_terminal_asks_after_the_reader_has_shown_the_events_before() {
    let calls = [1, 2, 3].iter().fold(ScriptedTurn::say("Let me ask. "), |turn, number| {
        turn.and_call("order", json!({ "number": number }))
    });
    let mut screen = Screen::default();
    let terminal = Terminal::on(Cursor::new("red\nred\nred\n"), screen.clone());
    let model = ScriptedModel::turns([calls, ScriptedTurn::say("{last}")]);
    let buyer = Buyer::builder().model(model).answerer(terminal).build().await.unwrap();
    let mut run = buyer.stream("Buy.");
    while let Some(event) = run.next().await {
        match event.kind {
            EventKind::TextDelta { text, .. } => write!(screen, "{text}").unwrap(),
            EventKind::ToolStarted { tool, arguments, .. } => {
                writeln!(screen, "starts {tool} {arguments}").unwrap();
            }
            _ => {}
        }
    }
    let shown = screen.text();
    let before: Vec<_> = shown.lines().take(4).collect();
    let starts = |number| format!("starts order {{\"number\":{number}}}");
    assert_eq!(before[0], format!("Let me ask. {}", starts(1)), "{shown}");
    assert_eq!(before[1..3], [starts(2), starts(3)], "{shown}");
    assert!(before[3].starts_with("Buyer: order"), "{shown}");
}

/// Peeps.
#[tool]
fn peep() -> &'static str {
    "peeped"
}

/// Pays.
#[tool(approval)]
fn pay_for(cents: u64) -> String {
    format!("paid {cents}")
}

agent! {
    Payer { instruction: "Pay.", function_tools: [peep, pay_for] }
}

#[tokio::test(flavor = "multi_thread")]
async fn u3_a_terminal_asks_after_the_event_of_the_question_also_beside_other_calls() {
    for _ in 0..20 {
        let calls = ScriptedTurn::call("pay_for", json!({ "cents": 5 }))
            .and_call("peep", json!({}))
            .and_call("peep", json!({}));
        let mut screen = Screen::default();
        let terminal = Terminal::on(Cursor::new("y\n"), screen.clone());
        let model = ScriptedModel::turns([calls, ScriptedTurn::say("{last}")]);
        let payer = Payer::builder().model(model).answerer(terminal).build().await.unwrap();
        let mut run = payer.stream("Pay.");
        while let Some(event) = run.next().await {
            if let EventKind::QuestionAsked { .. } = event.kind {
                writeln!(screen, "the question is shown").unwrap();
            }
        }
        let shown = screen.text();
        assert!(shown.starts_with("the question is shown\nPayer: pay_for"), "{shown}");
    }
}
