use onionskin::agent;

agent! {
    Desk { instruction: "Report.", output: fn() -> u32 }
}

fn main() {}
