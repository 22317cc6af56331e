use onionskin::{ToolOutput, guardrail};

#[guardrail(input)]
fn check(output: &mut ToolOutput) {
    output.push_text("!");
}

fn main() {}
