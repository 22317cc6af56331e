//! The command `serve`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::folder::Folder;

#[test]
fn o1_serve_makes_the_agent_of_a_card_a_server() {
    let folder = Folder::adder();
    folder.write(".mcp.json", r#"{ "mcpServers": {} }"#);
    folder.write("onionskin.toml", "model = \"script:script.yaml\"\n");
    let arguments = ["serve", "--card", "cards/adder.md"];
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
    // The entry works in the folder of any client, whose environment is another one.
    let entry: Value = serde_json::from_str(entry).unwrap();
    let entry = &entry["mcpServers"]["adder"];
    assert_eq!(entry["command"], env!("CARGO_BIN_EXE_onionskin"));
    let words: Vec<_> = entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(words[0], "-C");
    assert_eq!(words[2..], arguments);
    let elsewhere = Folder::new(&[]);
    let mut command = elsewhere.command(&words);
    let mut client = Client::new(command.env_clear());
    let called = json!({ "name": "adder", "arguments": { "input": "41 + 1?" } });
    assert_eq!(client.request("tools/call", &called)["content"][0]["text"], "It is 42.");
}

#[test]
fn o1_a_command_works_in_the_folder_that_is_named_before_it() {
    let folder = Folder::adder();
    let elsewhere = Folder::new(&[]);
    let path = folder.path("").to_str().unwrap().to_owned();
    let listed = elsewhere.run(&["-C", &path, "list"]);
    assert!(listed.code == 0 && listed.out.contains("adder"), "{listed:?}");
    let missing = elsewhere.run(&["-C", "nowhere", "list"]);
    assert!(missing.code == 2 && missing.words.contains("cannot work in `nowhere`"), "{missing:?}");
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
        Self::new(&mut folder.command(arguments))
    }

    fn new(command: &mut Command) -> Self {
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
    assert!(warning.contains("what was there before is served: unknown field"), "{warning}");
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
    folder.write(
        "skills/sums/SKILL.md",
        "---\nname: sums\ndescription: Does sums.\n---\nUse your toes, all ten.\n",
    );
    assert_eq!(client.read()["method"], "notifications/resources/list_changed");
    assert!(read(&mut client, "skill://sums/SKILL.md").contains("toes"));
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
fn o2_a_skill_that_cannot_be_read_is_named() {
    let folder = Folder::adder();
    folder
        .write("skills/sums/SKILL.md", "---\nname: sums\ndescription: Does sums.\n---\nUse your fingers.\n");
    folder.write("skills/tax/SKILL.md", "---\nname: taxes\ndescription: Does taxes.\n---\nAsk.\n");
    let ran = folder.run(&["serve", "--card", "cards/adder.md", "--tools", "--skills", "skills"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.words.contains("skills/tax") && ran.words.contains("which is the folder's"), "{ran:?}");
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
    folder.write("poet.md", "---\ndescription: Writes.\n---\nWrite.\n");
    let ran = folder.run(&["serve", "--card", "poet.md", "--tools"]);
    assert!(ran.code == 2 && ran.words.contains("the agent `poet` has no tools"), "{ran:?}");
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
    let local = &["--http", "127.0.0.1:0"][..];
    for (more, reason) in [
        (&["--token-env", "NO_SUCH_VARIABLE"][..], "`NO_SUCH_VARIABLE` of `--token-env` has no token"),
        (&["--token-env", "open-sesame"], "`--token-env` is the name of a variable"),
        (&["--host", "https://desk.example.com/"], "`https://desk.example.com/` is no host"),
        (&["--host", "*.example.com"], "is no host"),
    ] {
        let ran = serve(&[local, more].concat());
        assert!(ran.code == 2 && ran.words.contains(reason), "{ran:?}");
        assert!(!ran.words.contains("open-sesame"), "{ran:?}");
    }
    let with_token = |token: &str, more: &[&str]| {
        let arguments =
            [&["serve", "--card", "cards/adder.md", "--tools", "--token-env", "DESK_TOKEN"], more].concat();
        let output = folder.command(&arguments).env("DESK_TOKEN", token).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(with_token("schlüssel", local).contains("characters that clients cannot send"));
    assert!(with_token("sesame", &["--http", "0.0.0.0:0"]).contains("add `--host`"));
    let ran = serve(&["--http", "8080"]);
    assert!(ran.code == 2 && ran.words.contains("such as `127.0.0.1:8080` or `localhost:8080`"), "{ran:?}");
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

/// Sends a message over HTTP.
fn post(address: &str, message: &Value, headers: &str) -> TcpStream {
    let body = message.to_string();
    let mut connection = TcpStream::connect(address).unwrap();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: \
         application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    connection.write_all(request.as_bytes()).unwrap();
    connection
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
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let headers =
        format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n");
    post(address, &call, &headers)
}

#[test]
fn o2_processes_with_one_key_share_the_sessions_of_clients() {
    let folder = Folder::adder();
    let arguments =
        ["serve", "--card", "cards/adder.md", "--tools", "--http", "127.0.0.1:0", "--key-env", "DESK_KEY"];
    let mut servers = [1, 2].map(|_| {
        let mut command = folder.command(&arguments);
        command.env("DESK_KEY", "5e".repeat(32)).stdin(Stdio::null()).stderr(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let mut words = BufReader::new(server.stderr.take().unwrap()).lines().map(Result::unwrap);
        (address(&mut words), words, server)
    });
    let answer = |address: &str, message: Value, headers: &str| {
        let mut answer = String::new();
        post(address, &message, headers).read_to_string(&mut answer).unwrap();
        answer
    };
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let begun = answer(&servers[0].0, initialize, "");
    let id = begun.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
    let session = format!("Mcp-Session-Id: {id}\r\n");
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert!(answer(&servers[0].0, initialized, &session).contains(" 202 "));
    let params = json!({ "name": "add_one", "arguments": { "x": 41 } });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
    let ended = answer(&servers[1].0, call, &session);
    for (_, _, server) in &mut servers {
        server.kill().unwrap();
        server.wait().unwrap();
    }
    assert!(ended.contains(r#""text":"42""#), "{ended}");
    let mut weak = folder.command(&arguments);
    let weak = weak.env("DESK_KEY", "swordfish").output().unwrap();
    let words = String::from_utf8_lossy(&weak.stderr);
    assert!(weak.status.code() == Some(2) && words.contains("`DESK_KEY` of `--key-env`"), "{words}");
    assert!(!words.contains("swordfish"), "{words}");
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
