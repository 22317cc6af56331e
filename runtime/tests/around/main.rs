//! Hooks around runs, turns and messages.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests say what they expect")]
#![allow(clippy::needless_pass_by_value, clippy::unused_async, reason = "tests say what they expect")]

#[path = "../shared/answers.rs"]
mod answers;
#[path = "../shared/log.rs"]
mod log;
mod message_hook_macro;
mod message_hooks;
mod registered_hooks;
mod run_hook_macro;
mod run_hooks;
mod run_hooks_built;
mod summaries;
mod trimming;
mod turn_hook_macro;
mod turn_hooks;

use onionskin::run_hooks::BoxError;
use onionskin::{ScriptedModel, ScriptedTurn};
use serde_json::json;

/// A hook that fails in one way.
type Fault = fn() -> Result<(), BoxError>;

/// The faults of a hook, each with the text that reports it.
const FAULTS: [(Fault, &str); 2] =
    [(|| Err("no more".into()), "no more"), (|| panic!("no more"), "it panicked: no more")];

/// A script in which `Parent` passes `y` to `Child` and gives back its answer, which is this.
fn asks_a_child(answer: &str) -> ScriptedModel {
    let call = ScriptedTurn::call("agent__Child", json!({ "input": "y" }));
    ScriptedModel::new()
        .agent("Parent", [call, ScriptedTurn::say("{last}")])
        .agent("Child", [ScriptedTurn::say(answer)])
}
