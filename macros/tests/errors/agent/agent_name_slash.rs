use onionskin::agent;

agent! {
    Helper { name: "a/b", instruction: "Help." }
}

fn main() {}
