use onionskin::agent;

agent!(card = "tests/errors/card/function_without_attribute/clerk.md");

fn main() {}
