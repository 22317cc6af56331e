//! Changes what a result shows.

use std::borrow::Cow;

use onionskin_core::content::{ContentBlock, Resource};
use onionskin_core::{Exit, ToolError, ToolOutput, ToolResult};

use super::mask::Mask;

/// Changes what a result, an error or a stop shows.
pub(super) fn change(mask: &Mask, result: &mut ToolResult) {
    match result {
        Ok(output) => {
            change_output(mask, output);
        }
        Err(Exit::Tool(error)) => change_error(mask, error),
        Err(Exit::Stop(stop)) => {
            change_output(mask, stop.output_mut());
        }
        // The run has its reason already.
        Err(Exit::Abort(_)) => {}
    }
}

fn change_error(mask: &Mask, error: &mut ToolError) {
    let changed = change_output(mask, error.output_mut());
    let shows = error
        .causes()
        .any(|cause| is_changed(mask, &cause.to_string()) || is_changed(mask, &format!("{cause:?}")));
    if changed || shows {
        // A new error has no cause.
        let output = std::mem::take(error.output_mut());
        *error = ToolError::from_output(error.kind(), output);
    }
}

fn is_changed(mask: &Mask, text: &str) -> bool {
    matches!(mask.text(text), Cow::Owned(_)) || mask.fields_in_text(text).is_some()
}

/// Returns whether anything changed.
fn change_output(mask: &Mask, output: &mut ToolOutput) -> bool {
    let mut changed = change_fields(mask, output);
    output.map_text(|text| {
        let new = mask.text(text);
        changed |= matches!(new, Cow::Owned(_));
        new.into_owned()
    });
    changed
}

fn change_fields(mask: &Mask, output: &mut ToolOutput) -> bool {
    let mut value = output.structured_content().map(Cow::into_owned);
    let is_in_value = value.as_mut().is_some_and(|value| mask.fields(value));
    let texts: Vec<_> = output.content().iter().map(|block| in_block(mask, block)).collect();
    if !is_in_value && texts.iter().all(Option::is_none) {
        return false;
    }
    for (block, new) in output.content_only_mut().iter_mut().zip(texts) {
        if let Some(new) = new {
            *block = new;
        }
    }
    if let Some(value) = value {
        output.set_structured_only(value);
    }
    true
}

/// The block without the values of fields, if its text has some.
fn in_block(mask: &Mask, block: &ContentBlock) -> Option<ContentBlock> {
    match block {
        ContentBlock::Text(text) => mask.fields_in_text(text).map(ContentBlock::Text),
        ContentBlock::Resource(resource) => {
            let text = mask.fields_in_text(resource.as_text()?)?;
            let new = Resource::text(resource.uri(), text);
            Some(match resource.mime_type() {
                Some(mime_type) => new.with_mime_type(mime_type).into(),
                None => new.into(),
            })
        }
        ContentBlock::Image(_) | ContentBlock::Audio(_) | ContentBlock::ResourceLink(_) => None,
    }
}
