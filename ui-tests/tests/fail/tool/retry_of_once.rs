// Two mistakes: one in each tool.
use onionskin::hooks;
use onionskin::hooks::retry as again;
use onionskin::tool;

/// Pays.
#[tool(effect = once, hooks = [hooks::log, hooks::retry(3)])]
async fn pay(cents: u64) -> String {
    format!("paid {cents}")
}

/// Pays.
#[tool(effect = once, approval, hooks = [again(2)])]
fn pay_if_allowed(cents: u64) -> String {
    format!("paid {cents}")
}

/// Pays under the key of the call.
#[tool(effect = idempotent, hooks = [hooks::retry(3)])]
async fn pay_by_key(cents: u64) -> String {
    format!("paid {cents}")
}

fn main() {}
