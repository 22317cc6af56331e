//! The stages that were added to a tool, and the place where they run.

use std::sync::Arc;

use crate::policy::{Fill, Stages, ToolPolicy};
use crate::tool::DynTool;

/// The added stages, and the place where they run.
#[derive(Clone, Default)]
pub(super) struct Added {
    pub(super) stages: Arc<Stages>,
    /// The tool, if it runs the additions inside its own stages or hooks.
    tool: Option<Arc<dyn DynTool>>,
}

impl Added {
    pub(super) fn new(bare: &Arc<dyn DynTool>, stages: Stages) -> Self {
        let policy = ToolPolicy { stages, ..ToolPolicy::default() };
        Self { tool: bare.with_policy_dyn(&policy), stages: Arc::new(policy.stages) }
    }

    /// The tool, if it runs the additions itself.
    pub(super) fn tool(&self) -> Option<&Arc<dyn DynTool>> {
        self.tool.as_ref()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// The stages to run around the tool.
    pub(super) fn around(&self) -> Option<&Stages> {
        self.stages.has_stages().then(|| self.around_always()).flatten()
    }

    /// As [`Self::around`], also if no stage was added.
    pub(super) fn around_always(&self) -> Option<&Stages> {
        self.tool.is_none().then_some(&*self.stages)
    }

    /// The values to fill in around the tool, unless the tool fills them in inside its own stages or hooks.
    pub(super) fn fill(&self) -> Option<&dyn Fill> {
        if self.tool.is_none() { self.stages.fill() } else { None }
    }

    /// The same additions around a tool with other filled-in parameters.
    pub(super) fn filled(&self, bare: &Arc<dyn DynTool>, fill: Option<Arc<dyn Fill>>) -> Self {
        if fill.is_none() && self.stages.fill().is_none() {
            return self.clone();
        }
        Self::new(bare, self.stages.filled(fill))
    }

    /// The same additions around a tool's clone.
    pub(super) fn fork(&self, bare: &Arc<dyn DynTool>, fill: Option<Arc<dyn Fill>>) -> Self {
        Self::new(bare, self.stages.for_clone().filled(fill))
    }
}
