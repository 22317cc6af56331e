use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        request_params: { stop_sequences: "END" },
    }
}

fn main() {}
