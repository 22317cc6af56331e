//! URIs that lead elsewhere than they say.

use std::borrow::Cow;

/// Whether a segment of the URI is `.` or `..`, also in percent-encoding: it could lead out of what a pattern takes.
pub(super) fn has_dot_segments(uri: &str) -> bool {
    let uri = decoded(uri);
    uri.split(['/', '\\', '?', '#', ';']).any(|segment| matches!(segment, "." | ".."))
}

/// The text with the encoded characters of paths decoded, however often they are encoded.
fn decoded(uri: &str) -> Cow<'_, str> {
    const CODES: [(&str, &str); 4] = [("%2e", "."), ("%2f", "/"), ("%5c", "\\"), ("%25", "%")];
    let mut uri = Cow::Borrowed(uri);
    while let Some(at) = first_code(&uri, &CODES) {
        let (start, (code, plain)) = at;
        uri.to_mut().replace_range(start..start + code.len(), plain);
    }
    uri
}

fn first_code<'c>(uri: &str, codes: &'c [(&str, &str)]) -> Option<(usize, &'c (&'c str, &'c str))> {
    let lower = uri.to_ascii_lowercase();
    codes.iter().find_map(|code| Some((lower.find(code.0)?, code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a4_segments_of_dots_are_found_in_each_spelling() {
        for uri in [
            "file:///docs/../etc",
            "file:///docs/./a",
            "file:///docs/..",
            "file:///docs/..\\etc",
            "file:///docs/%2e%2E/etc",
            "file:///docs/..%2Fetc",
            "file:///docs/%252e%252e/etc",
            "file:///docs/..%5cetc",
            "docs://a/..?b",
            "docs://a/..;b/c",
        ] {
            assert!(has_dot_segments(uri), "{uri}");
        }
        for uri in ["file:///docs/a..b", "file:///.hidden/a.txt", "a:...", "docs://100%/x", ""] {
            assert!(!has_dot_segments(uri), "{uri}");
        }
    }
}
