use onionskin::agent;

agent!(card = "tests/errors/card/misspelt_item_beside_a_macro/clerk.md");

fn main() {}
