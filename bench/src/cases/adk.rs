//! adk-rust 2.3: a `#[tool]`, bare and with plugins that change nothing.

use std::sync::Arc;

use adk_core::{AdkError, CallbackContext, ToolContext};
use adk_plugin::{AfterToolCallResult, BeforeToolCallResult, EnhancedPlugin, EnhancedPluginManager};
use adk_rust_macros::tool;
use adk_tool::{SimpleToolContext, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Case, TEXT, calls};

#[derive(Deserialize, JsonSchema)]
struct AddOneArgs {
    /// The number.
    x: i64,
}

/// Adds one.
#[tool]
async fn add_one(args: AddOneArgs) -> Result<Value, AdkError> {
    Ok(super::add_one(args.x).await.into())
}

struct Pass;

#[async_trait::async_trait]
impl EnhancedPlugin for Pass {
    fn name(&self) -> &str {
        "pass"
    }
}

struct Bench {
    tool: Arc<dyn Tool>,
    context: Arc<SimpleToolContext>,
    plugins: EnhancedPluginManager,
}

impl Bench {
    fn new(plugins: usize) -> Self {
        let plugins = (0..plugins).map(|_| Arc::new(Pass) as _).collect();
        Self {
            tool: Arc::new(AddOne),
            // Making one costs two random numbers, so all calls share it.
            context: Arc::new(SimpleToolContext::new("bench")),
            plugins: EnhancedPluginManager::new(plugins),
        }
    }

    async fn call(&self, text: &str) -> Result<String, AdkError> {
        let args = serde_json::from_str(text).map_err(|error| AdkError::tool(error.to_string()))?;
        let result = self.tool.execute(Arc::clone(&self.context) as Arc<dyn ToolContext>, args).await?;
        Ok(result.to_string())
    }

    async fn call_with_plugins(&self, text: &str) -> Result<String, AdkError> {
        let args = serde_json::from_str(text).map_err(|error| AdkError::tool(error.to_string()))?;
        let callback = || Arc::clone(&self.context) as Arc<dyn CallbackContext>;
        let args = match self.plugins.run_before_tool_call(Arc::clone(&self.tool), args, callback()).await? {
            BeforeToolCallResult::Continue(args) => args,
            BeforeToolCallResult::ShortCircuit(result) => return Ok(result.to_string()),
        };
        let context = Arc::clone(&self.context) as Arc<dyn ToolContext>;
        let result = self.tool.execute(context, args.clone()).await?;
        let AfterToolCallResult::Continue(result) =
            self.plugins.run_after_tool_call(Arc::clone(&self.tool), &args, result, callback()).await?;
        Ok(result.to_string())
    }
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        calls!("adk", "adk-rust 2.3, Tool::execute", Bench::new(0), |it| it.call(std::hint::black_box(TEXT))),
        calls!("adk_3", "adk-rust 2.3, 3 plugins", Bench::new(3), |it| {
            it.call_with_plugins(std::hint::black_box(TEXT))
        }),
    ]
}
