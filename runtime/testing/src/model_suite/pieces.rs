//! The pieces of an answer, which must add up to it.

use super::answers::add_numbers;
use super::probe::{Check, Failure, Probe, ensure, wrong};
use onionskin_tools::model::{Model, ModelDelta, ModelResponse, ToolCallDelta};

/// The sum of the pieces of an answer.
#[derive(Default)]
pub(super) struct Pieces {
    pub(super) text: String,
    /// Each call with all of its arguments.
    pub(super) calls: Vec<ToolCallDelta>,
}

impl Pieces {
    pub(super) fn add(&mut self, delta: ModelDelta) {
        match delta {
            ModelDelta::Text(piece) => self.text.push_str(&piece),
            ModelDelta::ToolCall(piece) => {
                match self.calls.iter_mut().find(|call| call.id == piece.id && call.name == piece.name) {
                    Some(call) => call.arguments.push_str(&piece.arguments),
                    None => self.calls.push(piece),
                }
            }
            ModelDelta::Reasoning(_) | ModelDelta::Usage(_) => {}
        }
    }

    /// Checks that they add up to the answer, so far as there are any.
    pub(super) fn check(&self, response: &ModelResponse) -> Check {
        ensure(self.text.is_empty() || self.text == response.text, || {
            format!("the pieces add up to {:?}, but the text of the answer is {:?}", self.text, response.text)
        })?;
        for ToolCallDelta { id, name, arguments, .. } in &self.calls {
            let Some(call) = response.tool_calls.iter().find(|call| call.id == *id) else {
                return wrong(format!("there are pieces of a call {id:?}, which the answer does not have"));
            };
            ensure(call.name == *name, || {
                format!("the pieces of the call {id:?} name the tool `{name}`, but it calls `{}`", call.name)
            })?;
            ensure(*call.arguments == **arguments, || {
                format!(
                    "the pieces of the call {id:?} add up to {arguments:?}, but its arguments are {:?}",
                    call.arguments
                )
            })?;
        }
        Ok(())
    }
}

pub(super) async fn streamed_calls<M: Model>(probe: &Probe<'_, M>) -> Check {
    let (response, pieces) = probe.ask_in_pieces(&add_numbers()).await?;
    if pieces.calls.is_empty() {
        return Err(Failure::NotShown("the model passes no piece of its calls to `deltas`"));
    }
    ensure(pieces.calls.len() == response.tool_calls.len(), || {
        format!("there are pieces of {} of {} calls", pieces.calls.len(), response.tool_calls.len())
    })
}
