//! T4: `timeout` bounds one attempt of the function, and nothing around it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::typed::{ArgsOf, TypedNext};
use onionskin::{
    Args, ErrorKind, Exit, Next, ScriptedModel, ScriptedTurn, Tool, ToolContext, ToolDefinition, ToolError,
    ToolOutput, ToolResult, ToolSpec, agent, guardrail, tool, tool_hook, toolbox,
};
use serde_json::json;
use tokio::time::sleep;

use crate::support::Log;

/// Longer than any `timeout` here.
const LONG: Duration = Duration::from_mins(1);

/// A person who thinks.
async fn thinks(_: ApprovalRequest) -> Approval {
    sleep(LONG).await;
    Approval::Allow
}

/// Tries until the tool answers, and rests before each try.
#[tool_hook]
async fn patient(args: &mut Args, next: impl Next) -> ToolResult {
    for _ in 0..2 {
        sleep(LONG).await;
        let error = match next.run(&mut args.clone()).await {
            Err(Exit::Tool(error)) => error,
            other => return other,
        };
        assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    }
    next.run(args).await
}

#[guardrail(input)]
async fn slow_guard(_args: &Args) {
    sleep(LONG).await;
}

#[guardrail(output)]
async fn slow_release(_output: &ToolOutput) {
    sleep(LONG).await;
}

static TRIES: AtomicU32 = AtomicU32::new(0);

/// Hangs twice of three times.
async fn third_time() -> String {
    if !(TRIES.fetch_add(1, Ordering::SeqCst) + 1).is_multiple_of(3) {
        sleep(LONG).await;
    }
    "done".to_owned()
}

/// Is approved, and tried three times.
#[tool(timeout = "1s", approval, hooks = [patient], input_guardrails = [slow_guard], output_guardrails = [slow_release])]
async fn whole() -> String {
    third_time().await
}

/// Is approved alone.
#[tool(timeout = "1s", approval)]
async fn approved() -> &'static str {
    "done"
}

/// Has a typed hook.
#[tool(timeout = "1s")]
async fn typed() -> String {
    third_time().await
}

#[tool_hook(tool = typed)]
async fn patient_typed(_args: ArgsOf<typed>, next: impl TypedNext<typed>) -> ToolResult<String> {
    for _ in 0..2 {
        sleep(LONG).await;
        assert!(next.run(ArgsOf::<typed> {}).await.is_err());
    }
    next.run(ArgsOf::<typed> {}).await
}

struct Desk;

#[toolbox]
impl Desk {
    /// As `whole`.
    #[tool(timeout = "1s", approval, hooks = [patient])]
    async fn method(&self) -> String {
        third_time().await
    }
}

/// Is written by hand.
#[derive(Default)]
struct ByHand;

tool_by_hand! {
    ByHand "by_hand", {
        let mut definition = ToolDefinition::new("by_hand", "Rests.");
        definition.timeout = Some(Duration::from_secs(1));
        definition
    };

    async fn on_invoke(&self, _: &ToolContext, _: &mut Args) -> ToolResult<()> {
        sleep(LONG).await;
        Ok(())
    }
    async fn run(&self, _: &ToolContext, args: &mut Args) -> ToolResult {
        if args["hang"] == true {
            sleep(LONG).await;
        }
        Ok("done".into())
    }
    async fn on_error(&self, _: &ToolContext, error: ToolError) -> ToolResult {
        sleep(LONG).await;
        Err(Exit::Tool(error))
    }
}

agent! {
    Clerk {
        state: Log, instruction: "Go.", function_tools: [whole, approved, typed, ByHand], toolboxes: [Desk],
        tool_hooks: [patient_typed],
    }
}

fn bounded(mut spec: ToolSpec) -> ToolSpec {
    spec.options(|options| options.timeout = Some(Duration::from_secs(1)));
    spec
}

fn values() -> [ToolSpec; 3] {
    let closure =
        bounded(ToolSpec::from_fn("closure", "Hangs.", |(): (), _| async { Ok(third_time().await) }));
    let mut closure = closure.hook(patient::new());
    closure.approval();
    // Hooks outside of a tool that has hooks.
    let mut around = whole::spec().hook(patient::new());
    around.transform(onionskin::spec::Transform::new().name("around")).unwrap();
    // Stages alone.
    let mut stages = bounded(ToolSpec::from_fn("stages", "Answers.", |(): (), _| async { Ok("done") }));
    stages.approval().add_input_guardrails(slow_guard::new());
    [closure, around, stages]
}

#[tokio::test(start_paused = true)]
async fn t4_timeout_counts_no_approval_no_guardrail_and_not_all_attempts() {
    for tool in ["whole", "approved", "typed", "method", "by_hand", "closure", "around", "stages"] {
        TRIES.store(0, Ordering::SeqCst);
        let model = ScriptedModel::turns([ScriptedTurn::call(tool, json!({})), ScriptedTurn::say("{last}")]);
        let builder = Clerk::builder().model(model).state(Log::default()).approver(thinks).toolbox(Desk);
        let builder = values().into_iter().fold(builder, onionskin::declaration::AgentBuilder::tool);
        assert_eq!(builder.run("go").await.unwrap().text, "done", "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn t4_timeout_ends_each_attempt() {
    let hangs = || async {
        sleep(LONG).await;
        Ok("done")
    };
    let mut closure = bounded(ToolSpec::from_fn("closure", "Hangs.", move |(): (), _| hangs()));
    let plain = closure.clone();
    closure.approval().approver(thinks);
    let stages = closure.clone();
    for spec in [plain, stages, ToolSpec::new(ByHand)] {
        let args = if spec.name() == "by_hand" { json!({ "hang": true }) } else { json!({}) };
        let error = spec.call(args.to_string()).await.unwrap_err();
        let error = error.as_tool_error().unwrap();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        let said = "took longer than 1s; it was cancelled; whether it took effect is not known";
        assert_eq!(error.to_string(), format!("`{}` {said}", spec.name()));
    }
}

/// The time that a tool of a constant may take.
const NO_TIME: Duration = Duration::ZERO;

/// A tool by hand that has no time: with `#[tool]` it would not compile.
struct NoTime(ToolDefinition);

impl Default for NoTime {
    fn default() -> Self {
        let mut definition = ToolDefinition::new(Self::NAME, "Has no time.");
        definition.timeout = Some(NO_TIME);
        Self(definition)
    }
}

tool_by_hand! {
    NoTime "hasty", self.0;

    async fn run(&self, _: &ToolContext, _: &mut Args) -> ToolResult {
        Ok(ToolOutput::text("done"))
    }
}

agent! { Hasty { name: "hasty", instruction: "Go.", function_tools: [NoTime] } }

#[tokio::test]
async fn t4_bounds_of_zero_are_refused_where_they_are_set() {
    let error = Hasty::builder().model(ScriptedModel::turns([])).build().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tool `hasty` of the agent `hasty` sets `timeout` to 0: remove it for no limit"
    );

    let panics = |set: fn()| {
        let panic = std::panic::catch_unwind(set).expect_err("it is refused");
        panic
            .downcast_ref::<String>()
            .cloned()
            .unwrap_or_else(|| panic.downcast_ref::<&str>().unwrap().to_string())
    };
    let text = panics(|| {
        ToolSpec::new(ByHand).options(|options| options.timeout = Some(NO_TIME));
    });
    assert_eq!(text, "`timeout` of the tool `by_hand` is 0: remove it for no limit");
    let text = panics(|| {
        ToolSpec::new(ByHand).options(|options| options.max_calls = Some(0));
    });
    assert_eq!(text, "`max_calls` of the tool `by_hand` is 0: remove it for no limit");
    assert!(panics(|| drop(onionskin::Cache::new().ttl(NO_TIME))).contains("`ttl` of 0"));
    assert!(panics(|| drop(onionskin::Cache::new().capacity(0))).contains("`capacity` of 0"));
}

#[cfg(feature = "rhai")]
#[tokio::test]
async fn t4_timeout_of_a_script_counts_no_approval() {
    let mut spec = onionskin::rhai::from_code("/// Answers.\nfn answer() { 42 }").unwrap();
    spec.options(|options| options.timeout = Some(Duration::from_millis(200)));
    spec.approval().approver(|_: ApprovalRequest| async {
        sleep(Duration::from_millis(400)).await;
        Approval::Allow
    });
    assert_eq!(spec.call("{}").await.unwrap(), 42);
}

/// Ends at once.
#[tool(timeout = "50ms")]
async fn quick() -> u8 {
    1
}

/// Fails at once.
#[tool(effect = idempotent, hooks = [onionskin::hooks::retry(3)])]
async fn failing() -> Result<u8, String> {
    Err("no luck".to_owned())
}

#[test]
fn t4_a_runtime_without_timers_is_an_error_that_says_what_to_enable() {
    let plain = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for (spec, told) in [(quick::spec(), "`quick` did not run"), (failing::spec(), "no luck")] {
        let Err(Exit::Tool(error)) = plain.block_on(spec.exec("{}")).result else { panic!("{told}") };
        let text = error.to_string();
        assert!(text.starts_with(told) && text.contains("`enable_time()`"), "{text}");
        assert_eq!(error.kind(), ErrorKind::Failed);
    }
    let Err(Exit::Tool(error)) =
        futures_util::FutureExt::now_or_never(quick::spec().exec("{}")).unwrap().result
    else {
        panic!("no runtime at all")
    };
    assert!(error.to_string().contains("`enable_time()`"), "{error}");
}
