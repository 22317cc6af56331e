use onionskin::{Args, tool_hook};

#[tool_hook]
async fn allow(args: &Args) -> bool {
    args.get("x").is_some()
}

fn main() {}
