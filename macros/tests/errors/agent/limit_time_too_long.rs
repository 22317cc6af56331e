use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        limits: { model_timeout_sec: 1e40 },
    }
}

fn main() {}
