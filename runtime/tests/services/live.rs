//! Services of tools that a server lists while the program runs.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use onionskin::event::EventKind;
use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::{
    Args, BuildError, DynTool, ScriptedModel, ScriptedTurn, ToolContext, ToolDefinition, ToolOutput,
    ToolResult, agent,
};
use serde_json::json;

use crate::Account;

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A tool that takes an account from the list of this generation on.
#[derive(Clone)]
struct Bank {
    from: u64,
    generation: Arc<AtomicU64>,
}

struct Owner(ToolDefinition);

impl DynTool for Owner {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, _: &'a mut Args) -> Boxed<'a, ToolResult> {
        Box::pin(async { Ok(ToolOutput::text(cx.provided::<Account>().map_or("none", |account| account.0))) })
    }
}

impl ToolProvider for Bank {
    fn generation(&self) -> u64 {
        self.generation.load(Relaxed)
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        let mut definition = ToolDefinition::new("bank__owner", "Tells the owner.");
        if self.generation() >= self.from {
            definition = definition.takes_service::<Account>();
        }
        vec![Arc::new(Owner(definition))]
    }
}

impl ToolServer for Bank {
    fn provider(&self, _: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Arc::new(self.clone()))
    }
}

agent! { Clerk { instruction: "Answer.", servers: [bank] } }

/// Asks for the owner and repeats the answer, in each of two runs. The second run can lack the tool.
fn model() -> ScriptedModel {
    let turns = [ScriptedTurn::call_unknown("bank__owner", json!({})), ScriptedTurn::say("{last}")];
    ScriptedModel::turns([turns.clone(), turns].concat())
}

#[tokio::test]
async fn t7_a_missing_service_of_a_servers_tool_is_an_error_of_the_build() {
    let bank = Bank { from: 0, generation: Arc::default() };
    let error = Clerk::builder().model(model()).server("bank", bank.clone()).build().await.unwrap_err();
    assert!(
        matches!(&error, BuildError::NoService { part, .. } if part == "the tool `bank__owner`"),
        "{error}"
    );
    let clerk = Clerk::builder().model(model()).server("bank", bank).provide(Account("Ada"));
    assert_eq!(clerk.run("Who?").await.unwrap().text, "Ada");
}

#[tokio::test]
async fn t7_a_tool_that_comes_later_without_its_service_is_left_out_with_a_notice() {
    let bank = Bank { from: 1, generation: Arc::default() };
    let generation = Arc::clone(&bank.generation);
    let clerk = Clerk::builder().model(model()).server("bank", bank).build().await.unwrap();
    assert_eq!(clerk.run("Who?").await.unwrap().text, "none");
    // The tool that is there does not take it yet.
    assert!(clerk.request("Who?").provide(Account("Ada")).run().await.is_err());
    generation.store(1, Relaxed);
    let mut stream = clerk.request("Who?").stream();
    let mut notices = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Notice { text, .. } = event.kind {
            notices.push(text);
        }
    }
    let text = "the tool `bank__owner` of the agent `Clerk` takes the service `services::Account`, which was not provided";
    assert!(
        matches!(&notices[..], [notice] if notice.contains(text) && notice.ends_with("the tool is left out"))
    );
    let text = stream.output().await.unwrap().text;
    assert!(text.contains("bank__owner"), "{text}");
}
