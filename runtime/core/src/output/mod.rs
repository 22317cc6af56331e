//! [`ToolOutput`]: the result of a successful tool call.

mod structured;

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::secret::{Redact, Redactor};
pub use structured::StructuredContent;

use crate::content::ContentBlock;
use crate::json::holds_long_numbers;
use crate::schema::to_json;
use crate::text::short;

/// The result of a successful tool call: content blocks for the model, an optional structured value, and data for the
/// program that the model does not see.
///
/// ```
/// use onionskin::ToolOutput;
/// let mut output = ToolOutput::text("results for q");
/// output.push_text(" [audit]");
/// assert_eq!(output.to_text(), "results for q [audit]");
/// ```
// It is small, because every layer of an onion moves it. The rare parts are behind one pointer.
#[derive(Clone)]
pub struct ToolOutput {
    content: Content,
    structured: Structured,
    rare: Seldom<Rare>,
}

/// The rare parts. They are dropped out of line, because an output is dropped in the middle of every call.
#[derive(Clone)]
struct Seldom<T>(Option<Box<T>>);

impl<T> Seldom<T> {
    const NONE: Self = Self(None);

    fn new(value: T) -> Self {
        Self(Some(Box::new(value)))
    }
}

impl<T> Drop for Seldom<T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(boxed) = self.0.take() {
            drop_seldom(boxed);
        }
    }
}

#[cold]
#[inline(never)]
fn drop_seldom<T>(boxed: Box<T>) {
    drop(boxed);
}

/// The maximum number of bytes of a value that the model gets beside the content.
const SHOWN: usize = 16 << 10;

/// One block needs no list, so a plain result allocates only its text.
#[derive(Clone)]
enum Content {
    One(ContentBlock),
    /// `None` means no blocks.
    Many(Seldom<Vec<ContentBlock>>),
}

impl Content {
    const NONE: Self = Self::Many(Seldom::NONE);
}

/// The place of the structured value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Structured {
    None,
    /// The text of the only block is the JSON of the value.
    InText,
    /// As `InText`, for a value that is exported as `{"result": ..}`.
    InTextWrapped,
    /// The text of the only block is the value itself.
    Text,
    /// In the rare parts.
    Apart,
    /// As `Apart`, for a value that is exported as `{"result": ..}`.
    ApartWrapped,
    /// The function returned nothing, and the text says so.
    Nothing,
}

#[derive(Clone, Default)]
struct Rare {
    structured: Arc<Value>,
    /// The JSON of the function's value, if a `Value` cannot hold its numbers and the text is a different one.
    exact: Option<Arc<str>>,
    typed: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    remote: Option<Value>,
}

impl ToolOutput {
    /// An output of one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::from_block(ContentBlock::Text(text.into()))
    }

    /// An output without any content.
    pub const fn empty() -> Self {
        Self { content: Content::NONE, structured: Structured::None, rare: Seldom::NONE }
    }

    /// An output of several blocks.
    pub fn blocks(blocks: impl IntoIterator<Item = ContentBlock>) -> Self {
        let blocks = Seldom::new(blocks.into_iter().collect());
        Self { content: Content::Many(blocks), structured: Structured::None, rare: Seldom::NONE }
    }

    /// An output with a structured value; the text for the model is its JSON. Scalars and lists read as `{"result":
    /// ..}`; see [`Self::set_structured`].
    ///
    /// ```
    /// let output = onionskin::ToolOutput::structured(serde_json::json!({"degrees": 21}));
    /// assert_eq!(output.to_text(), r#"{"degrees":21}"#);
    /// ```
    pub fn structured(value: Value) -> Self {
        let mut output = Self::text(value.to_string());
        output.set_structured(value);
        output
    }

    pub(crate) const fn from_block(block: ContentBlock) -> Self {
        Self { content: Content::One(block), structured: Structured::None, rare: Seldom::NONE }
    }

    /// `json` is the JSON text of the value. The structured value is parsed from it on first use.
    pub(crate) fn from_json_text(json: String, wrap: bool) -> Self {
        Self {
            content: Content::One(ContentBlock::Text(json)),
            structured: if wrap { Structured::InTextWrapped } else { Structured::InText },
            rare: Seldom::NONE,
        }
    }

    /// A string as a structured value: its text is the content.
    pub(crate) const fn from_string_value(text: String) -> Self {
        Self {
            content: Content::One(ContentBlock::Text(text)),
            structured: Structured::Text,
            rare: Seldom::NONE,
        }
    }

    /// The content blocks, in order.
    pub fn content(&self) -> &[ContentBlock] {
        match &self.content {
            Content::One(block) => std::slice::from_ref(block),
            Content::Many(blocks) => blocks.0.as_deref().map_or(&[], Vec::as_slice),
        }
    }

    /// The content blocks alone.
    pub(crate) fn into_content(self) -> Arc<[ContentBlock]> {
        match self.content {
            Content::One(block) => Arc::new([block]),
            Content::Many(mut blocks) => {
                blocks.0.take().map_or_else(Arc::default, |blocks| Arc::from(*blocks))
            }
        }
    }

    /// The content blocks, for changes. The structured value is unchanged.
    pub fn content_mut(&mut self) -> &mut Vec<ContentBlock> {
        self.settle();
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
        self.content_mut().push(block.into());
    }

    /// Appends a text block.
    pub fn push_text(&mut self, text: impl Into<String>) {
        self.push(ContentBlock::Text(text.into()));
    }

    /// All text blocks joined.
    pub fn to_text(&self) -> Cow<'_, str> {
        ContentBlock::join(self.content())
    }

    /// The structured value: a JSON object, as in MCP. Scalars and lists read as `{"result": ..}`.
    ///
    /// A [`Value`] holds no whole number beyond `u64` and `i64`. Such a number of type `u128` or `i128` is a string of
    /// its digits here, and the tool's output schema allows that.
    pub fn structured_content(&self) -> Option<Cow<'_, Value>> {
        match self.structured {
            Structured::Apart | Structured::ApartWrapped => {
                Some(Cow::Borrowed(&*self.rare.0.as_ref()?.structured))
            }
            _ => Some(Cow::Owned(self.structured_place().read(self.content())?.into_owned())),
        }
    }

    /// The place of the structured value.
    pub(crate) fn structured_place(&self) -> StructuredContent {
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

    /// Sets the structured value; the content is unchanged. MCP allows objects only, so another value reads as
    /// `{"result": ..}`.
    ///
    /// ```
    /// use serde_json::json;
    ///
    /// let mut output = onionskin::ToolOutput::text("five");
    /// output.set_structured(json!(5));
    /// assert_eq!(output.structured_content().as_deref(), Some(&json!({ "result": 5 })));
    /// ```
    pub fn set_structured(&mut self, value: Value) {
        let is_wrapped = !value.is_object();
        self.set_remote_structured(if is_wrapped { json!({ "result": value }) } else { value });
        if is_wrapped {
            self.structured = Structured::ApartWrapped;
        }
    }

    /// Sets the structured value of a server's answer. It reads unchanged, also if it is not an object.
    pub fn set_remote_structured(&mut self, value: Value) {
        let rare = self.rare.0.get_or_insert_default();
        (rare.structured, rare.exact) = (Arc::new(value), None);
        self.structured = Structured::Apart;
    }

    /// Replaces the structured value by one that was made from it, in the same form.
    pub(crate) fn replace_structured(&mut self, value: Value) {
        let is_wrapped = self.is_wrapped();
        self.set_remote_structured(value);
        if is_wrapped {
            self.structured = Structured::ApartWrapped;
        }
    }

    /// Whether the structured value is `{"result": ..}` because the tool's own value is not an object.
    pub(crate) fn is_wrapped(&self) -> bool {
        matches!(self.structured, Structured::Text | Structured::InTextWrapped | Structured::ApartWrapped)
    }

    /// The output of a function that returned nothing.
    pub fn nothing() -> Self {
        Self { structured: Structured::Nothing, ..Self::text("done") }
    }

    /// The value that the tool's function returned: not wrapped, and `null` if it returned nothing. `None` if there is
    /// only content.
    pub(crate) fn own_value(&self) -> Option<Value> {
        if self.structured == Structured::Nothing {
            return Some(Value::Null);
        }
        let value = self.structured_content()?;
        Some(match (value.into_owned(), self.is_wrapped()) {
            (Value::Object(mut wrapped), true) => wrapped.remove("result").unwrap_or_default(),
            (value, _) => value,
        })
    }

    /// As [`Self::own_value`]; the content if there is nothing else.
    pub(crate) fn own_value_or_content(&self) -> Value {
        self.own_value().unwrap_or_else(|| self.content_value())
    }

    /// The content as a value: its text, if it is text only.
    pub(crate) fn content_value(&self) -> Value {
        if self.content().iter().all(|block| block.as_text().is_some()) {
            self.to_text().into()
        } else {
            serde_json::to_value(self.content()).unwrap_or_default()
        }
    }

    /// Deserialises the value that the tool's function returned, or the content if there is nothing else.
    pub(crate) fn read_own<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        let json = match (self.structured, self.content()) {
            (Structured::InText | Structured::InTextWrapped, [ContentBlock::Text(json)]) => Some(&**json),
            _ => self.exact_json(),
        };
        match json {
            Some(json) => serde_json::from_str(json),
            None => serde_json::from_value(self.own_value_or_content()),
        }
    }

    /// The JSON of the function's value, if a `Value` cannot hold its numbers.
    pub(crate) fn exact_json(&self) -> Option<&str> {
        match (self.structured, self.content()) {
            (Structured::InText | Structured::InTextWrapped, [ContentBlock::Text(json)]) => {
                Some(&**json).filter(|json| holds_long_numbers(json))
            }
            (Structured::Apart | Structured::ApartWrapped, _) => self.rare.0.as_ref()?.exact.as_deref(),
            _ => None,
        }
    }

    /// Stores a value of the program with the result. The model does not see it, unless it is stored with
    /// [`Self::insert_shown_meta`]. A second value of the same type replaces the first one, which is returned.
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

    /// As [`Self::insert_meta`], and the model sees the value: a text block `name: JSON` is added after the content, on
    /// a line of its own. Long JSON is cut to its first 16 KiB. Hooks see the block, and secrets are redacted in it. A
    /// later value of the same type does not change it.
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
    /// Returns an error if the value cannot be serialised to JSON. It is then not stored.
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

    /// The stored value of type `T`.
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

    /// Parses the structured value out of the text while the text is still its JSON.
    fn settle(&mut self) {
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

impl ContentBlock {
    /// All text blocks joined; borrowed for a single block.
    pub(crate) fn join(blocks: &[Self]) -> Cow<'_, str> {
        let mut texts = blocks.iter().filter_map(Self::as_text);
        let Some(first) = texts.next() else { return Cow::Borrowed("") };
        texts.fold(Cow::Borrowed(first), |joined, next| joined + next)
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

impl From<&str> for ToolOutput {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for ToolOutput {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<ContentBlock> for ToolOutput {
    fn from(block: ContentBlock) -> Self {
        Self::from_block(block)
    }
}

impl From<Vec<ContentBlock>> for ToolOutput {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self::blocks(blocks)
    }
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
        self.content_mut().redact(redactor);
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
