use onionskin::agent;

agent! {
    Desk {
        instruction: "Work.",
        output: "Report",
    }
}

fn main() {}
