//! Puts the parts of a prompt together.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::date::utc;
use super::part::{Form, PromptPart};
use super::parts::{Content, Prompt};
use onionskin_definitions::error::BoxError;
use onionskin_definitions::json;
use onionskin_tools::context::RunContext;
use onionskin_tools::onion::caught_async;

/// The standard order of the parts. The first part is not here: it replaces all others if it has a text.
const ORDER: [PromptPart; 20] = [
    PromptPart::Description,
    PromptPart::Role,
    PromptPart::Instructions,
    PromptPart::ModelInstructions,
    PromptPart::Markdown,
    PromptPart::DateTime,
    PromptPart::Location,
    PromptPart::Name,
    PromptPart::ToolInstructions,
    PromptPart::ExpectedOutput,
    PromptPart::AdditionalContext,
    PromptPart::Memories,
    PromptPart::Culture,
    PromptPart::SessionSummary,
    PromptPart::Learnings,
    PromptPart::Knowledge,
    PromptPart::ModelSystemMessage,
    PromptPart::OutputSchema,
    PromptPart::ParsedValues,
    PromptPart::SessionState,
];

/// The form of an answer that the model gives as a call.
const ANSWER_IS_CALL: &str =
    "Give your answer as a call of the tool that ends your work. Its parameters are the form of the answer.";

/// Begins the list of the values that a parser reads out of the answer.
const VALUES: &str = "Answer with text, not with JSON. These values are read out of your answer, so it must contain each of them:";

/// The tag of the parts that are lines of a list.
const LIST: &str = "additional_information";

/// The texts that the runtime provides for the parts.
pub(crate) struct Known<'k> {
    pub(crate) name: &'k str,
    pub(crate) description: Option<&'k str>,
    /// The instructions of the tools that are offered.
    pub(crate) tools: Vec<&'k str>,
    pub(crate) model_instructions: Option<Cow<'static, str>>,
    pub(crate) model_system_message: Option<Cow<'static, str>>,
    /// The text that replaces the agent's instruction.
    pub(crate) instruction: Option<&'k Arc<str>>,
    /// Whether the run's answer is a tool call.
    pub(crate) answer_is_call: bool,
    /// The values that a parser reads out of the answer.
    pub(crate) parsed_values: Option<&'k str>,
}

/// A system prompt.
#[derive(Clone, Default)]
pub(crate) struct SystemPrompt {
    pub(crate) text: Option<Arc<str>>,
    /// Its parts, each with the hash of its text.
    pub(crate) parts: Arc<[(PromptPart, u64)]>,
}

/// The part whose text could not be computed.
pub(crate) struct PromptFailure {
    pub(crate) part: PromptPart,
    pub(crate) source: BoxError,
}

impl Known<'_> {
    fn part_text(
        &self,
        part: PromptPart,
        run: Option<&RunContext>,
    ) -> Result<Option<Cow<'_, str>>, BoxError> {
        Ok(match part {
            PromptPart::Description => self.description.map(Cow::Borrowed),
            PromptPart::ModelInstructions => self.model_instructions.clone(),
            PromptPart::ModelSystemMessage => self.model_system_message.clone(),
            PromptPart::Markdown => Some("Use Markdown to format your answers".into()),
            PromptPart::DateTime => Some(utc(std::time::SystemTime::now()).into()),
            PromptPart::Name => Some(self.name.into()),
            PromptPart::ToolInstructions => Some(self.tools.join("\n\n").into()),
            PromptPart::OutputSchema if self.answer_is_call => Some(ANSWER_IS_CALL.into()),
            PromptPart::ParsedValues => self.parsed_values.map(|values| format!("{VALUES}\n{values}").into()),
            PromptPart::SessionState => match run {
                Some(run) => Some(states(run)?.into()),
                None => None,
            },
            PromptPart::SystemMessage
            | PromptPart::Role
            | PromptPart::Instructions
            | PromptPart::Location
            | PromptPart::ExpectedOutput
            | PromptPart::AdditionalContext
            | PromptPart::Memories
            | PromptPart::Culture
            | PromptPart::SessionSummary
            | PromptPart::Learnings
            | PromptPart::Knowledge
            | PromptPart::OutputSchema => None,
        })
    }
}

/// The agent's state and the values of the session, as one JSON object. Values of the session under
/// `onionskin`, where ready-made hooks keep their data, are not included.
fn states(run: &RunContext) -> Result<String, BoxError> {
    let mut values = run.state_json()?;
    if let (Some(values), serde_json::Value::Object(mut session)) =
        (values.as_object_mut(), run.session_state().to_value())
    {
        json::remove(&mut session, "onionskin");
        values.extend(session);
    }
    Ok(serde_json::to_string_pretty(&values)?)
}

impl Prompt {
    /// The system prompt of an agent whose prompt is fixed.
    pub(crate) fn fixed(&self, known: &Known<'_>) -> SystemPrompt {
        let mut text = Assembled::default();
        if known.instruction.is_none() {
            self.add_fixed(PromptPart::SystemMessage, known, &mut text);
        }
        if text.is_empty() {
            for part in self.sorted(ORDER) {
                self.add_fixed(part, known, &mut text);
            }
        }
        text.finish()
    }

    fn add_fixed(&self, part: PromptPart, known: &Known<'_>, text: &mut Assembled) {
        match (self.said(part, known), part) {
            (Content::Text(words), _) => {
                if let Some(words) = words.fixed() {
                    text.add_shared(part, words);
                }
            }
            (Content::Known, PromptPart::Instructions) => text.add_instruction(known),
            (Content::Known, _) => {
                if let Ok(Some(words)) = known.part_text(part, None) {
                    text.add(part, &words);
                }
            }
            (Content::LeftOut | Content::Source(_), _) => {}
        }
    }

    /// The system prompt in a run.
    pub(crate) async fn in_run(
        &self,
        known: &Known<'_>,
        run: &RunContext,
    ) -> Result<SystemPrompt, PromptFailure> {
        let mut text = Assembled::default();
        // An instruction for one turn also takes precedence over a `SystemMessage`.
        let first = known.instruction.is_none().then_some(PromptPart::SystemMessage);
        for part in first.into_iter().chain(self.sorted(ORDER)) {
            let failed = |source| PromptFailure { part, source };
            match (self.said(part, known), part) {
                (Content::Text(words), _) => text.add(part, &words.in_run(run).map_err(failed)?),
                (Content::Known, PromptPart::Instructions) => text.add_instruction(known),
                (Content::Known, _) => {
                    if let Some(words) = known.part_text(part, Some(run)).map_err(failed)? {
                        text.add(part, &words);
                    }
                }
                (Content::Source(source), _) => {
                    // A panic can occur before the first await.
                    let made = caught_async(async { source.text_dyn(run).await }).await;
                    let made = made.unwrap_or_else(|words| Err(format!("it panicked: {words}").into()));
                    if let Some(words) = made.map_err(failed)? {
                        text.add(part, &words);
                    }
                }
                (Content::LeftOut, _) => {}
            }
            if part == PromptPart::SystemMessage && !text.is_empty() {
                break;
            }
        }
        Ok(text.finish())
    }

    fn said(&self, part: PromptPart, known: &Known<'_>) -> &Content {
        let is_known = part == PromptPart::Instructions && known.instruction.is_some()
            || part == PromptPart::OutputSchema && known.answer_is_call && !self.speaks_of(part)
            || part == PromptPart::ParsedValues && known.parsed_values.is_some() && !self.speaks_of(part);
        if is_known { &Content::Known } else { self.content(part) }
    }
}

/// Writes a text in a tag, which it cannot leave.
pub(crate) fn tagged(tag: &str, words: &str) -> String {
    format!("<{tag}>\n{}\n</{tag}>", inside(tag, words))
}

/// The text for the inside of a tag. An end of the tag in it becomes other text.
fn inside(tag: &str, words: &str) -> String {
    let end = format!("</{tag}");
    let mut text = String::with_capacity(words.len());
    let mut rest = words;
    // The tags have ASCII letters, so the positions are those of the lower case too.
    let lower = words.to_ascii_lowercase();
    for (at, _) in lower.match_indices(&end) {
        let (before, after) = rest.split_at(at + 1 - (words.len() - rest.len()));
        text.extend([before, "\\"]);
        rest = after;
    }
    text.push_str(rest);
    text
}

/// Whether a system prompt shows exactly this text of a part.
pub(crate) fn shows(prompt: &str, part: PromptPart, words: &str) -> bool {
    match part.form() {
        Form::Tagged(tag) => prompt.contains(&tagged(tag, words)),
        Form::Plain | Form::Line(_) => prompt.contains(words),
    }
}

/// The text so far.
#[derive(Default)]
struct Assembled {
    text: String,
    /// The only text, as long as there is one.
    only: Option<Arc<str>>,
    in_list: bool,
    parts: Vec<(PromptPart, u64)>,
}

impl Assembled {
    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.only.is_none()
    }

    fn add_instruction(&mut self, known: &Known<'_>) {
        if let Some(instruction) = known.instruction {
            self.add_shared(PromptPart::Instructions, instruction);
        }
    }

    /// Adds a shared text, which is not copied if it is the only one.
    fn add_shared(&mut self, part: PromptPart, words: &Arc<str>) {
        if self.is_empty() && part.form() == Form::Plain && !words.is_empty() {
            self.note(part, words);
            self.only = Some(Arc::clone(words));
        } else {
            self.add(part, words);
        }
    }

    fn add(&mut self, part: PromptPart, words: &str) {
        if words.is_empty() {
            return;
        }
        self.note(part, words);
        if let Some(only) = self.only.take() {
            self.text.push_str(&only);
        }
        if let Form::Line(begin) = part.form() {
            if !self.in_list {
                self.gap();
                // Writing to a string cannot fail.
                let _ = write!(self.text, "<{LIST}>");
                self.in_list = true;
            }
            // One line, so that it cannot look like several.
            let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
            let _ = write!(self.text, "\n- {begin}{}.", inside(LIST, &words));
            return;
        }
        self.end_list();
        self.gap();
        let _ = match part.form() {
            Form::Tagged(tag) => self.text.write_str(&tagged(tag, words)),
            Form::Plain | Form::Line(_) => self.text.write_str(words),
        };
    }

    fn note(&mut self, part: PromptPart, words: &str) {
        let mut hasher = DefaultHasher::new();
        words.hash(&mut hasher);
        self.parts.push((part, hasher.finish()));
    }

    fn gap(&mut self) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
    }

    fn end_list(&mut self) {
        if std::mem::take(&mut self.in_list) {
            let _ = write!(self.text, "\n</{LIST}>");
        }
    }

    fn finish(mut self) -> SystemPrompt {
        self.end_list();
        let text = match self.only {
            Some(only) => Some(only),
            None if self.text.is_empty() => None,
            None => Some(self.text.into()),
        };
        SystemPrompt { text, parts: self.parts.into() }
    }
}

#[cfg(test)]
mod tests {
    use onionskin_vocabulary::agent::Field;
    use onionskin_vocabulary::prompt::PROMPT_FIELDS;

    use super::*;

    #[test]
    fn a11_the_order_of_fields_is_that_of_their_parts() {
        let parts = PROMPT_FIELDS.iter().map(|field| match field {
            Field::Text(field) => PromptPart::from(*field),
            Field::Flag(flag) => PromptPart::from(*flag),
            Field::Part(_) | Field::Setting(_) => panic!("{field} is no part of the prompt"),
        });
        assert!(parts.clone().is_sorted());
        assert!(parts.skip(1).all(|part| ORDER.contains(&part)) && ORDER.is_sorted());
    }
}
