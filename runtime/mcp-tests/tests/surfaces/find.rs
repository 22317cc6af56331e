//! Looks for a text in another one, plain and encoded. It decodes, so that it shares nothing with what hides.

/// A text, and what it may be an encoding of.
pub(crate) struct Haystack<'t> {
    text: &'t str,
    unescaped: String,
    percent: Vec<u8>,
    base64: Vec<Vec<u8>>,
    hex: Vec<Vec<u8>>,
}

impl<'t> Haystack<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            unescaped: unescaped(text),
            percent: percent_decoded(text),
            base64: base64_decoded(text),
            hex: hex_decoded(text),
        }
    }

    /// In which way the needle shows in the text, if it does.
    pub(crate) fn find(&self, needle: &str) -> Option<&'static str> {
        let json = serde_json::Value::from(needle).to_string();
        let json = &json[1..json.len() - 1];
        let ways = [
            ("plain", self.text.contains(needle)),
            ("as JSON", self.text.contains(json)),
            ("as JSON in JSON", self.unescaped.contains(needle) || self.unescaped.contains(json)),
            ("in debug form", self.text.contains(&needle.escape_debug().to_string())),
            ("in a URL", holds(&self.percent, needle)),
            ("in base64", self.base64.iter().any(|bytes| holds(bytes, needle))),
            ("in hex", self.hex.iter().any(|bytes| holds(bytes, needle))),
        ];
        ways.into_iter().find_map(|(way, found)| found.then_some(way))
    }
}

fn holds(bytes: &[u8], needle: &str) -> bool {
    let first = needle.as_bytes()[0];
    let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == first);
    starts.into_iter().any(|(at, _)| bytes[at..].starts_with(needle.as_bytes()))
}

/// The text with one level of backslashes taken off.
fn unescaped(text: &str) -> String {
    text.replace("\\\\", "\u{1}").replace('\\', "").replace('\u{1}', "\\")
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let pair = text.get(at + 1..at + 3).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match (bytes[at], pair) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 2;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    out
}

/// Every run of base64 digits, decoded from each of its first four digits on.
fn base64_decoded(text: &str) -> Vec<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    let runs = text.as_bytes().split(|byte| digit(*byte).is_none()).filter(|run| run.len() >= 8);
    runs.flat_map(|run| {
        (0..4).map(|from| {
            let digits: Vec<u32> =
                run[from..].iter().filter_map(|byte| digit(*byte)).map(u32::from).collect();
            let groups = digits
                .chunks(4)
                .map(|group| group.iter().chain([&0; 4]).take(4).fold(0, |bits, digit| (bits << 6) | digit));
            groups.flat_map(|group| group.to_be_bytes()[1..].to_vec()).collect()
        })
    })
    .collect()
}

/// Every run of hexadecimal digits, decoded from each of its first two digits on.
fn hex_decoded(text: &str) -> Vec<Vec<u8>> {
    let runs = text.split(|c: char| !c.is_ascii_hexdigit()).filter(|run| run.len() >= 12);
    runs.flat_map(|run| {
        (0..2).map(|from| {
            let pairs = run.as_bytes()[from..].chunks(2).filter_map(|pair| str::from_utf8(pair).ok());
            pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
        })
    })
    .collect()
}

#[test]
fn t8_the_search_finds_what_is_there() {
    let needle = "p\"q/ü hunter2";
    for (text, way) in [
        ("a p\"q/ü hunter2 b", "plain"),
        (r#"{"a":"p\"q/ü hunter2"}"#, "as JSON"),
        (r#""{\"a\":\"p\\\"q/ü hunter2\"}""#, "as JSON in JSON"),
        ("a=p%22q%2f%C3%BC+hunter2", "in a URL"),
        ("Basic cCJxL8O8IGh1bnRlcjI=", "in base64"),
        ("Basic dXNlcjpwInEvw7wgaHVudGVyMg==", "in base64"),
        ("70 7022712fc3bc2068756e74657232", "in hex"),
    ] {
        assert_eq!(Haystack::new(text).find(needle), Some(way), "{text}");
    }
    assert_eq!(Haystack::new("p hunter2 cCJxL8O8IGh1bnRlc").find(needle), None);
}
