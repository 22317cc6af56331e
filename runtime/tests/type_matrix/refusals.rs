//! Values with something wrong in them: where the schema refuses one, the tool does, and it names the place.

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::cases::Case;
use crate::judge::run;

/// Something that is done to a value.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// Another value is in its place.
    Is(Value),
    /// A field is left out.
    Without(String),
    /// An unknown field.
    Unknown,
    /// A list has its first item again at the end.
    Again,
    /// A list lacks its last item.
    Shorter,
}

/// The name of the unknown field.
const UNKNOWN: &str = "zz_unknown";

impl Change {
    /// Does it to the value at this place.
    pub(crate) fn make(&self, value: &mut Value, place: &[String]) {
        match (self, at(value, place)) {
            (Self::Is(wrong), Some(value)) => *value = wrong.clone(),
            (Self::Without(name), Some(Value::Object(fields))) => {
                fields.remove(name);
            }
            (Self::Unknown, Some(Value::Object(fields))) => {
                fields.insert(UNKNOWN.to_owned(), json!(1));
            }
            (Self::Again, Some(Value::Array(items))) => items.extend(items.first().cloned()),
            (Self::Shorter, Some(Value::Array(items))) => {
                items.pop();
            }
            _ => {}
        }
    }

    /// The place that is wrong then.
    fn place(&self, place: &[String]) -> Vec<String> {
        let name = match self {
            Self::Without(name) => Some(name.as_str()),
            Self::Unknown => Some(UNKNOWN),
            Self::Is(_) | Self::Again | Self::Shorter => None,
        };
        place.iter().cloned().chain(name.map(str::to_owned)).collect()
    }
}

fn at<'v>(value: &'v mut Value, place: &[String]) -> Option<&'v mut Value> {
    place.iter().try_fold(value, |value, step| match value {
        Value::Object(fields) => fields.get_mut(step),
        Value::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
        _ => None,
    })
}

/// All that can be done to some arguments: at every place, but of a list only at its ends, every change.
pub(crate) fn changes(args: &Value) -> Vec<(Vec<String>, Change)> {
    let mut places = Vec::new();
    walk(args, &mut Vec::new(), &mut places);
    let mut all = Vec::new();
    for (place, value) in places {
        let mut add = |change| all.push((place.clone(), change));
        // Arguments that are not an object are a separate case.
        if !place.is_empty() {
            for wrong in wrongs(value) {
                add(Change::Is(wrong));
            }
        }
        match value {
            Value::Object(fields) => {
                fields.keys().for_each(|name| add(Change::Without(name.clone())));
                add(Change::Unknown);
            }
            Value::Array(items) => {
                add(Change::Is(json!([])));
                if !items.is_empty() {
                    add(Change::Again);
                    add(Change::Shorter);
                }
            }
            _ => {}
        }
    }
    all
}

/// Values of other types, which no coercion makes right, and numbers beyond every width.
fn wrongs(value: &Value) -> Vec<Value> {
    let others = [
        json!({ "zz": 1 }),
        json!(["no", { "way": 1 }]),
        json!(true),
        json!("\u{1}"),
        json!(0.5),
        Value::Null,
    ];
    let numbers = [-1, 256, -129, 65_536, -32_769, 4_294_967_296, -2_147_483_649, i64::MIN].map(Value::from);
    let large = [json!(u64::MAX), json!(1e39)];
    let numbers = numbers.into_iter().chain(large).filter(|_| value.is_number());
    others.into_iter().chain(numbers).collect()
}

/// Every place in a value, itself first; of a list only its first and its last item.
fn walk<'v>(value: &'v Value, place: &mut Vec<String>, into: &mut Vec<(Vec<String>, &'v Value)>) {
    into.push((place.clone(), value));
    let mut step = |name: String, value: &'v Value| {
        place.push(name);
        walk(value, place, into);
        place.pop();
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, field)| step(name.clone(), field)),
        Value::Array(items) => {
            let last = items.len().saturating_sub(1);
            let ends = items.iter().enumerate().filter(|(index, _)| *index == 0 || *index == last);
            ends.for_each(|(index, item)| step(index.to_string(), item));
        }
        _ => {}
    }
}

/// The same value with less in it: what is wrong with the hundredth item is wrong with the third.
pub(crate) fn small(value: &Value) -> Value {
    const MANY: usize = 8;
    match value {
        Value::Object(fields) => {
            let most = if fields.len() > MANY { 3 } else { MANY };
            fields.iter().take(most).map(|(name, field)| (name.clone(), small(field))).collect()
        }
        Value::Array(items) => {
            let most = if items.len() > MANY { 3 } else { MANY };
            items.iter().take(most).map(small).collect()
        }
        other => other.clone(),
    }
}

/// Makes every change, and says how many values were refused for what is inside of the argument.
pub(crate) fn refusals(case: &Case, value: &Value, schema: &Value, input: &Validator) -> usize {
    let args = json!({ "x": value });
    let mut count = 0;
    for (place, change) in changes(&args) {
        let mut broken = args.clone();
        change.make(&mut broken, &place);
        if input.is_valid(&broken) {
            continue;
        }
        match (run(case, &broken), &change) {
            (Err(exit), _) => {
                names(&exit.to_string(), &change.place(&place), &args, schema, &broken);
                count += usize::from(!place.is_empty());
            }
            // A field that may be left out reads `null` so, though its schema has no `null`.
            (Ok(output), Change::Is(Value::Null)) => {
                let (name, parent) = place.split_last().expect("not the arguments themselves");
                let mut without = args.clone();
                Change::Without(name.clone()).make(&mut without, parent);
                let without = run(case, &without).unwrap_or_else(|exit| panic!("{broken} was taken: {exit}"));
                assert_eq!(output.to_text(), without.to_text(), "{broken}");
            }
            (Ok(output), _) => panic!("{broken} breaks the schema and was taken: {output:?}"),
        }
    }
    count
}

/// An error names the place or one inside of it; where a value has a choice of several types, the choice.
fn names(error: &str, wrong: &[String], args: &Value, schema: &Value, broken: &Value) {
    let wanted = path(wrong, args);
    let choices = (1..wrong.len()).map(|end| &wrong[..end]).filter(|place| is_choice(place, schema));
    let fits = |named: &str| {
        choices.clone().any(|choice| {
            // An empty object does not say which type was meant.
            let empty = at(&mut broken.clone(), choice).is_some_and(|value| *value == json!({}));
            is_at(named, &path(choice, args)) || empty && is_inside(named, &path(choice, args))
        })
    };
    // A key may have the mark that ends a path.
    let mut named = error.lines().filter_map(|line| line.strip_prefix("- `"));
    assert!(
        named.any(|named| is_inside(named, &wanted) || fits(named)),
        "{broken}: no `{wanted}` in: {error}"
    );
}

/// Whether a line of an error, which begins with a path, is about a place.
fn is_at(line: &str, place: &str) -> bool {
    line.strip_prefix(place).is_some_and(|rest| rest.starts_with("`: "))
}

/// As [`is_at`], or about a place inside of it.
fn is_inside(line: &str, place: &str) -> bool {
    is_at(line, place) || line.strip_prefix(place).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// A place as errors write it.
fn path(place: &[String], args: &Value) -> String {
    let mut path = String::new();
    let mut value = Some(args);
    for step in place {
        match value {
            Some(Value::Array(items)) => {
                path.push_str(&format!("[{step}]"));
                value = step.parse::<usize>().ok().and_then(|index| items.get(index));
            }
            _ => {
                path.push_str(if path.is_empty() { "" } else { "." });
                path.push_str(step);
                value = value.and_then(|value| value.get(step));
            }
        }
    }
    path
}

/// Whether several types, `null` aside, are taken at a place.
fn is_choice(place: &[String], root: &Value) -> bool {
    let mut here = vec![root];
    for step in place {
        let inside = expand(&here, root).into_iter().flat_map(|schema| {
            let item = step.parse::<usize>().ok().and_then(|index| schema["prefixItems"].get(index));
            let named = [
                schema["properties"].get(step),
                item,
                schema.get("items"),
                schema.get("additionalProperties"),
            ];
            named.into_iter().flatten()
        });
        here = inside.collect();
    }
    expand(&here, root).into_iter().any(|schema| {
        let options = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
        options.is_some_and(|options| options.iter().filter(|option| option["type"] != "null").count() > 1)
    })
}

/// The schemas, with all that they refer to and choose from.
fn expand<'s>(schemas: &[&'s Value], root: &'s Value) -> Vec<&'s Value> {
    let (mut all, mut open) = (Vec::new(), schemas.to_vec());
    while let Some(schema) = open.pop() {
        let target = schema["$ref"].as_str().and_then(|pointer| root.pointer(pointer.strip_prefix('#')?));
        let parts =
            ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
        open.extend(target.into_iter().chain(parts));
        all.push(schema);
    }
    all
}
