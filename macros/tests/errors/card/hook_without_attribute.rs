use onionskin::agent;

agent!(card = "tests/errors/card/hook_without_attribute/clerk.md");

fn main() {}
