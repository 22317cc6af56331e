//! The form of a run's answer that a client accepts.

use http::HeaderMap;
use http::header::ACCEPT;

use super::super::responses::Refusal;
use super::problems::Problem;

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerForm {
    Json,
    Events,
}

/// Chooses the form: events only for a client that names them.
///
/// # Errors
/// Returns the refusal of a client that accepts neither form.
pub(super) fn answer_form(headers: &HeaderMap) -> Result<AnswerForm, Refusal> {
    let lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
    let ranges: Vec<Range<'_>> = lines.flat_map(|line| line.split(',')).filter_map(Range::parse).collect();
    let (json, events) = (quality(&ranges, "application", "json"), quality(&ranges, "text", "event-stream"));
    let names_events = ranges.iter().any(|range| range.matches("text", "event-stream") == Some(EXACT));
    if ranges.is_empty() {
        Ok(AnswerForm::Json)
    } else if events > 0.0 && (json == 0.0 || names_events && events >= json) {
        Ok(AnswerForm::Events)
    } else if json > 0.0 {
        Ok(AnswerForm::Json)
    } else {
        Err(Problem::NotAcceptable.refuse("a run is `application/json` or `text/event-stream`"))
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
    use http::HeaderValue;

    use super::*;

    fn form(accept: &'static str) -> Option<AnswerForm> {
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
        answer_form(&headers).ok()
    }

    #[test]
    fn o6_the_client_chooses_json_or_events() {
        assert_eq!(answer_form(&HeaderMap::new()).ok(), Some(AnswerForm::Json));
        for json in [
            "*/*",
            "application/*",
            "APPLICATION/JSON",
            "text/event-stream;q=0.5, application/json",
            "text/*, */*",
        ] {
            assert_eq!(form(json), Some(AnswerForm::Json), "{json}");
        }
        for events in [
            "text/event-stream",
            "application/json, text/event-stream",
            "text/*",
            "*/*;q=0.1, text/event-stream",
        ] {
            assert_eq!(form(events), Some(AnswerForm::Events), "{events}");
        }
        for neither in ["text/html", "application/json;q=0", "image/*"] {
            assert_eq!(form(neither), None, "{neither}");
        }
    }
}
