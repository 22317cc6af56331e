use onionskin::agent;

agent!(card = "tests/errors/card/missing_file/clerk.md");

fn main() {}
