use onionskin::agent;

agent! {
    Chooser {
        instruction: "x",
        request_params: { tool_choice: "required" },
    }
}

fn main() {}
