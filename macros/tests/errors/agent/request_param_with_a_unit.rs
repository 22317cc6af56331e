use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        request_params: { max_tokens: 4k },
    }
}

fn main() {}
