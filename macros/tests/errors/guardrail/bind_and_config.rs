use onionskin::{ToolOutput, guardrail};

#[guardrail(output)]
fn check(
    #[bind("user")]
    #[config]
    user: String,
    output: &mut ToolOutput,
) {
    let _ = (user, output);
}

fn main() {}
