use std::rc::Rc;

use onionskin::{Args, guardrail};

#[guardrail(input)]
async fn check(args: &Args) {
    let held = Rc::new(args.text().len());
    std::future::ready(()).await;
    drop(held);
}

fn main() {}
