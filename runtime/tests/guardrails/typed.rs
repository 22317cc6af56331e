//! Personal data in answers of a type, which are JSON.

use onionskin::guardrails::{MaskPii, RejectPii};
use onionskin::run_hooks::RunAnswer;
use onionskin::{RunError, ScriptedModel, ScriptedTurn, agent, run_hook};
use schemars::JsonSchema;
use serde::Deserialize;

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
    // What replaces a number is no number, so it stays.
    assert_eq!(run.output().await.unwrap().answer, Letter { to, card: 4_111_111_111_111_111 });
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
