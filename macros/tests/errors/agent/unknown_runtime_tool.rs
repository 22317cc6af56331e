use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        runtime: [shell.exec],
    }
}

fn main() {}
