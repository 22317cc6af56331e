//! The command `serve`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::folder::Folder;

#[test]
fn o1_serve_makes_the_agent_of_a_card_a_server() {
    let folder = Folder::adder();
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
    let card = folder.path("cards/adder.md");
    assert_eq!(entry["args"][2], card.to_str().unwrap(), "{entry}");
}

#[test]
fn o2_a_card_that_changes_is_served_again() {
    let folder = Folder::adder();
    let mut command = folder.command(&["serve", "--card", "cards/adder.md", "--tools"]);
    let mut server =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
    let mut answers = output.lines().map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let mut said = BufReader::new(server.stderr.take().unwrap()).lines().map(Result::unwrap);
    let mut send = |message: Value| input.write_all(format!("{message}\n").as_bytes()).unwrap();
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    send(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }));
    assert_eq!(answers.next().unwrap()["id"], 1);
    send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));

    // A card with a mistake changes nothing.
    let card = folder.path("cards/adder.md");
    let good = std::fs::read_to_string(&card).unwrap();
    folder.write("cards/adder.md", &good.replace("function_tools", "funktion_tools"));
    let warning = said.find(|line| line.starts_with("warning: ")).unwrap();
    assert!(warning.contains("the agents of before are served"), "{warning}");
    let script = folder.read("cards/tools.rhai");
    folder.write("cards/tools.rhai", &script.replace("add_one", "add_two"));
    folder.write("cards/adder.md", &good.replace("add_one", "add_two"));
    assert_eq!(answers.next().unwrap()["method"], "notifications/tools/list_changed");
    send(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }));
    let tools = answers.next().unwrap();
    assert_eq!(tools["result"]["tools"][0]["name"], "add_two", "{tools}");
    server.kill().unwrap();
    server.wait().unwrap();
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
        assert!(ran.words.contains("requires no token"), "{ran:?}");
    }
    let ran = serve(&["--http", "127.0.0.1:0", "--token-env", "NO_SUCH_VARIABLE"]);
    assert!(ran.words.contains("`NO_SUCH_VARIABLE` of `--token-env` has no token"), "{ran:?}");
}

#[test]
fn o6_serve_runs_an_agent_over_plain_http() {
    let folder = Folder::adder();
    let ran = folder.run(&["serve", "--card", "cards/adder.md", "--tools", "--http", "127.0.0.1:0", "--api"]);
    assert_eq!(ran.code, 2, "no agent to run: {ran:?}");
    let ran =
        folder.run(&["serve", "--card", "cards/adder.md", "--http", "127.0.0.1:0", "--sessions", "desk.db"]);
    assert!(ran.words.contains("add `--api`"), "{ran:?}");
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
