//! Secrets that the state fills.

use onionskin::run::ToolCaller;
use onionskin::secret::VisitSecrets;
use onionskin::{
    Args, Exit, ScriptedModel, ScriptedTurn, Secret, SessionState, Tool, ToolContext, agent, tool,
};
use serde_json::json;

#[derive(Clone, VisitSecrets)]
struct Config {
    key: Secret<String>,
    spare: Option<Secret<String>>,
}

fn config() -> Config {
    Config { key: Secret::new("hunter2-hunter2".into()), spare: None }
}

/// By reference.
#[tool(state = Config)]
async fn borrowed(text: &str, #[bind(key)] key: &Secret<String>) -> String {
    format!("{text} {}", key.expose().len())
}

/// Owned.
#[tool(state = Config)]
fn owned(#[bind(key)] key: Secret<String>, #[bind(spare)] spare: Option<&Secret<String>>) -> String {
    format!("{} {spare:?}", key.expose().len())
}

/// Under a key.
#[tool]
fn keyed(
    #[bind("api.key")] key: Secret<String>,
    #[bind("api.spare", default = Secret::new(String::new()))] spare: Secret<String>,
) -> String {
    format!("{} {}", key.expose().len(), spare.expose().len())
}

/// Would show it.
#[tool]
fn shown(#[bind("api.key")] key: String) -> String {
    key
}

/// Lets it out in every way that a function has.
#[tool]
fn leaky(how: &str, #[bind("api.key")] key: &Secret<String>) -> Result<String, String> {
    match how {
        "panic" => panic!("no good: {}", key.expose()),
        "error" => Err(format!("no good: {}", key.expose())),
        _ => Ok(format!("good: {}", key.expose())),
    }
}

agent! {
    Desk {
        instruction: "Answer.",
        function_tools: [borrowed, owned, keyed, shown, leaky],
        state: Config,
    }
}

fn results(output: &onionskin::RunOutput) -> Vec<String> {
    output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect()
}

#[tokio::test]
async fn t8_a_secret_is_bound_from_a_field_and_from_a_key() {
    let model = ScriptedModel::turns([
        ScriptedTurn::call("borrowed", json!({ "text": "a" })),
        ScriptedTurn::call("owned", json!({})),
        ScriptedTurn::call("keyed", json!({})),
        ScriptedTurn::say("done"),
    ]);
    let agent = Desk::builder().model(model).state(config()).build().await.unwrap();
    let session = agent.session();
    session.state().set_secret("api.key", Secret::new("hunter3".to_owned()));
    let output = agent.request("go").session(&session).run().await.unwrap();
    assert_eq!(results(&output), ["a 15", "15 None", "7 0"]);
}

#[tokio::test]
async fn t8_a_secret_of_the_session_is_given_as_a_secret_only() {
    let tools = ToolCaller::<Desk>::with_state(config());
    let cx = tools.context("shown").unwrap();
    cx.run().session_state().set_secret("api.key", Secret::new("hunter3".to_owned()));
    let exit = tools.call(&cx, &mut Args::default()).await.unwrap_err();
    assert_eq!(
        exit.to_string(),
        "`shown` needs `api.key` of the session's state, which is a secret: take it as `Secret<..>`"
    );
    cx.run().session_state().set_secret("api.key", Secret::new(json!(["hunter3"])));
    let cx = tools.context("keyed").unwrap();
    let exit = tools.call(&cx, &mut Args::default()).await.unwrap_err();
    assert!(exit.to_string().contains("which is not a `"), "{exit}");
    assert!(!format!("{exit:?}").contains("hunter3"));
}

#[tokio::test]
async fn t8_a_value_that_stands_open_in_the_state_is_a_secret_once_it_is_taken_as_one() {
    let tools = ToolCaller::<Desk>::with_state(config());
    let cx = tools.context("leaky").unwrap();
    cx.run().session_state().set("api.key", "hunter3");
    for (how, text) in [("ok", "good: [secret]"), ("error", "no good: [secret]")] {
        let result = tools.call(&cx, &mut Args::from(json!({ "how": how }).to_string())).await;
        let said = result.map_or_else(|exit| exit.to_string(), |output| output.to_text().into_owned());
        assert_eq!(said, text);
    }
    let exit = tools.call(&cx, &mut Args::from(r#"{"how": "panic"}"#)).await.unwrap_err();
    assert_eq!(exit.to_string(), "`leaky` panicked: no good: [secret]; whether it took effect is not known");
}

#[test]
fn t8_the_session_shows_no_secret() {
    let state = SessionState::new(json!({ "api": { "key": "open", "url": "u" } }));
    state.set_secret("api.key", Secret::new("hunter3".to_owned()));
    assert_eq!(state.to_value(), json!({ "api": { "url": "u" } }));
    assert_eq!((state.get("api.key"), state.has_secret("api.key")), (None, true));
    let fork = state.fork();
    fork.set("api", json!({ "url": "v" }));
    assert!(!fork.has_secret("api.key") && state.has_secret("api.key"));
    state.replace(json!({}));
    assert!(!state.has_secret("api.key"));
    assert_eq!(format!("{state:?}"), "SessionState { .. }");
}

#[tokio::test]
async fn t8_a_model_neither_sees_nor_fills_a_secret() {
    let tool = borrowed::default();
    let schema = &Tool::definition(&tool).input_schema;
    assert_eq!(schema["properties"].as_object().unwrap().keys().collect::<Vec<_>>(), ["text"]);
    let cx = ToolContext::detached_with_state("borrowed", config());
    let mut args = Args::from(r#"{"text": "x", "key": "mine"}"#);
    let Exit::Tool(error) = borrowed::default().run(&cx, &mut args).await.unwrap_err() else { panic!() };
    assert!(error.to_string().contains("`key`: unknown argument"), "{error}");
}
