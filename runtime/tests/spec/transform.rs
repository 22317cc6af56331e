//! S6: the same tool, seen otherwise.

use onionskin::spec::{SpecError, Transform};
use onionskin::{ErrorKind, call, tool};
use serde_json::json;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Range {
    from: u32,
    to: u32,
}

/// Searches everything.
#[tool]
fn search(
    /// What for.
    query: &str,
    limit: u32,
    index: &str,
    range: Option<Range>,
) -> String {
    let range = range.map_or_else(String::new, |range| format!(" {}-{}", range.from, range.to));
    format!("{limit} of {query} in {index}{range}")
}

#[tokio::test]
async fn s6_parameters_are_renamed_hidden_defaulted_and_described() {
    let mut spec = search::spec();
    let transform = Transform::new()
        .name("find")
        .description("Finds.")
        .rename("query", "text")
        .describe("query", "The text.")
        .hide("index", "books")
        .default_value("limit", 5)
        .rename("range", "years");
    spec.transform(transform).unwrap();
    assert_eq!((spec.name(), spec.description()), ("find", "Finds."));
    let schema = spec.input_schema();
    assert_eq!(schema["required"], json!(["text"]));
    assert_eq!(schema["properties"]["text"]["description"], "The text.");
    assert_eq!(schema["properties"]["limit"]["default"], 5);
    assert!(schema["properties"].get("index").is_none() && schema["properties"].get("query").is_none());
    assert_eq!(call!(spec, text = "a").await.unwrap(), "5 of a in books");
    let years = json!({"from": 1, "to": 2});
    assert_eq!(call!(spec, text = "a", limit = 1, years = years).await.unwrap(), "1 of a in books 1-2");
}

#[tokio::test]
async fn s6_null_stands_for_a_value_that_has_a_default_now() {
    let mut spec = search::spec();
    let transform = Transform::new()
        .rename("limit", "most")
        .default_value("limit", 5)
        .default_value("range", json!({"from": 1, "to": 2}));
    spec.transform(transform).unwrap();
    let nulls = json!({"query": "a", "index": "i", "most": null, "range": null});
    assert_eq!(spec.call(nulls).await.unwrap(), "5 of a in i", "the tool's own `null` is a value");
    assert_eq!(call!(spec, query = "a", index = "i").await.unwrap(), "5 of a in i 1-2");
}

#[tokio::test]
async fn s6_errors_speak_of_the_names_that_the_model_knows() {
    let mut spec = search::spec();
    let transform =
        Transform::new().name("find").rename("query", "text").rename("range", "years").hide("index", "x");
    spec.transform(transform).unwrap();
    let exit =
        spec.call(json!({"text": 1, "limit": "many", "years": {"from": -1, "to": 2}})).await.unwrap_err();
    assert_eq!(exit.as_tool_error().unwrap().kind(), ErrorKind::Arguments);
    let text = exit.to_string();
    for part in ["`find`", "`text`: expected a string", "`limit`: expected an integer", "`years.from`"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("search") && !text.contains("query") && !text.contains("range"), "{text}");
    for wrong in [json!({"query": "a", "limit": 1}), json!({"text": "a", "limit": 1, "index": "evil"})] {
        let text = spec.call(wrong).await.unwrap_err().to_string();
        assert!(text.contains("unknown argument"), "{text}");
    }
    let text = spec.call("[]").await.unwrap_err().to_string();
    assert!(text.starts_with("Invalid arguments for `find`"), "{text}");
}

#[tokio::test]
async fn s6_names_can_be_swapped_and_changed_again() {
    /// Divides.
    #[tool]
    fn divide(a: i64, b: i64) -> i64 {
        a / b
    }
    let mut spec = divide::spec();
    spec.transform(Transform::new().rename("a", "b").rename("b", "a")).unwrap();
    assert_eq!(call!(spec, b = 6, a = 3).await.unwrap(), 2);
    spec.transform(Transform::new().rename("b", "top").rename("a", "bottom")).unwrap();
    assert_eq!(call!(spec, top = 8, bottom = 2).await.unwrap(), 4);
    spec.transform(Transform::new().rename("top", "a").rename("bottom", "b")).unwrap();
    assert_eq!(spec.input_schema(), divide::spec().input_schema());
    // A hidden parameter leaves its name to others.
    spec.transform(Transform::new().hide("b", 2).rename("a", "b")).unwrap();
    assert_eq!(call!(spec, b = 8).await.unwrap(), 4);
}

#[tokio::test]
async fn s6_a_renamed_parameter_is_bound_by_its_new_name() {
    let mut spec = search::spec();
    spec.transform(Transform::new().rename("query", "text").default_value("limit", 1)).unwrap();
    spec.bind("text", None, json!("bound")).unwrap();
    assert_eq!(spec.state().to_value(), json!({"text": "bound"}));
    assert_eq!(call!(spec, index = "i").await.unwrap(), "1 of bound in i");
    let error = spec.transform(Transform::new().rename("index", "text")).unwrap_err();
    assert!(matches!(&error, SpecError::NameTaken { name, .. } if name == "text"), "{error}");
    let error = spec.transform(Transform::new().describe("text", "x")).unwrap_err();
    assert!(matches!(error, SpecError::NoSuchParameter { .. }));
    spec.unbind("text").unwrap();
    assert!(spec.input_schema()["properties"].get("text").is_some());
    assert_eq!(call!(spec, index = "i", text = "t").await.unwrap(), "1 of t in i");
}

#[test]
fn s6_mistakes_leave_the_tool_as_it_was() {
    let mut spec = search::spec();
    let before = spec.input_schema().clone();
    let mut refused = |transform: Transform| spec.transform(transform).unwrap_err().to_string();
    let unknown = refused(Transform::new().name("other").rename("qery", "text"));
    assert!(unknown.contains("did you mean `query`?"), "{unknown}");
    let value = refused(Transform::new().describe("query", "x").hide("limit", "many"));
    assert!(value.contains("`limit`") && value.contains("an integer"), "{value}");
    assert!(refused(Transform::new().default_value("limit", json!(-1))).contains("limit"));
    assert!(
        refused(Transform::new().rename("query", "limit"))
            .contains("would have two parameters called `limit`")
    );
    let names = [
        (Transform::new().name(""), "the tool `search` cannot be called ``: it is empty"),
        (
            Transform::new().name("bad name !"),
            "the tool `search` cannot be called `bad name !`: it contains a space; write letters A to Z, digits, `_`, `-` or `.`",
        ),
        (
            Transform::new().rename("query", ""),
            "the parameter `query` of the tool `search` cannot be called ``: it is empty",
        ),
        (
            Transform::new().rename("query", "a\nb"),
            "the parameter `query` of the tool `search` cannot be called `a\nb`: it contains `\\n`; write letters A to Z, digits, \
             `_`, `-` or `.`",
        ),
    ];
    for (transform, said) in names {
        assert_eq!(refused(transform), said);
    }
    let long = refused(Transform::new().name("x".repeat(71)));
    assert!(long.ends_with("it has 71 characters, but providers accept at most 64"), "{long}");
    assert_eq!((spec.input_schema(), spec.name()), (&before, "search"));
}

#[tokio::test]
async fn s6_a_renamed_tool_keeps_its_name_when_other_things_change() {
    let mut spec = search::spec();
    spec.transform(Transform::new().name("find")).unwrap();
    spec.options(|options| options.stop_after = true);
    spec.bind("index", None, json!("i")).unwrap();
    assert_eq!((spec.name(), spec.definition().stop_after), ("find", true));
    let wrong = call!(spec, query = "a").await.unwrap_err().to_string();
    assert!(wrong.starts_with("Invalid arguments for `find`"), "{wrong}");
}

#[test]
fn t8_debug_of_a_transform_shows_no_hidden_value() {
    let shown = format!("{:?}", Transform::new().hide("key", "hunter2").default_value("x", "hunter2"));
    assert!(shown.contains("key") && !shown.contains("hunter2"), "{shown}");
}
