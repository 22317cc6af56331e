#[onionskin::tool_hook]
fn audit(args: &mut onionskin::Args) {
    let x = 
}

fn main() {}
