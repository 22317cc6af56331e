use onionskin::agent;

agent!(card = "tests/errors/card/hook_as_a_tool/clerk.md");

fn main() {}
