use onionskin::{Secret, tool};

#[derive(serde::Serialize)]
struct Login {
    user: String,
    key: Secret<String>,
}

/// Gives the key away.
#[tool]
fn login(#[bind("api.key")] key: Secret<String>) -> Login {
    Login { user: "ada".into(), key }
}

fn main() {}
