//! Mistakes in the body of a tool.
use std::rc::Rc;

use onionskin::{Secret, tool};

//~ another type than the function returns
/// Adds one.
#[tool]
async fn add_one(x: i64) -> String { x + 1 }

//~ a value across an await that cannot be sent
async fn pause() {}

/// Counts.
#[tool]
async fn count(x: u8) -> u8 {
    let shared = Rc::new(x);
    pause().await;
    *shared
}

//~ a secret of another type
#[derive(Clone)]
struct Login {
    password: String,
}

/// Asks.
#[tool]
fn ask() -> usize {
    let login = Secret::new(Login { password: String::new() });
    login.expose().password.len()
}

fn main() {}
