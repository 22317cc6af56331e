//! Results that JSON cannot hold.

use std::collections::BTreeMap;

use onionskin::{ErrorKind, Exit, ToolSpec, call, tool};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
struct Row {
    name: String,
    mean: f64,
    least: Option<f32>,
}

/// Gives one number.
#[tool]
fn one(x: u8) -> f64 {
    if x == 0 { f64::NAN } else { f64::from(x) }
}

/// Gives rows.
#[tool]
fn rows(bad: bool) -> BTreeMap<String, Vec<Row>> {
    let row = |mean| Row { name: "null".to_owned(), mean, least: None };
    BTreeMap::from([("a".to_owned(), vec![row(1.5), row(if bad { f64::INFINITY } else { 2.5 })])])
}

#[derive(Serialize)]
enum Undescribed {
    Pair(i32, f32),
    Named { x: Option<f64> },
}

/// Gives a type without a schema.
#[tool]
fn undescribed(named: bool) -> Undescribed {
    if named { Undescribed::Named { x: Some(f64::NEG_INFINITY) } } else { Undescribed::Pair(1, f32::NAN) }
}

/// Gives nothing, as it may.
#[tool]
fn nothing() -> Option<f64> {
    None
}

fn closure() -> ToolSpec {
    #[derive(serde::Deserialize, JsonSchema)]
    struct Wanted {}
    ToolSpec::from_fn("closure", "Gives a row.", |_: Wanted, _| async move {
        Ok(Row { name: "n".to_owned(), mean: 1.0, least: Some(f32::NAN) })
    })
}

#[tokio::test]
async fn t6_a_number_that_is_none_is_an_error_that_names_its_place() {
    for (result, told) in [
        (call!(one::spec(), x = 0).await, "the result is NaN"),
        (call!(rows::spec(), bad = true).await, "`a[1].mean` of the result is inf"),
        (call!(undescribed::spec(), named = true).await, "`Named.x` of the result is -inf"),
        (call!(undescribed::spec(), named = false).await, "`Pair[1]` of the result is NaN"),
        (call!(closure()).await, "`least` of the result is NaN"),
    ] {
        let Err(Exit::Tool(error)) = result else { panic!("{told}: {result:?}") };
        assert_eq!(error.kind(), ErrorKind::Failed);
        assert!(error.to_string().starts_with(told), "{error}");
    }
    assert_eq!(call!(one::spec(), x = 7).await.unwrap(), 7.0);
    assert_eq!(call!(rows::spec(), bad = false).await.unwrap()["a"][1]["mean"], 2.5);
    assert!(call!(nothing::spec()).await.unwrap().is_null());
}
