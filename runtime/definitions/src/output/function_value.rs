//! Conversions between a function's return value and an output.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ToolOutput;
use super::storage::{Content, Seldom, Structured};
use crate::content::ContentBlock;
use crate::json::holds_long_numbers;
use crate::schema::to_json;

impl ToolOutput {
    /// Creates the output of a function that returns this value: the text is its JSON, or the string itself,
    /// and `structured_content` returns the value.
    ///
    /// ```
    /// use onionskin::ToolOutput;
    ///
    /// let output = ToolOutput::value(&[1, 2]).unwrap();
    /// assert_eq!(output.to_text(), "[1,2]");
    /// ```
    ///
    /// # Errors
    /// Returns an error if the value cannot be serialised to JSON, or contains a number that JSON does not
    /// have.
    pub fn value<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        Self::from_json(to_json(value)?)
    }

    /// Uses the string itself as the text, because JSON would quote it: for example a date or the name of an
    /// enum variant.
    #[cold]
    fn from_json_string(json: &str) -> Result<Self, serde_json::Error> {
        Ok(Self::from_string_value(serde_json::from_str(json)?))
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

    /// Creates the output of a function that returned `()`: the text is `done`, and there is no structured
    /// value.
    pub fn unit() -> Self {
        Self { structured: Structured::Nothing, ..Self::text("done") }
    }

    /// As [`Self::own_value`], or the content if there is no value.
    pub(crate) fn own_value_or_content(&self) -> Value {
        self.own_value().unwrap_or_else(|| self.content_value())
    }

    /// Deserialises the value that the tool's function returned, or the content if there is no value.
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
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolOutput {
    /// Creates an output from JSON text.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    #[inline]
    pub fn from_json(json: String) -> Result<Self, serde_json::Error> {
        match json.as_bytes().first().copied() {
            Some(b'"') => Self::from_json_string(&json),
            first => Ok(Self::from_json_text(json, first != Some(b'{'))),
        }
    }

    /// Whether the structured value is `{"result": ..}` because the tool's own value is not an object.
    pub fn is_wrapped(&self) -> bool {
        matches!(self.structured, Structured::Text | Structured::InTextWrapped | Structured::ApartWrapped)
    }

    /// The value that the tool's function returned, without a wrapper, and `null` for `()`. `None` if there
    /// is only content.
    pub fn own_value(&self) -> Option<Value> {
        if self.structured == Structured::Nothing {
            return Some(Value::Null);
        }
        let value = self.structured_content()?;
        Some(match (value.into_owned(), self.is_wrapped()) {
            (Value::Object(mut wrapped), true) => wrapped.remove("result").unwrap_or_default(),
            (value, _) => value,
        })
    }

    /// The content as a value: a string if it is text only.
    pub fn content_value(&self) -> Value {
        if self.content().iter().all(|block| block.as_text().is_some()) {
            self.to_text().into()
        } else {
            serde_json::to_value(self.content()).unwrap_or_default()
        }
    }

    /// The JSON of the function's value, if a `Value` would round its numbers.
    pub fn exact_json(&self) -> Option<&str> {
        match (self.structured, self.content()) {
            (Structured::InText | Structured::InTextWrapped, [ContentBlock::Text(json)]) => {
                Some(&**json).filter(|json| holds_long_numbers(json))
            }
            (Structured::Apart | Structured::ApartWrapped, _) => self.rare.0.as_ref()?.exact.as_deref(),
            _ => None,
        }
    }
}
