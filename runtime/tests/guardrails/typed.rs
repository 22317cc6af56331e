//! Personal data in answers of a type, which are JSON.

use std::collections::BTreeMap;

use onionskin::event::EventKind;
use onionskin::guardrails::{MaskPii, RejectPii};
use onionskin::model::{
    Model, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestOption, ToolCall, ToolCallDelta,
};
use onionskin::run_hooks::{RunAnswer, RunHook};
use onionskin::{RunError, ScriptedModel, ScriptedTurn, agent, made, run_hook, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Letter {
    to: String,
    card: u64,
}

agent! { Clerk { instruction: "Answer." } }

const JSON: &str =
    r#"{"to": "\u0061da\u0040exam\u0070le.org or \"+44 20 7946 0018\"", "card": 4111111111111111}"#;

#[tokio::test]
async fn a9_strings_of_a_typed_answer_are_masked_by_value() {
    let clerk = Clerk::builder().model(ScriptedModel::turns([ScriptedTurn::say(JSON)]));
    let clerk = clerk.run_hook(MaskPii::default()).build().await.unwrap();
    let mut run = clerk.request("To whom?").stream_as::<Letter>();
    let mut last = None;
    while run.next().await.is_some() {
        if let Some(part) = run.partial() {
            let shown = part.to_string();
            assert!(!shown.contains("example.org") && !shown.contains("7946"), "{shown}");
            last = Some(part);
        }
    }
    let to = "[email] or \"[phone]\"".to_owned();
    assert_eq!(last.unwrap()["to"], *to);
    // What replaces a number is not a number, so it stays.
    assert_eq!(run.output().await.unwrap().answer, Letter { to, card: 4_111_111_111_111_111 });
}

/// Sends a letter.
#[tool]
fn send(to: &str) -> String {
    format!("sent to {to}")
}

agent! { Sender { instruction: "Send it.", function_tools: [send] } }

#[tokio::test]
async fn a9_pieces_of_calls_are_masked_by_value() {
    let send = ScriptedTurn::call("send", json!({ "to": "ada@example.org" }));
    let model = ScriptedModel::turns([send, ScriptedTurn::call("final_answer", Value::from(JSON))])
        .without([RequestOption::ResponseSchema]);
    let sender = Sender::builder().model(model).run_hook(MaskPii::default()).build().await.unwrap();
    let mut run = sender.request("To whom?").stream_as::<Letter>();
    let (mut pieces, mut last) = (BTreeMap::new(), None);
    while let Some(event) = run.next().await {
        if let EventKind::ToolCallDelta { tool, arguments, .. } = event.kind {
            pieces.entry(tool.to_string()).or_insert_with(String::new).push_str(&arguments);
        }
        last = run.partial().or(last);
    }
    assert_eq!(pieces["send"], r#"{"to":"[email]"}"#);
    let shown = &pieces["final_answer"];
    assert!(!shown.contains("example.org") && !shown.contains("7946"), "{shown}");
    let to = "[email] or \"[phone]\"".to_owned();
    assert_eq!(last.unwrap()["to"], *to);
    assert_eq!(run.output().await.unwrap().answer.to, to);
}

#[tokio::test]
async fn a9_a_typed_answer_is_refused_by_its_values() {
    for json in [r#"{"to": "ada\u0040example.org", "card": 1}"#, r#"{"to": "Ada", "card": 4111111111111111}"#]
    {
        let clerk = Clerk::builder().model(ScriptedModel::turns([ScriptedTurn::say(json)]));
        let clerk = clerk.run_hook(RejectPii::default()).build().await.unwrap();
        let error = clerk.run_as::<Letter>("To whom?").await.err().unwrap();
        assert!(matches!(error, RunError::OutputCheck { .. }), "{error}");
    }
}

/// The pieces and the partial values that a stream shows of an answer, as a text and as a call.
async fn shown_of<H: RunHook<Made = made::ByDefault> + Default>(json: &str) -> Vec<String> {
    let mut shown = Vec::new();
    for by_call in [false, true] {
        for cut in 0..=json.len() {
            if !json.is_char_boundary(cut) || (cut > 3 && cut % 5 != 0) {
                continue;
            }
            let halves = Halves { json: json.to_owned(), cut, by_call };
            let clerk =
                Clerk::builder().model(halves).run_hook(H::default()).build().await.expect("it builds");
            let mut run = clerk.request("To whom?").stream_as::<Value>();
            let (mut text, mut last) = (String::new(), None);
            while let Some(event) = run.next().await {
                match event.kind {
                    EventKind::ToolCallDelta { arguments: more, .. }
                    | EventKind::TextDelta { text: more, .. } => {
                        text.push_str(&more);
                    }
                    _ => {}
                }
                last = run.partial().or(last);
            }
            shown.push(format!("{text} {last:?}"));
        }
    }
    shown
}

/// Answers in two pieces.
struct Halves {
    json: String,
    cut: usize,
    by_call: bool,
}

impl Model for Halves {
    async fn respond(
        &self,
        _: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let (one, two) = self.json.split_at(self.cut);
        for piece in [one, two] {
            deltas(if self.by_call {
                ModelDelta::ToolCall(ToolCallDelta::new("call_1", "final_answer", piece))
            } else {
                ModelDelta::Text(piece.to_owned())
            });
        }
        Ok(if self.by_call {
            ModelResponse::tool_calls([ToolCall::new("call_1", "final_answer", &*self.json)])
        } else {
            ModelResponse::text(&*self.json)
        })
    }

    fn supports(&self, option: RequestOption) -> bool {
        option == RequestOption::ToolChoice || (option == RequestOption::ResponseSchema && !self.by_call)
    }
}

#[tokio::test]
async fn a9_numbers_of_a_refused_answer_are_not_shown_in_a_stream() {
    for json in
        [r#"{"card": 4111111111111111, "n": 5}"#, "[4111111111111111]", r#"{"card": 4111111111111111"#]
    {
        for shown in shown_of::<RejectPii>(json).await {
            assert!(!shown.contains("4111") && shown.contains("[card]"), "{json} {shown}");
            assert_eq!(shown.contains(r#""n": 5"#), json.contains(r#""n": 5"#), "{shown}");
        }
    }
}

#[tokio::test]
async fn a9_a_stream_masks_what_is_no_json_as_text() {
    for json in [
        "{'to': 'ada@example.org'}",
        "{to: ada@example.org}",
        "{ana@example.org}",
        r#"{"a": ada@example.org, "b": 1}"#,
        r#"{"a": "b" ada@example.org}"#,
        r#"{"a": "\ud83d\"ada@example.org"}"#,
        r#"{"a": "\ud83d\ndada@example.org"}"#,
        r#"{"a": "\ud83d", "b": "ada@example.org"}"#,
        "{4111 1111 1111 1111, ada@example.org}",
        "[true, ada@example.org",
    ] {
        for shown in shown_of::<MaskPii>(json).await {
            assert!(!shown.contains("example.org") && !shown.contains("1111"), "{json} {shown}");
            assert!(shown.contains("[email]"), "{json} {shown}");
        }
    }
}

#[run_hook(post)]
fn spoils(answer: &mut RunAnswer) {
    answer.set_text("{}");
}

#[tokio::test]
async fn a9_a_hook_that_spoils_a_typed_answer_is_named() {
    let clerk = Clerk::builder().model(ScriptedModel::turns([ScriptedTurn::say(JSON)]));
    let clerk = clerk.run_hook(spoils::new()).build().await.unwrap();
    let error = clerk.run_as::<Letter>("To whom?").await.err().unwrap();
    assert!(matches!(error, RunError::WrongAnswer { .. }), "{error}");
    assert!(error.to_string().contains("the run hook `spoils` changed it"), "{error}");
}
