//! The model that the agents ask.

use std::fmt;
use std::path::Path;

use clap::Args;
use onionskin_core::budget::BudgetError;
use onionskin_core::model::{BoxModel, ModelError};
use onionskin_core::text::nearest;
use onionskin_core::{App, RunError};

use crate::failure::Failure;
use crate::sessions::session_error;
use crate::settings::{Place, SCRIPT, Setting, Settings};
use crate::text;

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

    /// Send the key in this variable to the server of `--base-url`, or of a `base_url` in your environment or your own settings.
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) api_key_env: Option<String>,
}

impl ModelArguments {
    /// The model, if the arguments or the settings name one. Otherwise it is the one that the program or each agent names.
    pub(crate) fn model(&self, settings: &Settings) -> Result<Option<BoxModel>, Failure> {
        let (url, key) = (self.url(settings), self.key(settings)?);
        let name = self.name(settings);
        match &name {
            None if url.is_none() => Ok(None),
            Some(model) if let Some(file) = model.value.strip_prefix(SCRIPT) => {
                if self.base_url.is_some() {
                    return Err(Failure::new(format!(
                        "a script asks no server: remove `--base-url` or {model}"
                    )));
                }
                script(Path::new(file)).map(Some).map_err(|error| model.failure(error))
            }
            Some(model) if model.value.trim().is_empty() => {
                Err(Failure::new(format!("{model} is empty: write a name, or remove it")))
            }
            Some(model) if let Some(mistake) = mistaken_script(model) => Err(model.failure(mistake)),
            model => real(model.as_ref(), url.as_ref(), key).map(Some),
        }
    }

    /// The model of the option or of the settings.
    fn name(&self, settings: &Settings) -> Option<Setting> {
        self.model.as_ref().map(|name| Setting::option("model", name)).or_else(|| settings.model.clone())
    }

    /// The address of the server.
    fn url(&self, settings: &Settings) -> Option<Setting> {
        self.base_url
            .as_ref()
            .map(|url| Setting::option("base_url", url))
            .or_else(|| settings.base_url.clone())
    }

    /// The variable of the key for the server. That of the settings is for the address of the settings alone, and one of the user for an address of
    /// the user alone.
    fn key<'s>(&'s self, settings: &'s Settings) -> Result<Option<&'s str>, Failure> {
        match (&self.api_key_env, self.url(settings)) {
            (Some(_), None) => {
                Err(Failure::new("`--api-key-env` needs the server of a `--base-url`: write both"))
            }
            (Some(_), Some(url)) if url.from.is_of_folder() => Err(Failure::new(format!(
                "`--api-key-env` sends your key to a server that you name, and the server here is {url}: write `--base-url` too"
            ))),
            (Some(key), Some(_)) => Ok(Some(key)),
            (None, _) if self.base_url.is_some() => Ok(None),
            (None, _) => Ok(settings.api_key_env.as_ref().map(|key| &*key.value)),
        }
    }

    /// Whether an agent that names no model has none.
    pub(crate) fn is_for_named(&self, settings: &Settings) -> bool {
        self.model.is_none() && settings.model.is_none()
    }

    /// What the runs of an app ask, for their errors.
    pub(crate) fn names(&self, app: &App, settings: &Settings) -> ModelNames {
        let own = match &self.model {
            Some(_) => Vec::new(),
            None => app.describe().map(|app| app.agents).unwrap_or_default(),
        };
        let own = own.into_iter().filter_map(|agent| Some((agent.name, agent.model?))).collect();
        let default = settings.model.as_ref().map(|model| model.value.clone());
        let server = self.url(settings).and_then(|url| {
            let host = host(&url.value)?;
            Some(format!("`{host}` of {url}"))
        });
        ModelNames { model: self.model.clone(), own, default, server }
    }
}

/// What is wrong with a name that means a script, and would be asked of a provider. Names of providers are left alone:
/// `groq::llama-3.3-70b`, `llama3:8b`.
fn mistaken_script(model: &Setting) -> Option<String> {
    let name = &*model.value;
    let option = if model.from == Place::Argument { "--model " } else { "" };
    let is_file = |name: &str| {
        let ending = Path::new(name).extension().unwrap_or_default();
        ["yaml", "yml"].iter().any(|yaml| ending.eq_ignore_ascii_case(yaml))
    };
    let shown = text::first_line(name);
    match name.split_once(':') {
        Some((_, rest)) if rest.starts_with(':') => None,
        Some((prefix, file)) if nearest(&prefix.to_lowercase(), ["script"]).is_some() => {
            let file = if file.is_empty() { "FILE".to_owned() } else { text::first_line(file) };
            Some(format!("`{shown}` names no model: for a scripted model write `{option}{SCRIPT}{file}`"))
        }
        _ if is_file(name) => {
            Some(format!("`{shown}` is a file: for a scripted model write `{option}{SCRIPT}{shown}`"))
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
    /// That of the other agents.
    default: Option<String>,
    /// The server, and where its address is from, in words for people.
    server: Option<String>,
}

impl ModelNames {
    /// The words for a run that failed. They name the model of a provider that could not be reached, and no items of Rust for a stored
    /// session and a budget.
    pub(crate) fn describe(&self, error: &RunError) -> String {
        if let RunError::Session { source, .. } = error {
            return session_error(source);
        }
        if let RunError::Budget { source: BudgetError::NoUser { budget, .. }, .. } = error {
            return format!("each user has a budget `{budget}`: say for whom to run with `--user NAME`");
        }
        let RunError::Model { agent, source: ModelError::Transport(_), .. } = error else {
            return error.to_string();
        };
        let own = || self.own.iter().find(|(name, _)| *name == **agent).map(|(_, model)| model);
        let model = self
            .model
            .as_ref()
            .or_else(own)
            .or(self.default.as_ref())
            .map(|model| format!("`{}`", text::first_line(model)));
        let more = match (model, &self.server) {
            (Some(model), Some(server)) => format!("\nthe model is {model}, at the server {server}"),
            (Some(model), None) => format!("\nthe model is {model}"),
            (None, Some(server)) => format!("\nthe server is {server}"),
            (None, None) => String::new(),
        };
        format!("{error}{more}")
    }
}

/// The host and the port of an address. Its other parts can hold a key.
#[cfg(feature = "genai")]
pub(crate) fn host(url: &str) -> Option<String> {
    let url = url::Url::parse(url).ok()?;
    let host = url.host_str()?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

#[cfg(not(feature = "genai"))]
pub(crate) fn host(_: &str) -> Option<String> {
    None
}

#[cfg(feature = "yaml")]
fn script(file: &Path) -> Result<BoxModel, impl fmt::Display + use<>> {
    onionskin_core::ScriptedModel::from_yaml_file(file).map(BoxModel::new)
}

#[cfg(not(feature = "yaml"))]
fn script(_: &Path) -> Result<BoxModel, impl fmt::Display + use<>> {
    Err("`script:..` reads YAML: enable feature `yaml` of onionskin")
}

#[cfg(feature = "genai")]
fn real(name: Option<&Setting>, url: Option<&Setting>, key: Option<&str>) -> Result<BoxModel, Failure> {
    use onionskin_genai::{GenaiModel, name_mistake};

    if url.is_none()
        && let Some(name) = name
        && let Some(mistake) = name_mistake(&name.value)
    {
        return Err(name.failure(mistake));
    }
    let mut model = match name {
        Some(name) if name.from == Place::Argument => GenaiModel::new(&*name.value),
        // Agents that name a model have their own.
        Some(name) => GenaiModel::from_env().default_name(&*name.value),
        None => GenaiModel::from_env(),
    };
    if let Some(url) = url {
        check(url)?;
        model = model.base_url(&url.value);
    }
    if let Some(key) = key {
        model = model.api_key_env(key);
    }
    Ok(BoxModel::new(model))
}

/// Checks an address. The error does not show the address, because it can hold a key.
#[cfg(feature = "genai")]
fn check(base_url: &Setting) -> Result<(), Failure> {
    let wrong = |what: &str| Failure::new(format!("{base_url} {what}"));
    let no_address = || wrong("is an address such as `http://127.0.0.1:8080/v1`");
    let url = url::Url::parse(&base_url.value).map_err(|_| no_address())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(no_address());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong(
            "has a user or a password, which is not sent: `--api-key-env VARIABLE` names the variable of a key",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong(
            "is the part of the address before `/chat/completions`: remove the part that begins with `?` or `#`",
        ));
    }
    Ok(())
}

#[cfg(not(feature = "genai"))]
fn real(_: Option<&Setting>, _: Option<&Setting>, _: Option<&str>) -> Result<BoxModel, Failure> {
    Err(Failure::new("`--model` and `--base-url` ask a provider: enable feature `genai` of onionskin"))
}

#[cfg(test)]
mod tests {
    use super::{Setting, mistaken_script};

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
            let model = Setting::option("model", name);
            assert_eq!(mistaken_script(&model).as_deref(), Some(words));
        }
        for name in
            ["ollama::llama3", "llama3:8b", "gpt-4o", "qwen2.5", "openai/gpt-4o:free", "scribe::x.yaml"]
        {
            let model = Setting::option("model", name);
            assert_eq!(mistaken_script(&model), None, "{name}");
        }
    }
}
