//! T11: whatever a tool comes from, wrong arguments are refused before it runs and before an approver is asked, and right ones
//! arrive in the types of its schema: one table of all sources.
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

#[macro_use]
#[path = "../../runtime/tests/shared/by_hand.rs"]
mod by_hand;

use std::sync::{Arc, Mutex};

use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::run::AgentRun;
use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::spec::ToolPolicy;
use onionskin::{
    AgentTool, Args, BoxFuture, DynTool, ErrorKind, Exit, RunError, ScriptedModel, ScriptedTurn, ToolContext,
    ToolDefinition, ToolError, ToolOutput, ToolResult, ToolSpec, agent, tool, toolbox,
};
use serde_json::{Value, json};

/// A definition that requires an integer `id`.
fn takes_id(name: &str) -> ToolDefinition {
    ToolDefinition::new(name, "Shows its arguments.").with_input_schema(json!({
        "type": "object",
        "properties": { "id": { "type": "integer" } },
        "required": ["id"],
        "additionalProperties": false,
    }))
}

/// What the closure takes.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Id {
    id: i64,
}

/// Shows its arguments.
#[tool]
fn function(id: i64) -> String {
    json!({ "id": id }).to_string()
}

#[derive(Clone, Copy, Default)]
struct ByHand;

tool_by_hand! {
    ByHand "by_hand", takes_id(ByHand::NAME);

    async fn run(&self, _: &ToolContext, args: &mut Args) -> ToolResult {
        Ok(ToolOutput::text(args.text().to_string()))
    }
}

/// A tool that has its name at run time.
#[derive(Clone)]
struct Dynamic(ToolDefinition);

impl Dynamic {
    fn named(name: &str) -> Arc<dyn DynTool> {
        Arc::new(Self(takes_id(name)))
    }
}

impl DynTool for Dynamic {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn run_dyn<'a>(&'a self, _: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async { Ok(ToolOutput::text(args.text().to_string())) })
    }
}

/// Another tool under another name. It forwards what a wrapper has to.
struct Wrapper(Arc<dyn DynTool>, ToolDefinition);

impl Wrapper {
    fn wrap(tool: Arc<dyn DynTool>, name: &str) -> ToolSpec {
        let mut definition = tool.definition().clone();
        definition.name = name.into();
        ToolSpec::from_dyn(Arc::new(Self(tool, definition)))
    }
}

impl DynTool for Wrapper {
    fn definition(&self) -> &ToolDefinition {
        &self.1
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        self.0.run_dyn(cx, args)
    }

    fn fit_args_dyn(&self, cx: &ToolContext, args: &mut Args) -> ToolResult<()> {
        self.0.fit_args_dyn(cx, args)
    }

    fn check_args_dyn(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
        self.0.check_args_dyn(cx, args)
    }

    fn with_policy_dyn(&self, more: &ToolPolicy) -> Option<Arc<dyn DynTool>> {
        Some(Arc::new(Self(self.0.with_policy_dyn(more)?, self.1.clone())))
    }
}

struct Shelf;

#[toolbox]
impl Shelf {
    /// Shows its arguments.
    #[expect(clippy::unused_self, reason = "a method of an object")]
    #[tool]
    fn method(&self, id: i64) -> String {
        json!({ "id": id }).to_string()
    }
}

/// A script.
const SCRIPT: &str =
    "/// Shows its arguments.\n///\n/// Args:\n///     id (int): The id.\nfn script(id) { `{\"id\":${id}}` }";

async fn repeat(_: &AgentRun, input: String) -> Result<String, RunError> {
    Ok(input)
}

agent! { Child { description: "Helps.", instruction: "Help.", run: repeat } }

/// A server with one tool.
struct Office;

impl ToolServer for Office {
    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        assert_eq!(request.tool_name("remote"), "office__remote");
        let tools: Vec<Arc<dyn DynTool>> = vec![Dynamic::named("office__remote")];
        Ok(Arc::new(tools))
    }
}

agent! {
    Everything {
        instruction: "Call everything.",
        servers: [office],
        function_tools: [function, ByHand],
        agents: [Child],
        runtime: [shell.execute],
        toolboxes: [Shelf],
    }
}

/// Values of tools; all of them take an integer `id`.
fn values() -> Vec<ToolSpec> {
    let mut renamed = ToolSpec::new(ByHand);
    renamed.transform(onionskin::spec::Transform::new().name("renamed")).unwrap();
    vec![
        ToolSpec::from_dyn(Dynamic::named("dynamic")),
        Wrapper::wrap(Arc::new(ByHand), "wraps_by_hand"),
        Wrapper::wrap(Dynamic::named("inner"), "wraps_dynamic"),
        Wrapper::wrap(Arc::new(function::default()), "wraps_function"),
        Wrapper::wrap(Arc::new(ToolSpec::from_dyn(Dynamic::named("inner"))), "wraps_value"),
        ToolSpec::from_definition(takes_id("from_definition"), |args, _| async move {
            Ok(args.text().to_string())
        }),
        ToolSpec::from_fn("closure", "Shows its arguments.", |Id { id }: Id, _| async move {
            Ok(json!({ "id": id }).to_string())
        }),
        onionskin::rhai::from_code(SCRIPT).unwrap(),
        renamed,
    ]
}

async fn agent_tool() -> ToolSpec {
    let child = Child::builder().model(ScriptedModel::new()).build().await.unwrap();
    AgentTool::new(&child).name("agent_tool").spec()
}

/// The tools by the names that the model uses, arguments that fit, and the text that is in the result.
async fn calls() -> Vec<(String, Value, &'static str)> {
    let id = || json!({ "id": "3" });
    let mut calls: Vec<_> = ["function", "by_hand", "method", "office__remote"]
        .into_iter()
        .map(|name| (name.to_owned(), id(), r#"{"id":3}"#))
        .collect();
    calls.extend(values().into_iter().map(|spec| (spec.name().to_owned(), id(), r#"{"id":3}"#)));
    calls.push(("agent__Child".to_owned(), json!({ "input": "3" }), "3"));
    calls.push((agent_tool().await.name().to_owned(), json!({ "input": "3" }), "3"));
    calls.push(("shell_execute".to_owned(), json!({ "command": "echo 3", "timeout_sec": "5" }), "3"));
    calls
}

async fn results(turn: ScriptedTurn) -> Vec<(String, String)> {
    let builder = Everything::builder().toolbox(Shelf).server("office", Office).tool(agent_tool().await);
    let builder = values().into_iter().fold(builder, onionskin::declaration::AgentBuilder::tool);
    let model = ScriptedModel::turns([turn, ScriptedTurn::say("done")]);
    let output = builder.model(model).build().await.unwrap().run("go").await.unwrap();
    output.tool_calls.iter().map(|call| (call.tool.to_string(), call.to_text().to_string())).collect()
}

#[tokio::test]
async fn t11_wrong_arguments_reach_no_tool_of_any_source() {
    let calls = calls().await;
    let turn = calls.iter().fold(ScriptedTurn::default(), |turn, (tool, ..)| {
        turn.and_call(tool, json!({ "idd": "three", "id": "three", "input": [], "command": [] }))
    });
    let results = results(turn).await;
    assert_eq!(results.len(), calls.len());
    for (tool, text) in results {
        assert!(text.contains("`idd`: unknown argument"), "{tool}: {text}");
        assert!(
            text.contains("Invalid arguments for `") && text.contains("it did not run"),
            "{tool}: {text}"
        );
    }
}

#[tokio::test]
async fn t11_arguments_arrive_in_the_types_of_the_schema_at_tools_of_all_sources() {
    let calls = calls().await;
    let turn =
        calls.iter().fold(ScriptedTurn::default(), |turn, (tool, args, _)| turn.and_call(tool, args.clone()));
    let results = results(turn).await;
    assert_eq!(results.len(), calls.len());
    for ((tool, text), (_, _, part)) in results.iter().zip(&calls) {
        assert!(text.contains(part) && !text.contains("Invalid"), "{tool}: {text}");
    }
}

#[tokio::test]
async fn t11_values_check_their_arguments_in_direct_calls_and_before_the_approver_is_asked() {
    let mut all = values();
    all.extend([function::spec(), ToolSpec::new(ByHand), Shelf.tools()["method"].clone()]);
    for mut spec in all {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let approver = {
            let asked = Arc::clone(&asked);
            move |request: ApprovalRequest| {
                asked.lock().unwrap().push(request.args().text().to_string());
                async { Approval::Allow }
            }
        };
        assert_eq!(
            spec.call(json!({ "id": "3" })).await.unwrap(),
            json!({ "id": 3 }).to_string(),
            "{}",
            spec.name()
        );
        spec.approval().approver(approver);
        let refused = spec.call(json!({ "idd": "three" })).await.unwrap_err();
        let text = refused.to_string();
        assert_eq!(refused.as_tool_error().map(ToolError::kind), Some(ErrorKind::Arguments), "{text}");
        assert!(
            text.contains("`idd`: unknown argument; did you mean `id`?") && text.contains("`id`: missing"),
            "{text}"
        );
        assert_eq!(*asked.lock().unwrap(), [""; 0], "{}", spec.name());
        assert_eq!(spec.call(json!({ "id": "3" })).await.unwrap(), json!({ "id": 3 }).to_string());
        assert_eq!(*asked.lock().unwrap(), [r#"{"id":3}"#], "{}", spec.name());
    }
}

/// Completes its arguments before it runs.
struct Completes;

tool_by_hand! {
    Completes "completes", takes_id(Completes::NAME);

    async fn on_invoke(&self, _: &ToolContext, args: &mut Args) -> ToolResult<()> {
        if args.get("id").is_none() {
            args["id"] = "7".into();
        }
        Ok(())
    }

    async fn run(&self, _: &ToolContext, args: &mut Args) -> ToolResult {
        Ok(ToolOutput::text(args.text().to_string()))
    }

    async fn on_error(&self, _: &ToolContext, error: ToolError) -> ToolResult {
        let sorry = ToolError::new(format!("{error} (sorry)")).with_kind(error.kind());
        Err(Exit::Tool(sorry.with_source(error)))
    }
}

#[tokio::test]
async fn t11_arguments_are_checked_after_on_invoke_and_on_error_gets_the_refusal() {
    for spec in [ToolSpec::new(Completes), Wrapper::wrap(Arc::new(Completes), "wraps")] {
        assert_eq!(spec.call("{}").await.unwrap(), r#"{"id":7}"#);
        let refused = spec.call(json!({ "id": "three" })).await.unwrap_err().to_string();
        assert!(refused.contains("`id`: expected an integer") && refused.ends_with("(sorry)"), "{refused}");
    }
}

/// Takes anything.
struct TakesAll;

tool_by_hand! {
    TakesAll "takes_all", takes_id(TakesAll::NAME);

    async fn run(&self, _: &ToolContext, args: &mut Args) -> ToolResult {
        Ok(ToolOutput::text(args.text().to_string()))
    }

    fn fit_args(&self, _: &ToolContext, _: &mut Args) -> ToolResult<()> {
        Ok(())
    }
}

#[tokio::test]
async fn t11_a_tool_that_takes_all_arguments_gets_them_as_they_are_also_behind_an_approval() {
    let mut spec = ToolSpec::new(TakesAll);
    assert_eq!(spec.call(r#"{"idd":"three"}"#).await.unwrap(), r#"{"idd":"three"}"#);
    spec.approval().approver(|_| async { Approval::Allow });
    assert_eq!(spec.call(r#"{"idd":"three"}"#).await.unwrap(), r#"{"idd":"three"}"#);
}

#[tokio::test]
async fn t11_bound_values_are_checked_with_the_others_and_are_not_shown() {
    let schema = json!({
        "type": "object",
        "properties": { "id": { "type": "integer" }, "key": { "type": "string" } },
        "required": ["id", "key"],
        "additionalProperties": false,
    });
    let by_definition =
        ToolSpec::from_definition(takes_id("bound").with_input_schema(schema), |args, _| async move {
            Ok(format!("{} with {} letters", args["id"], args["key"].as_str().unwrap_or_default().len()))
        });
    for mut spec in [by_definition.clone(), Wrapper::wrap(Arc::new(by_definition), "wraps")] {
        spec.bind("key", None, json!("hunter2")).unwrap();
        assert_eq!(spec.call(json!({ "id": "3" })).await.unwrap(), "3 with 7 letters");
        let refused = spec.call("{}").await.unwrap_err().to_string();
        assert!(refused.contains("`id`: missing") && !refused.contains("key"), "{refused}");
    }
}

#[tokio::test]
async fn t11_a_schema_that_is_no_objects_or_checks_less_than_it_says_is_a_build_error() {
    let model = || ScriptedModel::turns([]);
    let of_list = ToolDefinition::from_types::<Vec<i64>, ()>("of_list", "Takes a list.");
    let untyped = ToolDefinition::new("untyped", "Takes what it gets.").with_input_schema(json!({}));
    let properties = json!({ "type": "object", "properties": { "x": { "type": "interger" } } });
    let misspelt = ToolDefinition::new("misspelt", "Takes a number.").with_input_schema(properties);
    for (definition, problem) in [
        (of_list, "its `type` is \"array\""),
        (untyped, "it has no `type`"),
        (misspelt, "at `/properties/x/type` there is `\"interger\"`: did you mean `integer`?"),
    ] {
        let spec = ToolSpec::from_definition(definition, |_, _| async { Ok(()) });
        let name = spec.name().to_owned();
        let error = Child::builder().model(model()).tool(spec).build().await.unwrap_err().to_string();
        assert!(error.contains(&format!("`{name}`")) && error.contains(problem), "{error}");
    }
}
