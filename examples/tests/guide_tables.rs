//! Holds the guide's table of a tool as a value to its code: what stands in a row stands in a block that is compiled.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

const GUIDE: &str = include_str!("../../docs/guide.md");

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
    let mut rows = 0;
    for line in chapter.lines().filter(|line| line.starts_with("| ")) {
        let line = line.replace("\\|", "\u{0}");
        let ours = line.trim_end_matches(" |").rsplit(" | ").next().unwrap().replace('\u{0}', "|");
        let Some(code) = ours.trim().strip_prefix('`').and_then(|code| code.strip_suffix('`')) else {
            continue;
        };
        assert!(blocks.contains(&packed(code)), "`{code}` is in no block of the chapter");
        rows += 1;
    }
    assert!(rows > 20, "only {rows} rows were found");
}
