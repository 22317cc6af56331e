//! Checks a value against a schema and reports problems by path, in words for a model.
//!
//! It supports the keywords that schemars writes for Rust types and that MCP servers send, and the conditions of JSON
//! Schema (`conditions.rs`). An unknown keyword never refuses a value: decoding, or the server, still decides. Schema and value may both be hostile. The work is bounded
//! by the value's size, and a value that was not checked within it is refused.

mod conditions;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::Value;

use super::budget::{Budget, Chain, of_text, weight};
use super::found::{Findings, Path, Verdict};
use super::keys::is_of_texts;
use super::pattern::Patterns;
use super::problem::{Problem, expected};

/// A schema's problems with a value: the first ones, if there are many. `root` is the schema that references refer to,
/// with `schema` as a part, and `path` is the name of the value in the problems.
///
/// ```
/// use onionskin_core::schema::check;
/// use serde_json::json;
///
/// let schema = json!({ "type": "integer", "maximum": 10 });
/// assert!(check(&json!(4), &schema, &schema, "x").is_empty());
/// assert_eq!(check(&json!(41), &schema, &schema, "x").len(), 1);
/// ```
pub fn check(value: &Value, schema: &Value, root: &Value, path: &str) -> Vec<Problem> {
    let budget = Budget::for_value(value);
    check_within(value, schema, root, path, &budget)
}

/// As [`check`] for a whole value, until another thread sets `stop`. A part that was not checked by then is a problem.
pub fn check_until(stop: Arc<AtomicBool>, value: &Value, schema: &Value) -> Vec<Problem> {
    check_within(value, schema, schema, "", &Budget::for_value(value).until(stop))
}

/// As [`check`], within the budget. A part that was not checked is refused.
pub(super) fn check_within(
    value: &Value,
    schema: &Value,
    root: &Value,
    path: &str,
    budget: &Budget,
) -> Vec<Problem> {
    let mut found = Findings::Words(Vec::new());
    let walk =
        Walk { root, budget, depth: Cell::new(0), patterns: RefCell::default(), lists: RefCell::default() };
    walk.walk(value, schema, None, &Path::root(path), &mut found);
    match found {
        Findings::Words(problems) if !budget.is_spent() => problems,
        _ => vec![Problem::unchecked(path)],
    }
}

/// The recursion limit. It exceeds the depth of every readable value, with many references at each level.
const DEPTH: usize = 512;

/// The length from which a list of values is looked up in a set.
const LONG_LIST: usize = 16;

/// The state of a walk: the document that references refer to, the remaining work, and the findings.
struct Walk<'s> {
    root: &'s Value,
    budget: &'s Budget,
    depth: Cell<usize>,
    patterns: RefCell<Patterns<'s>>,
    /// The allowed values of long lists, by the address of the list.
    lists: RefCell<HashMap<*const Value, HashSet<&'s Value>>>,
}

impl<'s> Walk<'s> {
    fn walk(
        &self,
        value: &Value,
        schema: &'s Value,
        before: Option<&Chain<'_>>,
        path: &Path<'_>,
        found: &mut Findings,
    ) {
        let Value::Object(object) = schema else {
            if *schema == Value::Bool(false) {
                found.add(path, Problem::not_allowed);
            }
            return;
        };
        if !self.budget.take(1) || found.is_settled(path.level) {
            return;
        }
        // A value does not satisfy a schema that refers to itself without end.
        match Chain::new(before, schema).filter(|_| self.depth.get() < DEPTH) {
            Some(chain) => {
                self.depth.set(self.depth.get() + 1);
                self.held(value, schema, object, &chain, path, found);
                self.depth.set(self.depth.get() - 1);
            }
            None => self.budget.spend(),
        }
    }

    fn held(
        &self,
        value: &Value,
        schema: &'s Value,
        object: &'s Object,
        chain: &Chain<'_>,
        path: &Path<'_>,
        found: &mut Findings,
    ) {
        if let Some(target) = self.resolve(object) {
            self.walk(value, target, Some(chain), path, found);
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(options) = object.get(key).and_then(Value::as_array)
                && !self.walk_options(value, schema, options, chain, path, found)
            {
                return;
            }
        }
        for part in object.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.walk(value, part, Some(chain), path, found);
        }
        if !self.has_type(value, object.get("type"))
            || object.get("enum").and_then(Value::as_array).is_some_and(|list| !self.is_listed(value, list))
            || object.get("const").is_some_and(|only| !self.is_listed(value, std::slice::from_ref(only)))
        {
            found.add(path, |path| mismatch(path, schema, value));
            return;
        }
        match value {
            Value::Object(fields) => self.walk_object(fields, object, path, found),
            Value::Array(items) => self.walk_list(items, object, path, found),
            Value::String(text) => self.walk_text(text, object, path, found),
            Value::Number(number) => {
                walk_number(number.as_f64().unwrap_or_default(), value, object, path, found);
            }
            _ => {}
        }
        self.walk_conditions(value, object, chain, path, found);
    }

    /// Whether one of the options fits. If none fits, the problems are those of the option that was meant.
    fn walk_options(
        &self,
        value: &Value,
        schema: &Value,
        options: &'s [Value],
        chain: &Chain<'_>,
        path: &Path<'_>,
        found: &mut Findings,
    ) -> bool {
        let mut within = Vec::new();
        for option in options {
            let mut verdict = Findings::Verdict(path.level, Verdict::Fits);
            self.walk(value, option, Some(chain), path, &mut verdict);
            match verdict {
                Findings::Verdict(_, Verdict::Fits) => return true,
                Findings::Verdict(_, Verdict::Within) => within.push(option),
                _ => {}
            }
        }
        let nearest = if within.is_empty() { Verdict::Itself } else { Verdict::Within };
        if found.take_verdict(path.level, nearest) {
            return false;
        }
        // The option that was meant tells most, else one that got further than to differ in kind.
        match (within.iter().find(|option| self.is_meant(value, option)), within.first()) {
            (Some(meant), _) => self.walk(value, meant, Some(chain), path, found),
            (None, Some(first)) => {
                let told = |option: &'s Value| {
                    let mut told = Findings::Words(Vec::new());
                    self.walk(value, option, Some(chain), path, &mut told);
                    told
                };
                let is_of_form = options.iter().all(|option| told(option).is_of_form());
                found.take_from_option(told(first), is_of_form);
            }
            (None, None) => found.add(path, |path| mismatch(path, schema, value)),
        }
        false
    }

    /// Whether an object has the tags of an option, or its required keys if it has no tags.
    fn is_meant(&self, value: &Value, option: &'s Value) -> bool {
        let option = option.as_object().and_then(|object| self.resolve(object)).unwrap_or(option);
        let properties = option["properties"].as_object().into_iter().flatten();
        let mut tags =
            properties.filter_map(|(name, property)| Some((name, property.get("const")?))).peekable();
        if tags.peek().is_some() {
            return tags.all(|(name, only)| value.get(name) == Some(only));
        }
        let required = option["required"].as_array();
        required.is_some_and(|names| {
            names
                .iter()
                .all(|name| self.budget.take(1) && value.get(name.as_str().unwrap_or_default()).is_some())
        })
    }

    /// The schema of a `$ref` into the same document.
    fn resolve(&self, schema: &Object) -> Option<&'s Value> {
        let pointer = schema.get("$ref")?.as_str()?;
        self.budget.take(of_text(pointer));
        self.root.pointer(pointer.strip_prefix('#')?)
    }

    fn has_type(&self, value: &Value, wanted: Option<&Value>) -> bool {
        let is = |kind: &str| match kind {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            // A number beyond `u64` has no fraction, whatever it was rounded to.
            "integer" => {
                value.is_i64()
                    || value.is_u64()
                    || value.as_f64().is_some_and(|number| number.abs() >= 9_223_372_036_854_775_808.0)
            }
            "number" => value.is_number(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => true,
        };
        match wanted {
            Some(Value::String(kind)) => is(kind),
            Some(Value::Array(kinds)) => {
                kinds.iter().any(|kind| self.budget.take(1) && kind.as_str().is_some_and(is))
            }
            _ => true,
        }
    }

    /// Whether a value is in the list.
    fn is_listed(&self, value: &Value, list: &'s [Value]) -> bool {
        if list.len() < LONG_LIST {
            self.budget.take(weight(value) * list.len() as u64 / 8);
            return list.contains(value);
        }
        self.budget.take(weight(value));
        let mut lists = self.lists.borrow_mut();
        let known = lists.entry(list.as_ptr()).or_insert_with(|| {
            self.budget.take(list.iter().map(weight).sum());
            list.iter().collect()
        });
        known.contains(value)
    }

    fn walk_object(&self, fields: &Object, schema: &'s Object, path: &Path<'_>, found: &mut Findings) {
        let empty = Object::new();
        let properties = schema.get("properties").and_then(Value::as_object);
        let within = path.level + 1;
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            if !self.budget.take(1) || found.is_settled(within) {
                break;
            }
            if let Some(name) = name.as_str()
                && !fields.contains_key(name)
            {
                let property = properties.and_then(|properties| properties.get(name));
                let wanted = || property.map_or_else(|| "a value".to_owned(), expected);
                found.add(&path.field(name), |path| Problem::missing(path, &wanted()));
            }
        }
        for (name, value) in fields {
            if !self.budget.take(1 + of_text(name)) || found.is_settled(within) {
                break;
            }
            let property = properties.and_then(|properties| properties.get(name));
            let property = property.or_else(|| self.by_pattern(name, schema));
            match (property, schema.get("additionalProperties")) {
                (None, Some(Value::Bool(false))) => {
                    let known = properties.unwrap_or(&empty).keys();
                    found.add(&path.field(name), |path| {
                        Problem::unknown_at(path, name, known.map(String::as_str))
                    });
                }
                (Some(schema), _) | (None, Some(schema)) => {
                    self.walk(value, schema, None, &path.field(name), found);
                }
                (None, None) => {}
            }
        }
        count_within(fields.len() as u64, schema, ["minProperties", "maxProperties"], "entries", path, found);
    }

    /// The schema of a key with a pattern, as in a map with numeric keys.
    fn by_pattern(&self, name: &str, schema: &'s Object) -> Option<&'s Value> {
        let patterns = schema.get("patternProperties")?.as_object()?;
        by_pattern(name, patterns, &mut self.patterns.borrow_mut(), self.budget)
    }

    fn walk_list(&self, items: &[Value], schema: &'s Object, path: &Path<'_>, found: &mut Findings) {
        let prefix = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let within = path.level + 1;
        for (index, item) in items.iter().enumerate() {
            if self.budget.is_spent() || found.is_settled(within) {
                break;
            }
            if let Some(schema) = prefix.get(index).or_else(|| schema.get("items")) {
                self.walk(item, schema, None, &path.item(index), found);
            }
        }
        count_within(items.len() as u64, schema, ["minItems", "maxItems"], "items", path, found);
        if schema.get("uniqueItems") == Some(&Value::Bool(true))
            && let Some(at) = self.first_repeated(items)
        {
            found.add(&path.item(at), Problem::repeated);
        }
    }

    /// The first item that repeats an earlier one.
    fn first_repeated(&self, items: &[Value]) -> Option<usize> {
        if !self.budget.take(items.iter().map(weight).sum()) {
            return None;
        }
        let mut seen = HashSet::with_capacity(items.len());
        items.iter().position(|item| !seen.insert(item))
    }

    fn walk_text(&self, text: &str, schema: &'s Object, path: &Path<'_>, found: &mut Findings) {
        self.budget.take(of_text(text));
        let count = text.chars().count() as u64;
        count_within(count, schema, ["minLength", "maxLength"], "characters", path, found);
        // A pattern of another dialect cannot be checked here; the owner of the schema checks it.
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
            && self.patterns.borrow_mut().matches(pattern, text, self.budget) == Some(false)
        {
            found.add(path, |path| Problem::no_match(path, pattern, text));
        }
    }
}

fn mismatch(path: String, schema: &Value, value: &Value) -> Problem {
    let problem = Problem::mismatch(path, schema, value);
    if is_of_form(schema, value) { problem.of_other_form() } else { problem }
}

/// Whether an invalid value differs in form: a list or an object in place of something else, or another value where
/// only texts are allowed. Types may read these: the fields of a struct by position, a variant by number.
fn is_of_form(schema: &Value, value: &Value) -> bool {
    value.is_array() || value.is_object() || (!value.is_string() && is_of_texts(schema))
}

/// The schema of a key with a pattern. A pattern of another dialect may match anything.
pub(super) fn by_pattern<'s>(
    name: &str,
    schemas: &'s Object,
    patterns: &mut Patterns<'s>,
    budget: &Budget,
) -> Option<&'s Value> {
    let mut fits = |pattern: &'s str| patterns.matches(pattern, name, budget).unwrap_or(true);
    schemas.iter().find(|(pattern, _)| fits(pattern)).map(|(_, schema)| schema)
}

type Object = serde_json::Map<String, Value>;

fn walk_number(number: f64, value: &Value, schema: &Object, path: &Path<'_>, found: &mut Findings) {
    type Rule = fn(f64, f64) -> bool;
    let rules: [(&str, &str, Rule); 4] = [
        ("minimum", "at least", |number, limit| number >= limit),
        ("maximum", "at most", |number, limit| number <= limit),
        ("exclusiveMinimum", "more than", |number, limit| number > limit),
        ("exclusiveMaximum", "less than", |number, limit| number < limit),
    ];
    for (key, bound, holds) in rules {
        if let Some(limit) = schema.get(key)
            && let Some(number_limit) = limit.as_f64()
            && !holds(number, number_limit)
        {
            found.add(path, |path| Problem::out_of_range(path, bound, limit, value));
        }
    }
    if let Some(step) = schema.get("multipleOf").and_then(Value::as_f64)
        && step > 0.0
        && (number / step - (number / step).round()).abs() > 1e-9
    {
        found.add(path, |path| Problem::not_a_multiple(path, step, value));
    }
}

fn count_within(
    count: u64,
    schema: &Object,
    [least, most]: [&str; 2],
    unit: &str,
    path: &Path<'_>,
    found: &mut Findings,
) {
    let limit = |key| schema.get(key).and_then(Value::as_u64);
    if let Some(least) = limit(least).filter(|least| count < *least) {
        found.add(path, |path| Problem::wrong_count(path, "at least", least, unit, count));
    }
    if let Some(most) = limit(most).filter(|most| count > *most) {
        found.add(path, |path| Problem::wrong_count(path, "at most", most, unit, count));
    }
}
