//! The hook `redact`.

use std::error::Error as _;

use onionskin::content::{ContentBlock, Resource};
use onionskin::hooks::{Redaction, redact};
use onionskin::{
    Args, ErrorKind, Exit, Hook as _, Next, ToolContext, ToolError, ToolOutput, ToolResult, testing,
};
use serde_json::json;

fn hook() -> redact {
    redact::new(Redaction::fields(["Password", "pin"]).pattern("sk-[a-z0-9]+").in_arguments())
}

async fn changed(answer: impl Fn() -> ToolResult + Copy + Send + Sync) -> ToolResult {
    let inner = testing::next(|_| answer());
    hook().call(&ToolContext::detached("look"), &mut Args::default(), inner).await
}

#[tokio::test]
async fn h9_fields_and_patterns_leave_the_value_and_the_text_of_a_result_alike() {
    let value = json!({ "user": { "PASSWORD": "hunter2", "pins": [1], "list": [{ "pin": 1234, "key": "a sk-12 b" }] } });
    let redacted = json!({
        "user": { "PASSWORD": "[redacted]", "pins": [1], "list": [{ "pin": "[redacted]", "key": "a [redacted] b" }] }
    });
    let output = changed(|| Ok(ToolOutput::structured(value.clone()))).await.unwrap();
    assert_eq!(*output.structured_content().unwrap(), redacted);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&output.to_text()).unwrap(), redacted);
    assert_eq!(output.content().len(), 1);
}

#[tokio::test]
async fn h9_a_text_that_is_json_a_plain_text_and_a_resource_are_redacted() {
    let output = changed(|| {
        Ok(ToolOutput::blocks([
            ContentBlock::text(r#" {"pin": 12, "n": 1}"#),
            ContentBlock::text("the pin is 12 and the key is sk-99"),
            Resource::text("file:///a", r#"[{"pin": 12}]"#).with_mime_type("application/json").into(),
        ]))
    });
    let output = output.await.unwrap();
    let texts = output.content().iter().map(|block| match block {
        ContentBlock::Resource(resource) => {
            assert_eq!((resource.uri(), resource.mime_type()), ("file:///a", Some("application/json")));
            resource.as_text().unwrap().to_owned()
        }
        other => other.as_text().unwrap().to_owned(),
    });
    assert_eq!(
        texts.collect::<Vec<_>>(),
        [
            r#"{"pin":"[redacted]","n":1}"#,
            "the pin is 12 and the key is [redacted]",
            r#"[{"pin":"[redacted]"}]"#
        ]
    );
}

#[tokio::test]
async fn h9_of_two_fields_with_one_name_neither_stays_in_a_text() {
    for text in [r#"{"pin": 12, "pin": "[redacted]"}"#, r#"{"a": {"pin": 12}, "a": 1}"#] {
        let output = changed(|| Ok(ToolOutput::text(text))).await.unwrap();
        assert!(!output.to_text().contains("12"), "{}", output.to_text());
    }
}

#[tokio::test]
async fn h9_json_that_is_too_deep_to_be_read_is_redacted_as_a_whole() {
    let deep = || Ok(ToolOutput::text(format!("{}{{\"pin\": 12}}{}", "[".repeat(300), "]".repeat(300))));
    assert_eq!(changed(deep).await.unwrap().to_text(), "[redacted]");
}

#[tokio::test]
async fn h9_errors_and_stops_are_redacted_and_lose_a_cause_that_shows_it() {
    let error = changed(|| Err(ToolError::from_source("no sk-12").with_kind(ErrorKind::Remote).into())).await;
    let Err(Exit::Tool(error)) = error else { panic!("{error:?}") };
    assert_eq!((error.to_string().as_str(), error.kind()), ("no [redacted]", ErrorKind::Remote));
    assert!(error.source().is_none());
    let hidden = changed(|| Err(ToolError::new("no").with_source("no sk-12").into())).await.unwrap_err();
    assert!(!format!("{hidden:?}").contains("sk-12"));
    let hidden = changed(|| Err(ToolError::new("no").with_source(r#"{"pin":12}"#).into())).await.unwrap_err();
    assert!(!format!("{hidden:?}").contains("12"));
    let other = changed(|| Err(ToolError::from_source("no").into())).await;
    assert!(matches!(other, Err(Exit::Tool(error)) if error.source().is_some()));
    assert_eq!(
        changed(|| Err(Exit::stop("sk-12"))).await.unwrap_err().to_string(),
        "stopped with: [redacted]"
    );
}

/// Answers with the arguments that it gets.
#[derive(Clone, Copy)]
struct Shows;

impl Next for Shows {
    async fn run(self, args: &mut Args) -> ToolResult {
        Ok(format!("args: {}", args.text()).into())
    }
}

#[tokio::test]
async fn h9_arguments_are_redacted_only_where_the_redaction_says_so() {
    let cx = ToolContext::detached("look");
    let args = || Args::from(r#"{"pin": 12, "deep": [{"key": "sk-12"}]}"#);
    let output = hook().call(&cx, &mut args(), Shows).await.unwrap();
    assert_eq!(output.to_text(), r#"args: {"pin":"[redacted]","deep":[{"key":"[redacted]"}]}"#);
    let cards = redact::new(Redaction::fields(["pin"]).pattern("41111111111111[0-9]+").in_arguments());
    let mut card = Args::from(r#"{"card": 4111111111111111, "long": [41111111111111111111111], "n": 1}"#);
    let output = cards.call(&cx, &mut card, Shows).await.unwrap();
    assert_eq!(output.to_text(), r#"args: {"card":"[redacted]","long":["[redacted]"],"n":1}"#);
    let results_only = redact::new(Redaction::fields(["pin"]));
    let output = results_only.call(&cx, &mut args(), Shows).await.unwrap();
    assert!(output.to_text().contains("12") && output.to_text().contains("sk-12"));
}

#[tokio::test]
async fn h9_arguments_that_have_to_be_repaired_are_redacted_too() {
    let object = r#"{"deep":[{"key":"a sk-12"}],"long":41111111111111111111111}"#;
    let encoded = serde_json::Value::from(object).to_string();
    let hook = redact::new(
        Redaction::fields(["pin"]).pattern("41111111111111[0-9]+").pattern("^a sk-[0-9]+").in_arguments(),
    );
    for written in
        [object.to_owned(), object.replace("}]", "},]"), format!("```json\n{object}\n```"), encoded]
    {
        let shown = hook.call(&ToolContext::detached("look"), &mut Args::from(written.as_str()), Shows).await;
        let redacted = r#"args: {"deep":[{"key":"[redacted]"}],"long":"[redacted]"}"#;
        assert_eq!(shown.unwrap().to_text(), redacted, "{written}");
    }
}

#[tokio::test]
async fn h9_redacted_arguments_keep_the_digits_of_long_numbers() {
    let cx = ToolContext::detached("look");
    let long = "[12345678901234567890123,12345678901234567890124]";
    let mut clean = Args::from(format!(r#"{{ "ids": {long} }}"#).as_str());
    let shown = hook().call(&cx, &mut clean, Shows).await.unwrap();
    assert_eq!(shown.to_text(), format!(r#"args: {{ "ids": {long} }}"#));
    let mut one = Args::from(r#"{"pin": 12, "id": 12345678901234567890123}"#);
    let shown = hook().call(&cx, &mut one, Shows).await.unwrap();
    assert_eq!(shown.to_text(), r#"args: {"pin":"[redacted]","id":12345678901234567890123}"#);
    // A changed object does not say which of the two numbers is which.
    let mut refused = Args::from(format!(r#"{{"pin": 12, "ids": {long}}}"#).as_str());
    let shown = hook().call(&cx, &mut refused, Shows).await.unwrap();
    assert_eq!(shown.to_text(), "args: ");
    refused.as_object().unwrap_err();
}

#[test]
fn h9_a_redaction_that_does_nothing_or_too_much_panics() {
    let none: [&str; 0] = [];
    for make in [
        || redact::new(Redaction::fields([""])),
        || redact::new(Redaction::fields(["a"]).pattern("(")),
        || redact::new(Redaction::fields(["a"]).pattern("b*")),
    ] {
        std::panic::catch_unwind(make).unwrap_err();
    }
    std::panic::catch_unwind(|| redact::new(Redaction::fields(none))).unwrap_err();
}
