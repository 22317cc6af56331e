//! What a session knows of secrets, and what it does not.

use std::sync::{Arc, Mutex};

use onionskin::secret::VisitSecrets;
use onionskin::{
    App, Args, Next, ScriptedModel, ScriptedTurn, Secret, SessionState, State, ToolContext, ToolResult,
    ToolSpec, agent, call, tool, tool_hook, toolbox,
};
use serde_json::json;

#[derive(Clone, VisitSecrets)]
struct Config {
    owned: Secret<String>,
    deep: Arc<Deep>,
}

/// Copies share it, and it does not list its secret.
struct Deep(Secret<String>);

fn config() -> Config {
    Config { owned: "owned-secret".into(), deep: Arc::new(Deep("deep-secret".into())) }
}

/// Reads the state by itself.
#[tool]
fn read(config: State<Config>, cx: &ToolContext, conceal: bool) -> String {
    if conceal {
        cx.conceal(&config.deep.0);
    }
    format!("{} {}", config.owned.expose(), config.deep.0.expose())
}

/// Says it again.
#[tool]
fn echo(text: String) -> String {
    text
}

/// Makes a new secret and keeps it.
#[tool]
fn log_in(session: SessionState) -> String {
    session.set_secret("token", Secret::new("token-of-today".to_owned()));
    "the token is token-of-today".to_owned()
}

/// Uses it.
#[tool]
fn with_token(#[bind("token")] token: Option<Secret<String>>) -> usize {
    token.map_or(0, |token| token.expose().len())
}

struct Vault {
    key: Secret<String>,
}

#[toolbox]
impl Vault {
    /// Opens.
    #[tool]
    fn open(&self, #[bind("token")] token: &Secret<String>) -> String {
        format!("{} {}", self.key.expose(), token.expose())
    }
}

agent! {
    Child { name: "child", description: "Helps.", instruction: "Help.", function_tools: [read], state: Config }
    Desk {
        name: "desk",
        instruction: "Answer.",
        function_tools: [read, echo, log_in, with_token],
        toolboxes: [Vault],
        agents: [Child],
        state: Config,
        default: true,
    }
}

fn vault() -> Vault {
    Vault { key: "vault-secret".into() }
}

async fn said(turns: impl IntoIterator<Item = ScriptedTurn>) -> Vec<String> {
    let turns: Vec<_> = turns.into_iter().chain([ScriptedTurn::say("done")]).collect();
    let child = [ScriptedTurn::call("read", json!({ "conceal": false })), ScriptedTurn::say("{last}")];
    let script = ScriptedModel::new().agent("desk", turns).agent("child", child);
    let agent = Desk::builder().model(script).state(config()).toolbox(vault()).conceal(&vault().key);
    let output = agent.run("go").await.unwrap();
    output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect()
}

#[tokio::test]
async fn t8_what_the_state_lists_is_known_and_the_rest_must_be_registered() {
    let calls = [true, false].map(|conceal| ScriptedTurn::call("read", json!({ "conceal": conceal })));
    assert_eq!(
        said(calls).await,
        ["[secret] [secret]", "[secret] [secret]"],
        "told once, known from then on"
    );
    let calls = [ScriptedTurn::call("read", json!({ "conceal": false }))];
    assert_eq!(said(calls).await, ["[secret] deep-secret"], "another session was not told");
}

#[tokio::test]
async fn t8_a_child_knows_the_secrets_of_its_session() {
    let calls = [
        ScriptedTurn::call("read", json!({ "conceal": true })),
        ScriptedTurn::call("agent__child", json!({ "input": "x" })),
    ];
    let said = said(calls).await;
    assert_eq!(said[1], "[secret] [secret]");
}

#[tokio::test]
async fn t8_a_secret_that_a_tool_makes_is_hidden_in_that_very_call() {
    let calls = [
        ScriptedTurn::call("log_in", json!({})),
        ScriptedTurn::call("with_token", json!({})),
        ScriptedTurn::call("echo", json!({ "text": "it is token-of-today" })),
        ScriptedTurn::call("open", json!({})),
    ];
    assert_eq!(said(calls).await, ["the token is [secret]", "14", "it is [secret]", "[secret] [secret]"]);
}

/// What a hook heard.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

#[tool_hook]
async fn listens(heard: State<Heard>, args: &mut Args, next: impl Next) -> ToolResult {
    let result = next.run(args).await;
    heard.0.lock().unwrap().push(format!("{result:?}"));
    result
}

agent! {
    Guest { instruction: "Log in.", state: Heard, function_tools: [log_in], tool_hooks: [listens] }
}

/// The run knew of no secret when the call began.
#[tokio::test]
async fn t8_the_first_secret_of_a_session_is_hidden_from_hooks_too() {
    let heard = Heard::default();
    let model = ScriptedModel::turns([ScriptedTurn::call("log_in", json!({})), ScriptedTurn::say("{last}")]);
    let output = Guest::builder().model(model).state(heard.clone()).run("go").await.unwrap();
    assert_eq!(output.text, "the token is [secret]");
    let heard = heard.0.lock().unwrap();
    assert!(heard.len() == 1 && heard[0].contains("the token is [secret]"), "{heard:?}");
}

#[tokio::test]
async fn t8_an_app_reports_its_secrets_too() {
    let turns =
        [ScriptedTurn::call("echo", json!({ "text": "told-to-the-app" })), ScriptedTurn::say("{last}")];
    let app = App::builder()
        .agent::<Desk>()
        .model(ScriptedModel::new().agent("desk", turns))
        .state(config())
        .toolbox(vault())
        .conceal(&Secret::<String>::from("told-to-the-app"));
    let output = app.build().await.unwrap().run("go").await.unwrap();
    assert_eq!(output.text, "[secret]");
}

#[tokio::test]
async fn t8_a_tool_as_a_value_is_filled_with_a_secret_of_its_state() {
    let mut spec = echo::spec();
    spec.bind("text", "api.key", None).unwrap();
    spec.state().set_secret("api.key", Secret::new("first-secret".to_owned()));
    assert_eq!(call!(spec).await.unwrap(), "[secret]");
    let clone: ToolSpec = spec.clone();
    clone.state().set_secret("api.key", Secret::new("second-secret".to_owned()));
    assert_eq!(call!(clone).await.unwrap(), "[secret]");
    // A default does not displace a secret, and one that went is still hidden.
    spec.bind("text", "api.key", json!("open")).unwrap();
    assert!(spec.state().has_secret("api.key"));
    spec.state().set("api.key", "it was first-secret");
    assert_eq!(call!(spec).await.unwrap(), "it was [secret]");
}

#[tokio::test]
async fn t8_numbers_and_names_of_fields_are_hidden_as_well() {
    let spec = ToolSpec::from_fn("sum", "Adds.", |(): (), cx: ToolContext| {
        cx.conceal(&Secret::new(json!({ "pin": 1_234_567, "user": "name-of-field" })));
        async {
            Ok(onionskin::ToolOutput::structured(json!({ "name-of-field": 91_234_567, "pin": [1_234_567] })))
        }
    });
    let execution = spec.exec(json!({})).await;
    let structured = execution.structured_content().unwrap().into_owned();
    assert_eq!(structured, json!({ "[secret]": "9[secret]", "pin": ["[secret]"] }));
}

/// Tells a token that it conceals only now.
#[tool]
fn leak(cx: &ToolContext) -> String {
    cx.conceal(&Secret::from("token-of-this-call"));
    "it is token-of-this-call".to_owned()
}

/// Keeps what it sees in the session's state.
#[onionskin::tool_hook]
async fn look(
    ctx: &ToolContext,
    args: &mut onionskin::Args,
    next: impl onionskin::Next,
) -> onionskin::ToolResult {
    let output = next.run(args).await?;
    ctx.run().session_state().set("seen", output.to_text().into_owned());
    Ok(output)
}

agent! { Leaker { instruction: "Leak.", function_tools: [leak], tool_hooks: [look] } }

#[tokio::test]
async fn t8_a_hook_does_not_see_what_the_call_itself_conceals() {
    let turns = [ScriptedTurn::call("leak", json!({})), ScriptedTurn::say("{last}")];
    let leaker = Leaker::builder().model(ScriptedModel::turns(turns)).build().await.unwrap();
    let session = leaker.session();
    leaker.request("go").session(&session).run().await.unwrap();
    assert_eq!(session.state().get("seen"), Some(json!("it is [secret]")));
}
