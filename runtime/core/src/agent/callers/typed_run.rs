//! Outputs and streams of runs with a typed answer.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use onionskin_definitions::json::partial_value;
use onionskin_tools::event::{Event, RunOutput, TurnChange, TurnText};
use onionskin_tools::model::ResponseSchema;
use serde_json::Value;

use crate::agent::error::run_error::RunError;
use crate::agent::form::answer_form::TypedAnswer;

use super::stream::RunStream;

/// The output of a run whose answer has a type: [`RunRequest::run_as`](crate::agent::RunRequest::run_as).
///
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Report {
///     title: String,
///     words: u32,
/// }
///
/// agent! { Desk { instruction: "Report." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say(r#"{"title": "Tides", "words": 3}"#)]);
/// let desk = Desk::builder().model(model).build().await.unwrap();
/// let run = desk.run_as::<Report>("On tides.").await.unwrap();
/// assert_eq!((&*run.answer.title, run.answer.words), ("Tides", 3));
/// assert_eq!((run.output.turns, &*run.output.text), (1, r#"{"title": "Tides", "words": 3}"#));
/// # });
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TypedRunOutput<T> {
    /// The answer.
    pub answer: T,
    /// The sum of the run's events, with the reason why the model stopped. Its text is the answer as JSON.
    pub output: RunOutput,
}

/// A run in progress whose answer has a type: a stream of its events, then its output. Polling and dropping
/// work as for a [`RunStream`].
///
/// [`partial`](Self::partial) is the answer so far, after each event.
///
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
///
/// agent! { Clerk { instruction: "Count." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say(r#"{"result": [1, 2]}"#)]);
/// let clerk = Clerk::builder().model(model).build().await.unwrap();
/// let mut run = clerk.request("To two.").stream_as::<Vec<u32>>();
/// while let Some(_) = run.next().await {
///     if let Some(answer) = run.partial() {
///         println!("{answer}");
///     }
/// }
/// assert_eq!(run.output().await.unwrap().answer, [1, 2]);
/// # });
/// ```
#[must_use = "a run makes progress only while its stream is polled: read it with `next`, or call `output`"]
pub struct TypedRunStream<T> {
    stream: RunStream,
    agent: Arc<str>,
    /// The name of the type.
    name: Cow<'static, str>,
    // A pointer, so that only the method that begins the run has bounds on the type, and the compiler reports
    // them once.
    read: fn(&str) -> Result<T, serde_json::Error>,
    /// Whether the value is wrapped in an object. This needs the type's schema, so it is computed with the
    /// first answer.
    is_wrapped: OnceLock<bool>,
    asks_is_wrapped: fn() -> bool,
    turn: TurnText,
    /// The id of the turn's first call that is the answer, with its arguments so far. Text beside it is not the answer.
    answer_call: Option<(Arc<str>, String)>,
}

impl<T> TypedRunStream<T> {
    pub(super) fn new(stream: RunStream, agent: Arc<str>) -> Self
    where
        T: TypedAnswer,
    {
        Self {
            stream,
            agent,
            name: T::schema_name(),
            read: |text| serde_json::from_str(text),
            is_wrapped: OnceLock::new(),
            asks_is_wrapped: || ResponseSchema::from_type::<T>().is_wrapped(),
            turn: TurnText::default(),
            answer_call: None,
        }
    }

    /// The next event; `None` after the end of the run.
    ///
    /// Cancel safety: no event is lost.
    pub async fn next(&mut self) -> Option<Event> {
        let event = self.stream.next().await?;
        self.note(&event);
        Some(event)
    }

    /// The answer so far, from the events that were read: the value of an incomplete JSON text, not checked
    /// against the type. Strings may be cut; other values are complete or missing. An integer that does not
    /// fit into a [`Value`] is a string of its digits. `None` without a value. Each turn starts over.
    ///
    /// Answers that are calls have a partial value only if the model streams calls
    /// ([`ModelDelta::ToolCall`](crate::model::ModelDelta::ToolCall)) and no message hook runs before texts
    /// are sent.
    ///
    /// Each call parses the text of the turn.
    pub fn partial(&self) -> Option<Value> {
        let text = self.answer_call.as_ref().map_or(self.turn.as_str(), |(_, arguments)| arguments);
        let mut value = partial_value(text)?;
        match value.as_object_mut() {
            Some(object) if *self.is_wrapped.get_or_init(self.asks_is_wrapped) => {
                object.remove(ResponseSchema::RESULT)
            }
            _ => Some(value),
        }
    }

    fn note(&mut self, event: &Event) {
        match self.turn.update(event) {
            Some(TurnChange::Started | TurnChange::Restarted(_)) => self.answer_call = None,
            Some(TurnChange::AnswerCall(id, arguments)) => {
                let (first, text) = self.answer_call.get_or_insert_with(|| (Arc::clone(id), String::new()));
                if first == id {
                    text.push_str(arguments);
                }
            }
            Some(TurnChange::Text(_) | TurnChange::Ended | TurnChange::Answered(_)) | None => {}
        }
    }

    /// Runs to the end and returns the answer, with the sum of all events.
    ///
    /// Cancel safety: dropping the future ends the run, as dropping the stream does.
    ///
    /// # Errors
    /// Returns an error if the run ends without an answer; [`RunError::WrongAnswer`] if none of its answers fits the type.
    pub async fn output(self) -> Result<TypedRunOutput<T>, RunError> {
        let output = self.stream.output().await?;
        match (self.read)(&output.text) {
            Ok(answer) => Ok(TypedRunOutput { answer, output }),
            // Reached only by a type that cannot read the same text twice, or if a secret replaces a value.
            Err(error) => Err(RunError::WrongAnswer {
                agent: self.agent,
                output: self.name.as_ref().into(),
                answers: 1,
                problems: error.to_string(),
            }),
        }
    }
}

impl<T> Stream for TypedRunStream<T> {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        let event = ready!(Pin::new(&mut self.stream).poll_next(cx));
        if let Some(event) = &event {
            self.note(event);
        }
        Poll::Ready(event)
    }
}

impl<T> std::fmt::Debug for TypedRunStream<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TypedRunStream").field("agent", &self.agent).finish_non_exhaustive()
    }
}
