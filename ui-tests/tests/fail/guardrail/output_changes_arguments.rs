use onionskin::{Args, ToolOutput, guardrail};

#[guardrail(output)]
fn check(args: &mut Args, output: &ToolOutput) {
    args["x"] = output.to_text().into_owned().into();
}

fn main() {}
