use std::rc::Rc;

use onionskin::run_hook;

#[run_hook(pre)]
async fn check(input: &str) {
    let text = Rc::new(input.to_owned());
    std::future::ready(()).await;
    drop(text);
}

fn main() {}
