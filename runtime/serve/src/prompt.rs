//! Prompts that a server offers.

use std::fmt;
use std::sync::Arc;

use onionskin_core::content::ContentBlock;
use onionskin_core::spec::ToolValue;
use onionskin_core::{AgentHandle, ToolSpec};
use serde_json::Value;

/// A message of a prompt.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PromptMessage {
    /// Said by the user.
    User(ContentBlock),
    /// Said by the model.
    Assistant(ContentBlock),
}

impl PromptMessage {
    /// A message of the user.
    pub fn user(content: impl Into<ContentBlock>) -> Self {
        Self::User(content.into())
    }

    /// A message of the model.
    pub fn assistant(content: impl Into<ContentBlock>) -> Self {
        Self::Assistant(content.into())
    }
}

/// An argument of a prompt.
#[derive(Debug, Clone)]
pub(crate) struct Argument {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) required: bool,
    /// The values that a client may suggest.
    pub(crate) values: Vec<String>,
}

/// A prompt that a person chooses in a client, such as a command with arguments. Its messages are a text with places, `{topic}`, or a
/// function of the arguments.
///
/// ```
/// use onionskin::serve::Prompt;
///
/// let review = Prompt::new("review", "Reviews a change.", "Review this change for {focus}:\n{diff}")
///     .argument("diff", "The change.")
///     .optional_argument("focus", "What to look at.")
///     .values("focus", ["safety", "speed"]);
/// assert_eq!(review.name(), "review");
/// ```
#[derive(Clone)]
pub struct Prompt {
    name: String,
    title: Option<String>,
    description: String,
    arguments: Vec<Argument>,
    source: MessageSource,
}

/// Where the messages of a prompt come from.
#[derive(Clone)]
pub(crate) enum MessageSource {
    /// A function of the arguments.
    Function(Arc<MessageFn>),
    /// The content of a tool's output: each block is a message of the user.
    Tool(ToolSpec),
    /// The system prompt of an agent.
    Agent(AgentHandle),
}

pub(crate) type MessageFn = dyn Fn(&[(String, String)]) -> Vec<PromptMessage> + Send + Sync;

impl Prompt {
    /// Creates a prompt of one message of the user. A place `{name}` in the text is replaced by the argument with this name, or by
    /// nothing if the client leaves it out.
    pub fn new(name: impl Into<String>, description: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::with_messages(name, description, move |arguments| {
            vec![PromptMessage::user(ContentBlock::text(filled(&text, arguments)))]
        })
    }

    /// Creates a prompt whose messages a function makes of the arguments.
    pub fn with_messages(
        name: impl Into<String>,
        description: impl Into<String>,
        messages: impl Fn(&[(String, String)]) -> Vec<PromptMessage> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            arguments: Vec::new(),
            source: MessageSource::Function(Arc::new(messages)),
        }
    }

    /// Creates a prompt that a tool writes: each block of its output is a message of the user. The prompt has the name, the description and
    /// the parameters of the tool, which are texts. The tool may wait, and it may ask.
    ///
    /// ```
    /// use onionskin::serve::Prompt;
    /// use onionskin::tool;
    ///
    /// /// Reviews a change.
    /// #[tool]
    /// async fn review(
    ///     /// The number of the change.
    ///     change: String,
    /// ) -> String {
    ///     format!("Review the change {change}.")
    /// }
    ///
    /// assert_eq!(Prompt::from_tool(review::spec()).name(), "review");
    /// ```
    pub fn from_tool(tool: impl ToolValue) -> Self {
        let tool = tool.tool_value();
        let schema = tool.input_schema();
        let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
        let parameters = schema["properties"].as_object().into_iter().flatten();
        let arguments = parameters.map(|(name, parameter)| Argument {
            name: name.clone(),
            description: parameter["description"].as_str().unwrap_or_default().to_owned(),
            required: required.iter().any(|required| required == name),
            values: texts(&parameter["enum"]),
        });
        Self {
            name: tool.name().to_owned(),
            title: None,
            description: tool.description().to_owned(),
            arguments: arguments.collect(),
            source: MessageSource::Tool(tool),
        }
    }

    /// Creates a prompt of the instructions of an agent, so that the model of a client does the agent's work: one message of the user with the
    /// whole system prompt, as a run of the agent would begin with it. The prompt has the name and the description of the agent.
    ///
    /// ```
    /// use onionskin::serve::{Prompt, Server};
    /// use onionskin::{ScriptedModel, agent};
    ///
    /// agent! { Clerk { instruction: "Take notes.", description: "Takes notes." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let clerk = Clerk::builder().model(ScriptedModel::new()).build().await.unwrap();
    /// let server = Server::builder("desk", "1.0.0").prompt(Prompt::from_agent(&clerk)).build().await.unwrap();
    /// # let _ = server;
    /// # });
    /// ```
    pub fn from_agent(agent: &AgentHandle) -> Self {
        Self {
            name: agent.name().to_owned(),
            title: None,
            description: agent.definition().description.to_string(),
            arguments: Vec::new(),
            source: MessageSource::Agent(agent.clone()),
        }
    }

    /// Sets the name that clients show.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Adds an argument that a client must give.
    #[must_use]
    pub fn argument(self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.add(name.into(), description.into(), true)
    }

    /// Adds an argument that a client may leave out.
    #[must_use]
    pub fn optional_argument(self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.add(name.into(), description.into(), false)
    }

    fn add(mut self, name: String, description: String, required: bool) -> Self {
        self.arguments.push(Argument { name, description, required, values: Vec::new() });
        self
    }

    /// Sets the values that clients suggest for an argument while a person types.
    ///
    /// # Panics
    /// Panics if the prompt has no such argument.
    #[must_use]
    pub fn values(mut self, argument: &str, values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let found = self.arguments.iter_mut().find(|known| known.name == argument);
        let Some(found) = found else {
            panic!("the prompt `{}` has no argument `{argument}`: add it first", self.name)
        };
        found.values = values.into_iter().map(Into::into).collect();
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn shown_title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    pub(crate) fn description(&self) -> &str {
        &self.description
    }

    pub(crate) fn arguments(&self) -> &[Argument] {
        &self.arguments
    }

    pub(crate) fn source(&self) -> &MessageSource {
        &self.source
    }
}

/// The texts in a list.
fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The text with the arguments in their places. Arguments are not searched for places.
fn filled(text: &str, arguments: &[(String, String)]) -> String {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some(start) = rest.find('{') {
        let (before, from) = rest.split_at(start);
        filled.push_str(before);
        let name = from.get(1..).and_then(|from| from.split_once('}')).map(|(name, _)| name);
        let is_name = |name: &&str| {
            !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
        };
        let Some(name) = name.filter(is_name) else {
            filled.push('{');
            rest = &from[1..];
            continue;
        };
        if let Some((_, value)) = arguments.iter().find(|(known, _)| known == name) {
            filled.push_str(value);
        }
        rest = &from[name.len() + 2..];
    }
    filled.push_str(rest);
    filled
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompt").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn o2_a_prompt_has_its_arguments_in_their_places() {
        let arguments = [("a".to_owned(), "{b}".to_owned()), ("b".to_owned(), "two".to_owned())];
        assert_eq!(filled("{a} and {b}, {c}", &arguments), "{b} and two, ");
        assert_eq!(filled("{} { {not a name} }{", &arguments), "{} { {not a name} }{");
        assert_eq!(filled("ä{b}ö", &arguments), "ätwoö");
    }
}
