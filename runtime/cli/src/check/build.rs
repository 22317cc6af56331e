//! Builds the agents that need no servers, as the other commands do: some mistakes are seen only then.

use std::path::PathBuf;
#[cfg(feature = "skills")]
use std::sync::Arc;

#[cfg(feature = "skills")]
use onionskin_cards::{Card, CardError, Problem};

use super::find::Paths;
use super::report::Report;
use crate::agents::{self, AgentArguments};
use crate::program::Program;

/// The agents that are built together: the agents of the cards, and the agents of each workflow.
pub(super) fn groups(program: &Program, found: &Paths, workflows: &[&PathBuf]) -> Vec<AgentArguments> {
    let of = |cards, workflow| AgentArguments { cards, workflow, ..AgentArguments::default() };
    let has_agents = !program.agents.is_empty() || !found.cards.is_empty();
    let cards = has_agents.then(|| of(found.cards.clone(), None));
    cards.into_iter().chain(workflows.iter().map(|folder| of(Vec::new(), Some((*folder).clone())))).collect()
}

/// Builds those of files that need no servers. A program with agents or a setup of its own can need more than its files say.
///
/// Cancel safety: nothing has to be undone.
pub(super) async fn check(program: &Program, groups: &[AgentArguments], report: &mut Report) {
    if program.setup.is_some() || !program.agents.is_empty() {
        return;
    }
    for agents in groups {
        // The future is large.
        match Box::pin(agents::shown_without_servers(program, agents)).await {
            Ok(Some(app)) => app.shutdown().await,
            Ok(None) => {}
            Err(failure) => report.add_line(failure.text()),
        }
    }
}

/// Reads the skills of the working directory as the first turn of a run does, if an agent has `skills.read`.
///
/// Cancel safety: nothing has to be undone.
#[cfg(feature = "skills")]
pub(super) async fn skills(program: &Program, agents: &[Arc<Card>], report: &mut Report) {
    use onionskin_builtins::skills;
    use onionskin_core::declaration::{AgentDeclaration, DynAgent};
    use onionskin_core::prompt::{Prompt, PromptPart};
    use onionskin_core::{App, RunError, ScriptedModel, ScriptedTurn};

    let named = agents.iter().find_map(|card| {
        let tool = card.runtime.iter().find(|tool| tool.value == "skills.read")?;
        Some((card, tool.span.clone()))
    });
    let Some((card, span)) = named.filter(|_| program.setup.is_none()) else { return };
    let reader = DynAgent::new("skills", || {
        let prompt = Prompt::new().text(PromptPart::Instructions, "Read.");
        AgentDeclaration::new().prompt(prompt).runtime_tool(skills::read())
    });
    let model = ScriptedModel::turns([ScriptedTurn::say("Done.")]);
    let Ok(app) = App::builder().dyn_agent(&reader).model(model).build().await else { return };
    if let Err(RunError::ToolDefinition { source, .. }) = app.run("Read.").await {
        let message = format!("`skills.read` finds no skills that can be used: {source}");
        report.add(&CardError::new(card.source.clone(), vec![Problem { message, span }]));
    }
}
