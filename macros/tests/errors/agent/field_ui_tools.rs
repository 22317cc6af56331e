use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        ui_tools: [show],
    }
}

fn main() {}
