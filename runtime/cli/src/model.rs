//! The model that the agents ask.

use std::path::Path;

use clap::Args;
use onionskin_core::model::BoxModel;

use crate::failure::Failure;

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
                        "a script asks no server: leave out `--base-url` or `--model script:..`",
                    ));
                }
                script(Path::new(file)).map(Some)
            }
            (name, url) => real(name.as_deref(), url.as_deref(), self.api_key_env.as_deref()).map(Some),
        }
    }
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
            "`--base-url` is the part of the address before `/chat/completions`: leave out what begins with `?` or `#`",
        );
    }
    Ok(())
}

#[cfg(not(feature = "genai"))]
fn real(_: Option<&str>, _: Option<&str>, _: Option<&str>) -> Result<BoxModel, Failure> {
    Err(Failure::new("`--model` and `--base-url` ask a provider: enable feature `genai` of onionskin"))
}
