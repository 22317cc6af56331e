//! Secrets.
use onionskin::{Secret, tool};

#[derive(Clone)]
struct Config {
    key: Secret<String>,
}

//~ a secret that is bound as a text
/// Asks.
#[tool(state = Config)]
fn ask(#[bind(key)] key: &str) -> usize { key.len() }

//~ a secret in a `Result`
/// Gives the key away.
#[tool]
async fn key(#[bind("api.key")] key: Secret<String>) -> Result<Secret<String>, std::io::Error> {
    Ok(key)
}

//~ a secret
/// Gives the key away.
#[tool(state = Config)]
fn secret_result(#[bind(key)] key: Secret<String>) -> Secret<String> { key }

//~ a secret behind an alias
type Key = Secret<String>;

/// Gives the key away.
#[tool]
fn secret_result_behind_an_alias(#[bind("api.key")] key: Secret<String>) -> Key { key }

//~ a secret in an option
/// Gives the key away.
#[tool]
fn secret_result_in_a_list(#[bind("api.key")] key: Secret<String>) -> Option<Secret<String>> {
    Some(key)
}

//~ secrets in a list
/// Gives the keys away.
#[tool]
async fn keys(#[bind("api.key")] key: Secret<String>) -> Result<Vec<Secret<String>>, String> {
    Ok(vec![key])
}

fn main() {}
