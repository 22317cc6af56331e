//! A workflow of two agents: a tool for agents, a tool that shows a component to a person, and hooks on messages.
//!
//! ```text
//! cargo run -p onionskin-examples --bin onboarding
//! ```
//!
//! A script plays the models' part, and a closure the person's. Each hook prints its place when it runs: the first turn, later turns and
//! the messages between the agents are seen in their order.

use onionskin::message_hooks::{Participant, SentMessage, message_hook};
use onionskin::model::{History, Message};
use onionskin::question::{Answer, AskError, Question, QuestionKind};
use onionskin::ui::ui_tool;
use onionskin::{RunContext, RunError, ScriptedModel, ScriptedTurn, State, ToolContext, agent, tool};
use serde_json::json;

/// Says a text back.
#[tool]
fn echo(text: String) -> String {
    text
}

/// Asks the user for the key of a service.
#[ui_tool(component = "AgentAPIKeyInput", mode = inline)]
async fn request_api_key(cx: &ToolContext, service: String) -> Result<String, AskError> {
    cx.ui().use_ui_tool("api_key_input", "Onboarding", json!({ "service": service })).await
}

#[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Progress {
    message_count: usize,
}

/// Keeps keys out of all messages.
#[message_hook(process_message_before_send)]
fn redact_before_send(sender: &Participant, message: &mut SentMessage, recipient: &Participant) {
    let is_key = |word: &&str| word.starts_with("sk-");
    let words = message.text().split(' ').map(|word| if is_key(&word) { "[key]" } else { word });
    let text = words.collect::<Vec<_>>().join(" ");
    println!("  send {sender} -> {recipient}: {text}");
    message.set_text(text);
}

/// Counts the messages.
#[message_hook(update_agent_state)]
fn update_state(run: &RunContext, progress: &State<Progress>, messages: &History) {
    progress.update(|progress| progress.message_count = messages.len());
    println!("  state of {}: {} messages", run.agent().name(), messages.len());
}

/// Shows what the agent has received.
#[message_hook(process_last_received_message)]
fn read_last(run: &RunContext, message: &Message) {
    println!("  last of {}: {}", run.agent().name(), message.to_text());
}

/// Shows how much the model will read.
#[message_hook(process_all_messages_before_reply)]
fn read_all(run: &RunContext, messages: &History) {
    println!("  all of {}: {} messages", run.agent().name(), messages.len());
}

agent! {
    Guide {
        name: "guide",
        description: "Knows how services are connected.",
        instruction: "Explain.",
        function_tools: [echo],
    }

    pub(crate) Onboarding {
        name: "onboarding",
        instruction: "Connect the user's service. You have read {message_count} messages.",
        state: Progress,
        function_tools: [request_api_key],
        agents: [Guide],
        message_hooks: [redact_before_send, update_state, read_last, read_all],
    }
}

/// What the models say.
pub(crate) fn script() -> ScriptedModel {
    ScriptedModel::new()
        .agent(
            "onboarding",
            [
                ScriptedTurn::call("request_api_key", json!({ "service": "mail" })),
                ScriptedTurn::call("agent__guide", json!({ "input": "Is sk-17 a key for mail?" })),
                ScriptedTurn::say("Connected with sk-17 ."),
                ScriptedTurn::say("You are welcome."),
            ],
        )
        .agent(
            "guide",
            [ScriptedTurn::call("echo", json!({ "text": "It is." })), ScriptedTurn::say("{last}")],
        )
}

/// What the person types into the component.
pub(crate) async fn person(question: Question) -> Option<Answer> {
    let QuestionKind::Component(shown) = question.kind() else { return None };
    println!("  {} ({}) for {}", shown.component(), shown.tool_id(), shown.payload()["service"]);
    Answer::value("sk-17").ok()
}

#[tokio::main]
async fn main() -> Result<(), RunError> {
    let onboarding = Onboarding::builder().model(script()).state(Progress::default()).answerer(person);
    let onboarding = onboarding.build().await?;
    let session = onboarding.session();
    for input in ["Connect my mail.", "Thank you, and forget sk-17 please."] {
        println!("{input}");
        let output = onboarding.request(input).session(&session).run().await?;
        println!("= {} (turns: {})", output.text, output.turns);
    }
    Ok(())
}
