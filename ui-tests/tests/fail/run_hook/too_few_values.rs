use onionskin::{agent, run_hook};

#[run_hook(post)]
fn sign(#[config] mark: &str, answer: &str) -> String {
    format!("{answer} {mark}")
}

agent! {
    Clerk {
        instruction: "Answer.",
        run_hooks: [sign],
    }
}

fn main() {}
