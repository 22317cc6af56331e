//! The form of a run's answer that a client accepts.

use http::HeaderMap;

use super::super::accept::{Accepted, accepted};
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
    let Some(Accepted { json, events, names_events }) = accepted(headers) else {
        return Ok(AnswerForm::Json);
    };
    if events > 0.0 && (json == 0.0 || names_events && events >= json) {
        Ok(AnswerForm::Events)
    } else if json > 0.0 {
        Ok(AnswerForm::Json)
    } else {
        Err(Problem::NotAcceptable.refuse("a run is `application/json` or `text/event-stream`"))
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use http::header::ACCEPT;

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
