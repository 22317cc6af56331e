use onionskin::agent;

agent! {
    One { instruction: "One." };
    Two { instruction: "Two." }
}

fn main() {}
