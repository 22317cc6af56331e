//! The hash by which a journal compares model turns.

use serde_json::Value;

use super::run::AgentRun;
use onionskin_definitions::definition::Effect;
use onionskin_tools::context::ToolTable;
use onionskin_tools::journal::fingerprint;
use onionskin_tools::model::ModelRequest;

impl AgentRun {
    /// The hash of a turn's request and of other inputs to the rest of the run: the effects of the tools and,
    /// in the first turn of the outermost run, the initial state. Default and empty values do not affect the
    /// hash, so that older records stay valid.
    pub(super) fn request_hash(&self, turn: u32, request: &ModelRequest, table: &ToolTable) -> String {
        let hash = fingerprint(request);
        let effects = table.entries().iter().filter(|entry| match entry.definition.effect {
            Effect::Pure | Effect::Once => true,
            // A replay treats them alike.
            Effect::Idempotent | Effect::Unstated => false,
        });
        let effects: Vec<_> = effects.map(|entry| (&*entry.wire_name, entry.definition.effect)).collect();
        let state = self.first_state(turn);
        if effects.is_empty() && state.is_none() { hash } else { fingerprint(&(hash, effects, state)) }
    }

    /// The agent's state, if it can be serialised, and the values of the session.
    fn first_state(&self, turn: u32) -> Option<[Value; 2]> {
        if turn != 1 || self.cx.parent().is_some() {
            return None;
        }
        // A state that cannot be serialised is not compared, and a tool cannot change it in a run with a
        // journal.
        let state = self.cx.state_json().unwrap_or_default();
        let values = self.cx.session_state().value_now();
        let is_empty =
            |value: &Value| value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
        (!is_empty(&state) || !is_empty(&values)).then(|| [state, values].map(unordered))
    }
}

/// Sorts all parts of a value, because the order of a `HashMap` or a `HashSet` in the state differs between
/// processes.
fn unordered(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields
                .into_iter()
                .map(|(key, value)| Value::from(vec![key.into(), unordered(value)]))
                .collect();
            fields.sort_by_cached_key(Value::to_string);
            Value::Array(fields)
        }
        Value::Array(items) => {
            let mut items: Vec<_> = items.into_iter().map(unordered).collect();
            items.sort_by_cached_key(Value::to_string);
            Value::Array(items)
        }
        scalar @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => scalar,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::unordered;

    #[test]
    fn o5_a_state_is_the_same_in_another_order() {
        let one = unordered(json!({ "a": [1, { "c": 2, "d": [3, 4] }], "b": null }));
        assert_eq!(one, unordered(json!({ "b": null, "a": [{ "d": [4, 3], "c": 2 }, 1] })));
        assert_ne!(one, unordered(json!({ "b": null, "a": [{ "d": [4, 3], "c": 5 }, 1] })));
        assert_ne!(unordered(json!({ "a": 1 })), unordered(json!(["a", 1])));
    }
}
