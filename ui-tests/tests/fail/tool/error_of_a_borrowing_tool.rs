use onionskin::tool;

struct Broken;

/// Reports.
#[tool(timeout = 30, cache)]
async fn report(lines: &str) -> Result<String, Broken> {
    if lines.is_empty() { Err(Broken) } else { Ok(lines.to_owned()) }
}

onionskin::agent! { Helper { instruction: "Help.", function_tools: [report] } }

fn main() {}
