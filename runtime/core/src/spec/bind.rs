//! Parameters that are filled from the tool's state.

use serde_json::Value;

use super::error::SpecError;
use super::shape::{Fill, fits};
use super::toolspec::ToolSpec;
use crate::definition::ToolDefinition;
use crate::state::SessionState;

/// A parameter that is bound.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Binding {
    /// The parameter.
    pub parameter: String,
    /// The dotted key of the state that fills it.
    pub key: String,
    /// Whether there is a value for it where the state has none.
    pub has_default: bool,
}

impl ToolSpec {
    /// Fills a parameter from the tool's [`state`](Self::state): whoever calls the tool neither sees it nor can set
    /// it, nor can a hook or a guardrail, also one that the tool was declared with: such a call is refused as one with an
    /// unknown argument. The state is asked at every call, inside of all of them.
    ///
    /// `key` is a dotted key, by default the parameter's name. A default is written into the state where it has
    /// nothing under the key, and displaces nothing. A parameter that is bound already is bound anew.
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
    /// If the tool has no such parameter, the default does not fit it, or another value of the state would have to go for
    /// the default. Tool and state are then as they were.
    ///
    /// # Panics
    /// If there is a default and the key has more than 64 parts.
    pub fn bind<'k>(
        &mut self,
        param: &str,
        key: impl Into<Option<&'k str>>,
        default: impl Into<Option<Value>>,
    ) -> Result<&mut Self, SpecError> {
        let (key, default) = (key.into().unwrap_or(param).to_owned(), default.into());
        let schema = &self.own_definition().input_schema;
        let own = self.shape().find(&self.definition.name, schema, param)?.to_owned();
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

    /// Gives a bound parameter back to whoever calls the tool: it is in the schema again, and required if it was.
    /// The state keeps what it has.
    ///
    /// # Errors
    /// If it is not bound.
    pub fn unbind(&mut self, param: &str) -> Result<&mut Self, SpecError> {
        let schema = &self.own_definition().input_schema;
        let own = self.shape().find(&self.definition.name, schema, param)?;
        if self.shape().fill(own).is_none() {
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

    /// The tool as it is seen with its bindings: what a model is told of it.
    pub fn bound(&self) -> &ToolDefinition {
        &self.definition
    }

    /// The parameters that are bound, in the tool's order.
    pub fn bindings(&self) -> Vec<Binding> {
        let bound = |own: &str| match self.shape().fill(own)? {
            Fill::Bound { key, default } => Some(Binding {
                parameter: self.shape().name(own).to_owned(),
                key: key.clone(),
                has_default: default.is_some(),
            }),
            Fill::Hidden(_) => None,
        };
        self.own_definition().parameter_names().into_iter().filter_map(bound).collect()
    }

    /// The state that fills bound parameters, shared: what is set here is seen by the next call.
    /// [`SessionState::replace`] replaces it whole.
    ///
    /// It is this value's own, and means the same in a direct call and while an agent uses the tool: what is under a key
    /// here also fills the parameters that the tool and its own hooks and guardrails declare with `#[bind("key")]`. A key
    /// that it lacks is asked of the session of the agent. The agent's own hooks see the session's state only.
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

    /// Uses this state from now on, for example one that several tools share.
    pub fn set_state(&mut self, state: SessionState) -> &mut Self {
        self.state = state;
        self.fill();
        self
    }
}
