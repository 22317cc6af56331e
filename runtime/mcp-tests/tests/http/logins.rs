//! Logins by OAuth, against a server that is its own authorization server.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use onionskin::declaration::AgentDeclaration;
use onionskin::mcp::{HttpError, McpError, McpServer, OAuth, OAuthError, ServerConfig, TokenFolder};
use onionskin::question::{Answer, Question};
use onionskin::run::AgentRun;
use onionskin::secret::Secret;
use onionskin::{Agent, Exit, RunError, ScriptedModel};
use serde_json::{Value, json};

use crate::server::{Reply, Request, Server, earlier, said};
use crate::sessions::called;

const REDIRECT: &str = "http://127.0.0.1:8976/logged-in";

/// What the server does in another way than a good one.
#[derive(Clone, Default)]
struct Habits {
    /// Replaces fields of the description of the authorization server.
    description: Value,
    /// The seconds that a token lasts.
    lasts: Option<u64>,
    /// The scope that a call needs.
    scope: Option<&'static str>,
    /// Whether the answers to calls repeat the token.
    repeats: bool,
    /// The error of refreshes, with all that was sent as its description.
    refuses_refresh: Option<&'static str>,
    /// Whether it never grants more than the first scope.
    grants_little: bool,
    /// Replaces fields of the tokens.
    tokens: Value,
    /// The status and the content type of answers with tokens.
    tokens_as: Option<(u16, &'static str)>,
}

/// A server that takes the last token it gave, and gives one for each code and refresh token. A code is `code-of-USER`.
#[derive(Clone, Default)]
struct Site {
    habits: Habits,
    given: Arc<AtomicUsize>,
    /// The last token of each user, with its scopes.
    valid: Arc<Mutex<Vec<(String, String)>>>,
    /// Another authorization server that its description names.
    other_authority: Arc<Mutex<Option<String>>>,
    /// How many clients were registered, and the number of the first one that it still knows.
    clients: Arc<(AtomicUsize, AtomicUsize)>,
    /// What refreshes are answered with instead.
    instead: Arc<Mutex<Option<Reply>>>,
}

impl Site {
    async fn start(habits: Habits) -> (Server, Self) {
        let site = Self { habits, ..Self::default() };
        let here = site.clone();
        (Server::start(move |request| here.answer(request)).await, site)
    }

    fn answer(&self, request: &Request) -> Reply {
        let host = format!("http://{}", request.headers["host"]);
        let path = request.path.split('?').next().unwrap();
        match path {
            "/.well-known/oauth-protected-resource/mcp" => Reply::json(
                200,
                &json!({
                    "resource": format!("{host}/mcp"),
                    "authorization_servers": [self.other_authority.lock().unwrap().as_ref().unwrap_or(&host)],
                    "scopes_supported": ["read"],
                }),
            ),
            "/.well-known/oauth-authorization-server" => {
                let mut description = json!({
                    "issuer": &host,
                    "authorization_endpoint": format!("{host}/authorize"),
                    "token_endpoint": format!("{host}/token"),
                    "registration_endpoint": format!("{host}/register"),
                    "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                    "token_endpoint_auth_methods_supported": ["none", "client_secret_post"],
                });
                for (field, value) in self.habits.description.as_object().into_iter().flatten() {
                    description[field] = value.clone();
                }
                Reply::json(200, &description)
            }
            "/register" => {
                let redirects = request.body["redirect_uris"].clone();
                let number = self.clients.0.fetch_add(1, Ordering::Relaxed);
                let id = if number == 0 { "made-up".to_owned() } else { format!("made-up-{number}") };
                Reply::json(
                    201,
                    &json!({ "client_id": id, "client_secret": "cl1ent-secret", "redirect_uris": redirects }),
                )
            }
            "/authorize" => {
                let client = parameter(&request.path, "client_id");
                let number = client.strip_prefix("made-up-").map_or(0, |number| number.parse().unwrap());
                if number < self.clients.1.load(Ordering::Relaxed) {
                    Reply::json(422, &json!({ "message": "Unrecognized client_id" }))
                } else {
                    Reply::text(200, "content-type: text/html\r\n", "<h1>Log in</h1>")
                }
            }
            "/token" => {
                let form = request.body.as_str().unwrap_or_default();
                let instead = self.instead.lock().unwrap().clone();
                instead
                    .filter(|_| form.contains("grant_type=refresh_token"))
                    .unwrap_or_else(|| self.token(form))
            }
            "/mcp" => self.used(request, &host),
            _ => Reply::text(404, "", ""),
        }
    }

    fn token(&self, form: &str) -> Reply {
        let value = |name: &str| {
            form.split('&')
                .filter_map(|part| part.split_once('='))
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value)
        };
        let user = match (value("grant_type"), value("code"), value("refresh_token")) {
            (Some("authorization_code"), Some(code), _) if value("code_verifier").is_some() => {
                code.strip_prefix("code-of-")
            }
            (Some("refresh_token"), _, Some(token)) if self.habits.refuses_refresh.is_none() => {
                token.strip_prefix("refresh-of-")
            }
            _ => None,
        };
        let Some(user) = user else {
            return Reply::json(
                400,
                &json!({ "error": self.habits.refuses_refresh.unwrap_or("invalid_grant"), "error_description": format!("no: {form}") }),
            );
        };
        let number = self.given.fetch_add(1, Ordering::Relaxed);
        let token = format!("t0ken-{number}-of-{user}");
        // It gives what was asked for last.
        let scope = self
            .habits
            .scope
            .filter(|_| number > 0 && !self.habits.grants_little)
            .map_or("read".to_owned(), |more| format!("read {more}"));
        let mut valid = self.valid.lock().unwrap();
        valid.retain(|(token, _)| !token.ends_with(&format!("-of-{user}")));
        valid.push((token.clone(), scope.clone()));
        let mut answer = json!({
            "access_token": token,
            "token_type": "Bearer",
            "refresh_token": format!("refresh-of-{user}"),
            "scope": scope,
        });
        if let Some(lasts) = self.habits.lasts {
            answer["expires_in"] = lasts.into();
        }
        for (field, value) in self.habits.tokens.as_object().into_iter().flatten() {
            answer[field] = value.clone();
        }
        let (status, kind) = self.habits.tokens_as.unwrap_or((200, "application/json"));
        Reply::text(status, &format!("content-type: {kind}\r\n"), &answer.to_string())
    }

    fn used(&self, request: &Request, host: &str) -> Reply {
        let token = request.headers.get("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let valid = self.valid.lock().unwrap();
        let Some((token, scope)) = token.and_then(|token| valid.iter().find(|(valid, _)| valid == token))
        else {
            let challenge = format!(
                "www-authenticate: Bearer resource_metadata=\"{host}/.well-known/oauth-protected-resource/mcp\"\r\n"
            );
            return Reply::text(401, &challenge, "");
        };
        if request.asks() == "tools/list" && self.habits.repeats {
            let text = String::from_utf8(earlier(request).into_bytes()).unwrap();
            let listed = format!(r#""description":"for {token}","name":"write""#);
            let body = text.split_once("\r\n\r\n").unwrap().1.replace(r#""name":"write""#, &listed);
            return Reply::text(200, "content-type: application/json\r\nmcp-session-id: s-1\r\n", &body);
        }
        if request.asks() != "tools/call" {
            return earlier(request);
        }
        match self.habits.scope.filter(|needed| !scope.split(' ').any(|scope| scope == *needed)) {
            Some(needed) => {
                let challenge =
                    format!("www-authenticate: Bearer error=\"insufficient_scope\", scope=\"{needed}\"\r\n");
                Reply::text(403, &challenge, "")
            }
            None if self.habits.repeats => Reply::json(200, &said(request, &format!("you sent {token}"))),
            None => Reply::json(200, &said(request, token.rsplit("-of-").next().unwrap())),
        }
    }
}

/// The parameter of the address for the browser.
fn parameter(address: &str, name: &str) -> String {
    let query = address.split_once('?').unwrap().1;
    let found = query.split('&').find_map(|part| part.strip_prefix(&format!("{name}=")));
    found.unwrap_or_else(|| panic!("no {name} in {address}")).to_owned()
}

/// The address that the browser of this user comes back to.
fn back(address: &str, user: &str) -> String {
    format!("{REDIRECT}?code=code-of-{user}&state={}", parameter(address, "state"))
}

fn address_in(error: &McpError) -> String {
    let http = match error {
        McpError::Start(failure) => failure.http.clone(),
        McpError::List { http, .. } => http.clone(),
        other => panic!("{other}"),
    };
    match http {
        Some(HttpError::LoginRequired { address, .. }) => address.as_str().to_owned(),
        other => panic!("{other:?} of {error}"),
    }
}

fn address_of(exit: &Exit) -> Option<String> {
    exit.as_tool_error()?.causes().find_map(|cause| match cause.downcast_ref() {
        Some(HttpError::LoginRequired { address, .. }) => Some(address.as_str().to_owned()),
        _ => None,
    })
}

async fn start(server: &Server, oauth: &OAuth) -> Result<McpServer, McpError> {
    McpServer::start("web", ServerConfig::http(server.url()).oauth(oauth.clone())).await
}

/// A server that is used after the login of ada.
async fn logged_in(server: &Server, oauth: &OAuth) -> McpServer {
    let address = address_in(&start(server, oauth).await.unwrap_err());
    oauth.finish(&back(&address, "ada")).await.unwrap();
    start(server, oauth).await.unwrap_or_else(|error| panic!("{error}"))
}

#[tokio::test]
async fn a4_a_login_is_an_error_with_its_address_and_then_the_server_is_used() {
    let (server, _) = Site::start(Habits::default()).await;
    let oauth = OAuth::new().redirect(REDIRECT);
    let error = start(&server, &oauth).await.unwrap_err();
    let address = address_in(&error);
    let text = error.to_string();
    assert!(text.contains("it requires a login"), "{text}");
    assert!(!text.contains(&parameter(&address, "state")), "{text}");
    for (name, value) in [
        ("response_type", "code"),
        ("client_id", "made-up"),
        ("code_challenge_method", "S256"),
        ("scope", "read"),
    ] {
        assert_eq!(parameter(&address, name), value);
    }
    assert!(parameter(&address, "resource").ends_with("%2Fmcp"), "{address}");
    // A second request begins no second login.
    assert_eq!(address_in(&start(&server, &oauth).await.unwrap_err()), address);
    assert_eq!(server.requests().iter().filter(|request| request.path == "/register").count(), 1);

    let login = oauth.finish(&back(&address, "ada")).await.unwrap();
    assert_eq!((login.server, login.user), (server.url(), None));
    let web = start(&server, &oauth).await.unwrap();
    assert_eq!(called(&web, "read").await.unwrap(), "ada");
    assert!(matches!(oauth.finish(&back(&address, "eve")).await, Err(OAuthError::Unknown)), "once");
    oauth.forget(&server.url(), None).await.unwrap();
    let exit = called(&web, "read").await.unwrap_err();
    assert!(address_of(&exit).is_some_and(|again| again != address), "{exit}");
}

#[tokio::test]
async fn a4_a_browser_that_comes_back_with_something_else_logs_nobody_in() {
    let (server, _) = Site::start(Habits::default()).await;
    let oauth = OAuth::new().redirect(REDIRECT);
    let address = address_in(&start(&server, &oauth).await.unwrap_err());
    let number = parameter(&address, "state");
    for other in
        ["", "/logged-in", "/logged-in?code=code-of-eve", "/logged-in?code=code-of-eve&state=1", "http://["]
    {
        assert!(matches!(oauth.finish(other).await, Err(OAuthError::Unknown)), "{other}");
    }
    let wrong = oauth.finish(&format!("/logged-in?code=s3cret-code&state={number}")).await.unwrap_err();
    assert!(wrong.to_string().starts_with("the login could not be finished: "), "{wrong}");
    assert!(!format!("{wrong} {wrong:?}").contains("s3cret-code"), "{wrong:?}");
    let address = oauth.begin(&server.url(), None).await.unwrap();
    let number = parameter(&address, "state");
    let refused = format!("/logged-in?error=access_denied&error_description=not%20today%1B&state={number}");
    assert_eq!(
        oauth.finish(&refused).await.unwrap_err().to_string(),
        "the login was refused: access_denied: not today\\u{1b}"
    );
    assert!(matches!(oauth.finish(&back(&address, "ada")).await, Err(OAuthError::Unknown)));
    // The next login is another one.
    let again = oauth.begin(&server.url(), None).await.unwrap();
    assert_ne!(parameter(&again, "state"), number);
    let config = ServerConfig::http(server.url());
    assert_eq!(oauth.waiting(&back(&again, "ada")).unwrap().server, config.address().unwrap());
    assert_eq!(oauth.waiting(&back(&address, "ada")), None);
    oauth.finish(&back(&again, "ada")).await.unwrap();
    start(&server, &oauth).await.unwrap();
}

#[tokio::test]
async fn a4_tokens_are_refreshed_and_kept_for_the_next_program() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    let (server, site) = Site::start(Habits { lasts: Some(1), ..Habits::default() }).await;
    let oauth = || OAuth::new().redirect(REDIRECT).store(TokenFolder::new(&tokens));
    let web = logged_in(&server, &oauth()).await;
    let before = site.given.load(Ordering::Relaxed);
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert_eq!(called(&web, "read").await.unwrap(), "ada");
    assert!(site.given.load(Ordering::Relaxed) > before);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&tokens), 0o700);
        let files = std::fs::read_dir(&tokens).unwrap().map(|file| file.unwrap().path());
        let files: Vec<_> =
            files.filter(|file| file.extension().is_some_and(|kind| kind == "json")).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        assert_eq!(mode(&files[0]), 0o600);
    }
    // The server refuses the token although it lasts: another program has refreshed it.
    site.valid.lock().unwrap().clear();
    assert_eq!(called(&web, "read").await.unwrap(), "ada");
    // A program without a page for the browser uses the same tokens.
    let next = start(&server, &OAuth::new().store(TokenFolder::new(&tokens))).await.unwrap();
    assert_eq!(called(&next, "write").await.unwrap(), "ada");
}

#[tokio::test]
async fn a4_a_login_that_cannot_be_refreshed_begins_again() {
    let (server, site) =
        Site::start(Habits { refuses_refresh: Some("invalid_grant"), ..Habits::default() }).await;
    let oauth = OAuth::new().redirect(REDIRECT);
    let web = logged_in(&server, &oauth).await;
    site.valid.lock().unwrap().clear();
    let exit = called(&web, "write").await.unwrap_err();
    assert!(exit.to_string().ends_with("it requires a login; the call did not run"), "{exit}");
    oauth.finish(&back(&address_of(&exit).unwrap(), "ada")).await.unwrap();
    assert_eq!(called(&web, "write").await.unwrap(), "ada");

    let without = OAuth::new();
    let error = start(&server, &without).await.unwrap_err().to_string();
    assert!(error.contains("it requires authorization (status 401)"), "{error}");
    assert!(error.contains("onionskin mcp login"), "{error}");
}

#[tokio::test]
async fn a4_a_scope_that_is_missing_is_asked_for_once() {
    let (server, site) = Site::start(Habits { scope: Some("write"), ..Habits::default() }).await;
    let oauth = OAuth::new().redirect(REDIRECT);
    let web = logged_in(&server, &oauth).await;
    let address = address_of(&called(&web, "write").await.unwrap_err()).unwrap();
    assert_eq!(parameter(&address, "scope"), "write+read");
    oauth.finish(&back(&address, "ada")).await.unwrap();
    assert_eq!(called(&web, "write").await.unwrap(), "ada");
    // It says that the scope was given, and refuses the call still.
    site.valid.lock().unwrap().iter_mut().for_each(|(_, scope)| "read".clone_into(scope));
    let exit = called(&web, "write").await.unwrap_err();
    assert_eq!(address_of(&exit), None, "{exit}");
    assert!(exit.to_string().contains("its authorization does not allow this (status 403)"), "{exit}");
}

#[tokio::test]
async fn a4_descriptions_of_logins_lead_to_no_other_place() {
    for (description, expected) in [
        (
            json!({ "authorization_endpoint": "javascript:alert(1)" }),
            "not an address that a browser may open",
        ),
        (json!({ "authorization_endpoint": "file:///etc/passwd" }), "not an address that a browser may open"),
        (
            json!({ "authorization_endpoint": "http://login.example.com/" }),
            "not an address that a browser may open",
        ),
        (json!({ "authorization_endpoint": "" }), "Invalid authorization URL"),
        (
            json!({ "registration_endpoint": "http://169.254.169.254/latest" }),
            "an address of it is not requested",
        ),
        (json!({ "registration_endpoint": "http://10.0.0.1/" }), "an address of it is not requested"),
        (json!({ "registration_endpoint": null }), "registration not supported"),
        (json!({ "issuer": "https://evil.example.com" }), "issuer mismatch"),
        (json!({ "code_challenge_methods_supported": ["plain"] }), "S256"),
        (json!({ "response_types_supported": ["token"] }), "code"),
    ] {
        let (server, _) = Site::start(Habits { description: description.clone(), ..Habits::default() }).await;
        let oauth = OAuth::new().redirect(REDIRECT);
        let error = start(&server, &oauth).await.unwrap_err().to_string();
        assert!(error.contains("it requires a login, which failed: "), "{description}: {error}");
        assert!(error.contains(expected), "{description}: {error}");
    }
    let (server, _) = Site::start(Habits {
        description: json!({ "token_endpoint": "http://10.0.0.1/" }),
        ..Habits::default()
    })
    .await;
    let oauth = OAuth::new().redirect(REDIRECT);
    let address = address_in(&start(&server, &oauth).await.unwrap_err());
    let error = oauth.finish(&back(&address, "ada")).await.unwrap_err().to_string();
    assert!(error.starts_with("the login could not be finished: "), "{error}");
}

#[tokio::test]
async fn a4_settings_of_a_login_that_cannot_work_are_errors() {
    let start =
        |config: ServerConfig| async { McpServer::start("web", config).await.unwrap_err().to_string() };
    let web = || ServerConfig::http("http://127.0.0.1:1/mcp");
    let error = start(web().oauth(OAuth::new().redirect("ftp://example.com"))).await;
    assert!(
        error.starts_with("`.redirect(..)` of the login to the MCP server `web` cannot be used: "),
        "{error}"
    );
    let error = start(web().oauth(OAuth::new().redirect("http://example.com/back"))).await;
    assert!(
        error.starts_with("`.redirect(..)` of the login to the MCP server `web` cannot be used: "),
        "{error}"
    );
    let beside = OAuth::new().client("known", None).client_name("Clerk");
    let error = start(web().oauth(beside)).await;
    assert!(error.contains("it has no effect beside `client`"), "{error}");
    let error = start(web().oauth(OAuth::new().client_document("https://example.com"))).await;
    assert!(error.starts_with("`.client_document(..)` of the login"), "{error}");
    let error = start(web().oauth(OAuth::new()).header("Authorization", "Bearer x".to_owned())).await;
    assert!(error.contains("header `authorization` of the MCP server `web` cannot be used"), "{error}");
    let error = start(ServerConfig::stdio("mcp-server-time").oauth(OAuth::new())).await;
    assert!(error.starts_with("`.oauth(..)` has no effect on the MCP server `web`"), "{error}");
    let none = OAuth::new().begin("http://127.0.0.1:1/mcp", None).await.unwrap_err().to_string();
    assert!(none.starts_with("`redirect` of the login cannot be used"), "{none}");
    let none = OAuth::new().redirect(REDIRECT).begin("x", None).await.unwrap_err().to_string();
    assert!(none.starts_with("`server` of the login cannot be used: expected an address"), "{none}");
    let none = OAuth::new().redirect(REDIRECT).for_each_user().begin("http://127.0.0.1:1/", None).await;
    assert_eq!(
        none.unwrap_err().to_string(),
        "`for_each_user` of the login cannot be used: give the user who logs in"
    );
}

/// Calls the tool, and gives the text.
struct Caller;

impl Agent for Caller {
    const NAME: &'static str = "caller";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().server("web", None)
    }

    async fn run(run: &AgentRun, _: String) -> Result<String, RunError> {
        Ok(match run.call_tool("web__write", "{}").await {
            Ok(output) => output.to_text().into_owned(),
            Err(exit) => match address_of(&exit) {
                Some(address) => address,
                None => exit.to_string(),
            },
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a4_each_user_logs_in_and_gets_only_their_own_results() {
    let (server, _) = Site::start(Habits::default()).await;
    let folder = tempfile::tempdir().unwrap();
    // The tools are known, because nobody lists them without a login.
    let known = Server::start(earlier).await;
    let mut servers = onionskin::mcp::McpConfig::new();
    servers.insert("web", ServerConfig::http(known.url()));
    let lock = folder.path().join(onionskin::mcp::snapshot::Snapshot::FILE);
    onionskin::mcp::snapshot::Snapshot::take(&servers).await.unwrap().snapshot.write(&lock).unwrap();
    let oauth = OAuth::new().redirect(REDIRECT).for_each_user();
    let file = folder.path().join(".mcp.json");
    std::fs::write(&file, json!({ "mcpServers": { "web": { "url": server.url() } } }).to_string()).unwrap();
    let mut servers = onionskin::mcp::McpConfig::from_file(&file).unwrap();
    servers.oauth(&oauth);
    let agent = Caller::builder().model(ScriptedModel::new()).servers(servers).build().await.unwrap();
    let run = async |user: &str| agent.request("").user(user).run().await.unwrap().text;
    let nobody = agent.run("").await.unwrap().text;
    assert!(nobody.contains("each user logs in to it, and the run has no user"), "{nobody}");
    let (ada, bob) = (run("ada").await, run("bob").await);
    assert_ne!(ada, bob);
    let login = oauth.finish(&back(&ada, "ada")).await.unwrap();
    assert_eq!(login.user.as_deref(), Some("ada"));
    assert_eq!(run("ada").await, "ada");
    assert_eq!(run("bob").await, bob, "still not logged in");
    oauth.finish(&back(&bob, "bob")).await.unwrap();
    for user in ["ada", "bob"].repeat(200) {
        assert_eq!(run(user).await, user);
    }
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_login_becomes_a_question_and_the_call_is_made_then() {
    for (agrees, expected) in [
        (true, "ada"),
        (false, "the MCP server `web` refused the call: it requires a login, and nobody logged in"),
    ] {
        let (server, site) =
            Site::start(Habits { refuses_refresh: Some("invalid_grant"), ..Habits::default() }).await;
        let oauth = OAuth::new().redirect(REDIRECT);
        logged_in(&server, &oauth).await.shutdown().await;
        let config = ServerConfig::http(server.url()).oauth(oauth.clone()).asks();
        let answer = move |question: Question| {
            let oauth = oauth.clone();
            async move {
                let text = question.text().unwrap().to_owned();
                let address = text.split_whitespace().find(|word| word.contains("/authorize?")).unwrap();
                if agrees {
                    oauth.finish(&back(address, "ada")).await.unwrap();
                }
                Answer::value(agrees).ok()
            }
        };
        let builder = Caller::builder().model(ScriptedModel::new()).server("web", config).answerer(answer);
        let agent = builder.build().await.unwrap();
        // The login ends after the tools are listed.
        site.valid.lock().unwrap().clear();
        assert_eq!(agent.run("").await.unwrap().text, expected);
        assert_eq!(server.calls("write"), if agrees { 2 } else { 1 });
        agent.shutdown().await;
    }
}

#[tokio::test]
async fn a4_a_token_that_a_server_repeats_reaches_no_model() {
    let (server, site) = Site::start(Habits { repeats: true, ..Habits::default() }).await;
    let oauth = OAuth::new().redirect(REDIRECT);
    logged_in(&server, &oauth).await.shutdown().await;
    let config = ServerConfig::http(server.url()).oauth(oauth);
    let agent = Caller::builder().model(ScriptedModel::new()).server("web", config).build().await.unwrap();
    let text = agent.run("").await.unwrap().text;
    assert!(text.starts_with("you sent ") && !text.contains("t0ken"), "{text}");
    let described = format!("{:?}", agent.describe().unwrap());
    assert!(described.contains("for [") && !described.contains("t0ken"), "{described}");
    // One that is refreshed in the call, too.
    site.valid.lock().unwrap().clear();
    let text = agent.run("").await.unwrap().text;
    assert!(text.starts_with("you sent ") && !text.contains("t0ken"), "{text}");
}

#[tokio::test]
async fn a4_what_a_server_repeats_of_a_refresh_is_in_no_error() {
    for code in ["invalid_request", "invalid_client"] {
        let habits = Habits { refuses_refresh: Some(code), ..Habits::default() };
        let (server, site) = Site::start(habits).await;
        let oauth = OAuth::new().redirect(REDIRECT);
        let web = logged_in(&server, &oauth).await;
        site.valid.lock().unwrap().clear();
        // Whatever the reason is, a person can mend it.
        let exit = called(&web, "write").await.unwrap_err();
        assert!(address_of(&exit).is_some(), "{exit}");
        assert!(!format!("{exit} {exit:?}").contains("refresh-of-ada"), "{exit:?}");
        assert!(!format!("{exit:?}").contains("state="), "{exit:?}");
    }
}

#[tokio::test]
async fn a4_tokens_go_to_no_other_authorization_server() {
    let (server, site) = Site::start(Habits { lasts: Some(1), ..Habits::default() }).await;
    let honest = format!("http://{}", server.address);
    let thief = Server::start(move |request| match request.path.as_str() {
        "/.well-known/x" => {
            let here = format!("http://{}", request.headers["host"]);
            Reply::json(
                200,
                &json!({
                    "issuer": honest,
                    "authorization_endpoint": format!("{honest}/authorize"),
                    "token_endpoint": format!("{here}/token"),
                    "registration_endpoint": format!("{here}/register"),
                    "code_challenge_methods_supported": ["S256"],
                }),
            )
        }
        _ => Reply::json(400, &json!({ "error": "invalid_request" })),
    })
    .await;
    let oauth = OAuth::new().redirect(REDIRECT);
    let web = logged_in(&server, &oauth).await;
    *site.other_authority.lock().unwrap() = Some(format!("http://{}/.well-known/x", thief.address));
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let exit = called(&web, "write").await.unwrap_err();
    assert!(exit.to_string().contains("is not at its own address"), "{exit}");
    assert!(oauth.begin(&server.url(), None).await.is_err());
    let posts: Vec<_> = thief.requests().into_iter().filter(|request| request.method == "POST").collect();
    assert!(posts.is_empty(), "{posts:?}");
}

#[tokio::test]
async fn a4_a_server_that_grants_too_little_is_asked_once() {
    let habits = Habits { scope: Some("write"), grants_little: true, ..Habits::default() };
    let (server, _) = Site::start(habits).await;
    let oauth = OAuth::new().redirect(REDIRECT).scopes(["read"]);
    let web = logged_in(&server, &oauth).await;
    let address = address_of(&called(&web, "write").await.unwrap_err()).unwrap();
    assert_eq!(parameter(&address, "scope"), "read+write");
    oauth.finish(&back(&address, "ada")).await.unwrap();
    let exit = called(&web, "write").await.unwrap_err();
    assert_eq!(address_of(&exit), None, "{exit}");
}

#[tokio::test]
async fn a4_the_secret_of_a_client_is_for_one_server() {
    let (server, _) = Site::start(Habits::default()).await;
    let (other, _) = Site::start(Habits::default()).await;
    let oauth =
        OAuth::new().redirect(REDIRECT).client("known", Some(Secret::new("cl1ent-secret".to_owned())));
    let address = oauth.begin(&server.url(), None).await.unwrap();
    assert_eq!(parameter(&address, "client_id"), "known");
    let error = oauth.begin(&other.url(), None).await.unwrap_err().to_string();
    assert!(error.contains("its client is one of another server"), "{error}");
}

/// Servers write their tokens with the status 201, or the seconds as a text, which the standard does not have.
#[tokio::test]
async fn a4_tokens_are_taken_in_the_forms_in_which_servers_write_them() {
    let json = "application/json";
    for (tokens, written) in [
        (json!({ "expires_in": "3600" }), (200, json)),
        (json!({ "expires_in": 3599.5 }), (200, json)),
        (json!({ "expires_in": "soon" }), (200, json)),
        (json!({ "expires_in": -1 }), (200, json)),
        (json!({}), (201, json)),
        (json!({}), (200, "text/plain; charset=utf-8")),
    ] {
        let habits = Habits { tokens: tokens.clone(), tokens_as: Some(written), ..Habits::default() };
        let (server, site) = Site::start(habits).await;
        let oauth = OAuth::new().redirect(REDIRECT);
        let address = address_in(&start(&server, &oauth).await.unwrap_err());
        oauth
            .finish(&back(&address, "ada"))
            .await
            .unwrap_or_else(|error| panic!("{tokens}, {written:?}: {error}"));
        let web = start(&server, &oauth).await.unwrap();
        // Another program has used the refresh token.
        site.valid.lock().unwrap().clear();
        assert_eq!(called(&web, "read").await.unwrap(), "ada", "{tokens}, {written:?}");
    }
}

/// Some servers write the error of a refresh with a status of success, and some in a form of their own.
#[tokio::test]
async fn a4_a_refresh_that_is_refused_in_other_forms_begins_a_login() {
    for (status, body) in [
        (200, json!({ "error": "bad_refresh_token", "error_description": "incorrect or expired" })),
        (200, json!({ "ok": false, "error": "invalid_refresh_token" })),
        (200, json!({ "error": "invalid_grant" })),
        (
            400,
            json!({ "code": 400, "error_code": "refresh_token_not_found", "msg": "Invalid Refresh Token" }),
        ),
        (403, json!({ "error": "access_denied" })),
    ] {
        let (server, site) = Site::start(Habits::default()).await;
        let oauth = OAuth::new().redirect(REDIRECT);
        let web = logged_in(&server, &oauth).await;
        site.valid.lock().unwrap().clear();
        *site.instead.lock().unwrap() = Some(Reply::json(status, &body));
        let exit = called(&web, "write").await.unwrap_err();
        let address = address_of(&exit).unwrap_or_else(|| panic!("{body}: {exit}"));
        oauth.finish(&back(&address, "ada")).await.unwrap();
        assert_eq!(called(&web, "write").await.unwrap(), "ada", "{body}");
    }
}

/// Its page refuses a client that it does not know any more before a person can do anything there.
#[tokio::test]
async fn a4_a_client_that_the_authorization_server_forgot_registers_again() {
    for is_forgotten in [false, true] {
        let (server, site) = Site::start(Habits::default()).await;
        let oauth = OAuth::new().redirect(REDIRECT);
        let web = logged_in(&server, &oauth).await;
        site.valid.lock().unwrap().clear();
        *site.instead.lock().unwrap() = Some(Reply::json(400, &json!({ "error": "invalid_grant" })));
        site.clients.1.store(usize::from(is_forgotten), Ordering::Relaxed);
        let address = address_of(&called(&web, "write").await.unwrap_err()).unwrap();
        let expected = if is_forgotten { "made-up-1" } else { "made-up" };
        assert_eq!(parameter(&address, "client_id"), expected);
        oauth.finish(&back(&address, "ada")).await.unwrap();
        assert_eq!(called(&web, "write").await.unwrap(), "ada");
        let begun = server.requests().into_iter().filter(|request| request.path.starts_with("/authorize"));
        // The page of a new client is not asked for.
        assert_eq!(begun.count(), 1);
    }
}

/// A gateway before the authorization server says nothing of the refresh token, which is used again later.
#[tokio::test]
async fn a4_a_gateway_that_refuses_a_refresh_ends_no_login() {
    let page = |status| Reply::text(status, "content-type: text/html\r\n", "<h1>Request blocked</h1>");
    for instead in [
        page(400),
        page(403),
        page(404),
        page(429),
        page(503),
        Reply::json(403, &json!({ "message": "Forbidden" })),
        Reply::json(403, &json!({ "error": "Forbidden" })),
        Reply::json(404, &json!({ "status": 404, "error": "Not Found" })),
        Reply::json(401, &json!({ "message": "Unauthorized" })),
        Reply::json(400, &json!({ "error": "temporarily_unavailable" })),
        Reply::json(200, &json!({})),
    ] {
        let (server, site) = Site::start(Habits::default()).await;
        let oauth = OAuth::new().redirect(REDIRECT);
        let web = logged_in(&server, &oauth).await;
        site.valid.lock().unwrap().clear();
        *site.instead.lock().unwrap() = Some(instead.clone());
        let exit = called(&web, "write").await.unwrap_err();
        let wire = String::from_utf8(instead.into_bytes()).unwrap();
        assert_eq!(address_of(&exit), None, "{wire}");
        assert!(exit.to_string().contains("the call did not run"), "{wire}: {exit}");
        *site.instead.lock().unwrap() = None;
        assert_eq!(called(&web, "write").await.unwrap(), "ada", "{wire}");
        assert_eq!(server.requests().iter().filter(|request| request.path == "/register").count(), 1);
    }
}

#[tokio::test]
async fn a4_tokens_of_another_kind_are_not_sent() {
    for (tokens, works) in [
        (json!({ "token_type": "bearer", "expires_in": 0 }), true),
        (json!({ "token_type": "DPoP" }), false),
        (json!({ "access_token": "a\r\nX: y" }), false),
    ] {
        let (server, _) = Site::start(Habits { tokens: tokens.clone(), ..Habits::default() }).await;
        let oauth = OAuth::new().redirect(REDIRECT);
        let address = address_in(&start(&server, &oauth).await.unwrap_err());
        oauth.finish(&back(&address, "ada")).await.unwrap();
        let started = start(&server, &oauth).await;
        assert_eq!(started.is_ok(), works, "{tokens}");
        if let Err(error) = started {
            assert!(error.to_string().contains("it requires a login, which failed: its token"), "{error}");
        }
    }
}

#[tokio::test]
async fn a4_names_of_users_are_files_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    let (server, _) = Site::start(Habits::default()).await;
    let oauth = OAuth::new().redirect(REDIRECT).store(TokenFolder::new(&tokens)).for_each_user();
    let users = ["ada", "Ada", "../ada", "a\nda", "a/da", &"A".repeat(500), &format!("{}b", "A".repeat(499))];
    for user in users {
        let address = oauth.begin(&server.url(), Some(user)).await.unwrap();
        assert_eq!(oauth.waiting(&back(&address, "ada")).unwrap().user.as_deref(), Some(user));
        oauth.finish(&back(&address, "ada")).await.unwrap();
    }
    let files = std::fs::read_dir(&tokens).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|kind| kind == "json")).count();
    assert_eq!(files, users.len());
    for user in [Some(""), None] {
        let error = oauth.begin(&server.url(), user).await.unwrap_err();
        assert!(matches!(error, OAuthError::Setting { setting: "for_each_user", .. }), "{error}");
    }
    let alone = OAuth::new().redirect(REDIRECT).begin(&server.url(), Some("ada")).await.unwrap_err();
    assert!(matches!(alone, OAuthError::Setting { setting: "for_each_user", .. }), "{alone}");
}

#[test]
fn a4_a_login_does_not_show_its_secrets() {
    let oauth = OAuth::new().client("known", Some(Secret::new("cl1ent-secret".to_owned())));
    assert!(!format!("{oauth:?}").contains("cl1ent-secret"));
}

#[cfg(unix)]
#[tokio::test]
async fn a4_tokens_that_others_could_have_written_are_not_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    let (server, _) = Site::start(Habits::default()).await;
    let oauth = || OAuth::new().redirect(REDIRECT).store(TokenFolder::new(&tokens));
    logged_in(&server, &oauth()).await;
    let mode = |mode| std::fs::set_permissions(&tokens, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o777);
    let error = start(&server, &oauth()).await.unwrap_err().to_string();
    assert!(error.contains("other users can write to this folder"), "{error}");
    mode(0o700);
    let mut files = std::fs::read_dir(&tokens).unwrap().map(|file| file.unwrap().path());
    let file = files.find(|file| file.extension().is_some_and(|kind| kind == "json")).unwrap();
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let error = start(&server, &oauth()).await.unwrap_err().to_string();
    assert!(error.contains("this is not a file"), "{error}");
}

/// The tokens stay, because nobody says that they are refused.
#[tokio::test]
async fn a4_a_refresh_that_is_refused_without_a_reason_begins_a_login() {
    let (server, site) = Site::start(Habits::default()).await;
    let oauth = OAuth::new().redirect(REDIRECT);
    let web = logged_in(&server, &oauth).await;
    site.valid.lock().unwrap().clear();
    *site.instead.lock().unwrap() = Some(Reply::text(401, "content-type: text/plain\r\n", "no such token"));
    assert!(address_of(&called(&web, "write").await.unwrap_err()).is_some());
    *site.instead.lock().unwrap() = None;
    assert_eq!(called(&web, "write").await.unwrap(), "ada");
}
