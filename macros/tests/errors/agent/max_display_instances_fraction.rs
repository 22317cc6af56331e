use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        max_display_instances: 2.5,
    }
}

fn main() {}
