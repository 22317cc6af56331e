//! The corpus of servers (`corpus/`): each case is a server that does one thing that servers do, and what an agent makes of it.
//!
//! The agent is a scripted one, so what is compared is what a model is offered and what it reads.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use onionskin::content::ContentBlock;
use onionskin::event::{CallOutcome, EventKind};
use onionskin::export::{Provider, plain_schema};
use onionskin::mcp::ServerConfig;
use onionskin::model::{ModelRequest, ToolDeclaration};
use onionskin::run::StructuredContent;
use onionskin::{ScriptedModel, ScriptedTurn, agent};
use serde_json::{Value, json};

use super::fixture::Log;

/// A case that takes longer has no bound of its own.
const LIMIT: Duration = Duration::from_mins(1);

agent! { Reader { name: "reader", instruction: "Read.", servers: [fix] } }

/// One end of a call, as the model and the program see it.
#[derive(Debug)]
struct Ended {
    text: String,
    kind: Value,
    structured: Value,
}

/// What a case came to.
#[derive(Debug, Default)]
struct Observed {
    start_error: Option<String>,
    requests: Vec<ModelRequest>,
    notices: Vec<String>,
    ended: Vec<Ended>,
    sent: Vec<Value>,
}

impl Observed {
    fn tools(turn: Option<&ModelRequest>) -> Vec<String> {
        let name = |tool: &ToolDeclaration| tool.name.strip_prefix("fix__").unwrap_or(&tool.name).to_owned();
        turn.iter().flat_map(|request| request.tools.iter()).map(name).collect()
    }

    fn tool(&self, name: &str) -> Option<&ToolDeclaration> {
        self.requests.first()?.tools.iter().find(|tool| *tool.name == *format!("fix__{name}"))
    }
}

fn configured(file: &Path, case: &Value, log: &Log) -> ServerConfig {
    let name = case["name"].as_str().unwrap();
    let server = ServerConfig::stdio(env!("CARGO_BIN_EXE_fixture"))
        .arg("corpus")
        .arg(file.to_str().unwrap())
        .arg(name)
        .env("FIXTURE_LOG", log.path());
    let millis = |key: &str, default| Duration::from_millis(case[key].as_u64().unwrap_or(default));
    server.timeout(millis("timeout_ms", 30_000)).start_timeout(millis("start_timeout_ms", 30_000))
}

/// Runs the calls of a case, each in a turn of its own.
async fn play(file: &Path, case: &Value) -> Observed {
    let log = Log::new(&format!("corpus-{}", case["name"].as_str().unwrap()));
    let mut seen = Observed::default();
    let calls = case["calls"].as_array().cloned().unwrap_or_default();
    let turn = |call: &Value| {
        let args = call.get("arguments").cloned().unwrap_or_else(|| json!({}));
        ScriptedTurn::call_unknown(format!("fix__{}", call["tool"].as_str().unwrap_or("t")), args)
    };
    let turns: Vec<_> = calls.iter().map(turn).chain([ScriptedTurn::say("over")]).collect();
    let model = std::sync::Arc::new(ScriptedModel::turns(turns));
    let built = Reader::builder()
        .model(std::sync::Arc::clone(&model))
        .server("fix", configured(file, case, &log))
        .build()
        .await;
    let agent = match built {
        Ok(agent) => agent,
        Err(error) => {
            seen.start_error = Some(error.to_string());
            return seen;
        }
    };
    let mut stream = agent.stream("Go on.");
    while let Some(event) = stream.next().await {
        match event.kind {
            EventKind::Notice { text, .. } => seen.notices.push(text),
            EventKind::ToolFinished { outcome, content, structured, .. } => {
                let kind = match outcome {
                    CallOutcome::Error(kind) => serde_json::to_value(kind).unwrap(),
                    CallOutcome::Ok => Value::Null,
                    other => json!(format!("{other:?}")),
                };
                let structured = match structured {
                    StructuredContent::Apart(value) => Value::clone(&value),
                    _ => Value::Null,
                };
                let text = content.iter().filter_map(ContentBlock::as_text).collect();
                seen.ended.push(Ended { text, kind, structured });
            }
            _ => {}
        }
    }
    seen.requests = model.requests();
    seen.sent = log
        .lines()
        .iter()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("sent ")?).ok())
        .collect();
    agent.shutdown().await;
    seen
}

/// Compares what a case came to with what it expects. Each difference is a line.
fn differences(case: &Value, seen: &Observed) -> Vec<String> {
    let mut wrong = Vec::new();
    let expected = &case["expect"];
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    if let Some(error) = &seen.start_error {
        let parts = texts(&expected["start_error"]);
        if parts.is_empty() || !parts.iter().all(|part| error.contains(part)) {
            wrong.push(format!("it did not start: {error}"));
        }
        return wrong;
    }
    if expected.get("start_error").is_some() {
        wrong.push("it started".to_owned());
    }
    let mut unlike = Vec::new();
    let mut same = |what: &str, found: &Value, wanted: &Value| {
        if found != wanted {
            unlike.push(format!("{what} is {found}, and not {wanted}"));
        }
    };
    if let Some(tools) = expected.get("tools") {
        same("the list of tools", &json!(Observed::tools(seen.requests.first())), tools);
    }
    if let Some(tools) = expected.get("tools_after") {
        same("the last list of tools", &json!(Observed::tools(seen.requests.last())), tools);
    }
    for (name, schema) in expected["schemas"].as_object().into_iter().flatten() {
        let offered = seen.tool(name).map(|tool| Value::clone(&tool.input_schema)).unwrap_or_default();
        same(&format!("the schema of `{name}`"), &offered, schema);
    }
    for (at, call) in case["calls"].as_array().into_iter().flatten().enumerate() {
        let Some(ended) = seen.ended.get(at) else {
            same("the number of calls that ended", &json!(seen.ended.len()), &json!(at + 1));
            break;
        };
        let expected = &call["expect"];
        same(&format!("the kind of call {at} ({})", ended.text), &ended.kind, &expected["kind"]);
        if let Some(text) = expected.get("text") {
            same(&format!("the text of call {at}"), &json!(ended.text), text);
        }
        if let Some(structured) = expected.get("structured") {
            same(&format!("the value of call {at}"), &ended.structured, structured);
        }
        if let Some(sent) = expected.get("sent") {
            same(
                &format!("what was sent by call {at}"),
                seen.sent.get(at).unwrap_or(&json!("nothing")),
                sent,
            );
        }
        for part in texts(&expected["has"]) {
            if !ended.text.contains(&part) {
                wrong.push(format!("the text of call {at} lacks {part:?}: {:?}", short(&ended.text)));
            }
        }
        // What a model reads is never empty and never endless.
        if ended.text.trim().is_empty() {
            wrong.push(format!("the text of call {at} is empty"));
        }
    }
    wrong.append(&mut unlike);
    let mut notices = seen.notices.clone();
    for part in texts(&expected["notices"]) {
        match notices.iter().position(|notice| notice.contains(&part)) {
            Some(at) => _ = notices.remove(at),
            None => wrong.push(format!("no notice has {part:?}: {:?}", seen.notices)),
        }
    }
    wrong.extend(notices.iter().map(|notice| format!("a notice that was not expected: {notice}")));
    for tool in seen.requests.iter().flat_map(|request| request.tools.iter()) {
        wrong.extend(refused_by_providers(tool));
    }
    wrong
}

/// The rules that providers have for tools that are not strict.
fn refused_by_providers(tool: &ToolDeclaration) -> Option<String> {
    let schema = match plain_schema(Provider::OPENAI, tool) {
        Ok(schema) => schema,
        Err(error) => return Some(error.to_string()),
    };
    let rejected = ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"];
    let is_plain = schema["type"] == "object"
        && schema["properties"].is_object()
        && rejected.iter().all(|key| schema.get(*key).is_none());
    let word = |name: &String| {
        (1..=64).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
    };
    let names = schema["properties"].as_object().into_iter().flatten().all(|(name, _)| word(name));
    let is_schema = jsonschema::draft202012::meta::is_valid(&schema) && lists_have_items(&schema);
    (!is_plain || !names || !is_schema).then(|| format!("a provider would refuse `{}`: {schema}", tool.name))
}

fn lists_have_items(schema: &Value) -> bool {
    let is_list = schema["type"] == "array";
    let has_items = schema.get("items").is_some() || schema.get("prefixItems").is_some();
    (!is_list || has_items)
        && match schema {
            Value::Object(fields) => fields.values().all(lists_have_items),
            Value::Array(items) => items.iter().all(lists_have_items),
            _ => true,
        }
}

fn short(text: &str) -> String {
    text.chars().take(400).collect()
}

/// Runs all cases of a file, and fails with all differences.
async fn cases(file: &str, least: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    let names: HashSet<_> = cases.iter().map(|case| case["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), cases.len(), "two cases of {file} have one name");
    assert!(cases.len() >= least, "{file} has only {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let begun = Instant::now();
        let seen = play(&path, case).await;
        let mut of_case = differences(case, &seen);
        if begun.elapsed() > LIMIT {
            of_case.push(format!("it took {:?}", begun.elapsed()));
        }
        wrong.extend(of_case.into_iter().map(|line| format!("{}: {}", case["name"], short(&line))));
    }
    assert!(wrong.is_empty(), "{} differences in {file}:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn a4_corpus_of_results() {
    cases("results.json", 30).await;
}

#[tokio::test]
async fn a4_corpus_of_schemas() {
    cases("schemas.json", 30).await;
}

#[tokio::test]
async fn a4_corpus_of_arguments() {
    cases("arguments.json", 10).await;
}

#[tokio::test]
async fn a4_corpus_of_lists() {
    cases("lists.json", 20).await;
}

#[tokio::test]
async fn a4_corpus_of_lines_and_times() {
    cases("lines.json", 20).await;
}
