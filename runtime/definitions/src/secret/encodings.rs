//! The encodings of a secret: its text, and the usual encodings of it.

use std::fmt::Write as _;

use crate::text::base64::encode;

/// The minimum length of a redacted encoding, in bytes. Shorter encodings would occur in ordinary texts.
pub(crate) const SHORTEST: usize = 6;
/// The minimum length, in bytes, of a line in a multi-line secret, such as a private key, that is redacted by
/// itself.
const SHORTEST_LINE: usize = 16;

/// All distinct encodings of a secret; empty if it is too short.
pub(super) fn encodings(secret: &[u8]) -> Vec<String> {
    let mut encodings = Vec::new();
    collect(secret, &mut encodings);
    // A secret from a file often ends with a line break, which is trimmed before use.
    let trimmed = secret.trim_ascii();
    if trimmed.len() < secret.len() {
        collect(trimmed, &mut encodings);
    }
    if let Ok(text) = str::from_utf8(secret)
        && text.contains('\n')
    {
        let lines = text.lines().map(str::trim).filter(|line| line.len() >= SHORTEST_LINE);
        lines.for_each(|line| collect(line.as_bytes(), &mut encodings));
    }
    encodings.sort_unstable();
    encodings.dedup();
    encodings
}

fn collect(secret: &[u8], encodings: &mut Vec<String>) {
    if secret.len() < SHORTEST {
        return;
    }
    if let Ok(text) = str::from_utf8(secret) {
        let json = json(text);
        encodings.extend([
            text.to_owned(),
            self::json(&json),
            ascii_json(text),
            json.replace('/', "\\/"),
            json,
            text.escape_debug().to_string(),
        ]);
    }
    for percent in [
        percent(secret, |byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)),
        percent(secret, |_| false),
    ] {
        encodings.extend([percent.replace("%20", "+"), lower_escapes(&percent), percent]);
    }
    for alignment in 0..3 {
        let standard = base64(secret, alignment);
        encodings.extend([standard.replace('+', "-").replace('/', "_"), standard]);
    }
    let hex: String = secret.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    encodings.extend([hex.to_uppercase(), hex]);
}

/// As in a JSON string, without the quotes.
fn json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// The same with ASCII characters only.
fn ascii_json(text: &str) -> String {
    json(text).chars().fold(String::new(), |mut out, c| {
        if c.is_ascii() {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
        out
    })
}

/// Percent-encoded as in a URL (<https://www.rfc-editor.org/rfc/rfc3986#section-2.1>). `is_plain` selects the
/// unencoded bytes.
fn percent(secret: &[u8], is_plain: impl Fn(u8) -> bool) -> String {
    secret.iter().fold(String::new(), |mut out, byte| {
        if is_plain(*byte) {
            out.push(char::from(*byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

/// `%2f` for `%2F`.
fn lower_escapes(percent: &str) -> String {
    let mut digits = 0;
    percent
        .chars()
        .map(|c| match (c, digits) {
            ('%', _) => {
                digits = 2;
                c
            }
            (_, 0) => c,
            _ => {
                digits -= 1;
                c.to_ascii_lowercase()
            }
        })
        .collect()
}

/// The characters of a Base64 text (<https://www.rfc-editor.org/rfc/rfc4648#section-4>) that depend on this
/// secret only, if it begins `alignment` bytes after a group of three.
fn base64(secret: &[u8], alignment: usize) -> String {
    let bytes: Vec<u8> = std::iter::repeat_n(0, alignment).chain(secret.iter().copied()).collect();
    let (first, end) = ((alignment * 8).div_ceil(6), bytes.len() * 8 / 6);
    encode(&bytes)[first..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t8_forms_are_those_of_the_usual_encoders() {
        let all = encodings(b"pa\"ss w\xc3\xb6rd/+");
        for encoding in [
            "pa\"ss wörd/+",
            r#"pa\"ss wörd/+"#,
            r#"pa\\\"ss wörd/+"#,
            r#"pa\"ss w\u00f6rd/+"#,
            r#"pa\"ss wörd\/+"#,
            "pa%22ss%20w%C3%B6rd%2F%2B",
            "pa%22ss%20w%c3%b6rd%2f%2b",
            "pa%22ss+w%C3%B6rd%2F%2B",
            "706122737320 77c3b672642f2b".replace(' ', "").as_str(),
            "cGEic3Mgd8O2cmQvK",
        ] {
            assert!(all.iter().any(|one| one == encoding), "`{encoding}` of {all:?}");
        }
    }

    #[test]
    fn t8_base64_is_found_at_every_alignment() {
        // `base64(b"hunter2!")` after none, one and two bytes, as coreutils writes them.
        for (text, alignment) in [("aHVudGVyMiE=", 0), ("eGh1bnRlcjIh", 1), ("eHhodW50ZXIyIXg=", 2)] {
            let settled = base64(b"hunter2!", alignment);
            assert!(text.contains(&settled) && settled.len() >= 9, "{settled} in {text}");
        }
    }

    #[test]
    fn t8_a_secret_from_a_file_is_found_without_its_line_break() {
        let all = encodings(b"hunter2\r\n");
        for encoding in ["hunter2\r\n", "hunter2", "68756e74657232"] {
            assert!(all.iter().any(|one| one == encoding), "`{encoding}` of {all:?}");
        }
        assert!(!encodings(b" 12345\n").iter().any(|encoding| encoding == "12345"));
    }

    #[test]
    fn t8_short_secrets_have_no_forms_and_lines_have_their_own() {
        assert!(encodings(b"12345").is_empty());
        let key = encodings(b"-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\nshort\n-----END KEY-----\n");
        assert!(key.iter().any(|encoding| encoding == "MIIEvQIBADANBgkqhkiG"));
        assert!(!key.iter().any(|encoding| encoding == "short"));
    }
}
