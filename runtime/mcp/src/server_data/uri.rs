//! URIs that lead elsewhere than they say.

/// A longer one is refused.
const MAX_BYTES: usize = 8 << 10;

/// Why a URI is not requested; `None` if it is.
///
/// A server resolves the segments `.` and `..`, and so such a URI could lead out of what a pattern takes. Many parsers remove tabs and line
/// feeds first, and trim blanks.
pub(super) fn refused(uri: &str) -> Option<&'static str> {
    if uri.len() > MAX_BYTES {
        return Some("its URI is longer than 8 KiB");
    }
    let decoded = decoded(uri);
    if [uri, &decoded].iter().any(|uri| uri.contains(|c: char| c.is_whitespace() || c.is_control())) {
        return Some("write its URI without blanks and control characters");
    }
    let mut segments = decoded.split(['/', '\\', '?', '#', ';']);
    segments
        .any(|segment| matches!(segment, "." | ".."))
        .then_some("write its URI without the segments `.` and `..`")
}

/// The text with the encoded characters of ASCII decoded, however often they are encoded.
fn decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    for byte in uri.bytes() {
        bytes.push(byte);
        // A decoded character may complete the code before it: `%25` and `2e`.
        while let Some(plain) = bytes.last_chunk().copied().and_then(plain) {
            bytes.truncate(bytes.len() - 3);
            bytes.push(plain);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The character of a code.
fn plain([sign, high, low]: [u8; 3]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let code = (digit(high)? << 4) | digit(low)?;
    (sign == b'%' && code.is_ascii()).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a4_uris_that_could_lead_out_of_a_pattern_are_refused_in_each_spelling() {
        for uri in [
            "file:///docs/../etc",
            "file:///docs/./a",
            "file:///docs/..",
            "file:///docs/..\\etc",
            "file:///docs/%2e%2E/etc",
            "file:///docs/..%2Fetc",
            "file:///docs/%252e%252e/etc",
            "file:///docs/%25252e./etc",
            "file:///docs/%%32%65./etc",
            "file:///docs/..%5cetc",
            "docs://a/..?b",
            "docs://a/..;b/c",
            "file:///docs/.\t./etc",
            "file:///docs/%2\ne./etc",
            "file:///docs/.. ",
            "file:///docs/.%09./etc",
            "file:///docs/\u{a0}",
        ] {
            assert!(refused(uri).is_some(), "{uri}");
        }
        for uri in [
            "file:///docs/a..b",
            "file:///.hidden/a.txt",
            "a:...",
            "docs://100%/x",
            "docs://%c3%a4",
            "docs://ä",
            "",
        ] {
            assert_eq!(refused(uri), None, "{uri}");
        }
        assert!(refused(&"%2e".repeat(1 << 20)).is_some());
    }
}
