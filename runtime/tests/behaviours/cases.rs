//! One runner for each case, by its id.

use std::future::Future;
use std::pin::Pin;

use onionskin::declaration::Limits;
use onionskin::event::CallOutcome;
use onionskin::run::{AgentInfo, Team};
use onionskin::{
    Args, ErrorKind, Next, RunContext, ScriptedModel, ScriptedTurn, SessionState, State, Tool, ToolContext,
    ToolOutput, ToolResult, agent, tool, tool_hook,
};
use serde_json::{Value, json};

use crate::binding;
use crate::exporting;
use crate::life;
use crate::loading;
use crate::scene::{Described, Log, Observed, SaysHi, Scene, add_one, play, play_turns};

pub type Runner = fn(Value) -> Pin<Box<dyn Future<Output = ()>>>;

macro_rules! runners {
    ($($id:literal => $runner:path,)*) => {
        pub fn runners() -> Vec<(&'static str, Runner)> {
            vec![$(($id, |case| Box::pin($runner(case)))),*]
        }
    };
}

runners! {
    "hook-order-2" => one_call,
    "hook-none-passthrough" => one_call,
    "hook-before-new-args" => one_call,
    "hook-before-new-args-agno" => one_call,
    "hook-before-mutate-in-place" => one_call,
    "hook-instead" => one_call,
    "hook-instead-error-result" => one_call,
    "hook-after-replace" => after_replace,
    "hook-next-twice" => next_twice,
    "hook-async-in-sync-run" => one_kind_of_hook,
    "agent-hooks-override-tool-hooks" => agent_hooks_outside_tool_hooks,
    "hook-covers-every-source" => every_source,
    "before-after-vs-wrap-order" => declared_order,
    "pre-hook-error-swallowed" => before_hook_fails_closed,
    "hook-unknown-parameter" => unknown_parameter,
    "hook-aliases" => aliases,
    "inject-hidden-from-schema" => injected_is_hidden,
    "inject-sanitised-before-hooks" => injected_cannot_be_supplied,
    "hook-error-becomes-tool-error" => one_call,
    "hook-after-skipped-on-error" => after_is_skipped,
    "arg-wrong-type" => wrong_argument,
    "arg-numeric-string" => numeric_string,
    "arg-missing" => wrong_argument,
    "unknown-tool" => unknown_tool,
    "tool-raises" => tool_fails,
    "tool-asks-retry" => asks_retry,
    "stop-after-tool" => stop_after,
    "max-invocations" => max_calls,
    "agent-tool-name" => child_name,
    "agent-tool-result" => child_result,
    "agent-tool-history" => child_history,
    "schema-int" => schema_int,
    "schema-param-docs" => schema_docs,
    "schema-default-optional" => schema_optional,
    "schema-enum" => schema_enum,
    "schema-output" => schema_output,
    "export-openai-chat" => exporting::openai_chat,
    "export-prompt" => exporting::prompt,
    "bind-hides-param" => binding::hides_param,
    "bind-live-state" => binding::live_state,
    "bind-nested-key" => binding::nested_key,
    "bind-unknown-param" => binding::unknown_param,
    "registry-self-bound" => binding::self_bound,
    "guard-in-reject" => life::guardrail_rejects_input,
    "guard-out-reject" => life::guardrail_rejects_output,
    "guard-run-tripwire" => life::guardrail_ends_the_run,
    "guard-before-side-effects" => life::guardrail_before_side_effects,
    "run-hook-unexpected-error" => life::guardrail_that_fails_refuses,
    "approval-pauses" => life::approval_pauses,
    "hitl-flags-exclusive" => life::hitl_flags_exclusive,
    "approval-granted" => life::approval_granted,
    "approval-rejected" => life::approval_rejected,
    "cache-key-has-identity" => life::cache_has_identity,
    "cache-not-when-hook-answers-or-retries" => life::cache_not_of_hooks,
    "hook-wrong-arity-loaded" => loading::wrong_arity,
    "load-spec-ok" => loading::item_of_a_file,
    "card-defaults" => loading::defaults,
    "card-unknown-field" => loading::unknown_field,
    "card-no-frontmatter" => loading::no_front_matter,
    "card-required-by-type" => loading::another_type,
    "card-tool-hooks-shape" => loading::list_of_hooks,
    "card-unknown-hook-key" => loading::unknown_hook_key,
}

fn schema_of(tool: &impl Tool) -> Value {
    Value::clone(&tool.definition().input_schema)
}

fn hooks_of(case: &Value) -> Vec<String> {
    let hooks = case["given"]["hooks"].as_array().map(Vec::as_slice).unwrap_or_default();
    hooks.iter().map(hook_text).collect()
}

/// YAML reads `next({x:10})` in a flow list as a mapping where it is not quoted; both spell one hook.
fn hook_text(hook: &Value) -> String {
    hook.as_str().map_or_else(|| hook.to_string(), str::to_owned)
}

/// The common shape: one call through some hooks, then `log`, `result`, `is_error`, `text`, `tool_ran`.
async fn one_call(case: Value) {
    let args = case["given"]["call"]["args"].clone();
    let args = if args.is_null() { json!({"x": 1}) } else { args };
    let seen = play("add_one", args, &hooks_of(&case)).await;
    compare(&seen, &case["expect"]);
}

fn compare(seen: &Observed, expect: &Value) {
    let fields = expect.as_object().expect("what is expected has fields");
    for (key, wanted) in fields {
        match key.as_str() {
            "log" => assert_eq!(json!(seen.log), *wanted, "log"),
            "result" => {
                let wanted = wanted.as_str().map_or_else(|| wanted.to_string(), str::to_owned);
                assert_eq!(seen.text(), wanted, "result");
            }
            "text" => assert_eq!(seen.text(), wanted.as_str().unwrap_or_default(), "text"),
            "is_error" | "result_is_error" => assert_eq!(json!(seen.is_error()), *wanted, "{key}"),
            "tool_ran" => assert_eq!(json!(seen.tool_ran()), *wanted, "tool_ran"),
            "inner_B_ran" => {
                assert_eq!(json!(seen.log.iter().any(|line| line == "B>")), *wanted, "inner_B_ran");
            }
            "run_continues" => assert_eq!(json!(seen.output.is_ok()), *wanted, "run_continues"),
            "model_told_field" => {
                let field = format!("`{}`", wanted.as_str().unwrap_or_default());
                assert!(seen.text().contains(&field), "{}", seen.text());
            }
            "note" => {}
            other => panic!("nothing compares `{other}`"),
        }
    }
}

async fn after_replace(case: Value) {
    let seen = play("find", json!({"q": "q"}), &hooks_of(&case)).await;
    compare(&seen, &case["expect"]);
}

async fn next_twice(case: Value) {
    let seen = play("add_one", json!({"x": 1}), &hooks_of(&case)).await;
    let runs = seen.log.iter().filter(|line| line.starts_with("tool")).count();
    assert_eq!(json!(runs), case["actual"]["tool_runs"]);
    assert_eq!(seen.text(), "2");
}

#[tool_hook]
fn sync_before(log: State<Log>) {
    log.push("B>");
}

#[tool_hook]
async fn async_around(log: State<Log>, args: &mut Args, next: impl Next) -> ToolResult {
    log.push("A>");
    let result = next.run(args).await;
    log.push("<A");
    result
}

agent! {
    Mixed { instruction: "Play.", state: Log, function_tools: [add_one], tool_hooks: [async_around, sync_before] }
}

/// A blocking run skips no hook, sync or async.
async fn one_kind_of_hook(_: Value) {
    let log = Log::default();
    let turns = [ScriptedTurn::call("add_one", json!({"x": 1})), ScriptedTurn::say("done")];
    Mixed::builder().state(log.clone()).model(ScriptedModel::turns(turns)).run_blocking("go").unwrap();
    assert_eq!(log.lines(), ["A>", "B>", "tool 1", "<A"]);
}

#[tool_hook]
async fn agent_hook(log: State<Log>, args: &mut Args, next: impl Next) -> ToolResult {
    log.push("A");
    next.run(args).await
}

#[tool_hook]
async fn own_hook(log: State<Log>, args: &mut Args, next: impl Next) -> ToolResult {
    log.push("T");
    next.run(args).await
}

/// Has a hook of its own.
#[tool(hooks = [own_hook])]
fn hooked(log: State<Log>) {
    log.push("tool");
}

agent! {
    Outside { instruction: "Play.", state: Log, function_tools: [hooked], tool_hooks: [agent_hook] }
}

async fn agent_hooks_outside_tool_hooks(case: Value) {
    let log = Log::default();
    let turns = [ScriptedTurn::call("hooked", json!({})), ScriptedTurn::say("done")];
    Outside::builder().state(log.clone()).model(ScriptedModel::turns(turns)).run("go").await.unwrap();
    let lines = log.lines();
    assert_eq!(lines.last().map(String::as_str), Some("tool"));
    assert_eq!(json!(lines[..lines.len() - 1]), case["expect"]["effective"]);
}

#[tool_hook]
#[expect(clippy::unnecessary_wraps, reason = "one of the forms of a before hook")]
fn note_source(ctx: &ToolContext, log: State<Log>) -> ToolResult<Option<ToolOutput>> {
    log.push(format!("{} {} {:?}", ctx.source(), ctx.tool_name(), ctx.server_name()));
    Ok((ctx.source() == onionskin::definition::ToolSource::Runtime).then(|| ToolOutput::text("answered")))
}

agent! {
    Everything {
        instruction: "Play.",
        state: Log,
        function_tools: [add_one],
        agents: [SaysHi],
        tool_hooks: [note_source],
    }
}

/// The sources that need no feature; `examples/tests/sources.rs` holds all of them to every form of hook.
async fn every_source(case: Value) {
    let log = Log::default();
    let turn =
        ScriptedTurn::call("add_one", json!({"x": 1})).and_call("agent__Child-Agent", json!({"input": "hi"}));
    let turns = [turn, ScriptedTurn::say("done")];
    Everything::builder().state(log.clone()).model(ScriptedModel::turns(turns)).run("go").await.unwrap();
    let lines = log.lines();
    for source in case["expect"]["A_runs_for"].as_array().unwrap() {
        let line = match source.as_str().unwrap() {
            "function" => "function add_one None",
            "agent" => "agent agent__Child-Agent Some(\"agent\")",
            // They need a server and a feature: `examples/tests/sources.rs`.
            "mcp" | "runtime" => continue,
            other => panic!("no test of the source {other}"),
        };
        assert!(lines.contains(&line.to_owned()), "{line}: {lines:?}");
    }
}

#[tool_hook]
fn before_b(log: State<Log>) {
    log.push("B");
}

#[tool_hook]
fn after_c(_output: &ToolOutput, log: State<Log>) {
    log.push("C");
}

agent! {
    Ordered {
        instruction: "Play.",
        state: Log,
        function_tools: [add_one],
        tool_hooks: [async_around, before_b, after_c],
    }
}

async fn declared_order(_: Value) {
    let log = Log::default();
    let turns = [ScriptedTurn::call("add_one", json!({"x": 1})), ScriptedTurn::say("done")];
    Ordered::builder().state(log.clone()).model(ScriptedModel::turns(turns)).run("go").await.unwrap();
    assert_eq!(log.lines(), ["A>", "B", "tool 1", "C", "<A"]);
}

#[tool_hook]
#[allow(clippy::unnecessary_wraps, reason = "a before hook that fails")]
fn failing_before() -> ToolResult<()> {
    Err("a value error".into())
}

agent! {
    Guarded { instruction: "Play.", state: Log, function_tools: [add_one], tool_hooks: [failing_before] }
}

async fn before_hook_fails_closed(_: Value) {
    let log = Log::default();
    let turns = [ScriptedTurn::call("add_one", json!({"x": 1})), ScriptedTurn::say("done")];
    let output =
        Guarded::builder().state(log.clone()).model(ScriptedModel::turns(turns)).run("go").await.unwrap();
    assert_eq!(log.lines(), [""; 0], "the tool did not run");
    assert_eq!(output.tool_calls[0].outcome, Some(CallOutcome::Error(ErrorKind::Failed)));
}

/// The compiler says it; the ui-test holds its words.
async fn unknown_parameter(case: Value) {
    assert_eq!(case["expect"]["when"], "compile time");
    let words = include_str!("../../../ui-tests/tests/fail/hook/parameters.stderr");
    assert!(words.contains("cannot be injected"), "{words}");
    assert!(words.contains("these can be injected"), "{words}");
}

#[tool_hook]
async fn every_alias_1(
    agent: &AgentInfo,
    team: Team,
    run_context: &RunContext,
    session_state: &SessionState,
    name: &str,
    args: &mut Args,
    call_next: impl Next,
) -> ToolResult {
    session_state.set("seen", format!("{} {} {name}", agent.name(), run_context.instance_name()));
    assert!(team.parent().is_none());
    call_next.run(args).await
}

#[tool_hook]
async fn every_alias_2(function_name: &str, arguments: &mut Args, function_call: impl Next) -> ToolResult {
    assert_eq!(function_name, "add_one");
    function_call.run(arguments).await
}

#[tool_hook]
async fn every_alias_3<F: Next>(func: F, arguments: &mut Args) -> ToolResult {
    func.run(arguments).await
}

#[tool_hook]
async fn every_alias_4(function: impl Next, mut args: Args) -> ToolResult {
    function.run(&mut args).await
}

agent! {
    Aliased {
        name: "aliased",
        instruction: "Play.",
        state: Log,
        function_tools: [add_one],
        tool_hooks: [every_alias_1, every_alias_2, every_alias_3, every_alias_4],
    }
}

async fn aliases(case: Value) {
    let names = case["expect"].as_object().unwrap();
    for (role, wanted) in [
        ("tool_name", json!(["name", "function_name"])),
        ("next", json!(["function", "func", "function_call"])),
        ("args", json!(["args", "arguments"])),
        ("context", json!(["agent", "team", "run_context"])),
    ] {
        assert_eq!(names[role], wanted);
    }
    let turns = [ScriptedTurn::call("add_one", json!({"x": 1})), ScriptedTurn::say("done")];
    let handle =
        Aliased::builder().state(Log::default()).model(ScriptedModel::turns(turns)).build().await.unwrap();
    let session = handle.session();
    let output = handle.request("go").session(&session).run().await.unwrap();
    assert_eq!(output.tool_calls[0].to_text(), "2");
    assert_eq!(session.state().get("seen"), Some(json!("aliased aliased add_one")));
}

/// Takes a context and one argument.
#[tool]
fn with_context(ctx: &ToolContext, run_context: &RunContext, a: i64) -> String {
    format!("{} {} {a}", ctx.tool_name(), run_context.instance_name())
}

async fn injected_is_hidden(case: Value) {
    let schema = &schema_of(&with_context::default());
    let names: Vec<_> = schema["properties"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(json!(names), case["expect"]["schema_properties"]);
    assert_eq!(schema["required"], case["expect"]["required"]);
}

agent! {
    Injected { instruction: "Play.", state: Log, function_tools: [with_context] }
}

async fn injected_cannot_be_supplied(case: Value) {
    let mut args = case["given"]["model_args"].clone();
    args["a"] = json!(1);
    let turns = [ScriptedTurn::call("with_context", args), ScriptedTurn::say("done")];
    let log = Log::default();
    let model = ScriptedModel::turns(turns);
    let builder = Injected::builder().state(log.clone()).model(model).hook(Described::new("A", &log));
    let output = builder.run("go").await.unwrap();
    let call = &output.tool_calls[0];
    assert_eq!(call.outcome, Some(CallOutcome::Error(ErrorKind::Arguments)));
    assert!(call.to_text().contains("`run_context`: unknown argument"), "{}", call.to_text());
    assert_eq!(
        log.lines(),
        ["A>"],
        "the hook sees the raw arguments, and its code after `next` does not run"
    );
}

async fn after_is_skipped(case: Value) {
    let seen = play("boom", json!({}), &hooks_of(&case)).await;
    let log: Vec<_> = seen.log.iter().filter(|line| *line != "tool").collect();
    assert_eq!(json!(log), case["expect"]["log"]);
    assert_eq!(seen.text(), "boom");
}

async fn wrong_argument(case: Value) {
    let seen = play("add_one", case["given"]["args"].clone(), &[]).await;
    compare(&seen, &case["expect"]);
    assert!(seen.text().contains("`x`"), "{}", seen.text());
}

/// SPEC T11: coerced where nothing is lost.
async fn numeric_string(case: Value) {
    let seen = play("add_one", case["given"]["args"].clone(), &[]).await;
    assert_eq!(seen.text(), case["python_actual"]["result"].to_string());
    assert!(!seen.is_error());
    let seen = play("add_one", json!({"x": "5.5"}), &[]).await;
    assert!(seen.is_error() && !seen.tool_ran());
}

agent! {
    OneTool { instruction: "Play.", state: Log, function_tools: [add_one] }
}

async fn unknown_tool(case: Value) {
    let name = case["given"]["call"].as_str().unwrap();
    let turns = [ScriptedTurn::call_unknown(name, json!({})), ScriptedTurn::say("done")];
    let output =
        OneTool::builder().state(Log::default()).model(ScriptedModel::turns(turns)).run("go").await.unwrap();
    assert_eq!(output.tool_calls[0].to_text(), case["expect"]["text"].as_str().unwrap());
    assert_eq!(output.tool_calls[0].outcome, Some(CallOutcome::Error(ErrorKind::UnknownTool)));
    assert_eq!(output.text, "done");
}

async fn tool_fails(case: Value) {
    let seen = play("boom", json!({}), &[]).await;
    compare(&seen, &case["expect"]);
}

async fn asks_retry(case: Value) {
    let small = || ScriptedTurn::call("picky", json!({"x": 1}));
    let large = ScriptedTurn::call("picky", json!({"x": 10}));
    let seen = play_turns(vec![small(), large, ScriptedTurn::say("done")], &[]).await;
    assert_eq!(seen.text(), case["expect"]["model_sees"].as_str().unwrap());
    let output = seen.output.unwrap();
    assert_eq!(output.tool_calls[1].to_text(), case["expect"]["then"].as_str().unwrap());

    // Over the limit the run fails.
    let mut limits = Limits::default();
    limits.max_retries = 1;
    let model = ScriptedModel::turns([small(), small(), ScriptedTurn::say("done")]);
    let error =
        Scene::builder().state(Log::default()).limits(limits).model(model).run("go").await.unwrap_err();
    assert!(error.to_string().contains("`picky` requested a retry 2 times"), "{error}");
}

/// Adds one, and that is the answer.
#[tool(name = "add_one", stop_after)]
fn last_add_one(x: i64) -> i64 {
    x + 1
}

agent! {
    Stopping { instruction: "Play.", function_tools: [last_add_one] }
}

async fn stop_after(case: Value) {
    let model = std::sync::Arc::new(ScriptedModel::turns([
        ScriptedTurn::call("add_one", json!({"x": 1})),
        ScriptedTurn::say("never"),
    ]));
    let output = Stopping::builder().model(model.clone()).run("go").await.unwrap();
    assert_eq!(json!(model.requests().len()), case["expect"]["model_calls"]);
    assert_eq!(output.text, case["expect"]["final_output"].as_str().unwrap());
}

/// May be called once in a run.
#[tool(max_calls = 1)]
fn once() -> &'static str {
    "first"
}

agent! {
    Limited { instruction: "Play.", function_tools: [once] }
}

async fn max_calls(case: Value) {
    let turn = ScriptedTurn::call("once", json!({})).and_call("once", json!({}));
    let output = Limited::builder()
        .model(ScriptedModel::turns([turn, ScriptedTurn::say("done")]))
        .run("go")
        .await
        .unwrap();
    assert_eq!(output.tool_calls[0].outcome, Some(CallOutcome::Ok));
    assert_eq!(case["expect"]["second"], "error");
    assert_eq!(output.tool_calls[1].outcome, Some(CallOutcome::Error(ErrorKind::Limit)));
}

agent! {
    Parent { instruction: "Play.", agents: [SaysHi] }
}

async fn child_name(case: Value) {
    let handle = Parent::builder().model(ScriptedModel::turns([])).build().await.unwrap();
    assert_eq!(handle.tool_names().unwrap(), ["agent__Child-Agent"]);
    assert_eq!(case["expect"]["input_schema"], json!({"input": "string"}));
    let model = std::sync::Arc::new(ScriptedModel::turns([ScriptedTurn::say("done")]));
    Parent::builder().model(model.clone()).run("go").await.unwrap();
    let schema = &model.requests()[0].tools[0].input_schema;
    assert_eq!(schema["properties"]["input"]["type"], "string");
    assert_eq!(schema["required"], json!(["input"]));
}

async fn child_result(case: Value) {
    let turns = [ScriptedTurn::call("agent__Child-Agent", json!({"input": "hi"})), ScriptedTurn::say("done")];
    let output = Parent::builder().model(ScriptedModel::turns(turns)).run("go").await.unwrap();
    assert_eq!(output.tool_calls[0].to_text(), case["expect"]["tool_result"].as_str().unwrap());
}

async fn child_history(case: Value) {
    assert_eq!(case["given"], json!({"history_source": "none", "history_merge_target": "none"}));
    let turns = [ScriptedTurn::call("agent__Child-Agent", json!({"input": "hi"})), ScriptedTurn::say("done")];
    let handle = Parent::builder().model(ScriptedModel::turns(turns)).build().await.unwrap();
    let session = handle.session();
    handle.request("go").session(&session).run().await.unwrap();
    assert!(session.child_history("Child-Agent").is_empty());
    assert_eq!(session.history().len(), 4, "input, call, result, answer, and nothing of the child");
}

/// Adds one.
#[tool]
fn documented(
    /// the number
    x: i64,
) -> i64 {
    x + 1
}

/// Adds one.
#[tool]
fn plain(x: i64) -> i64 {
    x + 1
}

async fn schema_int(case: Value) {
    let schema = &schema_of(&plain::default());
    assert_eq!(schema["type"], case["expect"]["type"]);
    assert_eq!(schema["properties"]["x"]["type"], case["expect"]["properties"]["x"]["type"]);
    assert_eq!(schema["required"], case["expect"]["required"]);
    assert_eq!(schema["additionalProperties"], json!(false));
}

/// Add one.
///
/// Args:
///     x: the number
#[tool]
fn google_style(x: i64) -> i64 {
    x + 1
}

async fn schema_docs(case: Value) {
    {
        let definition = google_style::default().definition().clone();
        assert_eq!(json!(&*definition.description), case["expect"]["description"]);
        let described = &definition.input_schema["properties"]["x"]["description"];
        assert_eq!(*described, case["expect"]["properties.x.description"]);
    }
    let described = &schema_of(&documented::default())["properties"]["x"]["description"];
    assert_eq!(*described, "the number");
}

/// Three ways to be there.
#[tool]
fn optional(a: i64, b: Option<&str>, #[arg(default = 3)] c: i64) -> String {
    format!("{a} {b:?} {c}")
}

async fn schema_optional(case: Value) {
    let schema = &schema_of(&optional::default());
    assert_eq!(schema["required"], case["expect"]["required"]);
    assert_eq!(schema["properties"]["c"]["default"], case["expect"]["properties.c.default"]);
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Letter {
    A,
    B,
}

/// Takes a letter.
#[tool]
fn letter(which: Letter) -> &'static str {
    match which {
        Letter::A => "a",
        Letter::B => "b",
    }
}

async fn schema_enum(case: Value) {
    let schema = &schema_of(&letter::default())["properties"]["which"];
    assert_eq!(schema["type"], case["expect"]["type"]);
    assert_eq!(schema["enum"], case["expect"]["enum"]);
}

async fn schema_output(case: Value) {
    let definition = plain::default().definition().clone();
    let schema = definition.output_schema.expect("an integer has a schema");
    let wanted = &case["expect"]["output_schema"];
    assert_eq!(schema["type"], wanted["type"]);
    assert_eq!(schema["required"], wanted["required"]);
    assert_eq!(schema["properties"]["result"]["type"], wanted["properties"]["result"]["type"]);
    let mut args = Args::from(r#"{"x": 1}"#);
    let output = plain::default().run(&ToolContext::detached("plain"), &mut args).await.unwrap();
    assert_eq!(output.structured_content().as_deref(), Some(&case["expect"]["structured"]));
    assert_eq!(output.to_text(), case["expect"]["text"].as_str().unwrap());
}
