use std::rc::Rc;

use onionskin::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Line {
    words: Rc<str>,
}

/// Reports.
#[tool]
async fn report(first: &str, lines: &[Line]) -> String {
    lines.iter().map(|line| &*line.words).fold(first.to_owned(), |all, line| all + line)
}

onionskin::agent! { Helper { instruction: "Help.", function_tools: [report] } }

fn main() {}
