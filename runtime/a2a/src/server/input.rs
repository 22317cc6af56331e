//! The input of a run, from the parts of a message.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use onionskin_core::content::{Audio, ContentBlock, Image, Media, Resource, ResourceLink};
use onionskin_core::run_hooks::RunInput;

use super::card::JSON;
use super::limits::ID_BYTES;
use crate::wire::{Content, Fault, Message, Part, Role};

/// Checks a message, and reads empty ids as absent ones.
pub(super) fn check(message: &mut Message, parts: usize) -> Result<(), Fault> {
    for id in [&mut message.context_id, &mut message.task_id] {
        *id = id.take().filter(|id| !id.is_empty());
    }
    let is_id = |id: &str| id.len() <= ID_BYTES && !id.contains(char::is_control);
    if message.id.is_empty() || !is_id(&message.id) {
        return Err(Fault::param("message.messageId", "expected an id of at most 100 bytes"));
    }
    if message.context_id.as_deref().is_some_and(|id| !is_id(id)) {
        return Err(Fault::param("message.contextId", "expected an id of at most 100 bytes"));
    }
    if message.role != Role::User {
        return Err(Fault::param("message.role", "expected ROLE_USER"));
    }
    if message.parts.is_empty() {
        return Err(Fault::param("message.parts", "expected at least one part"));
    }
    if message.parts.len() > parts {
        return Err(Fault::param("message.parts", format!("expected at most {parts} parts")));
    }
    if message.parts.iter().any(|part| part.content().is_none()) {
        return Err(Fault::param("message.parts", "expected one of text, raw, url and data in each part"));
    }
    Ok(())
}

/// The input of a run. A value is a text of JSON.
pub(super) fn read(message: &Message) -> Result<RunInput, Fault> {
    let mut input = RunInput::default();
    for part in &message.parts {
        let block = block(part).filter(ContentBlock::is_valid);
        input.attach(block.ok_or_else(|| {
            Fault::param("message.parts", "expected base64 in `raw`, and UTF-8 in that of a text")
        })?);
    }
    Ok(input)
}

fn block(part: &Part) -> Option<ContentBlock> {
    let media_type = part.media_type.as_deref().filter(|kind| !kind.is_empty());
    let name = part.filename.as_deref().filter(|name| !name.is_empty()).unwrap_or("attachment");
    Some(match part.content()? {
        Content::Text(text) => ContentBlock::text(text),
        Content::Data(data) => ContentBlock::text(data.to_string()),
        Content::Url(url) => {
            let link = ResourceLink::new(url, name);
            match media_type {
                Some(kind) => link.with_mime_type(kind),
                None => link,
            }
            .into()
        }
        Content::Raw(raw) => {
            let kind = media_type.unwrap_or("application/octet-stream");
            match kind.split('/').next() {
                Some("text") => text(raw)?,
                _ if kind.starts_with(JSON) => text(raw)?,
                Some("image") => Image(Media::new(raw, kind)).into(),
                Some("audio") => Audio(Media::new(raw, kind)).into(),
                _ => Resource::blob(format!("attachment:{name}"), raw).with_mime_type(kind).into(),
            }
        }
    })
}

/// A file with a text, such as the card of the agent says that it takes.
fn text(raw: &str) -> Option<ContentBlock> {
    let bytes = STANDARD.decode(raw).ok()?;
    String::from_utf8(bytes).ok().map(ContentBlock::text)
}
