/// Takes.
#[onionskin::tool(strict)]
fn take(any: Option<serde_json::Value>) -> bool {
    any.is_some()
}

fn main() {}
