//! T8: a secret shows on no surface, for each way out. In a program of its own: what is logged goes to one place for
//! the whole process.
#![allow(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "tests say what they expect")]
#![allow(clippy::panic, clippy::unused_async, reason = "tests say what they expect")]

mod capture;
mod find;
mod leaks;
#[path = "../shared/logged.rs"]
mod logged;

use std::sync::{Arc, Mutex};

use capture::{Chatty, Recorder};
use find::Haystack;
use leaks::{
    BOUND, BY_HAND, Config, Deep, Desk, FIELD, KEY, MARKER, OWN_HOOK, SECRETS, SERVER, TOOLBOX, Vault, forms,
    log_all,
};
use onionskin::approval::{Approval, ApprovalRequest, Approver};
use onionskin::declaration::AgentBuilder;
use onionskin::event::EventKind;
use onionskin::export::{self, ExportOptions};
use onionskin::mcp::{McpServer, ServerConfig};
use onionskin::{RunError, ScriptedModel, ScriptedTurn, Secret, ToolSpec, tool};
use serde_json::json;

/// What was shown, and whether the marker must be there: it proves that a secret would have been found.
struct Surface {
    name: String,
    text: String,
    marked: bool,
}

#[derive(Default)]
struct Surfaces(Vec<Surface>);

impl Surfaces {
    fn add(&mut self, name: &str, text: impl Into<String>, marked: bool) {
        self.0.push(Surface { name: name.to_owned(), text: text.into(), marked });
    }

    fn debug(&mut self, name: &str, value: &impl std::fmt::Debug, marked: bool) {
        self.add(name, format!("{value:?} {value:#?}"), marked);
    }

    fn check(&self) {
        for Surface { name, text, marked } in &self.0 {
            let hay = Haystack::new(text);
            for secret in SECRETS {
                if let Some(way) = hay.find(secret) {
                    let line = text.lines().find(|line| Haystack::new(line).find(secret).is_some());
                    panic!("`{secret}` shows {way} in {name}: {}", line.unwrap_or(text));
                }
            }
            assert!(!marked || hay.find(MARKER).is_some(), "the marker is not in {name}: {text}");
        }
    }
}

fn config() -> Config {
    let deep = Deep { by_hand: BY_HAND.into(), own_hook: Secret::new(OWN_HOOK.as_bytes().to_vec()) };
    Config { key: FIELD.into(), deep: Arc::new(deep) }
}

fn server() -> ServerConfig {
    ServerConfig::stdio(env!("CARGO_BIN_EXE_fixture"))
        .arg("tells")
        .secret("SECRET", SERVER)
        .env("MODE", MARKER)
}

/// Says what it is given.
#[tool]
fn says(key: &str) -> String {
    format!("{} {}", forms(key), forms(MARKER))
}

/// The same, with a hook of its own, which logs.
#[tool(hooks = [log_all])]
fn says_logged(key: &str) -> String {
    says(key)
}

/// Returns its arguments and its bindings, if a person allows it.
#[tool(approval)]
fn asks(words: &str, key: &str) -> String {
    format!("{words} {}", says(key))
}

/// Keeps what it is shown, and allows everything.
#[derive(Clone, Default)]
struct Shown(Arc<Mutex<String>>);

impl Approver for Shown {
    async fn approve(&self, request: ApprovalRequest) -> Approval {
        let mut shown = self.0.lock().unwrap();
        shown.push_str(&format!("{request:?} {request:#?} {}\n", request.args().text()));
        Approval::Allow
    }
}

/// Tools whose parameter is bound to a secret: one of a server, and two of ours.
async fn specs(surfaces: &mut Surfaces) -> Vec<ToolSpec> {
    let live = McpServer::start("live", server()).await.unwrap();
    let mut echo = live.tool("get_echo").unwrap();
    echo.bind("text", "api.key", None).unwrap();
    let mut says = says::spec();
    says.bind("key", "api.key", None).unwrap();
    let mut says_logged = says_logged::spec();
    says_logged.bind("key", "api.key", None).unwrap();
    for spec in [&echo, &says, &says_logged] {
        spec.state().set_secret("api.key", Secret::new(BOUND.to_owned()));
        spec.state().set("other", MARKER);
        let execution = spec.exec(json!({})).await;
        assert!(!execution.is_error(), "{execution:?}");
        let marked = spec.name().starts_with("says");
        surfaces.debug("an execution", &execution, marked);
        surfaces.add("its text", execution.output().unwrap().to_text(), marked);
        surfaces.debug("a tool as a value", spec, false);
        surfaces.add("its state", spec.state().to_value().to_string(), true);
        surfaces.add("its code", spec.code(), false);
        for export in exports(spec.definition()) {
            surfaces.add("an export", export, false);
        }
    }
    let mut asks = asks::spec();
    asks.bind("key", "api.key", None).unwrap();
    asks.state().set_secret("api.key", Secret::new(BOUND.to_owned()));
    vec![echo, says, says_logged, asks]
}

fn exports(definition: &onionskin::ToolDefinition) -> Vec<String> {
    let options = ExportOptions::new();
    let all = [
        export::openai_chat,
        export::openai_responses,
        export::anthropic,
        export::gemini,
        export::gemini_json_schema,
        export::to_jsonschema,
        export::mcp,
    ];
    let all = all.map(|export| export(definition, &options).unwrap().to_string());
    let texts = [export::to_prompt(definition), export::docstring(definition), format!("{definition:?}")];
    all.into_iter().chain(texts).collect()
}

fn turns() -> Vec<ScriptedTurn> {
    let mut turns = Vec::new();
    for tool in ["field", "keyed", "own_hook", "by_hand", "open"] {
        for how in ["text", "error", "cause", "whole", "retry", "panic", "structured"] {
            turns.push(ScriptedTurn::call(tool, json!({ "how": how })));
        }
    }
    for tool in ["fix__tell", "fix__crash", "says", "says_logged", "live__get_echo"] {
        turns.push(ScriptedTurn::call(tool, json!({})));
    }
    turns.push(ScriptedTurn::call("asks", json!({ "words": all_said() })));
    turns.push(ScriptedTurn::call("agent__child", json!({ "input": MARKER })));
    turns
}

/// A model that says all secrets, as if the people who run it had told it.
fn all_said() -> String {
    let known = SECRETS.iter().filter(|secret| **secret != SERVER);
    known.chain([&MARKER]).map(|value| forms(value)).collect::<Vec<_>>().join(" ")
}

fn desk(script: ScriptedModel, journal: &Recorder) -> (AgentBuilder<Desk>, Arc<ScriptedModel>) {
    let script = Arc::new(script);
    let builder = Desk::builder()
        .model(Chatty(Arc::clone(&script)))
        .state(config())
        .toolbox(Vault { key: TOOLBOX.into() })
        .conceal(&Secret::<String>::from(TOOLBOX))
        .server("fix", server())
        .journal(journal.clone());
    (builder, script)
}

/// Runs the agent to its end and looks everywhere.
async fn run(surfaces: &mut Surfaces, name: &str, turns: Vec<ScriptedTurn>, tools: Vec<ToolSpec>) {
    let journal = Recorder::default();
    let child = [ScriptedTurn::call("keyed", json!({ "how": "text" })), ScriptedTurn::say(all_said())];
    let script = ScriptedModel::new().agent("desk", turns).agent("child", child);
    let (builder, script) = desk(script, &journal);
    let shown = Shown::default();
    let agent = tools.into_iter().fold(builder, AgentBuilder::tool).build().await.unwrap();
    let session = agent.session();
    session.state().set_secret("api.key", Secret::new(KEY.to_owned()));
    session.state().set("other", MARKER);
    let request = agent
        .request(format!("{} {}", forms(FIELD), forms(MARKER)))
        .session(&session)
        .approver(shown.clone());
    surfaces.debug(&format!("{name}: the agent"), &agent, false);
    let mut stream = request.stream();
    let (mut answer, mut reasoning, mut events) = (String::new(), String::new(), String::new());
    while let Some(event) = stream.next().await {
        match &event.kind {
            EventKind::TextDelta { text, .. } => answer.push_str(text),
            EventKind::ReasoningDelta { text, .. } => reasoning.push_str(text),
            _ => {}
        }
        events.push_str(&format!("{event:?}\n{}\n", serde_json::to_string(&event).unwrap()));
    }
    let answers = name == "to the end";
    surfaces.add(&format!("{name}: pieces of the model's text"), answer, answers);
    surfaces.add(&format!("{name}: pieces of its reasoning"), reasoning, answers);
    surfaces.add(&format!("{name}: events"), events, true);
    surfaces.add(&format!("{name}: what an approver is shown"), &**shown.0.lock().unwrap(), answers);
    match stream.output().await {
        Ok(output) => surfaces.debug(&format!("{name}: the output"), &output, true),
        Err(error) => {
            surfaces.debug(&format!("{name}: the error"), &error, true);
            surfaces.add(&format!("{name}: the error"), chain(&error), true);
        }
    }
    // A call that tells the session a secret has no record, and `own_hook` is the only call of its run.
    let is_recorded = name != "abort in own_hook";
    surfaces.add(&format!("{name}: the journal"), journal.text(), is_recorded);
    let requests = script.requests();
    surfaces.add(&format!("{name}: prompts"), serde_json::to_string(&requests).unwrap(), true);
    surfaces.debug(&format!("{name}: prompts"), &requests, true);
    // The history keeps the user's text unchanged.
    let history: Vec<_> = session.history().into_iter().skip(1).collect();
    surfaces.add(&format!("{name}: the history"), serde_json::to_string(&history).unwrap(), true);
    surfaces.add(&format!("{name}: the session's state"), session.state().to_value().to_string(), true);
    surfaces.debug(&format!("{name}: the session"), &(&session, session.state()), false);
    agent.shutdown().await;
}

fn chain(error: &RunError) -> String {
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    causes.map(|error| format!("{error} {error:?}")).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn t8_a_secret_shows_on_no_surface() {
    let logged = capture::log();
    let mut surfaces = Surfaces::default();
    let tools = specs(&mut surfaces).await;
    let all = turns().into_iter().chain([ScriptedTurn::say(all_said())]);
    run(&mut surfaces, "to the end", all.collect(), tools).await;
    for (how, tool) in [("stop", "field"), ("abort", "keyed"), ("abort", "own_hook"), ("stop", "open")] {
        let name = format!("{how} in {tool}");
        run(&mut surfaces, &name, vec![ScriptedTurn::call(tool, json!({ "how": how }))], Vec::new()).await;
    }
    surfaces.debug("the state", &config(), false);
    surfaces.debug("the server", &server(), false);
    surfaces.add("the log", logged.text(), true);
    surfaces.check();
}
