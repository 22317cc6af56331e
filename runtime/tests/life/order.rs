//! The order of all stages, and what answers for errors.

use onionskin::mcp::McpToolSpec as _;
use onionskin::typed::TypedNext;
use onionskin::{AgentHandle, ScriptedModel, ScriptedTurn};
use onionskin::{
    Args, ErrorKind, Exit, Next, State, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolResult,
    ToolSpec, agent, guardrail, tool, tool_hook, toolbox,
};
use serde_json::json;

use crate::support::{Log, context, text_and_kind};

#[tool_hook]
async fn noted(#[config] name: &str, log: State<Log>, args: &mut Args, next: impl Next) -> ToolResult {
    log.push(name.to_owned());
    let result = next.run(args).await;
    log.push(format!("/{name}"));
    result
}

#[guardrail(input)]
fn in_a(log: State<Log>, _args: &Args) {
    log.push("input a");
}

#[guardrail(input)]
fn in_b(log: State<Log>, _args: &Args) {
    log.push("input b");
}

#[guardrail(output)]
fn out_a(log: State<Log>, output: &ToolOutput) {
    log.push(format!("output a {}", output.to_text()));
}

#[guardrail(output)]
fn out_b(log: State<Log>, _result: &ToolResult) {
    log.push("output b");
}

fn explain(cx: &ToolContext, error: ToolError) -> ToolResult {
    let log = <State<Log> as onionskin::Inject>::inject(cx)?;
    log.push(format!("on_error {error}"));
    Ok(ToolOutput::text("explained"))
}

/// Runs, or fails.
#[tool(
    hooks = [noted("own hook")],
    input_guardrails = [in_a, in_b],
    output_guardrails = [out_a, out_b],
    on_error = explain
)]
async fn macro_tool(fail: bool, log: State<Log>) -> Result<String, String> {
    log.push("run");
    if fail { Err("failed".to_owned()) } else { Ok("fine".to_owned()) }
}

/// A tool by hand, all its stages written out.
struct ByHand(ToolDefinition);

impl Default for ByHand {
    fn default() -> Self {
        Self(ToolDefinition::new("by_hand", "By hand."))
    }
}

fn log_of(cx: &ToolContext) -> State<Log> {
    <State<Log> as onionskin::Inject>::inject(cx).unwrap()
}

impl Tool for ByHand {
    const NAME: &'static str = "by_hand";
    type State = State<Log>;

    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    async fn on_invoke(&self, cx: &ToolContext, args: &mut Args) -> ToolResult<()> {
        log_of(cx).push("on_invoke");
        if args["fail"] == "on_invoke" { Err("not invoked".into()) } else { Ok(()) }
    }

    async fn run(&self, cx: &ToolContext, args: &mut Args) -> ToolResult {
        log_of(cx).push("run");
        match args["fail"].as_str() {
            Some("run") => Err("failed".into()),
            Some("panic") => panic!("oh"),
            Some("stop") => Err(Exit::stop("stopped")),
            Some("abort") => Err(Exit::abort("over")),
            Some(other) => Ok(ToolOutput::text(other)),
            None => Ok(ToolOutput::text("fine")),
        }
    }

    async fn on_output(&self, cx: &ToolContext, mut output: ToolOutput) -> ToolResult {
        log_of(cx).push("on_output");
        if output.to_text() == "on_output" {
            return Err("bad output".into());
        }
        output.push_text("+");
        Ok(output)
    }

    async fn on_error(&self, cx: &ToolContext, error: ToolError) -> ToolResult {
        log_of(cx).push(format!("on_error {error}"));
        Ok(ToolOutput::text("explained"))
    }
}

#[derive(Default)]
pub struct Box1;

#[toolbox]
impl Box1 {
    /// A method.
    #[expect(clippy::unused_self, reason = "the object does not matter here")]
    #[tool(hooks = [noted("own hook")], input_guardrails = [in_a, in_b], output_guardrails = [out_a, out_b], on_error = explain)]
    fn method(&self, fail: bool, log: State<Log>) -> Result<String, String> {
        log.push("run");
        if fail { Err("failed".to_owned()) } else { Ok("fine".to_owned()) }
    }
}

/// Another tool, with a typed hook on it.
#[tool]
fn typed(x: i64, log: State<Log>) -> i64 {
    log.push("run");
    x
}

#[tool_hook(tool = typed)]
async fn typed_hook(
    log: State<Log>,
    args: onionskin::typed::ArgsOf<typed>,
    next: impl TypedNext<typed>,
) -> ToolResult<i64> {
    log.push("typed hook");
    next.run(args).await
}

agent! {
    Clerk {
        instruction: "Work.",
        state: Log,
        function_tools: [macro_tool, ByHand, typed],
        toolboxes: [Box1],
        tool_hooks: [noted("agent hook"), typed_hook],
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Fail {
    fail: bool,
}

fn closure() -> ToolSpec {
    let mut spec = ToolSpec::from_fn("closure", "A closure.", |args: Fail, cx| async move {
        log_of(&cx).push("run");
        if args.fail { Err("failed".into()) } else { Ok("fine") }
    });
    spec = spec.hook(noted::new("own hook"));
    spec.add_input_guardrails((in_a::new(), in_b::new()));
    spec.add_output_guardrails((out_a::new(), out_b::new()));
    spec.add_on_error_func(|error, cx| async move { explain(&cx, error) });
    spec
}

async fn clerk(log: &Log, turn: ScriptedTurn) -> (AgentHandle, onionskin::RunOutput) {
    let script = ScriptedModel::turns([turn, ScriptedTurn::say("{last}")]);
    let clerk = Clerk::builder().model(script).state(log.clone()).toolbox(Box1).tool(closure());
    let clerk = clerk.build().await.unwrap();
    let output = clerk.run("go").await.unwrap();
    (clerk, output)
}

#[tokio::test]
async fn l1_order_of_a_call() {
    let log = Log::default();
    for tool in ["macro_tool", "method", "closure"] {
        let (_, output) = clerk(&log, ScriptedTurn::call(tool, json!({ "fail": false }))).await;
        assert_eq!(output.text, "fine");
        let fine = [
            "agent hook",
            "own hook",
            "input a",
            "input b",
            "run",
            "output a fine",
            "output b",
            "/own hook",
            "/agent hook",
        ];
        assert_eq!(log.take(), fine, "{tool}");
        let (_, output) = clerk(&log, ScriptedTurn::call(tool, json!({ "fail": true }))).await;
        assert_eq!(output.text, "explained");
        let failed = [
            "agent hook",
            "own hook",
            "input a",
            "input b",
            "run",
            "on_error failed",
            "output a explained",
            "output b",
            "/own hook",
            "/agent hook",
        ];
        assert_eq!(log.take(), failed, "{tool}");
    }
    let (_, output) = clerk(&log, ScriptedTurn::call("by_hand", json!({}))).await;
    assert_eq!(output.text, "fine+");
    assert_eq!(log.take(), ["agent hook", "on_invoke", "run", "on_output", "/agent hook"]);
    let (_, output) = clerk(&log, ScriptedTurn::call("typed", json!({ "x": 3 }))).await;
    assert_eq!(output.text, "3");
    assert_eq!(log.take(), ["agent hook", "typed hook", "run", "/agent hook"]);
}

#[tokio::test]
async fn l1_stages_of_a_hand_written_tool_as_a_value() {
    let log = Log::default();
    let mut spec = ToolSpec::new(ByHand::default()).with_state(log.clone()).hook(noted::new("own hook"));
    spec.add_input_guardrails(in_a::new()).add_output_guardrails(out_a::new());
    let said = spec.exec(json!({})).await;
    assert_eq!(said.output().unwrap().to_text(), "fine+");
    let fine = ["own hook", "input a", "on_invoke", "run", "on_output", "output a fine+", "/own hook"];
    assert_eq!(log.take(), fine);
}

#[tokio::test]
async fn l1_on_error_catches_errors_of_every_stage_from_on_invoke_on() {
    let tool = ByHand::default();
    for (fail, expect) in [
        ("on_invoke", vec!["on_invoke", "on_error not invoked"]),
        ("run", vec!["on_invoke", "run", "on_error failed"]),
        ("panic", vec!["on_invoke", "run", "on_error `by_hand` panicked: oh"]),
        ("on_output", vec!["on_invoke", "run", "on_output", "on_error bad output"]),
    ] {
        let (cx, log) = context("by_hand");
        let mut args = Args::from(json!({ "fail": fail }).to_string());
        let result = onionskin::DynTool::run_dyn(&tool, &cx, &mut args).await;
        assert_eq!(
            (text_and_kind(&result).0.as_str(), log.take()),
            ("explained", expect.into_iter().map(String::from).collect())
        );
    }
    for fail in ["stop", "abort"] {
        let (cx, log) = context("by_hand");
        let mut args = Args::from(json!({ "fail": fail }).to_string());
        let result = onionskin::DynTool::run_dyn(&tool, &cx, &mut args).await;
        assert!(matches!(result, Err(Exit::Stop(_) | Exit::Abort(_))), "{result:?}");
        assert_eq!(log.take(), ["on_invoke", "run"]);
    }
}

fn fails_too(_: &ToolContext, error: ToolError) -> ToolResult {
    match &*error.to_text() {
        "panic" => panic!("in on_error"),
        "same" => Err(Exit::Tool(error)),
        "told otherwise" => Err(Exit::Tool(ToolError::new("it is down").with_source(error))),
        "abort" => Err(Exit::abort("over")),
        "wrapped" => Err(format!("while it was told: {error}").into()),
        _ => Err("the log is full".into()),
    }
}

/// Fails.
#[tool(on_error = fails_too)]
fn fails(how: String) -> Result<(), String> {
    Err(how)
}

#[tokio::test]
async fn l1_if_on_error_fails_both_are_reported() {
    let run = async |how: &str| {
        let mut args = Args::from(json!({ "how": how }).to_string());
        fails::default().run(&ToolContext::detached("fails"), &mut args).await
    };
    let both = run("no such file").await;
    let (text, _) = text_and_kind(&both);
    assert_eq!(text, "the log is full\nIt occurred while another error was handled: no such file");
    let panicked = text_and_kind(&run("panic").await).0;
    assert_eq!(
        panicked,
        "the `on_error` of `fails` panicked: in on_error\nIt occurred while another error was handled: panic"
    );
    assert_eq!(text_and_kind(&run("same").await).0, "same");
    assert_eq!(text_and_kind(&run("wrapped").await).0, "while it was told: wrapped");
    assert_eq!(text_and_kind(&run("told otherwise").await).0, "it is down");
    assert!(run("abort").await.unwrap_err().is_abort());

    // The chain of an added one holds both.
    let mut spec = ToolSpec::from_fn("down", "Is down.", |(): (), _| async { Err::<u8, _>("down".into()) });
    spec.add_on_error_func(|_, _| async { Err("the log is full".into()) });
    let chain = spec.exec(json!({})).await.error_chain();
    assert_eq!(chain[0], "the log is full\nIt occurred while another error was handled: down");
    assert!(chain.iter().any(|error| error == "down"), "{chain:?}");
}

/// Waits before it answers.
async fn explains(cx: &ToolContext, error: ToolError) -> ToolResult {
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    if error.to_text() == "worse" {
        return fails_too(cx, error);
    }
    Ok(ToolOutput::text(format!("{}: {error}", cx.tool_name())))
}

/// Fails.
#[tool(on_error = explains)]
fn is_explained(how: String) -> Result<(), String> {
    Err(how)
}

struct Desk;

#[toolbox]
impl Desk {
    /// Fails.
    #[tool(on_error = Self::explains)]
    fn serve() -> Result<(), String> {
        Err("closed".to_owned())
    }

    async fn explains(_: &ToolContext, error: ToolError) -> ToolResult {
        explains(&ToolContext::detached("desk"), error).await
    }
}

#[tokio::test]
async fn l1_on_error_may_wait() {
    let run = async |how: &str| {
        let mut args = Args::from(json!({ "how": how }).to_string());
        is_explained::default().run(&ToolContext::detached("is_explained"), &mut args).await
    };
    assert_eq!(run("no such file").await.unwrap().to_text(), "is_explained: no such file");
    let worse = text_and_kind(&run("worse").await).0;
    assert_eq!(worse, "the log is full\nIt occurred while another error was handled: worse");
    let serve = &Desk.tools()["serve"];
    assert_eq!(serve.exec(json!({})).await.output().as_ref().unwrap().to_text(), "desk: closed");
}

#[guardrail(input)]
fn refuses(_args: &Args) -> Result<(), &'static str> {
    Err("refused")
}

#[guardrail(output)]
fn withholds(output: &ToolOutput) -> Result<(), &'static str> {
    if output.to_text() == "explained" { Ok(()) } else { Err("withheld") }
}

/// Is refused.
#[tool(input_guardrails = [refuses], on_error = explain)]
fn refused() {}

/// Is withheld.
#[tool(output_guardrails = [withholds], on_error = explain)]
fn withheld() {}

#[tokio::test]
async fn l1_on_error_answers_for_an_output_guardrail_and_not_for_an_input_guardrail() {
    assert_eq!(text_and_kind(&crate::support::call::<refused>("{}").await).0, "refused");
    assert_eq!(text_and_kind(&crate::support::call::<withheld>("{}").await).0, "explained");
}

/// Lets nothing through that says so.
#[guardrail(output)]
fn no_secret(output: &ToolOutput) -> Result<(), &'static str> {
    if output.to_text().contains("secret") { Err("it holds a secret") } else { Ok(()) }
}

/// Keeps what it is not told.
#[guardrail(output)]
fn softens(output: ToolResult) -> ToolResult {
    output.or_else(|error| Ok(ToolOutput::text(format!("instead of an error: {error}"))))
}

fn always_reports(_: &ToolContext, error: ToolError) -> ToolResult {
    Ok(ToolOutput::text(format!("secret, although {error}")))
}

/// Tells a secret, and its `on_error` too.
#[tool(output_guardrails = [no_secret], on_error = always_reports)]
fn stubborn() -> &'static str {
    "secret"
}

/// The output of an outer guardrail for a refusal is not a refusal any more.
#[tool(output_guardrails = [no_secret, softens], on_error = always_reports)]
fn softened() -> &'static str {
    "secret"
}

#[tokio::test]
async fn l1_what_on_error_makes_of_a_refusal_does_not_get_past_the_guardrails() {
    let (text, kind) = text_and_kind(&crate::support::call::<stubborn>("{}").await);
    let withheld = "`stubborn` has run; its result is withheld: it holds a secret";
    assert!(text.starts_with(withheld), "{text}");
    assert_eq!(kind, Some(ErrorKind::Withheld));
    let softened = crate::support::call::<softened>("{}").await.unwrap();
    assert_eq!(
        softened.to_text(),
        "instead of an error: `softened` has run; its result is withheld: it holds a secret"
    );
}

#[tokio::test]
async fn l1_added_on_error_functions_answer_after_the_declared_one_in_order() {
    let log = Log::default();
    let mut spec = both_fail::spec().with_state(log.clone());
    for name in ["first added", "second added"] {
        let log = log.clone();
        spec.add_on_error_func(move |error, _| {
            log.push(format!("{name}: {error}"));
            async move { Err(ToolError::new(format!("{name} too")).with_source(error).into()) }
        });
    }
    let chain = spec.exec("{}").await.error_chain();
    assert_eq!(log.take(), ["first added: declared too", "second added: first added too"]);
    assert_eq!(chain, ["second added too", "first added too", "declared too", "down"]);
}

fn says_so_too(_: &ToolContext, error: ToolError) -> ToolResult {
    Err(ToolError::new("declared too").with_source(error).into())
}

/// Fails, and so does what answers for it.
#[tool(on_error = says_so_too)]
fn both_fail() -> Result<(), &'static str> {
    Err("down")
}

/// Guardrails and an `on_error` around whatever it is, behind a hook.
fn around(spec: ToolSpec, log: &Log) -> ToolSpec {
    let mut spec = spec.with_state(log.clone()).hook(noted::new("own hook"));
    spec.add_input_guardrails(in_a::new()).add_output_guardrails(out_b::new());
    spec.add_on_error_func(|error, cx| async move { explain(&cx, error) });
    spec
}

#[cfg(feature = "mcp")]
#[tokio::test]
async fn l1_tools_of_servers_take_guardrails_too() {
    let log = Log::default();
    let description = json!({ "name": "far", "description": "Is far.", "inputSchema": { "type": "object" } });
    let spec = around(ToolSpec::from_mcp(description).unwrap(), &log);
    assert_eq!(spec.exec(json!({})).await.output().unwrap().to_text(), "explained");
    let lines = log.take();
    assert_eq!(
        (&*lines[0], &*lines[1], &*lines[3], &*lines[4]),
        ("own hook", "input a", "output b", "/own hook")
    );
    assert!(lines[2].starts_with("on_error `far` is only the description of an MCP tool"), "{lines:?}");
}

#[cfg(feature = "rhai")]
#[tokio::test]
async fn l1_scripts_take_guardrails_too() {
    let log = Log::default();
    let code = "/// Divides.\n///\n/// # Arguments\n/// * `by: int` - by what\nfn divide(by) { 6 / by }";
    let spec = around(onionskin::rhai::from_code(code).unwrap(), &log);
    assert_eq!(spec.exec(json!({ "by": 2 })).await.output().unwrap().to_text(), "3");
    assert_eq!(log.take(), ["own hook", "input a", "output b", "/own hook"]);
    assert_eq!(spec.exec(json!({ "by": 0 })).await.output().unwrap().to_text(), "explained");
    assert!(log.take()[2].starts_with("on_error the script of `divide` failed"));
}

fn typed_call() -> i64 {
    2
}

fn life() -> i64 {
    typed_call()
}

#[tool_hook]
async fn by(#[config] by: i64, args: &mut Args, next: impl Next) -> ToolResult {
    args["x"] = (args["x"].as_i64().unwrap_or(0) * by).into();
    next.run(args).await
}

/// Is configured by functions that are called as generated names might be.
#[tool(hooks = [by(life())], examples = [example(x = 1).note("Takes a Vec<u8>, or [x].")])]
fn times(x: i64) -> i64 {
    x
}

#[tokio::test]
async fn t4_the_values_of_hooks_are_the_users_own_names() {
    assert_eq!(onionskin::call!(times::spec(), x = 4).await.unwrap(), 8);
}
