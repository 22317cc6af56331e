use onionskin::agent;

agent! {
    str { instruction: "Help." }
}

fn main() {}
