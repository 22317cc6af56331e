//! The secrets that an agent's state lists, and those that it does not.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use onionskin::declaration::AgentDeclaration;
use onionskin::secret::VisitSecrets;
use onionskin::{
    Agent, AgentHandle, BuildError, RunOutput, ScriptedModel, ScriptedTurn, Secret, SessionState, State,
    agent, tool,
};
use serde_json::json;

type Key = Secret<String>;

/// A credential, in each way that a type can hold one.
#[derive(Clone, VisitSecrets)]
enum Login {
    Token(Arc<Key>),
    Password { user: String, password: Key },
}

#[derive(Clone, VisitSecrets)]
struct Named<T> {
    items: BTreeMap<String, T>,
}

#[derive(Clone, VisitSecrets)]
struct Account {
    shared: Arc<Key>,
    logins: Arc<Vec<Login>>,
    numbered: Named<(u8, Key)>,
    copies: Copies,
}

impl Account {
    fn new() -> Self {
        let login = Login::Password { user: "ada".into(), password: "password-of-ada".into() };
        Self {
            shared: Arc::new("shared-key".into()),
            logins: Arc::new(vec![login, Login::Token(Arc::new("token-of-ada".into()))]),
            numbered: Named { items: BTreeMap::from([("a".into(), (1, "numbered-key".into()))]) },
            copies: Copies::default(),
        }
    }
}

/// Counts its copies.
#[derive(Default)]
struct Copies(Arc<AtomicUsize>);

impl Clone for Copies {
    fn clone(&self) -> Self {
        self.0.fetch_add(1, Relaxed);
        Self(Arc::clone(&self.0))
    }
}

/// Says it again.
#[tool]
fn echo(text: String) -> String {
    text
}

/// Keeps a token that the state shares, and lets it out in the same call.
#[tool]
fn log_in(account: State<Account>, token: String) -> String {
    let login = Arc::new(vec![Login::Token(Arc::new(Secret::new(token.clone())))]);
    account.update(|account| account.logins = login);
    format!("logged in with {token}")
}

agent! { Desk { instruction: "Answer.", function_tools: [echo, log_in], state: Account } }

fn results(output: &RunOutput) -> Vec<String> {
    output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect()
}

fn model(turns: impl IntoIterator<Item = ScriptedTurn>) -> ScriptedModel {
    ScriptedModel::turns(turns.into_iter().chain([ScriptedTurn::say("done")]))
}

#[tokio::test]
async fn t8_a_state_lists_its_secrets_also_those_that_it_shares() {
    let text = "shared-key password-of-ada token-of-ada numbered-key, but ada";
    let model = model([ScriptedTurn::call("echo", json!({ "text": text }))]);
    let output = Desk::builder().model(model).state(Account::new()).run("go").await.unwrap();
    assert_eq!(results(&output), ["[secret] [secret] [secret] [secret], but ada"]);
}

#[tokio::test]
async fn t8_an_update_makes_a_new_secret_known_at_once() {
    let model = model([
        ScriptedTurn::call("echo", json!({ "text": "token-of-ben" })),
        ScriptedTurn::call("log_in", json!({ "token": "token-of-ben" })),
        ScriptedTurn::call("echo", json!({ "text": "token-of-ada, token-of-ben" })),
    ]);
    let output = Desk::builder().model(model).state(Account::new()).run("go").await.unwrap();
    assert_eq!(results(&output), ["token-of-ben", "logged in with [secret]", "[secret], [secret]"]);
}

/// How often a run copies the state that the session has.
async fn copies_of_a_run(agent: &AgentHandle, copies: &AtomicUsize) -> usize {
    let session = agent.session();
    let before = copies.load(Relaxed);
    agent.request("go").session(&session).run().await.unwrap();
    copies.load(Relaxed) - before
}

#[tokio::test]
async fn t8_an_update_copies_a_state_once_whether_it_lists_secrets_or_not() {
    let account = Account::new();
    let copies = Arc::clone(&account.copies.0);
    let log_in = model([ScriptedTurn::call("log_in", json!({ "token": "token-of-ben" }))]);
    let desk = Desk::builder().model(log_in).state(account).build().await.unwrap();
    assert_eq!(copies_of_a_run(&desk, &copies).await, 1);

    let plain = Plain { copies: Copies::default(), count: 0 };
    let copies = Arc::clone(&plain.copies.0);
    let count = model([ScriptedTurn::call("count", json!({}))]);
    let counter = Counter::builder().model(count).state(plain).build().await.unwrap();
    assert_eq!(copies_of_a_run(&counter, &copies).await, 1);
}

/// A state that lists no secrets.
#[derive(Clone)]
struct Plain {
    copies: Copies,
    count: u32,
}

/// Counts.
#[tool]
fn count(state: State<Plain>) -> u32 {
    state.update(|state| {
        state.count += 1;
        state.count
    })
}

agent! { Counter { instruction: "Count.", function_tools: [count], state: Plain } }

/// Holds a secret and does not list it.
#[derive(Clone)]
struct Silent {
    key: Option<Key>,
}

/// Lists its secrets, except those of a field.
#[derive(Clone, VisitSecrets)]
struct Forgetful {
    key: Key,
    inner: Silent,
}

agent! {
    Quiet { name: "quiet", description: "Helps.", instruction: "Help.", state: Silent }
    Absent { name: "absent", instruction: "Answer.", state: Forgetful }
    Parent { name: "parent", instruction: "Answer.", agents: [Quiet] }
}

async fn refused(built: impl Future<Output = Result<AgentHandle, BuildError>>) -> String {
    let Err(error) = built.await else { panic!("it was built") };
    assert!(matches!(error, BuildError::UnvisitedSecret { .. }), "{error}");
    let error = error.to_string();
    assert!(!error.contains("hidden-key"), "{error}");
    error
}

fn silent() -> Silent {
    Silent { key: Some("hidden-key".into()) }
}

#[tokio::test]
async fn t8_an_agent_is_not_built_with_a_secret_that_its_state_does_not_list() {
    let error = refused(Quiet::builder().model(model([])).state(silent()).build()).await;
    let state = std::any::type_name::<Silent>();
    assert_eq!(
        error,
        format!(
            "the state `{state}` of the agent `quiet` contains a secret that is not visited, so it would not be redacted: write \
             `#[derive(onionskin::secret::VisitSecrets)]` on it, and on each type in it that holds a secret"
        )
    );
    Quiet::builder().model(model([])).state(Silent { key: None }).build().await.unwrap();

    let forgetful = || Forgetful { key: "visited-key".into(), inner: silent() };
    let error = refused(Absent::builder().model(model([])).state(forgetful()).build()).await;
    assert!(
        error.contains("`absent`") && error.contains("on the type of the field that holds it"),
        "{error}"
    );
    let whole = Forgetful { inner: Silent { key: None }, ..forgetful() };
    Absent::builder().model(model([])).state(whole).build().await.unwrap();
}

#[tokio::test]
async fn t8_a_state_of_a_child_has_to_list_its_secrets_too() {
    let error = refused(Parent::builder().model(model([])).state(silent()).build()).await;
    assert!(error.contains("of the agent `quiet`"), "{error}");
}

agent! {
    Clerk {
        name: "clerk",
        description: "Helps.",
        instruction: "Help.",
        function_tools: [echo],
        state: Account,
    }
    Boss { name: "boss", instruction: "Lead.", agents: [Clerk] }
}

#[tokio::test]
async fn t8_a_session_knows_the_secrets_of_a_childs_state_from_its_start() {
    let model = ScriptedModel::new()
        .agent(
            "boss",
            [ScriptedTurn::call("agent__clerk", json!({ "input": "go" })), ScriptedTurn::say("{last}")],
        )
        .agent(
            "clerk",
            [ScriptedTurn::call("echo", json!({ "text": "token-of-ada" })), ScriptedTurn::say("{last}")],
        );
    let output = Boss::builder().model(model).state(Account::new()).run("go").await.unwrap();
    assert_eq!(output.text, "[secret]");
}

/// An agent that is written by hand.
struct ByHand<const VISITS: bool>;

impl<const VISITS: bool> Agent for ByHand<VISITS> {
    const NAME: &'static str = "by_hand";
    type State = Account;

    fn declare() -> AgentDeclaration {
        let declaration = AgentDeclaration::new().tool(echo::default());
        if VISITS { declaration.visit_state::<Account>() } else { declaration }
    }
}

#[tokio::test]
async fn t8_an_agent_written_by_hand_says_how_its_state_is_visited() {
    let echo = || model([ScriptedTurn::call("echo", json!({ "text": "token-of-ada" }))]);
    let builder = ByHand::<true>::builder().model(echo()).state(Account::new());
    assert_eq!(results(&builder.run("go").await.unwrap()), ["[secret]"]);
    let builder = ByHand::<false>::builder().model(echo()).state(Account::new());
    let error = refused(builder.build()).await;
    assert!(error.ends_with("and call `AgentDeclaration::visit_state` in `declare`"), "{error}");
}

/// A value of the session's state that holds a secret.
#[derive(serde::Deserialize, VisitSecrets)]
struct Settings {
    keys: Vec<Key>,
    user: String,
}

/// Lets out what it takes.
#[tool]
fn keys(#[bind("settings")] settings: &Settings) -> String {
    format!("{} of {}", settings.keys[0].expose(), settings.user)
}

agent! { Bound { instruction: "Answer.", function_tools: [keys] } }

#[tokio::test]
async fn t8_a_value_under_a_key_lists_its_secrets() {
    let agent = Bound::builder().model(model([ScriptedTurn::call("keys", json!({}))])).build().await.unwrap();
    let session = agent.session();
    let state: SessionState = session.state().clone();
    state.set("settings", json!({ "keys": ["key-of-ada"], "user": "ada" }));
    let output = agent.request("go").session(&session).run().await.unwrap();
    assert_eq!(results(&output), ["[secret] of ada"]);
}

/// A value that holds a secret and does not list it.
#[derive(serde::Deserialize)]
struct Unlisted {
    key: Key,
}

/// Keeps a key in a state that lists none, and lets it out.
#[tool]
fn keep(silent: State<Silent>, key: String) -> String {
    silent.update(|silent| silent.key = Some(Secret::new(key.clone())));
    key
}

/// Lets out what it takes.
#[tool]
fn unlisted(#[bind("settings")] settings: &Unlisted) -> String {
    settings.key.expose().clone()
}

agent! { Keeper { instruction: "Answer.", function_tools: [keep, echo, unlisted], state: Silent } }

#[tokio::test]
async fn t8_a_secret_that_an_update_or_a_bound_value_makes_is_known_also_if_no_type_lists_it() {
    let model = model([
        ScriptedTurn::call("keep", json!({ "key": "kept-key" })),
        ScriptedTurn::call("unlisted", json!({})),
        ScriptedTurn::call("echo", json!({ "text": "kept-key, key-of-ada" })),
    ]);
    let keeper = Keeper::builder().model(model).state(Silent { key: None }).build().await.unwrap();
    let session = keeper.session();
    session.state().set("settings", json!({ "key": "key-of-ada" }));
    let output = keeper.request("go").session(&session).run().await.unwrap();
    assert_eq!(results(&output), ["[secret]", "[secret]", "[secret], [secret]"]);
}

#[tokio::test]
async fn t8_a_state_may_hold_a_secret_that_the_builder_conceals() {
    let model = model([ScriptedTurn::call("echo", json!({ "text": "hidden-key" }))]);
    let key: Key = "hidden-key".into();
    let output = Keeper::builder().model(model).state(silent()).conceal(&key).run("go").await.unwrap();
    assert_eq!(results(&output), ["[secret]"]);
}

#[test]
fn t8_types_of_the_standard_library_without_secrets_leave_a_generic_type_visited() {
    #[derive(VisitSecrets)]
    struct Server<A> {
        at: A,
        key: std::sync::OnceLock<Key>,
    }
    let secrets = |server: &dyn VisitSecrets| {
        let mut secrets = Vec::new();
        server.visit_secrets(&mut |secret| secrets.push(String::from_utf8(secret.to_vec()).unwrap()));
        secrets
    };
    let server = Server { at: std::net::IpAddr::from([127, 0, 0, 1]), key: std::sync::OnceLock::new() };
    assert!(secrets(&server).is_empty() && server.at.is_loopback());
    server.key.set("hidden-key".into()).unwrap();
    assert_eq!(secrets(&server), ["hidden-key"]);
}
