//! `#[bind(..)]`: parameters that the agent's state fills.
#![allow(missing_docs, clippy::pedantic, clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use onionskin::{
    Args, Exit, Script, ScriptedTurn, SessionState, State, Tool, ToolCaller, ToolContext, agent, tool,
};
use serde_json::json;

/// Counts how often it is cloned.
#[derive(Debug, Default)]
struct Counted(Arc<AtomicU32>);

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.0.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(&self.0))
    }
}

#[derive(Clone)]
struct User {
    name: String,
    nick: Option<String>,
    tags: Vec<String>,
}

#[derive(Clone)]
struct App {
    user: User,
    pair: (u32, u64),
    clones: Arc<Counted>,
}

impl App {
    fn new() -> Self {
        let user = User { name: "Ada".into(), nick: None, tags: vec!["a".into(), "b".into()] };
        Self { user, pair: (1, 2), clones: Arc::default() }
    }
}

/// Says who asks.
#[tool(state = App)]
async fn who(
    question: String,
    #[bind(user.name)] name: &str,
    #[bind(user.nick)] nick: Option<&str>,
    #[bind(user.tags)] tags: &[String],
    #[bind(pair.1)] second: u64,
) -> String {
    tokio::task::yield_now().await;
    format!("{name} {nick:?} {tags:?} {second}: {question}")
}

/// The same, without anything that waits.
#[tool]
fn who_now(#[bind(user.name)] name: String, #[bind(user.tags)] tags: &[String], state: State<App>) -> String {
    state.update(|app| app.user.name.push('!'));
    format!("{name} {}", tags.len())
}

/// On a thread.
#[tool(state = App, blocking)]
fn who_slow(#[bind(user.name)] name: &str, text: &str) -> String {
    format!("{name}: {text}")
}

/// Owned.
#[tool(state = App)]
async fn owned(#[bind(clones)] clones: Arc<Counted>) -> u32 {
    clones.0.load(Ordering::Relaxed)
}

#[derive(Clone, Default)]
struct Costs {
    counted: Counted,
}

/// Takes it by value.
#[tool(state = Costs)]
fn by_value(#[bind(counted)] counted: Counted) -> u32 {
    counted.0.load(Ordering::Relaxed)
}

/// Looks at it.
#[tool(state = Costs)]
async fn by_reference(#[bind(counted)] counted: &Counted) -> u32 {
    counted.0.load(Ordering::Relaxed)
}

/// Asks a service.
#[tool]
async fn ask(
    text: String,
    #[bind("service.url", default = "http://localhost")] url: String,
    #[bind("service.retries")] retries: u8,
    #[bind("service.region", default = "eu")] region: &str,
    session: SessionState,
) -> String {
    session.set("service.retries", retries + 1);
    format!("{text} {url} {retries} {region}")
}

agent! {
    Desk {
        instruction: "Answer.",
        function_tools: [who, who_now, who_slow, owned, ask],
        state: App,
    }
    Till {
        instruction: "Count.",
        function_tools: [by_value, by_reference],
        state: Costs,
    }
}

fn results(output: &onionskin::RunOutput) -> Vec<String> {
    output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect()
}

#[tokio::test]
async fn t8_fields_of_the_state_fill_parameters_at_every_call() {
    let model = Script::turns([
        ScriptedTurn::call("who", json!({ "question": "why" })),
        ScriptedTurn::call("who_now", json!({})),
        ScriptedTurn::call("who_slow", json!({ "text": "later" })),
        ScriptedTurn::say("done"),
    ]);
    let output = Desk::builder().model(model).state(App::new()).run("go").await.unwrap();
    assert_eq!(results(&output), [r#"Ada None ["a", "b"] 2: why"#, "Ada 2", "Ada!: later"]);
}

#[tokio::test]
async fn t8_an_owned_bind_is_one_clone_and_a_borrowed_one_none() {
    let costs = Costs::default();
    let clones = Arc::clone(&costs.counted.0);
    let tools = ToolCaller::<Till>::with_state(costs);
    // Those before any call look for secrets in the state.
    clones.store(0, Ordering::Relaxed);
    let call = async |name: &str| {
        let cx = tools.context(name).unwrap();
        tools.call(&cx, &mut Args::default()).await.unwrap().to_text().into_owned()
    };
    assert_eq!(call("by_value").await, "1");
    assert_eq!(call("by_reference").await, "1");
    assert_eq!(call("by_value").await, "2");
    assert_eq!(call("by_reference").await, "2");
}

#[tokio::test]
async fn t8_keys_of_the_session_fill_parameters() {
    let model = || {
        Script::turns([
            ScriptedTurn::call("ask", json!({ "text": "a" })),
            ScriptedTurn::call("ask", json!({ "text": "b" })),
            ScriptedTurn::say("done"),
        ])
    };
    let agent = Desk::builder().model(model()).state(App::new()).build().await.unwrap();
    let session = agent.session();
    session.state().set("service.retries", 3);
    session.state().set("service.region", "us");
    let output = agent.request("go").session(&session).run().await.unwrap();
    assert_eq!(results(&output), ["a http://localhost 3 us", "b http://localhost 4 us"]);

    // Another session has its own, and a missing key is named; so is one of another type, without its value.
    let agent = Desk::builder().model(model()).state(App::new()).build().await.unwrap();
    let session = agent.session();
    let output = agent.request("go").session(&session).run().await.unwrap();
    assert!(results(&output)[0].contains("`ask` needs `service.retries`"), "{:?}", results(&output));
    let agent = Desk::builder().model(model()).state(App::new()).build().await.unwrap();
    let session = agent.session();
    session.state().set("service.retries", "hunter2");
    let text = results(&agent.request("go").session(&session).run().await.unwrap())[0].clone();
    assert!(text.contains("which is no `u8`") && !text.contains("hunter2"), "{text}");
}

#[tokio::test]
async fn t7_a_model_cannot_fill_what_is_bound() {
    let tool = who::default();
    let schema = &Tool::definition(&tool).input_schema;
    assert_eq!(schema["properties"].as_object().unwrap().keys().collect::<Vec<_>>(), ["question"]);
    let cx = ToolContext::detached_with_state("who", App::new());
    let error =
        who::default().run(&cx, &mut Args::from(r#"{"question": "x", "name": "Eve"}"#)).await.unwrap_err();
    let Exit::Tool(error) = error else { panic!("{error:?}") };
    assert!(error.to_string().contains("`name`: unknown argument"), "{error}");
}
