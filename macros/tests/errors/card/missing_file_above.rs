use onionskin::agent;

agent!(card = "tests/errors/card/missing_file_above/clerk.md");

fn main() {}
