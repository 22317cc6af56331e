use std::rc::Rc;

use onionskin::{Args, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args) {
    let seen = Rc::new(args.get("x").is_none());
    std::future::ready(()).await;
    drop(seen);
}

fn main() {}
