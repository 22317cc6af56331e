//! Text and structured value of a result stay in step, and JSON stays JSON.

use onionskin::content::{ContentBlock, Resource};
use onionskin::event::EventKind;
use onionskin::guardrails::{MaskPii, OutputGuardrails, max_output};
use onionskin::{Args, ScriptedModel, ScriptedTurn, ToolOutput, ToolSpec, agent, tool, tool_hook};
use serde::Serialize;
use serde_json::{Value, json};

/// The output of a tool that returns this one, behind guardrails.
async fn behind(guardrails: impl OutputGuardrails, output: ToolOutput) -> ToolOutput {
    let mut spec = ToolSpec::from_fn("show", "Shows.", move |(): (), _| {
        let output = output.clone();
        async move { Ok(output) }
    });
    spec.add_output_guardrails(guardrails);
    spec.exec(Args::from("{}")).await.result.unwrap()
}

async fn masked(output: ToolOutput) -> ToolOutput {
    behind(MaskPii::default(), output).await
}

/// An output as a server gives it: a text, and a value beside it.
fn server_output(text: &str, value: Value) -> ToolOutput {
    let mut output = ToolOutput::text(text);
    output.set_remote_structured(value);
    output
}

#[tokio::test]
async fn a9_a_masked_result_is_json_and_says_the_same_in_both_forms() {
    let values = [
        json!({ "to": "ada@example.org", "card": 4_111_111_111_111_111_u64, "n": 5 }),
        json!({ "ada@example.org": 1, "bob@example.org": 2, "in": [{ "eve@example.org": "eve@example.org" }] }),
        json!(["ada@example.org", 4_111_111_111_111_111_u64, [null, true]]),
    ];
    for value in values {
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        let outputs = [
            ToolOutput::value(&value).unwrap(),
            ToolOutput::structured(value.clone()),
            server_output(&value.to_string(), value.clone()),
            server_output(&pretty, value.clone()),
        ];
        for output in outputs {
            let output = masked(output).await;
            let (text, structured) = (output.to_text(), output.structured_content().unwrap());
            assert!(!text.contains("@example") && !text.contains("4111"), "{text}");
            let read: Value = serde_json::from_str(&text).expect("still JSON");
            assert!(*structured == read || structured["result"] == read, "{text} and {structured}");
            assert_eq!(text.matches("[card]").count(), usize::from(value.to_string().contains("4111")));
        }
    }
    let keys = masked(ToolOutput::structured(json!({ "ada@example.org": 1, "bob@example.org": 2 }))).await;
    assert_eq!(keys.to_text(), r#"{"[email]":1,"[email] 2":2}"#);
}

#[tokio::test]
async fn a9_a_masked_scalar_is_a_string_in_both_forms() {
    let card = 4_111_111_111_111_111_u64;
    for output in [ToolOutput::value(&card).unwrap(), ToolOutput::structured(json!(card))] {
        let output = masked(output).await;
        assert_eq!(output.to_text(), "[card]");
        assert_eq!(output.structured_content().as_deref(), Some(&json!({ "result": "[card]" })));
    }
    let text = masked(ToolOutput::value("ada@example.org").unwrap()).await;
    assert_eq!(text.structured_content().as_deref(), Some(&json!({ "result": "[email]" })));
    // A text that is JSON, and a file of it.
    let json = r#"{ "card": 4111111111111111 }"#;
    for output in [ToolOutput::text(json), ContentBlock::from(Resource::text("a:b", json)).into()] {
        let shown = serde_json::to_string(masked(output).await.content()).unwrap();
        assert!(shown.contains(r#"{ \"card\": \"[card]\" }"#), "{shown}");
    }
}

#[tokio::test]
async fn a9_other_words_beside_a_value_are_masked_with_it() {
    let output = server_output("Sent to ada@example.org.", json!({ "to": "ada@example.org" }));
    let output = masked(output).await;
    assert_eq!(output.to_text(), "Sent to [email].");
    assert_eq!(output.structured_content().as_deref(), Some(&json!({ "to": "[email]" })));
}

#[test]
fn h1_map_text_keeps_both_sides_of_an_output_in_step() {
    #[derive(Serialize)]
    struct Row {
        zip: &'static str,
        account: u128,
        name: &'static str,
    }
    let row = Row { zip: "b", account: u128::MAX, name: "ada" };
    let mut output = ToolOutput::value(&row).unwrap();
    output.map_text(|text| text.replace("ada", "A."));
    // The order of the fields and all digits stay.
    let text = format!(r#"{{"zip":"b","account":{},"name":"A."}}"#, u128::MAX);
    assert_eq!(output.to_text(), text);
    output.push_text(" by ada");
    output.map_text(|text| text.replace("ada", "A.").replace("A.", "B."));
    assert_eq!(output.to_text(), text.replace("A.", "B.") + " by B.");
    assert_eq!(output.structured_content().unwrap()["name"], "B.");

    let mut deep = server_output("done", json!(0));
    let mut value = json!("ada");
    (0..200).for_each(|_| value = json!([value.take()]));
    deep.set_remote_structured(value);
    deep.map_text(|text| text.replace("ada", "A."));
    let shown = deep.structured_content().unwrap().to_string();
    assert!(shown.contains("A.") && !shown.contains("ada"), "{shown}");
}

#[tokio::test]
async fn a9_the_key_around_a_scalar_is_not_counted() {
    // `result` has six letters.
    behind(max_output::new(5), ToolOutput::structured(json!(12_345))).await;
    behind(max_output::new(5), server_output("12345", json!("12345"))).await;
    behind(max_output::new(5), ToolOutput::value(&12_345).unwrap()).await;
    behind(max_output::new(5), ToolOutput::value("12345").unwrap()).await;
}

/// Masks the address, as a person writes their first redaction hook.
#[tool_hook]
fn redact(output: &mut ToolOutput) {
    output.map_text(|text| text.replace("ada@example.org", "[email]"));
}

/// Finds a person.
#[tool]
fn find(name: &str) -> Value {
    json!({ "name": name, "mail": "ada@example.org" })
}

agent! { Clerk { instruction: "Find.", function_tools: [find], tool_hooks: [redact], run_hooks: [onionskin::guardrails::MaskPii] } }

#[tokio::test]
async fn h1_events_and_reports_show_a_changed_output_only_as_it_was_changed() {
    let turns =
        [ScriptedTurn::call("find", json!({ "name": "bob@example.org" })), ScriptedTurn::say("{last}")];
    let clerk = Clerk::builder().model(ScriptedModel::turns(turns)).build().await.unwrap();
    let mut stream = clerk.stream("Who?");
    let (mut arguments, mut finished) = (None, None);
    let mut pieces = String::new();
    while let Some(event) = stream.next().await {
        match event.kind {
            EventKind::ToolCallDelta { arguments, .. } => pieces.push_str(&arguments),
            EventKind::ToolStarted { arguments: shown, .. } => arguments = Some(shown),
            kind @ EventKind::ToolFinished { .. } => finished = Some(serde_json::to_string(&kind).unwrap()),
            _ => {}
        }
    }
    // As the pieces before.
    assert_eq!(arguments.as_deref(), Some(r#"{"name":"[email]"}"#));
    assert!(pieces.is_empty() || pieces == r#"{"name":"[email]"}"#, "{pieces}");
    let finished = finished.unwrap();
    assert!(!finished.contains("ada@"), "{finished}");
    let output = stream.output().await.unwrap();
    let report = &output.tool_calls[0];
    assert_eq!(report.structured_content().unwrap()["mail"], "[email]");
    // The tool got what the model wrote.
    assert_eq!(report.structured_content().unwrap()["name"], "bob@example.org");
}
