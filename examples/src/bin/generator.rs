//! A workflow folder, `workflows/Generator`: the compiler reads it, or with `--loaded` the program does while it runs.
//!
//! ```text
//! cargo run -p onionskin-examples --bin generator
//! cargo run -p onionskin-examples --bin generator -- --loaded
//! ```
//!
//! Both print the same. A script plays the models' part, and a closure the person's.

#![allow(clippy::duplicate_mod, reason = "the modules of the compiled workflow are private")]
#![allow(unreachable_pub, reason = "a workflow's items are public in their files")]

use std::error::Error;

use onionskin::declaration::AppBuilder;
use onionskin::loader::{CardLoader, LoadError, Registry};
use onionskin::question::{Answer, Question, QuestionKind};
use onionskin::{ScriptedModel, ScriptedTurn, workflow};
use serde_json::json;

workflow!("workflows/Generator");

// The files of the folder `tools`, for the agents that are loaded. Those that are compiled name them by themselves.
#[path = "../../workflows/Generator/tools/echo_all.rs"]
mod echo_all;
#[path = "../../workflows/Generator/tools/redaction.rs"]
mod redaction;
#[path = "../../workflows/Generator/tools/request_api_key.rs"]
mod request_api_key;
#[path = "../../workflows/Generator/tools/state.rs"]
mod state;

/// The agents of the folder as it is now.
pub(crate) fn loaded() -> Result<AppBuilder, LoadError> {
    let registry = Registry::new()
        .file("workflows/Generator/tools/echo_all.rs", |items| items.tool::<echo_all::echo>())
        .file("workflows/Generator/tools/request_api_key.rs", |items| {
            items.tool::<request_api_key::request_api_key>()
        })
        .file("workflows/Generator/tools/state.rs", |items| items.message_hook::<state::update_state>())
        .file("workflows/Generator/tools/redaction.rs", |items| {
            items.message_hook::<redaction::redact_before_send>()
        });
    let loader = CardLoader::new(registry).base(env!("CARGO_MANIFEST_DIR"));
    Ok(loader.load_workflow("workflows/Generator")?.builder())
}

/// What the models say.
pub(crate) fn script() -> ScriptedModel {
    let ask =
        |agent: &str, input: &str| ScriptedTurn::call(format!("agent__{agent}"), json!({ "input": input }));
    ScriptedModel::new()
        .agent(
            "OrchestratorAgent",
            [
                ScriptedTurn::call("request_api_key", json!({ "service": "mail" })),
                ask("HookAgent", "Announce that mail is connected with {last}."),
                ask("UserFeedbackAgent", "The user reads: {last}"),
                ScriptedTurn::say("Mail is connected."),
                ScriptedTurn::say("The user is content. DONE"),
            ],
        )
        .agent("HookAgent", [ScriptedTurn::say("Mail is connected with sk-17 .")])
        .agent(
            "UserFeedbackAgent",
            [ScriptedTurn::call("echo", json!({ "text": "Content." })), ScriptedTurn::say("{input} {last}")],
        )
}

/// What the person types into the component.
pub(crate) async fn person(question: Question) -> Option<Answer> {
    let QuestionKind::Component(shown) = question.kind() else { return None };
    println!(
        "{} shows {} ({:?}) of {}: {}",
        question.agents().last().map_or("", |agent| agent),
        shown.component(),
        shown.mode(),
        shown.workflow(),
        shown.payload()
    );
    Answer::value(json!({ "key": "sk-17" })).ok()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let is_loaded = std::env::args().any(|argument| argument == "--loaded");
    let app = if is_loaded { loaded()? } else { Generator::builder() };
    let app = app.model(script()).answerer(person).build().await?;
    let session = app.entry().session();
    let first = app.initial_message().unwrap_or_default();
    let output = app.entry().request(first).session(&session).run().await?;
    println!("{} (turns: {})", output.text, output.turns);
    println!("UserFeedbackAgent read {} messages.", session.state().get("message_count").unwrap_or_default());
    Ok(())
}
