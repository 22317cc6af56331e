//! Adding tools to the list of those that a hook brings.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use super::{DynTool, Tool};
use crate::onion::{HookTool, HookTools};

impl HookTools {
    /// Adds a tool.
    pub fn add<T: Tool>(&mut self, tool: T) {
        let tool: Arc<dyn DynTool> = Arc::new(tool);
        self.0.push(HookTool { name: T::NAME, ty: TypeId::of::<T>(), tool: Box::new(tool) });
    }

    /// The tools, each with its name and its type.
    #[doc(hidden)]
    pub fn into_tools(self) -> impl Iterator<Item = (&'static str, TypeId, Arc<dyn DynTool>)> {
        self.0.into_iter().filter_map(|HookTool { name, ty, tool }| {
            let tool: Box<Arc<dyn DynTool>> = tool.downcast().ok()?;
            Some((name, ty, *tool))
        })
    }
}

/// Shows the names only.
impl fmt::Debug for HookTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|tool| tool.name)).finish()
    }
}
