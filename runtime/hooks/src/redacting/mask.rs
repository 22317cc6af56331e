//! What is taken out of values and texts.

use std::borrow::Cow;

use onionskin_core::Args;
use onionskin_core::json::{Unique, change_texts};
use regex_lite::Regex;
use serde_json::{Map, Value};

const REDACTED: &str = "[redacted]";

/// Names of fields, in small letters, and patterns.
#[derive(Debug, Clone)]
pub(super) struct Mask {
    names: Vec<String>,
    pub(super) patterns: Vec<Regex>,
}

impl Mask {
    pub(super) fn new(names: Vec<String>) -> Self {
        Self { names, patterns: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.patterns.is_empty()
    }

    /// The text without what matches a pattern.
    pub(super) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.patterns.iter().fold(Cow::Borrowed(text), |text, pattern| {
            match pattern.replace_all(&text, REDACTED) {
                Cow::Borrowed(_) => text,
                Cow::Owned(changed) => Cow::Owned(changed),
            }
        })
    }

    /// Replaces the values of fields at any depth. Returns whether there were any.
    pub(super) fn fields(&self, value: &mut Value) -> bool {
        match value {
            Value::Object(object) => self.fields_of(object),
            Value::Array(items) => items.iter_mut().fold(false, |changed, item| self.fields(item) | changed),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
    }

    fn fields_of(&self, object: &mut Map<String, Value>) -> bool {
        let mut changed = false;
        for (name, value) in object {
            if self.has(name) {
                // An equal value may be one of two with this name in the text.
                changed = true;
                *value = REDACTED.into();
            } else {
                changed |= self.fields(value);
            }
        }
        changed
    }

    fn has(&self, name: &str) -> bool {
        !self.names.is_empty() && self.names.contains(&name.to_lowercase())
    }

    /// The text without the values of fields, if it is JSON with such fields. JSON that is too deep to be read is replaced as a whole, and of
    /// two fields with one name, of which a value has the last one, the first one leaves the text.
    pub(super) fn fields_in_text(&self, text: &str) -> Option<String> {
        if self.names.is_empty() || !text.trim_start().starts_with(['{', '[']) {
            return None;
        }
        match serde_json::from_str::<Value>(text) {
            Ok(mut value) => {
                let is_lossy = serde_json::from_str::<Unique>(text).is_err();
                (self.fields(&mut value) || is_lossy).then(|| value.to_string())
            }
            Err(error) if error.to_string().contains("recursion limit") => Some(REDACTED.to_owned()),
            Err(_) => None,
        }
    }

    /// Changes the arguments as the tool reads them, after repairs. Arguments that are no object are refused by the tool.
    pub(super) fn change_args(&self, args: &mut Args) {
        let mut changed = args.clone();
        let Ok(object) = changed.as_object_mut() else { return };
        let has_fields = self.fields_of(object);
        // As in a result: each string, key and number, with all of its digits.
        let change = |json: &str| {
            change_texts(json, &mut |text| match self.text(text) {
                Cow::Borrowed(_) => None,
                Cow::Owned(changed) => Some(changed),
            })
        };
        // Two long numbers can be one value. They have their digits in the text as it was written, and such a call can pass unchanged.
        let is_clean = |json: &str| matches!(change(json), Ok(None));
        if !has_fields && is_clean(&args.text()) && is_clean(&changed.text()) {
            return;
        }
        match change(changed.flush()) {
            Ok(Some(changed)) => args.replace_text(changed),
            // An error is that of such numbers, and refuses the call.
            Ok(None) | Err(_) => *args = changed,
        }
    }
}
