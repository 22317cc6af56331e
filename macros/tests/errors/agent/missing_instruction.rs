use onionskin::agent;

agent! {
    Helper { description: "Helps." }
}

fn main() {}
