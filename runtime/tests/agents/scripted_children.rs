//! O3: a fault in the script of an agent beneath another ends the whole run.

use onionskin::declaration::AgentDeclaration;
use onionskin::event::EventKind;
use onionskin::journal::MemoryJournal;
use onionskin::model::{ModelError, ScriptedModelError};
use onionskin::run::AgentRun;
use onionskin::{
    Agent, AgentHandle, AgentTool, Args, Exit, Next, RunError, ScriptedModel, ScriptedTurn, ToolOutput,
    ToolResult, agent, tool, tool_hook,
};
use serde_json::json;

/// Answers in place of a failed call.
#[tool_hook]
async fn instead(args: &mut Args, next: impl Next) -> ToolResult {
    Ok(next.run(args).await.unwrap_or_else(|_| ToolOutput::text("something else")))
}

agent! {
    Grandchild { name: "grandchild", description: "Helps.", instruction: "Help." }
    Child { name: "child", description: "Helps.", instruction: "Help.", agents: [Grandchild] }
    Parent { name: "parent", instruction: "Ask.", agents: [Child], tool_hooks: [instead] }
    Asking { name: "asking", instruction: "Ask." }
    Holding { name: "holding", instruction: "Ask.", function_tools: [ask_another], state: Another }
}

/// Asks its child, and answers whatever happens.
struct ByHand;

impl Agent for ByHand {
    const NAME: &'static str = "by_hand";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().child::<Child>()
    }

    async fn run(run: &AgentRun, _: String) -> Result<String, RunError> {
        let _ = run.call_tool("agent__child", json!({ "input": "go" })).await;
        Ok("done".to_owned())
    }
}

/// Asks its own model, and answers whatever happens.
async fn careless(run: &AgentRun, input: String) -> Result<String, RunError> {
    Ok(run.converse(input).await.unwrap_or_else(|_| "done".to_owned()))
}

agent! { Careless { name: "careless", instruction: "Ask.", run: careless } }

/// An agent that a tool asks through its handle.
#[derive(Clone)]
struct Another(AgentHandle);

/// Asks another agent.
#[tool]
async fn ask_another(another: onionskin::State<Another>) -> Result<String, RunError> {
    Ok(another.0.run("go").await?.text)
}

/// The turns of an agent that calls a tool and answers whatever comes back.
fn asks(tool: &str) -> [ScriptedTurn; 2] {
    [ScriptedTurn::call(tool, json!({ "input": "go" })), ScriptedTurn::say("done")]
}

/// The agent whose script failed, the fault and the whole text.
fn fault(error: RunError) -> (String, ScriptedModelError, String) {
    let text = error.to_string();
    match error {
        RunError::Model { agent, source: ModelError::Script(fault), .. } => (agent.to_string(), fault, text),
        error => panic!("{error:?}"),
    }
}

/// Whether the fault is that this agent has no turn at all.
fn has_no_turn(fault: &ScriptedModelError, of: &str) -> bool {
    matches!(fault, ScriptedModelError::Ended { agent, turns: 0, requested: 1, shared: false, .. } if agent == of)
}

#[tokio::test]
async fn o3_a_child_without_a_turn_ends_the_run_of_its_parent() {
    let model = || ScriptedModel::new().agent("parent", asks("agent__child")).agent("child", []);
    let handle = Parent::builder().model(model()).build().await.unwrap();
    let mut run = handle.stream("go");
    let mut ends = Vec::new();
    while let Some(event) = run.next().await {
        match event.kind {
            EventKind::RunFailed { error, .. } => ends.push((event.agent.to_string(), error)),
            EventKind::RunFinished { text, .. } => panic!("{text}"),
            _ => {}
        }
    }
    let (agent, error, text) = fault(run.output().await.unwrap_err());
    assert!(agent == "child" && has_no_turn(&error, "child"), "{agent}: {error}");
    assert!(text.contains("`child`"), "{text}");
    assert_eq!(ends, [("child[1]".to_owned(), text.clone()), ("parent".to_owned(), text)]);
}

#[tokio::test]
async fn o3_a_grandchild_that_calls_an_unknown_tool_ends_the_run_of_all_above_it() {
    let model = ScriptedModel::new()
        .agent("parent", asks("agent__child"))
        .agent("child", asks("agent__grandchild"))
        .agent("grandchild", asks("nothing"));
    let (agent, error, _) = fault(Parent::builder().model(model).run("go").await.unwrap_err());
    assert_eq!(agent, "grandchild");
    assert!(
        matches!(error, ScriptedModelError::UnknownTool { agent, tool, .. } if agent == "grandchild" && tool == "nothing")
    );
}

#[tokio::test]
async fn o3_a_child_that_no_turns_are_for_ends_the_run() {
    let model = ScriptedModel::new().agent("parent", asks("agent__child"));
    let (agent, error, _) = fault(Parent::builder().model(model).run("go").await.unwrap_err());
    assert_eq!(agent, "child");
    assert!(matches!(error, ScriptedModelError::NoAgent { agent, .. } if agent == "child"));
}

#[tokio::test]
async fn o3_a_hand_written_parent_cannot_answer_after_a_fault_in_the_script_of_its_child() {
    let model = ScriptedModel::new().agent("child", []);
    let run = ByHand::builder().model(model).run("go").await;
    assert_eq!(fault(run.unwrap_err()).0, "child");
    let run = Careless::builder().model(ScriptedModel::new().agent("careless", [])).run("go").await;
    assert_eq!(fault(run.unwrap_err()).0, "careless");
}

#[tokio::test]
async fn o3_a_failure_that_a_script_means_is_a_tool_error_of_the_parent() {
    let model =
        ScriptedModel::new().agent("parent", asks("agent__child")).agent("child", [ScriptedTurn::fail(401)]);
    assert_eq!(Parent::builder().model(model).run("go").await.unwrap().text, "done");
}

#[tokio::test]
async fn o3_an_agent_as_a_tool_value_ends_the_run_with_the_fault_of_its_script() {
    let inner = Child::builder().model(ScriptedModel::new().agent("child", [])).build().await.unwrap();
    let tool =
        AgentTool::new(&inner).name("research").on_error(|_, _| Ok(ToolOutput::text("something else")));
    let model = ScriptedModel::turns(asks("research"));
    let error = Asking::builder().model(model).tool(tool.clone()).run("go").await.unwrap_err();
    assert_eq!(fault(error).0, "child");
    // Outside of a run the fault cannot be turned into an output either.
    let result = tool.spec().call(json!({ "input": "go" })).await;
    assert!(matches!(&result, Err(Exit::Abort(abort)) if abort.reason().contains("`child`")), "{result:?}");
}

#[tokio::test]
async fn o3_an_agent_that_a_tool_asks_through_its_handle_ends_the_run_with_the_fault_of_its_script() {
    let inner = Child::builder().model(ScriptedModel::new().agent("child", [])).build().await.unwrap();
    let turns = [ScriptedTurn::call("ask_another", json!({})), ScriptedTurn::say("done")];
    let holding =
        || Holding::builder().model(ScriptedModel::turns(turns.clone())).state(Another(inner.clone()));
    assert_eq!(fault(holding().run("go").await.unwrap_err()).0, "child");
    let recorded = holding().journal(MemoryJournal::default()).run("go").await;
    assert_eq!(fault(recorded.unwrap_err()).0, "child", "with a journal too");
}

#[tokio::test]
async fn o3_a_fault_in_turns_for_every_agent_says_how_to_give_each_agent_its_own() {
    let advice = |agent: &str| {
        format!(
            ". `turns`, in a file `\"*\"`, is the script of each agent without a script of its own: give `{agent}` its own \
             with `ScriptedModel::agent`"
        )
    };
    let unknown = Parent::builder().model(ScriptedModel::turns(asks("agent__child"))).run("go").await;
    let (agent, _, text) = fault(unknown.unwrap_err());
    assert_eq!(agent, "child");
    assert!(text.ends_with(&advice("child")), "{text}");
    let turns = [ScriptedTurn::call_unknown("agent__child", json!({ "input": "go" }))];
    let none = Parent::builder().model(ScriptedModel::turns(turns)).run("go").await;
    let (_, error, text) = fault(none.unwrap_err());
    assert!(matches!(error, ScriptedModelError::Ended { shared: true, requested: 2, .. }));
    assert!(text.ends_with(&advice("child")), "{text}");
    // One agent alone needs no such advice.
    let none = Asking::builder().model(ScriptedModel::turns([])).run("go").await;
    let fault = fault(none.unwrap_err()).1;
    assert!(has_no_turn(&fault, "asking"), "{fault}");
}
