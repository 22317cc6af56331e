use onionskin::loader::Registry;
use onionskin::run_hook;

#[run_hook(pre)]
fn check(input: &str) -> Result<(), String> {
    if input.is_empty() { Err("empty".to_owned()) } else { Ok(()) }
}

fn main() {
    let _ = Registry::new().file("cards/items.rs", |items| items.tool_hook::<check>());
}
