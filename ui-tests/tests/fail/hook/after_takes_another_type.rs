use onionskin::tool_hook;

#[tool_hook]
async fn count(result: &mut String) {
    result.clear();
}

fn main() {}
