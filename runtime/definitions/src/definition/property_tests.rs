//! What holds for any argument text: all ways of reading it agree, and nothing is lost on the way.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::param::Param;
use super::parse::parse;
use super::scan::scan;
use crate::args::{Args, parse_object};
use crate::json::{Literals, repair, same_number};
use crate::schema::coerce;

const NAMES: [&str; 4] = ["x", "é", "long_name", ""];

fn params() -> [Param; 4] {
    NAMES.map(Param::new::<i64>)
}

/// Texts that are almost JSON: some are not valid values.
fn value_text() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "null",
        "true",
        "false",
        "nul",
        "-0",
        "0",
        "01",
        "+1",
        "-",
        "1.",
        ".5",
        "1e5",
        "1e400",
        "-1E-400",
        "NaN",
        "Infinity",
        "1.5",
        "18446744073709551616",
        "\"\"",
        "\"\\ud800\"",
        "\"\\ud83d\\ude00\"",
        "\"\\u0000\"",
        "\"a\nb\"",
        "\"\\x\"",
        "\"\\",
        "\"\u{1F600}\"",
        "\"}\"",
        "\"\\\"\"",
        "{}",
        "[]",
        "[,]",
        "[1,]",
        "\u{FEFF}1",
    ]);
    let leaf = prop_oneof![
        4 => odd.prop_map(str::to_owned),
        2 => any::<i64>().prop_map(|number| number.to_string()),
        1 => (300_usize..420).prop_map(|digits| "9".repeat(digits)),
        1 => (120_usize..130).prop_map(|depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth))),
        1 => any::<f64>().prop_map(|number| number.to_string()),
        2 => any::<String>().prop_map(|text| Value::from(text).to_string()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            object_text(inner),
        ]
    })
}

fn object_text(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let key =
        prop::sample::select(vec!["\"x\"", "\"é\"", "\"long_name\"", "\"\"", "\"\\u0078\"", "\"y\"", "x"]);
    let space = || prop::sample::select(vec!["", "", "", " ", "\n\t", "\u{A0}"]);
    let entry = (key, space(), value, space())
        .prop_map(|(key, before, value, after)| format!("{key}{after}:{before}{value}{after}"));
    (prop::collection::vec(entry, 0..5), space())
        .prop_map(|(entries, space)| format!("{{{space}{}}}", entries.join(",")))
}

/// A text of arguments: as it is, with something around it, or with a place of it changed.
fn args_text() -> impl Strategy<Value = String> {
    let change =
        prop::option::weighted(0.3, (any::<prop::sample::Index>(), "[\\x00-\\x20\"\\\\{}\\[\\],:0-9a-z-]?"));
    let around = prop::sample::select(vec![
        ("", ""),
        ("", ""),
        (" ", "\n"),
        ("```json\n", "\n```"),
        ("", "x"),
        ("", ","),
    ]);
    (object_text(value_text()), change, around).prop_map(|(mut text, change, (before, after))| {
        if let Some((at, with)) = change {
            let places: Vec<_> = text.char_indices().map(|(at, c)| at..at + c.len_utf8()).collect();
            text.replace_range(at.get(&places).clone(), &with);
        }
        format!("{before}{text}{after}")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_ways_of_reading_a_text_agree(text in args_text()) {
        let (params, mut quick, mut full, mut problems) = (params(), [None; 4], [None; 4], Vec::new());
        let plain = scan(&params, &text, &mut quick).is_some();
        let whole = parse(&params, &text, &mut full, &mut problems);
        let object = if repair(&text).is_some() { None } else { parse_object(&text).ok() };
        if plain {
            prop_assert!(whole.is_ok() && problems.is_empty(), "{:?}", whole);
            prop_assert_eq!(quick, full);
        }
        // A single value that is not valid (`1e400`, half a character) is refused by the type that reads it.
        let mut singles = full.iter().flatten().map(|(start, end)| &text[*start..*end]);
        if singles.any(|raw| !raw.starts_with(['[', '{']) && serde_json::from_str::<Value>(raw).is_err()) {
            prop_assert_eq!(object, None);
        } else if whole.is_ok() && problems.is_empty() {
            let object = object.expect("what the tool reads, a hook reads");
            for (name, span) in NAMES.iter().zip(full) {
                let value = span.map(|(start, end)| serde_json::from_str::<Value>(&text[start..end]).expect("a value"));
                prop_assert_eq!(value.as_ref(), object.get(*name));
            }
            prop_assert_eq!(object.len(), full.iter().flatten().count());
        } else if let Some(object) = object {
            prop_assert!(whole.is_ok(), "what a hook reads, the tool reads: {:?}", whole);
            prop_assert!(object.keys().any(|key| !NAMES.contains(&key.as_str())));
        }
    }

    #[test]
    fn only_broken_text_is_repaired_and_then_it_is_an_object(text in args_text()) {
        if serde_json::from_str::<serde_json::Map<String, Value>>(&text).is_ok() {
            prop_assert_eq!(repair(&text), None);
        }
        if let Some(repaired) = repair(&text) {
            prop_assert_eq!(repaired.chars().next(), Some('{'));
            prop_assert!(serde_json::from_str::<serde::de::IgnoredAny>(&repaired).is_ok(), "{repaired}");
            prop_assert_eq!(repair(&repaired), None);
        }
    }

    #[test]
    fn looking_changes_nothing_and_writing_back_keeps_the_values(text in args_text()) {
        let mut args = Args::from(text.as_str());
        let seen = args.as_object().ok().cloned();
        prop_assert_eq!(&*args.text(), &*text);
        prop_assert_eq!(&*args.clone().text(), &*text);
        let touched = args.as_object_mut().is_ok();
        prop_assert_eq!(touched, seen.is_some());
        let settled = args.clone().flush().to_owned();
        prop_assert_eq!(&*args.text(), settled.as_str());
        match seen {
            Some(seen) => prop_assert_eq!(parse_object(&settled), Ok(seen)),
            None => prop_assert_eq!(settled, text),
        }
    }

    #[test]
    fn coercion_loses_nothing(text in value_text(), kind in prop::sample::select(vec!["integer", "number", "boolean", "array", "object", "null"])) {
        let mut value = Value::from(text.clone());
        if coerce(&mut value, &json!({ "type": kind }), &json!({}), &Literals::none()) {
            match &value {
                Value::Number(number) => prop_assert!(same_number(&number.to_string(), text.trim()), "{} {}", text, number),
                Value::Bool(_) => prop_assert_eq!(value.to_string(), text.trim()),
                Value::Array(_) => prop_assert_eq!(serde_json::from_str::<Value>(&text).ok(), Some(value)),
                Value::Object(fields) => prop_assert_eq!(parse_object(&text), Ok(fields.clone())),
                other => prop_assert!(false, "{other}"),
            }
        }
    }

    #[test]
    fn a_whole_fraction_becomes_the_same_integer(number in any::<f64>(), whole in -1_i64 << 60..1_i64 << 60) {
        #[expect(clippy::cast_precision_loss, reason = "the test looks for the loss")]
        for number in [number, whole as f64] {
            let mut value = Value::from(number);
            if coerce(&mut value, &json!({ "type": "integer" }), &json!({}), &Literals::none()) {
                prop_assert_eq!(value.as_i64().map(|integer| integer as f64), Some(number));
            }
        }
    }
}

#[test]
fn deep_nesting_is_refused_and_breaks_nothing() {
    for depth in [60, 98, 99, 100, 126, 127, 128, 10_000, 1_000_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let inner = if open == "[" { "" } else { "1" };
            let text = format!("{{\"x\":{}{inner}{}}}", open.repeat(depth), close.repeat(depth));
            let (params, mut spans, mut problems) = (params(), [None; 4], Vec::new());
            let reads = depth <= 99;
            assert_eq!(scan(&params, &text, &mut spans).is_some(), reads, "{depth}");
            assert_eq!(parse(&params, &text, &mut [None; 4], &mut problems).is_ok(), reads, "{depth}");
            assert_eq!(Args::from(text.as_str()).as_object().is_ok(), reads, "{depth}");
            assert_eq!(repair(&text), None);
        }
    }
}

#[test]
fn a_schema_without_an_end_is_refused_in_time() {
    let branches =
        |key: &str| json!({ "$defs": { "A": { key: [{ "$ref": "#/$defs/A" }, { "$ref": "#/$defs/A" }] } } });
    let itself = json!({ "$defs": { "A": { "$ref": "#/$defs/A" } } });
    for root in [branches("anyOf"), branches("oneOf"), branches("allOf"), itself] {
        let problems = crate::schema::check(&json!(1), &json!({ "$ref": "#/$defs/A" }), &root, "x");
        assert_eq!(problems.len(), 1);
        assert!(problems[0].to_string().contains("too deeply nested"), "{}", problems[0]);
    }
}
