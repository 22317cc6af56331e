//! Compares the guide's table of tool values with its code: the code of each row is in a block that is compiled. And the files that it shows.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

const GUIDE: &str = include_str!("../../docs/guide.md");

/// The methods of the Python class, in the order of its own guide.
const SHOWN: [&str; 48] = [
    "ToolSpec.from_function(search_database)",
    "from_function(.., parse_docstring=False)",
    "from_function(.., examples=[..])",
    "ToolSpec.from_mcp(mcp_tool)",
    "ToolSpec.from_code(code, func_name, env)",
    "tool.bind(param=\"user_id\", default=\"user123\")",
    "tool.bind(param=\"api_key\", state_key=\"config.api.key\", default=\"default_key\")",
    "tool.bind(param=\"user_session\", state_key=\"session\")",
    "Binds",
    "tool.state[\"user_id\"] = \"user456\"",
    "tool.state = {\"config\": ..}",
    "tool.unbind(param=\"user_id\")",
    "tool.call(query=\"test\", limit=5)",
    "tool.exec(query=\"test\", limit=5)",
    "tool(query=\"test\")",
    "await tool.acall(query=\"test\", limit=5)",
    "await tool.aexec(query=\"test\", limit=5)",
    "result.structured_content",
    "the result's time and errors",
    "tool.name`, `tool.description",
    "tool.examples",
    "tool.input_schema",
    "tool.params",
    "tool.output_schema",
    "tool.docstring",
    "tool.code",
    "tool.signature()",
    "tool.signature(query='example', limit=10)",
    "tool.to_prompt()",
    "tool.to_mcp()",
    "tool.to_fastmcp()",
    "tool.to_jsonschema()",
    "\"strict\": True",
    "tool.to_jsonschema(custom_field=\"value\")",
    "class MyKnowledgeBase(ToolRegistry)",
    "@reg_toolspec(parse_docstring=True)",
    "@reg_toolspec(description=\"..\", output_schema={..})",
    "kb.to_toolspecs()",
    "kb.list_toolspecs()",
    "tool.clone()",
    "new_tool.state[\"user_id\"] = \"different_user\"",
    "tool.binded",
    "tool._clear_cache()",
    // Beyond its guide: lambdas, methods of other libraries.
    "ToolSpec.from_function(lambda ..)",
    "a tool written by hand",
    "the same, calling its live server",
    "the result as a type",
    "FastMCP's `ArgTransform`",
];

/// Text without the space in it.
fn packed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn s_every_row_of_the_value_table_is_compiled() {
    let chapter = GUIDE.split("\n## ").find(|chapter| chapter.starts_with("The tool as a value\n")).unwrap();
    let blocks: String = chapter
        .split("```rust")
        .skip(1)
        .map(|block| packed(block.split("\n```").next().unwrap()))
        .collect::<Vec<_>>()
        .join("\n");
    let (mut rows, mut left) = (0, String::new());
    for line in chapter.lines().filter(|line| line.starts_with("| ")) {
        let line = line.replace("\\|", "\u{0}");
        left.push_str(line.trim_start_matches("| ").split(" | ").next().unwrap());
        left.push('\n');
        let ours = line.trim_end_matches(" |").rsplit(" | ").next().unwrap().replace('\u{0}', "|");
        let Some(code) = ours.trim().strip_prefix('`').and_then(|code| code.strip_suffix('`')) else {
            continue;
        };
        assert!(blocks.contains(&packed(code)), "`{code}` is in no block of the chapter");
        rows += 1;
    }
    let missing: Vec<_> = SHOWN.iter().filter(|shown| !left.contains(**shown)).collect();
    assert!(missing.is_empty(), "the table has no row for {missing:?}");
    // One of those needs no code, and five forms of export exist only here.
    assert_eq!(rows, SHOWN.len() - 1 + 5);
}

#[test]
fn c4_the_guide_shows_the_files_of_the_workflow() {
    for part in ["orchestrator", "agents", "tools", "hooks"] {
        let path = format!("{}/workflows/Generator/{part}.json", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        assert!(GUIDE.contains(&format!("```json\n{}\n```\n", text.trim_end())), "{part}.json:\n{text}");
    }
}
