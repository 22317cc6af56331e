use onionskin::agent;

agent! { "my-helper" { instruction: "Help." } }

fn main() {}
