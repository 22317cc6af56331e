//! Adding tools to the list of those that a hook or a source of a prompt brings.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use super::{DynTool, Tool, Toolbox};
use crate::onion::{HookTool, HookTools};

impl HookTools {
    /// Adds a tool.
    pub fn add<T: Tool>(&mut self, tool: T) {
        let tool: Arc<dyn DynTool> = Arc::new(tool);
        self.push(T::NAME, TypeId::of::<T>(), tool, None);
    }

    /// Adds the tools of a toolbox, and its instructions for the system prompt.
    pub fn add_toolbox<T: Toolbox>(&mut self, toolbox: T) {
        let names = T::TOOLS.iter().copied().flatten();
        let mut instructions = T::INSTRUCTIONS;
        for (name, tool) in names.zip(T::bound(&Arc::new(toolbox))) {
            self.push(name, TypeId::of::<T>(), tool, instructions.take());
        }
    }

    fn push(
        &mut self,
        name: &'static str,
        ty: TypeId,
        tool: Arc<dyn DynTool>,
        instructions: Option<&'static str>,
    ) {
        self.0.push(HookTool { name, ty, tool: Box::new(tool), instructions });
    }

    /// The tools, each with its name, its type and the instructions of its toolbox.
    #[doc(hidden)]
    pub fn into_tools(
        self,
    ) -> impl Iterator<Item = (&'static str, TypeId, Arc<dyn DynTool>, Option<&'static str>)> {
        self.0.into_iter().filter_map(|HookTool { name, ty, tool, instructions }| {
            let tool: Box<Arc<dyn DynTool>> = tool.downcast().ok()?;
            Some((name, ty, *tool, instructions))
        })
    }
}

/// Shows the names only.
impl fmt::Debug for HookTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|tool| tool.name)).finish()
    }
}
