use onionskin::agent;

agent!(card = "tests/errors/card/missing_function/clerk.md");

fn main() {}
