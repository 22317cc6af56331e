//! Tools as values.

use std::sync::Arc;

use serde_json::Value;

use super::added::Added;
use super::fill::Filler;
use super::param::{self, SpecParam};
use super::param_changes::ParamChanges;
use super::typed_state::TypedState;
use crate::approval::{Approver, DynApprover};
use crate::context::{Target, ToolEntry, definition_for_run, for_each_run};
use crate::onion::{DynHook, ForEachClone, Undefined};
use crate::policy::{Fill, ForEach};
use crate::services::Services;
use crate::state::{SessionState, StateCell};
use crate::tool::{DynTool, Tool};
use crate::typed::RawHook;
use onionskin_definitions::debug_fields;
use onionskin_definitions::definition::{
    Asks, ServerKind, ToolDefinition, ToolExample, ToolSource, ToolWords,
};
use onionskin_definitions::requirements::StateType;

/// A tool as a value. Whatever its source, it can be described, bound, transformed, called and added to
/// agents.
///
/// Cloning is cheap, and clones are independent: each has its own state, bindings, hooks and guardrails.
/// Hooks and guardrails that were added as an `Arc` are shared.
///
/// ```
/// use onionskin::{ToolSpec, call, tool};
///
/// /// Adds one to a number.
/// #[tool]
/// fn add_one(
///     /// The number.
///     x: i64,
/// ) -> i64 {
///     x + 1
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let spec = add_one::spec();
/// assert_eq!((spec.name(), spec.description()), ("add_one", "Adds one to a number."));
/// assert_eq!(spec.params()[0].description, "The number.");
/// assert_eq!(call!(spec, x = 41).await.unwrap(), 42);
/// # });
/// ```
pub struct ToolSpec {
    pub(super) tool: Arc<dyn DynTool>,
    source: ToolSource,
    server: Option<Arc<str>>,
    /// The tool's own definition, with options that were set later.
    pub(super) own: Arc<ToolDefinition>,
    pub(super) shape: Arc<ParamChanges>,
    /// The schema of the tool's own arguments for hooks and approvals.
    pub(super) own_view: Arc<Value>,
    /// The visible definition: `own` with the changes of `shape`.
    pub(super) definition: Arc<ToolDefinition>,
    pub(super) state: SessionState,
    pub(super) typed: TypedState,
    /// [`Tool::NAME`]; `None` for a trait object.
    declared_name: Option<&'static str>,
    states: Arc<[StateType]>,
    pub(super) hooks: Arc<[Arc<dyn DynHook>]>,
    pub(super) added: Added,
    pub(super) approver: Option<Arc<dyn DynApprover>>,
    pub(super) code: Option<Arc<str>>,
    /// The services of direct calls.
    pub(super) services: Services,
}

impl ToolSpec {
    /// Creates a value from a tool.
    ///
    /// # Panics
    /// Panics if the tool's `definition` panics: defaults and schemas are user code.
    pub fn new<T: Tool>(tool: T) -> Self {
        Self { declared_name: Some(T::NAME), ..Self::from_dyn(Arc::new(tool)) }
    }

    /// As [`Self::new`], for a trait object. An agent checks the states that [`DynTool::states`] returns.
    ///
    /// # Panics
    /// As [`Self::new`].
    pub fn from_dyn(tool: Arc<dyn DynTool>) -> Self {
        let own = tool.definition().clone();
        Self::with_definition(tool, own)
    }

    fn with_definition(tool: Arc<dyn DynTool>, own: ToolDefinition) -> Self {
        let (source, server) = if own.is_built_in {
            (ToolSource::Runtime, Some("runtime".into()))
        } else {
            (ToolSource::Function, None)
        };
        let own = Arc::new(own);
        let states = tool.states().into();
        Self {
            tool,
            source,
            server,
            definition: Arc::clone(&own),
            own_view: Arc::clone(&own.input_schema),
            own,
            shape: Arc::default(),
            state: SessionState::default(),
            typed: TypedState::new::<()>(StateCell::handle((), None)),
            declared_name: None,
            states,
            hooks: Arc::new([]),
            added: Added::default(),
            approver: None,
            code: None,
            services: Services::default(),
        }
    }

    /// Creates the value that `spec()` of a `#[tool]` returns.
    #[doc(hidden)]
    pub fn from_function(tool: impl Tool, code: &'static str) -> Self {
        Self::new(tool).with_code(code)
    }

    /// Creates a value from a tool of a server, for implementations of `ToolServer`. Hooks can read the
    /// server's name in the call's context. The server chose the tool's name, so characters that providers
    /// reject are replaced for the model.
    pub fn from_server(tool: Arc<dyn DynTool>, kind: ServerKind, server: Option<&str>) -> Self {
        let mut own = tool.definition().clone();
        own.is_of_server = true;
        let (source, server) = (kind.into(), server.map(Into::into));
        Self { source, server, ..Self::with_definition(tool, own) }
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// The tool's description.
    pub fn description(&self) -> &str {
        &self.definition.description
    }

    /// The definition of the tool: the model's view of it, and its options.
    pub fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// The JSON Schema of the arguments, without bound parameters.
    pub fn input_schema(&self) -> &Value {
        &self.definition.input_schema
    }

    /// The JSON Schema of the structured result, if there is one.
    pub fn output_schema(&self) -> Option<&Value> {
        self.definition.output_schema.as_deref()
    }

    /// The parameters in [`Self::input_schema`], in the order of declaration: of the function's parameters,
    /// the struct's fields, or the imported schema's properties.
    pub fn params(&self) -> Vec<SpecParam> {
        param::params(&self.definition)
    }

    /// The examples of calls, without bound parameters.
    pub fn examples(&self) -> &[ToolExample] {
        &self.definition.examples
    }

    /// The kind of source that the tool comes from.
    pub fn source(&self) -> ToolSource {
        self.source
    }

    /// The server that the tool comes from: an MCP server, or one of your own.
    pub fn server_name(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// Adds a hook to the tool's own hooks, which run inside the hooks of an agent. The first added hook is
    /// the outermost. `new` constructs the hook of a `#[tool_hook]` function: `.hook(audit::new())`.
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
    ///     type Made = onionskin::made::ByDefault;
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
        let hook = Arc::new(ForEach(hook)) as Arc<dyn DynHook>;
        self.takes(|taken| hook.services_dyn(taken));
        self.hooks = self.hooks.iter().cloned().chain([hook]).collect();
        self
    }

    /// Sets the state for direct calls of a tool with `State<S>`. In an agent, the tool gets the agent's
    /// state.
    #[must_use]
    pub fn with_state<S: Clone + Send + Sync + 'static>(mut self, state: S) -> Self {
        let (handle, secrets) = StateCell::undeclared(state);
        self.state.concealed().add(&secrets);
        self.typed = TypedState::new::<S>(handle);
        self
    }

    /// The newest state of direct calls, which [`Self::with_state`] set; `None` if it has another type.
    pub fn typed_state<S: Clone + Send + Sync + 'static>(&self) -> Option<Arc<S>> {
        StateCell::<S>::newest(&self.typed.handle)
    }

    /// Sets the approver of direct calls. In an agent, the agent's approver decides.
    pub fn approver(&mut self, approver: impl Approver) -> &mut Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// The same tool with the same state, for a call in progress. A clone has its own state.
    #[must_use]
    pub fn share(&self) -> Self {
        Self {
            tool: Arc::clone(&self.tool),
            source: self.source,
            server: self.server.clone(),
            own: Arc::clone(&self.own),
            shape: Arc::clone(&self.shape),
            own_view: Arc::clone(&self.own_view),
            definition: Arc::clone(&self.definition),
            state: self.state.clone(),
            typed: self.typed.clone(),
            declared_name: self.declared_name,
            states: Arc::clone(&self.states),
            hooks: Arc::clone(&self.hooks),
            added: self.added.clone(),
            approver: self.approver.clone(),
            code: self.code.clone(),
            services: self.services.clone(),
        }
    }

    /// The tool, with the added stages if it runs them itself.
    pub(super) fn tool(&self) -> &Arc<dyn DynTool> {
        self.added.tool().unwrap_or(&self.tool)
    }

    /// Whether the visible definition equals the tool's own definition.
    pub(super) fn is_as_written(&self) -> bool {
        self.shape.is_plain() && self.own.name == self.definition.name
    }

    /// Changes the differences between the tool and its visible form.
    pub(super) fn reshape(&mut self, change: impl FnOnce(&mut ParamChanges)) {
        change(Arc::make_mut(&mut self.shape));
        self.define(Arc::clone(&self.definition.name));
        self.fill();
    }

    pub(super) fn rename(&mut self, name: Option<String>, description: Option<String>) {
        if let Some(text) = description {
            Arc::make_mut(&mut self.own).description = text.into();
        }
        let name = name.map_or_else(|| Arc::clone(&self.definition.name), Into::into);
        self.define(name);
        self.fill();
    }

    /// Updates the filling of bound parameters.
    pub(super) fn fill(&mut self) {
        self.added = self.added.filled(&self.tool, self.filler());
    }

    fn filler(&self) -> Option<Arc<dyn Fill>> {
        self.shape.bound().next()?;
        Some(Arc::new(Filler {
            tool: Arc::clone(&self.definition.name),
            own: Arc::clone(&self.own),
            shape: Arc::clone(&self.shape),
            state: self.state.clone(),
        }))
    }

    pub(super) fn define(&mut self, name: Arc<str>) {
        let mut visible = self.shape.visible(&self.own, &name);
        if visible.remove_run_change() {
            let (own, shape) = (Arc::clone(&self.own), Arc::clone(&self.shape));
            visible =
                for_each_run(
                    visible,
                    move |_, run| Ok(shape.visible(&definition_for_run(&own, run)?, &name)),
                );
        }
        self.definition = Arc::new(visible);
        self.own_view = self.shape.own_view(&self.own.input_schema);
        self.note_approval();
    }

    /// Marks in the definition that calls may need approval, so that runs with the tool can pause, whatever
    /// its source.
    pub(super) fn note_approval(&mut self) {
        if !self.added.stages.approval.is_empty() {
            let definition = Arc::make_mut(&mut self.definition);
            definition.asks = definition.asks.max(Asks::Approval);
        }
    }
}

impl Clone for ToolSpec {
    fn clone(&self) -> Self {
        let handle = (self.typed.fork)(&self.typed.handle);
        let typed = TypedState { handle, fork: self.typed.fork };
        let hooks = self.hooks.iter().map(|hook| hook.fork().unwrap_or_else(|| Arc::clone(hook))).collect();
        let mut clone = Self { state: self.state.fork(), typed, hooks, ..self.share() };
        clone.added = self.added.fork(&self.tool, clone.filler());
        clone
    }
}

impl<T: Tool> From<T> for ToolSpec {
    fn from(tool: T) -> Self {
        Self::new(tool)
    }
}

impl From<Arc<dyn DynTool>> for ToolSpec {
    fn from(tool: Arc<dyn DynTool>) -> Self {
        Self::from_dyn(tool)
    }
}

debug_fields!(ToolSpec: this => name: this.name(), source: this.source, bindings: this.bindings());

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolSpec {
    /// An agent as a tool.
    pub fn from_agent(tool: Arc<dyn DynTool>) -> Self {
        Self { source: ToolSource::Agent, server: Some("agent".into()), ..Self::from_dyn(tool) }
    }

    /// The agent states that the tool takes, if its type is known.
    pub fn state_types(&self) -> &[StateType] {
        &self.states
    }

    /// The error for a tool whose type and definition have different names.
    pub fn misnamed(&self) -> Option<Undefined> {
        let (tool, defined) = (self.declared_name?, &self.own.name);
        (**defined != *tool).then(|| Undefined::Misnamed { tool, defined: Arc::clone(defined) })
    }

    /// The name of an own hook that repeats calls, although calls of this tool must not be repeated.
    pub fn repeats_in_vain(&self) -> Option<String> {
        let is_repeatable = self.definition().effect.is_repeatable();
        let hook = self.hooks.iter().find(|hook| !is_repeatable && hook.repeats())?;
        Some(hook.shown_name_dyn())
    }

    /// Changes the name, the description and other words that models see.
    pub fn reword(&mut self, words: &ToolWords) {
        let own = Arc::make_mut(&mut self.own);
        let name = Arc::clone(&own.name);
        *own = words.apply_to(own.clone());
        own.name = name;
        let shown = words.explicit_name().map_or_else(|| Arc::clone(&self.definition.name), Into::into);
        self.define(shown);
        self.fill();
    }

    /// The tool as an entry of an agent's table.
    pub fn into_entry(self) -> ToolEntry {
        let mut entry = ToolEntry::new(
            Arc::clone(&self.definition.name),
            self.source,
            self.server.as_deref(),
            ToolDefinition::clone(&self.definition),
            Target::Dynamic(Arc::new(self.share())),
        );
        entry.starts_inside |= !self.hooks.is_empty() || !self.added.is_empty();
        entry
    }
}
