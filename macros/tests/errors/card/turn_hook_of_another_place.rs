use onionskin::agent;

agent!(card = "tests/errors/card/turn_hook_of_another_place/clerk.md");

fn main() {}
