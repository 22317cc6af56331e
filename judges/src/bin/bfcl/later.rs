//! A source of tools that come while the server runs.

use std::sync::{Arc, Mutex, PoisonError};

use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::{DynTool, ToolSpec};

type Tools = Vec<Arc<dyn DynTool>>;

/// The tools so far. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Later(Arc<Mutex<Tools>>);

impl Later {
    pub(crate) fn add(&self, tools: impl Iterator<Item = ToolSpec>) {
        let tools = tools.map(|tool| Arc::new(tool) as Arc<dyn DynTool>);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(tools);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tools().is_empty()
    }
}

impl ToolServer for Later {
    fn provider(&self, _: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Arc::new(self.clone()))
    }
}

impl ToolProvider for Later {
    fn generation(&self) -> u64 {
        self.tools().len() as u64
    }

    fn tools(&self) -> Tools {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
