use onionskin::agent;

agent! {
    One { instruction: "One.", default: true }
    Two { instruction: "Two.", default: true }
}

fn main() {}
