//! The texts of a prompt by their parts.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::change::PromptChange;
use super::part::PromptPart;
use super::source::{DynSource, PromptSource};
use super::text::PromptText;
use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::PromptOrder;
use onionskin_vocabulary::placeholders::SESSION_STATE;

/// The parts of a system prompt: their texts, and which parts are included. An agent, a builder and a request
/// can each have one; the later one takes precedence part by part. A part that has no effect because a
/// `SystemMessage` replaces it, also the agent's own one, is an error
/// ([`BuildError::UnusedPromptPart`](crate::BuildError::UnusedPromptPart)).
///
/// ```
/// use onionskin::prompt::{Prompt, PromptPart};
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
///
/// agent! {
///     Clerk { instruction: "Answer.", role: "a clerk of the town", markdown: true }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("Yes?")]);
/// let clerk = Clerk::builder().model(model).build().await.unwrap();
/// let prompt = Prompt::new().text(PromptPart::Location, "Berlin").leave_out(PromptPart::Markdown);
/// assert_eq!(
///     clerk.request("").prompt(prompt).system_prompt().await.unwrap().unwrap(),
///     "<your_role>\na clerk of the town\n</your_role>\n\nAnswer.\n\n\
///      <additional_information>\n- The user's location is Berlin.\n</additional_information>",
/// );
/// # });
/// ```
#[derive(Clone, Default)]
pub struct Prompt {
    parts: BTreeMap<PromptPart, Content>,
    order: Option<PromptOrder>,
    /// The parts that the request of a run sets.
    of_request: Vec<PromptPart>,
}

/// The content of a part.
#[derive(Clone)]
pub(super) enum Content {
    LeftOut,
    /// The runtime's text.
    Known,
    Text(PromptText),
    Source(Arc<dyn DynSource>),
}

/// The content of a part, as data.
#[doc(hidden)]
pub enum PromptOutline {
    LeftOut,
    Included,
    /// The text in the declaration.
    Text(String),
    /// A function, or a text with fields of a type.
    Code,
}

impl Prompt {
    /// Creates a prompt that sets no part.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the text of a part.
    #[must_use]
    pub fn text(mut self, part: PromptPart, text: impl Into<PromptText>) -> Self {
        self.parts.insert(part, Content::Text(text.into()));
        self
    }

    /// Sets the source of a part, which provides the text in each turn.
    #[must_use]
    pub fn source(mut self, part: PromptPart, source: impl PromptSource) -> Self {
        self.parts.insert(part, Content::Source(Arc::new(source)));
        self
    }

    /// Includes a part that is left out by default and whose text the runtime provides: `Markdown`,
    /// `DateTime`, `Name`, `SessionState`. A part with a text of the agent or the program, such as
    /// `Instructions`, keeps it. Building fails for any other part
    /// ([`BuildError::NoPromptText`](crate::BuildError::NoPromptText)).
    #[must_use]
    pub fn include(mut self, part: PromptPart) -> Self {
        self.parts.insert(part, Content::Known);
        self
    }

    /// Leaves a part out.
    #[must_use]
    pub fn leave_out(mut self, part: PromptPart) -> Self {
        self.parts.insert(part, Content::LeftOut);
        self
    }

    /// Sets the order of the parts, in place of the agent's `prompt_order`.
    ///
    /// ```
    /// use onionskin::prompt::{Prompt, PromptOrder, PromptPart};
    /// use onionskin::{RunContext, ScriptedModel, agent};
    ///
    /// agent! {
    ///     Clerk { instruction: "Answer." }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let clerk = Clerk::builder().model(ScriptedModel::new()).build().await.unwrap();
    /// let role = |run: &RunContext| run.user().map(|user| format!("the clerk of {user}"));
    /// let prompt = Prompt::new().source(PromptPart::Role, role).order(PromptOrder::ByChange);
    /// assert_eq!(
    ///     clerk.request("").user("ada").prompt(prompt).system_prompt().await.unwrap().unwrap(),
    ///     "Answer.\n\n<your_role>\nthe clerk of ada\n</your_role>",
    /// );
    /// # });
    /// ```
    #[must_use]
    pub fn order(mut self, order: PromptOrder) -> Self {
        self.order = Some(order);
        self
    }

    /// How often the text of a part changes. A part that this prompt does not set has the text of the runtime.
    ///
    /// ```
    /// use onionskin::RunContext;
    /// use onionskin::prompt::{Prompt, PromptChange, PromptPart};
    ///
    /// let prompt = Prompt::new()
    ///     .text(PromptPart::Role, "a clerk")
    ///     .source(PromptPart::Memories, |run: &RunContext| run.user().map(str::to_owned));
    /// assert_eq!(prompt.changes(PromptPart::Role), PromptChange::Never);
    /// assert_eq!(prompt.changes(PromptPart::Memories), PromptChange::EachTurn);
    /// ```
    pub fn changes(&self, part: PromptPart) -> PromptChange {
        let own = match self.content(part) {
            Content::LeftOut => PromptChange::Never,
            Content::Known => part.known_changes(),
            Content::Text(text) => text.changes(),
            Content::Source(source) => source.changes_dyn(),
        };
        if self.of_request.contains(&part) { own.max(PromptChange::EachRun) } else { own }
    }

    /// Puts these parts into the order of this prompt.
    pub(super) fn sorted<const N: usize>(&self, mut parts: [PromptPart; N]) -> [PromptPart; N] {
        match self.order.unwrap_or_default() {
            PromptOrder::Standard => {}
            // The sort is stable.
            PromptOrder::ByChange => parts.sort_by_key(|part| self.changes(*part)),
        }
        parts
    }

    /// Uses this order unless the prompt has its own.
    #[must_use]
    pub(crate) fn or_order(mut self, order: PromptOrder) -> Self {
        self.order.get_or_insert(order);
        self
    }

    /// As [`Self::with_provided`], with the prompt of a request.
    pub(crate) fn with_request(self, provided: Self) -> Result<Self, PromptPart> {
        let of_request = provided.parts.keys().copied().collect();
        Ok(Self { of_request, ..self.with_provided(provided)? })
    }

    /// Merges the parts of another prompt, which take precedence.
    #[must_use]
    pub(crate) fn with(mut self, other: Self) -> Self {
        self.order = other.order.or(self.order);
        for (part, content) in other.parts {
            // An existing text fulfils the request to include the part.
            let is_there = matches!(content, Content::Known) && !part.is_known() && self.gives_text(part);
            if !is_there {
                self.parts.insert(part, content);
            }
        }
        self
    }

    /// The content of each part, as data.
    pub(crate) fn outline(&self) -> Vec<(PromptPart, PromptOutline)> {
        let of_content = |content: &Content| match content {
            Content::LeftOut => PromptOutline::LeftOut,
            Content::Known => PromptOutline::Included,
            Content::Text(text) => text.source().map_or(PromptOutline::Code, PromptOutline::Text),
            Content::Source(_) => PromptOutline::Code,
        };
        self.parts.iter().map(|(part, content)| (*part, of_content(content))).collect()
    }

    /// The sources of parts.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (PromptPart, &dyn DynSource)> {
        self.parts.iter().filter_map(|(part, content)| match content {
            Content::Source(source) => Some((*part, &**source)),
            Content::LeftOut | Content::Known | Content::Text(_) => None,
        })
    }

    /// Whether the prompt sets a part.
    pub(crate) fn speaks_of(&self, part: PromptPart) -> bool {
        self.parts.contains_key(&part)
    }

    fn gives_text(&self, part: PromptPart) -> bool {
        matches!(self.parts.get(&part), Some(Content::Text(_) | Content::Source(_)))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.order.is_none()
    }

    /// A part that is included and has no text.
    pub(crate) fn without_text(&self) -> Option<PromptPart> {
        let added =
            self.parts.iter().find(|(part, content)| matches!(content, Content::Known) && !part.is_known());
        added.map(|(part, _)| *part)
    }

    /// As [`Self::with`], with a prompt of the program.
    ///
    /// # Errors
    /// Returns a part of `provided` that has no effect, because a `SystemMessage` replaces it in each turn.
    pub(crate) fn with_provided(self, provided: Self) -> Result<Self, PromptPart> {
        let other = provided.parts.keys().copied().find(|part| *part != PromptPart::SystemMessage);
        let merged = self.with(provided);
        match other {
            Some(part) if merged.replaces_all() => Err(part),
            _ => Ok(merged),
        }
    }

    /// A part that this prompt leaves out, and to which another one gives a text.
    pub(crate) fn left_out_of(&self, other: &Self) -> Option<PromptPart> {
        let is_left_out = |part: &PromptPart| matches!(self.parts.get(part), Some(Content::LeftOut));
        other.parts.keys().copied().find(|part| is_left_out(part) && other.gives_text(*part))
    }

    /// Whether one part replaces all others in each turn. This excludes sources, which can return no text in
    /// a turn.
    fn replaces_all(&self) -> bool {
        match self.parts.get(&PromptPart::SystemMessage) {
            Some(Content::Text(text)) => text.fixed().is_none_or(|text| !text.is_empty()),
            _ => false,
        }
    }

    /// A placeholder that a field of the state fills by its name.
    pub(crate) fn placeholder_of_state(&self) -> Option<(PromptPart, &str)> {
        self.parts.iter().find_map(|(part, content)| match content {
            Content::Text(text) => {
                let placeholder = text.placeholders().find(|path| !path.starts_with(SESSION_STATE))?;
                Some((*part, placeholder))
            }
            Content::LeftOut | Content::Known | Content::Source(_) => None,
        })
    }

    /// Whether the prompt shows the states.
    pub(crate) fn shows_state(&self) -> bool {
        matches!(self.parts.get(&PromptPart::SessionState), Some(Content::Known))
    }

    /// Whether the prompt is the same in all runs and turns with the same tools.
    pub(crate) fn is_fixed(&self) -> bool {
        self.parts.iter().all(|(part, content)| match content {
            Content::LeftOut => true,
            Content::Known => part.known_changes() == PromptChange::Never,
            Content::Text(text) => text.fixed().is_some(),
            Content::Source(_) => false,
        })
    }

    /// The form that must be equal in a replay: the texts of the parts, without the values of their
    /// placeholders, and their order.
    pub(crate) fn shape(&self) -> Vec<(String, Vec<&str>)> {
        let of_content = |content| match content {
            &Content::LeftOut => vec![],
            Content::Known => vec!["known"],
            Content::Source(_) => vec!["source"],
            Content::Text(text) => text.shape(),
        };
        let parts = self.parts.iter().map(|(part, content)| (format!("{part:?}"), of_content(content)));
        // The standard order is left out, so that older records stay valid.
        let order = self.order.filter(|order| *order != PromptOrder::Standard);
        let order = order.map(|order| ("order".to_owned(), vec![order.word()]));
        parts.chain(order).collect()
    }

    /// The content of a part; `Known` for parts that are included by default.
    pub(super) fn content(&self, part: PromptPart) -> &Content {
        self.parts.get(&part).unwrap_or(if part.is_on() { &Content::Known } else { &Content::LeftOut })
    }
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = self.order.map(|order| ("order", order));
        f.debug_map().entries(&self.parts).entries(order).finish()
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut => f.write_str("left out"),
            Self::Known => f.write_str("added"),
            Self::Text(text) => text.fmt(f),
            Self::Source(_) => f.write_str("a source"),
        }
    }
}
