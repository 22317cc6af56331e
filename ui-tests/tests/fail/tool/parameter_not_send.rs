use std::rc::Rc;

use onionskin::tool;

/// Reports.
#[tool]
fn report(lines: Rc<str>) -> String {
    lines.to_string()
}

onionskin::agent! { Helper { instruction: "Help.", function_tools: [report] } }

fn main() {}
