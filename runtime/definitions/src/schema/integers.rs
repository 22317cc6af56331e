//! The ranges of Rust's integers, by the `format` that schemars writes for them.

use serde_json::Value;

/// The least and the greatest integer of a format. JSON's numbers end at 64 bits, so wider integers have no
/// bounds here.
pub fn format_bounds(format: &Value) -> Option<[i128; 2]> {
    Some(match format.as_str()? {
        "int8" => [i8::MIN.into(), i8::MAX.into()],
        "int16" => [i16::MIN.into(), i16::MAX.into()],
        "int32" => [i32::MIN.into(), i32::MAX.into()],
        "int" | "int64" => [i64::MIN.into(), i64::MAX.into()],
        "uint8" => [0, u8::MAX.into()],
        "uint16" => [0, u16::MAX.into()],
        "uint32" => [0, u32::MAX.into()],
        "uint" | "uint64" => [0, u64::MAX.into()],
        _ => return None,
    })
}

/// The number without its fraction, clamped to the range of JSON's integers.
#[expect(clippy::cast_possible_truncation, reason = "a float that is too large becomes the greatest integer")]
pub(super) fn truncated(value: &Value) -> Option<i128> {
    let exact = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    exact.or_else(|| value.as_f64().map(|float| float as i128))
}
