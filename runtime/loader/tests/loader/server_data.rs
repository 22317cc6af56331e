//! Resources and prompts of servers in cards: of compiled agents, and of loaded ones.

use std::sync::Arc;

use onionskin::loader::Registry;
use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::{App, DynTool, ScriptedModel, ScriptedTurn, ToolSpec, agent};
use serde_json::json;

use super::load;

/// Has a tool, and readers that say by which patterns they read.
struct Library;

impl Library {
    fn tool(request: &ProviderRequest<'_>, name: &str) -> Arc<dyn ToolProvider> {
        let patterns = request.filter().unmatched([]).join(" ");
        let tool = ToolSpec::from_fn(&request.tool_name(name), "Reads.", move |(): (), _| {
            let patterns = patterns.clone();
            async move { Ok(patterns) }
        });
        Arc::new(vec![Arc::new(tool) as Arc<dyn DynTool>])
    }
}

impl ToolServer for Library {
    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Self::tool(request, "lend"))
    }

    fn resources(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Self::tool(request, "read_resource"))
    }

    fn prompts(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(Self::tool(request, "get_prompt"))
    }
}

agent! {
    Reader {
        instruction: "Answer.",
        servers: [docs, mail],
        tools: { docs: [], mail: [len?] },
        resources: { docs: ["file:///guide/*", "file:///plans/*"], mail: ["*"] },
        prompts: { docs: [review, "plan_*"] },
    }
}

/// The card of the agent.
const CARD: &str = "---\nname: Reader\ndefault: true\nservers: [docs, mail]\ntools: { docs: [], mail: [len?] }\n\
    resources:\n  docs: [\"file:///guide/*\", file:///plans/*]\n  mail: [\"*\"]\nprompts: { docs: [review, plan_*] }\n\
    tool_hooks: [{ hook: \"::onionskin::hooks::log\", for: [docs__read_resource, docs__get_prompt] }]\n---\nAnswer.\n";

/// Its tools, and the patterns that each of them gets.
const TOOLS: [(&str, &str); 4] = [
    ("docs__read_resource", "file:///guide/* file:///plans/*"),
    ("docs__get_prompt", "review plan_*"),
    ("mail__read_resource", "*"),
    ("mail__lend", "len?"),
];

#[tokio::test]
async fn a4_a_loaded_card_reads_the_resources_and_prompts_that_it_names() {
    let cards = load(Registry::new(), &[("reader.md", CARD)]).unwrap();
    for (tool, patterns) in TOOLS {
        let turns = [ScriptedTurn::call(tool, json!({})), ScriptedTurn::say("{last}")];
        let app = cards.add_to(App::builder()).model(ScriptedModel::turns(turns));
        let app = app.server("docs", Library).server("mail", Library).build().await.unwrap();
        assert_eq!(app.run("Read.").await.unwrap().text, patterns, "{tool}");
    }
}

#[tokio::test]
async fn a4_an_agent_in_rust_reads_what_its_card_reads() {
    let builder = Reader::builder().model(ScriptedModel::new()).server("docs", Library);
    let reader = builder.server("mail", Library).build().await.unwrap();
    assert_eq!(reader.tool_names().unwrap(), TOOLS.map(|(tool, _)| tool));
    let dumped = Registry::new().dump::<Reader>().unwrap();
    let fields = "tools: \n  \"docs\": []\n  \"mail\": [\"len?\"]\n\
                  resources: \n  \"docs\": [\"file:///guide/*\", \"file:///plans/*\"]\n  \"mail\": [\"*\"]\n\
                  prompts: \n  \"docs\": [\"review\", \"plan_*\"]\n";
    assert!(dumped[0].text.contains(fields), "{}", dumped[0].text);
    assert_eq!(load(Registry::new(), &[("Reader.md", &dumped[0].text)]).unwrap().dump(), dumped);
}
