//! Secrets that a session did not begin with, and those whose type does not say so.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use onionskin::run::ToolCaller;
use onionskin::secret::VisitSecrets;
use onionskin::{
    Args, ScriptedModel, ScriptedTurn, Secret, State, Tool, ToolContext, ToolSpec, agent, call, testing, tool,
};
use serde_json::json;

/// Holds a secret, and its type does not say so.
#[derive(Clone, Default, VisitSecrets)]
struct Login {
    token: Option<Secret<String>>,
}

#[derive(Clone, Default, VisitSecrets)]
struct Account {
    login: Login,
    shared: Arc<Login>,
}

impl Account {
    fn new(token: &str) -> Self {
        Self { login: Login { token: Some(token.into()) }, ..Self::default() }
    }
}

/// Keeps a token that is older than the update, and lets it out in the same call.
#[tool]
fn log_in(account: State<Account>, token: String, shared: bool) -> String {
    let login = Login { token: Some(Secret::new(token.clone())) };
    account.update(|account| {
        if shared {
            account.shared = Arc::new(login);
        } else {
            account.login = login;
        }
    });
    format!("logged in with {token}")
}

/// Lets out what the bound structs hold.
#[tool(state = Account)]
fn fetch(#[bind(login)] login: &Login, #[bind(shared)] shared: Arc<Login>) -> Result<(), String> {
    let tokens = [&login.token, &shared.token];
    Err(tokens.into_iter().flatten().map(|token| token.expose().as_str()).collect::<Vec<_>>().join(" "))
}

/// Says it again.
#[tool]
fn echo(text: &str) -> String {
    text.to_owned()
}

agent! { Desk { instruction: "Answer.", function_tools: [log_in, fetch, echo], state: Account } }

fn log_in_with(token: &str, shared: bool) -> ScriptedTurn {
    ScriptedTurn::call("log_in", json!({ "token": token, "shared": shared }))
}

async fn said(turns: impl IntoIterator<Item = ScriptedTurn>) -> Vec<String> {
    let script = ScriptedModel::turns(turns.into_iter().chain([ScriptedTurn::say("done")]));
    let output = Desk::builder().model(script).state(Account::default()).run("go").await.unwrap();
    output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect()
}

#[tokio::test]
async fn t8_a_secret_that_comes_into_the_state_later_is_known_from_then_on() {
    let said = said([
        ScriptedTurn::call("echo", json!({ "text": "token-of-ada" })),
        log_in_with("token-of-ada", false),
        ScriptedTurn::call("fetch", json!({})),
        log_in_with("token-of-ben", false),
        ScriptedTurn::call("echo", json!({ "text": "token-of-ada, token-of-ben" })),
    ])
    .await;
    assert_eq!(
        said,
        [
            "token-of-ada",
            "logged in with [secret]",
            "[secret]",
            "logged in with [secret]",
            "[secret], [secret]"
        ]
    );
}

#[tokio::test]
async fn t8_a_struct_that_the_state_shares_lists_its_secrets_too() {
    let said = said([log_in_with("token-of-ada", true), ScriptedTurn::call("fetch", json!({}))]).await;
    assert_eq!(said, ["logged in with [secret]", "[secret]"]);
}

/// Lets out what it reads from the state.
#[tool(cache)]
fn whoami(account: State<Account>) -> String {
    account.login.token.as_ref().map_or("nobody".into(), |token| token.expose().clone())
}

agent! { Small { instruction: "Answer.", function_tools: [whoami], state: Account } }

#[tokio::test]
async fn t8_what_the_state_owns_is_known_where_no_agent_runs() {
    let spec = whoami::spec().with_state(Account::new("token-of-ada"));
    assert_eq!(call!(spec).await.unwrap(), "[secret]");

    let tools = ToolCaller::<Small>::with_state(Account::new("token-of-ben"));
    let cx = tools.context("whoami").unwrap();
    assert_eq!(tools.call(&cx, &mut Args::default()).await.unwrap().to_text(), "[secret]");

    let cleo = Account::new("token-of-cleo");
    let (detached, built) = (
        ToolContext::detached_with_state("whoami", cleo.clone()),
        testing::context("whoami").state(cleo).build(),
    );
    for cx in [detached, built] {
        assert_eq!(whoami::default().run(&cx, &mut Args::default()).await.unwrap().to_text(), "[secret]");
    }
}

type Key = Secret<String>;
type Keys = Arc<BTreeMap<u8, Vec<Box<Key>>>>;

/// Copies share all of it, so that only what is bound is known.
#[derive(Clone)]
struct Vault {
    key: Arc<Key>,
    keys: Keys,
    by_name: Arc<HashMap<String, Option<Key>>>,
    pair: Arc<(Key, [Key; 2])>,
    plain: String,
}

/// Each key under a name that is not `Secret`, and something that is none.
#[tool(state = Vault)]
fn open(
    #[bind(key)] key: &Key,
    #[bind(keys)] keys: Keys,
    #[bind(by_name)] by_name: &HashMap<String, Option<Key>>,
    #[bind(pair)] pair: &(Key, [Key; 2]),
    #[bind(plain)] plain: &str,
) -> String {
    let all = [key, &keys[&1][0], by_name["ada"].as_ref().unwrap(), &pair.0, &pair.1[1]];
    format!("{} {plain}", all.map(|key| key.expose().as_str()).join(" "))
}

#[tokio::test]
async fn t8_a_bound_secret_is_known_whatever_its_type_is_called() {
    let vault = Vault {
        key: Arc::new("alpha-key".into()),
        keys: Arc::new(BTreeMap::from([(1, vec![Box::new("bravo-key".into())])])),
        by_name: Arc::new(HashMap::from([("ada".to_owned(), Some("charlie-key".into()))])),
        pair: Arc::new(("delta-key".into(), ["echo-key".into(), "foxtrot-key".into()])),
        plain: "plain".to_owned(),
    };
    let spec: ToolSpec = open::spec().with_state(vault);
    assert_eq!(call!(spec).await.unwrap(), "[secret] [secret] [secret] [secret] [secret] plain");
}
