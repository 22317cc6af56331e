use onionskin::agent;

agent! {
    Helper<T> { instruction: "Help." }
}

fn main() {}
