use onionskin::agent;

agent!(card = "tests/errors/card/turn_hook_around_calls/clerk.md");

fn main() {}
