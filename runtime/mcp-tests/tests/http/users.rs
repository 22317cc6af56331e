//! Credentials of runs: each user has connections of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use onionskin::declaration::AgentDeclaration;
use onionskin::mcp::snapshot::Snapshot;
use onionskin::mcp::{HttpError, McpConfig, McpServer, ServerConfig};
use onionskin::run::AgentRun;
use onionskin::secret::Secret;
use onionskin::{Agent, AgentHandle, BuildError, RunError, ScriptedModel, ToolError};

use crate::server::{Reply, Request, Server, earlier, said};

/// An agent without a loop: it calls the tool as often as its input says, and gives the texts that it got, each once.
struct Caller;

impl Agent for Caller {
    const NAME: &'static str = "caller";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().server("web", None)
    }

    async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
        call(run, input).await
    }
}

/// Calls the tool, in place of a loop.
pub(crate) async fn call(run: &AgentRun, input: String) -> Result<String, RunError> {
    let mut texts = Vec::new();
    for _ in 0..input.parse().unwrap_or(1) {
        let text = match run.call_tool("web__read", "{}").await {
            Ok(output) => output.to_text().into_owned(),
            Err(exit) => {
                let error = exit.as_tool_error().unwrap();
                let is_login = |error: &ToolError| {
                    let mut causes = error.causes().filter_map(|cause| cause.downcast_ref());
                    causes.any(|cause| matches!(cause, HttpError::Unauthorized { .. }))
                };
                format!("{}{exit}", if is_login(error) { "log in: " } else { "" })
            }
        };
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    Ok(texts.join("\n"))
}

/// Says who calls. It knows two users, and a third one who lists the tools.
pub(crate) fn knows_users(request: &Request) -> Reply {
    let user = match request.headers.get("authorization").map(String::as_str) {
        Some("Bearer t0ken-of-ada") => "ada",
        Some("Bearer t0ken-of-bob") => "bob",
        Some("Bearer t0ken-of-all") => "all",
        _ => return Reply::text(401, "www-authenticate: Bearer\r\n", ""),
    };
    match request.asks() {
        "initialize" => {
            let reply = String::from_utf8(earlier(request).into_bytes()).unwrap();
            Reply::bytes(reply.replace("s-1", &format!("s-{user}")))
        }
        "tools/call" => {
            let session = request.headers.get("mcp-session-id").map_or("none", String::as_str);
            Reply::json(200, &said(request, &format!("{user} in {session}")))
        }
        _ => earlier(request),
    }
}

fn config(server: &Server) -> ServerConfig {
    ServerConfig::http(server.url()).header_for_run("Authorization", |run| {
        let user = run.user().ok_or("the run has no user")?;
        Ok(Secret::new(format!("Bearer t0ken-of-{user}")))
    })
}

async fn agent(config: ServerConfig) -> Result<AgentHandle, BuildError> {
    Caller::builder().model(ScriptedModel::new()).server("web", config.parallel()).build().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a4_calls_of_two_users_never_cross() {
    let server = Server::start(knows_users).await;
    let agent =
        agent(config(&server).header("Authorization", "Bearer t0ken-of-all".to_owned())).await.unwrap();
    // Two users with 10,000 calls each, in runs side by side.
    let runs = (0..200).map(|number| {
        let agent = agent.clone();
        tokio::spawn(async move {
            let user = if number % 2 == 0 { "ada" } else { "bob" };
            (user, agent.request("100").user(user).run().await.unwrap().text)
        })
    });
    for run in runs.collect::<Vec<_>>() {
        let (user, text) = run.await.unwrap();
        assert_eq!(text, format!("{user} in s-{user}"));
    }
    let requests = server.requests();
    assert_eq!(server.calls("read"), 20_000);
    let handshakes = requests.iter().filter(|request| request.asks() == "initialize").count();
    assert_eq!(handshakes, 3, "one for the list, and one for each user");
    agent.shutdown().await;
    let ended = server.requests().into_iter().filter(|request| request.method == "DELETE");
    let mut ended: Vec<_> = ended.map(|request| request.headers["mcp-session-id"].clone()).collect();
    ended.sort();
    assert_eq!(ended, ["s-ada", "s-all", "s-bob"]);
}

#[tokio::test]
async fn a4_a_user_without_credentials_gets_a_typed_error_and_harms_no_other() {
    let server = Server::start(knows_users).await;
    let agent =
        agent(config(&server).header("Authorization", "Bearer t0ken-of-all".to_owned())).await.unwrap();
    for _ in 0..5 {
        let text = agent.request("1").user("eve").run().await.unwrap().text;
        assert!(
            text.starts_with("log in: ") && text.contains("it requires authorization (status 401)"),
            "{text}"
        );
        assert!(!text.contains("t0ken-of-eve"), "{text}");
    }
    let text = agent.run("1").await.unwrap().text;
    assert!(text.contains("the call was not sent to the MCP server `web`: its header `authorization` has no value in this run: the run has no user"), "{text}");
    assert_eq!(agent.request("1").user("bob").run().await.unwrap().text, "bob in s-bob");
}

#[tokio::test]
async fn a4_tools_that_no_run_lists_have_to_be_locked() {
    let server = Server::start(knows_users).await;
    let error = agent(config(&server)).await.unwrap_err().to_string();
    assert!(
        error.contains("it requires authorization (status 401)\nIts tools have to be known before a run"),
        "{error}"
    );
}

#[tokio::test]
async fn a4_a_value_is_made_for_each_call() {
    let server = Server::start(knows_users).await;
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let config = ServerConfig::http(server.url()).header("Authorization", "Bearer t0ken-of-all".to_owned());
    let config = config.header_for_run("Authorization", move |_| {
        let user = if counted.fetch_add(1, Ordering::Relaxed) == 0 { "ada" } else { "bob" };
        Ok(Secret::new(format!("Bearer t0ken-of-{user}")))
    });
    let agent = agent(config).await.unwrap();
    assert_eq!(agent.run("2").await.unwrap().text, "ada in s-ada\nbob in s-bob");
}

#[tokio::test]
async fn a4_a_file_names_servers_by_address() {
    let server = Server::start(knows_users).await;
    for kind in [r#""type": "http", "#, r#""type": "streamable-http", "#, ""] {
        let text = format!(
            r#"{{"mcpServers": {{"web": {{{kind}"url": "http://{}/${{NO_SUCH_PATH:-mcp}}", "headers": {{"Authorization": "Bearer t0ken-of-ada"}}}}}}}}"#,
            server.address
        );
        let config = McpConfig::from_json(&text, "mcp.json").unwrap();
        let agent = Caller::builder().model(ScriptedModel::new()).servers(config).build().await.unwrap();
        assert_eq!(agent.run("1").await.unwrap().text, "ada in s-ada");
    }
}

#[tokio::test]
async fn a4_a_list_that_needs_a_run_is_neither_locked_nor_an_empty_server() {
    let server = Server::start(knows_users).await;
    let error = McpServer::start("web", config(&server)).await.unwrap_err().to_string();
    assert!(error.contains("it requires authorization (status 401)"), "{error}");
    let mut servers = McpConfig::new();
    servers.insert("web", config(&server));
    let error = Snapshot::take(&servers).await.unwrap_err().to_string();
    assert!(error.contains("it requires authorization (status 401)"), "{error}");
}

#[tokio::test]
async fn a4_locked_tools_are_called_with_the_credentials_of_the_run() {
    let server = Server::start(knows_users).await;
    let mut servers = McpConfig::new();
    servers.insert(
        "web",
        ServerConfig::http(server.url()).header("Authorization", "Bearer t0ken-of-all".to_owned()),
    );
    let folder = tempfile::tempdir().unwrap();
    Snapshot::take(&servers).await.unwrap().snapshot.write(folder.path().join(Snapshot::FILE)).unwrap();
    // A file beside it has the address, and the program the credentials.
    let text =
        format!(r#"{{"mcpServers": {{"web": {{"url": "{}", "disabledTools": ["write"]}}}}}}"#, server.url());
    std::fs::write(folder.path().join("mcp.json"), text).unwrap();
    let mut servers = McpConfig::from_file(folder.path().join("mcp.json")).unwrap();
    let web = servers.config("web").unwrap().unwrap().header_for_run("Authorization", |run| {
        let user = run.user().ok_or("the run has no user")?;
        Ok(Secret::new(format!("Bearer t0ken-of-{user}")))
    });
    servers.insert("web", web);
    let agent = Caller::builder().model(ScriptedModel::new()).servers(servers).build().await.unwrap();
    assert_eq!(agent.tool_names().unwrap(), ["web__read"], "the file takes the other one away");
    assert_eq!(agent.request("1").user("bob").run().await.unwrap().text, "bob in s-bob");
}

#[tokio::test]
async fn a4_a_list_behind_a_login_is_as_a_handshake_behind_one() {
    let server = Server::start(|request| match request.asks() {
        "tools/list" | "tools/call" => knows_users(request),
        _ => earlier(request),
    })
    .await;
    let error = agent(config(&server)).await.unwrap_err().to_string();
    assert!(
        error.contains(
            "could not be listed: it requires authorization (status 401). Its tools have to be known"
        ),
        "{error}"
    );
}

#[tokio::test]
async fn a4_a_value_that_no_header_can_have_is_not_sent() {
    let server = Server::start(knows_users).await;
    let config = ServerConfig::http(server.url()).header("Authorization", "Bearer t0ken-of-all".to_owned());
    let config =
        config.header_for_run("Authorization", |_| Ok(Secret::new("Bearer t0ken-of-ada\n".to_owned())));
    let text = agent(config).await.unwrap().run("1").await.unwrap().text;
    assert!(text.contains("was not sent to the MCP server `web`: a header of this run cannot be used: its value has characters"), "{text}");
    assert!(!text.contains("t0ken-of-ada") && server.calls("read") == 0, "{text}");
}
