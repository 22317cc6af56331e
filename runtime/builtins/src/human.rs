//! `human.input`: asks the person who uses the program.

use std::fmt;

use onionskin_core::{Args, DynTool, Effect, Tool, ToolContext, ToolDefinition, ToolOutput, ToolResult};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::definition::definition as built_in;

/// The arguments, as the schema has them.
#[derive(Deserialize)]
struct Arguments {
    question: String,
    choices: Option<Vec<String>>,
}

/// The characters of a question. A person reads it before the answer, and each program shows it in its own way.
const QUESTION: usize = 4_000;
/// The characters of a choice.
const CHOICE: usize = 400;

fn definition() -> ToolDefinition {
    let description = "Asks the user a question and gives back the answer. Use it if something is missing that only the user knows.";
    let arguments = json!({
        "question": { "type": "string", "minLength": 1, "maxLength": QUESTION, "description": "What the user is asked." },
        "choices": {
            "type": ["array", "null"],
            "items": { "type": "string", "minLength": 1, "maxLength": CHOICE },
            "minItems": 2,
            "maxItems": 20,
            "description": "The answers to choose from; without them the user writes a text."
        }
    });
    let mut definition = built_in(Human::NAME, description, Effect::Pure, &["question"], arguments).asks();
    definition.annotations.open_world = Some(true);
    definition
}

/// The tool `human.input`: asks the user a question, and returns the answer as text. Feature `human-input`.
///
/// It is a [question](onionskin_core::question::Question) as those of any tool: an
/// [`Answerer`](onionskin_core::question::Answerer) answers while the run waits, and without one the run pauses. With `choices` the
/// answer is one of them. A question has at most 4,000 characters, and a choice 400. If the user declines, the model gets a tool error that says so.
///
/// ```
/// use onionskin::question::{Answer, Question};
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
/// use serde_json::json;
///
/// agent! {
///     Baker {
/// #       crate: onionskin,
///         instruction: "Bake.",
///         runtime: [human.input],
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let call = json!({ "question": "Which cake?", "choices": ["apple", "plum"] });
/// let model = ScriptedModel::turns([ScriptedTurn::call("human_input", call), ScriptedTurn::say("One {last} cake.")]);
/// let baker = Baker::builder().model(model).answerer(|question: Question| async move {
///     assert_eq!(question.text(), Some("Which cake?"));
///     assert_eq!(question.answer_schema(), &json!({ "type": "string", "enum": ["apple", "plum"] }));
///     Answer::value("plum").ok()
/// });
/// assert_eq!(baker.run("A cake, please.").await.unwrap().text, "One plum cake.");
/// # });
/// ```
#[derive(Clone)]
pub struct Human {
    definition: ToolDefinition,
}

/// Makes the tool that `agent!` makes of `human.input`.
pub fn input() -> impl DynTool {
    Human::new()
}

impl Default for Human {
    fn default() -> Self {
        Self::new()
    }
}

impl Human {
    /// Makes the tool.
    pub fn new() -> Self {
        Self { definition: definition() }
    }
}

impl Tool for Human {
    const NAME: &'static str = "human.input";
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn run(&self, cx: &ToolContext, args: &mut Args) -> ToolResult {
        let Arguments { question, choices } = args.read()?;
        let schema = match choices {
            Some(choices) => json!({ "type": "string", "enum": choices }),
            None => json!({ "type": "string" }),
        };
        let answer = cx.ask_json(question, schema).await?;
        Ok(ToolOutput::text(if let Value::String(text) = answer { text } else { answer.to_string() }))
    }
}

impl fmt::Debug for Human {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Human").finish_non_exhaustive()
    }
}
