//! Panics of hooks at all places, and a tool's panics as hooks see them.

use onionskin::typed::{ArgsOf, TypedNext};
use onionskin::{
    Agent, Args, ErrorKind, Exit, Next, RunError, ScriptedModel, ScriptedTurn, ToolResult, agent, hooks,
    tool, tool_hook,
};
use serde_json::json;

/// Panics at 13.
#[tool(effect = pure)]
fn unlucky(x: i64) -> i64 {
    assert_ne!(x, 13, "thirteen");
    x
}

/// Has a hook that panics.
#[tool(effect = pure, hooks = [passes, panics, passes])]
fn guarded(x: i64) -> i64 {
    x
}

/// Has a hook that looks.
#[tool(effect = pure, hooks = [answers])]
fn watched(x: i64) -> i64 {
    assert_ne!(x, 13, "thirteen");
    x
}

#[tool_hook]
async fn passes(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

#[tool_hook]
async fn panics(args: &mut Args, next: impl Next) -> ToolResult {
    assert!(args["x"] != 7, "seven");
    next.run(args).await
}

#[tool_hook]
async fn answers(args: &mut Args, next: impl Next) -> ToolResult {
    match next.run(args).await {
        Err(Exit::Tool(error)) if error.kind() == ErrorKind::Panic => Ok(format!("saw: {error}").into()),
        other => other,
    }
}

#[tool_hook(tool = unlucky)]
async fn typed_panics(args: ArgsOf<unlucky>, next: impl TypedNext<unlucky>) -> ToolResult<i64> {
    assert_ne!(args.x, 7, "seven");
    next.run(args).await
}

#[tool_hook(tool = unlucky)]
async fn typed_answers(args: ArgsOf<unlucky>, next: impl TypedNext<unlucky>) -> ToolResult<i64> {
    match next.run(args).await {
        Err(Exit::Tool(error)) if error.kind() == ErrorKind::Panic => Ok(-1),
        other => other,
    }
}

agent! {
    Raw { instruction: "Go.", function_tools: [unlucky], tool_hooks: [hooks::retry(3), passes, panics] }
    Typed { instruction: "Go.", function_tools: [unlucky], tool_hooks: [hooks::retry(3), typed_answers, typed_panics] }
    TypedOutside { instruction: "Go.", function_tools: [unlucky], tool_hooks: [typed_panics, typed_answers] }
    Own { instruction: "Go.", function_tools: [guarded, watched], tool_hooks: [hooks::retry(3), answers] }
}

/// What came of one call, and of the run.
async fn call<A: Agent>(tool: &str, x: i64) -> Result<String, RunError> {
    let turns = [ScriptedTurn::call(tool, json!({ "x": x })), ScriptedTurn::say("{last}")];
    Ok(A::builder().model(ScriptedModel::turns(turns)).run("go").await?.text)
}

#[tokio::test]
async fn h6_a_hook_that_panics_aborts_the_run_wherever_it_stands() {
    for aborted in [
        call::<Raw>("unlucky", 7).await,
        call::<Typed>("unlucky", 7).await,
        call::<TypedOutside>("unlucky", 7).await,
        call::<Own>("guarded", 7).await,
    ] {
        let error = aborted.unwrap_err();
        assert!(matches!(error, RunError::Aborted(_)), "{error}");
        assert!(error.to_string().contains("a hook around `"), "{error}");
        assert!(error.to_string().contains("panicked: ") && error.to_string().contains("seven"), "{error}");
    }
    assert_eq!(call::<Typed>("unlucky", 8).await.unwrap(), "8");
    assert_eq!(call::<Own>("guarded", 8).await.unwrap(), "8");
}

#[tokio::test]
async fn t11_hooks_of_every_kind_see_the_panic_of_a_tool_as_a_tool_error() {
    assert_eq!(call::<Typed>("unlucky", 13).await.unwrap(), "-1");
    assert_eq!(call::<TypedOutside>("unlucky", 13).await.unwrap(), "-1");
    let own = call::<Own>("watched", 13).await.unwrap();
    assert!(own.starts_with("saw: `watched` panicked: ") && own.contains("thirteen"), "{own}");
    let raw = call::<Raw>("unlucky", 13).await.unwrap();
    assert!(raw.starts_with("`unlucky` panicked: "), "{raw}");
}

/// Something that a panic carries, and that panics again when it is dropped.
struct Carried;

impl Drop for Carried {
    fn drop(&mut self) {
        panic!("again");
    }
}

fn carry() -> ! {
    std::panic::panic_any(Carried)
}

struct Breaks(&'static str);

impl onionskin::model::Model for Breaks {
    async fn respond(
        &self,
        request: &onionskin::model::ModelRequest,
        _: &mut (dyn FnMut(onionskin::model::ModelDelta) + Send),
    ) -> Result<onionskin::model::ModelResponse, onionskin::model::ModelError> {
        if self.0 == "model" {
            carry();
        }
        let answered = request.messages.len() > 1;
        let calls = [("1", "fails", self.0), ("2", "fails", "")].map(|(id, tool, how)| {
            onionskin::model::ToolCall::new(id, tool, json!({ "how": how }).to_string())
        });
        Ok(if answered {
            onionskin::model::ModelResponse::text("done")
        } else {
            onionskin::model::ModelResponse::tool_calls(calls)
        })
    }
}

/// Fails in the way that is asked for.
#[tool(approval = asks_for_approver, input_guardrails = [guards])]
fn fails(how: String) -> String {
    if how == "tool" {
        carry();
    }
    "fine".to_owned()
}

fn asks_for_approver(args: &Args) -> bool {
    args["how"] == "approver"
}

#[onionskin::guardrail(input)]
fn guards(args: &Args) {
    if args["how"] == "guardrail" {
        carry();
    }
}

#[tool_hook]
fn breaks(args: &Args) {
    if args["how"] == "hook" {
        carry();
    }
}

agent! {
    Carrying { instruction: "Go.", function_tools: [fails], tool_hooks: [breaks] }
}

#[tokio::test]
async fn t11_what_a_panic_carries_may_panic_again() {
    for (how, text) in [
        ("tool", "panicked: without a message"),
        ("guardrail", "panicked"),
        ("approver", "not approved"),
        ("none", "fine"),
    ] {
        let run = Carrying::builder()
            .model(Breaks(how))
            .approver(|_: onionskin::approval::ApprovalRequest| async { carry() });
        let output = run.run("go").await.unwrap();
        let told: Vec<_> = output.tool_calls.iter().map(|call| format!("{call:?}")).collect();
        assert!(told[0].contains(text), "{how}: {told:?}");
        assert!(told[1].contains("fine"), "the sibling of {how}: {told:?}");
    }
    for how in ["model", "hook"] {
        let error = Carrying::builder().model(Breaks(how)).run("go").await.unwrap_err();
        assert!(error.to_string().contains("panicked: without a message"), "{how}: {error}");
    }
}

/// A state that cannot be copied again.
struct Once(bool);

impl Clone for Once {
    fn clone(&self) -> Self {
        assert!(!self.0, "only once");
        Self(self.0)
    }
}

/// Looks at the state.
#[tool]
fn looks(once: onionskin::State<Once>) -> bool {
    once.0
}

#[tool_hook]
async fn limited(#[config] most: u32, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = most;
    next.run(args).await
}

fn from_nowhere() -> u32 {
    panic!("LIMIT is not set")
}

agent! {
    Copied { instruction: "Go.", state: Once, function_tools: [looks] }
    Configured { description: "Goes.", instruction: "Go.", function_tools: [unlucky], tool_hooks: [limited(from_nowhere())] }
    AboveConfigured { instruction: "Go.", agents: [Configured] }
}

#[tokio::test]
async fn t8_a_state_that_cannot_be_copied_fails_the_run_and_not_the_caller() {
    let turns = [ScriptedTurn::call("looks", json!({})), ScriptedTurn::say("{last}")];
    let builder = Copied::builder().model(ScriptedModel::turns(turns.clone()));
    assert_eq!(builder.state(Once(false)).run("go").await.unwrap().text, "false");
    let agent = Copied::builder().model(ScriptedModel::turns(turns)).state(Once(true)).build().await.unwrap();
    let (in_own, in_session) =
        (agent.run("go").await, agent.request("go").session(&agent.session()).run().await);
    for failed in [in_own, in_session] {
        let error = failed.unwrap_err().to_string();
        assert!(error.contains("Once` panicked when it was copied: only once"), "{error}");
    }
}

#[tokio::test]
async fn h6_the_configuration_of_a_hook_that_panics_is_a_build_error() {
    for error in [
        Configured::builder().model(ScriptedModel::new()).build().await.unwrap_err(),
        AboveConfigured::builder().model(ScriptedModel::new()).build().await.unwrap_err(),
    ] {
        let expected = "a part of the declaration of the agent `Configured` panicked, for example the configuration \
                        of a hook: LIMIT is not set";
        assert_eq!(error.to_string(), expected);
    }
}
