//! Conversion of values into a script and out of it.

use rhai::{Dynamic, FLOAT, INT, Map};
use serde_json::{Number, Value};

/// The deepest result that is allowed.
const DEPTH: usize = 100;

/// A value for a script.
///
/// # Errors
/// Returns a message if scripts cannot hold a number in the value.
pub(super) fn to_script(value: &Value) -> Result<Dynamic, String> {
    Ok(match value {
        Value::Null => Dynamic::UNIT,
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => number_to_script(number)?,
        Value::String(text) => text.clone().into(),
        Value::Array(items) => items.iter().map(to_script).collect::<Result<Vec<_>, _>>()?.into(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| Ok((name.as_str().into(), to_script(value)?)));
            Dynamic::from_map(fields.collect::<Result<Map, String>>()?)
        }
    })
}

fn number_to_script(number: &Number) -> Result<Dynamic, String> {
    match (number.as_i64(), number.as_f64()) {
        (Some(number), _) => Ok(Dynamic::from_int(INT::from(number))),
        (None, Some(float)) if number.is_f64() => Ok(Dynamic::from_float(FLOAT::from(float))),
        _ => Err(format!("the number {number} is too large for a script")),
    }
}

/// A value from a script.
///
/// # Errors
/// Returns the reason why the value has no form in JSON.
pub(super) fn from_script(value: &Dynamic) -> Result<Value, String> {
    read(value, 0)
}

fn read(value: &Dynamic, depth: usize) -> Result<Value, String> {
    if depth > DEPTH {
        return Err(format!("it is nested more than {DEPTH} levels deep"));
    }
    if value.is_unit() {
        return Ok(Value::Null);
    }
    if let Ok(value) = value.as_bool() {
        return Ok(value.into());
    }
    if let Ok(number) = value.as_int() {
        return Ok(number.into());
    }
    if let Ok(number) = value.as_float() {
        return Number::from_f64(number)
            .map(Value::Number)
            .ok_or_else(|| format!("{number} is not a number in JSON"));
    }
    if let Ok(letter) = value.as_char() {
        return Ok(letter.to_string().into());
    }
    if let Ok(text) = value.as_immutable_string_ref() {
        return Ok(text.as_str().into());
    }
    if let Ok(items) = value.as_array_ref() {
        return items.iter().map(|item| read(item, depth + 1)).collect();
    }
    if let Ok(fields) = value.as_map_ref() {
        let fields = fields.iter().map(|(name, value)| Ok((name.to_string(), read(value, depth + 1)?)));
        return fields.collect::<Result<serde_json::Map<_, _>, String>>().map(Value::Object);
    }
    Err(format!("a value of the type `{}` cannot leave a script", value.type_name()))
}
