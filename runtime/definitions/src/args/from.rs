//! Conversions to arguments.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use super::{Args, ArgsError};

from_each! { Args,
    text: &str => Self::from(Arc::<str>::from(text));
    text: String => Self::from(Arc::<str>::from(text));
    object: Map<String, Value> => Self::new(object);
}

impl From<Value> for Args {
    /// A value that is not an object fails when the arguments are used.
    ///
    /// ```
    /// use onionskin::Args;
    /// use serde_json::json;
    /// assert_eq!(Args::from(json!({"x": 41}))["x"], 41);
    /// assert!(Args::from(json!([41])).as_object().is_err());
    /// ```
    fn from(value: Value) -> Self {
        match value {
            Value::Object(object) => Self::new(object),
            other => Self {
                // Stored as an error, because a string that contains an object would be parsed as that
                // object.
                object: OnceLock::from(Err(ArgsError::no_object(&other).into())),
                changed: true,
                ..Self::from(other.to_string())
            },
        }
    }
}
