//! What building an agent says about its services.

use std::sync::Arc;

use onionskin::declaration::{AgentBuilder, AgentDeclaration};
use onionskin::run::{AgentRun, ToolCaller};
use onionskin::services::ServiceTypes;
use onionskin::{
    Agent, AgentTool, App, Args, BuildError, Hook, Next, Provided, RunError, ScriptedModel, ScriptedTurn,
    ToolContext, ToolDefinition, ToolResult, ToolSpec, agent, tool_hook,
};
use serde_json::json;

use crate::{
    Account, Boxed, Clock, Counter, Counting, Desk, Parent, Plain, Stamped, Teller, clock, hour, stamp,
};

async fn refused<A: Agent>(builder: AgentBuilder<A>) -> BuildError {
    builder.model(ScriptedModel::new()).build().await.unwrap_err()
}

/// The errors of building it, one each.
async fn problems<A: Agent>(builder: AgentBuilder<A>) -> Vec<String> {
    match refused(builder).await {
        BuildError::Several(all) => all.iter().map(ToString::to_string).collect(),
        one => vec![one.to_string()],
    }
}

#[tokio::test]
async fn t7_each_service_that_is_missing_is_named_with_what_takes_it() {
    let takes = |part: &str, service: &str, call: &str| {
        format!(
            "the {part} of the agent `Teller` takes the service `{service}`, which was not provided: call `{call}` of the \
             builder, or `.provide_per_request::<..>()` if each request provides its own"
        )
    };
    let (clock, account) = ("dyn services::Clock", "services::Account");
    assert_eq!(
        problems(Teller::builder()).await,
        [
            takes("tool `hour`", clock, ".provide_shared(..)"),
            takes("tool `owner`", account, ".provide(..)"),
            takes("tool `now`", clock, ".provide_shared(..)"),
            takes("tool `now`", account, ".provide(..)"),
            takes("tool `renamed`", account, ".provide(..)"),
            takes("tool `guarded`", clock, ".provide_shared(..)"),
            takes("tool `guarded`", account, ".provide(..)"),
        ]
    );
}

#[tokio::test]
async fn t7_hooks_toolboxes_and_children_need_their_services_too() {
    let error = refused(Stamped::builder()).await;
    assert!(matches!(&error, BuildError::NoService { agent, part, service, .. }
        if agent == "Stamped" && part == "the hook `stamp`" && service.name() == "dyn services::Clock"));
    let error = refused(Boxed::builder().toolbox(Desk)).await;
    assert!(matches!(&error, BuildError::NoService { part, .. } if part == "the tool `desk_hour`"));
    let error = refused(Parent::builder().provide_shared(clock(1))).await;
    let BuildError::Several(all) = error else { panic!("{error}") };
    assert!(all.iter().all(|one| matches!(one, BuildError::NoService { agent, .. } if agent == "Teller")));
    // Parts that are added at run time.
    let error = refused(Plain::builder().hook(stamp::new())).await;
    assert!(matches!(&error, BuildError::NoService { part, .. } if part == "the hook `stamp`"), "{error}");
    let error = refused(Plain::builder().tool(hour::spec())).await;
    assert!(matches!(&error, BuildError::NoService { part, .. } if part == "the tool `hour`"), "{error}");
    let hooked = crate::plain::spec().hook(stamp::new());
    let error = refused(Counting::builder().tool(ToolSpec::from_dyn(Arc::new(hooked)))).await;
    assert!(error.to_string().contains("`dyn services::Clock`"), "{error}");
    let mut guarded = crate::plain::spec();
    guarded.add_input_guardrails(crate::has_account::new());
    let error = refused(Counting::builder().tool(guarded.clone())).await;
    assert!(error.to_string().contains("the tool `plain` of the agent `Counting`"), "{error}");
}

#[tokio::test]
async fn t7_a_service_that_nothing_takes_is_refused() {
    let error = refused(Plain::builder().provide(5_u8)).await;
    assert_eq!(
        error.to_string(),
        "`.provide(..)` was called for the service `u8`, but no tool, hook or guardrail takes it; they take: none. Remove \
         the call, or correct the type; hand-written code declares what it takes (`onionskin::services`)"
    );
    let error = refused(Plain::builder().provide_shared(Arc::new(5_u8))).await;
    assert!(
        error.to_string().starts_with("`.provide_shared(..)` was called for the service `u8`"),
        "{error}"
    );
    let app = App::builder().agent::<Plain>().model(ScriptedModel::new()).provide_shared(Arc::new(5_u8));
    let error = app.build().await.unwrap_err();
    assert!(
        error.to_string().starts_with("`.provide_shared(..)` was called for the service `u8`"),
        "{error}"
    );
    let error = refused(Plain::builder().provide_per_request::<u8>()).await;
    assert!(error.to_string().starts_with("`.provide_per_request::<..>()` was called for"), "{error}");
    // An `Arc` in the place of its value.
    let all = problems(Stamped::builder().provide(clock(1))).await;
    assert!(all[0].contains("the hook `stamp`") && all[0].contains("`.provide_shared(..)`"), "{all:?}");
    assert!(all[1].contains("; provide the value in an `Arc` with `.provide_shared(..)`"), "{all:?}");
    assert!(all[1].contains("they take: `dyn services::Clock`, `services::Counter`"), "{all:?}");
    // An app knows what all of its agents take.
    let app = App::builder().agent::<Plain>().agent::<Counting>().model(ScriptedModel::new());
    let error = app.provide(Counter::default()).provide(Account("Ada")).build().await.unwrap_err();
    assert!(
        matches!(&error, BuildError::UnusedService { service, .. } if service.name() == "services::Account")
    );
}

#[tokio::test]
async fn t7_an_optional_service_can_be_missing() {
    let turns = || {
        let call = ScriptedTurn::call("count", json!({}));
        ScriptedModel::turns([call.clone(), call, ScriptedTurn::say("{last}")])
    };
    assert_eq!(Counting::builder().model(turns()).run("Count.").await.unwrap().text, "0");
    let counter = Arc::new(Counter::default());
    let counting = Counting::builder().model(turns()).provide_shared(Arc::clone(&counter));
    assert_eq!(counting.run("Count.").await.unwrap().text, "2");
    assert_eq!(counter.get(), 2);
}

#[tokio::test]
async fn t7_a_second_service_of_a_type_is_refused() {
    let once = || Boxed::builder().model(ScriptedModel::new()).toolbox(Desk).provide_shared(clock(1));
    once().build().await.unwrap();
    for twice in [once().provide_shared(clock(2)), once().provide_per_request::<dyn Clock>()] {
        let error = twice.build().await.unwrap_err();
        let BuildError::SetTwice { call, .. } = &error else { panic!("{error}") };
        assert!(call.contains("dyn services::Clock"), "{call}");
    }
}

#[derive(Default)]
struct ByHand;

impl Hook for ByHand {
    type Made = onionskin::made::ByDefault;

    async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        cx.provided::<Counter>()?.up();
        next.run(args).await
    }

    fn services(taken: &mut ServiceTypes) {
        taken.add::<Counter>();
    }
}

/// An agent with code of its own.
struct Own;

impl Agent for Own {
    const NAME: &'static str = "Own";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().hook(ByHand).takes_service::<Account>()
    }

    async fn run(run: &AgentRun, _input: String) -> Result<String, RunError> {
        let account = run.context().provided::<Account>();
        Ok(account.map_or_else(|error| error.to_string(), |account| account.0.to_owned()))
    }
}

agent! { Hooked { instruction: "Go.", tool_hooks: [ByHand], function_tools: [crate::plain] } }

#[tokio::test]
async fn t7_hand_written_code_declares_what_it_takes() {
    let all = problems(Own::builder()).await;
    assert!(all[0].starts_with("the hook `ByHand` of the agent `Own`"), "{all:?}");
    assert!(
        all[1].starts_with("the code of the agent `Own` takes the service `services::Account`"),
        "{all:?}"
    );
    let own = Own::builder().provide(Counter::default()).provide(Account("Ada"));
    assert_eq!(own.model(ScriptedModel::new()).run("Who?").await.unwrap().text, "Ada");

    assert!(matches!(refused(Hooked::builder()).await, BuildError::NoService { .. }));
    let counter = Arc::new(Counter::default());
    let model = ScriptedModel::turns([ScriptedTurn::call("plain", json!({})), ScriptedTurn::say("{last}")]);
    let hooked = Hooked::builder().model(model).provide_shared(Arc::clone(&counter));
    assert_eq!(hooked.run("Go.").await.unwrap().text, "plain");
    assert_eq!(counter.get(), 1);

    let tool = ToolSpec::from_fn("mine", "Does.", |(): (), _| async { Ok(1) }).takes_service::<Counter>();
    assert!(matches!(refused(Plain::builder().tool(tool)).await, BuildError::NoService { .. }));
    let definition = ToolDefinition::new("mine", "Does.").takes_service::<u8>().may_take_service::<u16>();
    assert_eq!(definition.services().required().count(), 1);
    assert_eq!(definition.services().all().count(), 2);
}

#[tokio::test]
async fn t7_hand_written_code_that_does_not_declare_its_service_learns_where_to_declare_it() {
    let undeclared = ToolSpec::from_fn("undeclared", "Does.", |(): (), cx: ToolContext| async move {
        Ok(cx.provided::<Counter>().map_or_else(|error| error.to_string(), |_| "there".to_owned()))
    });
    let model =
        ScriptedModel::turns([ScriptedTurn::call("undeclared", json!({})), ScriptedTurn::say("{last}")]);
    let output = Plain::builder().model(model).tool(undeclared).run("Go.").await.unwrap();
    assert_eq!(
        output.text,
        "the agent `Plain` has no service `services::Counter`: provide it with `.provide(..)` of the agent's builder, or of \
         the request, and declare it in the code that takes it: `takes_service` of a `ToolDefinition`, a `ToolSpec` or an \
         `AgentDeclaration`, `services` of a hook, a guardrail or an `Inject`; a wrapper forwards `services`"
    );
}

#[tool_hook]
fn late(_args: &Args, clock: Provided<dyn Clock>) -> Result<(), String> {
    if clock.hour() > 22 { Err("too late".to_owned()) } else { Ok(()) }
}

agent! { Nightly { instruction: "Go.", tool_hooks: [late], function_tools: [crate::plain] } }

#[tokio::test]
async fn t7_a_tool_caller_has_services() {
    let tools = ToolCaller::<Nightly>::new().provide_shared(clock(23));
    let cx = tools.context("plain").unwrap();
    assert_eq!(tools.call(&cx, &mut Args::default()).await.unwrap_err().to_string(), "too late");
}

#[tokio::test]
async fn t7_an_agent_tool_has_the_services_of_its_own_build() {
    let model =
        || ScriptedModel::turns([ScriptedTurn::call("count", json!({})), ScriptedTurn::say("{last}")]);
    let counter = Arc::new(Counter::default());
    let inner =
        Counting::builder().model(model()).provide_shared(Arc::clone(&counter)).build().await.unwrap();
    let asks = || {
        let call = ScriptedTurn::call("agent__Counting", json!({ "input": "Count." }));
        ScriptedModel::turns([call, ScriptedTurn::say("{last}")])
    };
    let outer = Plain::builder().model(asks()).tool(AgentTool::new(&inner));
    assert_eq!(outer.run("Ask.").await.unwrap().text, "1");

    // A service per request comes from the caller: without it, the build of the caller fails.
    let inner = Counting::builder().model(model()).provide_per_request::<Counter>().build().await.unwrap();
    let error = refused(Plain::builder().tool(AgentTool::new(&inner))).await;
    assert!(error.to_string().starts_with("the tool `agent__Counting` of the agent `Plain`"), "{error}");
    let outer =
        Plain::builder().model(asks()).tool(AgentTool::new(&inner)).provide_shared(Arc::clone(&counter));
    assert_eq!(outer.run("Ask.").await.unwrap().text, "2");
    let direct = AgentTool::new(&inner).spec();
    let error = onionskin::call!(direct, input = "Count.").await.unwrap_err();
    assert!(error.to_string().contains("has no service `services::Counter`"), "{error}");
}
