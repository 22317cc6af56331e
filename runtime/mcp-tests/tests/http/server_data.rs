//! Resources and prompts of servers by address, which agents read by tools.

use std::sync::atomic::{AtomicBool, Ordering};

use onionskin::declaration::AgentDeclaration;
use onionskin::mcp::{McpConfig, McpServer, McpText, ServerConfig};
use onionskin::prompt::{Prompt, PromptPart};
use onionskin::question::{Answer, Question};
use onionskin::run::AgentRun;
use onionskin::secret::Secret;
use onionskin::{Agent, AgentHandle, BuildError, RunError, ScriptedModel, ScriptedTurn, ToolOutput, agent};
use serde_json::{Value, json};

use crate::asking::form;
use crate::server::{Reply, Request, Server, current, error, result};
use crate::session_questions::with_resources;

/// An agent without a loop. Its input is a call: the tool, a blank, and the arguments.
struct Reader;

impl Agent for Reader {
    const NAME: &'static str = "reader";
    type State = ();

    fn declare() -> AgentDeclaration {
        let declaration = AgentDeclaration::new().server("web", Some(&["read"]));
        declaration.server_resources("web", &["doc://guide/*", "pic://*"]).server_prompts("web", &["re*"])
    }

    async fn run(run: &AgentRun, call: String) -> Result<String, RunError> {
        let (tool, arguments) = call.split_once(' ').unwrap();
        Ok(match run.call_tool(&format!("web__{tool}"), arguments).await {
            Ok(output) => output.to_text().into_owned(),
            Err(exit) => {
                let kind = exit.as_tool_error().map(|error| format!("{:?}", error.kind()));
                format!("{}: {exit}", kind.unwrap_or_default())
            }
        })
    }
}

/// A server with resources on two pages, templates and prompts.
fn library(request: &Request) -> Reply {
    let complete = |body: Value| {
        let mut body = body;
        body["resultType"] = "complete".into();
        Reply::json(200, &result(request, &body))
    };
    let params = &request.body["params"];
    match request.asks() {
        "server/discover" => {
            let capabilities = json!({ "tools": {}, "resources": {}, "prompts": {} });
            let body = json!({ "supportedVersions": ["2026-07-28"], "capabilities": capabilities, "ttlMs": 0, "cacheScope": "private" });
            complete(body)
        }
        "resources/list" if params["cursor"].is_null() => complete(json!({
            "resources": [
                { "uri": "doc://guide/begin", "name": "begin", "description": "The first page.", "mimeType": "text/plain", "size": 5, "annotations": {} },
                { "uri": "doc://other/secret", "name": "secret" },
                { "name": "no address" },
            ],
            "nextCursor": "2",
        })),
        "resources/list" => {
            complete(json!({ "resources": [{ "uri": "pic://dot", "name": "dot" }], "nextCursor": "" }))
        }
        "resources/templates/list" => complete(json!({ "resourceTemplates": [
            { "uriTemplate": "doc://{book}/{page}", "name": "page" },
            { "uriTemplate": "db://{table}", "name": "table" },
        ] })),
        "resources/read" if params["uri"] == "pic://dot" => {
            complete(json!({ "contents": [{ "uri": "pic://dot", "blob": "iVBORw0KGgo=" }] }))
        }
        "resources/read" if params["uri"] == "doc://guide/empty" => complete(json!({ "contents": [] })),
        "resources/read" if params["uri"] == "doc://guide/lost" => {
            Reply::json(200, &error(request, -32002, "no such page"))
        }
        "resources/read" if params["uri"] == "doc://guide/odd" => complete(json!({ "pages": [] })),
        "resources/read" => {
            let user = request.headers.get("authorization").map_or("nobody", String::as_str);
            let text = format!("{} for {user}", params["uri"].as_str().unwrap());
            complete(
                json!({ "contents": [{ "uri": params["uri"], "text": text, "mimeType": "text/plain" }] }),
            )
        }
        "prompts/list" => complete(json!({ "prompts": [
            { "name": "review", "description": "Reviews.", "arguments": [{ "name": "code", "required": true }] },
            { "name": "delete" },
        ] })),
        "prompts/get" if params["name"] == "rehearse" => complete(json!({ "messages": [
            { "role": "user", "content": { "type": "text", "text": "Who?" } },
            { "role": "assistant", "content": { "type": "text", "text": "Me." } },
        ] })),
        "prompts/get" => {
            let text = format!("Review {}", params["arguments"]);
            complete(json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": text } }] }))
        }
        _ => current(request),
    }
}

async fn built(config: ServerConfig) -> Result<AgentHandle, BuildError> {
    Reader::builder().model(ScriptedModel::new()).server("web", config).build().await
}

async fn reader(server: &Server) -> AgentHandle {
    built(ServerConfig::http(server.url())).await.unwrap()
}

async fn called(agent: &AgentHandle, call: &str) -> String {
    agent.run(call).await.unwrap().text
}

agent! {
    Guide {
        instruction: "Answer from the guide.",
        servers: [web],
        tools: { web: [] },
        resources: { web: ["doc://guide/*"] },
    }
}

#[tokio::test]
async fn a4_an_agent_for_resources_alone_has_no_tool_of_the_server() {
    let server = Server::start(library).await;
    let turns = [
        ScriptedTurn::call("web__read_resource", json!({ "uri": "doc://guide/begin" })),
        ScriptedTurn::say("{last}"),
    ];
    let builder = Guide::builder().model(ScriptedModel::turns(turns));
    let guide = builder.server("web", ServerConfig::http(server.url())).build().await.unwrap();
    assert_eq!(guide.tool_names().unwrap(), ["web__list_resources", "web__read_resource"]);
    assert_eq!(guide.run("Where do I begin?").await.unwrap().text, "doc://guide/begin for nobody");
}

#[tokio::test]
async fn a4_resources_are_listed_as_far_as_the_agent_names_them() {
    let server = Server::start(library).await;
    let agent = reader(&server).await;
    let names =
        ["web__list_resources", "web__read_resource", "web__list_prompts", "web__get_prompt", "web__read"];
    assert_eq!(agent.tool_names().unwrap(), names);
    let listed = called(&agent, "list_resources {}").await;
    let lines: Vec<_> = listed.lines().collect();
    let begin = r#"{"uri":"doc://guide/begin","name":"begin","description":"The first page.","mimeType":"text/plain","size":5}"#;
    let page = r#"{"uriTemplate":"doc://{book}/{page}","name":"page"}"#;
    let dot = r#"{"uri":"pic://dot","name":"dot"}"#;
    assert_eq!(lines, [begin, dot, page, "Entries of the server that cannot be used: 1."]);
    let listed = called(&agent, r#"list_resources {"contains": "FIRST"}"#).await;
    assert!(listed.starts_with(begin) && !listed.contains("dot"), "{listed}");
    let listed = called(&agent, "list_prompts {}").await;
    assert_eq!(
        listed,
        r#"{"name":"review","description":"Reviews.","arguments":[{"name":"code","required":true}]}"#
    );
    let listed = called(&agent, r#"list_prompts {"contains": "delete"}"#).await;
    assert_eq!(
        listed,
        r#"The server `web` lists no prompts whose name matches `re*` and contains "delete"."#
    );
}

#[tokio::test]
async fn a4_resources_are_read_as_far_as_the_agent_names_them() {
    let server = Server::start(library).await;
    let agent = reader(&server).await;
    let cases = [
        ("doc://guide/begin", "doc://guide/begin for nobody"),
        ("doc://guide/lost", "Remote: the MCP server `web` refused the call: no such page"),
        ("doc://guide/odd", "Unreadable: the MCP server `web` gave an answer that cannot be read"),
        (
            "doc://other/secret",
            "Denied: `doc://other/secret` was not requested from the MCP server `web`: only resources that match `doc://guide/*`, `pic://*` may be",
        ),
        ("doc://guide/../other/secret", "Denied: `doc://guide/../other/secret` was not requested"),
        ("doc://guide/%2E./other/secret", "Denied: "),
    ];
    for (uri, expected) in cases {
        let text = called(&agent, &format!("read_resource {}", json!({ "uri": uri }))).await;
        assert!(text.starts_with(expected), "{uri}: {text}");
    }
    let read = server.requests().into_iter().filter(|request| request.asks() == "resources/read");
    assert_eq!(read.count(), 3, "a refused resource is not requested");
    let text = called(&agent, r#"read_resource {"url": "doc://guide/begin"}"#).await;
    assert!(text.starts_with("Arguments: "), "{text}");
}

#[tokio::test]
async fn a4_a_prompt_is_got_with_its_arguments() {
    let server = Server::start(library).await;
    let agent = reader(&server).await;
    let text = called(&agent, r#"get_prompt {"name": "review", "arguments": {"code": "fn f() {}"}}"#).await;
    assert_eq!(text, r#"Review {"code":"fn f() {}"}"#);
    let text = called(&agent, r#"get_prompt {"name": "rehearse"}"#).await;
    assert_eq!(text, "user:\nWho?\nassistant:\nMe.\n");
    let text = called(&agent, r#"get_prompt {"name": "delete"}"#).await;
    assert!(text.starts_with("Denied: `delete` was not requested"), "{text}");
}

/// The blocks of a call, in place of its text.
struct Blocks;

impl Agent for Blocks {
    const NAME: &'static str = "blocks";
    type State = ();

    fn declare() -> AgentDeclaration {
        Reader::declare()
    }

    async fn run(run: &AgentRun, uri: String) -> Result<String, RunError> {
        let output: ToolOutput =
            run.call_tool("web__read_resource", json!({ "uri": uri }).to_string().as_str()).await.unwrap();
        Ok(format!("{:?}", output.content()))
    }
}

#[tokio::test]
async fn a4_a_resource_that_is_a_picture_reaches_the_model_as_one() {
    let server = Server::start(library).await;
    let config = ServerConfig::http(server.url());
    let agent = Blocks::builder().model(ScriptedModel::new()).server("web", config).build().await.unwrap();
    let blocks = agent.run("pic://dot").await.unwrap().text;
    assert!(blocks.contains("image/png") && blocks.starts_with("[Resource("), "{blocks}");
}

#[tokio::test]
async fn a4_resources_are_read_with_the_credentials_of_the_run() {
    let server = Server::start(library).await;
    let config = ServerConfig::http(server.url()).header_for_run("Authorization", |run| {
        Ok(Secret::new(format!("t0ken-of-{}", run.user().ok_or("the run has no user")?)))
    });
    let agent = built(config).await.unwrap();
    for user in ["ada", "bob"] {
        let call = r#"read_resource {"uri": "doc://guide/begin"}"#;
        let text = agent.request(call).user(user).run().await.unwrap().text;
        assert!(text.starts_with("doc://guide/begin for ") && !text.contains("t0ken"), "{text}");
    }
    let reads = server.requests().into_iter().filter(|request| request.asks() == "resources/read");
    let users: Vec<_> = reads.map(|request| request.headers["authorization"].clone()).collect();
    assert_eq!(users, ["t0ken-of-ada", "t0ken-of-bob"]);
}

#[tokio::test]
async fn a4_a_resource_whose_server_asks_first_is_read_with_the_answer() {
    let server = Server::start(|request| match request.asks() {
        "resources/read" if request.body["params"]["inputResponses"].is_null() => {
            let ask = json!({ "n": { "method": "elicitation/create", "params": form("Who?") } });
            let required =
                json!({ "resultType": "input_required", "inputRequests": ask, "requestState": "s" });
            Reply::json(200, &result(request, &required))
        }
        "resources/read" => {
            let params = &request.body["params"];
            let text =
                format!("{} {}", params["requestState"], params["inputResponses"]["n"]["content"]["name"]);
            let contents = json!([{ "uri": params["uri"], "text": text }]);
            Reply::json(200, &result(request, &json!({ "resultType": "complete", "contents": contents })))
        }
        _ => library(request),
    })
    .await;
    let answer = |_: Question| async { Answer::value(json!({ "name": "Ada" })).ok() };
    let config = ServerConfig::http(server.url()).asks();
    let builder = Reader::builder().model(ScriptedModel::new()).server("web", config).answerer(answer);
    let agent = builder.build().await.unwrap();
    let text = called(&agent, r#"read_resource {"uri": "doc://guide/begin"}"#).await;
    assert_eq!(text, r#""s" "Ada""#);
}

#[tokio::test]
async fn a4_data_that_a_server_does_not_declare_is_an_error_of_the_build() {
    let server = Server::start(current).await;
    let error = built(ServerConfig::http(server.url())).await.unwrap_err().to_string();
    let expected = "the agent `reader` cannot read resources of the server `web`: it declares no resources";
    assert_eq!(error, expected);
}

/// What a server answers to a request of a list; `None` for an error.
type List = fn(&Request) -> Option<Value>;

#[tokio::test]
async fn a4_lists_that_cannot_be_read_are_errors() {
    let endless = |request: &Request| {
        let cursor = request.body["params"]["cursor"].as_str().map_or(0, str::len);
        json!({ "resources": [], "nextCursor": "x".repeat(cursor + 1), "resultType": "complete" })
    };
    let cases: [(List, &str); 4] = [
        (|_| Some(json!({ "resultType": "complete", "things": [] })), "it is not a list of resources"),
        (
            |_| Some(json!({ "resultType": "complete", "resources": [], "nextCursor": "a" })),
            "it gave the cursor `a` twice",
        ),
        (|_| None, "refused the call: not now"),
        (|request| (request.asks() == "resources/list").then(|| json!({ "resources": 7 })), "cannot be read"),
    ];
    for (list, expected) in cases {
        let server = Server::start(move |request| match request.asks() {
            "resources/list" | "resources/templates/list" => match list(request) {
                Some(body) => Reply::json(200, &result(request, &body)),
                None => Reply::json(200, &error(request, -32603, "not now")),
            },
            _ => library(request),
        })
        .await;
        let text = called(&reader(&server).await, "list_resources {}").await;
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let server = Server::start(move |request| match request.asks() {
        "resources/list" => Reply::json(200, &result(request, &endless(request))),
        _ => library(request),
    })
    .await;
    let text = called(&reader(&server).await, "list_resources {}").await;
    assert!(text.contains("it has more than 100 pages of resources"), "{text}");
}

#[tokio::test]
async fn a4_a_server_with_one_of_the_lists_of_resources_is_listed() {
    let server = Server::start(|request| match request.asks() {
        "resources/templates/list" => Reply::json(200, &error(request, -32601, "unknown method")),
        _ => library(request),
    })
    .await;
    let agent = reader(&server).await;
    let text = called(&agent, "list_resources {}").await;
    assert!(text.starts_with(r#"{"uri":"doc://guide/begin""#), "{text}");
    let text = called(&agent, r#"list_resources {"contains": "nothing"}"#).await;
    assert!(text.starts_with("The server `web` lists no resources"), "{text}");
    let server = Server::start(|request| match request.asks() {
        "resources/list" | "resources/templates/list" => {
            Reply::json(200, &error(request, -32601, "unknown method"))
        }
        _ => library(request),
    })
    .await;
    let text = called(&reader(&server).await, "list_resources {}").await;
    assert!(text.contains("refused the call: unknown method"), "{text}");
}

/// The system prompt of a run of `ada` with this part.
async fn prompt(part: McpText) -> Result<Option<String>, RunError> {
    let prompt = Prompt::new().source(PromptPart::AdditionalContext, part);
    let builder = Writer::builder().model(ScriptedModel::new()).prompt(prompt);
    builder.build().await.unwrap().request("").user("ada").system_prompt().await
}

agent! {
    Writer {
        instruction: "Write.",
    }
}

#[tokio::test]
async fn a4_resources_and_prompts_are_parts_of_the_system_prompt() {
    let server = Server::start(library).await;
    let config = ServerConfig::http(server.url()).header_for_run("Authorization", |run| {
        Ok(Secret::new(format!("t0ken-of-{}", run.user().ok_or("the run has no user")?)))
    });
    let config = config.header("Authorization", "t0ken-of-all".to_owned());
    let web = McpServer::start("web", config).await.unwrap();
    let text = prompt(web.resource("doc://guide/begin")).await.unwrap().unwrap();
    assert!(text.starts_with("Write.\n\ndoc://guide/begin for ") && !text.contains("t0ken"), "{text}");
    let read = server.requests().into_iter().find(|request| request.asks() == "resources/read").unwrap();
    assert_eq!(read.headers["authorization"], "t0ken-of-ada");
    let text = prompt(web.prompt("review", [("code", "x")])).await.unwrap().unwrap();
    assert_eq!(text, "Write.\n\nReview {\"code\":\"x\"}");
    let error = prompt(web.resource("pic://dot")).await.unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(
        source,
        "the uri `pic://dot` of the server `web` gave no text: it is no text, and a prompt has texts only"
    );
    assert_eq!(prompt(web.resource("doc://guide/empty")).await.unwrap().unwrap(), "Write.");
    let error = prompt(web.resource("doc://guide/lost")).await.unwrap_err();
    assert!(matches!(error, RunError::Prompt { .. }), "{error}");
}

#[tokio::test]
async fn a4_a_list_that_breaks_off_shows_what_was_read() {
    let server = Server::start(|request| match request.asks() {
        "resources/list" if !request.body["params"]["cursor"].is_null() => Reply::text(500, "", ""),
        _ => library(request),
    })
    .await;
    let text = called(&reader(&server).await, "list_resources {}").await;
    assert!(text.starts_with(r#"{"uri":"doc://guide/begin""#), "{text}");
    assert!(text.contains("\nThe server did not list the rest.\n"), "{text}");
}

#[tokio::test]
async fn a4_a_part_of_a_prompt_is_read_again_after_a_lost_session_and_has_a_limit() {
    let is_first = AtomicBool::new(true);
    let server = Server::start(move |request| match request.asks() {
        "resources/read" if request.body["params"]["uri"] == "doc://long" => {
            let contents = json!([{ "uri": "doc://long", "text": "x".repeat(300 << 10) }]);
            Reply::json(200, &result(request, &json!({ "contents": contents })))
        }
        "resources/read" if is_first.swap(false, Ordering::Relaxed) => Reply::text(404, "", ""),
        "resources/read" => library(request),
        _ => with_resources(request),
    })
    .await;
    let web = McpServer::start("web", ServerConfig::http(server.url())).await.unwrap();
    let text = prompt(web.resource("doc://guide/begin")).await.unwrap().unwrap();
    assert_eq!(text, "Write.\n\ndoc://guide/begin for nobody");
    let error = prompt(web.resource("doc://long")).await.unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.ends_with("gave no text: it is longer than 256 KiB"), "{source}");
}

#[tokio::test]
async fn a4_the_file_of_a_server_takes_the_tools_for_resources_away() {
    let server = Server::start(library).await;
    let text = format!(
        r#"{{"mcpServers": {{"web": {{"url": "{}", "disabledTools": ["read_resource"]}}}}}}"#,
        server.url()
    );
    let config = McpConfig::from_json(&text, "mcp.json").unwrap();
    let build = Reader::builder().model(ScriptedModel::new()).servers(config).build();
    let error = build.await.unwrap_err().to_string();
    let expected = "the agent `reader` cannot read resources of the server `web`: `disabledTools` in the configuration of the server takes `read_resource` away";
    assert_eq!(error, expected);
}
