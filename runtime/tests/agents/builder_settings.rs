//! Settings of builders that would have no effect: given twice, or needed by nothing.

use std::borrow::Cow;

use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::journal::MemoryJournal;
use onionskin::model::{ModelDelta, ModelError, ModelIdentity, ModelRequest, ModelResponse};
use onionskin::question::{Answer, Question};
use onionskin::testing::FakeServer;
use onionskin::{
    App, BuildError, Exit, Model, Provided, ScriptedModel, ScriptedTurn, State, ToolContext, ToolOutput,
    ToolResult, agent, tool, tool_hook, toolbox,
};
use serde_json::json;

#[derive(Clone, Default)]
struct Till(u32);

struct Account(u32);

#[derive(Default)]
struct Shelf;

#[toolbox]
impl Shelf {
    /// Counts.
    #[tool]
    fn count(&self) -> u32 {
        3
    }
}

/// Reads the account.
#[tool]
fn read(account: Provided<Account>, till: State<Till>) -> u32 {
    account.0 + till.0
}

/// Pays.
#[tool(approval)]
fn pay() -> String {
    "paid".to_owned()
}

/// Its hook asks, without a declaration.
#[tool(hooks = [may_ask])]
fn idle() {}

#[tool_hook]
async fn may_ask(cx: &ToolContext) -> ToolResult<Option<ToolOutput>> {
    let sure: bool = cx.ask("Sure?").await.map_err(|error| Exit::tool(error.to_string()))?;
    Ok((!sure).then(|| ToolOutput::text("no")))
}

agent! {
    Clerk { instruction: "Read.", state: Till, function_tools: [read], toolboxes: [Shelf], servers: [time] }
    Idler { instruction: "Do nothing." }
    Hooked { instruction: "Do nothing.", function_tools: [idle] }
    Guarded { instruction: "Do nothing.", tool_hooks: [may_ask] }
    Payer { instruction: "Pay.", description: "Pays.", function_tools: [pay] }
    Boss { instruction: "Have it paid.", agents: [Payer] }
    Named { instruction: "Answer.", model: "gpt-4o-mini" }
    Above { instruction: "Ask.", agents: [Below] }
    Below { instruction: "Answer.", description: "Answers.", model: "gpt-4o-mini" }
}

fn time() -> FakeServer {
    FakeServer::new().tool(json!({ "name": "get_time" }), |_| "noon".into())
}

async fn allow(_: ApprovalRequest) -> Approval {
    Approval::Allow
}

async fn yes(_: Question) -> Option<Answer> {
    Answer::value(true).ok()
}

/// The calls that were made twice.
fn twice(error: BuildError) -> Vec<String> {
    let problems = match error {
        BuildError::Several(problems) => problems,
        one => vec![one],
    };
    let call = |problem| match problem {
        BuildError::SetTwice { call, .. } => call,
        other => panic!("{other}"),
    };
    problems.into_iter().map(call).collect()
}

#[tokio::test]
async fn a1_a_setting_that_is_set_twice_is_an_error() {
    let once = || {
        Clerk::builder()
            .model(ScriptedModel::new())
            .state(Till(1))
            .provide(Account(1))
            .toolbox(Shelf)
            .server("time", time().config())
    };
    once().build().await.unwrap();
    let error = once()
        .model(ScriptedModel::new())
        .state(Till(2))
        .provide(Account(2))
        .toolbox(Shelf)
        .server("time", time().config())
        .journal(MemoryJournal::default())
        .journal(MemoryJournal::default())
        .build()
        .await
        .unwrap_err();
    let calls = twice(error).join("\n");
    let name = |ty: &str| format!("a `{}::{ty}`", module_path!());
    let expected = format!(
        "`.model(..)`\n`.state(..)` with {}\n`.provide(..)` with {}\n`.toolbox(..)`\n`.server(\"time\", ..)`\n`.journal(..)`",
        name("Till"),
        name("Account")
    );
    assert_eq!(calls, expected);
    let model = || ScriptedModel::new();
    let idle = Idler::builder().model_for_all(model()).model(model()).build().await.unwrap_err();
    assert_eq!(twice(idle), ["`.model(..)`, or `.model_for_all(..)` before it,"]);
    let idle = Idler::builder().model_for_all(model()).model_for_all(model()).build().await.unwrap_err();
    assert_eq!(twice(idle), ["`.model_for_all(..)`"]);
    let error = once().provide_per_request::<Account>().build().await.unwrap_err().to_string();
    assert!(error.contains("is called twice, and the second call would replace the first"), "{error}");
}

#[tokio::test]
async fn u2_an_approver_or_answerer_that_nothing_needs_is_an_error() {
    let idler = || Idler::builder().model(ScriptedModel::new());
    let error = idler().approver(allow).build().await.unwrap_err();
    assert!(matches!(&error, BuildError::NothingAsks { call: ".approver(..)", .. }), "{error}");
    let error = idler().answerer(yes).build().await.unwrap_err();
    assert!(matches!(&error, BuildError::NothingAsks { call: ".answerer(..)", .. }), "{error}");
    // A hook can ask without a declaration, but does not approve.
    let guarded = || Guarded::builder().model(ScriptedModel::new());
    guarded().answerer(yes).build().await.unwrap();
    Hooked::builder().model(ScriptedModel::new()).answerer(yes).build().await.unwrap();
    assert!(guarded().approver(allow).build().await.is_err());
    // A child's tool needs it.
    let boss = || Boss::builder().model(ScriptedModel::new());
    boss().approver(allow).build().await.unwrap();
    boss().answerer(yes).build().await.unwrap();
    let app = App::builder().agent::<Idler>().model(ScriptedModel::new()).allow_unused();
    app.approver(allow).answerer(yes).build().await.unwrap();
}

/// A model that asks one model, whatever an agent names, and that lacks its key.
struct One {
    name: &'static str,
    has_key: bool,
}

impl Model for One {
    async fn respond(
        &self,
        _: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        Ok(ModelResponse::text("Hello."))
    }

    fn provider(&self) -> Cow<'static, str> {
        "one".into()
    }

    fn identity(&self, _: Option<&str>) -> ModelIdentity {
        ModelIdentity::new("one", Some(self.name))
    }

    fn check(&self, _: Option<&str>) -> Result<(), ModelError> {
        if self.has_key { Ok(()) } else { Err(ModelError::no_key(self.name, "ONE_KEY")) }
    }
}

#[tokio::test]
async fn o3_a_model_in_place_of_the_one_that_an_agent_or_a_child_names_is_an_error() {
    let other = || One { name: "qwen3", has_key: true };
    let error = Named::builder().model(other()).build().await.unwrap_err();
    let BuildError::OtherModel { agent, named, model, .. } = &error else { panic!("{error}") };
    assert_eq!((&**agent, &**named, &**model), ("Named", "gpt-4o-mini", "qwen3"));
    let error = Above::builder().model(other()).build().await.unwrap_err();
    assert!(matches!(&error, BuildError::OtherModel { agent, .. } if agent == "Below"), "{error}");
    // The override that is meant, also of a model that the builder has already.
    let script = ScriptedModel::turns([ScriptedTurn::say("Hi.")]);
    assert_eq!(Named::builder().model(script).model_for_all(other()).run("x").await.unwrap().text, "Hello.");
    // The model that the agent names, and a script, which asks whatever is named.
    Named::builder().model(One { name: "gpt-4o-mini", has_key: true }).build().await.unwrap();
    Named::builder().model(ScriptedModel::new()).build().await.unwrap();
}

#[tokio::test]
async fn o3_a_missing_key_is_an_error_of_the_build() {
    let error = Idler::builder().model(One { name: "one-1", has_key: false }).build().await.unwrap_err();
    let BuildError::Model { agent, source, .. } = &error else { panic!("{error}") };
    assert_eq!(agent, "Idler");
    assert!(matches!(&**source, ModelError::NoKey { variable, .. } if variable == "ONE_KEY"), "{error}");
}
