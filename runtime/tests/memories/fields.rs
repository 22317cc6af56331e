//! The fields of agents that are parts of the prompt from a source.

use onionskin::declaration::AgentDeclaration;
use onionskin::prompt::{Prompt, PromptPart, PromptSource};
use onionskin::servers::BoxError;
use onionskin::{
    Agent, AgentHandle, App, BuildError, RunContext, RunError, ScriptedModel, ScriptedTurn, agent,
};

agent! {
    Plain { instruction: "Answer." }
    Remembering { instruction: "Answer.", add_memories_to_context: true }
    Cultured { instruction: "Answer.", add_culture_to_context: true }
    Summarized { instruction: "Answer.", add_session_summary_to_context: true }
    Learning { instruction: "Answer.", add_learnings_to_context: true }
    Searching { instruction: "Answer.", search_knowledge: true }
    Off {
        instruction: "Answer.", add_memories_to_context: false, add_culture_to_context: false,
        add_session_summary_to_context: false, add_learnings_to_context: false, search_knowledge: false,
    }
}

/// As `Remembering`, written by hand.
struct ByHand;

impl Agent for ByHand {
    type State = ();
    const NAME: &'static str = "ByHand";

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().instruction("Answer.").prompt(Prompt::new().include(PromptPart::Memories))
    }
}

fn model() -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::say("Yes.")])
}

/// What the source knows of a user.
struct Known;

impl PromptSource for Known {
    async fn text(&self, run: &RunContext) -> Result<Option<String>, BoxError> {
        Ok(run.user().map(|user| format!("All about {user}.")))
    }
}

#[tokio::test]
async fn a11_a_part_from_a_source_is_a_field_and_without_the_source_an_error() {
    let rows = [
        ("Remembering", PromptPart::Memories, "add_memories_to_context", "memories"),
        ("ByHand", PromptPart::Memories, "add_memories_to_context", "memories"),
        ("Cultured", PromptPart::Culture, "add_culture_to_context", "culture"),
        ("Summarized", PromptPart::SessionSummary, "add_session_summary_to_context", "session_summary"),
        ("Learning", PromptPart::Learnings, "add_learnings_to_context", "learnings"),
        ("Searching", PromptPart::Knowledge, "search_knowledge", "knowledge"),
    ];
    let app = |agent: &str| {
        let app = App::builder().model(model());
        match agent {
            "Remembering" => app.agent::<Remembering>(),
            "ByHand" => app.agent::<ByHand>(),
            "Cultured" => app.agent::<Cultured>(),
            "Summarized" => app.agent::<Summarized>(),
            "Learning" => app.agent::<Learning>(),
            _ => app.agent::<Searching>(),
        }
    };
    for (name, part, field, tag) in rows {
        let error = app(name).build().await.unwrap_err();
        assert!(matches!(error, BuildError::NoPromptText { part: of, .. } if of == part), "{error:?}");
        let text = error.to_string();
        assert!(text.contains(&format!("(`{field}: true`)")), "{text}");
        assert!(text.contains(&format!("`.prompt(Prompt::new().source(PromptPart::{part}, ..))`")), "{text}");
        let source = Prompt::new().source(part, Known);
        let app = app(name).for_agent(name, |agent| agent.prompt(source)).build().await.unwrap();
        let agent = app.agent(name).unwrap();
        let shown = agent.request("").user("ada").system_prompt().await.unwrap().unwrap();
        assert_eq!(shown, format!("Answer.\n\n<{tag}>\nAll about ada.\n</{tag}>"));
        // The source has nothing to say.
        assert_eq!(agent.system_prompt().await.unwrap().unwrap(), "Answer.");
        // A request can leave the part out.
        let without = agent.request("").user("ada").prompt(Prompt::new().leave_out(part));
        assert_eq!(without.system_prompt().await.unwrap().unwrap(), "Answer.");
    }
}

#[tokio::test]
async fn a11_a_part_that_is_false_is_left_out() {
    let of = async |agent: AgentHandle| agent.request("").user("ada").system_prompt().await.unwrap().unwrap();
    assert_eq!(of(Off::builder().model(model()).build().await.unwrap()).await, "Answer.");
    for part in [
        PromptPart::Memories,
        PromptPart::Culture,
        PromptPart::SessionSummary,
        PromptPart::Learnings,
        PromptPart::Knowledge,
    ] {
        let off = Off::builder().model(model()).prompt(Prompt::new().source(part, Known));
        let error = off.build().await.unwrap_err();
        let is_it =
            matches!(error, BuildError::UnusedPromptPart { part: of, is_left_out: true, .. } if of == part);
        assert!(is_it && error.to_string().contains(": false`)"), "{error}");
    }
    assert_eq!(of(Plain::builder().model(model()).build().await.unwrap()).await, "Answer.");
}

#[tokio::test]
async fn a11_a_request_that_includes_a_part_without_a_source_fails_before_the_model() {
    let agent = Plain::builder().model(model()).build().await.unwrap();
    let error =
        agent.request("go").prompt(Prompt::new().include(PromptPart::Learnings)).run().await.unwrap_err();
    assert!(matches!(error, RunError::WrongPrompt(_)), "{error:?}");
    assert!(error.to_string().contains("`add_learnings_to_context: true`"), "{error}");
}
