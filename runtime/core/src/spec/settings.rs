//! What a program sets on a tool value: options, examples, hooks, the state and the approver of direct calls.

use std::sync::Arc;

use super::toolspec::ToolSpec;
use super::typed_state::TypedState;
use crate::approval::Approver;
use crate::definition::{Effect, ExampleError, ToolDefinition, ToolExample};
use crate::onion::{DynHook, ForEachClone};
use crate::policy::{ForEach, no_cache_of_once};
use crate::state::StateCell;
use crate::typed::RawHook;

impl ToolSpec {
    /// Sets the tool's options, such as `timeout`, `effect` or `title`, as `#[tool(..)]` does. The name and the schema
    /// of the arguments are unchanged; use [`Self::transform`] for those.
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
    /// Panics if `timeout` or `max_calls` is zero, because no call could succeed; leave the option out for no limit.
    /// Panics if `effect` is [`Once`](crate::Effect::Once) and the tool has a cache.
    pub fn options(&mut self, change: impl FnOnce(&mut ToolDefinition)) -> &mut Self {
        let mut own = ToolDefinition::clone(&self.own);
        change(&mut own);
        if let Some(setting) = own.zero() {
            panic!("`{setting}` of the tool `{}` is 0: leave it out for no limit", self.name());
        }
        assert!(
            own.effect != Effect::Once || !self.added.stages.is_cached(),
            "{}",
            no_cache_of_once(self.name())
        );
        own.name = Arc::clone(&self.own.name);
        own.input_schema = Arc::clone(&self.own.input_schema);
        self.own = Arc::new(own);
        self.define(Arc::clone(&self.definition.name));
        self
    }

    /// Sets the examples of calls. They use the tool's own names of its parameters.
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

    /// Adds a hook to the tool's own hooks, inside the hooks of an agent. The first one that is added is the outermost.
    /// Make the hook of a `#[tool_hook]` function with `new`: `.hook(audit::new())`.
    ///
    /// Each clone of the tool gets a clone of the hook. Add an `Arc` of a hook to share it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    /// use onionskin::{Args, Hook, Next, ToolContext, ToolResult, call, tool};
    ///
    /// /// Counts calls.
    /// #[derive(Default)]
    /// struct Count(AtomicU32);
    ///
    /// impl Clone for Count {
    ///     fn clone(&self) -> Self {
    ///         Self(self.0.load(Relaxed).into())
    ///     }
    /// }
    ///
    /// impl Hook for Count {
    ///     onionskin::raw_hook!(default);
    ///
    ///     async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
    ///         self.0.fetch_add(1, Relaxed);
    ///         next.run(args).await
    ///     }
    /// }
    ///
    /// /// Adds one.
    /// #[tool]
    /// fn add_one(x: i64) -> i64 {
    ///     x + 1
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let shared = Arc::new(Count::default());
    /// let spec = add_one::spec().hook(Arc::clone(&shared));
    /// call!(spec, x = 1).await.unwrap();
    /// call!(spec.clone(), x = 1).await.unwrap();
    /// assert_eq!(shared.0.load(Relaxed), 2);
    /// # });
    /// ```
    #[must_use]
    pub fn hook(mut self, hook: impl RawHook + ForEachClone) -> Self {
        self.hooks =
            self.hooks.iter().cloned().chain([Arc::new(ForEach(hook)) as Arc<dyn DynHook>]).collect();
        self
    }

    /// Sets the state for a tool with `State<S>` that is called directly. In an agent the tool gets the agent's state.
    #[must_use]
    pub fn with_state<S: Clone + Send + Sync + 'static>(mut self, state: S) -> Self {
        let (handle, secrets) = StateCell::undeclared(state);
        self.state.concealed().add(&secrets);
        self.typed = TypedState::of::<S>(handle);
        self
    }

    /// The newest state that began with [`Self::with_state`], if it is of this type.
    pub fn typed_state<S: Clone + Send + Sync + 'static>(&self) -> Option<Arc<S>> {
        StateCell::<S>::newest(&self.typed.handle)
    }

    /// Sets the approver of direct calls. In an agent the agent's approver is asked.
    pub fn approver(&mut self, approver: impl Approver) -> &mut Self {
        self.approver = Some(Arc::new(approver));
        self
    }
}
