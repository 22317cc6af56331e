use onionskin::agent;

agent!(card = "folder_of_nothing");

fn main() {}
