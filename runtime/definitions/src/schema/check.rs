//! Checks a value against a schema and reports problems by path, in words for a model. It is by hand because
//! crates that validate schemas give other words, do not bound the work, and bring dozens of crates.
//!
//! It supports the keywords that schemars writes for Rust types and that MCP servers send, and the conditions
//! of JSON Schema (`conditions.rs`). An unknown keyword never refuses a value: decoding, or the server, still
//! decides. Schema and value may both be hostile. The work is bounded by the value's size, and a value that
//! was not checked within it is refused.

mod conditions;
mod unevaluated;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::Value;

use super::budget::{Budget, Chain, text_steps, weight};
use super::closed::field_names;
use super::findings::{Findings, Path, Verdict};
use super::integers::{format_bounds, truncated};
use super::keywords::referenced;
use super::pattern::Patterns;
use super::problem::{Problem, expected};
use super::union::{Marks, is_of_nothing};

/// A schema's problems with a value: the first ones, if there are many. `root` is the schema that references
/// refer to, with `schema` as a part, and `path` is the name of the value in the problems.
///
/// ```
/// use onionskin_definitions::schema::check;
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

/// As [`check`] for a whole value, until another thread sets `stop`. A part that was not checked by then is a
/// problem.
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
    walk.walk(value, schema, Place::new(&Path::root(path)), &mut found);
    match found {
        Findings::Words(problems) if !budget.is_spent() => problems,
        Findings::Words(_) | Findings::Verdict(..) => vec![Problem::unchecked(path)],
    }
}

/// The recursion limit. It exceeds the depth of every readable value, with many references at each level.
const DEPTH: usize = 512;

/// The length from which a list of values is looked up in a set.
const LONG_LIST: usize = 16;

/// The way to a value, and the schemas for it that lead to the one that is checked.
#[derive(Clone, Copy)]
struct Place<'p> {
    path: &'p Path<'p>,
    before: Option<&'p Chain<'p>>,
}

impl<'p> Place<'p> {
    fn new(path: &'p Path<'p>) -> Self {
        Self { path, before: None }
    }
}

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
    fn walk(&self, value: &Value, schema: &'s Value, place: Place<'_>, found: &mut Findings) {
        let Value::Object(object) = schema else {
            if *schema == Value::Bool(false) {
                found.add(place.path, Problem::not_allowed);
            }
            return;
        };
        if !self.budget.take(1) || found.is_decided(place.path.level) {
            return;
        }
        // A value does not satisfy a schema that refers to itself without end.
        match Chain::new(place.before, schema).filter(|_| self.depth.get() < DEPTH) {
            Some(chain) => {
                self.depth.set(self.depth.get() + 1);
                self.walk_keywords(value, schema, object, Place { before: Some(&chain), ..place }, found);
                self.depth.set(self.depth.get() - 1);
            }
            None => self.budget.spend(),
        }
    }

    fn walk_keywords(
        &self,
        value: &Value,
        schema: &'s Value,
        object: &'s Object,
        place: Place<'_>,
        found: &mut Findings,
    ) {
        if let Some(target) = self.resolve(object) {
            self.walk(value, target, place, found);
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(options) = object.get(key).and_then(Value::as_array)
                && !self.walk_options(value, schema, options, place, found)
            {
                return;
            }
        }
        for part in object.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.walk(value, part, place, found);
        }
        if !self.has_type(value, object.get("type"))
            || object.get("enum").and_then(Value::as_array).is_some_and(|list| !self.is_listed(value, list))
            || object.get("const").is_some_and(|only| !self.is_listed(value, std::slice::from_ref(only)))
        {
            found.add(place.path, |path| Problem::mismatch(path, schema, value));
            return;
        }
        match value {
            Value::Object(fields) => {
                self.walk_object(fields, object, place.path, found);
                self.walk_unevaluated(value, fields, schema, place, found);
            }
            Value::Array(items) => self.walk_list(items, object, place.path, found),
            Value::String(text) => self.walk_text(text, object, place.path, found),
            Value::Number(number) => {
                walk_number(number.as_f64().unwrap_or_default(), value, object, place.path, found);
            }
            _ => {}
        }
        self.walk_conditions(value, object, place, found);
    }

    /// Whether one of the options fits. If none fits, the problems are those of the option that was meant.
    fn walk_options(
        &self,
        value: &Value,
        schema: &Value,
        options: &'s [Value],
        place: Place<'_>,
        found: &mut Findings,
    ) -> bool {
        let mut within = Vec::new();
        for option in options {
            let mut verdict = Findings::Verdict(place.path.level, Verdict::Fits);
            self.walk(value, option, place, &mut verdict);
            match verdict {
                Findings::Verdict(_, Verdict::Fits) => return true,
                Findings::Verdict(_, Verdict::Within) => within.push(option),
                Findings::Verdict(_, Verdict::Itself) | Findings::Words(_) => {}
            }
        }
        let nearest = if within.is_empty() { Verdict::Itself } else { Verdict::Within };
        if within.len() > 1 {
            within.retain(|option| !is_of_nothing(option));
        }
        if found.take_verdict(place.path.level, nearest) {
            return false;
        }
        match &within[..] {
            [] => found.add(place.path, |path| Problem::mismatch(path, schema, value)),
            [only] => self.walk(value, only, place, found),
            several => self.walk_meant(value, several, place, found),
        }
        false
    }

    /// Finds the problems with the intended option. Without one, it lists how the options differ.
    fn walk_meant(&self, value: &Value, options: &[&'s Value], place: Place<'_>, found: &mut Findings) {
        let targets: Vec<&'s Value> = options.iter().map(|option| self.target(option)).collect();
        let Value::Object(fields) = value else {
            let mut told = Findings::Words(Vec::new());
            for option in options.iter().take(1) {
                self.walk(value, option, place, &mut told);
            }
            return found.take_from_option(told);
        };
        self.budget.take((fields.len() + targets.len()) as u64);
        let meant = match Marks::find(&targets) {
            Some(Marks::Tag(name, values)) => {
                let given = fields.get(name);
                let meant = values.iter().position(|value| given == Some(value));
                if meant.is_none() {
                    return found
                        .add(&place.path.field(name), |path| Problem::no_option(path, &values, given));
                }
                meant
            }
            Some(Marks::Key(names)) => {
                let mut known = (0..names.len()).filter(|at| fields.contains_key(names[*at]));
                let meant = known.next().filter(|_| known.next().is_none());
                if meant.is_none() {
                    let given = fields.keys().map(String::as_str);
                    return found.add(place.path, |path| Problem::no_key(path, &names, given));
                }
                meant
            }
            None => self.nearest_option(fields, &targets),
        };
        match meant {
            Some(at) => self.walk(value, options[at], place, found),
            None => found.add(place.path, |path| Problem::no_fields(path, &targets)),
        }
    }

    /// The option that shares the most fields with the object; `None` if there are no shared fields, or on a
    /// tie.
    fn nearest_option(&self, fields: &Object, options: &[&'s Value]) -> Option<usize> {
        let known = |option: &&Value| {
            let names = field_names(option);
            self.budget.take((names.len() + fields.len()) as u64);
            fields.keys().filter(|name| names.contains(name.as_str())).count()
        };
        let missing = |option: &&Value| {
            let required = option["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            required.filter(|name| self.budget.take(1) && !fields.contains_key(*name)).count()
        };
        let nearness: Vec<_> =
            options.iter().map(|option| (known(option), std::cmp::Reverse(missing(option)))).collect();
        let best = nearness.iter().max()?;
        let at = nearness.iter().position(|each| each == best)?;
        let is_only = !nearness[at + 1..].contains(best);
        (is_only && best.0 > 0).then_some(at)
    }

    /// The schema itself, or the one that it refers to.
    fn target(&self, schema: &'s Value) -> &'s Value {
        schema.as_object().and_then(|object| self.resolve(object)).unwrap_or(schema)
    }

    /// The schema of a `$ref` into the same document.
    fn resolve(&self, schema: &Object) -> Option<&'s Value> {
        let pointer = schema.get("$ref")?.as_str()?;
        self.budget.take(text_steps(pointer));
        referenced(self.root, pointer)
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
            if !self.budget.take(1) || found.is_decided(within) {
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
            if !self.budget.take(1 + text_steps(name)) || found.is_decided(within) {
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
                    self.walk(value, schema, Place::new(&path.field(name)), found);
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
            if self.budget.is_spent() || found.is_decided(within) {
                break;
            }
            if let Some(schema) = prefix.get(index).or_else(|| schema.get("items")) {
                self.walk(item, schema, Place::new(&path.item(index)), found);
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
        self.budget.take(text_steps(text));
        let count = text.chars().count() as u64;
        count_within(count, schema, ["minLength", "maxLength"], "characters", path, found);
        // A pattern of another regex dialect cannot be checked here; the schema's owner checks it.
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
            && self.patterns.borrow_mut().matches(pattern, text, self.budget) == Some(false)
        {
            found.add(path, |path| Problem::no_match(path, pattern, text));
        }
    }
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
    // Decoding checks this too, except where serde reads an invalid value as a missing one.
    if let Some([least, most]) = schema.get("format").and_then(format_bounds)
        && let Some(whole) = truncated(value)
    {
        for (key, bound, limit, holds) in
            [("minimum", "at least", least, whole >= least), ("maximum", "at most", most, whole <= most)]
        {
            if !holds && !schema.contains_key(key) {
                found.add(path, |path| Problem::out_of_range(path, bound, &limit, value));
            }
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
