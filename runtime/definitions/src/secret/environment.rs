//! The keys in the environment variables of the program.

use std::path::Path;
use std::sync::OnceLock;

/// The minimum length of a key, in bytes. A shorter value could occur in any text.
const SHORTEST: usize = 16;

/// The values of variables that are named like a key, read once. They are secrets of every session: where the
/// system exposes the environment of processes, a command, a server or a tool can read them despite all
/// filters.
pub fn keys() -> &'static [Vec<u8>] {
    static KEYS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let variables =
            std::env::vars_os().filter_map(|(name, value)| Some((name, value.into_string().ok()?)));
        variables
            .filter(|(name, value)| name.to_str().is_some_and(is_key) && is_secret(value))
            .map(|(_, value)| value.into_bytes())
            .collect()
    })
}

/// Whether a variable is named like a key: `OPENAI_API_KEY`, `GH_TOKEN`, `AWS_SECRET_ACCESS_KEY`.
///
/// ```
/// assert!(onionskin::secret::is_key("GH_TOKEN") && !onionskin::secret::is_key("PATH"));
/// ```
#[must_use]
pub fn is_key(name: &str) -> bool {
    const ENDS: [&str; 8] =
        ["API_KEY", "APIKEY", "ACCESS_KEY", "SECRET_KEY", "PRIVATE_KEY", "TOKEN", "SECRET", "PASSWORD"];
    let name = name.to_ascii_uppercase();
    ENDS.iter().any(|end| name.ends_with(end))
}

/// Whether a value can be a key, rather than the path of a key file.
fn is_secret(value: &str) -> bool {
    value.len() >= SHORTEST && !value.contains(' ') && !Path::new(value).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t8_variables_of_keys_are_known_by_their_names() {
        for name in ["OPENAI_API_KEY", "gh_token", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "MYAPIKEY"] {
            assert!(is_key(name), "{name}");
        }
        for name in ["PATH", "KEYBOARD", "TOKENIZERS_PARALLELISM", "SSH_AUTH_SOCK", "PASSWORD_STORE_DIR"] {
            assert!(!is_key(name), "{name}");
        }
        assert!(is_secret("sk-0123456789abcdef"));
        assert!(
            !is_secret("short")
                && !is_secret(env!("CARGO_MANIFEST_DIR"))
                && !is_secret("a text of several words")
        );
    }
}
