//! Tools in the forms of others.

use onionskin::export::ExportOptions;
use onionskin::tool;
use serde_json::{Value, json};

/// Add one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

/// Adds two numbers.
///
/// Both of them.
#[tool]
fn sample_tool(
    /// The left one.
    left: i64,
    #[arg(default = 10)] right: i64,
) -> i64 {
    left + right
}

pub async fn openai_chat(case: Value) {
    assert_eq!(case["given"]["tool"], "add_one");
    let mut form = add_one::spec().to_openai_chat(&ExportOptions::new()).unwrap();
    let parameters = &mut form["function"]["parameters"];
    // Our additions: unknown arguments are refused, and the width of the integer.
    assert_eq!(parameters.as_object_mut().unwrap().remove("additionalProperties"), Some(json!(false)));
    assert_eq!(parameters["properties"]["x"].as_object_mut().unwrap().remove("format"), Some(json!("int64")));
    assert_eq!(form, case["expect"]);
}

pub async fn prompt(case: Value) {
    let tool = sample_tool::spec();
    assert_eq!(case["given"]["fn"], tool.signature());
    assert_eq!(case["expect"]["rest"], "docstring lines indented 4 spaces");
    let (prompt, docstring) = (tool.to_prompt(), tool.docstring());
    let mut lines = prompt.lines();
    assert_eq!(lines.next(), case["expect"]["first_line"].as_str());
    let indented =
        docstring.lines().map(|line| if line.is_empty() { String::new() } else { format!("    {line}") });
    assert_eq!(lines.collect::<Vec<_>>(), indented.collect::<Vec<_>>());
    assert!(docstring.contains("left (integer): The left one."), "{docstring}");
}
