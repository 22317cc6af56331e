#[onionskin::tool_hook]
fn audit(args: &mut onionskin::Args) {
    if args.get("x").is_none() {

fn main() {}
