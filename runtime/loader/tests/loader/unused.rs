//! What a program gives agents of cards, and the cards of the moment do not use.

use std::fs;
use std::sync::Arc;

use onionskin::declaration::AppBuilder;
use onionskin::loader::{CardLoader, Registry, StateParts};
use onionskin::secret::VisitSecrets;
use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::{
    App, BuildError, DynTool, Provided, ScriptedModel, ScriptedTurn, Secret, State, agent, tool,
};
use serde_json::json;

use super::folder;
use super::parts::Kb;

struct Orders(u32);

struct Account(&'static str);

/// Who is there, with the key of the visit.
#[derive(Clone, VisitSecrets)]
struct Guest {
    key: Secret<String>,
}

/// Takes the order.
#[tool]
fn order(orders: Provided<Orders>, account: Provided<Account>) -> String {
    format!("{} for {}", orders.0, account.0)
}

/// Shows the key.
#[tool]
fn key(guest: State<Guest>) -> String {
    guest.key.expose().clone()
}

/// A server without tools.
struct Silent;

impl ToolServer for Silent {
    fn provider(&self, _: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Arc::new(Vec::<Arc<dyn DynTool>>::new()))
    }
}

agent! {
    Clerk { description: "Answers.", instruction: "Answer." }
}

const DESK: &str = "default: true
instruction: Serve.
function_tools: [tools.rs:order, tools.rs:key]
toolboxes: [tools.rs:Kb]
state: tools.rs:Guest
servers: [silent]
";

fn registry() -> Registry {
    Registry::new().file("tools.rs", |items| {
        items.tool::<order>().tool::<key>().toolbox::<Kb>().state_with::<Guest>(StateParts::visited)
    })
}

/// All that the desk uses.
fn configure(app: AppBuilder) -> AppBuilder {
    let turns = [ScriptedTurn::call("key", json!({})), ScriptedTurn::say("{last}")];
    app.model(ScriptedModel::turns(turns))
        .provide(Orders(7))
        .provide_per_request::<Account>()
        .state(Guest { key: Secret::new("hunter2-of-the-visit".to_owned()) })
        .toolbox(Kb)
        .server("silent", Silent)
}

#[tokio::test]
async fn c3_taking_parts_out_of_a_card_keeps_the_app_good() {
    let folder = folder(&[("desk.yaml", DESK)]);
    let card = folder.path().join("desk.yaml");
    let cards = CardLoader::new(registry())
        .base(folder.path())
        .watch(["."], |cards| configure(cards.add_to(App::builder())))
        .start()
        .await
        .unwrap();
    for part in DESK.lines().skip(2) {
        let without: Vec<_> = DESK.lines().filter(|line| *line != part).collect();
        // The tool takes the state.
        let without = without.join("\n").replace(", tools.rs:key", "");
        fs::write(&card, without).unwrap();
        let app = cards.app().await;
        assert!(cards.problem().is_none(), "without {part}: {}", cards.problem().unwrap());
        assert!(app.entry().tool_names().unwrap().iter().all(|name| name != "key"));
    }

    fs::write(&card, "default: true\ninstruction: Rest.\n").unwrap();
    let app = cards.app().await;
    assert!(cards.problem().is_none(), "{}", cards.problem().unwrap());
    assert!(app.entry().tool_names().unwrap().is_empty());
    // Requests too give what the cards of the moment can leave out.
    let session = app.entry().session();
    let refused = app.entry().request("Go.").session(&session).provide(Account("Ada")).run().await;
    assert!(refused.unwrap_err().to_string().contains("`key`"), "the model asks for a tool that is gone");

    // The state of a session that no agent declared has its secrets redacted.
    fs::write(&card, DESK).unwrap();
    let app = cards.app().await;
    assert!(cards.problem().is_none(), "{}", cards.problem().unwrap());
    let request = app.entry().request("Go.").session(&session).provide(Account("Ada"));
    let text = request.run().await.unwrap().text;
    assert!(!text.contains("hunter2"), "{text}");
}

#[tokio::test]
async fn c3_an_agent_of_a_program_among_cards_needs_no_more_than_the_cards() {
    let folder = folder(&[("helper.yaml", "instruction: Help.\n")]);
    let cards = CardLoader::new(registry()).base(folder.path()).load(["."]).unwrap();
    let app = cards.add_to(App::builder().agent::<Clerk>()).entry("Clerk");
    assert_eq!(configure(app).build().await.unwrap().entry().name(), "Clerk");
    // What is for an agent by its name needs the agent: a hook can be a check.
    let app =
        cards.add_to(App::builder()).for_agent("helpr", |agent| agent.hook(onionskin::hooks::retry::new(2)));
    let error = app.model(ScriptedModel::new()).build().await.unwrap_err();
    assert!(matches!(error, BuildError::NoAgent { .. }), "{error}");
}

#[tokio::test]
async fn c3_an_app_of_compiled_agents_alone_refuses_what_nothing_uses() {
    let app = || App::builder().agent::<Clerk>().model(ScriptedModel::new());
    let problem = async |app: AppBuilder| app.build().await.unwrap_err();
    let error = problem(app().provide(Orders(7))).await;
    assert!(matches!(error, BuildError::UnusedService { .. }), "{error}");
    let error = problem(app().provide_per_request::<Account>()).await;
    assert!(matches!(error, BuildError::UnusedService { .. }), "{error}");
    let error = problem(app().state(5_u8)).await;
    assert!(matches!(error, BuildError::UnusedState { .. }), "{error}");
    let error = problem(app().toolbox(Kb)).await;
    assert!(matches!(error, BuildError::UnusedToolbox { .. }), "{error}");
    let error = problem(app().server("silent", Silent)).await;
    assert!(matches!(error, BuildError::UnusedServer { .. }), "{error}");
    let app = app().build().await.unwrap();
    let error = app.entry().request("Go.").provide(Account("Ada")).run().await.unwrap_err();
    assert!(error.to_string().contains("the request provides the service"), "{error}");
}
