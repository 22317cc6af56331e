//! O3: a slip of a script fails loudly.

use onionskin::event::EventKind;
use onionskin::model::{ModelError, ScriptedModelError};
use onionskin::{RunError, RunOutput, ScriptedModel, ScriptedTurn, agent, tool};
use serde_json::json;

/// Echoes.
#[tool]
fn echo(text: String, more: Option<Vec<String>>) -> String {
    format!("{text}{}", more.unwrap_or_default().concat())
}

agent! {
    Echoing { name: "echoing", instruction: "Echo.", function_tools: [echo] }
    Bare { name: "bare", instruction: "Say." }
}

async fn played(turns: impl IntoIterator<Item = ScriptedTurn>) -> Result<RunOutput, RunError> {
    Echoing::builder().model(ScriptedModel::turns(turns)).run("the input").await
}

#[tokio::test]
async fn o3_a_script_that_calls_an_unknown_tool_fails_the_run() {
    let error = played([ScriptedTurn::call("ecko", json!({})), ScriptedTurn::say("done")]).await.unwrap_err();
    let RunError::Model { source: ModelError::Script(error), .. } = &error else { panic!("{error}") };
    assert!(matches!(error, ScriptedModelError::UnknownTool { tool, .. } if tool == "ecko"));
    assert_eq!(
        error.to_string(),
        "the script of the agent `echoing` calls the tool `ecko`, which the agent does not have; did you mean `echo`? It \
         has: `echo`. If the call is intended, write `call_unknown`, or `unknown: true` in a file"
    );
    let model = ScriptedModel::turns([ScriptedTurn::call("zzz", json!({}))]);
    let error = Bare::builder().model(model).run("go").await.unwrap_err().to_string();
    assert!(error.contains("which the agent does not have. It has: none."), "{error}");
}

#[tokio::test]
async fn o3_a_script_that_means_an_unknown_tool_sees_what_the_model_gets() {
    let turn = ScriptedTurn::call_unknown("ecko", json!({})).and_call("echo", json!({ "text": "x" }));
    let output = played([turn, ScriptedTurn::say("done")]).await.unwrap();
    assert!(output.tool_calls[0].to_text().contains("echo"), "{}", output.tool_calls[0].to_text());
    assert_eq!(output.tool_calls[1].to_text(), "x");
}

#[cfg(feature = "yaml")]
#[tokio::test]
async fn o3_a_script_in_a_file_says_that_it_means_an_unknown_tool() {
    let script = |unknown: &str| {
        let text = format!("echoing:\n  - calls:\n      - tool: ecko\n        {unknown}\n  - say: done\n");
        ScriptedModel::from_yaml(&text, "script.yaml").unwrap()
    };
    let run = async |unknown| Echoing::builder().model(script(unknown)).run("go").await;
    assert_eq!(run("unknown: true").await.unwrap().text, "done");
    assert!(matches!(run("args: {}").await, Err(RunError::Model { .. })));
}

#[tokio::test]
async fn o3_what_was_said_is_filled_in_in_the_arguments_of_a_call() {
    let args = json!({ "text": "<{input}>", "more": ["[{last}]", "{other}", "{input}"] });
    let turns = [
        ScriptedTurn::call("echo", args.clone()),
        ScriptedTurn::call("echo", json!({ "text": "{last}" })),
        ScriptedTurn::call("echo", json!(r#"{"text":"raw {input}"}"#)),
        ScriptedTurn::say("{last}"),
    ];
    let handle = Echoing::builder().model(ScriptedModel::turns(turns)).build().await.unwrap();
    let mut stream = handle.stream("say \"{last}\"");
    let mut asked = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::ToolStarted { arguments, .. } = event.kind {
            asked.push(arguments.to_string());
        }
    }
    let input = r#"say "{last}""#;
    let filled = json!({
        "text": format!("<{input}>"),
        "more": [format!("[{input}]"), "{other}", input],
    });
    assert_eq!(serde_json::from_str::<serde_json::Value>(&asked[0]).unwrap(), filled, "once, and not again");
    let said = format!("<{input}>[{input}]{{other}}{input}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&asked[1]).unwrap(), json!({ "text": said }));
    assert!(asked[2].starts_with(r#"{"text":"raw say "#), "{}", asked[2]);
}
