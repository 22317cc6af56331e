//! Tools whose calls are done elsewhere: by another program, and by a person in front of a component.

use std::sync::Arc;
use std::time::Duration;

use onionskin::event::EventKind;
use onionskin::journal::MemoryJournal;
use onionskin::question::{Answer, AnswerError, AskError, Paused, Question, QuestionKind};
use onionskin::ui::{UiMode, ui_tool};
use onionskin::{AgentHandle, RunError, ScriptedModel, ScriptedTurn, ToolContext, agent, tool, toolbox};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::paused;

#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
struct Photo {
    width: u32,
    taken_by: String,
}

/// Takes a photo.
#[tool(external, effect = once)]
fn photo(of: &str, zoom: Option<u8>) -> Photo;

/// Rings.
#[tool(external)]
fn ring();

/// Asks the user for the key of a service.
#[ui_tool(component = "AgentAPIKeyInput", mode = artifact)]
async fn request_api_key(cx: &ToolContext, service: String) -> Result<String, AskError> {
    let key: String =
        cx.ui().use_ui_tool("api_key_input", "Generator", json!({ "service": service })).await?;
    Ok(format!("the key has {} letters", key.len()))
}

/// Returns data.
#[ui_tool(component = "Chart")]
fn chart() -> Vec<u32> {
    vec![1, 2]
}

/// Names no workflow.
#[ui_tool(component = "Form")]
async fn nameless(cx: &ToolContext) -> Result<String, AskError> {
    cx.ui().use_ui_tool("form", " ", ()).await
}

/// Shows what it does not have.
#[tool(asks)]
async fn bare(cx: &ToolContext) -> Result<String, AskError> {
    cx.ui().use_ui_tool("form", "Generator", ()).await
}

/// Shows what it does not have, and says nothing of it.
#[tool]
async fn plain(cx: &ToolContext) -> String {
    cx.ui().use_ui_tool("form", "Generator", ()).await.unwrap_or_default()
}

agent! {
    Studio { instruction: "Work.", function_tools: [photo, ring, request_api_key, chart, nameless, bare, plain] }
}

async fn studio(tool: &str, args: Value) -> AgentHandle {
    let model = ScriptedModel::turns([ScriptedTurn::call(tool, args), ScriptedTurn::say("{last}")]);
    Studio::builder().model(model).build().await.unwrap()
}

#[tokio::test]
async fn a7_a_call_that_runs_outside_of_the_program_pauses_and_gets_its_result() {
    let studio = studio("photo", json!({ "of": "Ada" })).await;
    let first = paused(studio.run("go").await);
    let [question] = first.questions() else { panic!("{first:?}") };
    assert_eq!((question.kind(), question.tool_name()), (&QuestionKind::External, "photo"));
    assert_eq!(question.arguments(), &json!({ "of": "Ada" }));
    assert_eq!(question.answer_schema()["required"], json!(["width", "taken_by"]));

    let wrong = Answer::from(json!({ "width": "wide", "taken_by": "Bob" }));
    let wrong = studio.resume(&first).answer(question.key(), wrong).run().await.unwrap_err();
    assert!(matches!(&wrong, RunError::Answer { source: AnswerError::Invalid { .. }, .. }), "{wrong}");

    let result = json!({ "width": 640, "taken_by": "Bob" });
    let output =
        studio.resume(&first).answer(question.key(), Answer::from(result.clone())).run().await.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&output.text).unwrap(), result);

    let failed = Answer::declined("the lens is dirty");
    let stored: Paused = serde_json::from_value(serde_json::to_value(&first).unwrap()).unwrap();
    let output = studio.resume(&stored).answer(question.key(), failed).run().await.unwrap();
    assert_eq!(output.text, "the question was declined: the lens is dirty");
}

#[tokio::test]
async fn a7_an_external_tool_without_a_result_is_answered_with_null() {
    let studio = studio("ring", json!({})).await;
    let first = paused(studio.run("go").await);
    let done = studio.resume(&first).answer(first.questions()[0].key(), Answer::Value(Value::Null));
    assert!(done.run().await.is_ok());
}

#[tokio::test]
async fn u1_a_ui_tool_shows_its_component_once_and_gets_one_answer() {
    let answerer = |question: Question| async move {
        let QuestionKind::Component(shown) = question.kind() else { panic!("{question:?}") };
        assert_eq!((shown.component(), shown.mode()), ("AgentAPIKeyInput", UiMode::Artifact));
        Answer::value("12345").ok()
    };
    let studio = studio("request_api_key", json!({ "service": "maps" })).await;
    let mut stream = studio.request("go").answerer(answerer).stream();
    let mut shown = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::QuestionAsked { question, .. } = event.kind {
            let QuestionKind::Component(component) = question.kind() else { panic!("{question:?}") };
            shown.push(json!({
                "tool": question.tool_name(),
                "tool_id": component.tool_id(),
                "workflow": component.workflow(),
                "agent": question.agents().last(),
                "call": question.call_id(),
                "component": component.component(),
                "mode": component.mode(),
                "payload": component.payload(),
            }));
        }
    }
    let expected = json!({
        "tool": "request_api_key",
        "tool_id": "api_key_input",
        "workflow": "Generator",
        "agent": "Studio",
        "call": "call_1_1",
        "component": "AgentAPIKeyInput",
        "mode": "artifact",
        "payload": { "service": "maps" },
    });
    assert_eq!(shown, [expected]);
    assert_eq!(stream.output().await.unwrap().text, "the key has 5 letters");
}

#[tokio::test]
async fn u1_a_ui_tool_pauses_and_goes_on_in_another_process() {
    let args = json!({ "service": "maps" });
    let first = paused(studio("request_api_key", args.clone()).await.run("go").await);
    let [question] = first.questions() else { panic!("{first:?}") };
    let other = studio("request_api_key", args).await;
    let output =
        other.resume(&first).answer(question.key(), Answer::value("123").unwrap()).run().await.unwrap();
    assert_eq!(output.text, "the key has 3 letters");
}

#[tokio::test]
async fn u1_a_ui_tool_may_return_data_and_wrong_uses_say_what_to_write() {
    assert_eq!(studio("chart", json!({})).await.run("go").await.unwrap().text, "[1,2]");
    let text = studio("nameless", json!({})).await.run("go").await.unwrap().text;
    assert!(text.contains("pass the workflow's name to `use_ui_tool`"), "{text}");
    for tool in ["bare", "plain"] {
        let error = studio(tool, json!({})).await.run("go").await.unwrap_err();
        assert!(matches!(error, RunError::CannotAsk { .. }), "{error:?}");
        let (text, shows) = (error.to_string(), format!("`{tool}` shows no component"));
        assert!(text.contains(&shows) && text.contains("#[ui_tool(component = "), "{text}");
    }
}

#[tokio::test]
async fn a7_an_external_call_is_not_in_doubt_while_it_waits() {
    let journal = Arc::new(MemoryJournal::default());
    let studio = async || {
        let call = ScriptedTurn::call("photo", json!({ "of": "Ada" }));
        let model = ScriptedModel::turns([call, ScriptedTurn::say("done")]);
        Studio::builder().model(model).journal(Arc::clone(&journal)).build().await.unwrap()
    };
    let first = paused(studio().await.request("go").run_id("a").run().await);
    let again = paused(studio().await.request("go").run_id("a").run().await);
    assert_eq!(first, again);
    let result = Answer::from(json!({ "width": 640, "taken_by": "Bob" }));
    let output =
        studio().await.resume(&again).answer(again.questions()[0].key(), result).run().await.unwrap();
    assert_eq!(output.text, "done");
}

#[tokio::test]
async fn u1_a_method_of_a_toolbox_is_a_ui_tool() {
    struct Palette(Vec<&'static str>);

    #[toolbox]
    impl Palette {
        /// Asks for a colour.
        #[ui_tool(component = "ColourPicker", mode = artifact, title = "Pick")]
        async fn pick(&self, cx: &ToolContext) -> Result<String, AskError> {
            cx.ui().use_ui_tool("colour", "Painting", &self.0).await
        }
    }

    agent! { Painter { instruction: "Paint.", toolboxes: [Palette] } }

    let model = ScriptedModel::turns([ScriptedTurn::call("pick", json!({})), ScriptedTurn::say("{last}")]);
    let painter =
        Painter::builder().model(model).toolbox(Palette(vec!["red", "blue"])).build().await.unwrap();
    let first = paused(painter.run("go").await);
    let QuestionKind::Component(shown) = first.questions()[0].kind() else { panic!("{first:?}") };
    assert_eq!((shown.component(), shown.mode()), ("ColourPicker", UiMode::Artifact));
    assert_eq!(shown.payload(), &json!(["red", "blue"]));
    let answer = Answer::value("blue").unwrap();
    let output = painter.resume(&first).answer(first.questions()[0].key(), answer).run().await.unwrap();
    assert_eq!(output.text, "blue");
}

/// Asks for a colour, for a minute.
#[ui_tool(component = "ColourPicker", mode = inline)]
async fn pick_soon(cx: &ToolContext) -> Result<String, AskError> {
    cx.ui().within(Duration::from_mins(1)).use_ui_tool("colour", "Painting", json!({})).await
}

agent! { Hasty { instruction: "Paint.", function_tools: [pick_soon] } }

#[tokio::test(start_paused = true)]
async fn u1_a_component_waits_no_longer_than_its_tool_says() {
    let model =
        ScriptedModel::turns([ScriptedTurn::call("pick_soon", json!({})), ScriptedTurn::say("{last}")]);
    let hasty = Hasty::builder().model(model).build().await.unwrap();
    let after = |seconds: u64| {
        move |_: Question| async move {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            Answer::value("blue").ok()
        }
    };
    assert_eq!(hasty.request("go").answerer(after(59)).run().await.unwrap().text, "blue");
    let late = hasty.request("go").answerer(after(61)).run().await.unwrap();
    assert_eq!(late.text, "the question of `pick_soon` has no answer after 60s");
    // Without an answerer, the program that resumes the run decides.
    let first = paused(hasty.run("go").await);
    tokio::time::sleep(Duration::from_mins(10)).await;
    let answer = Answer::value("green").unwrap();
    let output = hasty.resume(&first).answer(first.questions()[0].key(), answer).run().await.unwrap();
    assert_eq!(output.text, "green");
}
