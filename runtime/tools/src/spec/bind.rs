//! Parameters that are filled from the tool's state.

use serde_json::Value;

use super::error::SpecError;
use super::param_changes::{Fill, fits};
use super::toolspec::ToolSpec;
use crate::state::{MAX_KEY_PARTS, SessionState};
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::text::short;

/// A bound parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Binding {
    /// The parameter.
    pub parameter: String,
    /// The dotted key in the state that fills it.
    pub key: String,
    /// Whether the binding has a default for a missing value.
    pub has_default: bool,
}

/// The mistake in a dotted key, if there is one. `#[bind("..")]` rejects the same keys.
fn key_problem(key: &str, param: &str) -> Option<String> {
    let parts = key.split('.').count();
    if parts > MAX_KEY_PARTS {
        return Some(format!("it has {parts} parts, and a key has at most {MAX_KEY_PARTS}"));
    }
    if key.split('.').all(|part| !part.is_empty()) {
        return None;
    }
    let named = |key: &str| key.split('.').filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
    let meant = [named(key), named(param), "user.name".to_owned()].into_iter().find(|key| !key.is_empty());
    Some(format!("expected a name in each part of the key: write `{}`", meant.unwrap_or_default()))
}

impl ToolSpec {
    /// Fills a parameter from the tool's [`state`](Self::state). Callers, hooks and guardrails, including
    /// declared ones, can neither see nor set the parameter; a call that sets it is refused like one with an
    /// unknown argument. Every call reads the state, inside all hooks and stages.
    ///
    /// `key` is a dotted key; it defaults to the parameter's name. A default is written into the state if the
    /// key has no value. Binding a bound parameter again replaces the binding.
    ///
    /// ```
    /// use onionskin::{ToolSpec, call, tool};
    /// use serde_json::json;
    ///
    /// /// Does something for a user.
    /// #[tool]
    /// fn user_action(user_id: &str, action: &str) -> String {
    ///     format!("User {user_id} performed: {action}")
    /// }
    ///
    /// let mut spec = user_action::spec();
    /// spec.bind("user_id", None, json!("user123")).unwrap();
    /// let said: String = spec.call_as_blocking(json!({ "action": "login" })).unwrap();
    /// assert_eq!(said, "User user123 performed: login");
    ///
    /// spec.state().set("user_id", "user456");
    /// let said: String = spec.call_as_blocking(json!({ "action": "logout" })).unwrap();
    /// assert_eq!(said, "User user456 performed: logout");
    /// ```
    ///
    /// # Errors
    /// Returns an error if the tool has no such parameter, if the key has an empty part or more than 64
    /// parts, if the default does not fit the parameter, or if the default would replace another value of the
    /// state. The tool and the state are then unchanged.
    pub fn bind<'k>(
        &mut self,
        param: &str,
        key: impl Into<Option<&'k str>>,
        default: impl Into<Option<Value>>,
    ) -> Result<&mut Self, SpecError> {
        let (key, default) = (key.into().unwrap_or(param).to_owned(), default.into());
        let schema = &self.own.input_schema;
        let own = self.shape.find(&self.definition.name, schema, param)?.to_owned();
        if let Some(problem) = key_problem(&key, param) {
            let (tool, parameter) = (self.definition.name.to_string(), param.to_owned());
            return Err(SpecError::Key { tool, parameter, key: short(&key, 100).into_owned(), problem });
        }
        if let Some(default) = &default {
            fits(&self.definition.name, schema, &own, param, default)?;
            self.state.set_default(&key, default).map_err(|taken| SpecError::KeyTaken {
                tool: self.definition.name.to_string(),
                parameter: param.to_owned(),
                key: key.clone(),
                taken: taken.key,
                by: taken.by,
            })?;
        }
        self.reshape(|shape| shape.change(&own, |change| change.fill = Some(Fill::Bound { key, default })));
        Ok(self)
    }

    /// Makes a bound parameter an argument again. The schema shows it, and requires it if it was required.
    /// The state stays unchanged.
    ///
    /// # Errors
    /// Returns an error if the parameter is not bound.
    pub fn unbind(&mut self, param: &str) -> Result<&mut Self, SpecError> {
        let schema = &self.own.input_schema;
        let own = self.shape.find(&self.definition.name, schema, param)?;
        if self.shape.fill(own).is_none() {
            return Err(SpecError::NotBound {
                tool: self.definition.name.to_string(),
                parameter: param.to_owned(),
                bound: self.bindings().into_iter().map(|binding| binding.parameter).collect(),
            });
        }
        let own = own.to_owned();
        self.reshape(|shape| shape.change(&own, |change| change.fill = None));
        Ok(self)
    }

    /// The definition of the tool as the model sees it: without the bound parameters.
    pub fn bound(&self) -> &ToolDefinition {
        &self.definition
    }

    /// The bound parameters, in the tool's order.
    pub fn bindings(&self) -> Vec<Binding> {
        let bound = |own: &str| match self.shape.fill(own)? {
            Fill::Bound { key, default } => Some(Binding {
                parameter: self.shape.name(own).to_owned(),
                key: key.clone(),
                has_default: default.is_some(),
            }),
            Fill::Hidden(_) => None,
        };
        self.own.parameter_names().into_iter().filter_map(bound).collect()
    }

    /// The state that fills bound parameters. The next call sees values that are set here.
    /// [`SessionState::replace`] replaces the whole state.
    ///
    /// The state belongs to this value, both in direct calls and in an agent. It also fills parameters that
    /// the tool, its own hooks and its guardrails declare with `#[bind("key")]`. Keys that this state lacks
    /// are looked up in the agent's session. The agent's hooks see the session's state only.
    ///
    /// ```
    /// use onionskin::{ScriptedModel, ScriptedTurn, agent, call, tool};
    /// use serde_json::json;
    ///
    /// /// Greets.
    /// #[tool]
    /// fn greet(#[bind("user.name")] name: String) -> String {
    ///     format!("Hello {name}")
    /// }
    ///
    /// agent! { Host { instruction: "Greet." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let spec = greet::spec();
    /// spec.state().set("user.name", "Ada");
    /// assert_eq!(call!(spec).await.unwrap(), "Hello Ada");
    ///
    /// let model = ScriptedModel::turns([ScriptedTurn::call("greet", json!({})), ScriptedTurn::say("{last}")]);
    /// let host = Host::builder().model(model).tool(spec).build().await.unwrap();
    /// assert_eq!(host.run("Greet.").await.unwrap().text, "Hello Ada");
    /// # });
    /// ```
    pub fn state(&self) -> &SessionState {
        &self.state
    }

    /// Replaces the state, for example with one that several tools share.
    pub fn set_state(&mut self, state: SessionState) -> &mut Self {
        self.state = state;
        self.fill();
        self
    }
}
