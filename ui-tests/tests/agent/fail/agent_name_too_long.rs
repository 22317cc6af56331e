use onionskin::agent;

agent! {
    Helper { name: "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh", instruction: "Help." }
}

fn main() {}
