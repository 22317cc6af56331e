use onionskin::agent;

agent!(card = "tests/fail/card/file_that_does_not_parse/clerk.md");

fn main() {}
