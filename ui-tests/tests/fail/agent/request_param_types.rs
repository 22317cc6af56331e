use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        request_params: { temperature: "warm" },
    }
}

fn main() {}
