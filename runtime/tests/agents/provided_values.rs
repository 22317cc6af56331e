//! A1: unused and missing settings of a builder are errors, and all of them are reported at once.

use std::time::Duration;

use onionskin::declaration::{AgentBuilder, AgentDeclaration, Limits};
use onionskin::mcp::{McpConfig, ServerConfig};
use onionskin::run::{AgentRun, Limit};
use onionskin::{
    Agent, App, Args, BuildError, RunError, ScriptedModel, ScriptedTurn, State, ToolContext, ToolResult,
    ToolSpec, agent, tool, tool_hook, toolbox,
};
use serde_json::json;

use crate::support::Count;

struct Kb;

/// A knowledge base.
#[toolbox]
impl Kb {
    /// Finds.
    #[tool]
    fn find(&self) -> String {
        "found".to_owned()
    }
}

/// Counts.
#[tool]
fn count(state: State<Count>) -> u32 {
    state.up()
}

agent! {
    Plain { name: "plain", description: "Plain.", instruction: "Go." }
    Counting { name: "counting", description: "Counts.", instruction: "Count.", state: Count, function_tools: [count] }
    Archivist { name: "archivist", instruction: "Find.", toolboxes: [archive: Kb] }
    Timed { name: "timed", instruction: "Tell.", servers: [time] }
    Parent { name: "parent", instruction: "Ask.", agents: [Counting], default: true }
    Lacking { name: "lacking", instruction: "Ask.", state: Count, toolboxes: [Kb], servers: [time], agents: [Plain] }
    Named { name: "named", instruction: "Ask.", model: "gpt-4o-mini" }
}

async fn refused<A: Agent>(builder: AgentBuilder<A>) -> BuildError {
    builder.build().await.unwrap_err()
}

#[tokio::test]
async fn a1_a_state_that_no_agent_declares_is_refused() {
    let error = refused(Plain::builder().state(5_u8).model(ScriptedModel::new())).await;
    assert_eq!(
        error.to_string(),
        "`.state(..)` was called with a `u8`, but no agent declares this type as its state; the agents declare: none. \
         Remove the call, or correct the type"
    );
    // A state of the wrong type says so.
    let error = refused(Counting::builder().state(5_u8).model(ScriptedModel::new())).await.to_string();
    assert!(
        error.contains("declares `state: ") && error.contains("support::Count`, but no state was set"),
        "{error}"
    );
    assert!(error.contains("called with a `u8`") && error.contains("the agents declare: `"), "{error}");
    // A child's counts.
    Parent::builder().state(Count::default()).model(ScriptedModel::new()).build().await.unwrap();
    let error =
        App::builder().agent::<Plain>().state(5_u8).model(ScriptedModel::new()).build().await.unwrap_err();
    assert!(matches!(error, BuildError::UnusedState { state: "u8", .. }), "{error}");
}

#[tokio::test]
async fn t9_a_toolbox_that_no_agent_declares_is_refused() {
    let error = refused(Plain::builder().toolbox(Kb).model(ScriptedModel::new())).await;
    assert_eq!(
        error.to_string(),
        "`.toolbox(..)` was called with the toolbox `Kb`, but no agent declares it under this name; \
         write `toolboxes: [Kb]` in an agent"
    );
    let error = refused(Plain::builder().toolbox_as("attic", Kb).model(ScriptedModel::new())).await;
    assert!(error.to_string().ends_with("write `toolboxes: [attic: Kb]` in an agent"), "{error}");
    let error = refused(
        Archivist::builder().toolbox_as("archive", Kb).toolbox_as("archiv", Kb).model(ScriptedModel::new()),
    )
    .await;
    assert!(
        error.to_string().ends_with("an agent declares `archive: Kb`: call `.toolbox_as(\"archive\", ..)`"),
        "{error}"
    );
}

#[tokio::test]
async fn a4_a_server_that_no_agent_uses_is_refused_with_the_nearest_name() {
    let server = || ServerConfig::stdio("/nowhere/time-server");
    let error = refused(Plain::builder().server("tiem", server()).model(ScriptedModel::new())).await;
    assert_eq!(
        error.to_string(),
        "`.server(\"tiem\", ..)` configures a server that no agent uses; the agents use: none"
    );
    let error =
        refused(Timed::builder().server("tiem", server()).model(ScriptedModel::new())).await.to_string();
    assert!(error.contains("no agent uses; did you mean `time`?"), "{error}");
    assert!(
        error.contains("uses the server `time`, which is not configured; the configured servers are: tiem"),
        "{error}"
    );
    // A file may hold more than one program uses.
    let mut config = McpConfig::new();
    config.insert("other", server());
    Plain::builder().servers(config).model(ScriptedModel::new()).build().await.unwrap();
}

#[tokio::test]
async fn a1_everything_that_is_missing_is_reported_at_once() {
    let error = refused(Lacking::builder().for_agent("plian", |agent| agent.messages([]))).await;
    let BuildError::Several(errors) = &error else { panic!("{error}") };
    let texts: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert!(texts[0].contains("declares `state: "), "{texts:#?}");
    assert!(texts[1].contains("uses the toolbox `Kb`"), "{texts:#?}");
    assert!(texts[2].contains("the agent `lacking` has no model"), "{texts:#?}");
    assert!(texts[3].contains("did you mean `plain`? The agents are: `lacking`, `plain`"), "{texts:#?}");
    assert!(texts[4].contains("uses the server `time`"), "{texts:#?}");
    assert_eq!(texts.len(), 5);
    let all = error.to_string();
    assert!(all.starts_with("there are 5 problems:\n- the agent `lacking` declares"), "{all}");
}

#[cfg(not(feature = "genai"))]
#[tokio::test]
async fn o3_a_model_that_is_named_without_its_feature_names_the_feature() {
    let error = refused(Named::builder()).await;
    assert_eq!(
        error.to_string(),
        "the agent `named` names the model `gpt-4o-mini`: enable feature `genai` of onionskin, or give the agent a model \
         with `.model(..)`"
    );
    // A model of the program's own is asked by that name.
    Named::builder().model(ScriptedModel::new()).build().await.unwrap();
}

/// An agent by hand with one bound that nothing passes.
struct Bound<const WHICH: u8>;

impl<const WHICH: u8> Agent for Bound<WHICH> {
    const NAME: &'static str = "bound";
    type State = ();
    fn declare() -> AgentDeclaration {
        let agent = AgentDeclaration::new().child::<Plain>();
        let mut limits = Limits::default();
        match WHICH {
            0 => return agent.max_parallel(0),
            1 => return agent.max_display_instances(0),
            2 => return agent.child_timeout(Duration::ZERO),
            3 => limits.turns = 0,
            4 => limits.tokens = Some(0),
            5 => limits.time = Some(Duration::ZERO),
            6 => limits.model_timeout = Duration::ZERO,
            _ => {
                limits.turns = u32::MAX;
                limits.tokens = Some(u64::MAX);
                limits.time = Some(Duration::MAX);
                limits.model_timeout = Duration::MAX;
                limits.max_retries = u32::MAX;
                limits.model_retries = u32::MAX;
                return agent
                    .limits(limits)
                    .max_parallel(usize::MAX)
                    .max_display_instances(usize::MAX)
                    .child_timeout(Duration::MAX);
            }
        }
        agent.limits(limits)
    }
}

#[tokio::test]
async fn a5_bounds_of_zero_are_refused_and_huge_ones_bound_nothing() {
    async fn zero<const WHICH: u8>(expected: &str) {
        let error = refused(Bound::<WHICH>::builder().model(ScriptedModel::new())).await;
        assert!(matches!(&error, BuildError::ZeroSetting { setting, .. } if *setting == expected), "{error}");
    }
    zero::<0>("max_parallel").await;
    zero::<1>("max_display_instances").await;
    zero::<2>("child_timeout").await;
    zero::<3>("limits.turns").await;
    zero::<4>("limits.tokens").await;
    zero::<5>("limits.time").await;
    zero::<6>("limits.model_timeout").await;
    let mut limits = Limits::default();
    limits.turns = 0;
    let error = refused(Plain::builder().limits(limits).model(ScriptedModel::new())).await;
    assert_eq!(
        error.to_string(),
        "the agent `plain` has an invalid setting: `limits.turns` must be at least 1; remove it to use the default"
    );

    let model = ScriptedModel::new()
        .agent(
            "bound",
            [ScriptedTurn::call("agent__plain", json!({ "input": "x" })), ScriptedTurn::say("{last}")],
        )
        .agent("plain", [ScriptedTurn::say("fine")]);
    let output = Bound::<9>::builder().model(model).run("go").await.unwrap();
    assert_eq!(output.text, "fine");
}

/// Marks what passes.
#[tool_hook]
fn mark(result: &mut ToolResult) {
    if let Ok(output) = result {
        output.push_text(" [marked]");
    }
}

/// Counts what passes.
#[tool_hook]
fn tally(counted: State<Count>, _args: &mut Args, _ctx: &ToolContext) {
    counted.up();
}

fn two_agents() -> ScriptedModel {
    ScriptedModel::new()
        .agent(
            "parent",
            [ScriptedTurn::call("agent__counting", json!({ "input": "x" })), ScriptedTurn::say("{last}")],
        )
        .agent(
            "counting",
            [
                ScriptedTurn::call("count", json!({})),
                ScriptedTurn::call("extra", json!({})),
                ScriptedTurn::say("{last}"),
            ],
        )
}

fn extra() -> ToolSpec {
    ToolSpec::from_fn("extra", "More.", |(): (), _| async { Ok("more") })
}

#[tokio::test]
async fn a1_an_app_gives_hooks_tools_and_limits_to_any_of_its_agents_by_name() {
    let counted = Count::default();
    let app = App::builder()
        .agent::<Parent>()
        .for_agent("counting", |agent| agent.hook(mark::new()))
        .for_agent("counting", |agent| agent.hook(tally::new()))
        .for_agent("counting", |agent| agent.tool_value(extra()))
        .state(counted.clone())
        .model(two_agents());
    let app = app.build().await.unwrap();
    let output = app.run("go").await.unwrap();
    assert_eq!(output.text, "more [marked]", "the child's tool, through the child's hook");
    assert_eq!(counted.get(), 3, "two calls through the hook, and the tool's own");
    assert_eq!(app.entry().tool_names().unwrap(), ["agent__counting"]);

    let mut limits = Limits::default();
    limits.turns = 1;
    let builder = Parent::builder()
        .for_agent("counting", |agent| agent.limits(limits))
        .for_agent("counting", |agent| agent.tool_value(extra()));
    let output = builder.state(Count::default()).model(two_agents()).run("go").await.unwrap();
    assert!(output.text.contains(&Limit::Turns(1).to_string()), "{}", output.text);
}

#[tokio::test]
async fn a1_what_is_given_to_an_agent_that_is_not_there_is_refused() {
    let builder = || App::builder().agent::<Parent>().state(Count::default()).model(ScriptedModel::new());
    for builder in [
        builder().for_agent("cuonting", |agent| agent.hook(mark::new())),
        builder().for_agent("cuonting", |agent| agent.tool_value(extra())),
        builder().for_agent("cuonting", |agent| agent.limits(Limits::default())),
        builder().for_agent("cuonting", |agent| agent.messages([])),
    ] {
        let error = builder.build().await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the builder has settings for the agent `cuonting`, which does not exist; did you mean `counting`? The agents are: \
             `counting`, `parent`"
        );
    }
    // A hook on a state that the agent does not have.
    let error = builder()
        .for_agent("parent", |agent| agent.hook(tally::new()))
        .build()
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("tally` takes `State<")
            && error.contains("to the agent `parent`, whose state is `()`"),
        "{error}"
    );
}

#[tokio::test]
async fn a1_a_name_that_two_agents_have_says_of_neither_who_is_meant() {
    mod elsewhere {
        use super::*;
        agent! { pub Plain { name: "plain", description: "Another.", instruction: "Go." } }
        agent! { pub Middle { name: "middle", description: "Asks.", instruction: "Go.", agents: [Plain] } }
    }
    struct Both;
    impl Agent for Both {
        const NAME: &'static str = "both";
        type State = ();
        fn declare() -> AgentDeclaration {
            AgentDeclaration::new().child::<Plain>().child::<elsewhere::Middle>()
        }
        async fn run(_: &AgentRun, _: String) -> Result<String, RunError> {
            Ok("fine".to_owned())
        }
    }
    let builder = || Both::builder().model(ScriptedModel::new());
    assert_eq!(builder().run("go").await.unwrap().text, "fine");
    let error = refused(builder().for_agent("plain", |agent| agent.limits(Limits::default()))).await;
    assert!(matches!(&error, BuildError::TwoAgents { name , .. } if name == "plain"), "{error}");
}

#[tokio::test]
async fn l2_an_agent_tool_refuses_a_timeout_of_zero_where_it_is_set() {
    let plain =
        Plain::builder().model(ScriptedModel::turns([ScriptedTurn::say("fine")])).build().await.unwrap();
    let tool = onionskin::AgentTool::new(&plain);
    let panic =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tool.clone().timeout(Duration::ZERO)));
    let panic = panic.map(|_| ()).unwrap_err();
    assert_eq!(
        panic.downcast_ref::<String>().unwrap(),
        "the tool `agent__plain` cannot have a timeout of zero: remove it for no limit"
    );
    let endless = tool.timeout(Duration::MAX).spec();
    assert_eq!(onionskin::call!(endless, input = "x").await.unwrap(), "fine");
}

#[tokio::test]
async fn a5_seconds_beyond_all_clocks_bound_nothing_and_seconds_that_are_none_are_refused() {
    const ENDLESS: f64 = 1e300;
    const NONE: f64 = -1.0;
    agent! {
        Endless { name: "endless", instruction: "Go.", limits: { time_sec: ENDLESS, model_timeout_sec: ENDLESS } }
        Instant { name: "instant", instruction: "Go.", limits: { time_sec: NONE, model_timeout_sec: f64::NAN } }
    }
    let model = || ScriptedModel::turns([ScriptedTurn::say("fine")]);
    assert_eq!(Endless::builder().model(model()).run("go").await.unwrap().text, "fine");
    let error = refused(Instant::builder().model(model())).await.to_string();
    for limit in ["limits.time", "limits.model_timeout"] {
        assert!(error.contains(&format!("`{limit}` must be more than 0")), "{error}");
    }
}
