use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        request_params: { seed: 1, seed: 2 },
    }
}

fn main() {}
