//! Changes the texts of an output, both in its content and in its structured value.

use std::sync::Arc;

use serde_json::json;

use super::ToolOutput;
use super::storage::{Content, Structured};
use crate::content::ContentBlock;
use crate::json::{change_texts, exact_value, holds_long_numbers};

/// Returns the new text, or `None` for no change.
type Change<'c> = dyn FnMut(&str) -> Option<String> + 'c;

impl ToolOutput {
    /// Changes each text of the output, both in the content, which the model reads, and in the structured
    /// value, which programs read. Use it in hooks and guardrails that redact results.
    ///
    /// JSON stays valid: for an object or a list, `change` receives each string, each key and the digits of
    /// each number separately. A changed number becomes a string. Keys of one object that become equal get a
    /// numeric suffix: `[email]`, `[email] 2`. Images, audio, other bytes and metadata stay unchanged.
    ///
    /// ```
    /// use onionskin::ToolOutput;
    /// use serde_json::json;
    ///
    /// let mut output = ToolOutput::structured(json!({ "sent": true, "to": "ada@example.org" }));
    /// output.map_text(|text| text.replace("ada@example.org", "[email]"));
    /// assert_eq!(output.to_text(), r#"{"sent":true,"to":"[email]"}"#);
    /// assert_eq!(output.structured_content().as_deref(), Some(&json!({ "to": "[email]", "sent": true })));
    /// ```
    pub fn map_text(&mut self, mut change: impl FnMut(&str) -> String) {
        self.change_texts(&mut |text| Some(change(text)).filter(|changed| changed != text));
    }

    /// The only text is the JSON of the value.
    fn change_json(&mut self, change: &mut Change<'_>) {
        let [ContentBlock::Text(json)] = self.content() else { return };
        match change_texts(json, change) {
            Ok(Some(changed)) => match serde_json::from_str(&changed) {
                // A number became a string, whose text has no quotes.
                Ok(text) => {
                    self.structured = Structured::Text;
                    self.set_only_text(text);
                }
                Err(_) => self.set_only_text(changed),
            },
            Ok(None) => {}
            Err(_) => self.change_content(change),
        }
    }

    /// The only text is the value.
    fn change_string(&mut self, change: &mut Change<'_>) {
        if let [ContentBlock::Text(text)] = self.content()
            && let Some(changed) = change_text(text, change)
        {
            self.set_only_text(changed);
        }
    }

    fn set_only_text(&mut self, text: String) {
        self.content = Content::One(ContentBlock::Text(text));
    }

    fn change_content(&mut self, change: &mut Change<'_>) {
        let texts = self.content().iter().flat_map(ContentBlock::read_texts);
        let changes: Vec<_> = texts.map(|text| change_text(text, change)).collect();
        if changes.iter().any(Option::is_some) {
            let texts = self.content_only_mut().iter_mut().flat_map(ContentBlock::read_texts_mut);
            for (text, changed) in texts.zip(changes) {
                if let Some(changed) = changed {
                    *text = changed;
                }
            }
        }
    }

    /// The value is beside the content. Servers often write its JSON there too.
    fn change_apart(&mut self, change: &mut Change<'_>) {
        let Some(own) = self.own_value() else { return self.change_content(change) };
        if let [ContentBlock::Text(json)] = self.content()
            && exact_value(json).is_ok_and(|value| value == own)
            && let Ok(changed) = change_texts(json, change)
        {
            if let Some(changed) = changed {
                self.replace_apart(&changed);
                self.set_only_text(serde_json::from_str(&changed).unwrap_or(changed));
            }
            return;
        }
        self.change_content(change);
        let json = self.exact_json().map_or_else(|| own.to_string(), str::to_owned);
        if let Ok(Some(changed)) = change_texts(&json, change) {
            self.replace_apart(&changed);
        }
    }

    /// Replaces the structured value by that of the JSON of the tool's own value.
    fn replace_apart(&mut self, json: &str) {
        // JSON that is nested too deeply is kept as text, so that nothing of the old value remains.
        let own = exact_value(json).unwrap_or_else(|_| json!({ "result": json }));
        self.replace_structured(if self.is_wrapped() { json!({ "result": own }) } else { own });
        self.rare.0.get_or_insert_default().exact =
            Some(json).filter(|json| holds_long_numbers(json)).map(Arc::from);
    }
}

/// A text that is an object or a list in JSON stays JSON.
fn change_text(text: &str, change: &mut Change<'_>) -> Option<String> {
    let changed = text.trim_start().starts_with(['{', '[']).then(|| change_texts(text, change));
    match changed {
        Some(Ok(changed)) => changed,
        Some(Err(_)) | None => change(text),
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolOutput {
    /// As [`Self::map_text`], for a function that returns `None` for no change.
    pub fn change_texts(&mut self, change: &mut Change<'_>) {
        match self.structured {
            Structured::InText | Structured::InTextWrapped => self.change_json(change),
            Structured::Text => self.change_string(change),
            Structured::None | Structured::Nothing => self.change_content(change),
            Structured::Apart | Structured::ApartWrapped => self.change_apart(change),
        }
    }
}
