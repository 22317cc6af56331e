use onionskin::agent;

agent!(card = "tests/errors/card/name_is_a_word_of_rust/clerk.md");

fn main() {}
