use onionskin::agent;

agent!(card = "tests/errors/card/missing_function_like_none/clerk.md");

fn main() {}
