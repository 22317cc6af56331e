//! Approval and the cache among the other stages, for each kind of tool that has them.

use onionskin::approval::{Approval, ApprovalRequest, Approver};
use onionskin::{
    AgentHandle, Args, Cache, Next, ScriptedModel, ScriptedTurn, State, ToolContext, ToolError, ToolOutput,
    ToolResult, ToolSpec, agent, guardrail, tool, tool_hook, toolbox,
};
use serde_json::json;

use crate::support::Log;

#[tool_hook]
async fn outside(log: State<Log>, args: &mut Args, next: impl Next) -> ToolResult {
    log.push("agent hook");
    next.run(args).await
}

#[tool_hook]
async fn at_most_ten(log: State<Log>, args: &mut Args, next: impl Next) -> ToolResult {
    log.push("own hook");
    args["x"] = args["x"].as_i64().unwrap_or(0).min(10).into();
    next.run(args).await
}

#[guardrail(input)]
fn admits(log: State<Log>, args: &Args) {
    log.push(format!("input {}", args["x"]));
}

#[guardrail(output)]
fn releases(log: State<Log>, output: &ToolOutput) {
    log.push(format!("output {}", output.to_text()));
}

fn explain(_: &ToolContext, error: ToolError) -> ToolResult {
    Ok(ToolOutput::text(format!("explained: {error}")))
}

fn squared(x: i64, log: &Log) -> Result<i64, String> {
    log.push("run");
    if x < 0 { Err("too small".to_owned()) } else { Ok(x * x) }
}

/// Squares.
#[tool(
    hooks = [at_most_ten],
    approval,
    cache,
    input_guardrails = [admits],
    output_guardrails = [releases],
    on_error = explain,
)]
fn function(x: i64, log: State<Log>) -> Result<i64, String> {
    squared(x, &log)
}

#[derive(Default)]
pub struct Desk;

#[toolbox]
impl Desk {
    /// Squares.
    #[expect(clippy::unused_self, reason = "the object does not matter here")]
    #[tool(
        hooks = [at_most_ten], approval, cache, input_guardrails = [admits], output_guardrails = [releases], on_error = explain
    )]
    fn method(&self, x: i64, log: State<Log>) -> Result<i64, String> {
        squared(x, &log)
    }
}

/// Squares.
#[tool]
fn bare(x: i64, log: State<Log>) -> Result<i64, String> {
    squared(x, &log)
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Square {
    x: i64,
}

agent! {
    Clerk {
        instruction: "Square.",
        state: Log,
        function_tools: [function],
        toolboxes: [Desk],
        tool_hooks: [outside],
    }
}

/// Writes down what it is asked.
struct Recording {
    log: Log,
    answer: Approval,
}

impl Approver for Recording {
    async fn approve(&self, request: ApprovalRequest) -> Approval {
        self.log.push(format!("approval {}", request.args()["x"]));
        self.answer.clone()
    }
}

/// The same stages, added to a value.
fn added(mut spec: ToolSpec) -> ToolSpec {
    spec.approval().cache(Cache::new());
    spec.add_input_guardrails(admits::new()).add_output_guardrails(releases::new());
    spec.add_on_error_func(|error, cx| async move { explain(&cx, error) });
    spec.hook(at_most_ten::new())
}

fn closure(log: &Log) -> ToolSpec {
    let log = log.clone();
    ToolSpec::from_fn("closure", "Squares.", move |args: Square, _| {
        let log = log.clone();
        async move { Ok(squared(args.x, &log)?) }
    })
}

#[cfg(feature = "rhai")]
fn script(log: &Log) -> ToolSpec {
    let log = log.clone();
    let env = onionskin::rhai::Env::new().function("squared", move |x: i64| Ok(squared(x, &log)?));
    let code = "/// Squares.\n///\n/// # Arguments\n/// * `x: int` - what\nfn script(x) { squared(x) }";
    onionskin::rhai::from_code(onionskin::rhai::Script::new(code).env(env)).unwrap()
}

#[cfg(feature = "rhai")]
const KINDS: &[&str] = &["function", "method", "bare", "closure", "script"];
#[cfg(not(feature = "rhai"))]
const KINDS: &[&str] = &["function", "method", "bare", "closure"];

async fn clerk(turns: Vec<ScriptedTurn>, log: &Log) -> AgentHandle {
    let clerk = Clerk::builder().model(ScriptedModel::turns(turns)).state(log.clone()).toolbox(Desk);
    let clerk = clerk.tool(added(bare::spec())).tool(added(closure(log)));
    #[cfg(feature = "rhai")]
    let clerk = clerk.tool(added(script(log)));
    clerk.build().await.unwrap()
}

#[tokio::test]
async fn l1_approval_stands_inside_of_hooks_and_outside_of_the_cache() {
    for kind in KINDS {
        let log = Log::default();
        let calls =
            [41, 10, 10].map(|x| [ScriptedTurn::call(*kind, json!({ "x": x })), ScriptedTurn::say("{last}")]);
        let clerk = clerk(calls.concat(), &log).await;
        let session = clerk.session();
        let ask = async |answer: Approval| {
            let approver = Recording { log: log.clone(), answer };
            let output = clerk.request("go").session(&session).approver(approver).run().await.unwrap();
            (output.text, log.take())
        };
        let (text, lines) = ask(Approval::Allow).await;
        assert_eq!(text, "100", "{kind}");
        let stages = ["agent hook", "own hook", "approval 10", "input 10", "run", "output 100"];
        assert_eq!(lines, stages, "{kind}: the approver is asked for what the hook made of it");
        let (text, lines) = ask(Approval::Allow).await;
        assert_eq!(text, "100", "{kind}");
        assert_eq!(lines, stages[..3], "{kind}: a kept result is approved as well");
        let (text, lines) = ask(Approval::deny("not you")).await;
        assert!(text.contains("not you") && !text.contains("100"), "{kind}: {text}");
        assert_eq!(lines, stages[..3], "{kind}: nobody gets a kept result without a yes");
    }
}

#[tokio::test]
async fn l1_no_stage_is_passed_by_where_it_fails() {
    for kind in KINDS {
        let log = Log::default();
        let turns = vec![ScriptedTurn::call(*kind, json!({ "x": -1 })), ScriptedTurn::say("{last}")];
        let clerk = clerk(turns, &log).await;
        let run = async || {
            let approver = Recording { log: log.clone(), answer: Approval::Allow };
            clerk.request("go").approver(approver).run().await.unwrap().text
        };
        let text = run().await;
        assert!(text.starts_with("explained: ") && text.ends_with("too small"), "{kind}: {text}");
        let stages = ["agent hook", "own hook", "approval -1", "input -1", "run"];
        let lines = log.take();
        assert_eq!(lines[..5], stages, "{kind}");
        assert_eq!(lines[5..], [format!("output {text}")], "{kind}");
    }
}

/// No approval is requested for a call that cannot run; error handlers and output guardrails still get its error.
#[tokio::test]
async fn l1_wrong_arguments_of_a_call_to_approve_go_the_same_way_out() {
    for kind in KINDS {
        let log = Log::default();
        let wrong = json!({ "x": 1, "y": 2 });
        let clerk = clerk(vec![ScriptedTurn::call(*kind, wrong), ScriptedTurn::say("{last}")], &log).await;
        let approver = Recording { log: log.clone(), answer: Approval::Allow };
        let text = clerk.request("go").approver(approver).run().await.unwrap().text;
        assert!(
            text.starts_with("explained: Invalid arguments") && text.contains("`y`: unknown"),
            "{kind}: {text}"
        );
        let lines = log.take();
        assert_eq!(lines[..3], ["agent hook", "own hook", "input 1"], "{kind}");
        assert_eq!(lines[3..], [format!("output {text}")], "{kind}");
    }
}

/// Pays, if the approver allows it.
#[tool(approval, on_error = explain)]
fn pays(_cents: u32) {}

#[tokio::test]
async fn l1_on_error_answers_for_wrong_arguments_that_nobody_was_asked_for() {
    let mut spec = pays::spec();
    let log = Log::default();
    spec.approver(Recording { log: log.clone(), answer: Approval::Allow });
    let execution = spec.exec(json!({ "_cents": "much" })).await;
    assert!(
        execution.output().unwrap().to_text().starts_with("explained: Invalid arguments"),
        "{execution:?}"
    );
    assert!(log.take().is_empty());
}
