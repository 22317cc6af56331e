//! `acp`, with an editor at its standard streams.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::folder::Folder;

/// The program and the editor that started it.
struct Served {
    program: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    requests: u64,
    updates: Vec<Value>,
}

impl Served {
    fn begin(folder: &Folder, card: &str) -> Self {
        let mut command = folder.command(&["acp", "--card", card, "--model", "script:script.yaml"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = command.spawn().unwrap();
        let (input, output) = (program.stdin.take().unwrap(), program.stdout.take().unwrap());
        let output = BufReader::new(output).lines();
        let mut served = Self { program, input, output, requests: 0, updates: Vec::new() };
        served.call("initialize", &json!({ "protocolVersion": 1 }));
        served
    }

    fn write(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.requests += 1;
        let id = self.requests;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The next message that is not an update of a session. All of the output are messages.
    fn message(&mut self) -> Value {
        loop {
            let line = self.output.next().expect("the program is there").unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["method"] != "session/update" {
                return message;
            }
            self.updates.push(message["params"]["update"].clone());
        }
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        let message = self.message();
        assert_eq!(message["id"], id, "{message}");
        message["result"].clone()
    }

    fn session(&mut self) -> Value {
        self.call("session/new", &json!({ "cwd": "/", "mcpServers": [] }))["sessionId"].clone()
    }

    fn said(&self) -> String {
        let chunks = self.updates.iter().filter(|update| update["sessionUpdate"] == "agent_message_chunk");
        chunks.filter_map(|chunk| chunk["content"]["text"].as_str()).collect()
    }

    /// Closes the program's input. Gives its exit code and what it wrote to standard error.
    fn end(self) -> (i32, String) {
        drop(self.input);
        let ended = self.program.wait_with_output().unwrap();
        (ended.status.code().unwrap(), String::from_utf8(ended.stderr).unwrap())
    }
}

fn prompt(session: &Value, text: &str) -> Value {
    json!({ "sessionId": session, "prompt": [{ "type": "text", "text": text }] })
}

#[test]
fn o6_an_editor_talks_with_a_card_and_finds_its_conversations_again() {
    let folder = Folder::adder();
    let mut served = Served::begin(&folder, "cards/adder.md");
    let session = served.session();
    assert_eq!(served.call("session/prompt", &prompt(&session, "41 + 1?"))["stopReason"], "end_turn");
    assert_eq!(served.said(), "Let me see.It is 42.");
    assert_eq!(served.end(), (0, String::new()));

    let id = session.as_str().unwrap();
    assert!(folder.run(&["sessions", "list"]).out.contains(id));
    let mut served = Served::begin(&folder, "cards/adder.md");
    let page = served.call("session/list", &json!({}));
    assert_eq!(
        (&page["sessions"][0]["sessionId"], &page["sessions"][0]["title"]),
        (&session, &json!("41 + 1?"))
    );
    served.call("session/load", &json!({ "sessionId": session, "cwd": "/", "mcpServers": [] }));
    assert_eq!(served.said(), "Let me see.It is 42.");
    assert_eq!(served.end(), (0, String::new()));
}

#[test]
fn o6_an_editor_is_asked_before_a_command_runs() {
    let folder = Folder::new(&[
        ("clerk.md", "---\nruntime: [shell.execute]\n---\nServe.\n"),
        (
            "script.yaml",
            "clerk:\n  - calls: [{ tool: shell_execute, args: { command: \"echo ran > file\" } }]\n  - say: Done.\n",
        ),
    ]);
    for (option, runs) in [("reject", false), ("allow", true)] {
        let mut served = Served::begin(&folder, "clerk.md");
        let session = served.session();
        let id = served.request("session/prompt", &prompt(&session, "Go."));
        let question = served.message();
        assert_eq!(question["method"], "session/request_permission", "{question}");
        assert_eq!(served.updates[0]["kind"], "execute");
        let outcome = json!({ "outcome": { "outcome": "selected", "optionId": option } });
        served.write(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": outcome }));
        assert_eq!(served.message()["id"], id);
        assert_eq!(folder.path("file").exists(), runs);
        assert_eq!(served.end().0, 0);
    }
}

#[test]
fn o6_a_signal_ends_an_agent_of_an_editor() {
    let folder = Folder::adder();
    let served = Served::begin(&folder, "cards/adder.md");
    kill(Pid::from_raw(served.program.id().try_into().unwrap()), Signal::SIGTERM).unwrap();
    let Served { mut program, input, .. } = served;
    assert_eq!(program.wait().unwrap().code(), Some(143));
    drop(input);
}
