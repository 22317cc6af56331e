//! A conversation as the protocols write it: what each of them needs of a message, in one place.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use onionskin_core::Args;
use onionskin_core::content::ContentBlock;
use onionskin_core::model::{Message, ToolCall, ToolResultMessage, exact_json};

use super::ids::{Ids, sent_name};
use super::{Protocol, ProviderRequest};
use crate::carried::{Carried, Place};

/// A message.
pub(crate) enum Turn<'a> {
    User(Vec<Part<'a>>),
    Assistant { text: &'a str, calls: Vec<SentCall<'a>>, carried: Box<Carried> },
    Results(Vec<SentResult<'a>>),
}

/// A part of a message.
pub(crate) enum Part<'a> {
    Text(Cow<'a, str>),
    File { mime_type: &'a str, data: &'a str, name: Option<&'a str> },
}

pub(crate) struct SentCall<'a> {
    pub(crate) id: String,
    pub(crate) name: Cow<'a, str>,
    pub(crate) arguments: Map<String, Value>,
    /// What the model wrote.
    source: &'a str,
    /// What the provider wants back with the call.
    pub(crate) signature: Option<Value>,
}

impl SentCall<'_> {
    /// The text of the arguments, with the digits of the model.
    pub(crate) fn text(&self) -> String {
        let arguments = Value::Object(self.arguments.clone());
        exact_json(&arguments, self.source).unwrap_or_else(|_| arguments.to_string())
    }
}

pub(crate) struct SentResult<'a> {
    pub(crate) id: String,
    pub(crate) name: Cow<'a, str>,
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

/// The messages of a request.
pub(crate) fn turns<'a>(request: &ProviderRequest<'a>, protocol: Protocol) -> Vec<Turn<'a>> {
    let ProviderRequest { model_request, kind, endpoint, .. } = *request;
    let mut turns = Vec::with_capacity(model_request.messages.len());
    let mut ids = Ids::new(protocol.ids(kind));
    for message in &model_request.messages {
        match message {
            Message::User { content, .. } => turns.push(Turn::User(content.iter().map(part).collect())),
            Message::Assistant { text, tool_calls, provider_data, .. } => {
                let carried = Carried::read(provider_data.as_ref(), kind.as_lower_str(), endpoint);
                // Providers refuse a message in which nothing was said. Anthropic's can have nothing but calls of its own tools.
                let own = protocol == Protocol::Anthropic && !carried.blocks.is_empty();
                if !text.trim().is_empty() || !tool_calls.is_empty() || own {
                    let calls = calls(tool_calls, &carried, &mut ids);
                    turns.push(Turn::Assistant { text, calls, carried: Box::new(carried) });
                }
            }
            Message::Tool { results, .. } => tool_results(results, &ids, protocol, &mut turns),
        }
    }
    turns
}

fn calls<'a>(calls: &'a [ToolCall], carried: &Carried, ids: &mut Ids) -> Vec<SentCall<'a>> {
    ids.next_turn();
    let signatures = carried.signatures.iter().cloned().chain(std::iter::repeat(None));
    let call = |(call, signature): (&'a ToolCall, Option<Value>)| SentCall {
        id: ids.call(&call.id),
        name: sent_name(&call.name),
        arguments: arguments(&call.arguments),
        source: &call.arguments,
        signature,
    };
    calls.iter().zip(signatures).map(call).collect()
}

/// A part of an answer that goes back.
pub(crate) enum Said<'a> {
    /// As the provider wrote it.
    Block(Value),
    Text(&'a str),
    /// A text, and its phase.
    Phased(&'a str, String),
    Call(SentCall<'a>),
}

/// The parts of an answer in the order in which the provider wrote them: signed reasoning holds for its place. The text and the calls are the
/// message's own. What has no place in the order, because a hook added it, is behind the rest.
pub(crate) fn in_order<'a>(text: &'a str, calls: Vec<SentCall<'a>>, carried: Carried) -> Vec<Said<'a>> {
    let Carried { blocks, mut order, phases, .. } = carried;
    let phase_at = |at: usize| phases.iter().find(|(from, _)| *from == at).map(|(_, phase)| phase.clone());
    if order.is_empty() {
        order.extend((0..blocks.len()).map(Place::Block));
    }
    let mut blocks: Vec<_> = blocks.into_iter().map(Some).collect();
    let mut calls: Vec<_> = calls.into_iter().map(Some).collect();
    // A text that is not the one of the order any more is sent whole, at the place of the first part.
    let lengths = order.iter().map(|place| match place {
        Place::Text(from, to) => text.get(*from..*to).map(str::len),
        Place::Block(_) | Place::Call(_) => Some(0),
    });
    let is_same = lengths.sum::<Option<usize>>() == Some(text.len());
    let mut whole = (!is_same).then_some(text);
    let mut said = Vec::new();
    for place in order {
        match place {
            Place::Block(number) => {
                said.extend(blocks.get_mut(number).and_then(Option::take).map(Said::Block));
            }
            Place::Text(from, to) if is_same => {
                said.extend(text.get(from..to).map(|text| match phase_at(from) {
                    Some(phase) => Said::Phased(text, phase),
                    None => Said::Text(text),
                }));
            }
            Place::Text(..) => said.extend(whole.take().map(Said::Text)),
            Place::Call(number) => said.extend(calls.get_mut(number).and_then(Option::take).map(Said::Call)),
        }
    }
    said.extend(whole.map(Said::Text));
    said.extend(calls.into_iter().flatten().map(Said::Call));
    said.retain(|part| !matches!(part, Said::Text("")));
    said
}

/// Providers take nothing but an object back; text that is not an object goes inside one.
fn arguments(text: &str) -> Map<String, Value> {
    if text.trim().is_empty() {
        return Map::new();
    }
    match Args::from(text).as_object() {
        Ok(object) => object.clone(),
        Err(_) => Map::from_iter([("invalid_arguments".to_owned(), json!(text))]),
    }
}

/// The results, then the pictures and sounds in them: providers take only text in a result.
fn tool_results<'a>(
    results: &'a [ToolResultMessage],
    ids: &Ids,
    protocol: Protocol,
    turns: &mut Vec<Turn<'a>>,
) {
    let mut sent = Vec::with_capacity(results.len());
    let mut media: Vec<Part<'a>> = Vec::new();
    for result in results {
        let mut texts: Vec<Cow<'_, str>> = Vec::new();
        let id = ids.result(&result.call_id);
        let name = sent_name(&result.name);
        for block in &*result.content {
            match part(block) {
                Part::Text(text) => texts.push(text),
                Part::File { mime_type, name: file, .. } if !protocol.reads(block) => {
                    let kind = named(kind_of(block, mime_type), file);
                    let fault = if block.is_valid() {
                        "which this model does not read"
                    } else {
                        "whose data are no base64"
                    };
                    texts.push(format!("[{kind} (`{mime_type}`), {fault}]").into());
                }
                part @ Part::File { mime_type, name: file, .. } => {
                    let kind = named(kind_of(block, mime_type), file);
                    texts.push(format!("[attached below: {kind}]").into());
                    let title = format!("{kind} from the result of `{name}` (call {id}):");
                    media.push(Part::Text(title.into()));
                    media.push(part);
                }
            }
        }
        let is_error = result.is_error && protocol.carries().error_marks;
        sent.push(SentResult { id, name, text: texts.join("\n"), is_error });
    }
    turns.push(Turn::Results(sent));
    if !media.is_empty() {
        turns.push(Turn::User(media));
    }
}

fn part(block: &ContentBlock) -> Part<'_> {
    match block {
        ContentBlock::Text(text) => Part::Text(text.into()),
        ContentBlock::Image(media) | ContentBlock::Audio(media) => {
            Part::File { mime_type: media.mime_type(), data: media.data(), name: None }
        }
        ContentBlock::Resource(resource) => match (resource.as_text(), resource.as_blob()) {
            (Some(text), _) => Part::Text(format!("{}:\n{text}", resource.uri()).into()),
            (None, Some(data)) => {
                let mime_type = resource.mime_type().unwrap_or("application/octet-stream");
                Part::File { mime_type, data, name: Some(resource.uri()) }
            }
            (None, None) => Part::Text(resource.uri().into()),
        },
        ContentBlock::ResourceLink(link) => Part::Text(
            match link.description() {
                Some(description) => format!("{} <{}>: {description}", link.name(), link.uri()),
                None => format!("{} <{}>", link.name(), link.uri()),
            }
            .into(),
        ),
    }
}

fn kind_of(block: &ContentBlock, mime_type: &str) -> &'static str {
    match (block, file_kind(mime_type)) {
        (ContentBlock::Image(_), _) | (ContentBlock::Resource(_), FileKind::Image) => "Picture",
        (ContentBlock::Audio(_), _) | (ContentBlock::Resource(_), FileKind::Audio(_)) => "Sound",
        (ContentBlock::Resource(_), FileKind::Other)
        | (ContentBlock::Text(_) | ContentBlock::ResourceLink(_), _) => "File",
    }
}

/// The kind of a file with its address, by which the model knows it.
fn named(kind: &str, address: Option<&str>) -> String {
    match address {
        Some(address) => format!("{kind} <{address}>"),
        None => kind.to_owned(),
    }
}

/// The kinds of files that protocols write in different ways.
pub(crate) enum FileKind<'a> {
    Image,
    /// The format, as the end of a file's name.
    Audio(&'a str),
    Other,
}

pub(crate) fn file_kind(mime_type: &str) -> FileKind<'_> {
    match mime_type.split_once('/') {
        Some(("image", _)) => FileKind::Image,
        Some(("audio", "mpeg")) => FileKind::Audio("mp3"),
        Some(("audio", format)) => FileKind::Audio(format),
        _ => FileKind::Other,
    }
}

pub(crate) fn data_url(mime_type: &str, data: &str) -> String {
    format!("data:{mime_type};base64,{data}")
}

/// The text of a message that has texts only.
pub(crate) fn only_text(parts: &[Part<'_>]) -> Option<String> {
    let texts = parts.iter().map(|part| match part {
        Part::Text(text) => Some(&**text),
        Part::File { .. } => None,
    });
    Some(texts.collect::<Option<Vec<_>>>()?.join("\n\n"))
}
