//! Images and audio in the form that providers accept: programs and servers write base64 and media types in
//! many ways.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::ContentBlock;
use super::kinds::media_type;
use crate::text::base64::{beginning, standard};

/// An image or audio: base64 data and its media type. As a tool's return value it is an image; return
/// [`Audio`] for audio.
///
/// ```
/// let dot = onionskin::content::Media::new("iVBORw0KGgo=", "image/png");
/// assert_eq!(dot.mime_type(), "image/png");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", from = "MediaFields")]
pub struct Media {
    pub(super) data: String,
    pub(super) mime_type: String,
}

/// Media as a program or a server wrote them. Python's SDK writes the field in snake case by default.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MediaFields {
    data: String,
    #[serde(alias = "mime_type")]
    mime_type: String,
}

impl From<MediaFields> for Media {
    fn from(fields: MediaFields) -> Self {
        Self::new(fields.data, fields.mime_type)
    }
}

impl Media {
    /// Creates media from base64 data and a media type, and normalises both: base64 of a `data:` URL, in the
    /// URL-safe alphabet, with line breaks or without padding becomes plain base64, and `image/jpg` or
    /// `IMAGE/PNG; q=1` become `image/jpeg` and `image/png`. If the data has the signature of a known kind of
    /// image or audio, the media type is that kind.
    ///
    /// Data that is not base64 stays unchanged; [`ContentBlock::is_valid`] detects it.
    ///
    /// ```
    /// use onionskin::content::Media;
    /// let dot = Media::new("data:image/png;base64,iVBORw0KGgo", "image/x-png");
    /// assert_eq!((dot.data(), dot.mime_type()), ("iVBORw0KGgo=", "image/png"));
    /// ```
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        let (mut data, mut mime_type): (String, String) = (data.into(), mime_type.into());
        if let Some((of_url, in_url)) = parts_of_url(&data) {
            (mime_type, data) = (of_url.to_owned(), in_url.to_owned());
        }
        if let Cow::Owned(plain) = standard(&data) {
            data = plain;
        }
        mime_type = usual(&mime_type);
        let kind = |mime_type: &str| mime_type.split('/').next().map(str::to_owned);
        if let Some(found) = media_type(&beginning(&data)).filter(|found| kind(found) == kind(&mime_type)) {
            found.clone_into(&mut mime_type);
        }
        Self { data, mime_type }
    }

    /// The bytes, base64 encoded.
    pub fn data(&self) -> &str {
        &self.data
    }

    /// The media type, for example `image/png`.
    pub fn mime_type(&self) -> &str {
        &self.mime_type
    }
}

/// The media type and the base64 of a `data:` URL.
fn parts_of_url(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.trim_start().split_once(',')?;
    let (scheme, head) = head.split_at_checked(5)?;
    let mime_type = head.strip_suffix(";base64")?;
    scheme.eq_ignore_ascii_case("data:").then_some((mime_type, data))
}

/// The usual name of a media type, without parameters.
fn usual(mime_type: &str) -> String {
    let name = mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match name.as_str() {
        "image/jpg" | "image/pjpeg" => "image/jpeg",
        "image/x-png" => "image/png",
        "audio/mp3" | "audio/x-mp3" | "audio/x-mpeg" => "audio/mpeg",
        "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => "audio/wav",
        "audio/x-flac" => "audio/flac",
        "audio/m4a" | "audio/x-m4a" => "audio/mp4",
        "audio/x-aac" => "audio/aac",
        "audio/x-aiff" => "audio/aiff",
        _ => return name,
    }
    .to_owned()
}

/// An image: the return value of a tool, or a part of a run's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image(pub Media);

/// Audio: the return value of a tool, or a part of a run's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audio(pub Media);

from_each! { ContentBlock,
    image: Image => Self::Image(Box::new(image.0));
    audio: Audio => Self::Audio(Box::new(audio.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l2_media_get_the_form_that_providers_take() {
        for (data, mime_type, expected) in [
            ("aGk=", "image/jpg", ("aGk=", "image/jpeg")),
            ("aGk=", " IMAGE/PNG; charset=x", ("aGk=", "image/png")),
            ("aGk", "audio/x-wav", ("aGk=", "audio/wav")),
            ("aG\n k=\r\n", "image/svg+xml", ("aGk=", "image/svg+xml")),
            ("-_-_", "image/png", ("+/+/", "image/png")),
            ("data:image/gif;base64,aGk=", "image/png", ("aGk=", "image/gif")),
            ("DATA:image/gif;base64,aGk", "", ("aGk=", "image/gif")),
            // What the bytes are counts, within the kind.
            ("/9j/4AAQSkZJRg==", "image/png", ("/9j/4AAQSkZJRg==", "image/jpeg")),
            ("/9j/4AAQSkZJRg==", "audio/wav", ("/9j/4AAQSkZJRg==", "audio/wav")),
        ] {
            let media = Media::new(data, mime_type);
            assert_eq!((media.data(), media.mime_type()), expected, "{data}");
            assert!(ContentBlock::from(Image(media.clone())).is_valid(), "{data}");
            let wire = serde_json::json!({"data": data, "mimeType": mime_type});
            assert_eq!(serde_json::from_value::<Media>(wire).unwrap(), media, "{data}");
        }
    }

    #[test]
    fn l2_data_that_are_no_base64_are_not_valid() {
        for data in ["", " ", "!!!", "a", "aGk=x", "====", "https://example.org/a.png", "data:image/png,x"] {
            let media = Media::new(data, "image/png");
            assert_eq!(media.data(), data);
            assert!(!ContentBlock::from(Image(media)).is_valid(), "{data}");
        }
    }
}
