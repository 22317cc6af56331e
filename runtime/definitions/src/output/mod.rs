//! [`ToolOutput`]: the result of a successful tool call.

mod bytes;
mod function_value;
mod map_text;
mod recorded;
mod storage;
mod structured;

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use crate::content::ContentBlock;
use crate::schema::to_json;
use crate::secret::{Redact, Redactor};
use crate::text::short;
use storage::{Content, Rare, Seldom, Structured};

pub use recorded::RecordedOutput;
pub use structured::StructuredContent;

/// The result of a successful tool call: content blocks for the model, an optional structured value, and data
/// for the program that the model does not see.
///
/// ```
/// use onionskin::ToolOutput;
/// let mut output = ToolOutput::text("results for q");
/// output.push_text(" [audit]");
/// assert_eq!(output.to_text(), "results for q [audit]");
/// ```
// It is small, because every layer of an onion moves it. Rare parts are behind one pointer.
#[derive(Clone)]
pub struct ToolOutput {
    content: Content,
    structured: Structured,
    rare: Seldom<Rare>,
}

/// The maximum number of bytes of a value that is shown to the model after the content.
const SHOWN: usize = 16 << 10;

impl ToolOutput {
    /// Creates an output with one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::from_block(ContentBlock::Text(text.into()))
    }

    /// Creates an output without content.
    pub const fn empty() -> Self {
        Self { content: Content::NONE, structured: Structured::None, rare: Seldom::NONE }
    }

    /// Creates an output with several blocks.
    pub fn blocks(blocks: impl IntoIterator<Item = ContentBlock>) -> Self {
        let blocks = Seldom::new(blocks.into_iter().collect());
        Self { content: Content::Many(blocks), structured: Structured::None, rare: Seldom::NONE }
    }

    /// Creates an output with a structured value; the text for the model is its JSON. Scalars and lists are
    /// wrapped as `{"result": ..}`; see [`Self::set_structured_only`]. [`Self::value`] takes a value of any
    /// serialisable type.
    ///
    /// ```
    /// let output = onionskin::ToolOutput::structured(serde_json::json!({"degrees": 21}));
    /// assert_eq!(output.to_text(), r#"{"degrees":21}"#);
    /// ```
    pub fn structured(value: Value) -> Self {
        let mut output = Self::text(value.to_string());
        output.set_structured_only(value);
        output
    }

    pub(crate) const fn from_block(block: ContentBlock) -> Self {
        Self { content: Content::One(block), structured: Structured::None, rare: Seldom::NONE }
    }

    /// The content blocks, in order.
    pub fn content(&self) -> &[ContentBlock] {
        match &self.content {
            Content::One(block) => std::slice::from_ref(block),
            Content::Many(blocks) => blocks.0.as_deref().map_or(&[], Vec::as_slice),
        }
    }

    /// The mutable content blocks. The structured value, which programs and events read, stays unchanged.
    /// [`Self::map_text`] changes both.
    pub fn content_only_mut(&mut self) -> &mut Vec<ContentBlock> {
        self.parse_structured();
        let blocks = match std::mem::replace(&mut self.content, Content::NONE) {
            Content::One(block) => Seldom::new(vec![block]),
            Content::Many(blocks) => blocks,
        };
        self.content = Content::Many(blocks);
        match &mut self.content {
            Content::Many(blocks) => blocks.0.get_or_insert_default(),
            Content::One(_) => unreachable!("the content was just made a list"),
        }
    }

    /// Appends a block.
    pub fn push(&mut self, block: impl Into<ContentBlock>) {
        self.content_only_mut().push(block.into());
    }

    /// Appends a text block.
    pub fn push_text(&mut self, text: impl Into<String>) {
        self.push(ContentBlock::Text(text.into()));
    }

    /// All text blocks joined.
    pub fn to_text(&self) -> Cow<'_, str> {
        ContentBlock::join(self.content())
    }

    /// The structured value: a JSON object, as in MCP. Scalars and lists are wrapped as `{"result": ..}`.
    ///
    /// A [`Value`] cannot represent integers beyond `u64` and `i64`. Such a number of type `u128` or `i128`
    /// is a string of its digits here, which the tool's output schema allows.
    pub fn structured_content(&self) -> Option<Cow<'_, Value>> {
        match self.structured {
            Structured::Apart | Structured::ApartWrapped => {
                Some(Cow::Borrowed(&*self.rare.0.as_ref()?.structured))
            }
            Structured::None
            | Structured::InText
            | Structured::InTextWrapped
            | Structured::Text
            | Structured::Nothing => {
                Some(Cow::Owned(self.structured_place().read(self.content())?.into_owned()))
            }
        }
    }

    /// Sets the structured value. The content, which the model reads, stays unchanged; [`Self::map_text`]
    /// changes both. MCP allows objects only, so other values are wrapped as `{"result": ..}`.
    ///
    /// ```
    /// use serde_json::json;
    ///
    /// let mut output = onionskin::ToolOutput::text("five");
    /// output.set_structured_only(json!(5));
    /// assert_eq!(output.structured_content().as_deref(), Some(&json!({ "result": 5 })));
    /// ```
    pub fn set_structured_only(&mut self, value: Value) {
        let is_wrapped = !value.is_object();
        self.set_remote_structured(if is_wrapped { json!({ "result": value }) } else { value });
        if is_wrapped {
            self.structured = Structured::ApartWrapped;
        }
    }

    /// Sets the structured value of a server's answer, unchanged even if it is not an object.
    pub fn set_remote_structured(&mut self, value: Value) {
        let rare = self.rare.0.get_or_insert_default();
        (rare.structured, rare.exact) = (Arc::new(value), None);
        self.structured = Structured::Apart;
    }

    /// Replaces the structured value with a changed one, in the same form.
    pub(crate) fn replace_structured(&mut self, value: Value) {
        let is_wrapped = self.is_wrapped();
        self.set_remote_structured(value);
        if is_wrapped {
            self.structured = Structured::ApartWrapped;
        }
    }

    /// Attaches a value of the program to the result. The model does not see it; use
    /// [`Self::insert_shown_meta`] for that. A second value of the same type replaces the first one, which is
    /// returned.
    ///
    /// ```
    /// let mut output = onionskin::ToolOutput::text("found 3 rows");
    /// output.insert_meta(3_usize);
    /// assert_eq!(output.meta::<usize>(), Some(&3));
    /// ```
    pub fn insert_meta<T: Any + Send + Sync>(&mut self, value: T) -> Option<Arc<T>> {
        let typed = &mut self.rare.0.get_or_insert_default().typed;
        typed.insert(TypeId::of::<T>(), Arc::new(value)).and_then(|old| old.downcast().ok())
    }

    /// As [`Self::insert_meta`], and shows the value to the model: adds a text block `name: JSON` after the
    /// content, on a separate line. Long JSON is truncated to 16 KiB. Hooks see the block, and secrets are
    /// redacted in it. A later value of the same type does not change the block.
    ///
    /// ```
    /// #[derive(serde::Serialize)]
    /// struct Page {
    ///     next: u32,
    /// }
    ///
    /// let mut output = onionskin::ToolOutput::text("found 3 rows");
    /// output.insert_shown_meta("page", Page { next: 2 })?;
    /// assert_eq!(output.to_text(), "found 3 rows\npage: {\"next\":2}");
    /// assert_eq!(output.meta::<Page>().unwrap().next, 2);
    /// # Ok::<_, serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the value cannot be serialised to JSON. It is then not attached.
    pub fn insert_shown_meta<T: Any + Send + Sync + Serialize>(
        &mut self,
        name: &str,
        value: T,
    ) -> Result<Option<Arc<T>>, serde_json::Error> {
        let json = to_json(&value)?;
        let gap = if self.content().is_empty() { "" } else { "\n" };
        self.push_text(format!("{gap}{name}: {}", short(&json, SHOWN)));
        Ok(self.insert_meta(value))
    }

    /// The attached value of type `T`, from [`Self::insert_meta`] or [`Self::insert_shown_meta`].
    pub fn meta<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.rare.0.as_ref()?.typed.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// The `_meta` of a remote tool's answer. The model does not see it.
    pub fn remote_meta(&self) -> Option<&Value> {
        self.rare.0.as_ref()?.remote.as_ref()
    }

    /// Sets the `_meta` of a remote tool.
    pub fn set_remote_meta(&mut self, value: Value) {
        self.rare.0.get_or_insert_default().remote = Some(value);
    }

    /// Parses the structured value from the text, before the text changes.
    fn parse_structured(&mut self) {
        if matches!(self.structured, Structured::InText | Structured::InTextWrapped | Structured::Text) {
            let exact = self.exact_json().map(Arc::from);
            match self.structured_content().map(Cow::into_owned) {
                Some(value) => {
                    self.replace_structured(value);
                    self.rare.0.get_or_insert_default().exact = exact;
                }
                None => self.structured = Structured::None,
            }
        }
    }
}

impl Default for ToolOutput {
    fn default() -> Self {
        Self::empty()
    }
}

impl fmt::Debug for ToolOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolOutput")
            .field("content", &self.content())
            .field("structured", &self.structured_content())
            .finish_non_exhaustive()
    }
}

from_each! { ToolOutput,
    text: &str => Self::text(text);
    text: String => Self::text(text);
    block: ContentBlock => Self::from_block(block);
    blocks: Vec<ContentBlock> => Self::blocks(blocks);
}

/// Typed data of the program is not redacted.
impl Redact for ToolOutput {
    fn redact(&mut self, redactor: &Redactor) {
        let shows = self.content().iter().any(|block| block.shows(redactor))
            || self.structured_content().is_some_and(|value| redactor.shows_in(&value))
            || self.remote_meta().is_some_and(|value| redactor.shows_in(value));
        if !shows {
            return;
        }
        let structured = self.structured_content().map(Cow::into_owned);
        self.content_only_mut().redact(redactor);
        if let Some(mut value) = structured {
            value.redact(redactor);
            self.replace_structured(value);
        }
        if let Some(mut value) = self.remote_meta().cloned() {
            value.redact(redactor);
            self.set_remote_meta(value);
        }
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolOutput {
    /// The content blocks alone.
    pub fn into_content(self) -> Arc<[ContentBlock]> {
        match self.content {
            Content::One(block) => Arc::new([block]),
            Content::Many(mut blocks) => {
                blocks.0.take().map_or_else(Arc::default, |blocks| Arc::from(*blocks))
            }
        }
    }

    /// The place of the structured value.
    pub fn structured_place(&self) -> StructuredContent {
        match self.structured {
            Structured::None | Structured::Nothing => StructuredContent::None,
            Structured::InText => StructuredContent::Text,
            Structured::InTextWrapped => StructuredContent::ResultText,
            Structured::Text => StructuredContent::ResultString,
            Structured::Apart | Structured::ApartWrapped => self
                .rare
                .0
                .as_ref()
                .map(|rare| StructuredContent::Apart(Arc::clone(&rare.structured)))
                .unwrap_or_default(),
        }
    }
}
