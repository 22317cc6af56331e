//! Kinds of files, recognised by their first bytes.

/// The media type of bytes, by their signature.
pub(super) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let at = |start: usize, mark: &[u8]| bytes.get(start..).is_some_and(|rest| rest.starts_with(mark));
    let of_riff = |mark| at(0, b"RIFF") && at(8, mark);
    Some(match () {
        () if at(0, b"\x89PNG\r\n\x1a\n") => "image/png",
        () if at(0, b"\xff\xd8\xff") => "image/jpeg",
        () if at(0, b"GIF87a") || at(0, b"GIF89a") => "image/gif",
        () if of_riff(b"WEBP") => "image/webp",
        () if of_riff(b"WAVE") => "audio/wav",
        () if at(0, b"ID3") || at(0, b"\xff\xfb") || at(0, b"\xff\xf3") || at(0, b"\xff\xf2") => "audio/mpeg",
        () if at(0, b"OggS") => "audio/ogg",
        () if at(0, b"fLaC") => "audio/flac",
        () if at(4, b"ftypM4A") => "audio/mp4",
        () if at(0, b"%PDF-") => "application/pdf",
        () => return None,
    })
}
