use onionskin::agent;

agent!(card = "tests/errors/card/file_that_is_no_card");

fn main() {}
