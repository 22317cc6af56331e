//! Retries of tools that must not be called twice.
use onionskin::hooks::retry as again;
use onionskin::{hooks, tool};

//~ a retry of `effect = once`
/// Pays.
#[tool(effect = once, hooks = [hooks::log, hooks::retry(3)])]
async fn pay(cents: u64) -> String {
    format!("paid {cents}")
}

//~ a retry by another name
/// Pays.
#[tool(effect = once, approval, hooks = [again(2)])]
fn pay_if_allowed(cents: u64) -> String {
    format!("paid {cents}")
}

/// Pays under the key of the call.
#[tool(effect = idempotent, hooks = [hooks::retry(3)])]
async fn pay_by_key(cents: u64) -> String { format!("paid {cents}") }

//~ a retry without an effect
/// Sends a mail.
#[tool(hooks = [hooks::log, hooks::retry(3)])]
async fn send(to: String) -> String {
    format!("sent to {to}")
}

/// Reads a mail.
#[tool(effect = pure, hooks = [hooks::retry(3)])]
async fn read(from: String) -> String { format!("from {from}") }

fn retry_without_effect() { let _ = (send::spec(), read::spec()); }

fn main() {}
