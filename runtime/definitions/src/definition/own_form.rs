//! Results that are not serialised as JSON.

use std::borrow::Cow;

use serde_json::Value;

use super::schema::output_schema;
use crate::content::{Audio, ContentBlock, Image, Resource, ResourceLink};
use crate::output::ToolOutput;

/// Results with their own form instead of JSON.
pub trait OwnForm {
    fn into_output(self) -> ToolOutput;

    fn schema() -> Option<Value> {
        None
    }
}

macro_rules! own_forms {
    ($($type:ty),*) => {$(
        impl OwnForm for $type {
            fn into_output(self) -> ToolOutput {
                ToolOutput::from_block(self.into())
            }
        }
    )*};
}

own_forms!(ContentBlock, Image, Audio, Resource, ResourceLink);

macro_rules! text_forms {
    ($($type:ty),*) => {$(
        impl OwnForm for $type {
            fn into_output(self) -> ToolOutput {
                ToolOutput::from_string_value(self.into())
            }

            fn schema() -> Option<Value> {
                Some(output_schema::<String>())
            }
        }
    )*};
}

text_forms!(String, &str, Cow<'_, str>, Box<str>);

impl OwnForm for ToolOutput {
    fn into_output(self) -> ToolOutput {
        self
    }
}

impl OwnForm for Vec<ContentBlock> {
    fn into_output(self) -> ToolOutput {
        ToolOutput::blocks(self)
    }
}

impl OwnForm for () {
    fn into_output(self) -> ToolOutput {
        ToolOutput::unit()
    }
}

impl<T: OwnForm> OwnForm for Option<T> {
    fn into_output(self) -> ToolOutput {
        self.map_or_else(|| ToolOutput::from_json_text("null".to_owned(), true), T::into_output)
    }

    fn schema() -> Option<Value> {
        // Of these forms only text has a schema.
        T::schema().map(|_| output_schema::<Option<String>>())
    }
}
