//! The options of a tool, for each kind of tool that has them.

use std::time::Duration;

use onionskin::definition::ToolExample;
use onionskin::event::CallOutcome;
use onionskin::export::ExportOptions;
use onionskin::spec::Transform;
use onionskin::{Args, RunOutput};
use onionskin::{
    Effect, ErrorKind, ScriptedModel, ScriptedTurn, State, Tool, ToolContext, ToolDefinition, ToolOutput,
    ToolResult, ToolSpec, agent, hooks, tool, toolbox,
};
use serde_json::{Value, json};

use crate::support::Log;

/// Does what its argument says.
async fn work(mode: &str, log: &Log) -> Result<String, String> {
    log.push(mode);
    match mode {
        "hang" => std::future::pending().await,
        "fail" => Err("failed".to_owned()),
        _ => Ok("done".to_owned()),
    }
}

/// Works.
#[tool(
    title = "Works for you",
    timeout = "50ms",
    max_calls = 3,
    effect = once,
    annotations(open_world = false),
    meta = json!({ "team": "blue" }),
    examples = [example(mode = "work")],
)]
async fn function(mode: String, log: State<Log>) -> Result<String, String> {
    work(&mode, &log).await
}

/// Works, and again if it fails.
#[tool(effect = idempotent)]
async fn function_again(mode: String, log: State<Log>) -> Result<String, String> {
    work(&mode, &log).await
}

/// Works, and that was it.
#[tool(stop_after)]
async fn function_last(mode: String, log: State<Log>) -> Result<String, String> {
    work(&mode, &log).await
}

pub struct Desk;

#[toolbox]
impl Desk {
    /// Works.
    #[tool(
        title = "Works for you", timeout = "50ms", max_calls = 3, effect = once, annotations(open_world = false),
        meta = json!({ "team": "blue" }), examples = [example(mode = "work")],
    )]
    async fn method(&self, mode: String, log: State<Log>) -> Result<String, String> {
        work(&mode, &log).await
    }

    /// Works, and again if it fails.
    #[tool(effect = idempotent)]
    async fn method_again(&self, mode: String, log: State<Log>) -> Result<String, String> {
        work(&mode, &log).await
    }

    /// Works, and that was it.
    #[tool(stop_after)]
    async fn method_last(&self, mode: String, log: State<Log>) -> Result<String, String> {
        work(&mode, &log).await
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Job {
    mode: String,
}

fn closure(name: &str, log: &Log) -> ToolSpec {
    let log = log.clone();
    ToolSpec::from_fn(name, "Works.", move |job: Job, _| {
        let log = log.clone();
        async move { Ok(work(&job.mode, &log).await?) }
    })
}

struct ByHand {
    definition: ToolDefinition,
    log: Log,
}

impl ByHand {
    fn spec(name: &str, log: &Log) -> ToolSpec {
        let schema =
            json!({ "type": "object", "properties": { "mode": { "type": "string" } }, "required": ["mode"] });
        let definition = ToolDefinition::new(Self::NAME, "Works.").with_input_schema(schema);
        let mut spec = ToolSpec::new(Self { definition, log: log.clone() });
        spec.transform(Transform::new().name(name)).unwrap();
        spec
    }
}

tool_by_hand! {
    ByHand "by_hand", self.definition;

    async fn run(&self, _: &ToolContext, args: &mut Args) -> ToolResult {
        let mode = args["mode"].as_str().unwrap_or_default().to_owned();
        Ok(ToolOutput::text(work(&mode, &self.log).await?))
    }
}

#[cfg(feature = "rhai")]
fn script(name: &str, log: &Log) -> ToolSpec {
    use onionskin::rhai::{self, Env, ScriptLimits};
    let log = log.clone();
    let env = Env::new().function("log", move |mode: String| {
        log.push(mode);
        Ok(())
    });
    let code = format!(
        "/// Works.\n///\n/// # Arguments\n/// * `mode: string` - how\n\
         fn {name}(mode) {{ log(mode); if mode == \"hang\" {{ loop {{}} }} if mode == \"fail\" {{ throw \"failed\" }} \"done\" }}"
    );
    let mut limits = ScriptLimits::default();
    (limits.operations, limits.time) = (u64::MAX, Duration::from_mins(10));
    rhai::from_code(rhai::Script::new(code).env(env).limits(limits)).unwrap()
}

/// A value of each kind, by the name of the kind and an end.
fn values(end: &str, log: &Log) -> Vec<ToolSpec> {
    let name = |kind: &str| format!("{kind}{end}");
    vec![
        closure(&name("closure"), log),
        ByHand::spec(&name("by_hand"), log),
        #[cfg(feature = "rhai")]
        script(&name("script"), log),
    ]
}

/// The options of [`function`], set on a value.
fn optioned(mut spec: ToolSpec) -> ToolSpec {
    spec.options(|options| {
        options.title = Some("Works for you".into());
        options.timeout = Some(Duration::from_millis(50));
        options.max_calls = Some(3);
        options.effect = Effect::Once;
        options.annotations.open_world = Some(false);
        options.meta = Some(json!({ "team": "blue" }).into());
    });
    spec.set_examples([ToolExample::new(json!({ "mode": "work" }))]).unwrap();
    spec
}

agent! {
    Worker {
        instruction: "Work.",
        state: Log,
        function_tools: [function, function_again, function_last],
        toolboxes: [Desk],
        tool_hooks: [hooks::retry(3)],
    }
}

const KINDS: &[&str] = &[
    "function",
    "method",
    "closure",
    "by_hand",
    #[cfg(feature = "rhai")]
    "script",
];

/// Runs calls of one tool, each in a turn of its own.
async fn run(tool: &str, modes: &[&str], log: &Log) -> RunOutput {
    let calls = modes.iter().map(|mode| ScriptedTurn::call(tool, json!({ "mode": mode })));
    let model = ScriptedModel::turns(calls.chain([ScriptedTurn::say("the end")]));
    let mut worker = Worker::builder().model(model).state(log.clone()).toolbox(Desk);
    for spec in values("", log) {
        worker = worker.tool(optioned(spec));
    }
    for mut spec in values("_again", log) {
        spec.options(|options| options.effect = Effect::Idempotent);
        worker = worker.tool(spec);
    }
    for mut spec in values("_last", log) {
        spec.options(|options| options.stop_after = true);
        worker = worker.tool(spec);
    }
    worker.run("go").await.unwrap()
}

#[tokio::test]
async fn t4_time_number_of_calls_and_effect_hold_for_every_kind_of_tool() {
    for kind in KINDS {
        let log = Log::default();
        let output = run(kind, &["hang", "fail", "work", "work"], &log).await;
        let outcomes: Vec<_> = output.tool_calls.iter().map(|call| call.outcome).collect();
        let failed = |kind| Some(CallOutcome::Error(kind));
        assert_eq!(
            outcomes,
            [
                failed(ErrorKind::Timeout),
                failed(ErrorKind::Failed),
                Some(CallOutcome::Ok),
                failed(ErrorKind::Limit)
            ],
            "{kind}"
        );
        // What happens once is tried once, although a hook would try again.
        assert_eq!(log.take(), ["hang", "fail", "work"], "{kind}");

        run(&format!("{kind}_again"), &["fail"], &log).await;
        assert_eq!(log.take(), ["fail"; 3], "{kind}");
    }
}

#[tokio::test]
async fn t4_stop_after_ends_the_run_for_every_kind_of_tool() {
    for kind in KINDS {
        let log = Log::default();
        let output = run(&format!("{kind}_last"), &["work", "work"], &log).await;
        assert_eq!((&*output.text, output.tool_calls.len()), ("done", 1), "{kind}");
        assert_eq!(log.take(), ["work"], "{kind}");
    }
}

#[test]
fn t4_what_a_tool_says_of_itself_is_exported_for_every_kind_of_tool() {
    let log = Log::default();
    let declared = [function::spec(), ToolSpec::from_toolbox(Desk).remove("method").unwrap()];
    for spec in declared.into_iter().chain(values("", &log).into_iter().map(optioned)) {
        let form: Value = spec.to_mcp_json(&ExportOptions::new()).unwrap();
        let told = (&form["title"], &form["annotations"], &form["_meta"]);
        let expected =
            (&json!("Works for you"), &json!({ "openWorldHint": false }), &json!({ "team": "blue" }));
        assert_eq!(told, expected, "{}", spec.name());
        let prompt = spec.to_prompt();
        assert!(prompt.ends_with(&format!("{}(mode=\"work\")", spec.name())), "{prompt}");
        let anthropic = spec.to_anthropic(&ExportOptions::new()).unwrap();
        assert_eq!(anthropic["input_examples"], json!([{ "mode": "work" }]), "{}", spec.name());
    }
}
