use onionskin::agent;

agent!(card = "tests/errors/card/file_called_by_a_number");

fn main() {}
