//! Tools in the words of one agent, and runs that end by a text.

use onionskin::declaration::{AgentDeclaration, DynAgent};
use onionskin::definition::ToolWords;
use onionskin::spec::Transform;
use onionskin::ui::UiMode;
use onionskin::{App, BuildError, Exit, RunError, ScriptedModel, ScriptedTurn, ToolError, ToolSpec, tool};
use serde_json::json;

/// Says a text back.
#[tool]
fn echo(text: String) -> String {
    text
}

/// Ends the run.
#[tool]
fn stop() -> Result<String, Exit> {
    Err(Exit::stop("stopped"))
}

/// Fails.
#[tool]
fn fail() -> Result<String, ToolError> {
    Err(ToolError::new("no"))
}

fn said(texts: &[&str]) -> ScriptedModel {
    ScriptedModel::turns(texts.iter().map(|text| ScriptedTurn::say(*text)))
}

#[tokio::test]
async fn c4_words_are_those_of_one_agent_and_of_its_tool_alone() {
    let words = || ToolWords::new().name("say").description("Says.").component("Box", UiMode::Artifact);
    let worded = DynAgent::new("Worded", move || {
        AgentDeclaration::new()
            .instruction("A.")
            .description("A.")
            .tool(fail::default())
            .worded(words(), |agent| agent.tool(echo::default()))
    });
    let spec = DynAgent::new("Spec", move || {
        let mut echo: ToolSpec = echo::spec();
        echo.transform(Transform::new().hide("text", "bound")).unwrap();
        AgentDeclaration::new().instruction("B.").worded(words(), |agent| agent.tool_value(echo))
    });
    let plain = DynAgent::new("Plain", || AgentDeclaration::new().instruction("C.").tool(echo::default()));
    let model = ScriptedModel::new()
        .agent("Worded", [ScriptedTurn::call("say", json!({ "text": "Ho." })), ScriptedTurn::say("{last}")])
        .agent("Spec", [ScriptedTurn::call("say", json!({})), ScriptedTurn::say("{last}")]);
    let app =
        App::builder().dyn_agent(&worded).dyn_agent(&spec).dyn_agent(&plain).entry("Worded").model(model);
    let app = app.build().await.unwrap();
    for (agent, tools) in [
        ("Worded", vec![("fail", "Fails.", None), ("say", "Says.", Some("Box"))]),
        ("Spec", vec![("say", "Says.", Some("Box"))]),
        ("Plain", vec![("echo", "Says a text back.", None)]),
    ] {
        let definitions = app.agent(agent).unwrap().tool_definitions().unwrap();
        let found: Vec<_> =
            definitions.iter().map(|tool| (&*tool.name, &*tool.description, tool.component())).collect();
        assert_eq!(found, tools, "{agent}");
    }
    assert_eq!(app.run("?").await.unwrap().text, "Ho.");
    assert_eq!(app.agent("Spec").unwrap().run("?").await.unwrap().text, "bound");
}

#[tokio::test]
async fn c4_a_name_that_providers_reject_and_one_that_is_taken_are_refused() {
    let named = |name: &'static str| {
        DynAgent::new("A", move || {
            AgentDeclaration::new()
                .instruction("A.")
                .tool(fail::default())
                .worded(ToolWords::new().name(name), |agent| agent.tool(echo::default()))
        })
    };
    let build = async |name| App::builder().dyn_agent(&named(name)).model(said(&[])).build().await;
    assert!(build("say").await.is_ok());
    let error = build("say it").await.unwrap_err();
    assert!(matches!(error, BuildError::ToolName { .. }), "{error}");
    let error = build("fail").await.unwrap_err();
    assert!(error.to_string().contains("`fail`"), "{error}");
}

/// An agent that goes on until it says `DONE`.
fn until() -> DynAgent {
    DynAgent::new("A", || {
        let mut limits = onionskin::declaration::Limits::default();
        limits.turns = 3;
        AgentDeclaration::new().instruction("A.").until("DONE").limits(limits).tool(stop::default())
    })
}

#[tokio::test]
async fn c4_a_run_goes_on_until_the_text_a_stop_or_a_limit() {
    let run = async |model: ScriptedModel| App::builder().dyn_agent(&until()).model(model).run("?").await;
    let output = run(said(&["a", "b", "DONE."])).await.unwrap();
    assert_eq!((&*output.text, output.turns), ("DONE.", 3));
    let error = run(said(&["a", "b", "c", "DONE"])).await.unwrap_err();
    assert!(matches!(error, RunError::Limit { .. }), "{error}");
    let turns = [ScriptedTurn::say("a"), ScriptedTurn::call("stop", json!({}))];
    assert_eq!(run(ScriptedModel::turns(turns)).await.unwrap().text, "stopped");
}

#[tokio::test]
async fn c4_an_answer_of_a_type_ends_a_run_and_has_no_text_for_it() {
    let typed =
        DynAgent::new("A", || AgentDeclaration::new().instruction("A.").output::<u32>().until("DONE"));
    let error = App::builder().dyn_agent(&typed).model(said(&[])).build().await.unwrap_err();
    assert!(
        matches!(&error, BuildError::Contradiction { agent, mistake, .. } if agent == "A" && mistake.ends_with("ends its run: remove `until`")),
        "{error}"
    );
    let app = App::builder().dyn_agent(&until()).model(said(&["7"])).build().await.unwrap();
    assert_eq!(app.entry().run_as::<u32>("?").await.unwrap().output.text, "7");
}

#[tokio::test]
async fn c4_an_empty_text_for_the_end_and_words_without_a_tool_are_errors_of_the_build() {
    let build = async |agent: DynAgent| App::builder().dyn_agent(&agent).model(said(&[])).build().await;
    let endless = DynAgent::new("A", || AgentDeclaration::new().instruction("A.").until(""));
    let error = build(endless).await.unwrap_err();
    assert!(
        matches!(&error, BuildError::Contradiction { agent, mistake, .. } if agent == "A" && mistake.contains("is empty")),
        "{error}"
    );
    let words = || ToolWords::new().name("say");
    let worded =
        DynAgent::new("A", move || AgentDeclaration::new().instruction("A.").worded(words(), |agent| agent));
    let error = build(worded).await.unwrap_err();
    assert!(
        matches!(&error, BuildError::Contradiction { agent, mistake, .. } if agent == "A" && mistake.contains("adds no tool")),
        "{error}"
    );
}

#[tokio::test]
async fn c4_an_app_begins_with_its_initial_message_or_says_that_it_has_none() {
    let app = || App::builder().dyn_agent(&until()).model(said(&["{input} DONE"]));
    let built = app().initial_message("Begin.").build().await.unwrap();
    assert_eq!(built.initial_message(), Some("Begin."));
    assert_eq!(built.begin().await.unwrap().text, "Begin. DONE");
    assert_eq!(app().initial_message("Ho.").begin().await.unwrap().text, "Ho. DONE");
    let error = app().begin().await.unwrap_err();
    assert!(matches!(&error, RunError::NoInput { agent, .. } if &**agent == "A"), "{error}");
}
