use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        effect: twice,
    }
}

fn main() {}
