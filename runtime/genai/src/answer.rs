//! An answer while it comes, and the rule of its end: what was announced is in it, and an empty one has a reason to be empty.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use onionskin_core::model::{ModelDelta, ModelError, ModelResponse, StopReason, Usage, exact_json};

use crate::bounds;
use crate::calls::{Calls, Finished, Piece};
use crate::carried::{Carried, Place};
use crate::items::Items;
pub(crate) use crate::stop::Stop;
use crate::tools::WireTool;

/// An answer while it comes.
pub(crate) struct Answer<'a> {
    deltas: &'a mut (dyn FnMut(ModelDelta) + Send),
    text: String,
    reasoning: String,
    calls: Calls,
    refused: bool,
    stop: Option<Stop>,
    size: usize,
    /// Whether an event of the protocol has come.
    known: bool,
    /// The JSON that is being read, if it has numbers that a value does not hold.
    source: String,
    pub(crate) usage: Usage,
    /// The usage that was passed on.
    reported: Usage,
    pub(crate) id: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) carried: Carried,
    /// The places of blocks whose pieces come, under the marks of the protocol.
    pub(crate) places: HashMap<String, usize>,
    /// What has come of the items of a protocol that has them.
    pub(crate) items: Items,
}

/// An answer, or the first part of one.
pub(crate) struct Part {
    pub(crate) response: ModelResponse,
    /// Whether the provider goes on when it gets this back.
    pub(crate) is_paused: bool,
}

impl<'a> Answer<'a> {
    pub(crate) fn new(adapter: &str, deltas: &'a mut (dyn FnMut(ModelDelta) + Send)) -> Self {
        Self {
            deltas,
            text: String::new(),
            reasoning: String::new(),
            calls: Calls::default(),
            refused: false,
            stop: None,
            size: 0,
            known: false,
            source: String::new(),
            usage: Usage::default(),
            reported: Usage::default(),
            id: None,
            model: None,
            carried: Carried::new(adapter),
            places: HashMap::new(),
            items: Items::default(),
        }
    }

    /// Makes the tools of the request known. Their names say where the name of a call ends that comes in pieces.
    #[must_use]
    pub(crate) fn with_tools(mut self, tools: &[WireTool]) -> Self {
        self.calls.tools.extend(tools.iter().map(|tool| Arc::clone(&tool.name)));
        self
    }

    /// Notes that an event of the protocol has come.
    pub(crate) fn recognise(&mut self) {
        self.known = true;
    }

    pub(crate) fn is_known(&self) -> bool {
        self.known
    }

    /// Notes the JSON of the event that is read next.
    pub(crate) fn read_from(&mut self, source: &str) {
        self.source.clear();
        if has_many_digits(source) {
            self.source.push_str(source);
        }
    }

    /// The text of arguments that came as a value: text as the model wrote it, or the JSON of a value with the digits of its numbers.
    ///
    /// # Errors
    /// Returns an error if the digits of a number cannot be determined.
    pub(crate) fn argument_text(&self, value: Option<&Value>) -> Result<String, ModelError> {
        match value {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(value) => exact_json(value, &self.source),
        }
    }

    /// Counts what the answer keeps.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), ModelError> {
        self.size = self.size.saturating_add(bytes);
        if self.size > bounds::CONTENT {
            let most = bounds::CONTENT >> 20;
            return Err(ModelError::Malformed(format!("its texts are larger than {most} MiB")));
        }
        Ok(())
    }

    pub(crate) fn text(&mut self, piece: &str) -> Result<(), ModelError> {
        if !piece.is_empty() {
            self.grow(piece.len())?;
            let from = self.text.len();
            self.text.push_str(piece);
            self.carried.text(from, self.text.len());
            (self.deltas)(ModelDelta::Text(piece.to_owned()));
        }
        Ok(())
    }

    /// The text so far.
    pub(crate) fn said(&self) -> &str {
        &self.text
    }

    pub(crate) fn reasoning(&mut self, piece: &str) -> Result<(), ModelError> {
        if !piece.is_empty() {
            self.grow(piece.len())?;
            self.reasoning.push_str(piece);
            (self.deltas)(ModelDelta::Reasoning(piece.to_owned()));
        }
        Ok(())
    }

    /// The whole text, of which pieces have come.
    ///
    /// # Errors
    /// Returns an error if it is another text than its pieces.
    pub(crate) fn whole_text(&mut self, whole: &str) -> Result<(), ModelError> {
        let Some(rest) = whole.strip_prefix(&*self.text) else {
            return Err(ModelError::Incomplete("its whole text is another one than its pieces".to_owned()));
        };
        self.text(rest)
    }

    pub(crate) fn has_reasoning(&self) -> bool {
        !self.reasoning.is_empty()
    }

    /// The bytes of what the answer keeps.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The words with which the model refuses: the text of the answer.
    pub(crate) fn refusal(&mut self, piece: &str) -> Result<(), ModelError> {
        self.refuses(piece);
        self.text(piece)
    }

    /// Notes that the model refuses, if it does so with words.
    pub(crate) fn refuses(&mut self, words: &str) {
        self.refused |= !words.is_empty();
    }

    /// Passes on the usage, if it is another one than before: an answer that fails is billed too. No usage is the sign of a request that
    /// waits, and a provider must not send that.
    pub(crate) fn report_usage(&mut self) {
        if self.usage != self.reported && self.usage != Usage::default() {
            self.reported = self.usage;
            (self.deltas)(ModelDelta::Usage(self.usage));
        }
    }

    /// Data that goes back to the provider.
    pub(crate) fn block(&mut self, block: Value) -> Result<(), ModelError> {
        if self.carried.blocks.len() == bounds::BLOCKS {
            return Err(ModelError::Malformed(format!("it has more than {} blocks", bounds::BLOCKS)));
        }
        self.carried.order.push(Place::Block(self.carried.blocks.len()));
        self.carried.blocks.push(block);
        Ok(())
    }

    /// Open reasoning, which goes back in a field of this name.
    pub(crate) fn reason(&mut self, field: &str, piece: &str) -> Result<(), ModelError> {
        self.reasoning(piece)?;
        if !piece.is_empty() {
            self.carried.reason(field, piece);
        }
        Ok(())
    }

    /// Adds the pieces of calls of an event, whatever marks they have, with what the server wants back with the call.
    pub(crate) fn pieces(&mut self, pieces: Vec<(Piece<'_>, Option<Value>)>) -> Result<(), ModelError> {
        self.calls.events += 1;
        let several = pieces.len() > 1;
        for (place, (piece, extra)) in pieces.into_iter().enumerate() {
            let at = self.calls.call_of(&piece, several.then_some(place))?;
            self.add(at, &piece.id, piece.name, &piece.arguments)?;
            if let Some(extra) = extra {
                self.grow(extra.to_string().len())?;
                self.calls.sign(at, extra);
            }
        }
        Ok(())
    }

    /// Begins a call, which the protocol can mark with a key. `open` says that the protocol will say where the call ends.
    pub(crate) fn begin(
        &mut self,
        key: Option<&str>,
        id: &str,
        name: &str,
        open: bool,
    ) -> Result<usize, ModelError> {
        let at = self.calls.begin(key.map(str::to_owned), open)?;
        self.carried.order.push(Place::Call(at));
        self.add(at, id, name, "")?;
        Ok(at)
    }

    /// A call that came as a whole.
    pub(crate) fn call(
        &mut self,
        id: &str,
        name: &str,
        arguments: Option<&Value>,
    ) -> Result<usize, ModelError> {
        let arguments = self.argument_text(arguments)?;
        let at = self.calls.begin(None, false)?;
        self.carried.order.push(Place::Call(at));
        self.add(at, id, name, &arguments)?;
        Ok(at)
    }

    /// Adds to a call that has begun.
    pub(crate) fn add(&mut self, at: usize, id: &str, name: &str, arguments: &str) -> Result<(), ModelError> {
        self.grow(id.len() + name.len() + arguments.len())?;
        if let Some(piece) = self.calls.add(at, id, name, arguments) {
            (self.deltas)(ModelDelta::ToolCall(piece));
        }
        Ok(())
    }

    pub(crate) fn calls(&mut self) -> &mut Calls {
        &mut self.calls
    }

    /// Notes why the model stopped. Of several reasons, the one counts that says most of what the answer lacks.
    pub(crate) fn stop(&mut self, stop: Stop) {
        if self.stop.as_ref().is_none_or(|before| before.weight() < stop.weight()) {
            self.stop = Some(stop);
        }
    }

    pub(crate) fn has_stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// Says that the server has written the end of the stream. Some servers give no reason to stop before it.
    pub(crate) fn is_through(&mut self) {
        self.stop.get_or_insert(Stop::Unsaid);
    }

    /// Says that a whole document has come. Some servers give no reason to stop in it.
    pub(crate) fn ends(&mut self) {
        self.stop.get_or_insert(Stop::Done);
    }

    /// The answer at its end.
    ///
    /// # Errors
    /// Returns an error if it has no end, if it lacks a call that it announced, or if it is empty without a reason.
    pub(crate) fn finish(mut self) -> Result<Part, ModelError> {
        // Some proxies end a stream in order when their provider fails.
        let Some(stop) = self.stop.take() else { return Err(self.broken_off()) };
        let Finished { calls, signatures, rests } =
            std::mem::take(&mut self.calls).finish(!stop.is_whole() || stop == Stop::Unsaid)?;
        let empty = self.text.trim().is_empty() && calls.is_empty();
        match &stop {
            Stop::Calls if calls.is_empty() => {
                return Err(ModelError::Incomplete("it stops to call tools, and has no call".to_owned()));
            }
            Stop::Done if empty => {
                return Err(ModelError::Incomplete("it is empty, and the model gives no reason".to_owned()));
            }
            Stop::Other(reason) if !calls.is_empty() => {
                return Err(ModelError::Incomplete(format!(
                    "it has tool calls, and the model stopped with `{reason}`, which does not say that they are whole"
                )));
            }
            Stop::Unsaid if empty => {
                return Err(ModelError::Incomplete(
                    "it is empty, and the server gives no `finish_reason`".to_owned(),
                ));
            }
            Stop::Unsaid if !calls.iter().all(|call| is_object(&call.arguments)) => {
                return Err(ModelError::Incomplete(
                    "the server ended it without a `finish_reason`, and the arguments of a call are not whole".to_owned(),
                ));
            }
            Stop::Early(reason) | Stop::Other(reason) if empty => {
                return Err(ModelError::Incomplete(format!(
                    "it is empty; the model stopped with `{reason}`"
                )));
            }
            Stop::Paused if empty && self.carried.blocks.is_empty() => {
                return Err(ModelError::Incomplete("it pauses before it has anything".to_owned()));
            }
            Stop::Done
            | Stop::Calls
            | Stop::Length
            | Stop::Filter
            | Stop::Refusal
            | Stop::Early(_)
            | Stop::Paused
            | Stop::Unsaid
            | Stop::Other(_) => {}
        }
        rests.into_iter().map(ModelDelta::ToolCall).for_each(self.deltas);
        // What it calls has to be answered first.
        let is_paused = stop == Stop::Paused && calls.is_empty();
        let mut answer = ModelResponse::text(self.text);
        answer.stop = match stop {
            Stop::Length => StopReason::Length,
            Stop::Filter => StopReason::ContentFilter,
            Stop::Refusal => StopReason::Refusal,
            Stop::Early(_) | Stop::Paused => StopReason::Incomplete,
            _ if self.refused => StopReason::Refusal,
            // Some servers say "stop" although they call tools.
            _ if !calls.is_empty() => StopReason::ToolCalls,
            Stop::Done | Stop::Calls => StopReason::Done,
            Stop::Unsaid | Stop::Other(_) => StopReason::Other,
        };
        answer.reasoning = Some(self.reasoning).filter(|reasoning| !reasoning.is_empty());
        answer.provider_data = self.carried.finish(signatures, !calls.is_empty())?;
        answer.tool_calls = calls;
        answer.usage = self.usage;
        answer.id = self.id;
        answer.model = self.model;
        Ok(Part { response: answer, is_paused })
    }

    /// The error for an answer that ended too early.
    pub(crate) fn broken_off(&self) -> ModelError {
        ModelError::Transport(format!(
            "the stream ended before the answer did, after {} characters of text{}",
            self.text.chars().count(),
            if self.calls.is_empty() { "" } else { " and the beginning of a tool call" }
        ))
    }
}

/// The error of an answer that has something for which a response has no place.
pub(crate) fn unread(what: &str) -> ModelError {
    ModelError::Malformed(format!(
        "it has {what}, which is not read here; ask for an answer of text and calls of the agent's tools"
    ))
}

fn is_object(json: &str) -> bool {
    serde_json::from_str::<Map<String, Value>>(json).is_ok()
}

/// Whether a JSON text can have a number of more digits than a value holds.
pub(crate) fn has_many_digits(json: &str) -> bool {
    let is_number = |mark: char| mark.is_ascii_digit() || matches!(mark, '.' | 'e' | 'E' | '+' | '-');
    json.split(|mark| !is_number(mark)).any(|run| run.len() > 15)
}
