//! Content blocks: the pieces of tool results and messages.

mod files;
mod kinds;
mod media;
mod read;

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use files::{ContentError, MAX_FILE_BYTES};
pub use media::{Audio, Image, Media};

use crate::secret::{Redact, Redactor};
use crate::text::base64::is_base64;

/// One piece of a message or of a tool result.
///
/// The serialised form is MCP's `ContentBlock`
/// (<https://modelcontextprotocol.io/specification/2025-11-25/schema#contentblock>).
///
/// ```
/// use onionskin::content::ContentBlock;
/// let block = ContentBlock::text("21 degrees");
/// assert_eq!(block.as_text(), Some("21 degrees"));
/// assert_eq!(serde_json::to_string(&block).unwrap(), r#"{"type":"text","text":"21 degrees"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Wire", into = "Wire")]
pub enum ContentBlock {
    /// Plain text.
    Text(String),
    /// An image.
    Image(Box<Media>),
    /// Audio.
    Audio(Box<Media>),
    /// An embedded resource with its contents.
    Resource(Box<Resource>),
    /// A link to a resource.
    ResourceLink(Box<ResourceLink>),
}

impl ContentBlock {
    /// All texts of the block.
    fn texts(&mut self) -> Vec<&mut String> {
        match self {
            Self::Text(text) => vec![text],
            Self::Image(media) | Self::Audio(media) => {
                vec![&mut media.data, &mut media.mime_type]
            }
            Self::Resource(resource) => {
                let more = [&mut resource.mime_type, &mut resource.text, &mut resource.blob];
                std::iter::once(&mut resource.uri).chain(more.into_iter().flatten()).collect()
            }
            Self::ResourceLink(link) => {
                let more = [&mut link.description, &mut link.mime_type].into_iter().flatten();
                [&mut link.uri, &mut link.name].into_iter().chain(more).collect()
            }
        }
    }

    /// Whether the bytes of the block are base64. A block without bytes is valid.
    ///
    /// ```
    /// use onionskin::content::{ContentBlock, Image, Media};
    /// assert!(ContentBlock::from(Image(Media::new("iVBORw0KGgo=", "image/png"))).is_valid());
    /// assert!(!ContentBlock::from(Image(Media::new("https://example.org/dot.png", "image/png"))).is_valid());
    /// ```
    pub fn is_valid(&self) -> bool {
        match self {
            Self::Text(_) | Self::ResourceLink(_) => true,
            Self::Image(media) | Self::Audio(media) => is_base64(media.data()),
            Self::Resource(resource) => resource.as_blob().is_none_or(is_base64),
        }
    }

    /// Whether the block shows a secret.
    pub(crate) fn shows(&self, redactor: &Redactor) -> bool {
        self.clone().texts().into_iter().any(|text| redactor.shows(text))
    }

    /// Creates a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The text, if this is a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Image(_) | Self::Audio(_) | Self::Resource(_) | Self::ResourceLink(_) => None,
        }
    }
}

impl Redact for ContentBlock {
    fn redact(&mut self, redactor: &Redactor) {
        self.texts().into_iter().for_each(|text| text.redact(redactor));
    }
}

/// Blocks without secrets stay shared.
impl Redact for Arc<[ContentBlock]> {
    fn redact(&mut self, redactor: &Redactor) {
        if self.iter().any(|block| block.shows(redactor)) {
            Self::make_mut(self).redact(redactor);
        }
    }
}

/// A resource with its contents: text, or bytes in base64.
///
/// ```
/// use onionskin::content::Resource;
///
/// let page = Resource::text("file:///notes.md", "# Notes").with_mime_type("text/markdown");
/// assert_eq!((page.as_text(), page.as_blob()), (Some("# Notes"), None));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    uri: String,
    #[serde(default, alias = "mime_type", skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blob: Option<String>,
}

impl Resource {
    /// Creates a text resource without a media type.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self { uri: uri.into(), mime_type: None, text: Some(text.into()), blob: None }
    }

    /// Creates a resource from base64-encoded bytes, without a media type. The encoding is not checked.
    pub fn blob(uri: impl Into<String>, data: impl Into<String>) -> Self {
        Self { uri: uri.into(), mime_type: None, text: None, blob: Some(data.into()) }
    }

    /// Sets the media type.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// The URI of the resource.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Its media type.
    pub fn mime_type(&self) -> Option<&str> {
        self.mime_type.as_deref()
    }

    /// Its text.
    pub fn as_text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Its bytes, base64 encoded.
    pub fn as_blob(&self) -> Option<&str> {
        self.blob.as_deref()
    }
}

from_each! { ContentBlock,
    resource: Resource => Self::Resource(Box::new(resource));
    link: ResourceLink => Self::ResourceLink(Box::new(link));
    text: &str => Self::Text(text.to_owned());
    text: String => Self::Text(text);
}

/// A link to a resource.
///
/// ```
/// use onionskin::content::ResourceLink;
///
/// let link = ResourceLink::new("file:///notes.md", "notes").with_description("What was said.");
/// assert_eq!(link.description(), Some("What was said."));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceLink {
    uri: String,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(default, alias = "mime_type", skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
}

impl ResourceLink {
    /// Creates a link to a resource with this name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: name.into(), description: None, mime_type: None }
    }

    /// Sets the description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the media type.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// The URI of the resource.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A description of the resource.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Its media type.
    pub fn mime_type(&self) -> Option<&str> {
        self.mime_type.as_deref()
    }
}

/// MCP's spelling. A block of an unknown kind is kept as JSON text, so that nothing is lost.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Wire {
    Known(KnownBlock),
    Unknown(Value),
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum KnownBlock {
    Text { text: String },
    Image(Box<Media>),
    Audio(Box<Media>),
    Resource { resource: Box<Resource> },
    ResourceLink(Box<ResourceLink>),
}

impl From<Wire> for ContentBlock {
    fn from(wire: Wire) -> Self {
        match wire {
            Wire::Known(KnownBlock::Text { text }) => Self::Text(text),
            Wire::Known(KnownBlock::Image(media)) => Self::Image(media),
            Wire::Known(KnownBlock::Audio(media)) => Self::Audio(media),
            Wire::Known(KnownBlock::Resource { resource }) => Self::Resource(resource),
            Wire::Known(KnownBlock::ResourceLink(link)) => Self::ResourceLink(link),
            Wire::Unknown(value) => Self::Text(value.to_string()),
        }
    }
}

impl From<ContentBlock> for Wire {
    fn from(block: ContentBlock) -> Self {
        Self::Known(match block {
            ContentBlock::Text(text) => KnownBlock::Text { text },
            ContentBlock::Image(media) => KnownBlock::Image(media),
            ContentBlock::Audio(media) => KnownBlock::Audio(media),
            ContentBlock::Resource(resource) => KnownBlock::Resource { resource },
            ContentBlock::ResourceLink(link) => KnownBlock::ResourceLink(link),
        })
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ContentBlock {
    /// The text of a text block or of a text resource.
    pub fn readable(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Resource(resource) => resource.as_text(),
            Self::Image(_) | Self::Audio(_) | Self::ResourceLink(_) => None,
        }
    }

    /// All text blocks joined; borrowed for a single block.
    pub fn join(blocks: &[Self]) -> Cow<'_, str> {
        let mut texts = blocks.iter().filter_map(Self::as_text);
        let Some(first) = texts.next() else { return Cow::Borrowed("") };
        texts.fold(Cow::Borrowed(first), |joined, next| joined + next)
    }
}
