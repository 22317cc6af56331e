//! `examples`: where they are shown, and the report of a wrong one.

use onionskin::definition::ToolExample;
use onionskin::export::{self, ExportError, ExportOptions};
use onionskin::spec::Transform;
use onionskin::{BuildError, ScriptedModel, ScriptedTurn, Tool, agent, tool};
use serde_json::{Map, json};

/// Where to look.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Place {
    Here,
    #[allow(dead_code, reason = "one of two")]
    There,
}

/// Searches.
#[tool(examples = [
    example(query = "rust", r#in = Place::Here, limit = 3).output(3).note("Few."),
    example(query = "crabs"),
])]
fn search(
    query: &str,
    #[arg(rename = "place")] r#in: Option<Place>,
    #[arg(default = 10)] limit: u8,
) -> usize {
    query.len() + usize::from(limit) + usize::from(r#in.is_some())
}

#[test]
fn t4_examples_are_part_of_the_definition() {
    let tool = search::default();
    let examples = &tool.definition().examples;
    assert_eq!(
        serde_json::to_value(&**examples).unwrap(),
        json!([
            { "args": { "query": "rust", "place": "here", "limit": 3 }, "output": 3, "note": "Few." },
            { "args": { "query": "crabs" } },
        ])
    );
    tool.definition().check_examples().unwrap();
}

#[test]
fn t4_examples_are_shown_in_prompts_and_to_providers() {
    let spec = search::spec();
    let prompt = export::to_prompt(spec.definition());
    assert!(
        prompt.ends_with(
            "    Examples:\n        search(query=\"rust\", place=\"here\", limit=3) -> 3  # Few.\n        \
             search(query=\"crabs\")"
        ),
        "{prompt}"
    );
    let form = export::anthropic(spec.definition(), &ExportOptions::new()).unwrap();
    assert_eq!(form["input_examples"][1], json!({ "query": "crabs" }));
}

#[test]
fn t4_examples_leave_out_what_is_bound_and_follow_names() {
    let mut spec = search::spec();
    spec.bind("limit", None, json!(5)).unwrap();
    spec.transform(Transform::new().rename("query", "text")).unwrap();
    assert_eq!(
        spec.examples()[0].args,
        Map::from_iter([("text".into(), json!("rust")), ("place".into(), json!("here"))])
    );
    spec.definition().check_examples().unwrap();
    spec.unbind("limit").unwrap();
    assert_eq!(spec.examples()[0].args["limit"], 3);
}

/// Is strict.
#[tool(strict, examples = [example(x = 7)])]
fn held(x: u8) -> u8 {
    x
}

agent! {
    Searcher {
        instruction: "Search.",
        function_tools: [search, held],
    }
    Wrong {
        instruction: "Search.",
        function_tools: [wrong],
    }
}

#[tokio::test]
async fn t4_examples_are_sent_to_the_model() {
    let script = std::sync::Arc::new(ScriptedModel::turns([ScriptedTurn::say("done")]));
    Searcher::builder().model(std::sync::Arc::clone(&script)).run("go").await.unwrap();
    let request = &script.requests()[0];
    assert_eq!(request.tools[0].input_schema["examples"][1], json!({ "query": "crabs" }));
    // Not every provider is sent the strict form, so they are there for those that are not.
    let held = &request.tools[1];
    assert_eq!((held.strict, &held.input_schema["examples"]), (true, &json!([{ "x": 7 }])));
}

/// Has a wrong example.
#[tool(examples = [example(x = 1), example(x = "one").output("two")])]
fn wrong(x: i64) -> i64 {
    x
}

#[tokio::test]
async fn t4_a_wrong_example_is_a_typed_error() {
    let expected = wrong::default().definition().check_examples().unwrap_err();
    assert_eq!((expected.tool.as_str(), expected.number), ("wrong", 2));
    let problem = "`x`: expected an integer, found the string \"one\"; `output`: expected an integer, found the string \
                   \"two\"";
    assert_eq!(expected.problem, problem);
    let built =
        Wrong::builder().model(ScriptedModel::turns([ScriptedTurn::say("x")])).build().await.unwrap_err();
    assert!(matches!(&built, BuildError::Example { source, .. } if *source == expected), "{built}");
    let exported = export::anthropic(wrong::default().definition(), &ExportOptions::new()).unwrap_err();
    assert_eq!(exported, ExportError::Example(expected));
    // Text has no place for an error, and shows no wrong example.
    assert!(!export::to_prompt(wrong::default().definition()).contains("Examples"));
}

/// Takes what cannot be written.
#[tool(examples = [example(x = std::time::Instant::now())])]
fn unwritten(x: Option<u8>) -> Option<u8> {
    x
}

#[test]
fn t4_an_example_that_is_no_json_is_reported() {
    let error = unwritten::default().definition().check_examples().unwrap_err();
    assert_eq!(error.problem, "`x` cannot be written as JSON");
    let mut spec = search::spec();
    let error = spec.set_examples([ToolExample::new(json!({}))]).unwrap_err();
    assert!(error.problem.contains("`query`: missing"), "{error}");
    assert_eq!(spec.examples().len(), 2);
}
