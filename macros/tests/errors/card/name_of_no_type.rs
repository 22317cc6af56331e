use onionskin::agent;

agent!(card = "tests/errors/card/name_of_no_type/clerk.md");

fn main() {}
