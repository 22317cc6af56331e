use onionskin::agent;

agent! {
    Helper { instruction: 3 }
}

fn main() {}
