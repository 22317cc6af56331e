use onionskin::agent;

agent! {
    fn Helper { instruction: "Help." }
}

fn main() {}
