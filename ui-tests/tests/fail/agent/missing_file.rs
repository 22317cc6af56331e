use onionskin::agent;

agent! {
    Helper {
        instruction: include_str!("no_such_file.md"),
    }
}

fn main() {}
