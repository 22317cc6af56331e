use onionskin::agent;

agent!(card = "tests/errors/card/hook_value_with_fields/clerk.md");

fn main() {}
