//! The answer of a run, as run hooks see and change it.

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
    is_json: bool,
}

impl RunAnswer {
    /// Makes an answer of a text, for tests of hooks.
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
    /// The answer of a type, which is JSON.
    pub(crate) fn of_type(mut self, is_json: bool) -> Self {
        self.is_json = is_json;
        self
    }

    /// Whether the answer has a type: then its text is JSON, and must stay it.
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
    /// Reads an answer of a type, which is JSON: that of a run with
    /// [`run_as`](crate::run::RunRequest::run_as), or of an agent that declares its `output`.
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

    /// Replaces an answer of a type. The run checks it again: one that does not fit ends the run with
    /// [`RunError::WrongAnswer`](crate::RunError::WrongAnswer).
    ///
    /// # Errors
    /// Returns an error if the value cannot be serialised to JSON. The answer is then unchanged.
    pub fn set_json(&mut self, value: &impl Serialize) -> Result<(), serde_json::Error> {
        self.text = to_json(value)?;
        Ok(())
    }
}
