//! The command `serve`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::folder::Folder;

#[test]
fn o1_serve_makes_the_agent_of_a_card_a_server() {
    let folder = Folder::adder();
    folder.write(".mcp.json", r#"{ "mcpServers": {} }"#);
    let arguments = ["serve", "--card", "cards/adder.md", "--model", "script:script.yaml"];
    let mut command = folder.command(&arguments);
    let mut server =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) =
        (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
    let mut request = |id: u32, method: &str, params: Value| -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        input.write_all(format!("{message}\n").as_bytes()).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    };
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    assert_eq!(request(1, "initialize", params)["result"]["serverInfo"]["name"], "onionskin");
    let tools = request(2, "tools/list", json!({}));
    let tool = &tools["result"]["tools"][0];
    assert_eq!((&tool["name"], &tool["description"]), (&json!("adder"), &json!("Adds numbers.")));
    let answer = request(3, "tools/call", json!({ "name": "adder", "arguments": { "input": "41 + 1?" } }));
    assert_eq!(answer["result"]["content"][0]["text"], "It is 42.");
    drop(input);
    let ended = server.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    let words = String::from_utf8(ended.stderr).unwrap();
    let (said, entry) = words.split_once("In `.mcp.json` of a client:").unwrap();
    assert!(said.contains("serving the agent adder"), "{words}");
    // The entry works in the folder of any client.
    let entry: Value = serde_json::from_str(entry).unwrap();
    let entry = &entry["mcpServers"]["adder"];
    assert_eq!(entry["command"], env!("CARGO_BIN_EXE_onionskin"));
    let path = |name: &str| folder.path(name).to_str().unwrap().to_owned();
    assert_eq!(entry["args"][2], path("cards/adder.md"), "{entry}");
    assert_eq!(entry["args"][4], format!("script:{}", path("script.yaml")), "{entry}");
    assert_eq!(entry["args"][5], format!("--config={}", path(".mcp.json")), "{entry}");
}

/// A client of the command, over the standard streams.
struct Client {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Client {
    /// Starts the command and initializes.
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let mut command = folder.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let input = server.stdin.take().unwrap();
        let output = BufReader::new(server.stdout.take().unwrap());
        let mut client = Self { server, input, output };
        client.request(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } }),
        );
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params }));
        let answer = self.read();
        assert_eq!(answer["id"], method, "{answer}");
        answer["result"].clone()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
    }
}

#[test]
fn o2_a_card_that_changes_is_served_again() {
    let folder = Folder::adder();
    let mut client = Client::start(&folder, &["serve", "--card", "cards/adder.md", "--tools"]);
    let mut said = BufReader::new(client.server.stderr.take().unwrap()).lines().map(Result::unwrap);
    // A card with a mistake changes nothing.
    let good = folder.read("cards/adder.md");
    folder.write("cards/adder.md", &good.replace("function_tools", "funktion_tools"));
    let warning = said.find(|line| line.starts_with("warning: ")).unwrap();
    assert!(warning.contains("the agents of before are served"), "{warning}");
    let script = folder.read("cards/tools.rhai");
    folder.write("cards/tools.rhai", &script.replace("add_one", "add_two"));
    folder.write("cards/adder.md", &good.replace("add_one", "add_two"));
    assert_eq!(client.read()["method"], "notifications/tools/list_changed");
    let tools = client.request("tools/list", &json!({}));
    assert_eq!(tools["tools"][0]["name"], "add_two", "{tools}");
}

#[test]
fn o2_cards_and_skills_are_resources_of_the_command() {
    let folder = Folder::adder();
    folder
        .write("skills/sums/SKILL.md", "---\nname: sums\ndescription: Does sums.\n---\nUse your fingers.\n");
    let arguments = ["serve", "--card", "cards/adder.md", "--tools", "--show-cards", "--skills", "skills"];
    let mut client = Client::start(&folder, &arguments);
    let listed = client.request("resources/list", &json!({}));
    let uris: Vec<_> = listed["resources"].as_array().unwrap().iter().map(|shown| &shown["uri"]).collect();
    assert_eq!(uris[0], "card://adder", "{listed}");
    assert!(uris.contains(&&json!("skill://sums/SKILL.md")), "{listed}");
    let read = |client: &mut Client, uri: &str| {
        client.request("resources/read", &json!({ "uri": uri }))["contents"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(read(&mut client, "skill://sums/SKILL.md").contains("fingers"));
    let card = read(&mut client, "card://adder");
    assert!(card.contains("function_tools"), "{card}");

    client.request("resources/subscribe", &json!({ "uri": "card://adder" }));
    folder.write("cards/adder.md", &format!("{}\nBe quick.\n", folder.read("cards/adder.md")));
    let change = client.read();
    let expected = (&json!("notifications/resources/updated"), &json!("card://adder"));
    assert_eq!((&change["method"], &change["params"]["uri"]), expected);
    assert!(read(&mut client, "card://adder").ends_with("Be quick.\n"));
}

#[test]
fn o2_an_agent_without_a_card_has_none_to_show() {
    let folder = Folder::new(&[]);
    let ran = folder.run(&["serve", "--workflow", "flow", "--show-cards"]);
    assert_eq!(ran.code, 2);
    assert!(ran.words.contains("cannot be used with"), "{ran:?}");
}

#[test]
fn o1_the_entry_of_a_server_names_the_host_and_the_variable_of_the_token() {
    let folder = Folder::adder();
    let arguments = ["--http", "127.0.0.1:0", "--host", "desk.example.com", "--token-env", "DESK_TOKEN"];
    let mut command =
        folder.command(&[&["serve", "--card", "cards/adder.md", "--tools"], &arguments[..]].concat());
    command.env("DESK_TOKEN", "open-sesame").stdin(Stdio::null()).stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let mut words = String::new();
    let lines = BufReader::new(server.stderr.take().unwrap()).lines().map(Result::unwrap);
    for line in lines {
        words.push_str(&line);
        if line == "}" {
            break;
        }
    }
    server.kill().unwrap();
    server.wait().unwrap();
    let entry: Value = serde_json::from_str(&words[words.find('{').unwrap()..]).unwrap();
    let entry = &entry["mcpServers"]["adder"];
    assert_eq!(entry["headers"]["Authorization"], "Bearer ${DESK_TOKEN}");
    let url = entry["url"].as_str().unwrap();
    assert!(url.starts_with("http://desk.example.com:") && url.ends_with("/mcp"), "{url}");
}

#[test]
fn o1_a_served_agent_is_a_tool_of_an_agent_in_another_process() {
    let folder = Folder::adder();
    folder.write("caller.md", "---\nservers: [sums]\n---\nAsk.\n");
    folder.write(
        "caller.yaml",
        "caller:\n  - calls: [{ tool: sums__adder, args: { input: \"41 + 1?\" } }]\n  - say: \"It said: {last}\"\n",
    );
    let arguments = ["serve", "--card", "cards/adder.md", "--model", "script:script.yaml"];
    let server = json!({ "command": env!("CARGO_BIN_EXE_onionskin"), "args": arguments });
    folder.write(".mcp.json", &json!({ "mcpServers": { "sums": server } }).to_string());
    let ran = folder.run(&["run", "--card", "caller.md", "--model", "script:caller.yaml", "Go."]);
    assert_eq!((ran.code, ran.out.trim()), (0, "It said: It is 42."), "{ran:?}");
}

#[test]
fn o1_serve_gives_the_tools_of_an_agent_without_a_model() {
    let folder = Folder::adder();
    folder.write("caller.md", "---\nservers: [sums]\n---\nAsk.\n");
    folder.write(
        "caller.yaml",
        "caller:\n  - calls: [{ tool: sums__add_one, args: { x: 41 } }]\n  - say: \"It said: {last}\"\n",
    );
    let server = json!({ "command": env!("CARGO_BIN_EXE_onionskin"), "args": ["serve", "--card", "cards/adder.md", "--tools"] });
    folder.write(".mcp.json", &json!({ "mcpServers": { "sums": server } }).to_string());
    let ran = folder.run(&["run", "--card", "caller.md", "--model", "script:caller.yaml", "Go."]);
    assert_eq!((ran.code, ran.out.trim()), (0, "It said: 42"), "{ran:?}");
}

#[test]
fn o1_a_server_for_other_machines_needs_a_token() {
    let folder = Folder::adder();
    let serve =
        |more: &[&str]| folder.run(&[&["serve", "--card", "cards/adder.md", "--tools"], more].concat());
    for more in [&["--http", "0.0.0.0:0"][..], &["--http", "127.0.0.1:0", "--host", "desk.example.com"]] {
        let ran = serve(more);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.words.contains("requires no token") && ran.words.contains("`--token-env`"), "{ran:?}");
    }
    let ran = serve(&["--http", "127.0.0.1:0", "--token-env", "NO_SUCH_VARIABLE"]);
    assert!(ran.words.contains("`NO_SUCH_VARIABLE` of `--token-env` has no token"), "{ran:?}");
}

#[test]
fn o6_serve_runs_an_agent_over_plain_http() {
    let folder = Folder::adder();
    let ran = folder.run(&["serve", "--card", "cards/adder.md", "--tools", "--http", "127.0.0.1:0", "--api"]);
    assert_eq!(ran.code, 2, "no agent to run: {ran:?}");
    for more in [&["--http", "127.0.0.1:0"][..], &["--tools"]] {
        let serve = ["serve", "--card", "cards/adder.md", "--sessions", "desk.db"];
        let ran = folder.run(&[&serve, more].concat());
        assert!(ran.words.contains("add `--api`"), "{ran:?}");
    }
    let arguments =
        ["--model", "script:script.yaml", "--http", "127.0.0.1:0", "--api", "--sessions", "desk.db"];
    let mut command = folder.command(&[&["serve", "--card", "cards/adder.md"][..], &arguments].concat());
    let mut server = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let words = BufReader::new(server.stderr.take().unwrap());
    let address = words.lines().map(Result::unwrap).find_map(|line| {
        let (_, rest) = line.split_once("http://")?;
        Some(rest.split_once("/openapi.json")?.0.to_owned())
    });
    let mut connection = TcpStream::connect(address.unwrap()).unwrap();
    let body = r#"{"input": "41 + 1?", "session": "sums"}"#;
    let request = format!(
        "POST /agents/adder/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    connection.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(answer.contains(r#""text":"It is 42.""#), "{answer}");
    let stored = folder.run(&["sessions", "list", "--sessions", "desk.db"]);
    assert!(stored.out.contains("http/adder/-/sums"), "{stored:?}");
}

/// The address in the entry that a server of HTTP prints.
fn address(words: &mut impl Iterator<Item = String>) -> String {
    let url = words.find(|line| line.contains("\"url\"")).unwrap();
    url.split("http://").nth(1).unwrap().split("/mcp").next().unwrap().to_owned()
}

/// A call over HTTP, without a session.
fn call_over_http(address: &str, tool: &str, arguments: &Value) -> TcpStream {
    let params = json!({
        "name": tool, "arguments": arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let mut connection = TcpStream::connect(address).unwrap();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: \
         application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n\
         Mcp-Name: {tool}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    connection.write_all(request.as_bytes()).unwrap();
    connection
}

#[cfg(unix)]
#[test]
fn o2_a_server_that_gets_a_signal_lets_its_calls_end() {
    use nix::sys::signal::{Signal, kill};

    let folder = Folder::new(&[("waiter.md", "---\nruntime: [shell.execute]\napproval: []\n---\nWait.\n")]);
    let mut command = folder.command(&["serve", "--card", "waiter.md", "--tools", "--http", "127.0.0.1:0"]);
    let mut server = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut words = BufReader::new(server.stderr.take().unwrap()).lines().map(Result::unwrap);
    let address = address(&mut words);
    let arguments = json!({ "command": "touch begun; sleep 2; echo waited" });
    let mut connection = call_over_http(&address, "shell_execute", &arguments);
    while !folder.path("begun").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    kill(nix::unistd::Pid::from_raw(server.id().try_into().unwrap()), Signal::SIGTERM).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("waited"), "{answer}");
    assert_eq!(server.wait().unwrap().code(), Some(143));
}

#[test]
fn o2_the_log_has_the_reason_of_a_failed_call() {
    let folder = Folder::adder();
    folder.write("script.yaml", "adder: []\n");
    let arguments =
        ["serve", "--card", "cards/adder.md", "--model", "script:script.yaml", "--http", "127.0.0.1:0"];
    let mut server = folder.command(&arguments).stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut words = BufReader::new(server.stderr.take().unwrap()).lines().map(Result::unwrap);
    let address = address(&mut words);
    let mut answer = String::new();
    let mut connection = call_over_http(&address, "adder", &json!({ "input": "Add." }));
    connection.read_to_string(&mut answer).unwrap();
    let id = answer.split("under `").nth(1).unwrap_or_else(|| panic!("{answer}")).split('`').next().unwrap();
    let line = words.find(|line| line.contains("a served call failed")).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(line.contains(id), "{line}");
}
