//! What nothing lists or calls is a warning, as it is for a function.
#![deny(missing_docs, unused, clippy::pedantic)]

use onionskin::run_hooks::RunAnswer;
use onionskin::{agent, run_hook};

#[run_hook(pre)]
fn listed(input: &str) -> String {
    format!("{input}.")
}

#[run_hook(pre)]
fn forgotten(input: &str) -> String {
    format!("{input}.")
}

#[run_hook(post)]
fn forgotten_after(#[config] mark: &str, answer: &mut RunAnswer) {
    answer.set_text(format!("{}{mark}", answer.text()));
}

agent! {
    /// Helps.
    Helper { instruction: "Help.", run_hooks: [listed] }
}

fn main() {
    let _ = Helper::builder();
}
