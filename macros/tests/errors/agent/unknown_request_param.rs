use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        request_params: { temprature: 0.2 },
    }
}

fn main() {}
