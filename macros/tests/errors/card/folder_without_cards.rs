use onionskin::agent;

agent!(card = "tests/errors/card/folder_without_cards");

fn main() {}
