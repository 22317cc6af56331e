//! Base64 with the standard alphabet of [RFC 4648](https://www.rfc-editor.org/rfc/rfc4648#section-4) and
//! padding. It is hand-written, because a crate would be one more dependency of each program.

use std::borrow::Cow;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let [first, second, third] =
            [0, 1, 2].map(|at| u32::from(group.get(at).copied().unwrap_or_default()));
        let bits = first << 16 | second << 8 | third;
        for digit in 0..4 {
            let index = (bits >> (18 - 6 * digit)) & 63;
            text.push(if digit <= group.len() { char::from(ALPHABET[index as usize]) } else { '=' });
        }
    }
    text
}

/// Whether a text is base64 of at least one byte, in the form of [`encode`].
pub(crate) fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    !digits.is_empty()
        && text.len().is_multiple_of(4)
        && padding <= 2
        && digits.bytes().all(|digit| value(digit).is_some())
}

/// Converts base64 with whitespace, in the URL-safe alphabet or without padding to the form of [`encode`].
/// Other texts stay unchanged.
pub(crate) fn standard(text: &str) -> Cow<'_, str> {
    if is_base64(text) {
        return text.into();
    }
    let digits = text.chars().filter(|mark| !mark.is_ascii_whitespace());
    let plain = digits.map(|mark| match mark {
        '-' => '+',
        '_' => '/',
        mark => mark,
    });
    let mut plain: String = plain.collect();
    plain.truncate(plain.trim_end_matches('=').len());
    plain.extend(std::iter::repeat_n('=', plain.len().next_multiple_of(4) - plain.len()));
    if is_base64(&plain) { plain.into() } else { text.into() }
}

/// The first bytes: at most twelve.
pub(crate) fn beginning(text: &str) -> Vec<u8> {
    let digits = text.bytes().take(16).map_while(value);
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for digit in digits {
        (bits, count) = (bits << 6 | u32::from(digit), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.extend(u8::try_from(bits >> count & 0xff));
        }
    }
    bytes
}

/// The value of a digit.
fn value(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn l2_bytes_are_written_as_the_rfc_has_them() {
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in vectors {
            assert_eq!(super::encode(bytes.as_bytes()), text);
            assert_eq!(super::beginning(text), bytes.as_bytes());
            assert_eq!(super::is_base64(text), !text.is_empty());
            assert_eq!(super::standard(text.trim_end_matches('=')), text);
        }
        assert_eq!(super::encode(&[0xfb, 0xff, 0xfe]), "+//+");
    }
}
