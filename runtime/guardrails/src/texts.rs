//! The texts that a call holds: the values of its arguments, and what its result shows.

use serde_json::Value;

use onionskin_core::Args;
use onionskin_core::ToolOutput;
use onionskin_core::content::ContentBlock;
use onionskin_core::{Exit, ToolResult};
use onionskin_definitions::json::change_texts;

/// What a result shows: that of a success, an error or a stop. An abort ends the run, so no model reads its reason.
fn shown(result: &ToolResult) -> Option<&ToolOutput> {
    match result {
        Ok(output) => Some(output),
        Err(Exit::Tool(error)) => Some(error.output()),
        Err(Exit::Stop(stop)) => Some(stop.output()),
        Err(Exit::Abort(_)) => None,
    }
}

/// As [`shown`], for changes.
fn shown_mut(result: &mut ToolResult) -> Option<&mut ToolOutput> {
    match result {
        Ok(output) => Some(output),
        Err(Exit::Tool(error)) => Some(error.output_mut()),
        Err(Exit::Stop(stop)) => Some(stop.output_mut()),
        Err(Exit::Abort(_)) => None,
    }
}

/// What a text becomes; `None` leaves it.
type Change<'c> = dyn FnMut(&str) -> Option<String> + 'c;

/// Replaces each text in the arguments, names of fields too, by what `change` makes of it. Arguments that are not an object are refused
/// later.
pub(super) fn change_args(args: &mut Args, change: &mut Change<'_>) {
    // The text as it is written after repairs.
    let mut written = args.clone();
    if written.as_object_mut().is_ok()
        && let Ok(Some(changed)) = change_texts(&written.text(), change)
    {
        args.replace_text(changed);
    }
}

/// Replaces each text that the result shows, including the texts of an error, whose other parts stay unchanged. What is divided between text blocks
/// is left to [`change_divided`].
pub(super) fn change_result(result: &mut ToolResult, change: &mut Change<'_>) {
    if let Some(output) = shown_mut(result) {
        output.change_texts(change);
    }
}

/// Joins text blocks beside each other where what has to change is divided between them.
pub(super) fn change_divided(result: &mut ToolResult, change: &mut Change<'_>) {
    let Some(output) = shown_mut(result).filter(|output| output.content().len() > 1) else { return };
    let is_text = |block: &ContentBlock| block.as_text().is_some();
    let mut changed_run = |run: &[ContentBlock]| {
        let is_run = run.len() > 1 && is_text(&run[0]);
        is_run.then(|| change(&ContentBlock::join(run))).flatten()
    };
    let runs = output.content().chunk_by(|one, next| is_text(one) && is_text(next));
    let changed: Vec<_> = runs.map(|run| (run.len(), changed_run(run))).collect();
    if changed.iter().all(|(_, changed)| changed.is_none()) {
        return;
    }
    let blocks = output.content_only_mut();
    let mut old = std::mem::take(blocks).into_iter();
    for (length, changed) in changed {
        let run = old.by_ref().take(length);
        match changed {
            Some(text) => {
                run.for_each(drop);
                blocks.push(ContentBlock::Text(text));
            }
            None => blocks.extend(run),
        }
    }
}

/// The texts in the arguments, names of fields too.
pub(super) fn texts_of_args(args: &Args) -> Vec<String> {
    let mut texts = Vec::new();
    match args.as_object() {
        Ok(object) => object.iter().for_each(|(name, value)| {
            texts.push(name.clone());
            texts_of(value, &mut texts);
        }),
        // They are refused later; until then they are one text.
        Err(_) => texts.push(args.text().to_string()),
    }
    texts
}

/// The texts that the result shows, including the texts of an error.
pub(super) fn texts_of_result(result: &ToolResult) -> Vec<String> {
    shown(result).map(texts_of_output).unwrap_or_default()
}

/// How many characters the result shows.
pub(super) fn length_of_result(result: &ToolResult) -> usize {
    let length = |text: &str| text.chars().count();
    let Some(output) = shown(result) else { return 0 };
    let read = output.content().iter().flat_map(ContentBlock::read_texts).map(length).sum();
    let mut texts = Vec::new();
    // Without the key around a value that is no object, which nobody wrote.
    if let Some(value) = output.own_value() {
        texts_of(&value, &mut texts);
    }
    texts.iter().map(|text| length(text)).fold(read, usize::max)
}

fn texts_of_output(output: &ToolOutput) -> Vec<String> {
    let mut texts = vec![ContentBlock::read_together(output.content())];
    if let Some(value) = output.structured_content() {
        texts_of(&value, &mut texts);
    }
    texts
}

/// The texts and numbers in a value, names of fields too.
pub(super) fn texts_of(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Number(number) => texts.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| texts_of(item, texts)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            texts.push(name.clone());
            texts_of(value, texts);
        }),
        Value::Null | Value::Bool(_) => {}
    }
}
