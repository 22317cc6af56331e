use onionskin::hooks;
use onionskin::tool;

/// Sends a mail.
#[tool(hooks = [hooks::log, hooks::retry(3)])]
async fn send(to: String) -> String {
    format!("sent to {to}")
}

/// Reads a mail.
#[tool(effect = pure, hooks = [hooks::retry(3)])]
async fn read(from: String) -> String {
    format!("from {from}")
}

fn main() {
    let _ = (send::spec(), read::spec());
}
