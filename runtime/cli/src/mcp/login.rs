//! `mcp login` logs in to a server in the browser, and `mcp logout` forgets that.

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use onionskin_core::secret::Secret;
use onionskin_core::servers::IntoToolServer as _;
use onionskin_mcp::snapshot::Snapshot;
use onionskin_mcp::{HttpError, McpConfig, McpError, OAuth, OAuthError, ServerConfig, TokenFolder};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::arguments::{LoginArguments, LogoutArguments, ServerArguments};
use super::servers::chosen;
use crate::failure::Failure;
use crate::output;
use crate::program::Program;
use crate::text;

/// The folder of the tokens, in the user's folder of states. All programs share it: a login is the user's.
const TOKENS: &str = "onionskin-tokens";
/// How long a person has for the page.
const TIME: Duration = Duration::from_mins(10);
/// The path that the browser comes back to.
const BACK: &str = "/logged-in";
/// The largest request of a browser that is read.
const MOST_BYTES: usize = 16 << 10;
/// The time for it, and for what follows from it.
const REQUEST: Duration = Duration::from_secs(90);
/// The pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// Lets all servers that files name by address use the tokens that were kept.
pub(crate) fn use_stored_logins(program: &Program) {
    if let Some(store) = store(program) {
        McpConfig::login_for_files(OAuth::new().store(store));
    }
}

fn store(program: &Program) -> Option<TokenFolder> {
    folder(program).map(TokenFolder::new)
}

fn folder(program: &Program) -> Option<PathBuf> {
    program.settings.states.as_ref().map(|states| states.join(TOKENS))
}

/// A login whose tokens are kept.
fn stored(program: &Program) -> Result<OAuth, Failure> {
    let store = store(program).ok_or_else(|| {
        Failure::new("the user has no folder for the tokens: set `HOME`, or `XDG_STATE_HOME`")
    })?;
    Ok(OAuth::new().store(store))
}

pub(crate) async fn run(program: &Program, arguments: LoginArguments) -> Result<ExitCode, Failure> {
    let (name, server) = (&arguments.of.server, one(program, &arguments.of)?);
    let listener = TcpListener::bind(("127.0.0.1", arguments.port)).await.map_err(|error| {
        Failure::new(format!("the browser cannot come back to port {}: {error}", arguments.port))
    })?;
    let port = listener.local_addr().map_err(Failure::new)?.port();
    let mut oauth = stored(program)?.redirect(format!("http://127.0.0.1:{port}{BACK}"));
    if !arguments.scopes.is_empty() {
        oauth = oauth.scopes(&arguments.scopes);
    }
    oauth = match &arguments.client_id {
        Some(id) => oauth.client(id, secret(arguments.client_secret_env.as_deref())?),
        None => oauth.client_name(program.name),
    };
    let address = address_of(name, &server)?;
    // What is wrong with the configuration is said before the person logs in.
    server.clone().oauth(oauth.clone()).into_server(name).map(drop).map_err(Failure::new)?;
    let address = match oauth.begin(address, None).await {
        Ok(address) => address,
        Err(OAuthError::NoLogin) => return without_login(name, server).await,
        Err(OAuthError::NotRegistered { .. }) => {
            return Err(Failure::new(format!(
                "the authorization server of `{}` registers no programs: register one there, and name it with `--client-id`",
                text::first_line(name)
            )));
        }
        Err(error) => return Err(Failure::new(format!("`{}`: {error}", text::first_line(name)))),
    };
    let is_open = !arguments.no_browser && open::that_detached(&address).is_ok();
    output::note(&if is_open {
        let name = text::first_line(name);
        format!("opened the login page of `{name}` in the browser; if it did not appear, open {address}")
    } else {
        format!("open this address in a browser: {address}")
    });
    match tokio::time::timeout(TIME, finished(listener, &oauth)).await {
        Ok(finished) => finished?,
        Err(_) => return Err(Failure::new(format!("nobody logged in within {TIME:?}"))),
    }
    let mut config = McpConfig::new();
    config.insert(name, server.oauth(stored(program)?));
    let taken = Snapshot::take(&config).await.map_err(Failure::new)?;
    let tools = taken.snapshot.tools(name).unwrap_or_default().len() as u64;
    output::text(&format!("logged in to {}: {}\n", text::first_line(name), text::counted(tools, "tool")))?;
    Ok(ExitCode::SUCCESS)
}

/// What can be said of a server that describes no login.
async fn without_login(name: &str, server: ServerConfig) -> Result<ExitCode, Failure> {
    let mut config = McpConfig::new();
    // Without stored tokens.
    config.insert(name, server.oauth(OAuth::new()));
    let shown = text::first_line(name);
    let error = match Snapshot::take(&config).await {
        Ok(taken) => {
            let tools = taken.snapshot.tools(name).unwrap_or_default().len() as u64;
            output::text(&format!("{shown} answers without a login: {}\n", text::counted(tools, "tool")))?;
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) => error,
    };
    let refuses = |error: &McpError| matches!(error, McpError::Start(failure) if matches!(failure.http, Some(HttpError::Unauthorized { .. } | HttpError::Forbidden { .. })));
    Err(if error.errors().iter().any(refuses) {
        Failure::new(format!("`{shown}` describes no login: write `headers` for it in its configuration"))
    } else {
        Failure::new(error)
    })
}

pub(crate) async fn forget(program: &Program, arguments: LogoutArguments) -> Result<ExitCode, Failure> {
    let server = one(program, &arguments)?;
    let had_login = stored(program)?.forget(address_of(&arguments.server, &server)?, None).await;
    let server = text::first_line(&arguments.server);
    output::text(&if had_login.map_err(Failure::new)? {
        format!("logged out of {server}\n")
    } else {
        format!("there is no login to {server}\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The configuration of the server.
fn one(program: &Program, arguments: &LogoutArguments) -> Result<ServerConfig, Failure> {
    let LogoutArguments { server, config } = arguments;
    let arguments = ServerArguments { servers: vec![server.clone()], config: config.clone() };
    let config = chosen(program, &arguments)?.config(server);
    config.transpose().map_err(Failure::new)?.ok_or_else(|| Failure::new("there is no such server"))
}

/// The address of the server.
fn address_of<'s>(name: &str, server: &'s ServerConfig) -> Result<&'s str, Failure> {
    server.address().ok_or_else(|| {
        Failure::new(format!("`{}` is a program of this machine, and has no login", text::first_line(name)))
    })
}

fn secret(variable: Option<&str>) -> Result<Option<Secret<String>>, Failure> {
    let Some(name) = variable else { return Ok(None) };
    match env::var(name) {
        Ok(secret) if !secret.is_empty() => Ok(Some(Secret::new(secret))),
        _ => Err(Failure::new(format!("the variable `{}` is not set", text::first_line(name)))),
    }
}

/// Waits for the browser, which comes back with the code. Each connection has a task of its own, since browsers open some that they do
/// not use.
async fn finished(listener: TcpListener, oauth: &OAuth) -> Result<(), Failure> {
    let (sender, mut outcomes) = mpsc::channel(1);
    let oauth = oauth.clone();
    let accepting = tokio::spawn(async move {
        loop {
            // One that cannot be accepted is not the one.
            let Ok((browser, _)) = listener.accept().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let (oauth, sender) = (oauth.clone(), sender.clone());
            tokio::spawn(async move {
                if let Ok(Some(outcome)) = tokio::time::timeout(REQUEST, visited(browser, &oauth)).await {
                    let _ = sender.send(outcome).await;
                }
            });
        }
    });
    let outcome = outcomes.recv().await;
    accepting.abort();
    outcome.unwrap_or(Ok(())).map_err(Failure::new)
}

/// Answers a request of a browser. `None` if it has nothing to do with the login, such as one for an icon.
async fn visited(mut browser: TcpStream, oauth: &OAuth) -> Option<Result<(), OAuthError>> {
    let target = target(&mut browser).await?;
    if target.split('?').next() != Some(BACK) {
        answer(&mut browser, "404 Not Found", "There is nothing here.").await;
        return None;
    }
    match oauth.finish(&target).await {
        Ok(_) => {
            answer(&mut browser, "200 OK", "You are logged in. You can close this page.").await;
            Some(Ok(()))
        }
        // Another page of the browser may have asked.
        Err(OAuthError::Unknown) => {
            answer(&mut browser, "400 Bad Request", "This is not the login that was begun.").await;
            None
        }
        Err(error) => {
            answer(&mut browser, "400 Bad Request", "The login failed. The program says why.").await;
            Some(Err(error))
        }
    }
}

/// The path and query of a request.
async fn target(browser: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() > MOST_BYTES || browser.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let head = String::from_utf8(head).ok()?;
    let mut words = head.lines().next()?.split(' ');
    (words.next()? == "GET").then_some(())?;
    words.next().map(str::to_owned)
}

async fn answer(browser: &mut TcpStream, status: &str, text: &str) {
    let page = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    );
    // The person sees the outcome in the terminal too.
    let _ = browser.write_all(page.as_bytes()).await;
}
