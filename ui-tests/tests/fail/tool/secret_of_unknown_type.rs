use onionskin::{Secret, tool};

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
