use onionskin::agent;

agent!(card = "tests/errors/card/two_of_a_type");

fn main() {}
