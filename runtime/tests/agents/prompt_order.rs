//! The order of the parts of a prompt by how often they change.

use std::sync::Arc;

use onionskin::declaration::{AgentDeclaration, DynAgent};
use onionskin::prompt::{Prompt, PromptChange, PromptOrder, PromptPart, PromptSource};
use onionskin::servers::BoxError;
use onionskin::{AgentHandle, App, RunContext, ScriptedModel, ScriptedTurn, agent};
use serde::{Deserialize, Serialize};

fn model() -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::say("Yes.")])
}

#[derive(Clone, Serialize, Deserialize)]
struct Visit {
    guest: String,
}

fn visit() -> Visit {
    Visit { guest: "Ada".to_owned() }
}

/// The rates of the user's country.
struct Rates;

impl PromptSource for Rates {
    async fn text(&self, run: &RunContext) -> Result<Option<String>, BoxError> {
        Ok(run.user().map(|user| format!("{user} pays 19 %.")))
    }

    fn changes(&self) -> PromptChange {
        PromptChange::EachRun
    }
}

agent! {
    Host {
        role: "the host of {guest}",
        instruction: "Offer tea.",
        markdown: true,
        add_datetime_to_context: true,
        add_name_to_context: true,
        expected_output: "One line.",
        state: Visit,
        prompt_order: by_change,
    }
    Plain { instruction: "Offer tea.", markdown: true, add_location_to_context: true }
}

/// The texts stand in this order.
fn assert_order(prompt: &str, parts: &[&str]) {
    let places: Vec<_> = parts.iter().map(|part| prompt.find(part).ok_or(part)).collect();
    assert!(places.iter().all(Result::is_ok) && places.is_sorted(), "{places:?} in {prompt}");
}

async fn prompt_of(agent: &AgentHandle) -> String {
    agent.system_prompt().await.unwrap().unwrap()
}

#[tokio::test]
async fn a11_parts_that_change_more_often_are_behind_the_others_where_an_agent_says_so() {
    let prompt = Prompt::new()
        .text(PromptPart::Location, "Rome")
        .source(PromptPart::Culture, Rates)
        .source(PromptPart::Memories, |_: &RunContext| "She likes tea.");
    let host = Host::builder().model(model()).state(visit()).prompt(prompt).build().await.unwrap();
    let prompt = host.request("").user("ada").system_prompt().await.unwrap().unwrap();
    assert_order(
        &prompt,
        &[
            // Never.
            "Offer tea.",
            "- Use Markdown",
            "- The user's location is Rome.",
            "- Your name is Host.",
            "One line.",
            // Each run.
            "ada pays 19 %.",
            // Each turn, in the order of the variants.
            "the host of Ada",
            "- The current time is",
            "She likes tea.",
        ],
    );
    assert_eq!(prompt.matches("<additional_information>").count(), 2, "{prompt}");
}

#[tokio::test]
async fn a11_the_order_of_a_request_wins_over_that_of_the_builder_and_of_the_agent() {
    let standard = Prompt::new().order(PromptOrder::Standard);
    let host = Host::builder().model(model()).state(visit()).prompt(standard).build().await.unwrap();
    assert_order(&prompt_of(&host).await, &["the host of Ada", "Offer tea.", "current time", "One line."]);
    let by_change = Prompt::new().order(PromptOrder::ByChange);
    let prompt = host.request("").prompt(by_change).system_prompt().await.unwrap().unwrap();
    assert_order(&prompt, &["Offer tea.", "One line.", "the host of Ada", "current time"]);
}

#[tokio::test]
async fn a11_a_text_of_a_request_changes_with_each_run() {
    let rome = || Prompt::new().text(PromptPart::Location, "Rome");
    let built = Plain::builder().model(model()).prompt(rome().order(PromptOrder::ByChange));
    let agent = built.build().await.unwrap();
    assert_order(&prompt_of(&agent).await, &["Offer tea.", "Rome"]);
    let request = rome().text(PromptPart::Role, "the host").text(PromptPart::Location, "Bern");
    let prompt = agent.request("").prompt(request).system_prompt().await.unwrap().unwrap();
    assert_order(&prompt, &["Offer tea.", "Markdown", "the host", "Bern"]);
}

#[tokio::test]
async fn a11_a_declaration_by_hand_has_an_order() {
    let host = DynAgent::new("host", || {
        AgentDeclaration::new()
            .prompt(Prompt::new().source(PromptPart::Role, |_: &RunContext| "the host"))
            .instruction("Offer tea.")
            .prompt_order(PromptOrder::ByChange)
    });
    let app = App::builder().dyn_agent(&host).model(model()).build().await.unwrap();
    assert_order(&prompt_of(app.entry()).await, &["Offer tea.", "the host"]);
}

#[tokio::test]
async fn o5_a_replay_in_another_order_is_another_prompt() {
    let journal = Arc::new(onionskin::journal::MemoryJournal::default());
    let script = ScriptedModel::turns([ScriptedTurn::say("Yes.")]);
    let host =
        Host::builder().model(script).state(visit()).journal(Arc::clone(&journal)).build().await.unwrap();
    host.request("go").run_id("one").run().await.unwrap();
    host.request("go").run_id("one").run().await.unwrap();
    let standard = Prompt::new().order(PromptOrder::Standard);
    host.request("go").run_id("one").prompt(standard).run().await.unwrap_err();
}

#[test]
fn a11_a_prompt_says_how_often_its_parts_change() {
    let prompt = Prompt::new()
        .text(PromptPart::Role, "a clerk")
        .text(PromptPart::Instructions, "Greet {guest}.")
        .include(PromptPart::DateTime)
        .source(PromptPart::Culture, Rates);
    for (part, changes) in [
        (PromptPart::Role, PromptChange::Never),
        (PromptPart::Instructions, PromptChange::EachTurn),
        (PromptPart::DateTime, PromptChange::EachTurn),
        (PromptPart::Culture, PromptChange::EachRun),
        (PromptPart::Knowledge, PromptChange::Never),
    ] {
        assert_eq!(prompt.changes(part), changes, "{part}");
    }
}
