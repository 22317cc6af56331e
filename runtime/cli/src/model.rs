//! The model that the agents ask.

use std::path::Path;

use clap::Args;
use onionskin_core::model::{BoxModel, ModelError};
use onionskin_core::text::nearest;
use onionskin_core::{App, RunError};

use crate::failure::Failure;
use crate::text;

/// What a model that is a script begins with.
const SCRIPT: &str = "script:";

/// Which model.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelArguments {
    /// Ask this model for all agents: a name, or `script:FILE`.
    ///
    /// The name says which provider it is: `gpt-..`, `claude-..`, `gemini-..`, or with a namespace, `groq::llama-3.3-70b`. The key comes from
    /// the provider's usual variable, such as `OPENAI_API_KEY`. `script:FILE` plays the turns of a YAML or JSON file, and needs no key.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,

    /// Ask a server at this address.
    ///
    /// It is the part before `/chat/completions`, such as `http://127.0.0.1:8080/v1`. A model whose name says nothing about its provider is
    /// asked by the protocol of OpenAI. The key of a provider is not sent there.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// Send the key in this variable to the server of `--base-url`.
    #[arg(long, value_name = "VARIABLE", requires = "base_url")]
    pub(crate) api_key_env: Option<String>,
}

impl ModelArguments {
    /// The model, if the arguments name one. Otherwise it is the one that the program or each agent names.
    pub(crate) fn model(&self) -> Result<Option<BoxModel>, Failure> {
        match (&self.model, &self.base_url) {
            (None, None) => Ok(None),
            (Some(model), url) if let Some(file) = model.strip_prefix(SCRIPT) => {
                if url.is_some() {
                    return Err(Failure::new(
                        "a script asks no server: remove `--base-url` or `--model script:..`",
                    ));
                }
                script(Path::new(file)).map(Some)
            }
            (Some(model), _) if model.trim().is_empty() => {
                Err(Failure::new("`--model` is empty: write a name, or remove it"))
            }
            (Some(model), _) if let Some(mistake) = mistaken_script(model) => Err(Failure::new(mistake)),
            (name, url) => real(name.as_deref(), url.as_deref(), self.api_key_env.as_deref()).map(Some),
        }
    }

    /// What the runs of an app ask, for their errors.
    pub(crate) fn names(&self, app: &App) -> ModelNames {
        let own = match &self.model {
            Some(_) => Vec::new(),
            None => app.describe().map(|app| app.agents).unwrap_or_default(),
        };
        let own = own.into_iter().filter_map(|agent| Some((agent.name, agent.model?))).collect();
        ModelNames { model: self.model.clone(), own, host: self.base_url.as_deref().and_then(host) }
    }
}

/// What is wrong with a name that means a script, and would be asked of a provider. Names of providers are left alone:
/// `groq::llama-3.3-70b`, `llama3:8b`.
fn mistaken_script(name: &str) -> Option<String> {
    let is_file = |name: &str| {
        let ending = Path::new(name).extension().unwrap_or_default();
        ["yaml", "yml"].iter().any(|yaml| ending.eq_ignore_ascii_case(yaml))
    };
    let shown = text::first_line(name);
    match name.split_once(':') {
        Some((_, rest)) if rest.starts_with(':') => None,
        Some((prefix, file)) if nearest(&prefix.to_lowercase(), ["script"]).is_some() => {
            let file = if file.is_empty() { "FILE".to_owned() } else { text::first_line(file) };
            Some(format!("`{shown}` names no model: for a scripted model write `--model {SCRIPT}{file}`"))
        }
        _ if is_file(name) => {
            Some(format!("`{shown}` is a file: for a scripted model write `--model {SCRIPT}{shown}`"))
        }
        _ => None,
    }
}

/// The models of an app, and the server they are asked at.
pub(crate) struct ModelNames {
    /// That of all agents.
    model: Option<String>,
    /// Those that agents name themselves, by the agent.
    own: Vec<(String, String)>,
    host: Option<String>,
}

impl ModelNames {
    /// The words for a run that failed. They name the model of a provider that could not be reached.
    pub(crate) fn describe(&self, error: &RunError) -> String {
        let RunError::Model { agent, source: ModelError::Transport(_), .. } = error else {
            return error.to_string();
        };
        let own = || self.own.iter().find(|(name, _)| *name == **agent).map(|(_, model)| model);
        let model = self.model.as_ref().or_else(own).map(|model| format!("`{}`", text::first_line(model)));
        let more = match (model, &self.host) {
            (Some(model), Some(host)) => {
                format!("\nthe model is {model}, at the server `{host}` of `--base-url`")
            }
            (Some(model), None) => format!("\nthe model is {model}"),
            (None, Some(host)) => format!("\nthe server is `{host}` of `--base-url`"),
            (None, None) => String::new(),
        };
        format!("{error}{more}")
    }
}

/// The host and the port of an address. Its other parts can hold a key.
#[cfg(feature = "genai")]
fn host(url: &str) -> Option<String> {
    let url = url::Url::parse(url).ok()?;
    let host = url.host_str()?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

#[cfg(not(feature = "genai"))]
fn host(_: &str) -> Option<String> {
    None
}

#[cfg(feature = "yaml")]
fn script(file: &Path) -> Result<BoxModel, Failure> {
    onionskin_core::ScriptedModel::from_yaml_file(file).map(BoxModel::new).map_err(Failure::new)
}

#[cfg(not(feature = "yaml"))]
fn script(_: &Path) -> Result<BoxModel, Failure> {
    Err(Failure::new("`script:..` reads YAML: enable feature `yaml` of onionskin"))
}

#[cfg(feature = "genai")]
fn real(name: Option<&str>, url: Option<&str>, key: Option<&str>) -> Result<BoxModel, Failure> {
    use onionskin_genai::GenaiModel;

    let mut model = name.map_or_else(GenaiModel::from_env, GenaiModel::new);
    if let Some(url) = url {
        check(url).map_err(Failure::new)?;
        model = model.base_url(url);
    }
    if let Some(key) = key {
        model = model.api_key_env(key);
    }
    Ok(BoxModel::new(model))
}

/// Checks an address. The error does not show the address, because it can hold a key.
#[cfg(feature = "genai")]
fn check(url: &str) -> Result<(), &'static str> {
    let wrong = "`--base-url` is an address such as `http://127.0.0.1:8080/v1`";
    let url = url::Url::parse(url).map_err(|_| wrong)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "`--base-url` has a user or a password, which is not sent: `--api-key-env VARIABLE` names the variable of a key",
        );
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(
            "`--base-url` is the part of the address before `/chat/completions`: remove the part that begins with `?` or `#`",
        );
    }
    Ok(())
}

#[cfg(not(feature = "genai"))]
fn real(_: Option<&str>, _: Option<&str>, _: Option<&str>) -> Result<BoxModel, Failure> {
    Err(Failure::new("`--model` and `--base-url` ask a provider: enable feature `genai` of onionskin"))
}

#[cfg(test)]
mod tests {
    use super::mistaken_script;

    #[test]
    fn o1_a_mistyped_script_asks_no_provider() {
        for (name, words) in [
            (
                "script.yaml",
                "`script.yaml` is a file: for a scripted model write `--model script:script.yaml`",
            ),
            ("a/b.YML", "`a/b.YML` is a file: for a scripted model write `--model script:a/b.YML`"),
            (
                "scrpt:x.yaml",
                "`scrpt:x.yaml` names no model: for a scripted model write `--model script:x.yaml`",
            ),
            (
                "Script:x.json",
                "`Script:x.json` names no model: for a scripted model write `--model script:x.json`",
            ),
            ("scripts:", "`scripts:` names no model: for a scripted model write `--model script:FILE`"),
        ] {
            assert_eq!(mistaken_script(name).as_deref(), Some(words));
        }
        for name in
            ["ollama::llama3", "llama3:8b", "gpt-4o", "qwen2.5", "openai/gpt-4o:free", "scribe::x.yaml"]
        {
            assert_eq!(mistaken_script(name), None, "{name}");
        }
    }
}
