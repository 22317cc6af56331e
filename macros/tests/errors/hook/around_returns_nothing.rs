use onionskin::{Args, Next, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) {
    let _ = next.run(args).await;
}

fn main() {}
