//! A server that writes its messages by hand, so that they can be wrong in ways that no library writes.

use std::io::{BufRead as _, Write as _};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::asking;

/// The tools, each named after what its answer is.
const TOOLS: &[&str] = &[
    "ask",
    "big",
    "deep",
    "deaf",
    "echo",
    "endless",
    "flood",
    "huge",
    "huge_last",
    "logs",
    "nan",
    "neither",
    "null_id",
    "pretty",
    "progress",
    "says_log",
    "storm",
    "string_id",
    "surrogate",
    "unknown_id",
    "utf8",
    "wait",
    "escapes",
];

/// Serves until its input ends. `note` writes into the log of the test.
pub(crate) fn serve(modes: &[String], note: &dyn Fn(&str)) {
    let has = |word: &str| modes.iter().any(|mode| mode == word);
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let id = &message["id"];
        match message["method"].as_str() {
            Some("initialize") => {
                note(&format!("capabilities {}", message["params"]["capabilities"]));
                let result = json!({
                    "protocolVersion": "2025-06-18",
                    "capabilities": {"tools": {"listChanged": true}, "logging": {}},
                    "serverInfo": {"name": "raw", "version": "1"},
                });
                let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
                if has("pretty-init") {
                    say(format!("{answer:#}").as_bytes());
                } else if has("escapes-init") {
                    let error = json!({"code": -32603, "message": "no \u{1b}[2J\u{202e}licence"});
                    say(json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string().as_bytes());
                } else if has("asks-first") {
                    say(br#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#);
                    say(br#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#);
                    say(answer.to_string().as_bytes());
                } else {
                    say(answer.to_string().as_bytes());
                }
            }
            Some("tools/list") => {
                note("list");
                let tools = match () {
                    () if has("bad-tools") => bad_tools(),
                    () if has("asks") => asking::tools(),
                    () => tools(),
                };
                say(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":{tools}}}}}"#).as_bytes());
            }
            Some("tools/call") => {
                let name = message["params"]["name"].as_str().unwrap_or_default().to_owned();
                note(&name);
                if has("asks") {
                    asking::call(&name, &message);
                } else {
                    call(&name, &message, note);
                }
            }
            Some("notifications/cancelled") => note("cancelled"),
            Some("logging/setLevel") => {
                note(&format!("level {}", message["params"]["level"]));
                say(json!({"jsonrpc": "2.0", "id": id, "result": {}}).to_string().as_bytes());
            }
            // An answer to a request of ours.
            None => {
                note(&format!("answered {line}"));
                if has("asks") {
                    asking::answered(&message);
                }
            }
            Some(_) => {}
        }
    }
}

fn tools() -> String {
    let tool = |name: &&str| json!({"name": name, "description": "Does so.", "inputSchema": {"type": "object", "properties": {}}});
    Value::Array(TOOLS.iter().map(tool).collect()).to_string()
}

/// Two that can be read, among many that cannot.
fn bad_tools() -> String {
    let schema = r#""inputSchema":{"type":"object"}"#;
    let long = "n".repeat(100_000);
    format!(
        r#"[{{"name":"echo",{schema}}},{{"name":5,{schema}}},{{"name":"no_schema"}},{{"name":"bad_schema","inputSchema":[]}},
{{"name":"",{schema}}},{{"name":"bell\u0007",{schema}}},{{"name":"half","description":"\ud800",{schema}}},{{"name":"echo",{schema}}},
{{"name":"{long}",{schema}}},7,{{"name":"late",{schema}}}]"#
    )
    .replace('\n', "")
}

pub(crate) fn say(line: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(line).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
}

#[expect(clippy::too_many_lines, reason = "one arm for each way to be wrong")]
fn call(name: &str, message: &Value, note: &dyn Fn(&str)) {
    let id = &message["id"];
    let done = |text: &str| {
        let result = json!({"content": [{"type": "text", "text": text}]});
        json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
    };
    let with = |text: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":{text}}}]}}}}"#)
    };
    match name {
        "surrogate" => say(with(r#""a\ud800b""#).as_bytes()),
        "nan" => say(with("NaN").as_bytes()),
        "utf8" => {
            let mut line = with(r#""~""#).into_bytes();
            let at = line.iter().position(|byte| *byte == b'~').unwrap_or(0);
            line[at] = 0xff;
            say(&line);
        }
        "deep" => {
            let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
            let result = format!(r#"{{"content":[],"structuredContent":{{"a":{deep}}}}}"#);
            say(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).as_bytes());
        }
        "huge" => say(with(&format!("\"{}\"", "x".repeat(100 << 20))).as_bytes()),
        // As some libraries write it: the id at the end.
        "huge_last" => {
            let text = "x".repeat(20 << 20);
            let result = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
            say(format!(r#"{{"result":{result},"jsonrpc":"2.0","id":{id}}}"#).as_bytes());
        }
        "endless" => {
            let piece = vec![b'x'; 1 << 20];
            let mut out = std::io::stdout().lock();
            while out.write_all(&piece).is_ok() {}
        }
        "pretty" => {
            let answer: Value = serde_json::from_str(&done("here")).unwrap_or_default();
            say(format!("{answer:#}").as_bytes());
        }
        "neither" => say(format!(r#"{{"jsonrpc":"2.0","id":{id}}}"#).as_bytes()),
        "null_id" => {
            let error = json!({"code": -32700, "message": "cannot read this"});
            say(json!({"jsonrpc": "2.0", "id": null, "error": error}).to_string().as_bytes());
        }
        "string_id" => {
            let id_of = format!("\"id\":{id}");
            say(done("text").replace(&id_of, &format!("\"id\":\"{id}\"")).as_bytes());
        }
        "unknown_id" => {
            say(done("another").replace(&format!("\"id\":{id}"), "\"id\":987654").as_bytes());
            say(done("right").as_bytes());
        }
        "says_log" => {
            for line in ["INFO called", "{'level': 1}", r#"{"level":"info"}"#, "[1, 2]", "", "{ open"] {
                say(line.as_bytes());
            }
            say(done("logged").as_bytes());
        }
        "escapes" => {
            let error =
                json!({"code": 1, "message": "\u{1b}]0;owned\u{7} \u{202e}no", "data": "x".repeat(1 << 20)});
            say(json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string().as_bytes());
        }
        "big" => {
            let list = vec!["0"; 6_500_000].join(",");
            let result = format!(r#"{{"content":[],"structuredContent":{{"list":[{list}]}}}}"#);
            say(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).as_bytes());
        }
        // Requests without end, and no look at the answers.
        "ask" => {
            let mut out = std::io::stdout().lock();
            for number in 0_u64.. {
                if writeln!(out, r#"{{"jsonrpc":"2.0","id":{number},"method":"ping"}}"#).is_err() {
                    std::process::exit(0);
                }
            }
        }
        "deaf" => std::thread::sleep(Duration::from_mins(10)),
        "flood" => {
            let line = vec![b'e'; 1 << 20];
            let mut err = std::io::stderr().lock();
            for _ in 0..50 {
                let _ = err.write_all(&line);
            }
            say(done("dry").as_bytes());
        }
        "storm" | "progress" => {
            let token = &message["params"]["_meta"]["progressToken"];
            let told = match name {
                "storm" => json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}),
                _ => {
                    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": 1}})
                }
            };
            let told = told.to_string();
            let begun = Instant::now();
            let mut count = 0;
            while begun.elapsed() < Duration::from_secs(2) {
                say(told.as_bytes());
                count += 1;
            }
            note(&format!("told {count}"));
            say(done("over").as_bytes());
        }
        "logs" => {
            let log = |level: &str, data: Value| {
                let params = json!({"level": level, "logger": "db\u{1b}[2J", "data": data});
                say(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
                    .to_string()
                    .as_bytes());
            };
            let secret = std::env::var("SECRET").unwrap_or_default();
            log("debug", json!("a debug message"));
            log("notice", json!({"an": "object", "key": secret}));
            log("warning", json!(format!("a warning\nERROR forged {secret}\u{202e}")));
            log("emergency", json!("an emergency"));
            log("info", json!("x".repeat(100_000)));
            say(br#"{"jsonrpc":"2.0","method":"notifications/message","params":[1]}"#);
            say(br#"{"jsonrpc":"2.0","method":"notifications/message"}"#);
            for number in 0..1_000 {
                log("info", json!(format!("flood {number}.")));
            }
            say(done("done").as_bytes());
        }
        "wait" => {}
        _ => say(done("done").as_bytes()),
    }
}
