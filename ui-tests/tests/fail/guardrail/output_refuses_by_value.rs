use onionskin::{ToolOutput, guardrail};

#[guardrail(output)]
fn check(output: ToolOutput) -> Result<(), String> {
    Err(output.to_text().into_owned())
}

fn main() {}
