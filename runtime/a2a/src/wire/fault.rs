//! Errors of requests, in the forms of both bindings.

use std::borrow::Cow;

use serde_json::{Value, json};

/// Why a request has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    TaskNotFound,
    TaskNotCancelable,
    PushNotificationNotSupported,
    UnsupportedOperation,
    ContentTypeNotSupported,
    VersionNotSupported,
    ParseError,
    InvalidRequest,
    MethodNotFound,
    InvalidParams,
    Internal,
    /// The body is too long. JSON-RPC has no word for it.
    TooLarge,
    /// There is no room for more tasks or streams now.
    Busy,
}

impl Reason {
    /// The code in JSON-RPC; the status of HTTP, and its name; the reason's name.
    fn words(self) -> (i64, u16, &'static str, &'static str) {
        match self {
            Self::TaskNotFound => (-32001, 404, "NOT_FOUND", "TASK_NOT_FOUND"),
            Self::TaskNotCancelable => (-32002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"),
            Self::PushNotificationNotSupported => {
                (-32003, 400, "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED")
            }
            Self::UnsupportedOperation => (-32004, 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"),
            Self::ContentTypeNotSupported => (-32005, 400, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"),
            Self::VersionNotSupported => (-32009, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"),
            Self::ParseError => (-32700, 400, "INVALID_ARGUMENT", "PARSE_ERROR"),
            Self::InvalidRequest => (-32600, 400, "INVALID_ARGUMENT", "INVALID_REQUEST"),
            Self::MethodNotFound => (-32601, 404, "NOT_FOUND", "METHOD_NOT_FOUND"),
            Self::InvalidParams => (-32602, 400, "INVALID_ARGUMENT", "INVALID_PARAMS"),
            Self::Internal => (-32603, 500, "INTERNAL", "INTERNAL_ERROR"),
            Self::TooLarge => (-32600, 413, "INVALID_ARGUMENT", "REQUEST_TOO_LARGE"),
            Self::Busy => (-32603, 429, "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"),
        }
    }
}

/// The error of a request, for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) reason: Reason,
    message: Cow<'static, str>,
    /// The wrong parameter.
    field: Option<&'static str>,
}

impl Fault {
    pub(crate) fn new(reason: Reason, message: impl Into<Cow<'static, str>>) -> Self {
        Self { reason, message: message.into(), field: None }
    }

    /// A wrong parameter.
    pub(crate) fn param(field: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { field: Some(field), ..Self::new(Reason::InvalidParams, message) }
    }

    pub(crate) fn task_not_found() -> Self {
        Self::new(Reason::TaskNotFound, "Task not found")
    }

    pub(crate) fn unsupported(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Reason::UnsupportedOperation, message)
    }

    /// The status in HTTP+JSON.
    pub(crate) fn status(&self) -> u16 {
        self.reason.words().1
    }

    /// The `error` of an answer in JSON-RPC.
    pub(crate) fn rpc(&self) -> Value {
        json!({ "code": self.reason.words().0, "message": self.message, "data": self.details() })
    }

    /// The body of an answer in HTTP+JSON.
    pub(crate) fn rest(&self) -> Value {
        let (_, code, status, _) = self.reason.words();
        json!({ "error": { "code": code, "status": status, "message": self.message, "details": self.details() } })
    }

    fn details(&self) -> Value {
        let mut details = vec![json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": self.reason.words().3,
            "domain": "a2a-protocol.org",
            "metadata": {},
        })];
        if let Some(field) = self.field {
            details.push(json!({
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [{ "field": field, "description": self.message }],
            }));
        }
        Value::Array(details)
    }
}
