//! An MCP server over HTTP that requires a login, and gives tokens itself.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

const TOKEN: &str = "t0ken-of-the-user";

/// How far a server is from one that people can log in to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Site {
    /// It has all that a login needs.
    Login,
    /// It registers no clients.
    Unregistered,
    /// It requires credentials, and describes no login.
    Closed,
    /// It requires nothing.
    Open,
    /// It requires a login for calls, and nothing before them.
    ClosedCalls,
}

/// Starts the server, which ends with the test.
pub(crate) fn start(site: Site) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for browser in listener.incoming().flatten() {
            thread::spawn(move || serve(browser, address, site));
        }
    });
    address
}

fn serve(mut stream: TcpStream, address: SocketAddr, site: Site) -> Option<()> {
    let mut read = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    read.read_line(&mut line).ok()?;
    let target = line.split(' ').nth(1)?.to_owned();
    let (mut length, mut authorization) = (0, String::new());
    loop {
        let mut line = String::new();
        read.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => value.clone_into(&mut authorization),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    read.read_exact(&mut body).ok()?;
    let (status, answer) = answer(&target, &authorization, &body, address, site);
    let answer = answer.to_string();
    let challenge = match (status, site) {
        (401, Site::ClosedCalls) => {
            "www-authenticate: Bearer resource_metadata=\"https://example.com/mcp\"\r\n"
        }
        (401, _) => "www-authenticate: Bearer\r\n",
        _ => "",
    };
    write!(
        stream,
        "HTTP/1.1 {status} X\r\n{challenge}content-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{answer}",
        answer.len()
    )
    .ok()
}

fn answer(target: &str, authorization: &str, body: &[u8], address: SocketAddr, site: Site) -> (u16, Value) {
    let host = format!("http://{address}");
    let message: Value = serde_json::from_slice(body).unwrap_or_default();
    let form = String::from_utf8_lossy(body);
    let is_open = match site {
        Site::Login | Site::Unregistered | Site::Closed => authorization == format!("Bearer {TOKEN}"),
        Site::Open => true,
        Site::ClosedCalls => message["method"] != "tools/call",
    };
    match target {
        "/.well-known/oauth-authorization-server" if site == Site::Unregistered => (
            200,
            json!({
                "issuer": host,
                "authorization_endpoint": format!("{host}/authorize"),
                "token_endpoint": format!("{host}/token"),
                "code_challenge_methods_supported": ["S256"],
            }),
        ),
        _ if target != "/mcp" && site != Site::Login => (404, json!({})),
        "/.well-known/oauth-authorization-server" => (
            200,
            json!({
                "issuer": host,
                "authorization_endpoint": format!("{host}/authorize"),
                "token_endpoint": format!("{host}/token"),
                "registration_endpoint": format!("{host}/register"),
                "code_challenge_methods_supported": ["S256"],
            }),
        ),
        "/register" => (201, json!({ "client_id": "c", "redirect_uris": message["redirect_uris"] })),
        "/token" if form.contains("code=the-code") && form.contains("code_verifier=") => {
            (200, json!({ "access_token": TOKEN, "token_type": "Bearer" }))
        }
        "/token" => (400, json!({ "error": "invalid_grant" })),
        "/mcp" if !is_open => (401, json!({})),
        "/mcp" => {
            let result = match message["method"].as_str() {
                Some("initialize") => json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": { "tools": {} },
                    "serverInfo": { "name": "site", "version": "1" },
                }),
                Some("tools/list") => {
                    json!({ "tools": [{ "name": "read", "inputSchema": { "type": "object" } }] })
                }
                Some("server/discover") => return (400, json!({})),
                _ => return (202, json!({})),
            };
            (200, json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
        }
        _ => (404, json!({})),
    }
}
