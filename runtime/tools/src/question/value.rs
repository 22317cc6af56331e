//! Questions.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Answer, AnswerError, CallerRequest, UiComponent};
use crate::approval::Approval;
use crate::journal::{StepId, StepKind};
use onionskin_definitions::json::Literals;
use onionskin_definitions::schema;
use onionskin_definitions::secret::{Redact, Redactor, is_masked};
use onionskin_definitions::setters;
use onionskin_definitions::text::first_of;

/// A question for a person: its text, who asks, and which answers fit. It owns its data and can be
/// serialised, so a program can store it and show it elsewhere. The session's secrets are masked.
///
/// A test of an [`Answerer`](super::Answerer) creates one:
///
/// ```
/// use onionskin::question::{Answer, Answerer, Question, QuestionKind};
/// use serde_json::json;
///
/// async fn up_to_a_hundred(question: Question) -> Option<Answer> {
///     Some(if question.arguments()["cents"].as_u64()? <= 100 { Answer::allow() } else { Answer::deny("too much") })
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let question = Question::new(QuestionKind::Approval, "pay").with_arguments(json!({ "cents": 500 }));
/// assert_eq!(up_to_a_hundred.answer(question).await, Some(Answer::deny("too much")));
/// # });
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question(Box<QuestionParts>);

/// The parts of a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuestionParts {
    pub(crate) key: Arc<str>,
    pub(crate) step: StepId,
    pub(crate) kind: QuestionKind,
    pub(crate) agents: Vec<Arc<str>>,
    pub(crate) tool: Arc<str>,
    pub(crate) call_id: Arc<str>,
    pub(crate) arguments: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    pub(crate) answer_schema: Value,
}

/// The kinds of questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// Whether a call may run with its arguments: a tool with `approval`. The answer is an
    /// [`Answer::Approval`].
    Approval,
    /// A question of a tool or a hook ([`ToolContext::ask`](crate::ToolContext::ask)). The answer is a value.
    Question,
    /// A call of a tool that another program executes (`#[tool(external)]`). The answer is its result, a
    /// value.
    External,
    /// A component of a UI tool ([`ToolContext::ui`](crate::ToolContext::ui)). The answer is a value.
    Component(UiComponent),
    /// A request to the program that made the call, such as an MCP client ([`ToolContext::ask_caller`](crate::ToolContext::ask_caller)).
    /// People do not answer it. The answer is a value.
    Caller(CallerRequest),
}

impl QuestionKind {
    /// The word for the kind in messages to programs, as in its JSON.
    ///
    /// ```
    /// use onionskin::question::QuestionKind;
    ///
    /// assert_eq!(QuestionKind::Approval.word(), "approval");
    /// ```
    pub fn word(&self) -> &'static str {
        match self {
            Self::Approval => "approval",
            Self::Question => "question",
            Self::External => "external",
            Self::Component(_) => "component",
            Self::Caller(_) => "caller",
        }
    }
}

impl Question {
    /// Creates a question of this tool, for tests of answerers.
    pub fn new(kind: QuestionKind, tool_name: impl Into<Arc<str>>) -> Self {
        let tool = tool_name.into();
        let step = StepId::new(StepKind::Ask, &tool).in_turn(1, Some(1));
        Self::from_parts(QuestionParts {
            key: step.to_string().into(),
            step,
            answer_schema: default_schema(&kind),
            kind,
            agents: vec!["agent".into()],
            tool,
            call_id: "call_1".into(),
            arguments: json!({}),
            text: None,
        })
    }

    pub(crate) fn from_parts(parts: QuestionParts) -> Self {
        Self(Box::new(parts))
    }

    setters! {
        /// Sets [`text`](Self::text).
        with_text(text: impl Into<String>) => 0.text = Some(text.into());

        /// Sets [`arguments`](Self::arguments).
        with_arguments(arguments: Value) => 0.arguments = arguments;

        /// Sets [`answer_schema`](Self::answer_schema).
        with_answer_schema(schema: Value) => 0.answer_schema = schema;
    }

    /// The key for the answer. It consists of the run id and the position of the call in the run, so it is
    /// the same in a replay.
    pub fn key(&self) -> &str {
        &self.0.key
    }

    /// The step that records the answer.
    pub fn step(&self) -> &StepId {
        &self.0.step
    }

    /// The kind of question.
    pub fn kind(&self) -> &QuestionKind {
        &self.0.kind
    }

    /// The agents from the outermost to the one that makes the call. Children have a number: `London[2]`.
    pub fn agents(&self) -> &[Arc<str>] {
        &self.0.agents
    }

    /// The tool's name as hooks see it.
    pub fn tool_name(&self) -> &str {
        &self.0.tool
    }

    /// The id that the model gave the call.
    pub fn call_id(&self) -> &str {
        &self.0.call_id
    }

    /// The current arguments of the call when it asked, without bound parameters. Secrets are masked, and an
    /// integer that a [`Value`] would round is a string of its digits.
    pub fn arguments(&self) -> &Value {
        &self.0.arguments
    }

    /// The text of the question, or the reason for the approval.
    pub fn text(&self) -> Option<&str> {
        self.0.text.as_deref()
    }

    /// The JSON Schema of the answer: of the value, or of the serialised
    /// [`Approval`](crate::approval::Approval).
    pub fn answer_schema(&self) -> &Value {
        &self.0.answer_schema
    }

    /// Whether `shown` is this question with masked secrets.
    pub(crate) fn is_shown_as(&self, shown: &Self) -> bool {
        let comparable = |question: &Self| {
            let mut parts = question.0.clone();
            if parts.kind == QuestionKind::Approval {
                // It is not shown, and the call checks its arguments.
                parts.answer_schema = Value::Null;
            }
            serde_json::to_value(parts)
        };
        match (comparable(self), comparable(shown)) {
            (Ok(current), Ok(shown)) => is_masked(&shown, &current),
            _ => false,
        }
    }

    /// Checks an answer: its kind, and that its value fits the schema, either directly or after a lossless
    /// conversion (`"3"` for an integer).
    ///
    /// ```
    /// use onionskin::question::{Answer, Question, QuestionKind};
    /// use serde_json::json;
    ///
    /// let question = Question::new(QuestionKind::Question, "order").with_answer_schema(json!({ "type": "integer" }));
    /// assert!(question.check(&Answer::value(3).unwrap()).is_ok());
    /// assert!(question.check(&Answer::value("three").unwrap()).is_err());
    /// assert!(question.check(&Answer::allow()).is_err());
    /// ```
    ///
    /// # Errors
    /// Returns an error if the answer does not fit.
    pub fn check(&self, answer: &Answer) -> Result<(), AnswerError> {
        self.fit(answer.clone()).map(drop)
    }

    /// As [`Self::check`]. Returns the answer with its value converted to the types of the schema.
    pub(crate) fn fit(&self, mut answer: Answer) -> Result<Answer, AnswerError> {
        let key = || self.key().to_owned();
        let (expected, fits) = match self.0.kind {
            QuestionKind::Approval => ("an approval", matches!(answer, Answer::Approval(_))),
            QuestionKind::Question
            | QuestionKind::External
            | QuestionKind::Component(_)
            | QuestionKind::Caller(_) => ("a value", !matches!(answer, Answer::Approval(_))),
        };
        if !fits {
            return Err(AnswerError::WrongKind { key: key(), expected, found: answer.kind() });
        }
        let whole = self.answer_schema();
        let problems = match &mut answer {
            Answer::Value(value) => {
                schema::coerce(value, whole, whole, &Literals::none());
                schema::check(value, whole, whole, "")
            }
            Answer::Approval(Approval::AllowWith(args)) => {
                let mut of_args = whole.pointer(ARGUMENTS).cloned().unwrap_or(Value::Bool(true));
                // An argument that equals the one shown keeps its value. As shown, it may not fit: the digits
                // of a long number.
                for name in args.keys().filter(|name| self.0.arguments.get(name) == args.get(*name)) {
                    if let Some(own) =
                        of_args.get_mut("properties").and_then(|properties| properties.get_mut(name))
                    {
                        *own = Value::Bool(true);
                    }
                }
                schema::check(&Value::Object(args.clone()), &of_args, whole, "")
            }
            Answer::Approval(_) | Answer::Declined(_) => return Ok(answer),
        };
        if problems.is_empty() {
            return Ok(answer);
        }
        let problems = problems.into_iter().map(|problem| problem.for_value().to_string());
        Err(AnswerError::Invalid { key: key(), problems: first_of(problems, "; ") })
    }
}

/// The default schema of the answers to a kind of question.
pub(super) fn default_schema(kind: &QuestionKind) -> Value {
    match kind {
        QuestionKind::Approval => QuestionParts::approval_schema(&json!({ "type": "object" })),
        QuestionKind::Question
        | QuestionKind::External
        | QuestionKind::Component(_)
        | QuestionKind::Caller(_) => json!(true),
    }
}

/// The path of the arguments' schema in the schema of an approval.
const ARGUMENTS: &str = "/oneOf/3/properties/allow_with";

impl QuestionParts {
    /// The schema of an approval, for a call whose arguments have this schema.
    pub(crate) fn approval_schema(args: &Value) -> Value {
        let mut args = args.clone();
        // References begin at the root.
        let defs = args.as_object_mut().and_then(|args| args.remove("$defs"));
        let with = |name: &str, schema: Value| json!({ "type": "object", "properties": { (name): schema }, "required": [name], "additionalProperties": false });
        let mut schema = json!({
            "oneOf": [
                { "const": "allow" },
                with("allow_always", json!({ "enum": ["arguments", "tool"] })),
                with("deny", json!({ "type": ["string", "null"] })),
                with("allow_with", args),
            ],
        });
        if let Some(defs) = defs {
            schema["$defs"] = defs;
        }
        schema
    }

    /// The part of an approval's schema that is the same for all tools.
    pub(crate) fn approval_forms() -> Value {
        let mut schema = Self::approval_schema(&Value::Null);
        if let Some(forms) = schema["oneOf"].as_array_mut() {
            forms.pop();
        }
        schema
    }
}

impl Redact for Question {
    fn redact(&mut self, redactor: &Redactor) {
        self.0.arguments.redact(redactor);
        match &mut self.0.kind {
            QuestionKind::Component(shown) => shown.redact(redactor),
            QuestionKind::Caller(request) => request.redact(redactor),
            QuestionKind::Approval | QuestionKind::Question | QuestionKind::External => {}
        }
        self.0.text.redact(redactor);
        self.0.answer_schema.redact(redactor);
        redactor.redact_id(&mut self.0.call_id);
    }
}
