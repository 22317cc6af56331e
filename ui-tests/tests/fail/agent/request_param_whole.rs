use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        request_params: { temperature: 1 },
    }
}

fn main() {}
