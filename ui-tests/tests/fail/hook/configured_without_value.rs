//! A configured parameter has no default.
use onionskin::{agent, hooks};

agent! {
    Clerk { instruction: "Add." }
}

fn main() {
    //~ `new` without the value
    drop(Clerk::builder().hook(hooks::retry::new()));
    //~ `default`
    drop(Clerk::builder().hook(hooks::retry::default()));
}
