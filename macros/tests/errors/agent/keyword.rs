use onionskin::agent;

agent! {
    pub struct Helper { instruction: "Help." }
}

fn main() {}
