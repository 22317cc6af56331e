//! Answers in several parts. A provider that runs tools of its own can pause, and goes on when it gets back what it has written.

use std::sync::atomic::{AtomicBool, Ordering};

use onionskin_core::model::{Message, ModelDelta, ModelError, ModelRequest, ModelResponse};

use crate::answer::Part;
use crate::carried::Carried;
use crate::exchange;
use crate::target::Target;
use crate::tools::WireTool;

/// How many parts an answer can have.
const PARTS: usize = 10;

/// Sends a request, and asks for the rest of an answer that pauses. The parameters are those of [`exchange::ask`].
pub(crate) async fn ask(
    target: &Target,
    request: &ModelRequest,
    tools: &[WireTool],
    stream: bool,
    marks: Option<bool>,
    deltas: &mut (dyn FnMut(ModelDelta) + Send),
) -> Result<ModelResponse, ModelError> {
    let Part { response: mut whole, mut is_paused } =
        exchange::ask(target, request, tools, stream, marks, deltas).await?;
    for _ in 1..PARTS {
        if !is_paused {
            break;
        }
        let mut next = request.clone();
        next.messages = request.messages.iter().cloned().chain([Message::from(whole.clone())]).collect();
        let (spent, is_shown) = (whole.usage, AtomicBool::new(false));
        let mut show = |delta| match delta {
            ModelDelta::Usage(usage) => {
                let mut all = spent;
                all += usage;
                deltas(ModelDelta::Usage(all));
            }
            ModelDelta::Text(_) | ModelDelta::Reasoning(_) | ModelDelta::ToolCall(_) => {
                is_shown.store(true, Ordering::Relaxed);
                deltas(delta);
            }
        };
        let mut part = exchange::ask(target, &next, tools, stream, marks, &mut show).await;
        // The parts before it are paid for, and a request for the whole answer would pay for them again.
        if part.as_ref().is_err_and(ModelError::is_transient) && !is_shown.load(Ordering::Relaxed) {
            part = exchange::ask(target, &next, tools, stream, marks, &mut show).await;
        }
        let part = part?;
        is_paused = part.is_paused;
        whole = joined(whole, part.response)?;
    }
    Ok(whole)
}

/// The answer of which `first` has no calls.
fn joined(first: ModelResponse, mut rest: ModelResponse) -> Result<ModelResponse, ModelError> {
    let data = [&first, &rest].map(|part| part.provider_data.as_ref());
    rest.provider_data =
        Carried::joined(data, [&first, &rest].map(|part| part.text.len()), rest.tool_calls.len())?;
    rest.text.insert_str(0, &first.text);
    let reasoning = [first.reasoning, rest.reasoning].into_iter().flatten().collect::<String>();
    rest.reasoning = Some(reasoning).filter(|reasoning| !reasoning.is_empty());
    rest.usage += first.usage;
    Ok(rest)
}
