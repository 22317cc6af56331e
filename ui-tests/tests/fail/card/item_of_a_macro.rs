use onionskin::agent;

agent!(card = "tests/fail/card/item_of_a_macro/clerk.md");

fn main() {}
