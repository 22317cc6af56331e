use onionskin::agent;

agent!(card = "tests/fail/card/missing_path/clerk.md");

fn main() {}
