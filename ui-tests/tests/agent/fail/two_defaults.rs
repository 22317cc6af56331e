use onionskin::agent;

agent! {
    One { instruction: "Help.", default: true }
    Two { instruction: "Help.", default: true }
}

fn main() {}
