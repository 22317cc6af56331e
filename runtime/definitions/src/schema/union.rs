//! Finds how the options of a union differ, so that an error lists all options, or the problems with the
//! intended one.

use std::collections::HashSet;
use std::hash::Hash;

use serde_json::Value;

/// How options that are objects differ. Entries are in the order of the options.
#[derive(Debug, PartialEq)]
pub(super) enum Marks<'s> {
    /// A field with a different value in each: serde's enums with `tag`, and the discriminators of servers.
    Tag(&'s str, Vec<&'s Value>),
    /// A single field with a different name in each: serde's enums without `tag`.
    Key(Vec<&'s str>),
}

impl<'s> Marks<'s> {
    /// The marks of these options, the targets of references; `None` if there is no such mark.
    pub(super) fn find(options: &[&'s Value]) -> Option<Self> {
        let [first, _, ..] = options else { return None };
        let fields = first["properties"].as_object()?;
        for name in fields.keys() {
            let values = options.iter().map(|option| only_value(&option["properties"][name]));
            if let Some(values) = values.collect::<Option<Vec<_>>>()
                && are_different(&values)
            {
                return Some(Self::Tag(name, values));
            }
        }
        let names = options.iter().map(|option| only_field(option)).collect::<Option<Vec<_>>>()?;
        are_different(&names).then_some(Self::Key(names))
    }
}

/// The only value of a schema.
fn only_value(schema: &Value) -> Option<&Value> {
    schema.get("const").or_else(|| match schema["enum"].as_array().map(Vec::as_slice) {
        Some([only]) => Some(only),
        _ => None,
    })
}

/// The only field of an object, if it is required.
fn only_field(option: &Value) -> Option<&str> {
    let fields = option["properties"].as_object().filter(|fields| fields.len() == 1)?;
    let name = fields.keys().next()?;
    (option["required"].as_array()? == std::slice::from_ref(&Value::from(name.as_str()))).then_some(name)
}

fn are_different<T: Eq + Hash>(values: &[T]) -> bool {
    let mut seen = HashSet::with_capacity(values.len());
    values.iter().all(|value| seen.insert(value))
}

/// Whether the option is an empty object, as for a flattened `Option`. An object with fields cannot mean this
/// option.
pub(super) fn is_of_nothing(option: &Value) -> bool {
    option["properties"]
        .as_object()
        .is_some_and(|fields| !fields.is_empty() && fields.values().all(|field| field["type"] == "null"))
}
