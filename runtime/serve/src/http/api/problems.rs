//! The problems of the interface (RFC 9457): handlers return them, and the document lists them.

use http::StatusCode;
use http::header::{HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::{Map, Value, json};

use super::super::responses::{Refusal, refusal};
use super::schemas::{reference, text};

/// A problem that the interface answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Problem {
    Malformed,
    Unauthorized,
    Forbidden,
    NotFound,
    OtherMethod,
    NotAcceptable,
    TooSlow,
    Conflict,
    TooLong,
    OtherMediaType,
    Invalid,
    TooMany,
    Failed,
    Unavailable,
}

/// What the document says about a problem.
struct Row {
    status: StatusCode,
    description: &'static str,
    /// A header that each answer with the problem has, and what it means.
    header: Option<(HeaderName, &'static str)>,
}

impl Problem {
    /// The problems of any request.
    pub(super) const COMMON: [Self; 6] =
        [Self::Malformed, Self::Forbidden, Self::TooSlow, Self::TooLong, Self::TooMany, Self::Unavailable];

    /// The further problems of a request for a run.
    pub(super) const RUN: [Self; 6] = [
        Self::NotFound,
        Self::NotAcceptable,
        Self::Conflict,
        Self::OtherMediaType,
        Self::Invalid,
        Self::Failed,
    ];

    /// The further problems of a request for a session.
    pub(super) const SESSION: [Self; 3] = [Self::NotFound, Self::Invalid, Self::Failed];

    fn row(self) -> Row {
        let pause = (RETRY_AFTER, "The seconds until the next request.");
        let (status, description, header) = match self {
            Self::Malformed => (StatusCode::BAD_REQUEST, "The request is not valid HTTP.", None),
            Self::Unauthorized => {
                let scheme = (WWW_AUTHENTICATE, "The scheme of tokens: `Bearer`.");
                (StatusCode::UNAUTHORIZED, "The request has no valid token.", Some(scheme))
            }
            Self::Forbidden => (
                StatusCode::FORBIDDEN,
                "The server does not answer for this host or pages of this origin.",
                None,
            ),
            Self::NotFound => {
                (StatusCode::NOT_FOUND, "There is no such path, agent, session or run of this user.", None)
            }
            Self::OtherMethod => (StatusCode::METHOD_NOT_ALLOWED, "The path has no such method.", None),
            Self::NotAcceptable => {
                (StatusCode::NOT_ACCEPTABLE, "`Accept` names neither JSON nor a stream of events.", None)
            }
            Self::TooSlow => (StatusCode::REQUEST_TIMEOUT, "The request did not arrive in time.", None),
            Self::Conflict => (
                StatusCode::CONFLICT,
                "The state does not belong to this user and agent, has expired or was used; the session waits for answers; the run is in progress; or it was cancelled.",
                None,
            ),
            Self::TooLong => (StatusCode::PAYLOAD_TOO_LARGE, "The body is too long.", None),
            Self::OtherMediaType => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body is not `application/json`.", None)
            }
            Self::Invalid => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "The request does not fit the description, or the run ended at a limit.",
                None,
            ),
            Self::TooMany => (StatusCode::TOO_MANY_REQUESTS, "The user sent too many requests.", Some(pause)),
            Self::Failed => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "The run failed; the log of the server has the reason.",
                None,
            ),
            Self::Unavailable => {
                (StatusCode::SERVICE_UNAVAILABLE, "The server has no room, or ends.", Some(pause))
            }
        };
        Row { status, description, header }
    }

    /// The refusal of a request.
    pub(super) fn refuse(self, detail: impl Into<String>) -> Refusal {
        refusal(self.row().status, 0, detail)
    }

    /// The problem among the answers of an operation: its status, and a reference.
    pub(super) fn response(self) -> (String, Value) {
        let status = self.row().status;
        (
            status.as_str().to_owned(),
            json!({ "$ref": format!("#/components/responses/{}", component(status)) }),
        )
    }

    /// The answers that operations refer to.
    pub(super) fn responses() -> Value {
        let all = Self::COMMON.iter().chain(&Self::RUN).chain([&Self::Unauthorized]);
        all.map(|problem| {
            let Row { status, description, header } = problem.row();
            let content = json!({ "application/problem+json": { "schema": reference("Problem") } });
            let mut response = json!({ "description": description, "content": content });
            if let Some((name, description)) = header {
                let header = json!({ "description": description, "required": true, "schema": text() });
                response["headers"] = Value::Object(Map::from_iter([(name.as_str().to_owned(), header)]));
            }
            (component(status), response)
        })
        .collect()
    }
}

/// The name of an answer that operations refer to.
fn component(status: StatusCode) -> String {
    format!("Problem{}", status.as_str())
}
