use onionskin::agent;

agent! {
    Desk {
        instruction: "Work.",
        output_type: Report,
    }
}

fn main() {}
