//! Resources and prompts of real servers.

use onionskin::declaration::AgentDeclaration;
use onionskin::run::AgentRun;
use onionskin::{Agent, ErrorKind, RunError, ScriptedModel};
use onionskin_judges::npm;
use serde_json::json;

use crate::mcp_servers::{call, fails, outcome, text};

/// An agent that gets no tool of the server, only its data.
struct Librarian;

impl Agent for Librarian {
    const NAME: &'static str = "librarian";
    type State = ();

    fn declare() -> AgentDeclaration {
        let declaration = AgentDeclaration::new().server("it", Some(&[]));
        declaration.server_resources("it", &["demo://resource/*"]).server_prompts("it", &["*-prompt"])
    }

    async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
        Ok(outcome(run, &input).await)
    }
}

#[tokio::test]
async fn a4_resources_and_prompts_of_server_everything() {
    let server = npm("server-everything").arg("stdio");
    let builder = Librarian::builder().model(ScriptedModel::new()).server("it", server);
    let agent = builder.build().await.unwrap();
    assert_eq!(
        agent.tool_names().unwrap(),
        ["it__list_resources", "it__read_resource", "it__list_prompts", "it__get_prompt"]
    );
    let listed = call(&agent, "list_resources", json!({})).await;
    for part in
        ["demo://resource/static/document/", "\"uriTemplate\":\"demo://resource/dynamic/text/{resourceId}\""]
    {
        assert!(text(&listed).contains(part), "{listed}");
    }
    let first = text(&listed).lines().next().unwrap();
    let first: serde_json::Value = serde_json::from_str(first).unwrap();
    let page = call(&agent, "read_resource", json!({ "uri": first["uri"] })).await;
    assert!(text(&page).len() > 100, "{page}");
    let made = call(&agent, "read_resource", json!({ "uri": "demo://resource/dynamic/text/7" })).await;
    assert!(text(&made).contains("Resource 7"), "{made}");
    let uri = "demo://resource/dynamic/text/none";
    fails(&agent, "read_resource", json!({ "uri": uri }), ErrorKind::Remote).await;
    fails(&agent, "read_resource", json!({ "uri": "demo://elsewhere" }), ErrorKind::Denied).await;
    let prompts = call(&agent, "list_prompts", json!({})).await;
    assert!(text(&prompts).contains("simple-prompt"), "{prompts}");
    let arguments = json!({ "city": "Paris", "state": "Texas" });
    let prompt = call(&agent, "get_prompt", json!({ "name": "args-prompt", "arguments": arguments })).await;
    assert!(text(&prompt).contains("Paris, Texas"), "{prompt}");
    agent.shutdown().await;
}
