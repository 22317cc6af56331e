use onionskin::tool;

use std::rc::Rc;

async fn pause() {}

/// Counts.
#[tool]
async fn count(x: u8) -> u8 {
    let shared = Rc::new(x);
    pause().await;
    *shared
}

fn main() {}
