//! The JSON of a state, which can be read back.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Serialises a state, and checks that it can be deserialised again. JSON has no number for `f64::NAN`, for
/// example.
pub(super) fn encode<S: Serialize + DeserializeOwned>(state: &S) -> Result<Value, String> {
    let value = serde_json::to_value(state).map_err(|error| error.to_string())?;
    match S::deserialize(&value) {
        Ok(_) => Ok(value),
        Err(error) => Err(format!("it cannot be read back from its JSON: {error}")),
    }
}
