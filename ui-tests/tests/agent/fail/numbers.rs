use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        max_parallel: 0,
        child_timeout_sec: -1,
        max_display_instances: 2.5,
    }
}

fn main() {}
