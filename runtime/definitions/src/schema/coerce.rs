//! Converts a value of the wrong type without loss.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use serde_json::{Map, Number, Value};

use super::budget::{Budget, Chain, text_steps};
use super::check::{by_pattern, check_within};
use super::keywords::{names_type, referenced};
use super::pattern::Patterns;
use crate::json::{ARGUMENT_LEVELS, Literals, Unique, is_rounded, levels, rounds_any, same_number};

type Object = Map<String, Value>;

/// Changes `value` to a type of `schema` (a part of `root`), if that is possible without loss: `"5"` and
/// `"5.0"` for a number, `"true"` for a boolean, `5.0` for an integer, `5` if only texts fit and one of them
/// is `"5"`, a list or an object written as a string, and a missing field for a `null` that means a missing
/// value. Returns whether it changed anything. `literals` are the numbers of the text that the value was read
/// from.
///
/// The work is bounded by the value's size. The rest is then unchanged.
pub fn coerce(value: &mut Value, schema: &Value, root: &Value, literals: &Literals<'_>) -> bool {
    let budget = Budget::for_value(value);
    let (depth, levels) = (Cell::new(0), Cell::new(0));
    let walk = Walk { root, literals, budget: &budget, depth, levels, patterns: RefCell::default() };
    walk.walk(value, schema, None, &[])
}

/// The recursion limit. It exceeds the depth of every readable value, with many references at each level.
const DEPTH: usize = 512;

/// The maximum number of references from a schema to a list of texts.
const FAR: usize = 8;

/// The state of one walk: the source of the schema and the value, the remaining budget, and the compiled
/// patterns.
struct Walk<'s> {
    root: &'s Value,
    literals: &'s Literals<'s>,
    budget: &'s Budget,
    depth: Cell<usize>,
    /// How many lists and objects the value is in.
    levels: Cell<usize>,
    patterns: RefCell<Patterns<'s>>,
}

impl<'s> Walk<'s> {
    /// `schema` may be an option of a flattened enum; `beside` are the properties of the struct around that
    /// enum.
    fn walk(
        &self,
        value: &mut Value,
        schema: &'s Value,
        before: Option<&Chain<'_>>,
        beside: &[&Object],
    ) -> bool {
        // A schema applies to a value once, however often it refers to itself.
        let chain = Chain::new(before, schema).filter(|_| self.depth.get() < DEPTH);
        let Some(chain) = chain.filter(|_| self.budget.take(1)) else { return false };
        if let Some(text) = self.spelled(value, schema) {
            *value = text.into();
            return true;
        }
        self.depth.set(self.depth.get() + 1);
        let mut changed = self.own(value, schema);
        let target = self.resolve(schema);
        let options = options(schema);
        if target.is_some() || options.is_some() {
            let known: Vec<&Object> =
                beside.iter().copied().chain(schema["properties"].as_object()).collect();
            if let Some(target) = target {
                changed |= self.walk(value, target, Some(&chain), &known);
            }
            if let Some(option) = options.and_then(|options| self.meant(value, options, &known)) {
                changed |= self.walk(value, option, Some(&chain), &known);
            }
        }
        self.depth.set(self.depth.get() - 1);
        changed
    }

    /// The text of a number or a boolean, if the schema accepts one of several texts and no other type that
    /// the value could be.
    fn spelled(&self, value: &Value, schema: &'s Value) -> Option<&'s str> {
        let wanted = match value {
            Value::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
            // Few schemas accept texts, so the original spelling is looked up last.
            Value::Number(number) if !self.texts(schema, 0)?.is_empty() => self.literals.spelling(number)?,
            _ => return None,
        };
        let mut same = self.texts(schema, 0)?.into_iter().filter(|text| **text == *wanted);
        same.next().filter(|_| same.next().is_none())
    }

    /// The texts that a schema accepts; `None` if it accepts other scalars too.
    fn texts(&self, schema: &'s Value, distance: usize) -> Option<Vec<&'s str>> {
        if distance > FAR || !self.budget.take(1) {
            return None;
        }
        if let Some(target) = self.resolve(schema) {
            return self.texts(target, distance + 1);
        }
        if let Some(only) = schema.get("const") {
            return only.as_str().map(|text| vec![text]);
        }
        if let Some(members) = schema["enum"].as_array() {
            self.budget.take(members.len() as u64);
            let texts = members.iter().filter(|member| !member.is_null());
            return texts.map(Value::as_str).collect();
        }
        if let Some(options) = options(schema) {
            let texts = options.iter().map(|option| self.texts(option, distance + 1));
            return Some(texts.collect::<Option<Vec<_>>>()?.concat());
        }
        let is_single = !matches!(schema["type"].as_str(), Some("null" | "object" | "array"));
        (!is_single).then(Vec::new)
    }

    /// The schema of a `$ref` into the same document.
    fn resolve(&self, schema: &Value) -> Option<&'s Value> {
        let pointer = schema.get("$ref")?.as_str()?;
        self.budget.take(text_steps(pointer));
        referenced(self.root, pointer)
    }

    /// Applies the schema without its options.
    fn own(&self, value: &mut Value, schema: &'s Value) -> bool {
        let mut changed = false;
        if self.is_affordable(value)
            && let Some(better) = scalar(value, schema, self.literals, self.levels.get())
        {
            *value = better;
            changed = true;
        }
        self.levels.set(self.levels.get() + 1);
        match value {
            Value::Object(fields) => {
                let before = fields.len();
                fields.retain(|name, field| !(field.is_null() && self.stands_for_nothing(name, schema)));
                changed |= fields.len() < before;
                for (name, field) in fields {
                    if !self.budget.take(text_steps(name)) {
                        break;
                    }
                    let property = schema["properties"].get(name).or_else(|| self.by_pattern(name, schema));
                    let property = property.unwrap_or(&schema["additionalProperties"]);
                    changed |= self.walk(field, property, None, &[]);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    let schema = schema["prefixItems"].get(index).unwrap_or(&schema["items"]);
                    changed |= self.walk(item, schema, None, &[]);
                }
            }
            _ => {}
        }
        self.levels.set(self.levels.get() - 1);
        changed
    }

    /// Whether the budget allows to parse a text as another type.
    fn is_affordable(&self, value: &Value) -> bool {
        self.budget.take(value.as_str().map_or(0, |text| text.len() as u64 / 32))
    }

    /// The schema of a key with a pattern.
    fn by_pattern(&self, name: &str, schema: &'s Value) -> Option<&'s Value> {
        let patterns = schema.get("patternProperties")?.as_object()?;
        by_pattern(name, patterns, &mut self.patterns.borrow_mut(), self.budget)
    }

    /// The only option that can be meant: the only one beside `null`, or the only one with the object's
    /// fields and constants. `known` fields are ignored.
    fn meant(&self, value: &Value, options: &'s [Value], known: &[&Object]) -> Option<&'s Value> {
        let mut real = options.iter().filter(|option| self.budget.take(1) && option["type"] != "null");
        match (real.next()?, real.next()) {
            (only, None) => return (!value.is_null() && !self.budget.is_spent()).then_some(only),
            _ if !value.is_object() => return None,
            _ => {}
        }
        let fields = value.as_object()?;
        let mut fitting = options.iter().filter(|option| self.fits(fields, option, None, known));
        let first = fitting.next();
        first.filter(|_| fitting.next().is_none() && !self.budget.is_spent())
    }

    /// Whether an object has the required fields of an option, and no field that is unknown to the option and
    /// its nested options.
    fn fits(
        &self,
        fields: &Object,
        option: &'s Value,
        before: Option<&Chain<'_>>,
        known: &[&Object],
    ) -> bool {
        let option = self.resolve(option).unwrap_or(option);
        let chain = Chain::new(before, option).filter(|_| self.budget.take(1));
        let Some(chain) = chain else { return false };
        let properties = option["properties"].as_object();
        let inner = options(option);
        if properties.is_none() && inner.is_none() {
            return false;
        }
        let mut required = option["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut constants =
            fields.iter().filter_map(|(name, field)| Some((field, only(properties?.get(name)?)?)));
        if !required.all(|name| self.budget.take(1) && fields.contains_key(name))
            || constants.any(|(field, only)| !self.budget.take(1) || field != only)
        {
            return false;
        }
        let known: Vec<&Object> = known.iter().copied().chain(properties).collect();
        let is_known =
            |name: &String| known.iter().any(|known| self.budget.take(1) && known.contains_key(name));
        match inner {
            Some(options) => options.iter().any(|option| self.fits(fields, option, Some(&chain), &known)),
            None => fields.keys().all(is_known),
        }
    }

    /// Whether `null` is not a value of an optional field. Providers that require every field make the model
    /// write `null` for a missing value.
    fn stands_for_nothing(&self, name: &str, schema: &'s Value) -> bool {
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        self.budget.take(required.len() as u64);
        let Some(property) = schema["properties"].get(name) else { return false };
        !required.iter().any(|each| each == name)
            && !check_within(&Value::Null, property, self.root, name, self.budget).is_empty()
            && !self.budget.is_spent()
    }
}

/// The only value of a schema.
fn only(schema: &Value) -> Option<&Value> {
    schema.get("const").or_else(|| (schema["type"] == "null").then_some(&Value::Null))
}

fn options(schema: &Value) -> Option<&[Value]> {
    schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()).map(Vec::as_slice)
}

fn scalar(value: &Value, schema: &Value, literals: &Literals<'_>, inside: usize) -> Option<Value> {
    let wants = |kind: &str| names_type(schema, kind);
    match value {
        Value::String(_) if wants("string") => None,
        Value::String(text) => {
            let text = text.trim();
            // Arguments have one limit of depth, however deep the text is in them.
            if inside + levels(text) > usize::from(ARGUMENT_LEVELS) {
                return None;
            }
            let Unique(inner) = serde_json::from_str(text).ok()?;
            let fits = match &inner {
                Value::Number(number) if wants("number") && is_held(text, number, &schema["format"]) => true,
                Value::Number(number) if wants("integer") && number.is_f64() => {
                    return exact_integer(number).filter(|_| !is_rounded(text));
                }
                Value::Number(_) => wants("integer"),
                Value::Bool(_) => wants("boolean"),
                // A number in JSON text within a string loses digits when it is parsed.
                Value::Array(_) => wants("array") && !rounds_any(text),
                Value::Object(_) => wants("object") && !rounds_any(text),
                _ => false,
            };
            fits.then_some(inner)
        }
        Value::Number(number) if wants("integer") && !wants("number") => {
            exact_integer(number).filter(|_| number.as_f64().is_some_and(|number| literals.is_exact(number)))
        }
        _ => None,
    }
}

/// A number as an integer, if it is written with a fraction and is one.
///
/// ```
/// use onionskin_definitions::schema::exact_integer;
/// use serde_json::Number;
///
/// let number = |text: &str| text.parse::<Number>().unwrap();
/// assert_eq!(exact_integer(&number("2.0")), Some(2.into()));
/// assert_eq!(exact_integer(&number("2.5")), None);
/// ```
pub fn exact_integer(number: &Number) -> Option<Value> {
    let number = number.as_f64().filter(|_| number.is_f64())?;
    // Whole numbers up to 2^53 are exact in both forms.
    let is_whole = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
    is_whole.then(|| Value::from(number as i64))
}

/// Whether a floating-point number of this format represents the number exactly as written.
fn is_held(text: &str, number: &Number, format: &Value) -> bool {
    let Some(wide) = number.as_f64() else { return false };
    #[expect(clippy::cast_possible_truncation, reason = "the code looks for the loss")]
    let narrow = wide as f32;
    let is_narrow = format == "float";
    let held = match number.is_f64() {
        true if is_narrow => narrow.to_string(),
        true => wide.to_string(),
        false if is_narrow => format!("{narrow:.0}"),
        false => format!("{wide:.0}"),
    };
    same_number(text, &held)
}
