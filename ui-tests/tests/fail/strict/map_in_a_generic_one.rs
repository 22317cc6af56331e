use onionskin::Strict;

#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
struct Page<T> {
    items: Vec<T>,
}

/// Takes.
#[onionskin::tool(strict)]
fn take(page: Page<std::collections::BTreeMap<String, u8>>) -> usize {
    page.items.len()
}

fn main() {}
