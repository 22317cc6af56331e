//! What hooks and guardrails do with arguments, however the model wrote them.

use std::cell::Cell;

use onionskin::{
    Args, ErrorKind, Exit, Next, Script, ScriptedTurn, Tool, ToolCaller, ToolContext, ToolDefinition,
    ToolOutput, ToolResult, ToolSpec, agent, call, guardrail, tool, tool_hook,
};
use serde_json::{Value, json};

thread_local! {
    /// A test has a thread of its own.
    static RAN: Cell<usize> = const { Cell::new(0) };
}

/// Deletes files.
#[tool]
async fn delete(#[arg(default = false)] dry_run: bool) -> String {
    RAN.set(RAN.get() + 1);
    format!("dry: {dry_run}")
}

/// Looks at nothing.
#[derive(Default)]
struct Blind;

impl Tool for Blind {
    const NAME: &'static str = "blind";
    type State = ();
    fn definition(&self) -> &ToolDefinition {
        static DEFINITION: std::sync::LazyLock<ToolDefinition> =
            std::sync::LazyLock::new(|| ToolDefinition::new("blind", "Looks at nothing."));
        &DEFINITION
    }
    async fn run(&self, _: &ToolContext, args: &mut Args) -> ToolResult {
        RAN.set(RAN.get() + 1);
        Ok(ToolOutput::text(format!("dry: {}", args["dry_run"])))
    }
}

#[tool_hook]
async fn only_dry(args: &mut Args, next: impl Next) -> ToolResult {
    args["dry_run"] = true.into();
    next.run(args).await
}

#[guardrail(input)]
fn stay_dry(args: &mut Args) {
    args["dry_run"] = true.into();
}

/// Deletes files, behind a guardrail.
#[tool(input_guardrails = [stay_dry])]
async fn guarded(#[arg(default = false)] dry_run: bool) -> String {
    RAN.set(RAN.get() + 1);
    format!("dry: {dry_run}")
}

agent! {
    Cleaner { instruction: "Clean.", function_tools: [delete, Blind, guarded], tool_hooks: [only_dry] }
    /// Without hooks of its own.
    Plain { instruction: "Clean.", function_tools: [guarded] }
}

const BROKEN: [&str; 7] =
    ["{\"dry_run\": fal", "delete", "[]", "null", "{\"a\":1,\"a\":2}", "```delete```", "{} {}"];

async fn refused(result: ToolResult, text: &str) {
    let Err(Exit::Tool(error)) = result else { panic!("{text}: {result:?}") };
    assert_eq!(error.kind(), ErrorKind::Arguments, "{text}: {error}");
    assert!(error.to_string().contains("it did not run"), "{text}: {error}");
}

#[tokio::test]
async fn h1_what_a_hook_sets_in_broken_arguments_is_an_argument_error() {
    let tools = ToolCaller::<Cleaner>::new();
    for tool in ["delete", "blind", "guarded"] {
        let cx = tools.context(tool).unwrap();
        let good = tools.call(&cx, &mut Args::from(r#"{"dry_run":false}"#)).await.unwrap();
        assert_eq!(good.to_text(), "dry: true");
        for text in BROKEN {
            refused(tools.call(&cx, &mut Args::from(text)).await, text).await;
        }
    }
    let tools = ToolCaller::<Plain>::new();
    let cx = tools.context("guarded").unwrap();
    for text in BROKEN {
        refused(tools.call(&cx, &mut Args::from(text)).await, text).await;
    }
    assert_eq!(RAN.get(), 3, "only the good calls ran");
}

#[tokio::test]
async fn h1_a_run_goes_on_after_a_hook_wrote_into_broken_arguments() {
    let script = Script::turns([
        ScriptedTurn::call("delete", json!("{\"dry_run\": fal")),
        ScriptedTurn::say("{last}"),
    ]);
    let handle = Cleaner::builder().model(script).build().await.unwrap();
    let output = handle.run("go").await.unwrap();
    assert!(output.text.contains("Invalid arguments for `delete`; it did not run"), "{}", output.text);
}

#[tokio::test]
async fn h1_a_value_as_a_tool_refuses_it_too() {
    let spec = ToolSpec::new(Blind).hook(only_dry::new());
    for text in BROKEN {
        let error = spec.call(text).await.expect_err(text);
        assert!(error.to_string().contains("Invalid arguments for `blind`"), "{text}: {error}");
    }
    assert_eq!(call!(spec, dry_run = false).await.unwrap(), "dry: true");
}

#[test]
fn h1_what_is_set_in_broken_arguments_is_lost_for_good() {
    let mut args = Args::from("delete");
    args["a"]["b"] = 1.into();
    assert_eq!(args["a"], Value::Null);
    assert_eq!(&*args.text(), "delete");
    assert!(args.as_object().is_err() && args.clone().as_object().is_err());
    args.replace(json!({"a": 1}).as_object().unwrap().clone());
    assert_eq!(args["a"], 1);
}

#[tokio::test]
async fn t11_a_value_that_is_no_object_is_refused_where_it_is_used() {
    let tools = ToolCaller::<Cleaner>::new();
    let cx = tools.context("delete").unwrap();
    let good = tools.call(&cx, &mut Args::from(json!({"dry_run": false}))).await.unwrap();
    assert_eq!(good.to_text(), "dry: true");
    for value in [json!(null), json!(5), json!("{}"), json!("{\"dry_run\":true}"), json!(""), json!([])] {
        let args = Args::from(value.clone());
        assert!(
            args.as_object().unwrap_err().to_string().contains("they are not one JSON object"),
            "{value}"
        );
        assert!(args.clone().as_object().is_err(), "{value}");
        let spec = delete::spec();
        assert!(spec.call(args).await.unwrap_err().to_string().contains("Invalid arguments"), "{value}");
        refused(tools.call(&cx, &mut Args::from(value.clone())).await, &value.to_string()).await;
    }
}
