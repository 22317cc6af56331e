use onionskin::agent;

agent!(card = []);

fn main() {}
