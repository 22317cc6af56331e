//! `Metered` wraps any other tool.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use onionskin_core::spec::{StateType, ToolPolicy};
use onionskin_core::{Args, BoxFuture, DynTool, ToolContext, ToolDefinition, ToolResult};

/// Another tool under another name. It counts the calls that reach the tool; clones count together.
#[derive(Clone)]
pub struct Metered {
    tool: Arc<dyn DynTool>,
    definition: ToolDefinition,
    calls: Arc<AtomicU64>,
}

impl Metered {
    /// Wraps a tool, with `metered_` before its name.
    pub fn new(tool: Arc<dyn DynTool>) -> Self {
        let mut definition = tool.definition().clone();
        definition.name = format!("metered_{}", definition.name).into();
        Self { tool, definition, calls: Arc::default() }
    }

    /// The number of calls so far.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }
}

impl DynTool for Metered {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.tool.run_dyn(cx, args)
    }

    fn fit_args_dyn(&self, cx: &ToolContext, args: &mut Args) -> ToolResult<()> {
        self.tool.fit_args_dyn(cx, args)
    }

    fn check_args_dyn(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
        self.tool.check_args_dyn(cx, args)
    }

    fn with_policy_dyn(&self, more: &ToolPolicy) -> Option<Arc<dyn DynTool>> {
        let tool = self.tool.with_policy_dyn(more)?;
        Some(Arc::new(Self { tool, ..self.clone() }))
    }

    fn states(&self) -> Vec<StateType> {
        self.tool.states()
    }
}
