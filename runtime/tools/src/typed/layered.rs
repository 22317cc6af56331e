//! Typed hooks on a tool with its own layers: hooks, guardrails, approval, cache, error handlers.
//!
//! Those layers work on JSON, and typed hooks run outside them. So the arguments from the last typed hook are
//! serialised again, and the output of the outermost layer is deserialised as the function's return type.
//! Values that no typed hook changed pass unchanged: an argument as the model wrote it, an output with its
//! metadata, and an answer that is not of the return type.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Mutex;

use serde::Serializer;
use serde_json::value::RawValue;

use crate::context::ToolContext;
use crate::onion::Call;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{Reading, Returned, ToolDefinition, encode};
use onionskin_definitions::error::{Exit, ToolError, ToolResult};
use onionskin_definitions::lock::lock;
use onionskin_definitions::output::ToolOutput;

/// Serialised arguments in order, each with its name.
#[derive(Default)]
pub struct EncodedArgs(Vec<(&'static str, Result<String, serde_json::Error>)>);

impl EncodedArgs {
    /// These arguments.
    pub fn new(arguments: Vec<(&'static str, Result<String, serde_json::Error>)>) -> Self {
        Self(arguments)
    }

    fn same(&self, at: usize, text: &str) -> bool {
        matches!(self.0.get(at), Some((_, Ok(own))) if own == text)
    }
}

/// A call through the typed hooks of such a tool.
pub struct TypedCall<'a> {
    args: &'a Args,
    /// The arguments before the typed hooks.
    read: EncodedArgs,
    reading: Reading,
    /// The last output of the tool's own layers. Boxed, because most tools have none.
    output: Mutex<Option<Box<ToolOutput>>>,
}

impl<'a> TypedCall<'a> {
    /// Starts a call with these arguments.
    pub fn new(args: &'a Args, read: EncodedArgs, reading: Reading) -> Self {
        Self { args, read, reading, output: Mutex::new(None) }
    }

    fn keep(&self, output: ToolOutput) {
        *lock(&self.output) = Some(Box::new(output));
    }

    fn retained_output(&self) -> Option<Box<ToolOutput>> {
        lock(&self.output).take()
    }

    /// The arguments for the tool's own layers. Arguments that a typed hook changed are serialised again.
    /// Others keep the model's text, or stay absent.
    ///
    /// # Errors
    /// Returns an error if a value cannot be serialised.
    pub fn encode(&self, tool: &ToolDefinition, arguments: EncodedArgs) -> ToolResult<Args> {
        let text = |(name, text): (_, Result<_, serde_json::Error>)| match text {
            Ok(text) => Ok((name, text)),
            Err(error) => {
                let text = format!("`{name}` of `{}` cannot be written as JSON: {error}", tool.name);
                Err(Exit::Tool(ToolError::new(text).with_source(error)))
            }
        };
        let texts = arguments.0.into_iter().map(text).collect::<ToolResult<Vec<(&str, String)>>>()?;
        if texts.iter().enumerate().all(|(at, (_, text))| self.read.same(at, text)) {
            return Ok(self.args.clone());
        }
        let own_words = self.args.text();
        // If the text needed repairs, every value is serialised again.
        let own_words = serde_json::from_str::<BTreeMap<String, &RawValue>>(&own_words).ok();
        let mut object = Vec::with_capacity(texts.len());
        for (at, (name, text)) in texts.iter().enumerate() {
            match own_words.as_ref().filter(|_| self.read.same(at, text)) {
                Some(own_words) => object.extend(own_words.get(*name).map(|value| (*name, *value))),
                None => object.push((*name, serde_json::from_str(text)?)),
            }
        }
        let mut json = Vec::new();
        serde_json::Serializer::new(&mut json).collect_map(object)?;
        let mut args = Args::from(String::from_utf8(json)?);
        args.attach_schema(&tool.input_schema);
        Ok(args)
    }
}

/// An answer of a tool's own layers that is not of the function's return type.
#[derive(Debug)]
struct NotRead {
    output: ToolOutput,
    reason: String,
}

impl fmt::Display for NotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl Error for NotRead {}

/// Runs a tool's own layers, and deserialises their output as the function's return type.
///
/// # Errors
/// Returns the errors of the layers and of the tool, or an error if the answer cannot be deserialised.
pub async fn through<C: Call, R: 'static>(
    layers: &C,
    cx: &ToolContext,
    call: &TypedCall<'_>,
    mut args: Args,
) -> ToolResult<R> {
    let output = layers.call(cx, &mut args).await?;
    match call.reading.read(&output) {
        Ok(value) => {
            call.keep(output);
            Ok(value)
        }
        Err(reason) => {
            let text =
                format!("the answer of `{}` cannot be read as its function's type: {reason}", cx.tool_name());
            Err(Exit::Tool(ToolError::new(text).with_source(NotRead { output, reason })))
        }
    }
}

/// Converts the value of the outermost typed hook to the result of the call.
///
/// # Errors
/// Returns an error if the value is an error or cannot be serialised.
pub fn finish_typed<R: 'static, T: Returned<R>>(returned: T, call: &TypedCall<'_>, value: R) -> ToolResult {
    let output = encode(returned, value)?;
    let Some(retained) = call.retained_output().filter(|_| !call.reading.is_whole) else { return Ok(output) };
    let as_read = call.reading.read(&retained).ok().and_then(|value| T::encode(value).ok());
    let is_unchanged = as_read.is_some_and(|read| {
        read.content() == output.content() && read.structured_content() == output.structured_content()
    });
    Ok(if is_unchanged { *retained } else { output })
}

/// Returns the original answer if typed hooks passed on the error about an answer of another type.
pub(super) fn unread(exit: Exit) -> ToolResult {
    let not_read = exit
        .as_tool_error()
        .and_then(|error| Some(error.source()?.downcast_ref::<NotRead>()?.output.clone()));
    not_read.ok_or(exit)
}
