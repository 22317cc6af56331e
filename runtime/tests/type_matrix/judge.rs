//! What must hold for every type.

use std::cell::Cell;

use jsonschema::Validator;
use onionskin::export;
use onionskin::{Args, ToolContext, ToolDefinition, ToolResult};
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::cases::{Case, all};
use crate::forms::{Form, forms, t5_compiler_and_export_agree};
use crate::refusals::{Change, changes, refusals, small};

/// Types that accept every value.
const ANYTHING: &[&str] = &["anything"];

/// Schema, values, exports and refusals of one type.
pub(crate) fn judge(name: &str) {
    let case = all().into_iter().find(|case| case.name == name).expect("a case");
    let definition = (case.definition)();
    let input = validator(&definition.input_schema);
    // `()` gives nothing.
    let output = definition.output_schema.as_deref().map(validator);
    assert_eq!(output.is_none(), name.ends_with("unit"), "{name}");
    t5_compiler_and_export_agree(&case, &definition);
    assert!(export::to_prompt(&definition).starts_with(&format!("- `{name}(x")));
    let forms = forms(&case, &definition);
    let (refused, broken) = (Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new(Config {
        cases: 12,
        failure_persistence: None,
        max_shrink_iters: 64,
        ..Config::default()
    });
    let result = runner.run(&(case.values)(), |value| {
        round_trip(&case, &definition, &value, &input, output.as_ref());
        let value = small(&value);
        for form in &forms {
            broken.set(broken.get() + form.through(&case, &value));
            for value in shorter(&value, &input) {
                form.through(&case, &value);
            }
        }
        refused.set(refused.get() + refusals(&case, &value, &definition.input_schema, &input));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{name}: {error}");
    }
    assert_eq!(refused.get() == 0, ANYTHING.contains(&name), "{name}: {} were refused", refused.get());
    assert_eq!(broken.get() == 0, forms.iter().all(Form::is_own), "{name}: {}", broken.get());
}

/// The same value without one of the fields that may be left out, each in turn.
fn shorter(value: &Value, input: &Validator) -> Vec<Value> {
    let args = json!({ "x": value });
    let without = changes(&args)
        .into_iter()
        .filter(|(place, change)| !place.is_empty() && matches!(change, Change::Without(_)));
    let without = without.map(|(place, change)| {
        let mut shorter = args.clone();
        change.make(&mut shorter, &place);
        shorter
    });
    without.filter(|args| input.is_valid(args)).map(|mut args| args["x"].take()).collect()
}

pub(crate) fn validator(schema: &Value) -> Validator {
    jsonschema::meta::validate(schema).unwrap_or_else(|error| panic!("{schema}: {error}"));
    jsonschema::draft202012::new(schema).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

pub(crate) fn run(case: &Case, args: &Value) -> ToolResult {
    let context = ToolContext::detached(case.name);
    let mut args = Args::from(args.to_string());
    futures_util::FutureExt::now_or_never((case.run)(&context, &mut args)).expect("nothing to wait for")
}

fn round_trip(
    case: &Case,
    definition: &ToolDefinition,
    value: &Value,
    input: &Validator,
    output: Option<&Validator>,
) {
    let args = json!({ "x": value });
    if let Err(error) = input.validate(&args) {
        panic!("{args} against {}: {error}", definition.input_schema);
    }
    let result = run(case, &args).unwrap_or_else(|exit| panic!("{args}: {exit}"));
    let Some(output) = output else { return };
    let structured = result.structured_content().expect("a structured result");
    if let Err(error) = output.validate(&structured) {
        panic!("{structured} against {:?}: {error}", definition.output_schema);
    }
    // A `Result` gives back what is in it.
    let wanted = if case.name == "result" { &value["Ok"] } else { value };
    let back = if wanted.is_object() { &*structured } else { &structured["result"] };
    assert_eq!(sorted(back, case), sorted(wanted, case));
    // S5: read as the type that it was written from.
    if case.name != "result" {
        assert_eq!(sorted(&(case.call_as)(&args), case), sorted(wanted, case), "call_as");
    }
}

/// A set has no order.
pub(crate) fn sorted(value: &Value, case: &Case) -> Value {
    match value {
        Value::Array(items) if case.name.contains("set") => {
            let mut items = items.clone();
            items.sort_by_key(ToString::to_string);
            Value::Array(items)
        }
        other => other.clone(),
    }
}

#[test]
fn t11_what_a_type_cannot_hold_is_refused_at_its_place() {
    let limited = |field: &str, value: Value| {
        let mut limited = json!({ "small": 1, "short": "a", "letters": "", "few": [] });
        limited[field] = value;
        limited
    };
    let long: Value = serde_json::from_str("18446744073709551616").expect("a number");
    let cases = [
        ("int_8", json!(128), "x"),
        ("int_8", json!(-129), "x"),
        ("int_16", json!(32_768), "x"),
        ("int_16", json!(-32_769), "x"),
        ("int_32", json!(2_147_483_648_i64), "x"),
        ("int_32", json!(-2_147_483_649_i64), "x"),
        ("int_64", json!(9_223_372_036_854_775_808_u64), "x"),
        ("int_size", json!(9_223_372_036_854_775_808_u64), "x"),
        ("uint_8", json!(256), "x"),
        ("uint_8", json!(-1), "x"),
        ("uint_16", json!(65_536), "x"),
        ("uint_32", json!(4_294_967_296_i64), "x"),
        ("uint_64", json!(-1), "x"),
        ("uint_64", long.clone(), "x"),
        ("uint_128", json!(-1), "x"),
        ("uint_size", long, "x"),
        ("non_zero", json!(0), "x"),
        ("non_zero", json!(256), "x"),
        ("non_zero_signed", json!(0), "x"),
        ("character", json!("ab"), "x"),
        ("character", json!(""), "x"),
        ("ip_4", json!("1.2.3"), "x"),
        ("id", json!("no id"), "x"),
        ("date", json!("2026-02-30"), "x"),
        ("vec_bytes", json!([1, 256]), "x[1]"),
        ("array_three", json!([1, 2]), "x"),
        ("array_three", json!([1, 2, 3, 4]), "x"),
        ("array_of_arrays", json!([[1, 2], [3]]), "x[1]"),
        ("tuple_of_like", json!([1.0, 2.0, 3.0]), "x"),
        ("pair", json!([1]), "x"),
        ("pair", json!(["a", "b"]), "x[0]"),
        ("hash_set", json!([1, 2, 1]), "x[2]"),
        ("limited", limited("small", json!(0)), "x.small"),
        ("limited", limited("small", json!(10)), "x.small"),
        ("limited", limited("short", json!("")), "x.short"),
        ("limited", limited("short", json!("abcde")), "x.short"),
        ("limited", limited("letters", json!("abd")), "x.letters"),
        ("limited", limited("few", json!([true, true, true])), "x.few"),
        ("closed", json!({ "a": 1, "b": 2 }), "x.b"),
        ("closed", json!({}), "x.a"),
        ("line", json!({ "from": { "x": 1, "y": 2 }, "to": { "x": 1 } }), "x.to.y"),
        ("tagged", json!({ "kind": "square", "at": null }), "x.side"),
        ("adjacent", json!({ "t": "Words", "c": {} }), "x.c.words"),
        ("external", json!({ "Struct": { "a": 1, "b": null } }), "x.Struct.a"),
        ("expression", json!({ "op": "Neg", "of": { "op": "Value" } }), "x.of.value"),
        ("map_of_structs", json!({ "a": { "x": 1, "y": "z" } }), "x.a.y"),
        ("map_by_number", json!({ "one": "a" }), "x.one"),
    ];
    let all = all();
    for (name, value, place) in cases {
        let case = all.iter().find(|case| case.name == name).expect("a case");
        let error = run(case, &json!({ "x": value })).expect_err(name).to_string();
        let named: Vec<_> = error.lines().skip(1).collect();
        assert!(
            matches!(named[..], [line] if line.starts_with(&format!("- `{place}`: "))),
            "{value}: {error}"
        );
    }
}
