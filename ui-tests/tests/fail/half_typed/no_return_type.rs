#[onionskin::tool_hook]
async fn audit(args: &mut onionskin::Args, next: impl onionskin::Next) -> {
    next.run(args).await
}

fn main() {}
