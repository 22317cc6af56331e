use onionskin::agent;

agent!(card = ["tests/errors/card/two_defaults/a.md", "tests/errors/card/two_defaults/b.md"]);

fn main() {}
