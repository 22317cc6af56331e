//! Headers that agents fill from their typed state, or from the session's.

use onionskin::mcp::snapshot::Snapshot;
use onionskin::mcp::{McpConfig, McpError, ServerConfig};
use onionskin::secret::{Secret, VisitSecrets};
use onionskin::{AgentHandle, App, BuildError, ScriptedModel, agent};

use crate::server::{Reply, Request, Server, earlier, said};
use crate::users::{call, knows_users};

#[derive(Clone, VisitSecrets)]
struct User {
    token: Option<Secret<String>>,
    key: Secret<String>,
}

#[derive(Clone, VisitSecrets)]
struct Desk {
    user: User,
}

fn desk(user: &str) -> Desk {
    let secret = |kind: &str| Secret::new(format!("{kind}-of-{user}"));
    Desk { user: User { token: (user != "nobody").then(|| secret("t0ken")), key: secret("kkey") } }
}

agent! {
    Reader {
        instruction: "Read.",
        servers: [web],
        headers: { web: { Authorization: "Bearer {user.token}" } },
        state: Desk,
        run: call,
    }
    Keyed {
        instruction: "Read.",
        servers: [web],
        headers: { web: { "X-Api-Key": "{user.key}", "X-Pair": "{user.key}/{session_state.pair.half}" } },
        state: Desk,
        run: call,
    }
    OfSession {
        instruction: "Read.",
        servers: [web],
        headers: { web: { Authorization: "Bearer {session_state.token}" } },
        run: call,
    }
    Plain {
        instruction: "Read.",
        default: true,
        servers: [web],
        run: call,
    }
}

fn listed(server: &Server) -> ServerConfig {
    ServerConfig::http(server.url()).header("Authorization", "Bearer t0ken-of-all".to_owned()).parallel()
}

async fn reader(config: ServerConfig) -> AgentHandle {
    let builder = Reader::builder().model(ScriptedModel::new()).state(desk("nobody"));
    builder.server("web", config).build().await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a4_headers_come_from_the_typed_state_of_each_session() {
    let server = Server::start(knows_users).await;
    let agent = reader(listed(&server)).await;
    let users = ["ada", "bob", "ada"].map(|user| {
        let (agent, session) = (agent.clone(), agent.session());
        session.set_typed_state(desk(user)).unwrap();
        tokio::spawn(async move {
            for _ in 0..20 {
                let output = agent.request("50").session(&session).run().await.unwrap();
                // The session of the server has the user's name.
                assert_eq!(output.text, format!("{user} in s-{user}"));
            }
            // Another user of the same session.
            session.set_typed_state(desk("bob")).unwrap();
            agent.request("1").session(&session).run().await.unwrap().text
        })
    });
    for user in users {
        assert_eq!(user.await.unwrap(), "bob in s-bob");
    }
    assert_eq!(server.calls("read"), 3 * 1_001);
    let requests = server.requests();
    let handshakes = requests.iter().filter(|request| request.asks() == "initialize").count();
    assert_eq!(handshakes, 3, "one for the list, and one for each value");
}

#[tokio::test]
async fn a4_a_call_without_the_secret_of_its_header_is_not_sent() {
    let server = Server::start(knows_users).await;
    let agent = reader(listed(&server)).await;
    let text = agent.run("1").await.unwrap().text;
    assert!(
        text.contains("the call was not sent to the MCP server `web`: its header `authorization` has no value in this run: `user.token` of the agent's state is `None`"),
        "{text}"
    );
    let builder = OfSession::builder().model(ScriptedModel::new());
    let agent = builder.server("web", listed(&server)).build().await.unwrap();
    let text = agent.run("1").await.unwrap().text;
    assert!(text.contains("`token` of the session's state is not there; set it with `set_secret`"), "{text}");
    assert_eq!(server.calls("read"), 0);
}

#[tokio::test]
async fn a4_headers_come_from_the_state_of_the_session() {
    let server = Server::start(knows_users).await;
    let builder = OfSession::builder().model(ScriptedModel::new());
    let agent = builder.server("web", listed(&server)).build().await.unwrap();
    for user in ["ada", "bob"] {
        let session = agent.session();
        session.state().set_secret("token", Secret::new(format!("t0ken-of-{user}")));
        let output = agent.request("1").session(&session).run().await.unwrap();
        assert_eq!(output.text, format!("{user} in s-{user}"));
    }
}

/// Repeats the headers that it gets.
fn repeats(request: &Request) -> Reply {
    match request.asks() {
        "tools/call" => {
            let header = |name: &str| request.headers.get(name).map_or("none", String::as_str);
            let text = format!("{} {} {}", header("authorization"), header("x-api-key"), header("x-pair"));
            Reply::json(200, &said(request, &text))
        }
        _ => earlier(request),
    }
}

#[tokio::test]
async fn a4_a_run_does_not_show_the_secrets_of_its_headers() {
    let server = Server::start(repeats).await;
    let builder = Keyed::builder().model(ScriptedModel::new()).state(desk("ada"));
    let agent = builder.server("web", ServerConfig::http(server.url())).build().await.unwrap();
    let session = agent.session();
    session.state().set_secret("pair.half", Secret::new("other-half".to_owned()));
    let text = agent.request("1").session(&session).run().await.unwrap().text;
    let call = server.requests().into_iter().find(|request| request.asks() == "tools/call").unwrap();
    assert_eq!(call.headers["x-api-key"], "kkey-of-ada");
    assert_eq!(call.headers["x-pair"], "kkey-of-ada/other-half");
    assert!(text.starts_with("none ["), "{text}");
    assert!(!text.contains("kkey-of-ada") && !text.contains("other-half"), "{text}");
}

#[tokio::test]
async fn a4_agents_with_other_headers_share_a_server() {
    let server = Server::start(knows_users).await;
    let app = App::builder().agent::<Reader>().agent::<Plain>().model(ScriptedModel::new());
    let app = app.state(desk("ada")).server("web", listed(&server)).build().await.unwrap();
    let text = async |agent| app.agent(agent).unwrap().run("2").await.unwrap().text;
    assert_eq!(
        (text("Reader").await, text("Plain").await),
        ("ada in s-ada".to_owned(), "all in s-all".to_owned())
    );
    assert_eq!(text("Reader").await, "ada in s-ada");
}

#[tokio::test]
async fn a4_headers_of_an_agent_replace_those_of_the_configuration() {
    let server = Server::start(knows_users).await;
    let config = listed(&server).header_for_run("authorization", |_| Err("not asked".into()));
    let builder = Reader::builder().model(ScriptedModel::new()).state(desk("bob"));
    let agent = builder.server("web", config).build().await.unwrap();
    assert_eq!(agent.run("1").await.unwrap().text, "bob in s-bob");
}

#[tokio::test]
async fn a4_tools_behind_headers_of_an_agent_have_to_be_locked() {
    let server = Server::start(knows_users).await;
    let build = |config: McpConfig| {
        Reader::builder().model(ScriptedModel::new()).state(desk("ada")).servers(config).build()
    };
    let mut config = McpConfig::new();
    config.insert("web", ServerConfig::http(server.url()));
    let error = build(config).await.unwrap_err().to_string();
    assert!(
        error.contains("it requires authorization (status 401)\nIts tools have to be known before a run"),
        "{error}"
    );

    let mut config = McpConfig::new();
    config.insert("web", listed(&server));
    let folder = tempfile::tempdir().unwrap();
    Snapshot::take(&config).await.unwrap().snapshot.write(folder.path().join(Snapshot::FILE)).unwrap();
    let text = format!(r#"{{"mcpServers": {{"web": {{"url": "{}"}}}}}}"#, server.url());
    std::fs::write(folder.path().join("mcp.json"), text).unwrap();
    let config = McpConfig::from_file(folder.path().join("mcp.json")).unwrap();
    let agent = build(config.clone()).await.unwrap();
    assert_eq!(agent.run("1").await.unwrap().text, "ada in s-ada");

    // The tools of the file are for runs with credentials.
    let error = Plain::builder().model(ScriptedModel::new()).servers(config).build().await.unwrap_err();
    let error = error.to_string();
    assert!(error.contains("status 401") && !error.contains("known before a run"), "{error}");
}

/// The reason why the reader is not built with this server.
async fn build_error(config: ServerConfig) -> McpError {
    let builder = Reader::builder().model(ScriptedModel::new()).state(desk("ada"));
    let error = builder.server("web", config).build().await.unwrap_err();
    let BuildError::Server(error) = error else { panic!("{error}") };
    error.downcast_ref::<McpError>().unwrap().clone()
}

#[tokio::test]
async fn a4_headers_of_an_agent_are_errors_for_a_process_and_beside_a_login() {
    let process = ServerConfig::stdio(env!("CARGO_BIN_EXE_fixture"));
    let misplaced = build_error(process).await;
    assert!(matches!(misplaced, McpError::Misplaced { setting: "headers", .. }), "{misplaced}");
    assert_eq!(
        misplaced.to_string(),
        "the field `headers` of the agent has no effect on the MCP server `web`: it is for a server that is reached by address; \
         write `ServerConfig::http`, or remove it"
    );
    let server = Server::start(earlier).await;
    let twice = build_error(ServerConfig::http(server.url()).oauth(onionskin::mcp::OAuth::new())).await;
    assert!(twice.to_string().contains("its login sets it"), "{twice}");
}
