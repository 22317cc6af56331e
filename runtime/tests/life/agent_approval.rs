//! `approval` of an agent: the calls that need approval, whatever the source of the tool.

use std::sync::{Arc, Mutex};

use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::declaration::{AgentDeclaration, CallFilter, DynAgent};
use onionskin::run::ToolCaller;
use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::{
    App, Args, BuildError, DynTool, Next, RunError, ScriptedModel, ScriptedTurn, ToolResult, ToolSpec, agent,
    guardrail, tool, tool_hook,
};
use serde_json::json;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct One {
    x: i64,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Both {
    x: i64,
    y: i64,
}

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook]
async fn doubled(args: &mut Args, next: impl Next) -> ToolResult {
    args["x"] = (args["x"].as_i64().unwrap_or(0) * 2).into();
    next.run(args).await
}

#[guardrail(input)]
fn ten_more(args: &mut Args) {
    if args["x"].as_i64().is_some_and(|x| x < 10) {
        args["x"] = (args["x"].as_i64().unwrap_or(0) + 10).into();
    }
}

/// Adds two, inside a hook of its own.
#[tool(hooks = [doubled])]
fn add_two(x: i64) -> i64 {
    x + 2
}

/// Adds three, inside a guardrail of its own.
#[tool(input_guardrails = [ten_more])]
fn add_three(x: i64) -> i64 {
    x + 3
}

fn is_large(args: &Args) -> Option<String> {
    args["x"].as_i64().is_none_or(|x| x > 100).then(|| "a large number".to_owned())
}

agent! {
    Careful {
        instruction: "Add.",
        function_tools: [add_one, add_two, add_three],
        approval: [add_one, add_two, add_three],
    }
    Free {
        description: "Adds.",
        instruction: "Add.",
        function_tools: [add_one, add_two, add_three],
        approval: [is_large for [add_one], "it adds three" except [add_one, add_two]],
    }
    Remote {
        instruction: "Look up.",
        servers: [files],
        agents: [Free],
        function_tools: [add_one],
        approval: [server(files), Free],
    }
    Checked {
        instruction: "Add.",
        function_tools: [add_one],
        input_guardrails: [ten_more],
        approval: [add_one, tool(bound), tool(hooked)],
    }
}

struct Files;

impl ToolServer for Files {
    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        let read = ToolSpec::from_fn(&request.tool_name("read"), "Reads.", |(): (), _| async { Ok("read") });
        let tools: Vec<Arc<dyn DynTool>> = vec![Arc::new(read)];
        Ok(Arc::new(tools))
    }
}

/// What an approver was asked: the tool, its arguments and the reason.
#[derive(Clone, Default)]
struct Questions(Arc<Mutex<Vec<String>>>);

impl Questions {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    fn approver(
        &self,
        answer: Approval,
    ) -> impl Fn(ApprovalRequest) -> std::future::Ready<Approval> + Send + Sync + 'static {
        let asked = Arc::clone(&self.0);
        move |request| {
            let reason = request.reason().map(|reason| format!(" ({reason})")).unwrap_or_default();
            asked.lock().unwrap().push(format!("{} {}{reason}", request.tool_name(), request.args().text()));
            std::future::ready(answer.clone())
        }
    }
}

fn calls(tool: &str, x: i64) -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::call(tool, json!({ "x": x })), ScriptedTurn::say("{last}")])
}

#[tokio::test]
async fn a14_an_agent_asks_for_tools_that_do_not_ask_themselves() {
    let asked = Questions::default();
    for (tool, shown, answer) in [
        ("add_one", r#"add_one {"x":1}"#, "2"),
        // The arguments that run are approved: inside the tool's own hook.
        ("add_two", r#"add_two {"x":2}"#, "4"),
    ] {
        let run = Careful::builder().model(calls(tool, 1)).approver(asked.approver(Approval::Allow));
        assert_eq!(run.run("go").await.unwrap().text, answer, "{tool}");
        assert_eq!(asked.take(), [shown], "{tool}");
        let run = Careful::builder().model(calls(tool, 1)).approver(asked.approver(Approval::deny("no")));
        assert_eq!(run.run("go").await.unwrap().text, "Tool execution was not approved: no", "{tool}");
        asked.take();
    }
    let run = Careful::builder().model(calls("add_three", 1)).approver(asked.approver(Approval::Allow));
    assert_eq!(run.run("go").await.unwrap().text, "14");
    assert_eq!(asked.take(), [r#"add_three {"x":1}"#, r#"add_three {"x":11}"#], "the guardrail changed it");
}

#[tokio::test]
async fn a14_a_rule_and_a_reason_belong_to_the_calls_of_their_filters() {
    let asked = Questions::default();
    for (tool, x, shown) in [
        ("add_one", 1, None),
        ("add_one", 101, Some(r#"add_one {"x":101} (a large number)"#)),
        ("add_two", 1, None),
        ("add_three", 50, Some(r#"add_three {"x":50} (it adds three)"#)),
    ] {
        let run = Free::builder().model(calls(tool, x)).approver(asked.approver(Approval::Allow));
        run.run("go").await.unwrap();
        assert_eq!(asked.take(), Vec::from_iter(shown), "{tool} {x}");
    }
}

#[tokio::test]
async fn a14_without_an_approver_the_run_pauses_and_calls_outside_of_runs_are_refused() {
    let Err(RunError::Paused(paused)) = Careful::builder().model(calls("add_one", 1)).run("go").await else {
        panic!("it pauses")
    };
    assert_eq!(paused.questions()[0].arguments(), &json!({ "x": 1 }));
    let tools = ToolCaller::<Careful>::new();
    for tool in ["add_one", "add_two", "add_three"] {
        let cx = tools.context(tool).unwrap();
        let refused = tools.call(&cx, &mut Args::from(r#"{"x": 1}"#)).await.unwrap_err();
        assert_eq!(refused.to_string(), "Tool execution was not approved.", "{tool}");
    }
}

#[tokio::test]
async fn a14_an_agent_asks_for_servers_and_children() {
    let asked = Questions::default();
    let model = ScriptedModel::new()
        .agent(
            "Remote",
            [
                ScriptedTurn::call("files__read", json!({}))
                    .and_call("agent__Free", json!({ "input": "1" }))
                    .and_call("add_one", json!({ "x": 1 })),
                ScriptedTurn::say("done"),
            ],
        )
        .agent("Free", [ScriptedTurn::say("one")]);
    let remote =
        Remote::builder().model(model).server("files", Files).approver(asked.approver(Approval::Allow));
    let output = remote.run("go").await.unwrap();
    let results: Vec<_> = output.tool_calls.iter().map(|call| call.to_text()).collect();
    assert_eq!(results, ["read", "one", "2"]);
    let mut asked = asked.take();
    asked.sort();
    assert_eq!(asked, [r#"agent__Free {"input":"1"}"#, "files__read {}"]);
}

#[tokio::test]
async fn a14_tool_values_are_asked_for_inside_all_that_changes_their_arguments() {
    let mut bound = ToolSpec::from_fn("bound", "Adds.", |args: Both, _| async move { Ok(args.x + args.y) });
    bound.bind("y", None, Some(5.into())).unwrap();
    let hooked = spec_called("hooked").hook(doubled::new());
    let asked = Questions::default();
    for (tool, x, shown, answer) in [
        ("bound", 1, r#"bound {"x":11}"#, "16"),
        ("hooked", 1, r#"hooked {"x":22}"#, "23"),
        ("add_one", 1, r#"add_one {"x":11}"#, "12"),
    ] {
        let run = Checked::builder()
            .model(calls(tool, x))
            .tool(bound.clone())
            .tool(hooked.clone())
            .approver(asked.approver(Approval::Allow));
        assert_eq!(run.run("go").await.unwrap().text, answer, "{tool}");
        assert_eq!(asked.take(), [shown], "{tool}");
    }
}

#[tokio::test]
async fn a14_arguments_of_a_person_pass_the_guardrails_of_the_agent() {
    let asked = Questions::default();
    let with = json!({ "x": 3 }).as_object().unwrap().clone();
    let run = Checked::builder()
        .model(calls("add_one", 50))
        .tool(spec_called("bound"))
        .tool(spec_called("hooked"))
        .approver(asked.approver(Approval::AllowWith(with)));
    // The guardrail makes 13 of it, which nobody approved, each time.
    let text = run.run("go").await.unwrap().text;
    assert_eq!(
        text,
        "Tool execution was not approved: guardrails change the arguments that a person set, each time"
    );
    assert_eq!(asked.take()[..2], [r#"add_one {"x":50}"#, r#"add_one {"x":13}"#]);
}

fn spec_called(name: &str) -> ToolSpec {
    ToolSpec::from_fn(name, "Adds one.", |args: One, _| async move { Ok(args.x + 1) })
}

#[tokio::test]
async fn a14_a_call_with_wrong_arguments_is_refused_before_anybody_is_asked() {
    let asked = Questions::default();
    for tool in ["add_one", "bound", "hooked"] {
        let model =
            ScriptedModel::turns([ScriptedTurn::call(tool, json!({ "z": 1 })), ScriptedTurn::say("{last}")]);
        let run = Checked::builder()
            .model(model)
            .tool(spec_called("bound"))
            .tool(spec_called("hooked"))
            .approver(asked.approver(Approval::Allow));
        let text = run.run("go").await.unwrap().text;
        assert!(text.starts_with("Invalid arguments for"), "{tool}: {text}");
        assert!(asked.take().is_empty(), "{tool}");
    }
}

#[tokio::test]
async fn a14_a_filter_that_names_no_tool_or_all_agents_is_an_error_of_the_build() {
    let build = async |on: CallFilter| {
        let agent = DynAgent::new("Clerk", move || {
            AgentDeclaration::new().instruction("Add.").tool(add_one::default()).approval(Some(on.clone()))
        });
        App::builder().dyn_agent(&agent).model(ScriptedModel::turns([])).build().await.unwrap_err()
    };
    let error = build(CallFilter::new(|call| call.tool_name() == "add_on").names("add_on")).await;
    assert!(matches!(&error, BuildError::FilterNamesNoTool { hook: "approval", .. }), "{error}");
    let error = build(CallFilter::everywhere()).await;
    assert!(
        error.to_string().starts_with("`approval` of the agent `Clerk` has the filter `everywhere`"),
        "{error}"
    );
}
