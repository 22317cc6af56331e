//! A9: functions as turn hooks, and `turn_hooks` of `agent!`.

use std::sync::{Arc, Mutex};

use onionskin::model::{ModelResponse, ToolResultMessage};
use onionskin::turn_hooks::{BoxError, CompletedTurn, TurnHook, TurnRequest, TurnToolCall};
use onionskin::{
    BuildError, Provided, RunContext, RunError, ScriptedModel, ScriptedTurn, State, ToolOutput, agent, made,
    tool, turn_hook,
};
use serde_json::json;

type Log = Mutex<Vec<String>>;

#[derive(Clone)]
struct Desk {
    name: String,
}

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[turn_hook(before_llm_call, state = Desk)]
async fn greet(
    #[bind(name)] name: &str,
    request: &mut TurnRequest,
    #[config] word: &str,
) -> Result<(), BoxError> {
    tokio::task::yield_now().await;
    request.set_system(format!("{word} {name}, turn {}", request.turn()));
    Ok(())
}

#[turn_hook(before_llm_call)]
fn third(request: &TurnRequest) -> Option<ModelResponse> {
    (request.turn() == 3).then(|| ModelResponse::text("enough"))
}

#[turn_hook(after_llm_call)]
fn loud(response: &mut ModelResponse, run: &RunContext) {
    response.text = format!("{}: {}", run.agent().name(), response.text);
}

#[turn_hook(before_tool_call)]
fn double(call: &mut TurnToolCall) -> Result<Option<ToolOutput>, BoxError> {
    let x = call.args()["x"].as_i64().ok_or("no x")?;
    call.set_arguments(&json!({ "x": x * 2 }));
    Ok((x == 0).then(|| ToolOutput::text("one")))
}

#[turn_hook(after_tool_call)]
fn note(result: &mut ToolResultMessage, call: &TurnToolCall, log: Provided<Log>) -> Result<(), String> {
    log.lock().map_err(|_| "no log")?.push(format!("{} {}", call.arguments(), result.is_error));
    Ok(())
}

#[turn_hook(after_turn_complete, type_name = Ends)]
fn ends(turn: &CompletedTurn, desk: State<Desk>, log: Provided<Log>) {
    log.lock().unwrap().push(format!("{} ended {}", desk.name, turn.turn()));
}

/// A hook by hand, made of a value.
struct Most(u32);

impl From<(u32,)> for Most {
    fn from((turns,): (u32,)) -> Self {
        Self(turns)
    }
}

impl TurnHook for Most {
    type Made = made::FromValues<(u32,)>;

    async fn before_llm_call(
        &self,
        _: &RunContext,
        request: &mut TurnRequest,
    ) -> Result<Option<ModelResponse>, BoxError> {
        if request.turn() > self.0 { Err("too many turns".into()) } else { Ok(None) }
    }
}

agent! {
    Clerk {
        instruction: "Add.",
        state: Desk,
        function_tools: [add_one],
        turn_hooks: [greet("Hello"), third, loud, double, note, #[cfg(test)] Ends, Most(5)],
    }

    Short { instruction: "Add.", function_tools: [add_one], turn_hooks: [Most(1)] }
}

fn call(x: i64) -> ScriptedTurn {
    ScriptedTurn::call("add_one", json!({ "x": x }))
}

fn desk() -> Desk {
    Desk { name: "Ada".to_owned() }
}

#[tokio::test]
async fn a9_functions_are_turn_hooks_and_get_what_they_name() {
    let log = Arc::new(Log::default());
    let model = Arc::new(ScriptedModel::turns([call(4), call(0)]));
    let clerk = Clerk::builder().model(Arc::clone(&model)).state(desk()).provide_shared(Arc::clone(&log));
    let output = clerk.run("Go.").await.unwrap();
    assert_eq!(output.text, "Clerk: enough");
    let results: Vec<_> = output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect();
    assert_eq!(results, ["9", "one"]);
    let systems: Vec<_> = model.requests().iter().map(|request| request.system.clone().unwrap()).collect();
    assert_eq!(
        systems.iter().map(|text| &**text).collect::<Vec<_>>(),
        ["Hello Ada, turn 1", "Hello Ada, turn 2"]
    );
    let noted = log.lock().unwrap().clone();
    let wanted = ["{\"x\":8} false", "Ada ended 1", "{\"x\":0} false", "Ada ended 2", "Ada ended 3"];
    assert_eq!(noted, wanted);
}

#[tokio::test]
async fn a9_services_of_turn_hooks_in_lists_are_checked_by_the_build() {
    let error = Clerk::builder().model(ScriptedModel::new()).state(desk()).build().await.unwrap_err();
    let all = match error {
        BuildError::Several(all) => all,
        one => vec![one],
    };
    let parts: Vec<_> = all.iter().map(ToString::to_string).collect();
    assert!(parts.iter().any(|text| text.contains("the turn hook `note`")), "{parts:?}");
    assert!(parts.iter().any(|text| text.contains("the turn hook `Ends`")), "{parts:?}");
}

#[tokio::test]
async fn a9_turn_hooks_of_functions_are_added_at_run_time() {
    let model = ScriptedModel::turns([call(4), ScriptedTurn::say("never")]);
    let error = Short::builder().model(model).turn_hook(loud::new()).run("Go.").await.unwrap_err();
    assert!(matches!(&error, RunError::TurnHook { hook: "Most", .. }), "{error}");
}
