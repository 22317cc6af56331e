use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        colour: "red",
    }
}

fn main() {}
