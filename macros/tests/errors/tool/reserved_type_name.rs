use onionskin::tool;

/// Reads text.
#[tool(type_name = u8)]
fn read(text: String) -> String {
    text
}

fn main() {}
