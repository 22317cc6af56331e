//! If a provider requires every argument, `null` means a missing one.

use onionskin::{Args, Tool, ToolContext, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

async fn text<T: Tool + Default>(args: &Value) -> String {
    match T::default().run(&ToolContext::detached(T::NAME), &mut Args::from(args.to_string())).await {
        Ok(output) => output.to_text().into_owned(),
        Err(exit) => format!("error: {exit}"),
    }
}

/// Everything that may be left out.
#[tool]
fn defaults(
    #[arg(default = 3, range(1..=9))] number: u8,
    #[arg(default = "abc")] text: &str,
    #[arg(default = Some(5))] maybe: Option<i64>,
    #[arg(default = json!(7))] any: Value,
    option: Option<String>,
) -> String {
    format!("{number} {text} {maybe:?} {any} {option:?}")
}

#[tokio::test]
async fn t3_null_reads_as_missing_where_there_is_a_default() {
    let missing = text::<defaults>(&json!({})).await;
    assert_eq!(missing, "3 abc Some(5) 7 None");
    let nulls = json!({"number": null, "text": null, "option": null});
    assert_eq!(text::<defaults>(&nulls).await, missing);
}

#[tokio::test]
async fn t3_null_is_a_value_where_the_type_has_it() {
    let nulls = json!({"maybe": null, "any": null});
    assert_eq!(text::<defaults>(&nulls).await, "3 abc None null None");
}

#[tokio::test]
async fn t11_null_is_refused_where_a_value_is_wanted() {
    let error = text::<required>(&json!({"number": null})).await;
    assert!(error.contains("`number`: expected an integer, found null"), "{error}");
    let error = text::<defaults>(&json!({"number": 20, "text": null})).await;
    assert!(error.contains("`number`") && !error.contains("`text`"), "{error}");
}

/// One that must be there.
#[tool]
fn required(number: u8) -> u8 {
    number
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default)]
struct Filter {
    limit: u32,
    words: Vec<String>,
    after: Option<String>,
}

impl Default for Filter {
    fn default() -> Self {
        Self { limit: 10, words: vec!["a".to_owned()], after: Some("b".to_owned()) }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "they are shown with `Debug`")]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Step {
    Walk {
        #[serde(default)]
        fast: bool,
    },
    Rest {
        #[serde(default)]
        minutes: u8,
    },
}

/// Fields with defaults, inside types.
#[tool]
fn nested(filter: Filter, steps: Vec<Step>) -> String {
    format!("{filter:?} {steps:?}")
}

#[tokio::test]
async fn t3_null_reads_as_missing_inside_types() {
    let strict = json!({
        "filter": {"limit": null, "words": null, "after": null},
        "steps": [{"kind": "walk", "fast": null}, {"kind": "rest", "minutes": null}],
    });
    let wanted =
        "Filter { limit: 10, words: [\"a\"], after: None } [Walk { fast: false }, Rest { minutes: 0 }]";
    assert_eq!(text::<nested>(&strict).await, wanted);
}

/// An enum whose fields are beside others.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "they are shown with `Debug`")]
struct Flat {
    id: u8,
    #[serde(default)]
    n: u32,
    #[serde(flatten)]
    kind: Kind,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "they are shown with `Debug`")]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Kind {
    Step(Inner),
    Stop {
        #[serde(default)]
        seconds: u8,
    },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "they are shown with `Debug`")]
#[serde(tag = "pace", rename_all = "snake_case")]
enum Inner {
    Run {
        #[serde(default)]
        far: bool,
    },
    Walk {
        #[serde(default)]
        slow: bool,
    },
}

/// Fields with defaults beside a flattened enum, and in it.
#[tool]
fn flat(x: Flat) -> String {
    format!("{x:?}")
}

#[tokio::test]
async fn t3_null_reads_as_missing_beside_a_flattened_enum_and_in_it() {
    let stop = json!({"x": {"id": 1, "n": null, "kind": "stop", "seconds": null}});
    assert_eq!(text::<flat>(&stop).await, "Flat { id: 1, n: 0, kind: Stop { seconds: 0 } }");
    let walk = json!({"x": {"id": 1, "n": null, "kind": "step", "pace": "walk", "slow": null}});
    assert_eq!(text::<flat>(&walk).await, "Flat { id: 1, n: 0, kind: Step(Walk { slow: false }) }");
    let wrong = json!({"x": {"id": null, "n": null, "kind": "stop"}});
    let error = text::<flat>(&wrong).await;
    assert!(error.contains("`x.id`") && !error.contains("`x.n`"), "{error}");
}
