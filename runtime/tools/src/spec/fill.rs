//! Fills the bound parameters of a tool.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::error::MissingKey;
use super::param_changes::{ParamChanges, unfit};
use crate::context::ToolContext;
use crate::policy::Fill;
use crate::state::SessionState;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::error::{Exit, ToolError, ToolResult};
use onionskin_definitions::schema::Problem;

/// The bound parameters of a tool.
pub(super) struct Filler {
    /// The tool's visible name.
    pub(super) tool: Arc<str>,
    pub(super) own: Arc<ToolDefinition>,
    pub(super) shape: Arc<ParamChanges>,
    pub(super) state: SessionState,
}

impl Fill for Filler {
    fn values(&self, cx: &ToolContext) -> ToolResult<Vec<(String, Value)>> {
        cx.note_own_state_read();
        let value = |(own, key, default): (&str, &str, Option<&Value>)| {
            let value = resolve(&self.state, cx, key, default).ok_or_else(|| self.missing(own, key))?;
            Ok((own.to_owned(), value))
        };
        self.shape.bound().map(value).collect()
    }

    fn refuse(&self, parameter: &str) -> Exit {
        let visible =
            self.own_names().filter(|own| self.shape.fill(own).is_none()).map(|own| self.shape.name(own));
        Exit::Tool(self.own.refuse(&[Problem::unknown(parameter, visible)]))
    }

    fn explain(&self, exit: Exit) -> Exit {
        let words = |own: &str| {
            let (key, shown) = (self.shape.key(own)?, self.shape.name(own));
            Some(format!(
                "the value under the state's key `{key}` does not fit the parameter `{shown}`, which is bound to it"
            ))
        };
        unfit(&self.tool, &self.own, &exit, "bound", words).unwrap_or(exit)
    }
}

impl Filler {
    /// The tool's own names for its parameters.
    fn own_names(&self) -> impl Iterator<Item = &str> {
        let properties = self.own.input_schema["properties"].as_object();
        properties.into_iter().flat_map(Map::keys).map(String::as_str)
    }

    fn missing(&self, own: &str, key: &str) -> Exit {
        Exit::Tool(ToolError::from_source(MissingKey {
            tool: self.tool.to_string(),
            parameter: self.shape.name(own).to_owned(),
            key: key.to_owned(),
        }))
    }
}

/// The current value of a bound parameter. A secret is registered with the run.
fn resolve(state: &SessionState, cx: &ToolContext, key: &str, default: Option<&Value>) -> Option<Value> {
    if let Some(secret) = state.secret(key) {
        cx.conceal(&*secret);
        return Some(secret.expose().clone());
    }
    state.get(key).or_else(|| default.cloned())
}
