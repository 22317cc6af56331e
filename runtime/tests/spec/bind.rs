//! S4: parameters that are filled from the state.

use std::sync::{Arc, Mutex};

use onionskin::spec::{MissingKey, SpecError};
use onionskin::{
    Args, ErrorKind, Next, SessionState, ToolContext, ToolResult, ToolSpec, call, tool, tool_hook,
};
use serde_json::{Value, json};

/// Searches.
#[tool]
fn search(
    /// What for.
    query: &str,
    #[arg(default = 10)] limit: u32,
    api_key: &str,
) -> String {
    format!("{limit} of {query} with {api_key}")
}

fn required(spec: &ToolSpec) -> Value {
    spec.input_schema()["required"].clone()
}

fn has(spec: &ToolSpec, param: &str) -> bool {
    spec.input_schema()["properties"].get(param).is_some()
}

#[tokio::test]
async fn s4_a_bound_parameter_leaves_schema_and_required() {
    let mut spec = search::spec();
    spec.bind("api_key", "config.api.key", json!("default_key")).unwrap();
    assert!(!has(&spec, "api_key") && has(&spec, "query") && has(&spec, "limit"));
    assert_eq!(required(&spec), json!(["query"]));
    assert_eq!(*spec.bound().input_schema, *spec.input_schema());
    assert!(spec.params().iter().all(|param| param.name != "api_key"));
    assert_eq!(spec.bindings()[0].parameter, "api_key");
    assert_eq!((&*spec.bindings()[0].key, spec.bindings()[0].has_default), ("config.api.key", true));
    assert_eq!(call!(spec, query = "test").await.unwrap(), "10 of test with default_key");
    spec.bind("query", None, json!("all")).unwrap();
    assert!(spec.input_schema().get("required").is_none());
    assert_eq!(call!(spec).await.unwrap(), "10 of all with default_key");
}

#[tokio::test]
async fn s4_unbind_restores_schema_and_required() {
    let before = search::spec();
    let mut spec = search::spec();
    spec.bind("api_key", None, json!("k")).unwrap().bind("limit", None, json!(3)).unwrap();
    spec.unbind("api_key").unwrap();
    assert_eq!(required(&spec), required(&before));
    assert_eq!(call!(spec, query = "a", api_key = "mine").await.unwrap(), "3 of a with mine");
    let missing = call!(spec, query = "a").await.unwrap_err().to_string();
    assert!(missing.contains("`api_key`: missing"), "{missing}");
    spec.unbind("limit").unwrap();
    assert_eq!(spec.input_schema(), before.input_schema());
    let error = spec.unbind("limit").unwrap_err();
    assert!(matches!(&error, SpecError::NotBound { parameter, .. } if parameter == "limit"), "{error}");
    assert_eq!(
        error.to_string(),
        "the parameter `limit` of the tool `search` is not bound; its bound parameters are: none"
    );
    assert!(matches!(spec.unbind("nope").unwrap_err(), SpecError::NoSuchParameter { .. }));
}

#[tokio::test]
async fn s4_the_state_is_replaceable_whole() {
    let mut spec = search::spec();
    spec.bind("api_key", "config.api.key", json!("default_key")).unwrap();
    spec.state().replace(json!({"config": {"api": {"key": "my_secret_key"}}}));
    assert_eq!(call!(spec, query = "a").await.unwrap(), "10 of a with my_secret_key");
    // The default still applies if the new state has no value.
    spec.state().replace(json!({}));
    assert_eq!(call!(spec, query = "a").await.unwrap(), "10 of a with default_key");
    let shared = SessionState::new(json!({"config": {"api": {"key": "shared"}}}));
    spec.set_state(shared.clone());
    shared.set("config.api.key", "newer");
    assert_eq!(call!(spec, query = "a").await.unwrap(), "10 of a with newer");
}

#[tokio::test]
async fn s4_a_default_is_written_only_where_the_key_is_absent() {
    let mut spec = search::spec();
    spec.state().set("api_key", "there");
    spec.bind("api_key", None, json!("default")).unwrap();
    assert_eq!(spec.state().to_value(), json!({"api_key": "there"}));
    spec.bind("limit", "a.b", json!(1)).unwrap();
    assert_eq!(spec.state().get("a.b"), Some(json!(1)));
}

#[tokio::test]
async fn s4_a_default_displaces_no_other_value() {
    let mut spec = search::spec();
    for (state, key, place) in [
        (json!({"config": "prod"}), "config.api.key", "`config`"),
        (json!({"config": {"api": [1]}}), "config.api.key", "`config.api`"),
        (json!({"config": null}), "config.key", "`config`"),
        (json!("prod"), "config", "the state itself"),
    ] {
        spec.state().replace(state.clone());
        let error = spec.bind("api_key", key, json!("default")).unwrap_err();
        assert!(matches!(&error, SpecError::KeyTaken { key: wanted, .. } if wanted == key), "{error}");
        let text = error.to_string();
        for part in ["`search`", "`api_key`", &format!("`{key}`"), place, "without a default"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("prod"), "{text}");
        assert_eq!(spec.state().to_value(), state, "nothing changed");
        assert!(has(&spec, "api_key") && spec.bindings().is_empty());
    }
    // Nor a secret, under the key, above it or beneath it.
    for (secret, place) in [("config", "`config`"), ("config.api.key.old", "`config.api.key.old`")] {
        let state = SessionState::default();
        state.set_secret(secret, onionskin::Secret::new("hunter2".to_owned()));
        spec.set_state(state);
        let error = spec.bind("api_key", "config.api.key", json!("default")).unwrap_err().to_string();
        assert!(error.contains(place) && error.contains("secret") && !error.contains("hunter2"), "{error}");
        assert!(spec.state().has_secret(secret) && spec.state().to_value() == json!({}));
    }
    let state = SessionState::default();
    state.set_secret("config.api.key", onionskin::Secret::new("hunter2".to_owned()));
    spec.set_state(state);
    spec.bind("api_key", "config.api.key", json!("default")).unwrap();
    assert!(spec.state().has_secret("config.api.key"));
    // If the state is replaced later, the default applies and the state is unchanged.
    spec.set_state(SessionState::new(json!({"config": "prod"})));
    assert_eq!(call!(spec, query = "a").await.unwrap(), "10 of a with default");
    assert_eq!(spec.state().to_value(), json!({"config": "prod"}));
}

#[tokio::test]
async fn s4_a_missing_key_names_key_and_tool() {
    let mut spec = search::spec();
    spec.bind("api_key", "config.key", None).unwrap();
    let exit = call!(spec, query = "a").await.unwrap_err();
    let error = exit.as_tool_error().unwrap();
    let source = std::error::Error::source(error).unwrap().downcast_ref::<MissingKey>().unwrap();
    assert_eq!((&*source.tool, &*source.parameter, &*source.key), ("search", "api_key", "config.key"));
    assert!(exit.to_string().contains("`search` did not run") && exit.to_string().contains("`config.key`"));
    spec.state().set("config.key", "now");
    assert_eq!(call!(spec, query = "a").await.unwrap(), "10 of a with now");
}

#[test]
fn s4_mistakes_are_reported_at_bind() {
    let mut spec = search::spec();
    let error = spec.bind("api_kee", None, json!("x")).unwrap_err();
    let text = error.to_string();
    assert_eq!(text, "the tool `search` has no parameter `api_kee`; did you mean `api_key`?");
    let error = spec.bind("limit", None, json!("secret-text")).unwrap_err().to_string();
    assert!(
        error.contains("`limit`") && error.contains("an integer") && !error.contains("secret"),
        "{error}"
    );
    assert!(spec.state().get("limit").is_none() && has(&spec, "limit"), "nothing changed");
}

#[tokio::test]
async fn s4_binding_again_replaces() {
    let mut spec = search::spec();
    spec.bind("api_key", "old", json!("old")).unwrap();
    spec.bind("api_key", "new", json!("new")).unwrap();
    assert_eq!(spec.bindings().len(), 1);
    assert_eq!(call!(spec, query = "a").await.unwrap(), "10 of a with new");
}

#[tokio::test]
async fn s4_clones_are_independent() {
    let mut spec = search::spec();
    spec.bind("api_key", None, json!("one")).unwrap();
    let mut clone = spec.clone();
    clone.state().set("api_key", "two");
    assert_eq!(call!(spec, query = "a").await.unwrap(), "10 of a with one");
    assert_eq!(call!(clone, query = "a").await.unwrap(), "10 of a with two");
    clone.unbind("api_key").unwrap();
    assert!(has(&clone, "api_key") && !has(&spec, "api_key"));
    spec.state().replace(json!({"api_key": "three"}));
    assert_eq!(clone.state().get("api_key"), Some(json!("two")));
}

#[tokio::test]
async fn s4_a_model_that_supplies_a_bound_parameter_gets_the_unknown_argument_error() {
    let mut spec = search::spec();
    spec.bind("api_key", None, json!("mine")).unwrap();
    let wrong = json!({"query": 5, "api_key": "evil", "lmit": 1});
    let exit = spec.call(wrong).await.unwrap_err();
    assert_eq!(exit.as_tool_error().unwrap().kind(), ErrorKind::Arguments);
    let text = exit.to_string();
    for part in
        ["`api_key`: unknown argument", "`query`: expected a string", "`lmit`", "did you mean `limit`?"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    // An open schema does not let it through either.
    let open = onionskin::ToolDefinition::new("open", "").with_input_schema(json!({
        "type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]
    }));
    let mut open = ToolSpec::from_dyn(Arc::new(Open(open)));
    open.bind("key", None, json!("mine")).unwrap();
    let exit = open.call(json!({"key": "evil", "other": 1})).await.unwrap_err();
    assert!(exit.to_string().contains("`key`: unknown argument"), "{exit}");
    assert_eq!(open.call(json!({"other": 1})).await.unwrap(), r#"{"key":"mine","other":1}"#);
}

struct Open(onionskin::ToolDefinition);

impl onionskin::DynTool for Open {
    fn definition(&self) -> &onionskin::ToolDefinition {
        &self.0
    }

    fn run_dyn<'a>(&'a self, _: &'a ToolContext, args: &'a mut Args) -> onionskin::BoxFuture<'a, ToolResult> {
        let sorted: std::collections::BTreeMap<String, Value> =
            args.as_object().unwrap().clone().into_iter().collect();
        Box::pin(async move { Ok(serde_json::to_string(&sorted)?.into()) })
    }
}

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

#[tool_hook]
async fn watch(args: &mut Args, next: impl Next) -> ToolResult {
    SEEN.lock().unwrap().push(args.text().to_string());
    let result = next.run(args).await;
    SEEN.lock().unwrap().push(args.text().to_string());
    result
}

#[tokio::test]
async fn s4_bindings_are_merged_inside_of_all_hooks() {
    let mut spec = search::spec().hook(watch::new());
    spec.bind("api_key", None, json!("secret-key")).unwrap();
    assert_eq!(call!(spec, query = "a").await.unwrap(), "10 of a with secret-key");
    let seen = SEEN.lock().unwrap();
    let seen: Vec<Value> = seen.iter().map(|args| serde_json::from_str(args).unwrap()).collect();
    let shown = json!({ "query": "a", "limit": 10 });
    assert_eq!(seen, [shown.clone(), shown], "not before and not after");
}

#[tokio::test]
async fn s4_a_value_in_the_state_that_does_not_fit_is_reported_without_it() {
    let mut spec = search::spec();
    spec.bind("limit", "most", None).unwrap();
    spec.state().set("most", "hunter2");
    let exit = call!(spec, query = "a", api_key = "k").await.unwrap_err();
    let text = exit.to_string();
    assert!(text.contains("`most`") && text.contains("`limit`") && text.contains("an integer"), "{text}");
    assert!(!text.contains("hunter2") && !format!("{exit:?}").contains("hunter2"), "{exit:?}");
    // What can be read without loss is.
    spec.state().set("most", "7");
    assert_eq!(call!(spec, query = "a", api_key = "k").await.unwrap(), "7 of a with k");
}

#[tokio::test]
async fn s4_long_numbers_keep_their_digits_beside_bound_values() {
    /// Adds.
    #[tool]
    fn add(a: i128, b: i64) -> String {
        (a + i128::from(b)).to_string()
    }
    let mut spec = add::spec();
    spec.bind("b", None, json!(1)).unwrap();
    let sum = spec.call(r#"{"a": 170141183460469231731687303715884105726}"#).await.unwrap();
    assert_eq!(sum, "170141183460469231731687303715884105727");
}

#[tokio::test]
async fn s4_no_surface_of_the_value_shows_what_is_bound() {
    let mut spec = search::spec();
    spec.bind("api_key", None, json!("hunter2")).unwrap();
    let shown = format!("{spec:?} {} {} {:?}", spec.code(), spec.input_schema(), spec.definition());
    assert!(!shown.contains("hunter2"), "{shown}");
}

/// The error for a text that is not a number of four digits shows the whole text, as foreign types do.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
struct Pin(String);

impl TryFrom<String> for Pin {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.len() == 4 { Ok(Self(text)) } else { Err(format!("`{text}` is no pin")) }
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Door {
    room: u8,
    pin: Pin,
    #[serde(rename = "api.level")]
    level: u8,
}

#[tokio::test]
async fn s4_what_is_bound_does_not_show_in_words_about_arguments() {
    let mut door = ToolSpec::from_fn("open", "Opens.", |door: Door, _| async move {
        Ok(format!("{} {} {}", door.room, door.pin.0.len(), door.level))
    });
    door.bind("pin", None, json!("1234")).unwrap();
    door.bind("api.level", "level", json!(1)).unwrap();
    assert_eq!(call!(door, room = 1).await.unwrap(), "1 4 1");

    door.state().set("pin", "the whole pin");
    let exit = call!(door, room = 1).await.unwrap_err().to_string();
    assert_eq!(exit, "`open` did not run: its arguments and its bound values together do not fit");

    door.state().set("pin", "1234");
    door.state().set("level", "the whole level");
    let exit = call!(door, room = 1).await.unwrap_err().to_string();
    assert!(exit.contains("the state's key `level` does not fit the parameter `api.level`"), "{exit}");
    assert!(!exit.contains("whole"), "{exit}");
}

#[test]
fn s4_a_key_that_no_value_can_be_set_under_is_refused() {
    let mut spec = search::spec();
    for (key, next) in
        [("", "`api_key`"), ("a..b", "`a.b`"), (".a", "`a`"), ("a.", "`a`"), ("..", "`api_key`")]
    {
        for default in [None, Some(json!("k"))] {
            let error = spec.bind("api_key", key, default).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("`search`") && text.contains(&format!("write {next}")), "{text}");
            let SpecError::Key { parameter, key: refused, .. } = error else { panic!("{text}") };
            assert_eq!((parameter.as_str(), refused.as_str()), ("api_key", key));
        }
    }
    let long = vec!["a"; 65].join(".");
    for default in [None, Some(json!("k"))] {
        let error = spec.bind("api_key", &*long, default).unwrap_err();
        assert!(matches!(error, SpecError::Key { .. }) && error.to_string().contains("65 parts"), "{error}");
    }
    assert!(spec.bindings().is_empty() && spec.state().to_value() == json!({}));
}
