use onionskin::{Args, tool_hook};

#[tool_hook]
fn allow(args: &Args) -> Result<(), u32> {
    args.get("x").map(|_| ()).ok_or(7)
}

fn main() {}
