use onionskin::{ToolOutput, guardrail};

#[guardrail(output)]
fn check(output: &ToolOutput) -> String {
    output.to_text().into_owned()
}

fn main() {}
