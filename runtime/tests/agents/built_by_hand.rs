//! What a build checks of tools and hooks that are written by hand, wherever they come from.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use onionskin::declaration::AgentDeclaration;
use onionskin::definition::ToolExample;
use onionskin::event::EventKind;
use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::spec::for_each_run;
use onionskin::{
    Agent, Args, BuildError, DynTool, Hook, Inject, Next, RunContext, RunError, ScriptedModel, ScriptedTurn,
    State, Tool, ToolContext, ToolDefinition, ToolOutput, ToolResult, ToolSpec, Toolbox, agent, made,
};
use serde_json::json;

use super::support::Count;

type Tools = Vec<Arc<dyn DynTool>>;

/// A tool on a state that the agents below do not have.
struct Counts;

static COUNTS: LazyLock<ToolDefinition> = LazyLock::new(|| ToolDefinition::new(Counts::NAME, "Counts."));

impl Tool for Counts {
    const NAME: &'static str = "desk__count";
    type State = State<Count>;

    fn definition(&self) -> &ToolDefinition {
        &COUNTS
    }

    async fn run(&self, cx: &ToolContext, _: &mut Args) -> ToolResult {
        State::<Count>::inject(cx)?.up();
        Ok(ToolOutput::text("counted"))
    }
}

/// A hook on the same state.
struct Watches;

impl Hook for Watches {
    type Made = made::AtRunTime<State<Count>>;

    async fn call<N: Next>(&self, _: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

/// A source of tools, made by the function for each list.
struct Desk<F>(F);

impl<F: Fn() -> Tools + Send + Sync + 'static> ToolServer for Desk<F> {
    fn provider(&self, _: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Arc::new((self.0)()))
    }
}

#[derive(Default)]
struct Counter;

impl Toolbox for Counter {
    const NAME: &'static str = "Counter";
    const TOOLS: &'static [&'static [&'static str]] = &[&["desk__count"]];
    type State = ();

    fn bound(_: &Arc<Self>) -> Tools {
        vec![Arc::new(Counts)]
    }
}

agent! {
    Served { name: "served", instruction: "Go.", servers: [desk] }
    Boxed { name: "boxed", instruction: "Go.", toolboxes: [Counter] }
}

macro_rules! declared {
    ($name:ident, $declare:expr) => {
        struct $name;
        impl Agent for $name {
            const NAME: &'static str = "declared";
            type State = ();
            fn declare() -> AgentDeclaration {
                $declare
            }
        }
    };
}

fn model() -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::say("done")])
}

fn echo(definition: ToolDefinition) -> Arc<dyn DynTool> {
    let echo = |args: Args, _: ToolContext| async move { ToolResult::Ok(args.text().to_string()) };
    Arc::new(ToolSpec::from_definition(definition, echo))
}

#[tokio::test]
async fn t9_a_tool_or_a_hook_by_hand_on_another_state_is_refused_wherever_it_comes_from() {
    declared!(WithTool, AgentDeclaration::new().tool(Counts));
    declared!(WithHook, AgentDeclaration::new().hook(Watches));
    let served = Served::builder().server("desk", Desk(|| vec![Arc::new(Counts) as _]));
    for (built, agent) in [
        (WithTool::builder().model(model()).build().await, "declared"),
        (Boxed::builder().model(model()).toolbox(Counter).build().await, "boxed"),
        (served.model(model()).build().await, "served"),
    ] {
        let Err(error) = built else { panic!("`{agent}` was built") };
        assert!(matches!(error, BuildError::ToolState { .. }), "{error:?}");
        let begin = "the tool `desk__count` takes `State<";
        assert!(error.to_string().starts_with(begin) && error.to_string().contains(agent), "{error}");
    }
    let error = WithHook::builder().model(model()).build().await.unwrap_err();
    assert!(matches!(error, BuildError::HookState { .. }), "{error:?}");
}

#[tokio::test]
async fn t9_the_definitions_of_a_source_by_hand_are_checked_as_those_of_other_tools() {
    let definition = || ToolDefinition::new("desk__t", "Does.");
    let with = |change: fn(&mut ToolDefinition)| {
        let mut definition = definition();
        change(&mut definition);
        definition
    };
    for (definition, expected) in [
        (ToolDefinition::from_types::<Vec<i64>, ()>("desk__t", "Does."), "its `type` is \"array\""),
        (definition().with_input_schema(json!({ "properties": {} })), "it has no `type`"),
        (
            definition()
                .with_input_schema(json!({ "type": "object", "properties": { "x": { "$ref": "x.json" } } })),
            "a mistake: at `/properties/x/$ref` there is `\"x.json\"`",
        ),
        (with(|it| it.timeout = Some(Duration::ZERO)), "`timeout`"),
        (with(|it| it.max_calls = Some(0)), "`max_calls`"),
        (
            with(|it| {
                *it = it.clone().with_input_schema(json!({ "type": "object", "required": ["x"] }));
                it.examples = [ToolExample::new(json!({}))].into();
            }),
            "invalid example",
        ),
    ] {
        let desk = Desk(move || vec![echo(definition.clone())]);
        let built = Served::builder().model(model()).server("desk", desk).build().await;
        let Err(error) = built else { panic!("an agent was built: {expected}") };
        assert!(error.to_string().contains(expected), "{error}");
    }
}

/// A source whose list is right at first.
struct Turns;

impl ToolServer for Turns {
    fn provider(&self, _: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Arc::new(Self))
    }
}

impl ToolProvider for Turns {
    fn generation(&self) -> u64 {
        0
    }

    fn tools(&self) -> Tools {
        vec![echo(ToolDefinition::new("desk__fine", "Does."))]
    }

    fn for_run<'a>(
        &'a self,
        _: &'a RunContext,
    ) -> Option<std::pin::Pin<Box<dyn Future<Output = Result<Arc<dyn ToolProvider>, BoxError>> + Send + 'a>>>
    {
        let listed = vec![
            echo(ToolDefinition::from_types::<Vec<i64>, ()>("desk__list", "Does.")),
            echo(ToolDefinition::new("desk__fine", "Does.")),
        ];
        Some(Box::pin(async { Ok(Arc::new(listed) as Arc<dyn ToolProvider>) }))
    }
}

#[tokio::test]
async fn t9_a_wrong_definition_in_a_later_list_leaves_out_its_tool_with_a_notice() {
    let model = Arc::new(model());
    let handle = Served::builder().model(Arc::clone(&model)).server("desk", Turns).build().await.unwrap();
    let mut stream = handle.stream("go");
    let mut notices = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Notice { text, .. } = event.kind {
            notices.push(text);
        }
    }
    assert!(notices.len() == 1 && notices[0].contains("`desk__list`"), "{notices:?}");
    assert!(notices[0].ends_with("the tool is left out"), "{notices:?}");
    let tools: Vec<_> = model.requests()[0].tools.iter().map(|tool| tool.name.to_string()).collect();
    assert_eq!(tools, ["desk__fine"]);
}

agent! { Free { name: "free", instruction: "Go." } }

#[tokio::test]
async fn t9_a_definition_for_a_run_that_no_call_could_fit_ends_the_run() {
    type Change = fn(ToolDefinition) -> ToolDefinition;
    let changes: [(Change, &str); 4] = [
        (|it| it.with_input_schema(json!({ "type": "array" })), "its `type` is \"array\""),
        (|it| it.with_input_schema(json!(true)), "it has no `type`"),
        (
            |it| it.with_input_schema(json!({ "type": "object", "required": "x" })),
            "its schema has a mistake: at `/required`",
        ),
        (
            |mut it| {
                it.max_calls = Some(0);
                it
            },
            "its `max_calls` is 0",
        ),
    ];
    for (change, expected) in changes {
        let definition = for_each_run(ToolDefinition::new("t", "Does."), move |it, _| Ok(change(it)));
        let tool = ToolSpec::from_dyn(echo(definition));
        let error = Free::builder().model(model()).tool(tool).run("go").await.unwrap_err();
        assert!(matches!(error, RunError::ToolDefinition { .. }), "{error:?}");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn t9_a_child_by_hand_without_a_description_is_refused() {
    declared!(Silent, AgentDeclaration::new().instruction("Go."));
    agent! { Parent { name: "parent", instruction: "Ask.", agents: [Silent] } }
    let error = Parent::builder().model(model()).build().await.unwrap_err();
    assert!(matches!(error, BuildError::NoDescription { .. }), "{error:?}");
    let begin = "the agent `declared` has no description, and the agent `parent` calls it: write ";
    assert!(error.to_string().starts_with(begin), "{error}");
    Silent::builder().model(model()).build().await.unwrap();
}

/// A toolbox whose lists disagree.
struct Torn<const CASE: u8>;

/// Has no definition.
struct Undefined;

impl DynTool for Undefined {
    fn definition(&self) -> &ToolDefinition {
        panic!("there is none")
    }

    fn run_dyn<'a>(
        &'a self,
        _: &'a ToolContext,
        _: &'a mut Args,
    ) -> std::pin::Pin<Box<dyn Future<Output = ToolResult> + Send + 'a>> {
        Box::pin(async { Ok(ToolOutput::unit()) })
    }
}

impl<const CASE: u8> Toolbox for Torn<CASE> {
    const NAME: &'static str = "Torn";
    const TOOLS: &'static [&'static [&'static str]] = match CASE {
        0 => &[&["a", "a"]],
        1 | 2 => &[&["a", "b"]],
        _ => &[&["a"]],
    };
    const METHODS: &'static [&'static [&'static str]] = match CASE {
        1 => &[&["same", "same"]],
        _ => Self::TOOLS,
    };
    type State = ();

    fn bound(_: &Arc<Self>) -> Tools {
        let tool = |name| echo(ToolDefinition::new(name, "Does."));
        match CASE {
            0 => vec![tool("a"), tool("a")],
            1 => vec![tool("a"), tool("b")],
            2 => vec![tool("b"), tool("a")],
            4 => panic!("no shelf"),
            _ => vec![tool("a"), Arc::new(Undefined)],
        }
    }
}

agent! {
    Twice { name: "twice", instruction: "Go.", toolboxes: [Torn<0>] }
    Methods { name: "methods", instruction: "Go.", toolboxes: [Torn<1>] }
    Order { name: "order", instruction: "Go.", toolboxes: [Torn<2>] }
    More { name: "more", instruction: "Go.", toolboxes: [Torn<3>] }
    Fallen { name: "fallen", instruction: "Go.", toolboxes: [Torn<4>] }
}

#[tokio::test]
async fn t9_a_toolbox_by_hand_that_repeats_reorders_or_hides_a_tool_disagrees_with_itself() {
    async fn refused<A: Agent, const CASE: u8>(expected: &str) {
        let built = A::builder().model(model()).toolbox(Torn::<CASE>).build().await;
        let Err(error) = built else { panic!("{CASE} was built") };
        assert_eq!(error.to_string(), format!("the lists of the toolbox `Torn` differ: {expected}"));
        assert!(std::panic::catch_unwind(|| ToolSpec::from_toolbox(Torn::<CASE>)).is_err());
    }
    refused::<Twice, 0>("`TOOLS` lists the tool `a` twice").await;
    refused::<Methods, 1>("`METHODS` lists the method `same` twice").await;
    refused::<Order, 2>("`bound` returns the tool `b` in the place of `a` in `TOOLS`").await;
    refused::<More, 3>("`bound` returns 2 tools, and `TOOLS` lists 1").await;
    refused::<Fallen, 4>("`bound` panicked: no shelf").await;
}
