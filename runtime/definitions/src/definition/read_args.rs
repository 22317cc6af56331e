//! Deserialises the arguments of a call, for hand-written code.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::args::Args;
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::json::repair;
use crate::schema::Problem;

impl Args {
    /// Deserialises the arguments, for a hand-written tool, hook or guardrail. It sees the same values as
    /// [`Self::get`], and ignores unknown arguments unless the type rejects them
    /// (`#[serde(deny_unknown_fields)]`).
    ///
    /// ```
    /// use onionskin::Args;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Transfer {
    ///     to: String,
    ///     cents: u64,
    /// }
    ///
    /// let Transfer { to, cents } = Args::from(r#"{"to": "Ada", "cents": 5}"#).read().unwrap();
    /// assert_eq!((&*to, cents), ("Ada", 5));
    /// let error = Args::from(r#"{"to": "Ada"}"#).read::<Transfer>().err().unwrap();
    /// assert_eq!(error.to_string(), "Invalid arguments:\n- missing field `cents`");
    /// ```
    ///
    /// # Errors
    /// Returns a tool error of kind [`Arguments`](crate::ErrorKind::Arguments) if the type rejects the
    /// arguments, or if they are not one JSON object.
    pub fn read<T: DeserializeOwned>(&self) -> ToolResult<T> {
        let object = self.as_object().map_err(|error| unread(error.to_string()))?;
        T::deserialize(Value::Object(object.clone())).or_else(|error| {
            // A `Value` rounds long numbers; the text has all digits.
            let text = self.text();
            let exact =
                repair(&text).map_or_else(|| serde_json::from_str(&text), |text| serde_json::from_str(&text));
            exact.map_err(|_| unread(error.to_string()))
        })
    }
}

#[cold]
fn unread(reason: String) -> Exit {
    let text = format!("Invalid arguments:\n- {}", Problem::from_reader(reason));
    Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Arguments))
}
