//! For any text: what a tool runs on is what the model wrote.

use onionskin::{Exit, call, tool};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::Value;

/// Takes an integer.
#[tool]
fn whole(x: i64) -> String {
    x.to_string()
}

/// Takes a number.
#[tool]
fn fraction(x: f64) -> String {
    format!("{x:e}")
}

/// Takes nothing.
#[tool]
fn nothing() -> &'static str {
    "ran"
}

/// `PROPTEST_CASES` makes it longer; what failed is kept.
pub(super) fn config() -> ProptestConfig {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/arguments.txt");
    ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(seeds))),
        ..ProptestConfig::default()
    }
}

/// A number's sign, digits without zeros at either end, and power of ten.
fn decimal(literal: &str) -> (bool, String, i64) {
    let (number, power) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{}{part}", whole.trim_start_matches('-'));
    let short = digits.trim_end_matches('0');
    let power = power.parse::<i64>().unwrap() - i64::try_from(part.len()).unwrap()
        + i64::try_from(digits.len() - short.len()).unwrap();
    match short.trim_start_matches('0') {
        "" => (false, String::new(), 0),
        digits => (number.starts_with('-'), digits.to_owned(), power),
    }
}

/// Numbers, most of them near the ends of what is exact.
fn literal() -> impl Strategy<Value = String> {
    let near =
        prop::sample::select(vec![1_i128 << 24, 1 << 52, 1 << 53, 1 << 63, 1 << 64, 0, 10_i128.pow(18)]);
    let whole = (near, -3_i128..4, any::<bool>())
        .prop_map(|(near, by, negative)| if negative { -(near + by) } else { near + by });
    let tail = prop_oneof![
        3 => Just(String::new()),
        3 => "\\.0{1,20}",
        3 => "\\.[0-9]{1,25}",
        1 => "e-?[0-9]{1,2}",
        1 => "\\.[0-9]{1,5}E[+-]?[0-9]",
    ];
    prop_oneof![4 => whole.prop_map(|whole| whole.to_string()), 1 => any::<i64>().prop_map(|number| number.to_string())]
        .prop_flat_map(move |whole| tail.clone().prop_map(move |tail| format!("{whole}{tail}")))
}

/// Runs a call to its end.
fn run<T>(call: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(call)
}

/// What the tool got, if it ran.
fn got(result: Result<Value, Exit>) -> Option<String> {
    match result {
        Ok(value) => Some(value.as_str().unwrap().to_owned()),
        Err(Exit::Tool(error)) => {
            assert!(error.to_string().contains("it did not run"), "{error}");
            assert!(error.to_string().len() < 8_000);
            None
        }
        Err(other) => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn long_t11_an_integer_is_the_number_that_was_written(literal in literal(), quoted: bool) {
        let text = if quoted { format!(r#"{{"x":"{literal}"}}"#) } else { format!(r#"{{"x":{literal}}}"#) };
        let result = got(run(whole::spec().call(text.as_str())));
        if let Some(got) = &result {
            prop_assert_eq!(decimal(got), decimal(&literal), "{}", text);
        }
        if literal.parse::<i64>().is_ok_and(|number| number.to_string() == literal) {
            prop_assert!(result.is_some(), "{}", text);
        }
    }

    #[test]
    fn long_t11_a_number_read_from_a_text_keeps_every_digit(literal in literal()) {
        if let Some(got) = got(run(call!(fraction::spec(), x = literal))) {
            let exact = literal.parse::<i128>().is_ok_and(|number| got.parse::<f64>().is_ok_and(|got| format!("{got:.0}") == number.to_string()));
            prop_assert!(exact || decimal(&got) == decimal(&literal), "{} of {}", got, literal);
        }
    }

    #[test]
    fn long_t11_nothing_runs_on_words_around_an_object(
        before in prop::sample::select(vec!["", " ", "```", "```json\n", "```json ", "```\n", "Here: ", "```delete ", "\"", "[", "{", "//\n"]),
        inside in prop::sample::select(vec!["{}", "{ }", "", "delete", "5", "null", "true", "[]", "\"{}\"", "{,}", "{\"a\":1}", "{}{}", "{}}"]),
        after in prop::sample::select(vec!["", "\n", "```", "\n```", " ```", " Done.", "\"", "]", "}", ","]),
    ) {
        let text = format!("{before}{inside}{after}");
        if got(run(nothing::spec().call(text.as_str()))).is_some() {
            let fenced = text.trim().strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
            let written = fenced.map_or(text.trim(), |inside| inside.trim_start_matches("json").trim());
            let is_object = |text: &str| text.replace([' ', '\n'], "") == "{}";
            let encoded = serde_json::from_str::<String>(written).is_ok_and(|inner| is_object(&inner));
            prop_assert!(is_object(written) || encoded || text.trim().is_empty(), "{}", text);
        }
    }

    #[test]
    fn long_t11_any_text_is_read_or_refused(text in "[\\x00-\\x7f\u{e9}\u{2026}]{0,60}", broken in any::<Vec<u8>>()) {
        for text in [text, String::from_utf8_lossy(&broken).into_owned()] {
            if got(run(nothing::spec().call(text.as_str()))).is_some() {
                prop_assert!(text.trim().is_empty() || text.contains('{'), "{:?}", text);
            }
            if let Some(x) = got(run(whole::spec().call(text.as_str()))) {
                prop_assert!(text.contains('x') && text.contains(|c: char| c.is_ascii_digit()), "{:?}: {}", text, x);
            }
        }
    }
}
