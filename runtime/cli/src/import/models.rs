//! Names of models.

use super::fields::Kind;

/// The words with which providers of fast-agent begin a name, and how the name begins here.
const PROVIDERS: &[(&str, &str)] = &[
    ("anthropic.", ""),
    ("openai.", ""),
    ("responses.", ""),
    ("google.", ""),
    ("groq.", "groq::"),
    ("deepseek.", "deepseek::"),
    ("xai.", "xai::"),
    ("generic.", "ollama::"),
];

/// How hard a model thinks, at the end of a name of fast-agent.
const EFFORTS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/// The name that the provider has for a model, and what is lost; or why there is none.
pub(super) fn model(kind: Kind, written: &str) -> Result<(String, Option<&'static str>), &'static str> {
    let mut name = written.trim();
    let mut lost = None;
    let mut provider = "";
    match kind {
        Kind::FastAgent => {
            if name.starts_with('$') {
                return Err(
                    "it is a name of fast-agent's configuration: write the model's full name, or use `--model`",
                );
            }
            let (base, rest) = name.split_once('?').unwrap_or((name, ""));
            let (base, effort) = match base.rsplit_once('.') {
                Some((base, effort)) if EFFORTS.contains(&effort) => (base, effort),
                _ => (base, ""),
            };
            if !rest.is_empty() || !effort.is_empty() {
                lost = Some(
                    "how hard it thinks is a parameter of the provider: `request_params: { extra_body: { .. } }`",
                );
            }
            name = base;
            if let Some((rest, here)) =
                PROVIDERS.iter().find_map(|(theirs, here)| Some((name.strip_prefix(theirs)?, *here)))
            {
                (name, provider) = (rest, here);
            }
        }
        Kind::Claude if name == "inherit" => {
            return Err(
                "it means the model of the agent that calls this one: write a name, or use `--model`",
            );
        }
        // `GPT-5 (copilot)`
        Kind::Claude | Kind::Vscode => name = name.split('(').next().unwrap_or_default().trim(),
    }
    if !provider.is_empty() && !name.is_empty() && name.chars().all(is_of_name) {
        return Ok((format!("{provider}{name}"), lost));
    }
    let mut name = name.to_ascii_lowercase().replace(' ', "-");
    if name.starts_with("claude-") {
        name = name.replace('.', "-");
    }
    if is_name(&name) {
        Ok((name, lost))
    } else {
        Err("it is not the name that a provider has for a model: write that, or use `--model`")
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | ':' | '/')
}

/// Whether a provider can have this name for a model.
fn is_name(name: &str) -> bool {
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    let begins = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let is_known = match name.split_once('-') {
        Some(("claude", rest)) => is_claude(rest),
        // The third generation has previews alone.
        Some(("gemini", rest)) => begins(rest) && (!rest.starts_with('3') || rest.contains("preview")),
        Some(("gpt", rest)) => begins(rest),
        _ => name.strip_prefix('o').is_some_and(begins),
    };
    is_plain && is_known
}

/// `sonnet-4-5`, `sonnet-4-5-20250929`, and the older `3-5-sonnet-20241022`. No model is called `sonnet-4` or `sonnet-3-7`.
fn is_claude(rest: &str) -> bool {
    let parts: Vec<&str> = rest.split('-').collect();
    let is_family = |part: &&str| matches!(*part, "opus" | "sonnet" | "haiku");
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match &parts[..] {
        [family, version @ ..] if is_family(family) => {
            !matches!(version, [] | ["4"] | ["3", ..]) && version.iter().all(&is_number)
        }
        [version @ .., family, date] if is_family(family) => {
            !version.is_empty() && version.iter().all(&is_number) && (*date == "latest" || is_number(date))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c6_a_model_that_is_left_out_has_its_reason() {
        assert!(model(Kind::Claude, "inherit").unwrap_err().contains("of the agent that calls this one"));
        assert!(model(Kind::Vscode, "inherit").unwrap_err().contains("not the name"));
    }

    #[test]
    fn c6_a_model_has_the_name_of_its_provider_or_none() {
        for (kind, written, here) in [
            (Kind::Claude, "claude-opus-4.6", Some("claude-opus-4-6")),
            (Kind::Claude, "claude-3-5-haiku-20241022", Some("claude-3-5-haiku-20241022")),
            (Kind::Claude, "sonnet", None),
            (Kind::Claude, "inherit", None),
            (Kind::Claude, "claude-3-sonnet", None),
            (Kind::Claude, "claude-sonnet-4-20250514", Some("claude-sonnet-4-20250514")),
            (Kind::Claude, "claude-opus-4-1", Some("claude-opus-4-1")),
            (Kind::Vscode, "Claude Sonnet 4", None),
            (Kind::Vscode, "Claude Sonnet 3.7", None),
            (Kind::Vscode, "Gemini 3 Pro (Preview)", None),
            (Kind::Vscode, "gemini-3-pro-preview", Some("gemini-3-pro-preview")),
            (Kind::Claude, "claude-opus-4.6-1m", None),
            (Kind::Vscode, "Claude Sonnet 4.5 (copilot)", Some("claude-sonnet-4-5")),
            (Kind::Vscode, "GPT-5 mini (copilot)", Some("gpt-5-mini")),
            (Kind::Vscode, "Gemini 2.5 Pro", Some("gemini-2.5-pro")),
            (Kind::Vscode, "GPT-4.1 | 'gpt-5'", None),
            (Kind::FastAgent, "o3-mini.medium", Some("o3-mini")),
            (Kind::FastAgent, "gpt-5-nano?reasoning=low", Some("gpt-5-nano")),
            (Kind::FastAgent, "generic.llama3.2:3b", Some("ollama::llama3.2:3b")),
            (Kind::FastAgent, "anthropic.claude-haiku-4-5", Some("claude-haiku-4-5")),
            (Kind::FastAgent, "$system.fast", None),
            (Kind::FastAgent, "haiku", None),
            (Kind::FastAgent, "", None),
        ] {
            assert_eq!(model(kind, written).ok().map(|(name, _)| name).as_deref(), here, "{written}");
        }
    }
}
