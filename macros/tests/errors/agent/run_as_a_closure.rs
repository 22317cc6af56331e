use onionskin::agent;

agent! {
    Desk {
        instruction: "Work.",
        run: |run, input| run.converse(input),
    }
}

fn main() {}
