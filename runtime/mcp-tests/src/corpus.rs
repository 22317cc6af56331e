//! A server that does what one case of the corpus says: `fixture corpus FILE CASE`.
//!
//! `corpus/README.md` describes the files.

use std::io::{BufRead as _, Write as _};
use std::time::Duration;

use serde_json::{Map, Value, json};

/// Serves until its input ends. `note` writes into the log of the test.
pub(crate) fn serve(file: &str, case: &str, note: &dyn Fn(&str)) {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let cases: Value = serde_json::from_str(&text).unwrap_or_default();
    let case = cases.as_array().into_iter().flatten().find(|each| each["name"] == case);
    let Some(case) = case else { return eprintln!("{file} has no such case") };
    let mut server = Server { case, tools: first_tools(case), lists: 0, calls: 0, token: Value::Null };
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        server.take(&message, note);
    }
}

/// The tools that the server has at first: one that takes anything, unless the case says otherwise.
fn first_tools(case: &Value) -> Value {
    let any = || json!([{ "name": "t", "description": "Does so.", "inputSchema": { "type": "object" } }]);
    case.get("tools").cloned().unwrap_or_else(any)
}

struct Server<'c> {
    case: &'c Value,
    tools: Value,
    lists: usize,
    calls: usize,
    /// The token of the call that is answered, for reports of progress.
    token: Value,
}

impl Server<'_> {
    fn take(&mut self, message: &Value, note: &dyn Fn(&str)) {
        let id = &message["id"];
        match message["method"].as_str() {
            Some("initialize") => match self.case.get("initialize") {
                Some(steps) => self.play(steps, id),
                None => self.play(&json!([{ "result": self.handshake() }]), id),
            },
            Some("tools/list") => {
                note("list");
                let steps = nth(&self.case["list"], self.lists);
                self.lists += 1;
                match steps {
                    Some(steps) => self.play(&steps, id),
                    None => say(&answer(id, "result", &json!({ "tools": self.tools }))),
                }
            }
            Some("tools/call") => {
                note(&format!("sent {}", message["params"]["arguments"]));
                self.token = message["params"]["_meta"]["progressToken"].clone();
                let steps = nth(&self.case["answers"], self.calls);
                self.calls += 1;
                match steps {
                    Some(steps) => self.play(&steps, id),
                    None => say(&answer(
                        id,
                        "result",
                        &json!({ "content": [{ "type": "text", "text": "done" }] }),
                    )),
                }
            }
            _ => {}
        }
    }

    fn handshake(&self) -> Value {
        let declared = || json!({ "tools": { "listChanged": true } });
        json!({
            "protocolVersion": "2025-06-18",
            "capabilities": self.case.get("capabilities").cloned().unwrap_or_else(declared),
            "serverInfo": { "name": "corpus", "version": "1" },
        })
    }

    fn play(&mut self, steps: &Value, id: &Value) {
        for step in steps.as_array().into_iter().flatten().filter_map(Value::as_object) {
            self.step(step, id);
        }
    }

    fn step(&mut self, step: &Map<String, Value>, id: &Value) {
        for (what, value) in step {
            match what.as_str() {
                "result" | "error" => say(&answer(id, what, value)),
                "handshake" => say(&answer(id, "result", &self.handshake())),
                "line" => say(&self.filled(value.as_str().unwrap_or_default(), id)),
                "part" => write(&self.filled(value.as_str().unwrap_or_default(), id), ""),
                // Parts of a line: texts, and texts that are repeated.
                "line_of" => {
                    let parts = value.as_array().into_iter().flatten().map(|part| match part.as_str() {
                        Some(text) => self.filled(text, id),
                        None => {
                            let times = part["times"].as_u64().and_then(|times| usize::try_from(times).ok());
                            part["repeat"].as_str().unwrap_or_default().repeat(times.unwrap_or_default())
                        }
                    });
                    say(&parts.collect::<String>());
                }
                "notify" => say(&json!({ "jsonrpc": "2.0", "method": value }).to_string()),
                "tools" => self.tools = value.clone(),
                "sleep_ms" => std::thread::sleep(Duration::from_millis(value.as_u64().unwrap_or_default())),
                "stderr" => eprintln!("{}", value.as_str().unwrap_or_default()),
                "exit" => {
                    std::process::exit(value.as_i64().and_then(|code| i32::try_from(code).ok()).unwrap_or(1))
                }
                other => say(&format!("no step `{other}`")),
            }
        }
    }

    /// The text with the id of the request and the token of the call in it.
    fn filled(&self, text: &str, id: &Value) -> String {
        text.replace("$ID", &id.to_string()).replace("$TOKEN", &self.token.to_string())
    }
}

/// The steps for the n-th request; the last ones for all further requests.
fn nth(all: &Value, at: usize) -> Option<Value> {
    let all = all.as_array()?;
    all.get(at).or_else(|| all.last()).cloned()
}

fn answer(id: &Value, key: &str, value: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, key: value }).to_string()
}

fn say(line: &str) {
    write(line, "\n");
}

fn write(text: &str, end: &str) {
    let mut out = std::io::stdout().lock();
    let text = format!("{text}{end}");
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
