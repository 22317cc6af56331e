use onionskin::{ToolOutput, guardrail};

#[guardrail(output)]
fn check(output: ToolOutput) {
    drop(output);
}

fn main() {}
