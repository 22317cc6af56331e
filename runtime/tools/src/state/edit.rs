//! The difference between two JSON values, as edits that can be applied to another value.

use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// An edit. Places are JSON pointers (RFC 6901).
///
/// Calls of one turn change the state concurrently, a crash can lose some of them, and a replay repeats them
/// in another order. So edits are as small as possible: they add to integers, append to lists, and set each
/// field of a new object separately.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Edit {
    /// Sets a value, and creates missing objects around it.
    Set(#[serde(deserialize_with = "place")] String, Value),
    Remove(#[serde(deserialize_with = "field")] String),
    /// Adds to an integer. A missing one is zero.
    Add(#[serde(deserialize_with = "place")] String, i64),
    /// Appends to a list. A missing one is empty.
    Append(#[serde(deserialize_with = "place")] String, Vec<Value>),
}

/// Deserialises a place. A corrupt one must not become another place.
fn place<'de, D: Deserializer<'de>>(stored: D) -> Result<String, D::Error> {
    let place = String::deserialize(stored)?;
    if place.is_empty() || place.starts_with('/') {
        return Ok(place);
    }
    Err(D::Error::invalid_value(Unexpected::Str(&place), &"a JSON pointer"))
}

/// Deserialises the place of a field: not of the whole state.
fn field<'de, D: Deserializer<'de>>(stored: D) -> Result<String, D::Error> {
    let place = place(stored)?;
    if place.is_empty() {
        return Err(D::Error::invalid_value(Unexpected::Str(&place), &"a JSON pointer to a field"));
    }
    Ok(place)
}

/// The edits that turn `before` into `after`.
pub(crate) fn edits(before: &Value, after: &Value) -> Vec<Edit> {
    let mut edits = Vec::new();
    compare(before, after, "", &mut edits);
    edits
}

fn compare(before: &Value, after: &Value, place: &str, edits: &mut Vec<Edit>) {
    if before == after {
        return;
    }
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            let removed = old.keys().filter(|key| !new.contains_key(*key));
            edits.extend(removed.map(|key| Edit::Remove(child(place, key))));
            for (key, value) in new {
                match old.get(key) {
                    Some(old) => compare(old, value, &child(place, key), edits),
                    None => set(value, child(place, key), edits),
                }
            }
        }
        (Value::Array(old), Value::Array(new)) if new.starts_with(old) => {
            edits.push(Edit::Append(place.to_owned(), new[old.len()..].to_vec()));
        }
        _ => edits.push(match (before.as_i64(), after.as_i64()) {
            (Some(old), Some(new)) if new.checked_sub(old).is_some() => {
                Edit::Add(place.to_owned(), new - old)
            }
            _ => Edit::Set(place.to_owned(), after.clone()),
        }),
    }
}

/// Adds the edits that set a new value.
fn set(value: &Value, place: String, edits: &mut Vec<Edit>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (key, value) in fields {
                set(value, child(&place, key), edits);
            }
        }
        _ => edits.push(Edit::Set(place, value.clone())),
    }
}

fn child(place: &str, key: &str) -> String {
    format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"))
}

impl Edit {
    /// Applies the edit to a value.
    ///
    /// # Errors
    /// Returns an error if there is another kind of value at the place.
    pub(crate) fn apply(&self, value: &mut Value) -> Result<(), String> {
        match self {
            Self::Set(place, new) => match place.rsplit_once('/') {
                None => *value = new.clone(),
                Some((above, key)) => {
                    made(value, above)?.insert(unescaped(key), new.clone());
                }
            },
            Self::Remove(place) => {
                let (above, key) = place.rsplit_once('/').unwrap_or_default();
                // Another call may have removed the object around it.
                if let Some(Value::Object(fields)) = value.pointer_mut(above) {
                    onionskin_definitions::json::remove(fields, &unescaped(key));
                }
            }
            Self::Add(place, more) => {
                let number = at(value, place)?;
                let old = if number.is_null() { Some(0) } else { number.as_i64() };
                let sum = old.and_then(|old| old.checked_add(*more));
                *number = sum.ok_or_else(|| other(place, "a whole number"))?.into();
            }
            Self::Append(place, items) => match at(value, place)? {
                Value::Array(list) => list.extend(items.iter().cloned()),
                none @ Value::Null => *none = Value::Array(items.clone()),
                _ => return Err(other(place, "a list")),
            },
        }
        Ok(())
    }
}

/// The value at a place, created as `null` if it is missing: the record of the call that created it may be
/// lost.
fn at<'v>(value: &'v mut Value, place: &str) -> Result<&'v mut Value, String> {
    if value.pointer(place).is_none() {
        let (above, key) = place.rsplit_once('/').ok_or_else(|| other(place, "there"))?;
        made(value, above)?.insert(unescaped(key), Value::Null);
    }
    value.pointer_mut(place).ok_or_else(|| other(place, "there"))
}

/// The object at a place, created if it is missing.
fn made<'v>(value: &'v mut Value, place: &str) -> Result<&'v mut Map<String, Value>, String> {
    let mut at = value;
    for key in place.split('/').skip(1) {
        let fields = fields(at).ok_or_else(|| other(place, "an object"))?;
        at = fields.entry(unescaped(key)).or_insert(Value::Null);
    }
    fields(at).ok_or_else(|| other(place, "an object"))
}

/// The fields of an object; `null` becomes an empty object.
fn fields(value: &mut Value) -> Option<&mut Map<String, Value>> {
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}

fn other(place: &str, wanted: &str) -> String {
    format!("`{place}` in the state is not {wanted}")
}

fn unescaped(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn applied(edits: &[Edit], mut value: Value) -> Value {
        for edit in edits {
            edit.apply(&mut value).unwrap();
        }
        value
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            "[a/~ ]{0,2}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-c/~]{0,2}", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn o5_edits_make_one_value_of_the_other(before in values(), after in values()) {
            prop_assert_eq!(applied(&edits(&before, &after), before), after);
        }
    }

    #[test]
    fn o5_fields_of_a_new_object_are_set_in_either_order() {
        let first = json!({ "sold": { "milk": 5 } });
        let second = json!({ "sold": { "milk": 5, "tea": { "green": 1 } } });
        let (one, other) = (edits(&json!({}), &first), edits(&first, &second));
        assert_eq!(applied(&one, applied(&other, Value::Null)), second);
        assert_eq!(edits(&json!({}), &json!({ "a": {} })), [Edit::Set("/a".to_owned(), json!({}))]);
    }

    /// The call that made the counter and the list is the one whose record is lost.
    #[test]
    fn o5_what_a_lost_call_made_is_made_by_the_next_one() {
        let lost = json!({ "count": { "all": 1 }, "log": ["a"] });
        let kept = json!({ "count": { "all": 3 }, "log": ["a", "b"] });
        let wanted = json!({ "count": { "all": 2 }, "log": ["b"] });
        assert_eq!(applied(&edits(&lost, &kept), json!({ "log": null })), wanted);
    }

    #[test]
    fn o5_edits_of_two_calls_hold_in_either_order() {
        let start = json!({ "count": 1, "names": ["a"], "by": { "x/y": 0 } });
        let first = json!({ "count": 3, "names": ["a", "b"], "by": { "x/y": 0, "p": 1 } });
        let second = json!({ "count": 8, "names": ["a", "b", "c"], "by": { "x/y": 7, "p": 1 } });
        let (one, other) = (edits(&start, &first), edits(&first, &second));
        assert_eq!(applied(&other, applied(&one, start.clone())), second);
        let swapped = applied(&one, applied(&other, start));
        assert_eq!(swapped, json!({ "count": 8, "names": ["a", "c", "b"], "by": { "x/y": 7, "p": 1 } }));
    }
}
