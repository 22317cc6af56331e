use onionskin::tool;

struct Report;

/// Reports.
#[tool]
fn report(lines: &str) -> Result<Vec<Report>, String> {
    Err(lines.to_owned())
}

onionskin::agent! { Helper { instruction: "Help.", function_tools: [report] } }

fn main() {}
