//! Options and examples of a tool value.

use std::sync::Arc;

use super::toolspec::ToolSpec;
use crate::policy::no_cache_of_once;
use onionskin_definitions::definition::{Effect, ExampleError, ToolDefinition, ToolExample};

impl ToolSpec {
    /// Sets the tool's options, such as `timeout`, `effect` or `title`, as `#[tool(..)]` does. The name and
    /// the schema of the arguments stay unchanged; use [`Self::transform`] for those.
    ///
    /// ```
    /// use std::time::Duration;
    /// use onionskin::{Effect, ToolSpec};
    ///
    /// let mut spec = ToolSpec::from_fn("now", "The time.", |(): (), _| async { Ok(12) });
    /// spec.options(|options| {
    ///     options.effect = Effect::Pure;
    ///     options.timeout = Some(Duration::from_secs(1));
    /// });
    /// assert_eq!(spec.definition().effect, Effect::Pure);
    /// ```
    ///
    /// # Panics
    /// Panics if `timeout` or `max_calls` is zero, because no call could succeed; `None` is no limit. Panics
    /// if `effect` is `Once` and the tool has a cache.
    pub fn options(&mut self, change: impl FnOnce(&mut ToolDefinition)) -> &mut Self {
        let mut own = ToolDefinition::clone(&self.own);
        change(&mut own);
        if let Some(setting) = own.zero() {
            panic!("`{setting}` of the tool `{}` is 0: remove it for no limit", self.name());
        }
        assert!(
            own.effect != Effect::Once || self.added.stages.cache.is_none(),
            "{}",
            no_cache_of_once(self.name())
        );
        own.name = Arc::clone(&self.own.name);
        own.input_schema = Arc::clone(&self.own.input_schema);
        self.own = Arc::new(own);
        self.define(Arc::clone(&self.definition.name));
        self
    }

    /// Sets the examples of calls, with the tool's own parameter names.
    ///
    /// ```
    /// use onionskin::{ToolSpec, definition::ToolExample, tool};
    /// use serde_json::json;
    ///
    /// /// Adds one.
    /// #[tool]
    /// fn add_one(x: i64) -> i64 {
    ///     x + 1
    /// }
    ///
    /// let mut spec = add_one::spec();
    /// spec.set_examples([ToolExample::new(json!({ "x": 41 })).output(42)]).unwrap();
    /// let wrong = spec.set_examples([ToolExample::new(json!({ "y": 41 }))]).unwrap_err();
    /// assert!(wrong.to_string().starts_with("example 1 of the tool `add_one` does not fit:"));
    /// assert_eq!(spec.examples().len(), 1);
    /// ```
    ///
    /// # Errors
    /// Returns an error if an example does not fit the tool. The examples are then unchanged.
    pub fn set_examples(
        &mut self,
        examples: impl IntoIterator<Item = ToolExample>,
    ) -> Result<&mut Self, ExampleError> {
        let mut own = ToolDefinition::clone(&self.own);
        own.examples = examples.into_iter().collect();
        own.check_examples()?;
        self.own = Arc::new(own);
        self.define(Arc::clone(&self.definition.name));
        Ok(self)
    }
}
