//! The agents of the PMO report, declared by cards: they are those that the program declares in Rust.

#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::sync::{Arc, Mutex};

use onionskin::mcp::ServerConfig;
use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};
use onionskin::{Agent, App, ScriptedModel};
use serde_json::{Value, json};

#[path = "../src/bin/pmo/agents.rs"]
mod in_rust;

mod in_cards {
    onionskin::agent!(pub(crate) card = "cards");
}

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
async fn run<Pmo: Agent, Ny: Agent, London: Agent>() -> (String, Vec<Value>) {
    let requests = Arc::default();
    let model = ScriptedModel::from_yaml(SCRIPT, "script.yaml").unwrap();
    let app = App::builder()
        .agent::<Pmo>()
        .agent::<Ny>()
        .agent::<London>()
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

/// `docs/pmo.md` is the page that is made of the agents. `ONIONSKIN_BLESS=1` writes it anew.
#[tokio::test]
async fn c5_the_page_of_the_pmo_is_the_one_that_is_generated() {
    let app = App::builder()
        .agent::<in_cards::PmoOrchestrator>()
        .agent::<in_cards::NyProjectManager>()
        .agent::<in_cards::LondonProjectManager>()
        .server("time", ServerConfig::stdio(env!("CARGO_BIN_EXE_pmo")).arg("serve-time"))
        .model(ScriptedModel::turns([]))
        .build()
        .await
        .unwrap();
    let page = app.describe().unwrap().to_markdown();
    app.shutdown().await;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/pmo.md");
    if std::env::var_os("ONIONSKIN_BLESS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(path).unwrap_or_default(),
        page,
        "look at the page after ONIONSKIN_BLESS=1"
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

#[tokio::test]
async fn c1_cards_declare_the_same_agents_and_their_runs_are_equal() {
    let (said, asked) =
        run::<in_rust::PmoOrchestrator, in_rust::NyProjectManager, in_rust::LondonProjectManager>().await;
    let (said_by_cards, asked_by_cards) =
        run::<in_cards::PmoOrchestrator, in_cards::NyProjectManager, in_cards::LondonProjectManager>().await;
    assert_eq!(said_by_cards, said);
    assert_eq!(asked_by_cards.len(), asked.len());
    for (by_cards, by_rust) in asked_by_cards.iter().zip(&asked) {
        assert_eq!(by_cards, by_rust);
    }
    assert!(asked.len() > 8, "{}", json!(asked));
}
