use onionskin::agent;

agent!(card = "tests/errors/card/child_like_another_card");

fn main() {}
