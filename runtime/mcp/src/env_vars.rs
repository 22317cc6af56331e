//! Environment variables in configuration text: `${NAME}` and `${NAME:-default}`, and the form of editors, `${env:NAME}`.

use std::collections::BTreeMap;

/// The variables that editors fill in themselves.
const OF_EDITORS: [&str; 5] =
    ["workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator", "CLAUDE_PLUGIN_ROOT"];

/// Replaces every variable in `text`, and adds those that are set to `used`.
pub(super) fn expand(
    text: &str,
    variable: impl Fn(&str) -> Option<String>,
    used: &mut BTreeMap<String, String>,
) -> Result<String, String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("${") {
        expanded.push_str(before);
        let (inside, after) =
            from.split_once('}').ok_or_else(|| "`${` without `}`; write `${NAME}`".to_owned())?;
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        // Editors have variables of their own under such words.
        let name = name.strip_prefix("env:").unwrap_or(name);
        if let Some((of, _)) = name.split_once(':').filter(|(of, _)| is_name(of)) {
            return Err(format!(
                "`${{{name}}}` is a variable of editors, from their `{of}`: set a variable of the environment, and write `${{NAME}}`"
            ));
        }
        if OF_EDITORS.contains(&name) && variable(name).is_none() && default.is_none() {
            return Err(format!(
                "`${{{name}}}` is a variable of editors: write the path, or set it as a variable of the environment"
            ));
        }
        if !is_name(name) {
            return Err(format!(
                "`${{{name}}}` does not name a variable; write `${{NAME}}` or `${{NAME:-default}}`"
            ));
        }
        // `:-` applies, as in a shell, also to a variable that is set to an empty text.
        match (variable(name).filter(|value| default.is_none() || !value.is_empty()), default) {
            (Some(value), _) => {
                expanded.push_str(&value);
                used.insert(name.to_owned(), value);
            }
            (None, Some(default)) => expanded.push_str(default),
            (None, None) => {
                return Err(format!(
                    "the environment variable `{name}` is not set; set it, or write `${{{name}:-default}}`"
                ));
            }
        }
        rest = after;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// The name of a variable that is a word of its own in `text`, without braces: `Bearer $TOKEN`. One with small letters could be a password.
pub(super) fn bare_variable(text: &str) -> Option<&str> {
    let mut names = text.split_whitespace().filter_map(|word| word.strip_prefix('$'));
    let is_plain = |name: &&str| is_name(name) && !name.contains(|c: char| c.is_ascii_lowercase());
    names.find(is_plain)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str) -> Option<String> {
        match name {
            "KEY" => Some("s3cret".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        }
    }

    fn expanded(text: &str) -> Result<String, String> {
        expand(text, variable, &mut BTreeMap::new())
    }

    #[test]
    fn a4_variables_and_defaults_are_filled_in() {
        assert_eq!(expanded("a ${KEY} b ${KEY}").unwrap(), "a s3cret b s3cret");
        assert_eq!(expanded("${NONE:-x:-y}${EMPTY:-z}${EMPTY}").unwrap(), "x:-yz");
        assert_eq!(expanded("$KEY $ {KEY} }").unwrap(), "$KEY $ {KEY} }");
    }

    #[test]
    fn a4_what_cannot_be_filled_in_is_named() {
        assert!(expanded("${NONE}").unwrap_err().contains("`NONE` is not set"));
        assert!(expanded("${KEY").unwrap_err().contains("without `}`"));
        assert!(expanded("${1+1}").unwrap_err().contains("does not name a variable"));
    }

    #[test]
    fn a4_used_variables_are_noted_as_secrets() {
        let mut used = BTreeMap::new();
        expand("${KEY} ${NONE:-x}", variable, &mut used).unwrap();
        assert_eq!(used.into_iter().collect::<Vec<_>>(), [("KEY".to_owned(), "s3cret".to_owned())]);
    }
}
