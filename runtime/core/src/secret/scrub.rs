//! Takes secrets out of what a call gives: content, structured values, errors and what caused them.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::needles::Needles;
use crate::content::ContentBlock;
use crate::error::{Abort, Exit, ToolError, ToolResult};
use crate::output::ToolOutput;

impl Needles {
    /// A result without secrets.
    pub(crate) fn result(&self, result: ToolResult) -> ToolResult {
        match result {
            Ok(mut output) => {
                self.output(&mut output);
                Ok(output)
            }
            Err(exit) => Err(self.exit(exit)),
        }
    }

    fn exit(&self, exit: Exit) -> Exit {
        match exit {
            Exit::Tool(mut error) => {
                self.output(error.output_mut());
                self.cause(&mut error);
                Exit::Tool(error)
            }
            Exit::Stop(stop) => {
                let mut output = stop.into_output();
                self.output(&mut output);
                Exit::stop(output)
            }
            Exit::Abort(abort) => Exit::Abort(self.abort(abort)),
        }
    }

    pub(crate) fn abort(&self, abort: Abort) -> Abort {
        match self.hide(abort.reason()) {
            Cow::Borrowed(_) => abort,
            Cow::Owned(reason) => Abort::new(reason),
        }
    }

    /// What the program keeps with an output by type stays: it is the program's own.
    pub(crate) fn output(&self, output: &mut ToolOutput) {
        if !self.shows_in(output) {
            return;
        }
        let structured = output.structured_content().map(Cow::into_owned);
        output.content_mut().iter_mut().for_each(|block| self.block(block));
        if let Some(mut value) = structured {
            self.value(&mut value);
            output.replace_structured(value);
        }
        if let Some(mut value) = output.remote_meta().cloned() {
            self.value(&mut value);
            output.set_remote_meta(value);
        }
    }

    fn shows_in(&self, output: &ToolOutput) -> bool {
        output.content().iter().any(|block| self.shows_in_block(block))
            || output.structured_content().is_some_and(|value| self.shows_in_value(&value))
            || output.remote_meta().is_some_and(|value| self.shows_in_value(value))
    }

    pub(super) fn shows_in_block(&self, block: &ContentBlock) -> bool {
        texts(&mut block.clone()).into_iter().any(|text| self.shows(text))
    }

    pub(crate) fn block(&self, block: &mut ContentBlock) {
        for text in texts(block) {
            self.text(text);
        }
    }

    /// Hides what stands in a text.
    pub(crate) fn text(&self, text: &mut String) {
        if let Cow::Owned(hidden) = self.hide(text.as_str()) {
            *text = hidden;
        }
    }

    fn shows_in_value(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.shows(text),
            Value::Number(number) => self.shows(&number.to_string()),
            Value::Array(items) => items.iter().any(|item| self.shows_in_value(item)),
            Value::Object(fields) => {
                fields.iter().any(|(name, field)| self.shows(name) || self.shows_in_value(field))
            }
            Value::Null | Value::Bool(_) => false,
        }
    }

    pub(crate) fn value(&self, value: &mut Value) {
        if !self.shows_in_value(value) {
            return;
        }
        match value {
            Value::String(text) => self.text(text),
            Value::Number(number) => *value = self.hide(number.to_string()).into_owned().into(),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(fields) => {
                *fields = std::mem::take(fields)
                    .into_iter()
                    .map(|(name, mut field)| {
                        self.value(&mut field);
                        (self.hide(name).into_owned(), field)
                    })
                    .collect();
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// A cause that shows a secret is replaced by its words: as a type it would give the secret to whoever asks.
    fn cause(&self, error: &mut ToolError) {
        let links: Vec<&dyn Error> = std::iter::successors(error.source(), |&link| link.source()).collect();
        let shows = |error: &&dyn Error| self.shows(&error.to_string()) || self.shows(&format!("{error:?}"));
        if !links.iter().any(shows) {
            return;
        }
        let words = links.iter().rev().fold(None, |source, link| {
            Some(Arc::new(Words { text: self.hide(link.to_string()).into_owned(), source }))
        });
        error.set_cause(words.map(|words| words as _));
    }
}

/// All texts of a block.
fn texts(block: &mut ContentBlock) -> Vec<&mut String> {
    match block {
        ContentBlock::Text(text) => vec![text],
        ContentBlock::Image(media) | ContentBlock::Audio(media) => {
            vec![&mut media.data, &mut media.mime_type]
        }
        ContentBlock::Resource(resource) => {
            let more = [&mut resource.mime_type, &mut resource.text, &mut resource.blob];
            std::iter::once(&mut resource.uri).chain(more.into_iter().flatten()).collect()
        }
        ContentBlock::ResourceLink(link) => {
            let more = [&mut link.description, &mut link.mime_type].into_iter().flatten();
            [&mut link.uri, &mut link.name].into_iter().chain(more).collect()
        }
    }
}

/// What an error said, without its secrets.
struct Words {
    text: String,
    source: Option<Arc<Words>>,
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text)
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for Words {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
