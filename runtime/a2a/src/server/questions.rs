//! Questions of a paused run as a message, and the answers in a message.

use onionskin_core::approval::Approval;
use onionskin_core::question::{Answer, Paused, Question, QuestionKind};
use serde_json::{Value, json};

use crate::wire::{Content, Message, Part};

/// The fields of the values with questions and answers.
const QUESTIONS: &str = "questions";
const ANSWERS: &str = "answers";

/// Declines a question that no client of this protocol can answer, and leaves the others to the client.
pub(super) async fn decline_others(question: Question) -> Option<Answer> {
    match question.kind() {
        QuestionKind::Caller(request) => {
            Some(Answer::declined(format!("a client of A2A does not answer `{}`", request.method())))
        }
        QuestionKind::Approval
        | QuestionKind::Question
        | QuestionKind::External
        | QuestionKind::Component(_) => None,
    }
}

/// The open questions: a text of each, and one value with all that a program needs to answer.
pub(super) fn message(paused: &Paused) -> Vec<Part> {
    let mut parts: Vec<_> = paused.questions().iter().map(|question| Part::text(text(question))).collect();
    let questions: Vec<_> = paused.questions().iter().map(value).collect();
    parts.push(Part::data(json!({ QUESTIONS: questions })));
    parts
}

/// The questions again, behind the reason why a message does not answer them.
pub(super) fn repeated(paused: &Paused, problem: &str) -> Vec<Part> {
    let mut parts = vec![Part::text(problem)];
    parts.extend(message(paused));
    parts
}

/// Whether the arguments of the call are for the client: it approves them, or makes the call in the place of the tool. Those of other
/// calls are of the inside.
fn shows_arguments(kind: &QuestionKind) -> bool {
    match kind {
        QuestionKind::Approval | QuestionKind::External => true,
        QuestionKind::Question | QuestionKind::Component(_) | QuestionKind::Caller(_) => false,
    }
}

/// What a person reads: an approval with the whole call, because its arguments are what is approved.
fn text(question: &Question) -> String {
    match question.kind() {
        QuestionKind::Question | QuestionKind::Component(_) | QuestionKind::Caller(_) => question
            .text()
            .map_or_else(|| format!("`{}` asks for an answer.", question.tool_name()), str::to_owned),
        QuestionKind::External => question.to_line(),
        QuestionKind::Approval => {
            let mut dialogue = question.dialogue();
            // It shows the rest of a long call; a short one is shown already.
            let _ = dialogue.read("s");
            format!("{} ({})", dialogue.line(), dialogue.hint())
        }
    }
}

fn value(question: &Question) -> Value {
    let mut value = json!({
        "key": question.key(),
        "kind": question.kind().word(),
        "tool": question.tool_name(),
        "schema": question.answer_schema(),
    });
    if shows_arguments(question.kind()) {
        value["arguments"] = question.arguments().clone();
    }
    if let Some(text) = question.text() {
        value["text"] = text.into();
    }
    if let QuestionKind::Component(shown) = question.kind() {
        value["component"] = json!({ "name": shown.component(), "payload": shown.payload() });
    }
    value
}

/// The answers in a message, with the keys of their questions.
///
/// # Errors
/// Returns what the client has to write, if the message answers no question or has an answer that does not fit.
pub(super) fn answers(paused: &Paused, message: &Message) -> Result<Vec<(String, Answer)>, String> {
    let mut answers = Vec::new();
    let mut texts = Vec::new();
    for part in &message.parts {
        match part.content() {
            Some(Content::Data(data)) => match data.get(ANSWERS).and_then(Value::as_object) {
                Some(values) => {
                    for (key, value) in values {
                        let question = paused.question(key).ok_or_else(|| unknown(paused, key))?;
                        answers.push((key.clone(), answer(question, value)?));
                    }
                }
                None => {
                    let question = only(paused)?;
                    answers.push((question.key().to_owned(), answer(question, data)?));
                }
            },
            Some(Content::Text(text)) => texts.push(text),
            Some(Content::Raw(_) | Content::Url(_)) | None => {
                return Err("An answer is a text or a value, not a file.".to_owned());
            }
        }
    }
    // A text beside values is for people.
    if answers.is_empty() {
        let question = only(paused)?;
        answers.push((question.key().to_owned(), read(question, &texts.join("\n"))?));
    }
    for (key, answer) in &answers {
        paused.check(key, answer).map_err(|error| sentence(&error))?;
    }
    Ok(answers)
}

/// The question that an answer without a key is for.
fn only(paused: &Paused) -> Result<&Question, String> {
    match paused.questions() {
        [question] => Ok(question),
        several => Err(format!(
            "There are {} open questions: answer them by their keys, with a part of data `{{\"{ANSWERS}\": {{key: value}}}}`.",
            several.len()
        )),
    }
}

/// Why a key is not that of an open question.
fn unknown(paused: &Paused, key: &str) -> String {
    paused.check(key, &Answer::allow()).err().map(|error| sentence(&error)).unwrap_or_default()
}

/// Reads the answer of a person.
fn read(question: &Question, text: &str) -> Result<Answer, String> {
    let mut dialogue = question.dialogue();
    // The message with the question had the whole of it.
    let _ = dialogue.read("s");
    match dialogue.read(text) {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) => Err(format!("Write {}.", dialogue.hint())),
        Err(error) => Err(format!("{} Write {}.", sentence(&error), dialogue.hint())),
    }
}

/// Reads the answer of a program.
fn answer(question: &Question, value: &Value) -> Result<Answer, String> {
    match question.kind() {
        QuestionKind::Approval => match value {
            Value::Bool(true) => Ok(Answer::allow()),
            Value::Bool(false) => Ok(Approval::Deny(None).into()),
            Value::String(text) if text != "allow" => read(question, text),
            other => serde_json::from_value::<Approval>(other.clone()).map(Answer::from).map_err(|_| {
                format!("An approval is `true`, `false`, or fits its schema: {}", question.answer_schema())
            }),
        },
        QuestionKind::Question
        | QuestionKind::External
        | QuestionKind::Component(_)
        | QuestionKind::Caller(_) => {
            let answer = Answer::Value(value.clone());
            // `null` declines, unless it is an answer.
            Ok(if value.is_null() && question.check(&answer).is_err() {
                Answer::Declined(None)
            } else {
                answer
            })
        }
    }
}

/// An error as a sentence.
fn sentence(error: &onionskin_core::question::AnswerError) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
