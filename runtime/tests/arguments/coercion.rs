//! Values of another type than the wanted one: read where they are exact, else refused.

use onionskin::{Args, ToolDefinition, ToolSpec, call, tool};
use serde_json::{Value, json};

/// Takes an integer.
#[tool]
async fn whole(x: i64) -> String {
    x.to_string()
}

/// Takes a number.
#[tool]
async fn number(x: f64) -> String {
    x.to_string()
}

/// Takes a number of few digits.
#[tool]
async fn small(x: f32) -> String {
    x.to_string()
}

/// Takes numbers in lists and objects.
#[tool]
async fn nested(list: Vec<i64>, point: Point) -> String {
    format!("{list:?} {} {:?}", point.x, point.y)
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Point {
    x: i64,
    y: Option<u64>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Wanted {
    x: i64,
}

fn closure() -> ToolSpec {
    ToolSpec::from_fn("closure", "Takes an integer.", |args: Wanted, _| async move { Ok(args.x.to_string()) })
}

#[tokio::test]
async fn t11_a_fraction_becomes_an_integer_only_where_it_is_one() {
    for (literal, read) in [
        ("41.0", Some("41")),
        ("4.1e1", Some("41")),
        ("-0.0", Some("0")),
        ("9007199254740992.0", Some("9007199254740992")),
        ("-9007199254740992.00", Some("-9007199254740992")),
        ("9007199254740993.0", None),
        ("9007199254740991.6", None),
        ("4503599627370496.1", None),
        ("3.0000000000000000001", None),
        ("2.9999999999999999999", None),
        ("1e-400", None),
        ("0.00", Some("0")),
        ("1.5", None),
        ("9223372036854775807.0", None),
        ("1e400", None),
    ] {
        let text = format!(r#"{{"x":{literal}}}"#);
        for spec in [whole::spec(), closure()] {
            let result =
                spec.call(text.as_str()).await.map(|value| value.as_str().unwrap_or_default().to_owned());
            match read {
                Some(read) => assert_eq!(result.expect(&text), read, "{text}"),
                None => assert!(result.expect_err(&text).to_string().contains("it did not run"), "{text}"),
            }
        }
    }
}

#[tokio::test]
async fn t11_text_becomes_a_number_only_where_nothing_is_lost() {
    for (text, read) in [
        ("9007199254740992", Some("9007199254740992")),
        ("9007199254740993", None),
        ("-9007199254740993", None),
        ("18446744073709551615", None),
        // Rust writes as few digits as tell it from other fractions.
        ("18446744073709549568", Some("18446744073709550000")),
        ("0.1", Some("0.1")),
        ("0.10000000000000000555", None),
        (" 41", Some("41")),
        ("2.50", Some("2.5")),
        ("10.00", Some("10")),
        ("1e3", Some("1000")),
        ("-0.0", Some("-0")),
        ("1e-400", None),
        ("1e400", None),
        ("+1", None),
        ("1.", None),
        ("0x10", None),
    ] {
        let result = call!(number::spec(), x = text).await;
        assert_eq!(result.ok(), read.map(Value::from), "{text}");
    }
    for (text, read) in
        [("16777216", Some("16777216")), ("16777217", None), ("0.1", Some("0.1")), ("0.12345678901", None)]
    {
        let result = call!(small::spec(), x = text).await;
        assert_eq!(result.ok(), read.map(Value::from), "{text}");
    }
    for (text, read) in [
        ("9223372036854775807", Some("9223372036854775807")),
        ("9223372036854775808", None),
        ("41.0", Some("41")),
        ("4.1e1", Some("41")),
        ("41.5", None),
        ("9007199254740993.0", None),
    ] {
        let result = call!(whole::spec(), x = text).await;
        assert_eq!(result.ok(), read.map(Value::from), "{text}");
    }
}

#[tokio::test]
async fn t11_numbers_within_other_values_are_exact_or_refused_too() {
    let good = r#"{"list":[1.0,"2",3],"point":{"x":4.0,"y":"5"}}"#;
    assert_eq!(nested::spec().call(good).await.unwrap(), "[1, 2, 3] 4 Some(5)");
    for text in [
        r#"{"list":[9007199254740991.6],"point":{"x":1}}"#,
        r#"{"list":[],"point":{"x":9007199254740991.6}}"#,
        // As the other one reads, one of the two is not what the model wrote.
        r#"{"list":[9007199254740992.0,9007199254740991.6],"point":{"x":1}}"#,
        r#"{"list":"[9007199254740991.6]","point":{"x":1}}"#,
    ] {
        nested::spec().call(text).await.expect_err(text);
    }
}

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema, Debug)]
enum Level {
    #[serde(rename = "1")]
    One,
    #[serde(rename = "2")]
    Two,
    /// With words of its own.
    #[serde(rename = "3.10")]
    Ten,
    #[serde(rename = "true")]
    Yes,
    High,
}

/// Takes one of several texts.
#[tool]
async fn level(level: Level, other: Option<Level>) -> String {
    format!("{level:?} {other:?}")
}

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema, Debug)]
#[serde(untagged)]
enum Either {
    Number(i64),
    Level(Level),
}

/// Takes a text or a number.
#[tool]
async fn either(either: Either) -> String {
    format!("{either:?}")
}

#[tokio::test]
async fn t11_a_number_or_bool_is_read_as_the_one_text_of_an_enum_that_spells_it() {
    for (text, read) in [
        (r#"{"level":1}"#, Some("One None")),
        (r#"{"level":2,"other":1}"#, Some("Two Some(One)")),
        (r#"{"level":true,"other":null}"#, Some("Yes None")),
        (r#"{"level":3.10}"#, Some("Ten None")),
        (r#"{"level":3.1}"#, None),
        (r#"{"level":1.0}"#, None),
        (r#"{"level":3}"#, None),
        (r#"{"level":false}"#, None),
        (r#"{"level":null}"#, None),
        (r#"{"level":3.10,"other":3.1}"#, None),
        (r#"{"level":[1]}"#, None),
    ] {
        let result = level::spec().call(text).await;
        match read {
            Some(read) => assert_eq!(result.expect(text), read, "{text}"),
            None => drop(result.expect_err(text)),
        }
    }
    assert_eq!(call!(either::spec(), either = 1).await.unwrap(), "Number(1)");
    assert_eq!(call!(either::spec(), either = "1").await.unwrap(), "Level(One)");
}

#[tokio::test]
async fn t11_an_error_of_an_enum_says_what_would_fit() {
    let error = level::spec().call(json!({"level": 7})).await.unwrap_err().to_string();
    assert!(error.contains("`level`: expected") && error.contains("found the number 7"), "{error}");
}

#[test]
fn t11_a_list_in_a_text_counts_among_the_levels_of_the_arguments() {
    let schema = json!({ "type": "object", "properties": { "x": { "type": "array" } } });
    let tool = ToolDefinition::new("take", "Takes a list.").with_input_schema(schema);
    let list = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    for (levels, is_read) in [(99, true), (100, false)] {
        let plain = Args::from(format!(r#"{{"x":{}}}"#, list(levels)));
        let in_a_text = Args::from(json!({ "x": list(levels) }).to_string());
        assert_eq!((tool.fit(&plain).is_ok(), tool.fit(&in_a_text).is_ok()), (is_read, is_read), "{levels}");
    }
}
