use onionskin::agent;

agent!(card = "tests/errors/card/file_called_as_a_word_of_rust");

fn main() {}
