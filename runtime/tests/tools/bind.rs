//! `#[bind(..)]`: parameters that the agent's state fills.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::run::ToolCaller;
use onionskin::{
    Args, Exit, ScriptedModel, ScriptedTurn, Secret, SessionState, State, Tool, ToolContext, agent, tool,
};
use serde_json::json;
use tokio::sync::Barrier;

/// Counts how often it is cloned.
#[derive(Debug, Default)]
struct Counted(Arc<AtomicU32>);

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.0.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(&self.0))
    }
}

#[derive(Clone, onionskin::secret::VisitSecrets)]
struct User {
    name: String,
    nick: Option<String>,
    pin: Option<Secret<String>>,
    tags: Vec<String>,
}

#[derive(Clone, onionskin::secret::VisitSecrets)]
struct App {
    user: User,
    pair: (u32, u64),
    clones: Arc<Counted>,
}

impl App {
    fn new() -> Self {
        let tags = vec!["a".into(), "b".into()];
        let user = User { name: "Ada".into(), nick: None, pin: None, tags };
        Self { user, pair: (1, 2), clones: Arc::default() }
    }

    fn with_all() -> Self {
        let mut app = Self::new();
        app.user.nick = Some("Countess".into());
        app.user.pin = Some("1815-12-10".to_owned().into());
        app
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

/// What may not be there, in all forms.
#[tool(state = App)]
async fn maybe(
    #[bind(user.nick)] borrowed: Option<&str>,
    #[bind(user.nick)] whole: Option<&String>,
    #[bind(user.nick)] owned: Option<String>,
    #[bind(user.pin)] pin: Option<&Secret<String>>,
    #[bind(user.pin)] own_pin: Option<Secret<String>>,
) -> String {
    let lengths = [pin.map(|pin| pin.expose().len()), own_pin.as_ref().map(|pin| pin.expose().len())];
    format!("{borrowed:?} {whole:?} {owned:?} {lengths:?}")
}

/// The same on a thread.
#[tool(state = App, blocking)]
fn maybe_slow(#[bind(user.nick)] nick: Option<&str>, #[bind(user.tags)] tags: &[String]) -> String {
    format!("{nick:?} {tags:?}")
}

/// Keys that may be missing.
#[tool]
async fn maybe_keys(
    #[bind("user.nick")] nick: Option<String>,
    #[bind("user.nick")] borrowed: Option<&str>,
    #[bind("user.age", default = Some(7))] age: Option<u8>,
    #[bind("user.pin")] pin: Option<Secret<String>>,
    #[bind("user.pin")] pin_too: Option<&Secret<String>>,
) -> String {
    let lengths = [pin.as_ref().map(|pin| pin.expose().len()), pin_too.map(|pin| pin.expose().len())];
    format!("{nick:?} {borrowed:?} {age:?} {lengths:?}")
}

/// Waits until both sessions are here.
#[tool]
async fn meet(
    #[bind("user.name")] name: &str,
    #[bind("user.seen", default = 0)] seen: u8,
    session: SessionState,
    meeting: State<Meeting>,
) -> String {
    meeting.0.wait().await;
    session.set("user.seen", seen + 1);
    format!("{name} {seen}")
}

#[derive(Clone)]
struct Meeting(Arc<Barrier>);

/// Updates the state while others hold on to what they were given.
#[tool(state = Room)]
async fn holds(
    #[bind(names)] names: &[String],
    #[bind(names)] owned: Vec<String>,
    room: State<Room>,
) -> String {
    room.barrier.wait().await;
    room.barrier.wait().await;
    format!("{names:?} {owned:?} {:?}", room.latest().names)
}

/// Changes what the other one holds.
#[tool(state = Room)]
async fn changes(room: State<Room>) -> usize {
    room.barrier.wait().await;
    let count = room.update(|room| {
        room.names.push("Bob".into());
        room.names.len()
    });
    room.barrier.wait().await;
    count
}

#[derive(Clone)]
struct Room {
    names: Vec<String>,
    barrier: Arc<Barrier>,
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
        function_tools: [who, who_now, who_slow, maybe, maybe_slow, maybe_keys, owned, ask],
        state: App,
    }
    Hall {
        instruction: "Meet.",
        function_tools: [meet],
        state: Meeting,
    }
    Shared {
        instruction: "Share.",
        function_tools: [holds, changes],
        state: Room,
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
    let model = ScriptedModel::turns([
        ScriptedTurn::call("who", json!({ "question": "why" })),
        ScriptedTurn::call("who_now", json!({})),
        ScriptedTurn::call("who_slow", json!({ "text": "later" })),
        ScriptedTurn::say("done"),
    ]);
    let output = Desk::builder().model(model).state(App::new()).run("go").await.unwrap();
    assert_eq!(results(&output), [r#"Ada None ["a", "b"] 2: why"#, "Ada 2", "Ada!: later"]);
}

#[tokio::test]
async fn t8_optional_fields_of_the_state_are_there_or_not() {
    let run = async |app: App| {
        let turn = ScriptedTurn::call("maybe", json!({})).and_call("maybe_slow", json!({}));
        let model = ScriptedModel::turns([turn, ScriptedTurn::say("done")]);
        results(&Desk::builder().model(model).state(app).run("go").await.unwrap())
    };
    assert_eq!(run(App::new()).await, ["None None None [None, None]", r#"None ["a", "b"]"#]);
    let nick = r#"Some("Countess")"#;
    assert_eq!(
        run(App::with_all()).await,
        [format!("{nick} {nick} {nick} [Some(10), Some(10)]"), format!(r#"{nick} ["a", "b"]"#)]
    );
}

#[tokio::test]
async fn t8_an_optional_key_that_is_missing_is_none() {
    let run = async |set: fn(&SessionState)| {
        let model =
            ScriptedModel::turns([ScriptedTurn::call("maybe_keys", json!({})), ScriptedTurn::say("done")]);
        let agent = Desk::builder().model(model).state(App::new()).build().await.unwrap();
        let session = agent.session();
        set(session.state());
        results(&agent.request("go").session(&session).run().await.unwrap()).remove(0)
    };
    assert_eq!(run(|_| ()).await, "None None Some(7) [None, None]");
    let nulls = |state: &SessionState| {
        state.replace(json!({ "user": { "nick": null, "age": null, "pin": null } }));
    };
    assert_eq!(run(nulls).await, "None None None [None, None]");
    let all = |state: &SessionState| {
        state.replace(json!({ "user": { "nick": "Ada", "age": 36 } }));
        state.set_secret("user.pin", Secret::new("1815-12-10".to_owned()));
    };
    assert_eq!(run(all).await, r#"Some("Ada") Some("Ada") Some(36) [Some(10), Some(10)]"#);
    // A value of another type is an error all the same, as is one in the way.
    let wrong = run(|state| state.set("user.nick", 5)).await;
    assert!(wrong.contains("`maybe_keys` needs `user.nick`") && wrong.contains("Option<"), "{wrong}");
}

#[tokio::test]
async fn t8_a_bind_keeps_what_it_was_given_while_another_call_updates_the_state() {
    let turn = ScriptedTurn::call("holds", json!({})).and_call("changes", json!({}));
    let turns = [turn, ScriptedTurn::call("holds", json!({})).and_call("changes", json!({}))];
    let model = ScriptedModel::turns(turns.into_iter().chain([ScriptedTurn::say("done")]));
    let room = Room { names: vec!["Ada".into()], barrier: Arc::new(Barrier::new(2)) };
    let output = Shared::builder().model(model).state(room).run("go").await.unwrap();
    let (one, two, three) = (r#"["Ada"]"#, r#"["Ada", "Bob"]"#, r#"["Ada", "Bob", "Bob"]"#);
    assert_eq!(
        results(&output),
        [format!("{one} {one} {two}"), "2".into(), format!("{two} {two} {three}"), "3".into()]
    );
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
        ScriptedModel::turns([
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

    // A missing key is named; so is one of another type, without its value.
    let agent = Desk::builder().model(model()).state(App::new()).build().await.unwrap();
    let session = agent.session();
    let output = agent.request("go").session(&session).run().await.unwrap();
    assert!(results(&output)[0].contains("`ask` needs `service.retries`"), "{:?}", results(&output));
    let agent = Desk::builder().model(model()).state(App::new()).build().await.unwrap();
    let session = agent.session();
    session.state().set("service.retries", "hunter2");
    let text = results(&agent.request("go").session(&session).run().await.unwrap())[0].clone();
    assert!(text.contains("which is not a `u8`") && !text.contains("hunter2"), "{text}");
}

#[tokio::test]
async fn t8_sessions_that_run_at_once_have_keys_of_their_own() {
    let turns = [ScriptedTurn::call("meet", json!({})), ScriptedTurn::call("meet", json!({}))];
    let model = ScriptedModel::turns(turns.into_iter().chain([ScriptedTurn::say("done")]));
    let meeting = Meeting(Arc::new(Barrier::new(2)));
    let agent = Hall::builder().model(model).state(meeting).build().await.unwrap();
    let run = async |name: &str, seen: u8| {
        let session = agent.session();
        session.state().replace(json!({ "user": { "name": name, "seen": seen } }));
        let output = agent.request("go").session(&session).run().await.unwrap();
        (results(&output), session.state().get("user.seen").unwrap())
    };
    let both = async { tokio::join!(run("Ada", 3), run("Bob", 40)) };
    let (ada, bob) = tokio::time::timeout(Duration::from_secs(10), both).await.expect("they meet");
    assert_eq!(ada, (vec!["Ada 3".to_owned(), "Ada 4".into()], json!(5)));
    assert_eq!(bob, (vec!["Bob 40".to_owned(), "Bob 41".into()], json!(42)));
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

#[tokio::test]
async fn t8_a_key_of_very_many_parts_is_refused_and_ends_no_process() {
    /// Remembers a value under a key.
    #[tool]
    async fn remember(key: &str, value: i64, ctx: &ToolContext) {
        ctx.run().session_state().set(key, value);
    }
    agent! { Memory { instruction: "Remember.", function_tools: [remember] } }
    let deep = vec!["k"; 100_000].join(".");
    let model = ScriptedModel::turns([
        ScriptedTurn::call("remember", json!({ "key": deep, "value": 1 })),
        ScriptedTurn::call("remember", json!({ "key": "a.b", "value": 2 })),
        ScriptedTurn::say("done"),
    ]);
    let agent = Memory::builder().model(model).build().await.unwrap();
    let session = agent.session();
    let output = agent.request("go").session(&session).run().await.unwrap();
    let told = results(&output);
    assert!(told[0].contains("has 100000 parts; it can have 64 at most"), "{told:?}");
    assert!(told[0].len() < 300, "{told:?}");
    assert_eq!(session.state().to_value(), json!({ "a": { "b": 2 } }));
}
