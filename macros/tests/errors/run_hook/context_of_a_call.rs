use onionskin::{ToolContext, run_hook};

#[run_hook(pre)]
fn check(ctx: &ToolContext, input: &str) {
    let _ = (ctx, input);
}

fn main() {}
