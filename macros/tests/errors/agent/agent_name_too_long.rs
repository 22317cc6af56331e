use onionskin::agent;

agent! {
    Helper { name: "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh", instruction: "Help." }
}

fn main() {}
