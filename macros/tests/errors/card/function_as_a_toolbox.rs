use onionskin::agent;

agent!(card = "tests/errors/card/function_as_a_toolbox/clerk.md");

fn main() {}
