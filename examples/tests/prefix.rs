//! O3: in each example, a request begins with the bytes of the one before it, in the form of each provider; or the run names what changed.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]
#![allow(clippy::needless_pass_by_value, reason = "tools take injected values by value")]
#![allow(dead_code, unused_imports, reason = "the tests of each example use the rest")]
#![allow(
    clippy::duplicate_mod,
    unreachable_pub,
    reason = "the files of a workflow are modules of its agents too"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use onionskin::event::EventKind;
use onionskin::genai::GenaiModel;
use onionskin::mcp::ServerConfig;
use onionskin::model::{Model as _, ModelRequest, RequestParams};
use onionskin::question::{Answer, Question, QuestionKind};
use onionskin::toolboxes::KnowledgeBase;
use onionskin::{App, ScriptedModel, ScriptedTurn, agent};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

#[cfg(feature = "support-desk")]
#[path = "../src/bin/support_desk/agents.rs"]
mod agents;
#[path = "../../runtime/tests/shared/changing_server.rs"]
mod changing_server;
#[path = "../src/bin/durable/desk.rs"]
mod desk;
#[path = "../src/bin/generator.rs"]
mod generator;
#[path = "../src/bin/toolbox_kb.rs"]
mod knowledge;
#[path = "../src/bin/durable/moments.rs"]
mod moments;
#[path = "../src/bin/onboarding.rs"]
mod onboarding;
#[cfg(feature = "support-desk")]
#[path = "../src/bin/support_desk/orders.rs"]
mod orders;
#[path = "../src/bin/paused/main.rs"]
mod paused;
#[path = "../src/bin/pmo/agents.rs"]
mod pmo;
#[path = "../src/bin/shop/main.rs"]
mod shop;

/// What an example asked its models, and the changes that its runs reported.
struct Conversation {
    example: &'static str,
    requests: Vec<ModelRequest>,
    changes: Vec<String>,
}

impl Conversation {
    /// The requests that continue each other: those of an agent in a session, and those of each call of a child.
    fn threads(&self) -> Vec<Vec<ModelRequest>> {
        let mut threads = BTreeMap::<_, Vec<_>>::new();
        for request in &self.requests {
            let scope = request.step().scope();
            let run = if scope.is_empty() { request.session_id() } else { request.run_id() };
            let thread = (request.agent.to_string(), run.to_owned(), scope.to_owned());
            threads.entry(thread).or_default().push(request.clone());
        }
        threads.into_values().collect()
    }
}

/// Runs a request to its end, and notes the changes.
macro_rules! watch {
    ($changes:ident, $request:expr) => {{
        let mut stream = $request.stream();
        while let Some(event) = stream.next().await {
            if let EventKind::PrefixChanged { change, .. } = event.kind {
                $changes.push(change.to_string());
            }
        }
        stream.output().await.unwrap();
    }};
}

async fn pmo() -> Conversation {
    let model = Arc::new(ScriptedModel::from_yaml(include_str!("../src/bin/pmo/script.yaml"), "s").unwrap());
    let app = App::builder()
        .agent::<pmo::PmoOrchestrator>()
        .agent::<pmo::NyProjectManager>()
        .agent::<pmo::LondonProjectManager>()
        .server("time", ServerConfig::stdio(env!("CARGO_BIN_EXE_time_server")))
        .model(Arc::clone(&model));
    let app = app.build().await.unwrap();
    let mut changes = Vec::new();
    watch!(changes, app.entry().request("Run PMO report and add 1 to 3"));
    app.shutdown().await;
    Conversation { example: "pmo", requests: model.requests(), changes }
}

async fn desk() -> Conversation {
    let folder = tempfile::tempdir().unwrap();
    let world = desk::World::open(&folder.path().join("requests"), moments::Moments::default()).unwrap();
    let model = Arc::new(desk::script());
    let desk = desk::Desk::builder()
        .model(Arc::clone(&model))
        .state(desk::Sales::default())
        .toolbox(desk::Shop(world.clone()))
        .toolbox(desk::Vans(world));
    let desk = desk.build().await.unwrap();
    let mut changes = Vec::new();
    watch!(changes, desk.request("Ada wants a lamp, and asks what a chair costs."));
    Conversation { example: "durable", requests: model.requests(), changes }
}

async fn allow(question: Question) -> Option<Answer> {
    Some(match question.kind() {
        QuestionKind::Approval => Answer::allow(),
        _ => Answer::value(41).ok()?,
    })
}

async fn paused() -> Conversation {
    let model = Arc::new(paused::script());
    let office = paused::Office::builder()
        .model(Arc::clone(&model))
        .provide(paused::Done(Mutex::new(tempfile::tempfile().unwrap())))
        .answerer(allow);
    let office = office.build().await.unwrap();
    let mut changes = Vec::new();
    watch!(changes, office.request("Pay the bill, send the parcel, order shoes."));
    Conversation { example: "paused", requests: model.requests(), changes }
}

async fn shop() -> Conversation {
    let model = Arc::new(ScriptedModel::from_yaml(include_str!("../src/bin/shop/script.yaml"), "s").unwrap());
    let clerk =
        shop::Clerk::builder().model_for_all(Arc::clone(&model)).answerer(allow).build().await.unwrap();
    let session = clerk.session();
    let mut changes = Vec::new();
    for input in ["Where are my parcels?", "I want my money back."] {
        watch!(changes, clerk.request(input).session(&session));
    }
    Conversation { example: "shop", requests: model.requests(), changes }
}

async fn knowledge() -> Conversation {
    let model = Arc::new(ScriptedModel::turns(knowledge::conversation()));
    let (handbook, archive) = (KnowledgeBase::in_memory().unwrap(), KnowledgeBase::in_memory().unwrap());
    handbook.add("Berths", "A night costs 2.40 a metre.", &["prices".to_owned()]).unwrap();
    let master = knowledge::HarbourMaster::builder()
        .model(Arc::clone(&model))
        .toolbox(handbook)
        .toolbox_as("archive", archive);
    let master = master.build().await.unwrap();
    let mut changes = Vec::new();
    watch!(changes, master.request("What does a night cost?"));
    Conversation { example: "toolbox_kb", requests: model.requests(), changes }
}

async fn onboarding() -> Conversation {
    let model = Arc::new(onboarding::script());
    let agent = onboarding::Onboarding::builder()
        .model(Arc::clone(&model))
        .state(onboarding::Progress::default())
        .answerer(onboarding::person);
    let agent = agent.build().await.unwrap();
    let session = agent.session();
    let mut changes = Vec::new();
    for input in ["Connect my mail.", "Thank you, and forget sk-17 please."] {
        watch!(changes, agent.request(input).session(&session));
    }
    Conversation { example: "onboarding", requests: model.requests(), changes }
}

async fn generator() -> Conversation {
    let model = Arc::new(generator::script());
    let app = generator::loaded().unwrap().model(Arc::clone(&model)).answerer(generator::person);
    let app = app.build().await.unwrap();
    let mut changes = Vec::new();
    watch!(changes, app.entry().request(app.initial_message().unwrap_or("Go.")));
    Conversation { example: "generator", requests: model.requests(), changes }
}

#[cfg(feature = "support-desk")]
async fn support_desk() -> Conversation {
    let script = include_str!("../src/bin/support_desk/script.yaml");
    let model = Arc::new(ScriptedModel::from_yaml(script, "s").unwrap());
    let orders = Arc::new(orders::Orders::open(None).unwrap());
    let ada = agents::Customer { name: "Ada".to_owned(), email: "ada@example.org".to_owned(), visits: 3 };
    let desk = agents::SupportDesk::builder()
        .model(Arc::clone(&model))
        .state(ada)
        .toolbox(Arc::clone(&orders))
        .provide_shared(orders)
        .answerer(allow);
    let desk = desk.build_typed::<agents::Resolution>().await.unwrap();
    let session = desk.session();
    let mut changes = Vec::new();
    for input in ["Where are my shoes?", "My lamp came broken, I want my money back.", "Once more, please."] {
        watch!(changes, desk.request(input).session(&session));
    }
    Conversation { example: "support_desk", requests: model.requests(), changes }
}

agent! { Librarian { instruction: "Answer.", servers: [shelf] } }

/// A server that adds tools in front of the others and changes their order.
async fn librarian() -> Conversation {
    let list = |names: &[&'static str]| names.iter().map(|name| (*name, format!("Takes {name}."))).collect();
    let lists = [&["b", "a"][..], &["new", "b", "a"], &["a", "new", "b"], &["a", "b", "new", "newer"]];
    let shelf = changing_server::Shelf::new(list(&["a", "b"]), lists.map(list));
    let turns = std::iter::repeat_n(ScriptedTurn::call("shelf__a", json!({})), lists.len());
    let model = Arc::new(ScriptedModel::turns(turns.chain([ScriptedTurn::say("Fine.")])));
    let agent = Librarian::builder().model(Arc::clone(&model)).server("shelf", shelf).build().await.unwrap();
    let mut changes = Vec::new();
    watch!(changes, agent.request("Go."));
    Conversation { example: "librarian", requests: model.requests(), changes }
}

/// A provider that keeps the body of each request, and refuses it.
async fn provider() -> (String, Arc<Mutex<Option<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let newest = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&newest);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let body = body(&mut stream).await;
            *kept.lock().unwrap() = Some(serde_json::from_slice(&body).unwrap());
            let refusal = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
            stream.write_all(refusal).await.unwrap();
        }
    });
    (url, newest)
}

async fn body(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "the request broke off");
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:")).unwrap();
        if bytes.len() == end + 4 + length.trim().parse::<usize>().unwrap() {
            return bytes.split_off(end + 4);
        }
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    serde_json::to_vec(value).unwrap()
}

/// Whether the lists of a body begin with those of another one, and all else is equal byte for byte. Gemini has the list of tools in a list.
fn begins(before: &Value, later: &Value) -> bool {
    match (before, later) {
        (Value::Object(before), Value::Object(later)) => {
            before.iter().all(|(name, value)| later.get(name).is_some_and(|other| begins(value, other)))
        }
        (Value::Array(before), Value::Array(later)) => {
            let is_same = |(one, other): (&Value, &Value)| {
                bytes(one) == bytes(other) || one.get("functionDeclarations").is_some() && begins(one, other)
            };
            before.len() <= later.len() && before.iter().zip(later).all(is_same)
        }
        (before, later) => before == later,
    }
}

const ADAPTERS: [&str; 11] = [
    "openai",
    "deepseek",
    "mistral",
    "groq",
    "openai_resp",
    "anthropic",
    "minimax",
    "gemini",
    "ollama",
    "cohere",
    "bedrock_api",
];

#[tokio::test(flavor = "multi_thread")]
async fn o3_each_request_of_each_example_begins_with_the_one_before_or_the_run_names_the_change() {
    let conversations = [
        pmo().await,
        desk().await,
        paused().await,
        shop().await,
        knowledge().await,
        onboarding().await,
        generator().await,
        librarian().await,
        #[cfg(feature = "support-desk")]
        support_desk().await,
    ];
    // Their prompts show what changes in each turn.
    let expected = |example| match example {
        "onboarding" => Some("the part `Instructions` of the system prompt changed"),
        "generator" => Some("the part `SessionState` of the system prompt changed"),
        _ => None,
    };
    let (url, newest) = provider().await;
    let mut pairs = 0;
    for conversation in &conversations {
        let example = conversation.example;
        let changes = &conversation.changes;
        assert!(changes.iter().all(|change| Some(&**change) == expected(example)), "{example}: {changes:?}");
        assert_eq!(changes.is_empty(), expected(example).is_none(), "{example}");
        for adapter in ADAPTERS {
            let model = GenaiModel::new("some-model").adapter(adapter).base_url(&*url);
            let mut changed = 0;
            for thread in conversation.threads() {
                let mut before: Option<Value> = None;
                for mut request in thread {
                    request.params = RequestParams::default();
                    model.respond(&request, &mut |_| {}).await.unwrap_err();
                    let now =
                        newest.lock().unwrap().take().unwrap_or_else(|| panic!("{adapter} sent nothing"));
                    if let Some(before) = &before {
                        pairs += 1;
                        changed += usize::from(!begins(before, &now));
                    }
                    before = Some(now);
                }
            }
            assert_eq!(changed, changes.len(), "{example} with {adapter}");
        }
    }
    assert!(pairs > 200, "only {pairs} pairs");
}
