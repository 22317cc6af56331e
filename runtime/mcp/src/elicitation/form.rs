//! A form that a server asks a person to fill in. Its schema is flat: fields that are texts, numbers, yes or no, or choices.

use std::collections::BTreeSet;

use onionskin_core::schema;
use serde_json::{Map, Value, json};

use crate::secrets::Secrets;
use crate::visible::{is_plain, visible};

/// The most fields of a form.
const FIELDS: usize = 50;
/// The most choices of a field.
const CHOICES: usize = 200;
/// The patterns of the formats that a field can have.
const FORMATS: [(&str, &str); 4] = [
    ("email", r"^[^@\s]+@[^@\s]+$"),
    ("uri", r"^[A-Za-z][A-Za-z0-9+.-]*:\S+$"),
    ("date", r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"),
    (
        "date-time",
        r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$",
    ),
];

const NO_TYPE: &str = "its type is none that a form has";

/// The fields of a form.
pub(super) struct Form {
    fields: Map<String, Value>,
    /// The fields that a person has to fill in.
    required: Vec<String>,
    /// The fields that the server requires and that may be null, which stands for one that is left out.
    nullable: Vec<String>,
}

impl Form {
    /// Reads the requested schema. Keywords that no form has are left out; the server checks them.
    ///
    /// # Errors
    /// Returns why nobody can fill it in.
    pub(super) fn read(requested: &Value, secrets: &Secrets) -> Result<Self, String> {
        let fields =
            requested["properties"].as_object().ok_or("its `requestedSchema` has no `properties`")?;
        if fields.len() > FIELDS {
            return Err(format!("it has more than {FIELDS} fields"));
        }
        let mut may_be_null = BTreeSet::new();
        let fields = fields.iter().map(|(name, written)| {
            let read = if is_plain(name) {
                let (flat, is_nullable) = flat(written, requested);
                if is_nullable {
                    may_be_null.insert(name.as_str());
                }
                field(&flat, requested)
            } else {
                Err("its name has hidden characters")
            };
            read.map(|field| (name.clone(), field))
                .map_err(|reason| format!("the field `{}`: {reason}", visible(name)))
        });
        let fields = fields.collect::<Result<Map<_, _>, _>>()?;
        let required = requested["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        // A field with a default can be left out.
        let is_open = |name: &&str| fields.get(*name).is_some_and(|field| field.get("default").is_none());
        let (nullable, required) =
            required.filter(is_open).map(str::to_owned).partition(|name| may_be_null.contains(&**name));
        let form = Self { fields, required, nullable };
        let shown = form.answer_schema().to_string();
        if secrets.hide(&*shown) != shown {
            return Err("it contains a secret of the server's configuration".to_owned());
        }
        Ok(form)
    }

    /// The schema of what a person answers.
    pub(super) fn answer_schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": self.fields,
            "required": self.required,
            "additionalProperties": false,
        })
    }

    /// The answer, with the defaults of the fields that it leaves out.
    pub(super) fn fill(&self, answer: Value) -> Value {
        let mut answer = match answer {
            Value::Object(answer) => answer,
            _ => Map::new(),
        };
        for (name, field) in &self.fields {
            if let (false, Some(default)) = (answer.contains_key(name), field.get("default")) {
                answer.insert(name.clone(), default.clone());
            }
        }
        for name in &self.nullable {
            answer.entry(name).or_insert(Value::Null);
        }
        Value::Object(answer)
    }
}

/// A field without references and without null, and whether it may be null. Frameworks write choices in another place, and a field that can be
/// left out as one of two.
fn flat(written: &Value, requested: &Value) -> (Value, bool) {
    let (mut field, mut is_nullable) = (written.clone(), false);
    // One of two can be a reference, which leads to no other.
    for _ in 0..2 {
        let reference = field["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        let one_of_two = ["anyOf", "oneOf"].into_iter().find_map(|key| besides_null(&field[key], is_null));
        is_nullable |= one_of_two.is_some();
        let only_one = || field["allOf"].as_array().filter(|all| all.len() == 1)?.first();
        let referenced = reference.and_then(|path| requested.pointer(path));
        let Some(inner) = referenced.or(one_of_two).or_else(only_one) else { break };
        let mut inner = inner.clone();
        for key in ["title", "description", "default"] {
            if let (Some(own), Value::Object(inner)) = (field.get(key), &mut inner) {
                inner.insert(key.to_owned(), own.clone());
            }
        }
        field = inner;
    }
    if let Some(kind) = besides_null(&field["type"], |kind| kind == "null").cloned() {
        is_nullable = true;
        field["type"] = kind;
    }
    if is_nullable && let Some(values) = field.get_mut("enum").and_then(Value::as_array_mut) {
        values.retain(|value| !value.is_null());
    }
    (field, is_nullable)
}

/// The other one of two, if one of them is null.
fn besides_null(two: &Value, is_null: impl Fn(&Value) -> bool) -> Option<&Value> {
    match two.as_array().map(Vec::as_slice) {
        Some([null, other] | [other, null]) if is_null(null) && !is_null(other) => Some(other),
        _ => None,
    }
}

fn is_null(schema: &Value) -> bool {
    schema["type"] == "null"
}

/// The schema of a field, of the keywords that a form has.
fn field(written: &Value, requested: &Value) -> Result<Value, &'static str> {
    let kind = written["type"].as_str();
    let mut field = match kind {
        Some("boolean") => json!({ "type": "boolean" }),
        Some(number @ ("integer" | "number")) => {
            with(json!({ "type": number }), written, &["minimum", "maximum"], Value::is_number)
        }
        Some("string") | None => match (choices(written)?, kind) {
            (Some(choices), _) => choices,
            (None, Some(_)) => text(written),
            (None, None) => return Err(NO_TYPE),
        },
        Some("array") => {
            let (items, _) = flat(&written["items"], requested);
            let choices = choices(&items)?.ok_or("it is a list of other values than choices")?;
            let list = json!({ "type": "array", "items": choices });
            with(list, written, &["minItems", "maxItems"], Value::is_u64)
        }
        Some(_) => return Err(NO_TYPE),
    };
    for key in ["title", "description"] {
        if let Some(words) = written[key].as_str() {
            field[key] = visible(words).into();
        }
    }
    // A default that does not fit is none.
    if let Some(default) =
        written.get("default").filter(|default| schema::check(default, &field, &field, "").is_empty())
    {
        field["default"] = default.clone();
    }
    Ok(field)
}

fn text(written: &Value) -> Value {
    let mut text = with(json!({ "type": "string" }), written, &["minLength", "maxLength"], Value::is_u64);
    if let Some((format, pattern)) = FORMATS.iter().find(|(format, _)| written["format"] == *format) {
        text["format"] = (*format).into();
        text["pattern"] = (*pattern).into();
    }
    text
}

/// Adds these keywords, if their values are such.
fn with(mut field: Value, written: &Value, keys: &[&str], is_such: impl Fn(&Value) -> bool) -> Value {
    for key in keys {
        if let Some(value) = written.get(*key).filter(|value| is_such(value)) {
            field[*key] = value.clone();
        }
    }
    field
}

/// The schema of a choice: of texts, or of texts with titles. `None` for other texts.
fn choices(written: &Value) -> Result<Option<Value>, &'static str> {
    let titled = written.get("oneOf").or_else(|| written.get("anyOf"));
    let (values, titles): (Vec<_>, Vec<_>) = if let Some(titled) = titled {
        let titled = titled.as_array().ok_or("its choices are no list")?;
        titled.iter().map(|choice| (&choice["const"], choice["title"].as_str())).unzip()
    } else if let Some(values) = written.get("enum") {
        let values = values.as_array().ok_or("its choices are no list")?;
        let names = written["enumNames"].as_array();
        let title = |at: usize| names.and_then(|names| names.get(at)?.as_str());
        values.iter().enumerate().map(|(at, value)| (value, title(at))).unzip()
    } else {
        return Ok(None);
    };
    if values.is_empty() || values.len() > CHOICES {
        return Err("it has no choices, or too many");
    }
    if !values.iter().all(|value| value.as_str().is_some_and(is_plain)) {
        return Err("a choice is no text, or has hidden characters");
    }
    if titles.iter().all(Option::is_none) {
        return Ok(Some(json!({ "type": "string", "enum": values })));
    }
    let choice = |(value, title): (&Value, Option<&str>)| {
        let title = title.map_or_else(|| value.clone(), |title| visible(title).into());
        json!({ "const": value, "title": title })
    };
    let choices: Vec<_> = values.into_iter().zip(titles).map(choice).collect();
    Ok(Some(json!({ "type": "string", "oneOf": choices })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server_config::ServerConfig;

    #[expect(clippy::needless_pass_by_value, reason = "they are made for the call")]
    fn form(properties: Value) -> Result<Form, String> {
        let secrets = Secrets::for_results(&ServerConfig::stdio("t").secret("KEY", "sk-123456".to_owned()));
        Form::read(&json!({ "type": "object", "properties": properties, "required": ["a", "b"] }), &secrets)
    }

    fn fits(form: &Form, answer: &Value) -> bool {
        let schema = form.answer_schema();
        assert_eq!(schema::mistake(&schema), None, "{schema}");
        schema::check(answer, &schema, &schema, "").is_empty()
    }

    #[test]
    fn a4_every_kind_of_field_is_asked_for_and_checked() {
        let day = form(json!({ "a": { "type": "string", "format": "date", "title": "Day" } })).unwrap();
        assert!(fits(&day, &json!({ "a": "2026-02-28" })));
        for wrong in
            [json!({ "a": "28.2.2026" }), json!({}), json!({ "a": "2026-02-28", "c": 1 }), json!({ "a": 7 })]
        {
            assert!(!fits(&day, &wrong), "{wrong}");
        }
        for (format, right, wrong) in [
            ("email", "ada@example.com", "ada"),
            ("uri", "https://example.com", "example.com"),
            ("date-time", "2026-02-28T12:30:00Z", "2026-02-28"),
        ] {
            let form = form(json!({ "a": { "type": "string", "format": format } })).unwrap();
            assert!(fits(&form, &json!({ "a": right })) && !fits(&form, &json!({ "a": wrong })), "{format}");
        }
        let many = form(json!({
            "a": { "type": "integer", "minimum": 1, "maximum": 5 },
            "b": { "type": "boolean" },
            "plain": { "type": "string", "enum": ["x", "y"] },
            "titled": { "type": "string", "oneOf": [{ "const": "r", "title": "Red" }, { "const": "g", "title": "Green" }] },
            "named": { "type": "string", "enum": ["p"], "enumNames": ["Pink"] },
            "several": { "type": "array", "minItems": 1, "items": { "type": "string", "enum": ["x", "y"] } },
            "several_titled": { "type": "array", "items": { "anyOf": [{ "const": "r", "title": "Red" }] } },
        }))
        .unwrap();
        let right = json!({
            "a": 2, "b": true, "plain": "x", "titled": "g", "named": "p", "several": ["x", "y"], "several_titled": ["r"],
        });
        assert!(fits(&many, &right));
        for (name, wrong) in [
            ("a", json!(6)),
            ("b", json!("perhaps")),
            ("plain", json!("z")),
            ("titled", json!("Green")),
            ("named", json!("Pink")),
            ("several", json!([])),
            ("several_titled", json!(["g"])),
        ] {
            let mut answer = right.clone();
            answer[name] = wrong;
            assert!(!fits(&many, &answer), "{answer}");
        }
        assert_eq!(many.answer_schema()["properties"]["named"]["oneOf"][0]["title"], "Pink");
    }

    #[test]
    fn a4_a_field_with_a_default_can_be_left_out() {
        let form = form(json!({
            "a": { "type": "string", "default": "Ada" },
            "b": { "type": "number", "default": 9.5 },
            "c": { "type": "string", "enum": ["x"], "default": "z" },
        }))
        .unwrap();
        assert!(fits(&form, &json!({})));
        assert_eq!(form.fill(json!({ "b": 1 })), json!({ "a": "Ada", "b": 1 }));
        assert_eq!(form.fill(json!({})), json!({ "a": "Ada", "b": 9.5 }));
    }

    #[test]
    fn a4_a_field_that_may_be_null_can_be_left_out() {
        let requested = json!({
            "type": "object",
            "properties": {
                "note": { "anyOf": [{ "type": "string" }, { "type": "null" }], "default": null },
                "size": { "allOf": [{ "$ref": "#/$defs/Size" }], "description": "How large." },
                "sizes": { "type": "array", "items": { "$ref": "#/$defs/Size" } },
                "kind": { "type": ["string", "null"], "enum": ["a", null] },
            },
            "required": ["note", "size", "sizes", "kind"],
            "$defs": { "Size": { "type": "string", "enum": ["s", "m"] } },
        });
        let form = Form::read(&requested, &Secrets::for_results(&ServerConfig::stdio("t"))).unwrap();
        assert!(fits(&form, &json!({ "size": "m", "sizes": ["s"] })));
        assert!(!fits(&form, &json!({ "size": "x", "sizes": ["s"] })));
        assert!(!fits(&form, &json!({ "sizes": ["s"] })));
        let filled = form.fill(json!({ "size": "m", "sizes": [] }));
        assert_eq!(filled, json!({ "size": "m", "sizes": [], "note": null, "kind": null }));
    }

    #[test]
    fn a4_a_field_is_asked_for_in_the_forms_in_which_frameworks_write_it() {
        let form = form(json!({
            "a": { "anyOf": [{ "type": "string", "maxLength": 3 }, { "type": "null" }], "default": null, "title": "Note" },
            "b": { "oneOf": [{ "type": "null" }, { "type": "integer" }], "default": 7 },
            "c": { "type": ["boolean", "null"] },
            "d": { "anyOf": [{ "type": "string", "enum": ["x", "y"] }, { "type": "null" }] },
        }))
        .unwrap();
        assert!(fits(&form, &json!({ "a": "yes" })));
        assert!(fits(&form, &json!({ "a": "yes", "b": 1, "c": true, "d": "x" })));
        for wrong in
            [json!({ "a": "long" }), json!({ "a": "yes", "b": "1" }), json!({ "a": "yes", "d": "z" })]
        {
            assert!(!fits(&form, &wrong), "{wrong}");
        }
        assert_eq!(form.answer_schema()["properties"]["a"]["title"], "Note");
        assert_eq!(form.fill(json!({ "a": "yes" })), json!({ "a": "yes", "b": 7 }));

        let secrets = Secrets::for_results(&ServerConfig::stdio("t"));
        let requested = json!({
            "type": "object",
            "$defs": {
                "Size": { "enum": ["s", "m"], "title": "Size", "type": "string" },
                "Loop": { "$ref": "#/$defs/Loop" },
            },
            "properties": {
                "a": { "$ref": "#/$defs/Size", "description": "How large" },
                "b": { "anyOf": [{ "$ref": "#/$defs/Size" }, { "type": "null" }], "default": null },
                "c": { "oneOf": [{ "const": "r", "title": "Red" }, { "const": "g", "title": "Green" }] },
                "d": { "enum": ["x"] },
            },
            "required": ["a"],
        });
        let form = Form::read(&requested, &secrets).unwrap_or_else(|reason| panic!("{reason}"));
        assert!(fits(&form, &json!({ "a": "s", "b": "m", "c": "g", "d": "x" })));
        for wrong in [json!({ "a": "l" }), json!({ "a": "s", "b": "l" }), json!({ "a": "s", "c": "Green" })] {
            assert!(!fits(&form, &wrong), "{wrong}");
        }
        assert_eq!(form.answer_schema()["properties"]["a"]["description"], "How large");
        for field in ["#/$defs/Loop", "#/$defs/Other", "https://a.example/s.json"] {
            let mut requested = requested.clone();
            requested["properties"]["a"] = json!({ "$ref": field });
            let Err(reason) = Form::read(&requested, &secrets) else { panic!("{field}") };
            assert_eq!(reason, "the field `a`: its type is none that a form has");
        }
    }

    #[test]
    fn a4_a_form_that_no_person_can_read_is_refused() {
        for (properties, expected) in [
            (json!({ "a": { "type": "object" } }), "the field `a`: its type is none"),
            (
                json!({ "a": { "anyOf": [{ "type": "string" }, { "type": "integer" }] } }),
                "a choice is no text",
            ),
            (json!({ "a": { "type": "array", "items": { "type": "string" } } }), "a list of other values"),
            (json!({ "a\u{202e}": { "type": "string" } }), "the field `a\\u{202e}`: its name has hidden"),
            (json!({ "a": { "type": "string", "enum": ["x\u{200b}"] } }), "hidden characters"),
            (json!({ "a": { "type": "string", "enum": [] } }), "no choices"),
            (json!({ "a": { "type": "string", "enum": vec!["x"; CHOICES + 1] } }), "too many"),
            (json!({ "a": { "type": "string", "default": "sk-123456" } }), "a secret"),
            (json!(null), "no `properties`"),
        ] {
            let Err(reason) = form(properties) else { panic!("{expected}") };
            assert!(reason.contains(expected), "{reason}");
        }
        let shown =
            form(json!({ "a": { "type": "string", "description": "a\u{1b}[2J" } })).unwrap().answer_schema();
        assert_eq!(shown["properties"]["a"]["description"], "a\\u{1b}[2J");
    }
}
