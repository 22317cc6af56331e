//! A configured parameter has no default.
use onionskin::{agent, hooks};

agent! {
    Clerk { instruction: "Add." }
}

fn main() {
    drop(Clerk::builder().hook(hooks::retry::new()));
    drop(Clerk::builder().hook(hooks::retry::default()));
}
