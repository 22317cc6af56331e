//! A source of tools whose list changes with each call of one of its tools.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::{Args, BoxFuture, DynTool, ToolContext, ToolDefinition, ToolOutput, ToolResult};

/// The names of the tools, each with its description.
pub type List = Vec<(&'static str, String)>;

/// The server `shelf`. Each call takes the next list.
#[derive(Clone)]
pub struct Shelf(Arc<Mutex<Lists>>);

struct Lists {
    generation: u64,
    now: List,
    next: VecDeque<List>,
}

impl Shelf {
    pub fn new(first: List, next: impl IntoIterator<Item = List>) -> Self {
        let next = next.into_iter().collect();
        Self(Arc::new(Mutex::new(Lists { generation: 0, now: first, next })))
    }
}

impl ToolServer for Shelf {
    fn provider(&self, _: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Arc::new(self.clone()))
    }
}

impl ToolProvider for Shelf {
    fn generation(&self) -> u64 {
        self.0.lock().unwrap().generation
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        let tool = |(name, description): &(&'static str, String)| {
            let definition = ToolDefinition::new(format!("shelf__{name}"), description.clone());
            Arc::new(Listed(definition, self.clone())) as Arc<dyn DynTool>
        };
        self.0.lock().unwrap().now.iter().map(tool).collect()
    }
}

struct Listed(ToolDefinition, Shelf);

impl DynTool for Listed {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn run_dyn<'a>(&'a self, _: &'a ToolContext, _: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async {
            let mut lists = self.1.0.lock().unwrap();
            if let Some(next) = lists.next.pop_front() {
                lists.now = next;
                lists.generation += 1;
            }
            Ok(ToolOutput::text("turned"))
        })
    }
}
