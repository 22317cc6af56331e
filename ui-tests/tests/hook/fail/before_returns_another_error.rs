use onionskin::{Args, tool_hook};

#[tool_hook]
fn allow(args: &Args) -> Result<(), String> {
    args.get("x").map(|_| ()).ok_or_else(|| "no x".to_owned())
}

fn main() {}
