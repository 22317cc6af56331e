//! The forms of answers that a client accepts: JSON, and streams of events.

use http::header::{ACCEPT, HeaderValue};
use http::{HeaderMap, Method};

/// The qualities of the two forms, from 0 (not accepted) to 1.
pub(crate) struct Accepted {
    pub(crate) json: f32,
    pub(crate) events: f32,
    /// Whether the client names streams of events, and not only a range around them.
    pub(crate) names_events: bool,
}

/// What a client accepts; `None` if it does not say it.
pub(crate) fn accepted(headers: &HeaderMap) -> Option<Accepted> {
    let lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
    let ranges: Vec<Range<'_>> = lines.flat_map(|line| line.split(',')).filter_map(Range::parse).collect();
    (!ranges.is_empty()).then(|| Accepted {
        json: quality(&ranges, "application", "json"),
        events: quality(&ranges, "text", "event-stream"),
        names_events: ranges.iter().any(|range| range.matches("text", "event-stream") == Some(EXACT)),
    })
}

/// Writes the forms by their names for a client that accepts them by a range (`*/*`), or says nothing (RFC 9110, 12.5.1): the protocol library
/// looks for the names.
pub(crate) fn name_forms(method: &Method, headers: &mut HeaderMap) {
    if headers.get(ACCEPT).is_some_and(|accept| !accept.as_bytes().contains(&b'*')) {
        return;
    }
    let has_both =
        |accepted: Accepted| accepted.events > 0.0 && (*method == Method::GET || accepted.json > 0.0);
    if accepted(headers).is_none_or(has_both) {
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    }
}

/// How closely a range names a type, from `*/*` on.
type Precision = u8;
const EXACT: Precision = 2;

/// A range of media types, such as `text/*;q=0.5`.
struct Range<'h> {
    kind: &'h str,
    subtype: &'h str,
    quality: f32,
}

impl<'h> Range<'h> {
    fn parse(text: &'h str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (kind, subtype) = parts.next()?.split_once('/')?;
        let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let quality = quality.and_then(|quality| quality.parse().ok()).unwrap_or(1.0);
        Some(Self { kind, subtype, quality })
    }

    fn matches(&self, kind: &str, subtype: &str) -> Option<Precision> {
        if self.kind == "*" && self.subtype == "*" {
            return Some(0);
        }
        let is_kind = self.kind.eq_ignore_ascii_case(kind);
        match self.subtype {
            "*" if is_kind => Some(1),
            named if is_kind && named.eq_ignore_ascii_case(subtype) => Some(EXACT),
            _ => None,
        }
    }
}

/// The quality of a type: that of the range that names it most closely.
fn quality(ranges: &[Range<'_>], kind: &str, subtype: &str) -> f32 {
    let matching = ranges.iter().filter_map(|range| Some((range.matches(kind, subtype)?, range.quality)));
    matching.max_by_key(|(precision, _)| *precision).map_or(0.0, |(_, quality)| quality)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o2_a_range_of_types_is_accepted_as_their_names_are() {
        let named = |method: &Method, accept: Option<&'static str>| {
            let accept = accept.map(|accept| (ACCEPT, HeaderValue::from_static(accept)));
            let mut headers = accept.into_iter().collect();
            name_forms(method, &mut headers);
            headers[ACCEPT] == "application/json, text/event-stream"
        };
        for accept in
            [None, Some("*/*"), Some("application/*, text/event-stream"), Some("text/*, application/json")]
        {
            assert!(named(&Method::POST, accept), "{accept:?}");
        }
        for accept in ["application/*", "text/event-stream;q=0, */*", "application/json", "text/html"] {
            assert!(!named(&Method::POST, Some(accept)), "{accept}");
        }
        assert!(named(&Method::GET, Some("text/*")) && !named(&Method::GET, Some("application/*")));
    }
}
