//! What the names of models and servers say: the provider, and what a model takes.

use genai::adapter::AdapterKind;

/// The namespace of a name, if it is one of a provider, and the rest. Other names have `::` too: `ft:gpt-4o:acme::abc` is a fine-tuned model.
pub(crate) fn namespace_and_name(model: &str) -> (Option<&str>, &str) {
    match model.split_once("::") {
        Some((namespace, name)) if is_namespace(namespace) => (Some(namespace), name),
        _ => (None, model),
    }
}

fn is_namespace(word: &str) -> bool {
    matches!(word, "zai_coding" | "baidu-coding-openai" | "baidu-coding-anthropic")
        || AdapterKind::from_lower_str(word).is_some()
}

/// The model of a name: without a folder before it (`openai/gpt-5`, `models/gemini-3-pro`), and the model from which a fine-tuned one was made.
pub(crate) fn base(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.strip_prefix("ft:").map_or(name, |tuned| tuned.split(':').next().unwrap_or(tuned))
}

/// The host of a server, which is the first part of its endpoint.
pub(crate) fn host(endpoint: &str) -> &str {
    endpoint.split(['/', ':']).next().unwrap_or_default()
}

/// Whether it is a model of `OpenAI` that reasons.
pub(crate) fn reasons(name: &str) -> bool {
    let name = base(name);
    let begins = ["gpt-5", "gpt-6", "o1", "o3", "o4", "codex"].iter().any(|begin| name.starts_with(begin));
    begins && !name.contains("chat")
}

/// Whether a model of Gemini gives thoughts of its own accord. The others refuse a request for them.
pub(crate) fn thinks(name: &str) -> bool {
    let name = base(name);
    let is_other =
        ["image", "tts", "lite", "live", "audio", "embedding"].iter().any(|word| name.contains(word));
    let older = ["gemini-1", "gemini-2.0"].iter().any(|older| name.starts_with(older));
    name.starts_with("gemini-") && !older && !is_other
}

/// Whether a model of Gemini wants a signature with the first call of a turn: the third generation and later ones. Names without a number stand
/// for the latest model.
pub(crate) fn wants_signatures(name: &str) -> bool {
    let Some(rest) = base(name).strip_prefix("gemini-") else { return false };
    match rest.chars().next().and_then(|mark| mark.to_digit(10)) {
        Some(generation) => generation >= 3,
        None => rest.ends_with("-latest"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o3_only_the_namespace_of_a_provider_is_taken_off_a_name() {
        for (model, expected) in [
            ("groq::llama-3.3-70b", (Some("groq"), "llama-3.3-70b")),
            ("zai_coding::glm-4.6", (Some("zai_coding"), "glm-4.6")),
            ("ft:gpt-4o-mini-2024-07-18:acme::AbCd123", (None, "ft:gpt-4o-mini-2024-07-18:acme::AbCd123")),
            ("openai::ft:gpt-4o:acme::AbCd123", (Some("openai"), "ft:gpt-4o:acme::AbCd123")),
            ("hf.co/a/b::Q4", (None, "hf.co/a/b::Q4")),
            ("gpt-5", (None, "gpt-5")),
        ] {
            assert_eq!(namespace_and_name(model), expected);
        }
    }

    #[test]
    fn o3_the_name_says_what_a_model_takes() {
        for (name, expected) in [
            ("gpt-5-mini", true),
            ("ft:gpt-5-mini:acme::x", true),
            ("openai/o3", true),
            ("codex-mini-latest", true),
            ("gpt-5-chat-latest", false),
            ("openai/gpt-4o", false),
            ("qwen3", false),
            ("computer-use-preview", false),
        ] {
            assert_eq!(reasons(name), expected, "{name}");
        }
        for (name, expected) in [
            ("gemini-3-pro-preview", true),
            ("models/gemini-4-pro", true),
            ("gemini-flash-latest", true),
            ("gemini-2.5-pro", false),
            ("gemini-1.5-flash-latest", false),
            ("gemma-3-27b-it", false),
        ] {
            assert_eq!(wants_signatures(name), expected, "{name}");
        }
    }
}
