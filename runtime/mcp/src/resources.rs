//! Files in results, in the form that models read. Servers send a text as bytes, leave its type out, or write the type of a picture in their own way.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use onionskin_core::content::{Audio, ContentBlock, Image, Media, Resource};

/// Decodes the bytes of a file that is text, and brings the bytes and the media type of another one into their usual form, in which pictures and
/// sounds reach models that read them. A file without a type is what its bytes are.
pub(super) fn make_readable(block: &mut ContentBlock) {
    let ContentBlock::Resource(resource) = block else { return };
    let Some(blob) = resource.as_blob().filter(|_| resource.as_text().is_none()) else { return };
    let written = resource.mime_type().filter(|written| !written.trim().is_empty());
    let media = Media::new(blob, written.unwrap_or(UNKNOWN));
    let (uri, kind) = (resource.uri(), media.mime_type());
    let form = if kind == UNKNOWN || is_text(kind) { detect_by_bytes(uri, &media, written) } else { None };
    let kind = Some(kind).filter(|kind| *kind != UNKNOWN || written.is_some());
    **resource = form.unwrap_or_else(|| typed(Resource::blob(uri, media.data()), kind));
}

/// The type of bytes of any kind.
const UNKNOWN: &str = "application/octet-stream";

/// Whether a media type is one of texts.
fn is_text(kind: &str) -> bool {
    let (kind, format) = kind.split_once('/').unwrap_or((kind, ""));
    let of_application = ["json", "javascript", "ndjson", "sql", "toml", "typescript", "xml", "yaml"];
    kind == "text"
        || ["+json", "+xml", "+yaml"].iter().any(|end| format.ends_with(end))
        || kind == "application" && of_application.contains(&format.strip_prefix("x-").unwrap_or(format))
}

/// Detects a text or a picture by its bytes.
fn detect_by_bytes(uri: &str, media: &Media, written: Option<&str>) -> Option<Resource> {
    let bytes = BASE64_STANDARD.decode(media.data()).ok()?;
    let known = Image::from_bytes(&bytes)
        .map(|image| image.0)
        .or_else(|_| Audio::from_bytes(&bytes).map(|audio| audio.0));
    if let Ok(known) = known {
        return Some(typed(Resource::blob(uri, media.data()), Some(known.mime_type())));
    }
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
    Some(typed(Resource::text(uri, text), written))
}

fn typed(resource: Resource, mime_type: Option<&str>) -> Resource {
    match mime_type {
        Some(mime_type) => resource.with_mime_type(mime_type),
        None => resource,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a4_files_are_texts_or_media_as_their_type_or_their_bytes_say() {
        const DOT: &str = "iVBORw0KGgo=";
        let blob = |data: &str, kind: Option<&str>| typed(Resource::blob("a://b", data), kind);
        let text = |text: &str, kind: Option<&str>| typed(Resource::text("a://b", text), kind);
        for (resource, expected) in [
            (blob("YSxi", Some("text/csv")), text("a,b", Some("text/csv"))),
            (
                blob("e30", Some("application/json; charset=utf-8")),
                text("{}", Some("application/json; charset=utf-8")),
            ),
            (blob("PHN2Zy8+", Some("image/svg+xml")), text("<svg/>", Some("image/svg+xml"))),
            (blob("aGk=", None), text("hi", None)),
            (blob("aGk=", Some(" ")), text("hi", None)),
            (blob("iVBORw0KGgo", None), blob(DOT, Some("image/png"))),
            (blob("iVBO\nRw0KGgo=", Some("IMAGE/X-PNG")), blob(DOT, Some("image/png"))),
            (blob("data:image/gif;base64,R0lGODlh", None), blob("R0lGODlh", Some("image/gif"))),
            (blob("/9j/", Some("image/jpg")), blob("/9j/", Some("image/jpeg"))),
            // What stays: bytes that are no text, and what is no base64.
            (blob("/w==", None), blob("/w==", None)),
            (blob("AGE=", None), blob("AGE=", None)),
            (blob("/w==", Some("text/plain")), blob("/w==", Some("text/plain"))),
            (blob("no, base64", None), blob("no, base64", None)),
            (blob("JVBERi0=", Some("application/pdf")), blob("JVBERi0=", Some("application/pdf"))),
            (text("t", Some("image/png")), text("t", Some("image/png"))),
        ] {
            let mut block = ContentBlock::from(resource.clone());
            make_readable(&mut block);
            assert_eq!(block, expected.into(), "{resource:?}");
        }
        let mut block = ContentBlock::text("YSxi");
        make_readable(&mut block);
        assert_eq!(block, ContentBlock::text("YSxi"));
    }
}
