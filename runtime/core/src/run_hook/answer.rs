//! The answer of a run, for run hooks.

use serde::Serialize;
use serde::de::DeserializeOwned;

use onionskin_definitions::schema::to_json;

/// The answer of a run, after its last turn.
///
/// ```
/// use onionskin::run_hooks::RunAnswer;
///
/// let mut answer = RunAnswer::new("At nine.");
/// answer.set_text(format!("{} Have a good day.", answer.text()));
/// assert_eq!(answer.into_text(), "At nine. Have a good day.");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunAnswer {
    text: String,
    pub(crate) is_json: bool,
}

impl RunAnswer {
    /// Creates an answer from a text, for tests of hooks.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_json: false }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Replaces the text.
    pub fn set_text(&mut self, text: impl Into<String>) {
        self.text = text.into();
    }

    /// The text, by value.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }
}

impl RunAnswer {
    /// Whether the answer has a type. Its text is then JSON, and hooks must keep it JSON.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.is_json
    }
}

impl From<String> for RunAnswer {
    fn from(text: String) -> Self {
        Self { text, is_json: false }
    }
}

impl From<&str> for RunAnswer {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl RunAnswer {
    /// Reads a typed answer from its JSON, in a run with [`run_as`](crate::run::RunRequest::run_as) or of an
    /// agent with an `output`.
    ///
    /// ```
    /// use onionskin::run_hooks::RunAnswer;
    ///
    /// let mut answer = RunAnswer::new("[1, 2]");
    /// let mut numbers: Vec<u32> = answer.read().unwrap();
    /// numbers.push(3);
    /// answer.set_json(&numbers).unwrap();
    /// assert_eq!(answer.text(), "[1,2,3]");
    /// ```
    ///
    /// # Errors
    /// Returns an error if the text is not JSON of the type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.text)
    }

    /// Replaces a typed answer. The run checks it again: an answer that does not fit ends the run with
    /// [`RunError::WrongAnswer`](crate::RunError::WrongAnswer).
    ///
    /// # Errors
    /// Returns an error if the value cannot be serialised to JSON. The answer is then unchanged.
    pub fn set_json(&mut self, value: &impl Serialize) -> Result<(), serde_json::Error> {
        self.text = to_json(value)?;
        Ok(())
    }
}
