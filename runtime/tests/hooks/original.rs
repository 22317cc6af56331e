//! The original tool: what `call_original` runs, from wherever it is called.

use std::sync::Arc;

use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::journal::MemoryJournal;
use onionskin::question::Answer;
use onionskin::typed::{ArgsOf, TypedNext};
use onionskin::{
    AgentHandle, Args, Next, RunError, ScriptedModel, ScriptedTurn, State, ToolContext, ToolDefinition,
    ToolOutput, ToolResult, ToolSpec, agent, guardrail, tool, tool_hook, toolbox,
};
use serde_json::json;

use crate::log::Log;

#[tool_hook]
async fn own_original(log: State<Log>, ctx: &ToolContext, args: &mut Args) -> ToolResult<Option<ToolOutput>> {
    log.push("own");
    ctx.call_original(args).await.map(Some)
}

#[tool_hook]
async fn own_inner(log: State<Log>, args: &mut Args, next: impl Next) -> ToolResult {
    log.push("own inner");
    next.run(args).await
}

#[tool_hook]
async fn first_next_then_original(
    log: State<Log>,
    ctx: &ToolContext,
    args: &mut Args,
    next: impl Next,
) -> ToolResult {
    log.push("own");
    let first = next.run(&mut args.clone()).await?;
    let second = ctx.call_original(args).await?;
    Ok(format!("{} {} of {}", first.to_text(), second.to_text(), ctx.attempt()).into())
}

#[tool_hook]
async fn agent_original(log: State<Log>, ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    log.push("agent");
    let _ = next;
    ctx.call_original(args).await
}

#[guardrail(input)]
fn guard(log: State<Log>, _args: &Args) {
    log.push("guardrail");
}

/// Doubles.
#[tool(hooks = [own_original, own_inner], input_guardrails = [guard])]
fn double(log: State<Log>, x: i64) -> i64 {
    log.push("tool");
    x * 2
}

/// Doubles, twice.
#[tool(hooks = [first_next_then_original])]
fn twice(log: State<Log>, x: i64) -> i64 {
    log.push("tool");
    x * 2
}

/// Has no hooks of its own.
#[tool]
fn plain(log: State<Log>, x: i64) -> i64 {
    log.push("tool");
    x * 2
}

#[tool_hook(tool = plain)]
async fn typed(log: State<Log>, args: ArgsOf<plain>, next: impl TypedNext<plain>) -> ToolResult<i64> {
    log.push("typed");
    next.run(args).await
}

/// The typed hook goes to the original itself.
#[tool]
fn other(log: State<Log>, x: i64) -> i64 {
    log.push("tool");
    x * 2
}

#[tool_hook(tool = other)]
async fn typed_original(
    log: State<Log>,
    ctx: &ToolContext,
    args: ArgsOf<other>,
    next: impl TypedNext<other>,
) -> ToolResult<i64> {
    log.push("typed");
    let _ = next;
    let output = ctx.call_original(&mut Args::from(json!({ "x": args.x }).to_string())).await?;
    Ok(output.to_text().parse().unwrap())
}

struct Kb(Log);

#[toolbox]
impl Kb {
    /// Doubles.
    #[tool(hooks = [own_original, own_inner])]
    async fn method(&self, x: i64) -> i64 {
        self.0.push("tool");
        x * 2
    }
}

/// Pays, at most once in a run.
#[tool(effect = once, max_calls = 1, annotations(destructive))]
fn pay(log: State<Log>, x: i64) -> i64 {
    log.push("paid");
    x
}

/// Waits for a person.
#[tool(approval)]
fn post(log: State<Log>, x: i64) -> i64 {
    log.push("posted");
    x
}

#[tool_hook]
async fn attempts(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = next;
    let output = ctx.call_original(args).await?;
    Ok(format!("{} of {}", output.to_text(), ctx.attempt()).into())
}

agent! {
    Payer { state: Log, instruction: "Go.", function_tools: [pay, post, plain], tool_hooks: [attempts for [pay, plain]] }
    Own { state: Log, instruction: "Go.", function_tools: [double, twice], toolboxes: [Kb] }
    Outer { state: Log, instruction: "Go.", function_tools: [double, plain], tool_hooks: [agent_original, typed] }
    Typed { state: Log, instruction: "Go.", function_tools: [other], tool_hooks: [typed_original] }
}

fn calls(tool: &str) -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::call(tool, json!({ "x": 21 })), ScriptedTurn::say("{last}")])
}

async fn own(tool: &str, log: &Log) -> String {
    let builder = Own::builder().model(calls(tool)).state(log.clone()).toolbox(Kb(log.clone()));
    builder.run("go").await.unwrap().text
}

#[tokio::test]
async fn h3_call_original_from_a_declared_hook_runs_the_tool_past_the_remaining_hooks() {
    let log = Log::default();
    assert_eq!(own("double", &log).await, "42");
    // A stage between the hooks and the tool is not a hook: a guardrail still runs.
    assert_eq!(log.take(), ["own", "guardrail", "tool"]);
    assert_eq!(own("method", &log).await, "42");
    assert_eq!(log.take(), ["own", "tool"]);
}

#[tokio::test]
async fn h3_call_original_from_a_declared_hook_counts_as_a_start_of_the_tool() {
    let log = Log::default();
    assert_eq!(own("twice", &log).await, "42 42 of 2");
    assert_eq!(log.take(), ["own", "tool", "tool"]);
}

#[tokio::test]
async fn h3_call_original_from_an_own_hook_is_no_step_of_its_own() {
    let (log, journal) = (Log::default(), Arc::new(MemoryJournal::default()));
    let builder = Own::builder().model(calls("twice")).state(log.clone()).toolbox(Kb(log));
    let handle = builder.journal(Arc::clone(&journal)).build().await.unwrap();
    assert_eq!(handle.request("go").run_id("run").run().await.unwrap().text, "42 42 of 2");
    let steps = journal.steps("run");
    assert_eq!(steps.iter().filter(|step| step.contains("tool twice")).count(), 1, "{steps:?}");
}

/// A call that an agent's hook makes is as any other: it counts, it has its limits, and a journal knows it.
#[tokio::test]
async fn h3_call_original_from_an_agents_hook_is_a_start_and_a_step() {
    let log = Log::default();
    for journal in [None, Some(Arc::new(MemoryJournal::default()))] {
        let turns = [
            ScriptedTurn::call("pay", json!({ "x": 5 })),
            ScriptedTurn::call("pay", json!({ "x": 5 })),
            ScriptedTurn::say("{last}"),
        ];
        let mut builder = Payer::builder().model(ScriptedModel::turns(turns)).state(log.clone());
        if let Some(journal) = &journal {
            builder = builder.journal(Arc::clone(journal));
        }
        let handle = builder.build().await.unwrap();
        let output = handle.request("go").run_id("run").run().await.unwrap();
        assert_eq!(log.take(), ["paid"]);
        assert!(output.text.contains("may be called once"), "{}", output.text);
        if let Some(journal) = journal {
            let steps = journal.steps("run");
            assert!(steps.iter().any(|step| step.contains("tool pay")), "{steps:?}");
        }
    }
    let output = Payer::builder().model(calls("plain")).state(log.clone()).run("go").await.unwrap();
    assert_eq!(output.text, "42 of 1");
}

/// An effect of a call that a hook made is not repeated when a paused run goes on.
#[tokio::test]
async fn h3_call_original_from_an_agents_hook_is_not_repeated_by_a_resume() {
    let log = Log::default();
    let turns = [
        ScriptedTurn::call("pay", json!({ "x": 5 })),
        ScriptedTurn::call("post", json!({ "x": 6 })),
        ScriptedTurn::say("{last}"),
    ];
    let handle =
        Payer::builder().model(ScriptedModel::turns(turns)).state(log.clone()).build().await.unwrap();
    let Err(RunError::Paused(paused)) = handle.run("go").await else { panic!("it pauses") };
    assert_eq!(log.take(), ["paid"]);
    let key = paused.questions()[0].key();
    let output = handle.resume(&paused).answer(key, Answer::allow()).run().await.unwrap();
    assert_eq!((output.text.as_str(), log.take()), ("6", vec!["posted".to_owned()]));
}

#[tokio::test]
async fn h3_call_original_from_an_agents_hook_passes_own_and_typed_hooks_too() {
    let log = Log::default();
    for (tool, ran) in [("double", &["agent", "guardrail", "tool"][..]), ("plain", &["agent", "tool"])] {
        let output = Outer::builder().model(calls(tool)).state(log.clone()).run("go").await.unwrap();
        assert_eq!(output.text, "42");
        assert_eq!(log.take(), ran, "{tool}");
    }
}

#[tokio::test]
async fn h3_call_original_from_a_typed_hook_runs_the_tool() {
    let log = Log::default();
    let output = Typed::builder().model(calls("other")).state(log.clone()).run("go").await.unwrap();
    assert_eq!(output.text, "42");
    assert_eq!(log.take(), ["typed", "tool"]);
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Number {
    x: i64,
}

#[tokio::test]
async fn h3_call_original_from_a_hook_of_a_tool_value_runs_the_tool() {
    let log = Log::default();
    let in_tool = log.clone();
    let closure = ToolSpec::from_fn("closure", "Doubles.", move |args: Number, _| {
        let log = in_tool.clone();
        async move {
            log.push("tool");
            Ok(args.x * 2)
        }
    });
    let mut closure = closure.hook(own_original::new()).hook(own_inner::new()).with_state(log.clone());
    closure.add_input_guardrails(guard::new());
    let done = closure.exec(json!({ "x": 21 }).to_string()).await;
    assert_eq!(done.result.unwrap().to_text(), "42");
    assert_eq!(done.attempts, 1);
    assert_eq!(log.take(), ["own", "guardrail", "tool"]);

    // A tool with hooks of its own, to which one is added.
    let both = double::spec().hook(own_original::new()).with_state(log.clone());
    assert_eq!(both.call(json!({ "x": 21 }).to_string()).await.unwrap(), 42);
    assert_eq!(log.take(), ["own", "guardrail", "tool"]);

    let again = plain::spec().hook(first_next_then_original::new()).with_state(log.clone());
    let done = again.exec(json!({ "x": 21 }).to_string()).await;
    assert_eq!(done.result.unwrap().to_text(), "42 42 of 2");
    assert_eq!(done.attempts, 2);
    assert_eq!(log.take(), ["own", "tool", "tool"]);

    // As a tool of an agent, from an agent's hook.
    let spec = plain::spec().hook(own_original::new());
    let outer = Outer::builder().model(calls("renamed")).state(log.clone());
    let mut spec = spec;
    spec.transform(onionskin::spec::Transform::new().name("renamed")).unwrap();
    assert_eq!(outer.tool(spec).run("go").await.unwrap().text, "42");
    assert_eq!(log.take(), ["agent", "tool"]);
}

/// Calls itself.
#[tool]
async fn itself(log: State<Log>, ctx: &ToolContext) -> ToolResult<String> {
    log.push("tool");
    Ok(ctx.call_original(&mut Args::from("{}")).await?.to_text().into_owned())
}

#[guardrail(input)]
async fn guard_itself(log: State<Log>, ctx: &ToolContext, args: &mut Args) -> Result<(), onionskin::Exit> {
    log.push("guardrail");
    ctx.call_original(args).await.map(drop)
}

/// Its guardrail calls it.
#[tool(input_guardrails = [guard_itself])]
fn guarded(log: State<Log>) {
    log.push("tool");
}

/// Is written by hand, and calls itself before it runs.
#[derive(Default)]
struct ByHand;

tool_by_hand! {
    ByHand "by_hand", ToolDefinition::new("by_hand", "Calls itself.");

    async fn on_invoke(&self, cx: &ToolContext, args: &mut Args) -> ToolResult<()> {
        cx.call_original(args).await.map(drop)
    }
    async fn run(&self, _: &ToolContext, _: &mut Args) -> ToolResult {
        Ok("ran".into())
    }
}

agent! {
    Selfish { state: Log, instruction: "Go.", function_tools: [itself, guarded, ByHand] }
}

async fn answer_text(handle: &AgentHandle) -> String {
    handle.run("go").await.unwrap().text
}

/// Without an end of its own, this would overflow the stack of the process.
#[tokio::test]
async fn h3_the_original_does_not_call_itself() {
    for tool in ["itself", "guarded", "by_hand"] {
        let log = Log::default();
        let model = ScriptedModel::turns([ScriptedTurn::call(tool, json!({})), ScriptedTurn::say("{last}")]);
        let handle = Selfish::builder().model(model).state(log.clone()).build().await.unwrap();
        let text = answer_text(&handle).await;
        assert!(text.contains("`call_original` was called by what it runs"), "{tool}: {text}");
        assert!(log.take().len() <= 2);
    }
}

/// The model's arguments are approved once, and no stage inside the hooks is skipped.
#[tokio::test]
async fn h3_the_original_is_approved_as_any_call() {
    /// Pays.
    #[tool(approval, hooks = [own_original])]
    fn pay(log: State<Log>) {
        log.push("paid");
    }
    agent! { Payer { state: Log, instruction: "Pay.", function_tools: [pay] } }
    let log = Log::default();
    let model = ScriptedModel::turns([ScriptedTurn::call("pay", json!({})), ScriptedTurn::say("{last}")]);
    let deny = |_: ApprovalRequest| async { Approval::deny("no") };
    let output = Payer::builder().model(model).state(log.clone()).approver(deny).run("go").await.unwrap();
    assert_eq!(output.text, "Tool execution was not approved: no");
    assert_eq!(log.take(), ["own"]);
}

/// Says what the model wrote, and what the hooks leave.
#[tool]
fn serve(cx: &ToolContext, cups: u8, #[arg(default = "tea")] drink: &str) -> String {
    let own = cx.original_args().map_or_else(|| "nothing".to_owned(), |own| own.text().to_string());
    format!("{own} {cups} {drink}")
}

#[tool_hook]
async fn one_more(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    args["cups"] = (args["cups"].as_u64().unwrap_or_default() + 1).into();
    let chosen = ctx.original_args().is_some_and(|own| own.get("drink").is_some());
    let mut output = next.run(args).await?;
    output.push_text(format!(" {chosen} {}", args["drink"]));
    Ok(output)
}

use self::one_more as and_another;

agent! { Bar { instruction: "Serve.", function_tools: [serve], tool_hooks: [one_more, and_another] } }

#[tokio::test]
async fn h3_hooks_read_the_arguments_of_the_model_beside_the_filled_ones() {
    let model = ScriptedModel::turns([
        ScriptedTurn::call("serve", json!({ "cups": "2" })),
        ScriptedTurn::say("{last}"),
    ]);
    let output = Bar::builder().model(model).run("Two, please.").await.unwrap();
    assert_eq!(output.text, r#"{"cups":"2"} 4 tea false "tea" false "tea""#);
    let direct = serve::spec().exec(json!({ "cups": 1 })).await;
    assert_eq!(direct.output().as_ref().unwrap().to_text(), "nothing 1 tea");
}
