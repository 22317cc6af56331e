//! A hand-written agent that calls its children itself.

use onionskin::declaration::{AgentDeclaration, HistoryMergeTarget, HistorySource};
use onionskin::event::{Event, EventKind};
use onionskin::model::Message;
use onionskin::run::AgentRun;
use onionskin::{Agent, RunError, ScriptedModel, ScriptedTurn, agent};
use serde_json::json;

agent! {
    Helper { name: "helper", description: "Helps.", instruction: "Help." }
}

/// Asks its child twice, one after the other.
macro_rules! asks_twice {
    ($agent:ident, $name:literal, $source:ident, $target:ident) => {
        struct $agent;

        impl Agent for $agent {
            const NAME: &'static str = $name;
            type State = ();

            fn declare() -> AgentDeclaration {
                AgentDeclaration::new()
                    .child::<Helper>()
                    .history_source(HistorySource::$source)
                    .history_merge_target(HistoryMergeTarget::$target)
            }

            async fn run(run: &AgentRun, _: String) -> Result<String, RunError> {
                let mut answers = Vec::new();
                for input in ["one", "two"] {
                    let output = run.call_tool("agent__helper", json!({ "input": input }).to_string()).await;
                    answers.push(output.unwrap().to_text().into_owned());
                }
                Ok(answers.join(" "))
            }
        }
    };
}

asks_twice!(Forgetting, "forgetting", None, None);
asks_twice!(Keeping, "keeping", Child, Child);
asks_twice!(Sharing, "sharing", Orchestrator, Orchestrator);

fn texts<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Vec<String> {
    messages.into_iter().map(|message| message.to_text().into_owned()).collect()
}

/// The answer, what the child keeps, and what the agent keeps.
async fn ask_twice<A: Agent>() -> (String, Vec<String>, Vec<String>) {
    let model = ScriptedModel::new()
        .agent("helper", [ScriptedTurn::say("re: {input}"), ScriptedTurn::say("again: {input}")]);
    let handle = A::builder().model(model).build().await.unwrap();
    let session = handle.session();
    let mut run = handle.request("go").session(&session).stream();
    let mut names = Vec::new();
    while let Some(Event { agent, kind, .. }) = run.next().await {
        if matches!(kind, EventKind::RunStarted { .. }) {
            names.push(agent.to_string());
        }
    }
    assert_eq!(names[1..], ["helper[1]", "helper[2]"]);
    let answer = run.output().await.unwrap().text;
    (answer, texts(&session.child_history("helper")), texts(&session.history()))
}

#[tokio::test]
async fn a5_a_child_that_is_called_by_hand_leaves_its_conversation_where_its_parent_says() {
    let talk = || ["one", "re: one", "two", "again: two"].map(str::to_owned).to_vec();
    assert_eq!(ask_twice::<Forgetting>().await, ("re: one re: two".to_owned(), vec![], vec![]));
    // The second call goes on where the first one ended.
    assert_eq!(ask_twice::<Keeping>().await, ("re: one again: two".to_owned(), talk(), vec![]));
    assert_eq!(ask_twice::<Sharing>().await, ("re: one again: two".to_owned(), vec![], talk()));
}
