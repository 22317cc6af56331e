use onionskin::agent;

agent!(card = "tests/errors/card/tool_as_a_hook/clerk.md");

fn main() {}
