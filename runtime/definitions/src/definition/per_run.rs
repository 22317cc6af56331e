//! Definitions that depend on the run.

use std::sync::Arc;

use super::definition::ToolDefinition;
use super::run_change::RunChange;

impl ToolDefinition {
    /// Whether each run has its own definition of the tool.
    pub fn depends_on_run(&self) -> bool {
        self.run_change.is_some()
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolDefinition {
    /// The function that changes the definition for a run, if it is an `F`.
    pub fn run_change<F: 'static>(&self) -> Option<&F> {
        self.run_change.as_ref()?.0.downcast_ref()
    }

    /// Sets the function that changes the definition for a run.
    pub fn set_run_change<F: Send + Sync + 'static>(&mut self, change: F) {
        self.run_change = Some(RunChange(Arc::new(change)));
    }

    /// Removes the function that changes the definition for a run, and returns whether there was one.
    pub fn remove_run_change(&mut self) -> bool {
        self.run_change.take().is_some()
    }

    /// Completes a definition that was changed for a run, with the parts that only the runtime sets.
    ///
    /// # Errors
    /// Returns the mistake in the changed definition: another name, a schema that does not describe an object
    /// or has a mistake, or a limit of zero.
    pub fn complete_changed(&self, mut changed: Self) -> Result<Self, String> {
        if changed.name != self.name {
            return Err(format!("it has another name, `{}`; keep the name", changed.name));
        }
        if let Some(problem) = changed.no_object() {
            return Err(format!(
                "its schema is not that of an object: {problem}; write `\"type\": \"object\"`"
            ));
        }
        if let Some(problem) = changed.schema_mistake() {
            return Err(format!("its schema has a mistake: {problem}"));
        }
        if let Some(setting) = changed.zero() {
            return Err(format!("its `{setting}` is 0, so no call could succeed; remove it"));
        }
        changed.run_change.clone_from(&self.run_change);
        changed.has_secrets = self.has_secrets;
        changed.layers = self.layers;
        changed.asks = changed.asks.max(self.asks);
        changed.ui = changed.ui.take().or_else(|| self.ui.clone());
        changed.is_of_server = self.is_of_server;
        changed.is_built_in = self.is_built_in;
        Ok(changed)
    }
}
