use onionskin::agent;

agent! {
    Steward {
        instruction: "Keep the books.",
        limits: { time_sec: 30s, turns: 4 },
        request_params: { temperature: 0.5f16 },
    }
}

fn main() {}
