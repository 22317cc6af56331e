//! Lists of tools that change: each request has the current one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use onionskin::serve::{Prompt, Server};
use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::{
    Args, BoxFuture, DynTool, ScriptedModel, ToolContext, ToolDefinition, ToolOutput, ToolResult, agent,
};
use serde_json::json;

use crate::lines::{Lines, call, texts};

/// A server whose tools are `depot__0` to the current number.
#[derive(Clone)]
struct Depot(Arc<AtomicU64>);

struct Shelf(ToolDefinition);

impl DynTool for Shelf {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn run_dyn<'a>(&'a self, _: &'a ToolContext, _: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async { Ok(ToolOutput::text(format!("from {}", self.0.name))) })
    }
}

impl ToolProvider for Depot {
    fn generation(&self) -> u64 {
        self.0.load(Relaxed)
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        let shelf = |number| Shelf(ToolDefinition::new(format!("depot__{number}"), "A shelf."));
        (0..=self.generation()).map(|number| Arc::new(shelf(number)) as Arc<dyn DynTool>).collect()
    }
}

impl ToolServer for Depot {
    fn provider(&self, _: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Arc::new(self.clone()))
    }
}

agent! { Keeper { instruction: "Keep.", servers: [depot] } }

#[tokio::test]
async fn o2_each_request_has_the_current_list_of_tools() {
    let depot = Depot(Arc::new(AtomicU64::new(1)));
    let keeper = Keeper::builder().model(ScriptedModel::new()).server("depot", depot.clone());
    let keeper = keeper.build().await.unwrap();
    let list = || keeper.tool_definitions().unwrap();
    let first = list();
    assert!(Arc::ptr_eq(&first, &list()), "an unchanged list is the same one");
    let server = Server::builder("depot", "1.2.3").agent(&keeper).tools_of(&keeper).build().await.unwrap();
    let mut client = Lines::connect(&server);
    // It grows, and it shrinks.
    for last in [1, 2, 0, 3] {
        depot.0.store(last, Relaxed);
        assert_eq!(Arc::ptr_eq(&first, &list()), last == 1);
        let answer = client.request_new("tools/list", json!({})).await;
        let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
        let shelves = (0..=last).map(|number| format!("depot__{number}"));
        assert_eq!(names, std::iter::once("Keeper".to_owned()).chain(shelves).collect::<Vec<_>>());
        for number in 0..=3 {
            let name = format!("depot__{number}");
            let answer = client.request_new("tools/call", call(&name, json!({}))).await;
            if number <= last {
                assert_eq!(texts(&answer), [format!("from {name}")]);
            } else {
                assert_eq!(answer["error"]["code"], -32602, "{answer}");
            }
        }
    }
}

#[tokio::test]
async fn o2_a_list_says_how_long_it_may_be_used_to_clients_that_read_it() {
    let (server, _) = crate::desk::server().await;
    let builder = crate::desk::builder(&Arc::default()).await;
    let lasting = builder.list_ttl(Duration::from_mins(1)).build().await.unwrap();
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        for (server, time) in [(&server, 0), (&lasting, 60_000)] {
            let new = Lines::connect(server).request_new(method, json!({})).await;
            assert_eq!(
                (&new["result"]["ttlMs"], &new["result"]["cacheScope"]),
                (&json!(time), &json!("private"))
            );
            let old = Lines::initialized(server, json!({})).await.request(method, json!({})).await;
            assert!(old["result"].is_object() && old["result"]["ttlMs"].is_null(), "{old}");
        }
    }
}

#[tokio::test]
async fn o2_the_instructions_of_an_agent_are_a_prompt() {
    let keeper = Keeper::builder().model(ScriptedModel::new()).server("depot", Depot(Arc::default()));
    let keeper = keeper.build().await.unwrap();
    let server = Server::builder("depot", "1.2.3").prompt(Prompt::from_agent(&keeper)).build().await.unwrap();
    let mut client = Lines::connect(&server);
    let listed = client.request_new("prompts/list", json!({})).await;
    assert_eq!(listed["result"]["prompts"][0]["name"], "Keeper", "{listed}");
    let answer = client.request_new("prompts/get", json!({ "name": "Keeper" })).await;
    let message = &answer["result"]["messages"][0];
    assert_eq!(
        (&message["role"], &message["content"]["text"]),
        (&json!("user"), &json!("Keep.")),
        "{answer}"
    );
}

agent! { Reviewer { name: "Code Reviewer", instruction: "Review." } }

#[tokio::test]
async fn o2_an_agent_whose_name_has_blanks_is_a_tool_with_underscores() {
    let model = ScriptedModel::turns([onionskin::ScriptedTurn::say("Fine.")]);
    let reviewer = Reviewer::builder().model(model).build().await.unwrap();
    let server = Server::builder("reviews", "1.2.3").agent(&reviewer).build().await.unwrap();
    let mut client = Lines::connect(&server);
    let listed = client.request_new("tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"][0]["name"], "Code_Reviewer");
    let answer = client.request_new("tools/call", call("Code_Reviewer", json!({ "input": "x = 1" }))).await;
    assert_eq!(texts(&answer), ["Fine."], "{answer}");
}
