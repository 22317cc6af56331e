//! What journals store. Earlier files are read, and what is not understood is refused.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use onionskin::journal::{Journal, JournalError, JournalErrorKind, Step, StepRecord, StepWork};
use onionskin::model::ModelResponse;
use onionskin::{RunError, ScriptedModel};
use serde_json::{Value, json};

use crate::cut::StepResult;
use crate::stored_forms::{Adder, Count};

const TOOL: &str = "turn 1/call 1/tool add_one";
const MODEL: &str = "turn 1/model";

/// The records of a run, which has no others.
struct Recorded(BTreeMap<String, StepRecord>);

impl Journal for Recorded {
    fn step<'a>(&'a self, step: &'a Step, work: StepWork<'a>) -> StepResult<'a> {
        let record = self.0.get(&step.id().to_string()).cloned();
        Box::pin(async move {
            match record {
                Some(record) => Ok(record),
                // The run may ask whether there is a record. Nothing runs.
                None => work().await.and(Err(JournalError::storage(step, "it has no record"))),
            }
        })
    }
}

/// The records of an earlier build. They are not written anew, because programs of users have such files.
fn records() -> Value {
    serde_json::from_str(include_str!("../data/stored/run-1.json")).unwrap()
}

#[tokio::test]
async fn o5_a_run_that_an_earlier_build_recorded_is_replayed() {
    let records = serde_json::from_value(records()).unwrap();
    let count = Count::default();
    let adder = Adder::builder().state(count.clone()).model(ScriptedModel::turns([]));
    let adder = adder.journal(Recorded(records)).build().await.unwrap();
    let session = adder.session();
    let output = adder.request("41 + 1?").session(&session).run_id("sum-7").run().await.unwrap();
    assert_eq!((output.text.as_str(), count.0.load(Ordering::SeqCst)), ("It is 42.", 0));
    assert_eq!(
        session.state().get("sums.last"),
        Some(42.into()),
        "the record holds what the tool did to the state"
    );
}

/// The step and the text of the error of a replay with a record that is damaged.
async fn corrupt(change: impl FnOnce(&mut Value)) -> (String, String) {
    let mut stored = records();
    change(&mut stored);
    let adder = Adder::builder().state(Count::default()).model(ScriptedModel::turns([]));
    let journal = Recorded(serde_json::from_value(stored).unwrap());
    let adder = adder.journal(journal).build().await.unwrap();
    let error = adder.request("41 + 1?").session(&adder.session()).run_id("sum-7").run().await.unwrap_err();
    let RunError::Journal { source, .. } = &error else { panic!("{error}") };
    assert_eq!(source.kind(), JournalErrorKind::Corrupt, "{error}");
    (source.step().to_owned(), source.to_string())
}

#[tokio::test]
async fn o5_a_damaged_change_of_the_state_is_refused() {
    let edits = |edits: Value| move |stored: &mut Value| stored[TOOL]["value"]["changes"][0]["edits"] = edits;
    for place in ["nopath", "~1", "sums/last"] {
        for edit in ["set", "add"] {
            let (step, text) = corrupt(edits(json!([{ edit: [place, 42] }]))).await;
            assert_eq!(step, TOOL);
            assert!(text.contains("cannot be read: expected a JSON pointer"), "{text}");
        }
        corrupt(edits(json!([{ "append": [place, [42]] }]))).await;
        corrupt(edits(json!([{ "remove": place }]))).await;
    }
    corrupt(edits(json!([{ "remove": "" }]))).await;
    let (step, text) =
        corrupt(|stored| drop(stored[TOOL]["value"].as_object_mut().unwrap().remove("changes"))).await;
    assert_eq!(step, TOOL);
    assert!(text.contains("missing field `changes`"), "{text}");
}

#[tokio::test]
async fn o5_an_unknown_content_is_refused_at_its_own_record() {
    let smell = json!([{ "type": "smell", "of": "rain" }]);
    let (step, text) = corrupt(|stored| stored[TOOL]["value"]["content"] = smell).await;
    assert_eq!(step, TOOL);
    assert!(text.contains("`value.content[0].type`"), "{text}");
}

#[tokio::test]
async fn o5_an_unknown_field_in_the_value_of_a_record_is_refused() {
    for (step, place) in [
        (TOOL, ""),
        (TOOL, "/changes/0"),
        (TOOL, "/content/0"),
        (MODEL, ""),
        (MODEL, "/tool_calls/0"),
        (MODEL, "/usage"),
    ] {
        let change = |stored: &mut Value| {
            stored[step]["value"].pointer_mut(place).unwrap()["mood"] = 1.into();
        };
        let (at, text) = corrupt(change).await;
        assert_eq!(at, step, "{place}");
        let field = format!("value{place}.mood").replace("/0", "[0]").replace('/', ".");
        assert!(text.contains(&format!("does not know the field `{field}`")), "{text}");
    }
}

#[test]
fn o5_a_record_that_is_not_understood_is_refused() {
    let refused = |text: &str| serde_json::from_str::<StepRecord>(text).unwrap_err().to_string();
    let unknown = refused(r#"{"version": 1, "request": "", "value": null, "mood": 1}"#);
    assert!(unknown.starts_with("unknown field `mood`"), "{unknown}");
    let later = refused(r#"{"version": 2, "asked": "", "value": null, "mood": 1}"#);
    assert!(later.starts_with("the record has version 2, and this program reads version 1"), "{later}");
    let twice = refused(r#"{"version": 1, "request": "", "value": 1, "value": 2}"#);
    assert!(twice.starts_with("the key `value` occurs twice"), "{twice}");
    let missing = refused(r#"{"version": 1, "request": ""}"#);
    assert!(missing.starts_with("missing field `value`"), "{missing}");
}

#[tokio::test]
async fn o5_the_error_of_a_record_quotes_no_value() {
    let long = "sk-secret-123, expected ".repeat(100_000);
    for text in [
        json!(long),
        json!({ "version": long, "request": "", "value": 1 }),
        json!({ "version": 1, "request": [long], "value": 1 }),
        json!({ "version": 1, "request": { "a": long }, "value": 1, long.as_str(): 1 }),
    ] {
        let error = serde_json::from_value::<StepRecord>(text).unwrap_err().to_string();
        assert!(error.len() < 400 && !error.contains("sk-secret"), "{}", &error[..400]);
    }
    for place in
        ["", "/exit", "/content", "/content/0/text", "/place", "/starts", "/changes", "/changes/0/of"]
    {
        let change = |stored: &mut Value| {
            *stored[TOOL]["value"].pointer_mut(place).unwrap() = json!([long]);
        };
        let (step, text) = corrupt(change).await;
        assert_eq!(step, TOOL);
        assert!(text.len() < 400 && !text.contains("sk-secret"), "{place}: {}", &text[..400]);
    }
}

#[test]
fn o5_an_answer_without_model_and_id_is_stored_as_before() {
    let mut answer = ModelResponse::text("It is 42.");
    let stored = serde_json::to_value(&answer).unwrap();
    let before = &records()["turn 2/model"]["value"];
    assert_eq!(stored.as_object().unwrap().len(), before.as_object().unwrap().len(), "{stored}");
    (answer.model, answer.id) = (Some("small-1".to_owned()), Some("answer-7".to_owned()));
    let stored = serde_json::to_value(&answer).unwrap();
    assert_eq!((&stored["model"], &stored["id"]), (&json!("small-1"), &json!("answer-7")));
    assert_eq!(serde_json::from_value::<ModelResponse>(stored).unwrap(), answer);
}
