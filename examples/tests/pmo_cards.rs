//! The agents of the PMO report, declared by cards: they are those that the program declares in Rust.

#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]
#![allow(clippy::duplicate_mod, reason = "the modules of the compiled cards are private")]

use std::sync::{Arc, Mutex};

use onionskin::declaration::AppBuilder;
use onionskin::loader::{CardLoader, Registry};
use onionskin::mcp::ServerConfig;
use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};
use onionskin::{App, ScriptedModel};
use serde_json::{Value, json};

#[path = "../src/bin/pmo/agents.rs"]
mod in_rust;

mod in_cards {
    onionskin::agent!(pub(crate) card = "cards");
}

#[path = "../cards/tools.rs"]
#[expect(unreachable_pub, reason = "the cards' modules are public in their files")]
mod tools;

#[path = "../cards/hooks.rs"]
#[expect(unreachable_pub, reason = "as above")]
mod hooks;

const SCRIPT: &str = include_str!("../src/bin/pmo/script.yaml");

/// A model that keeps what it is asked.
struct Recorded {
    model: ScriptedModel,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Model for Recorded {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.requests.lock().unwrap().push(serde_json::to_value(request).unwrap());
        self.model.respond(request, deltas).await
    }
}

/// The answer of a run, and all that the model was asked in it.
async fn run(app: AppBuilder) -> (String, Vec<Value>) {
    let requests = Arc::default();
    let model = ScriptedModel::from_yaml(SCRIPT, "script.yaml").unwrap();
    let app = app
        .server("time", ServerConfig::stdio(env!("CARGO_BIN_EXE_pmo")).arg("serve-time"))
        .model(Recorded { model, requests: Arc::clone(&requests) })
        .build()
        .await
        .unwrap();
    let output = app.run("Run PMO report and add 1 to 3").await.unwrap();
    app.shutdown().await;
    let mut requests: Vec<Value> = requests.lock().unwrap().iter().cloned().map(without_chance).collect();
    // Children run at the same time.
    requests.sort_by_key(Value::to_string);
    (without_times(&output.text), requests)
}

/// The page of the agents.
async fn page(app: AppBuilder) -> String {
    let time = ServerConfig::stdio(env!("CARGO_BIN_EXE_pmo")).arg("serve-time");
    let app = app.server("time", time).model(ScriptedModel::turns([])).build().await.unwrap();
    let page = app.describe().unwrap().to_markdown();
    app.shutdown().await;
    page
}

/// `pmo.md` of the book is the page that is made of the agents. `TRYBUILD=overwrite` writes it anew.
#[tokio::test]
async fn c5_the_page_of_the_pmo_is_the_one_that_is_generated() {
    let page = self::page(in_cards()).await;
    assert_eq!(self::page(loaded()).await, page);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/book/src/tutorial/pmo.md");
    if std::env::var_os("TRYBUILD").is_some_and(|word| word == "overwrite") {
        std::fs::write(path, &page).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(path).unwrap_or_default(),
        page,
        "look at the page after TRYBUILD=overwrite"
    );
}

/// A request without the ids and the times that differ between two runs.
fn without_chance(mut request: Value) -> Value {
    if let Some(fields) = request.as_object_mut() {
        for id in ["correlation_id", "run_id", "session_id", "run", "session", "id"] {
            fields.remove(id);
        }
    }
    Value::String(without_times(&request.to_string()))
}

/// A text with `0` for each digit.
fn without_times(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}

/// The agents that are written in Rust.
fn in_rust() -> AppBuilder {
    App::builder()
        .agent::<in_rust::PmoOrchestrator>()
        .agent::<in_rust::NyProjectManager>()
        .agent::<in_rust::LondonProjectManager>()
}

/// The agents of the cards that the compiler read.
fn in_cards() -> AppBuilder {
    App::builder()
        .agent::<in_cards::PmoOrchestrator>()
        .agent::<in_cards::NyProjectManager>()
        .agent::<in_cards::LondonProjectManager>()
}

/// The agents of the cards that are read now.
fn loaded() -> AppBuilder {
    let registry = Registry::new()
        .file("cards/tools.rs", |items| items.tool::<tools::add_one>())
        .file("cards/hooks.rs", |items| items.tool_hook::<hooks::audit>());
    let loader = CardLoader::new(registry).base(env!("CARGO_MANIFEST_DIR"));
    let cards = ["cards/pmo.md", "cards/ny-project-manager.md", "cards/london-project-manager.md"];
    loader.load(cards).unwrap().add_to(App::builder())
}

/// Holds runs to be equal, in what the model is asked too.
async fn runs_are_equal(app: AppBuilder, other: AppBuilder) {
    let (said, asked) = run(app).await;
    let (other_said, other_asked) = run(other).await;
    assert_eq!(other_said, said);
    assert_eq!(other_asked.len(), asked.len());
    for (other, one) in other_asked.iter().zip(&asked) {
        assert_eq!(other, one);
    }
    assert!(asked.len() > 8, "{}", json!(asked));
}

#[tokio::test]
async fn c1_cards_declare_the_same_agents_and_their_runs_are_equal() {
    runs_are_equal(in_rust(), in_cards()).await;
}

#[tokio::test]
async fn c3_loaded_cards_declare_the_same_agents_and_their_runs_are_equal() {
    runs_are_equal(in_rust(), loaded()).await;
    runs_are_equal(in_cards(), loaded()).await;
}
