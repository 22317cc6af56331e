use onionskin::agent;

agent!(card = "tests/errors/card/tool_named_as_new/clerk.md");

fn main() {}
