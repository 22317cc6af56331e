//! Parameters that are filled from a tool's state.

use std::sync::{Arc, Mutex};

use onionskin::{ToolSpec, tool, toolbox};
use serde_json::{Value, json};

/// Performs an action for a user.
#[tool]
fn user_action(user_id: &str, action: &str) -> String {
    format!("User {user_id} performed: {action}")
}

fn names(spec: &ToolSpec) -> Value {
    spec.input_schema()["properties"].as_object().unwrap().keys().cloned().collect()
}

pub async fn hides_param(case: Value) {
    assert_eq!(case["given"]["fn"], "user_action(user_id, action)");
    let mut spec = user_action::spec();
    for (param, how) in case["given"]["bind"].as_object().unwrap() {
        spec.bind(param, None, how["default"].clone()).unwrap();
    }
    let expect = &case["expect"];
    assert_eq!(names(&spec), expect["properties"]);
    assert_eq!(spec.input_schema()["required"], expect["required"]);
    assert_eq!(spec.call(expect["call"]["args"].clone()).await.unwrap(), expect["call"]["result"]);
}

pub async fn live_state(case: Value) {
    let mut spec = user_action::spec();
    let param = case["given"]["bind"].as_str().unwrap();
    spec.bind(param, None, json!("user123")).unwrap();
    let action = &case["given"]["call"];
    assert_eq!(spec.call(action.clone()).await.unwrap(), "User user123 performed: logout");
    let (place, value) = case["given"]["then"].as_str().unwrap().split_once(" = ").unwrap();
    spec.state().set(place.strip_prefix("state.").unwrap(), value);
    assert_eq!(spec.call(action.clone()).await.unwrap(), case["expect"]);
    assert_eq!(spec.clone().call(action.clone()).await.unwrap(), case["expect"]);
}

pub async fn nested_key(case: Value) {
    let bind = &case["given"]["bind"];
    let text = |key: &str| bind[key].as_str().unwrap();
    let mut spec = user_action::spec();
    spec.bind(text("param"), text("state_key"), bind["default"].clone()).unwrap();
    assert_eq!(spec.state().to_value(), case["expect"]["state"]);
    let said = spec.call(json!({ "action": "log" })).await.unwrap();
    assert_eq!(said, format!("User {} performed: log", case["expect"]["value"].as_str().unwrap()));
}

pub async fn unknown_param(case: Value) {
    assert_eq!(case["expect"]["when"], "compile time or at bind");
    let unknown = case["given"]["bind"].as_str().unwrap();
    let mut spec = user_action::spec();
    let error = spec.bind(unknown, None, json!("x")).unwrap_err().to_string();
    for part in [unknown, "user_action", "action", "user_id"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[derive(Default)]
struct Registry(Mutex<Vec<String>>);

#[toolbox]
impl Registry {
    /// Adds an item.
    #[tool]
    fn add_item(&self, item: String) {
        self.0.lock().unwrap().push(item);
    }

    /// Counts the items.
    #[tool]
    fn count(&self) -> usize {
        self.hidden()
    }

    fn hidden(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

pub async fn self_bound(case: Value) {
    assert_eq!(case["given"]["impl_methods"], json!(["add_item", "count", "hidden (not marked)"]));
    let expect = &case["expect"];
    assert_eq!(json!(Registry::tool_names()), expect["tools"]);
    let registry = Arc::new(Registry::default());
    let tools = registry.tools();
    let has_self = tools.values().any(|tool| tool.input_schema().to_string().contains("self"));
    assert_eq!(json!(has_self), expect["self_in_schema"]);
    tools["add_item"].call(json!({ "item": "a" })).await.unwrap();
    let is_shared = tools["count"].call(json!({})).await.unwrap() == 1 && registry.hidden() == 1;
    assert_eq!(json!(is_shared), expect["instance_state_shared"]);
}
