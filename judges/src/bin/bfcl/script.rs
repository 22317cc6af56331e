//! What the model answers.

use std::sync::{Arc, Mutex, PoisonError};

use onionskin::definition::wire_name;
use onionskin::model::{
    Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolResultMessage,
};
use onionskin::{ScriptedModel, ScriptedTurn};

use crate::case::{Case, Shown};

/// The name of the MCP server for the agent.
pub(crate) const SERVER: &str = "bfcl";
/// The name of the source of tools that come later, on the side of the server.
pub(crate) const LATER: &str = "later";

/// The server's name of a tool that comes later.
pub(crate) fn later_name(tool: &str) -> String {
    format!("{LATER}__{tool}")
}

/// A model that plays the case of the moment.
#[derive(Default)]
pub(crate) struct Script(Mutex<Arc<ScriptedModel>>);

impl Script {
    pub(crate) fn begin(&self, case: &Case) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            Arc::new(ScriptedModel::turns(answers(case)));
    }

    pub(crate) fn played(&self) -> Arc<ScriptedModel> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The results that the model got since the last input.
    pub(crate) fn shown(&self) -> Vec<Shown> {
        let requests = self.played().requests();
        let Some(last) = requests.last() else { return Vec::new() };
        let messages = last.messages.iter().rev().take_while(|message| !message.is_input());
        let results = messages.filter_map(|message| match message {
            Message::Tool { results, .. } => Some(results),
            _ => None,
        });
        let mut results: Vec<_> = results.collect();
        results.reverse();
        let shown = |result: &ToolResultMessage| Shown {
            text: result.content.iter().filter_map(|block| block.as_text()).collect(),
            is_error: result.is_error,
        };
        results.into_iter().flatten().map(shown).collect()
    }
}

impl Model for Script {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.played().respond(request, deltas).await
    }
}

/// The answers of all turns.
fn answers(case: &Case) -> Vec<ScriptedTurn> {
    let mut offered_later = Vec::new();
    let mut answers = Vec::new();
    for turn in &case.turns {
        offered_later.extend(turn.new_tools.iter().map(|tool| &tool.name));
        answers.extend(turn.answers.iter().map(|calls| {
            calls.iter().fold(ScriptedTurn::default(), |answer, call| {
                let is_later = offered_later.contains(&&call.tool);
                let tool = if is_later { later_name(&call.tool) } else { call.tool.clone() };
                // The server lists its tools under the names that models see, and the client puts its own name before them.
                answer.and_call(wire_name(&format!("{SERVER}__{}", wire_name(&tool))), call.arguments.clone())
            })
        }));
        answers.push(ScriptedTurn::say("done"));
    }
    answers
}
