//! Answers to questions.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval::Approval;

/// A type of answers that a tool can ask a person for ([`ToolContext::ask`](crate::ToolContext::ask)). Its
/// schema determines which answers fit, and the answer is deserialised from JSON.
///
/// Programs do not implement it: all types with `Deserialize` and `JsonSchema` have it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the answer to a question",
    label = "a person cannot be asked for this type",
    note = "the type of an answer needs `Deserialize` and `JsonSchema`: `#[derive(serde::Deserialize, schemars::JsonSchema)]`; it cannot borrow",
    note = "if nothing else says which type the answer has, name it: `cx.ask::<String>(..)`"
)]
pub trait AnswerType: DeserializeOwned + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> AnswerType for T {}

/// The answer to a [`Question`](super::Question).
///
/// ```
/// use onionskin::approval::Approval;
/// use onionskin::question::Answer;
///
/// assert_eq!(Answer::allow(), Answer::Approval(Approval::Allow));
/// assert_eq!(Answer::value("blue").unwrap(), Answer::Value("blue".into()));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[must_use = "an answer does nothing until it is given"]
#[non_exhaustive]
pub enum Answer {
    /// Whether a call may run. It answers questions of the kind [`Approval`](super::QuestionKind::Approval)
    /// only.
    Approval(Approval),
    /// A value that fits [`Question::answer_schema`](super::Question::answer_schema).
    Value(Value),
    /// The person declines to answer, with an optional reason.
    Declined(Option<String>),
}

impl Answer {
    /// The call runs.
    pub fn allow() -> Self {
        Self::Approval(Approval::Allow)
    }

    /// The call runs with these arguments, a map or a struct, instead of the shown ones
    /// ([`Approval::AllowWith`]).
    ///
    /// ```
    /// use onionskin::question::{Answer, Question, QuestionKind};
    /// use serde_json::json;
    ///
    /// let question = Question::new(QuestionKind::Approval, "pay").with_arguments(json!({ "cents": 500 }));
    /// assert!(question.check(&Answer::allow_with(json!({ "cents": 5 })).unwrap()).is_ok());
    /// assert!(Answer::allow_with(5).is_err());
    /// ```
    ///
    /// # Errors
    /// Returns an error if the arguments cannot be serialised to a JSON object.
    pub fn allow_with(args: impl Serialize) -> Result<Self, serde_json::Error> {
        let args = serde_json::from_value(serde_json::to_value(args)?)?;
        Ok(Self::Approval(Approval::AllowWith(args)))
    }

    /// The call does not run, for this reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Approval(Approval::deny(reason))
    }

    /// A value.
    ///
    /// # Errors
    /// Returns an error if the value cannot be serialised to JSON.
    pub fn value(value: impl Serialize) -> Result<Self, serde_json::Error> {
        serde_json::to_value(value).map(Self::Value)
    }

    /// The person declines to answer, for this reason.
    pub fn declined(reason: impl Into<String>) -> Self {
        Self::Declined(Some(reason.into()))
    }

    /// The kind of answer, for errors.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Approval(_) => "an approval",
            Self::Value(_) => "a value",
            Self::Declined(_) => "a refusal to answer",
        }
    }
}

impl From<Approval> for Answer {
    fn from(approval: Approval) -> Self {
        Self::Approval(approval)
    }
}

impl From<Value> for Answer {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}
