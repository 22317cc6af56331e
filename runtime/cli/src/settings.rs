//! The settings of the ready program: what its commands use where no option says it.
//!
//! An option wins over a variable of the environment, this over one of `.env`, this over `onionskin.toml` in the working directory, and this over the
//! user's file.

use std::borrow::Cow;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use onionskin_core::text::nearest;
use serde::Deserialize;

use crate::failure::Failure;
use crate::read::read_text;
use crate::text;
use crate::variables;

/// What a model that is a script begins with.
pub(crate) const SCRIPT: &str = "script:";

/// The file of a project, in the working directory.
pub(crate) const PROJECT_FILE: &str = "onionskin.toml";

/// The file in the user's folder of configurations.
const USER_FILE: &str = "onionskin/config.toml";

/// The keys of the files.
const KEYS: [&str; 5] = ["model", "base_url", "api_key_env", "servers", "sessions"];

/// The values that are set, and the folders and files of the user.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    /// The model of agents that name none.
    pub(crate) model: Option<Setting>,
    /// The address of the server of the models.
    pub(crate) base_url: Option<Setting>,
    /// The variable with the key for this server.
    pub(crate) api_key_env: Option<Setting>,
    /// The configuration of MCP servers.
    pub(crate) servers: Option<Setting<PathBuf>>,
    /// The file of stored sessions.
    pub(crate) sessions: Option<Setting<PathBuf>>,
    /// The user's file, whether it exists or not.
    pub(crate) user_file: Option<PathBuf>,
    /// The user's folder of states, whether it exists or not.
    pub(crate) states: Option<PathBuf>,
    /// The names of the variables that come from `.env`.
    pub(crate) variables: Vec<String>,
    /// Whether `.env` is a link, which can lead to a file of the user.
    is_linked: bool,
}

/// A value, and where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting<V = String> {
    key: &'static str,
    pub(crate) value: V,
    pub(crate) from: Place,
}

/// Where a value is from, in words for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// An option of the command.
    Argument,
    Environment,
    /// The file of variables.
    Variables,
    Project,
    User(PathBuf),
}

/// The values of one place.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Layer {
    model: Option<String>,
    base_url: Option<String>,
    api_key_env: Option<String>,
    servers: Option<PathBuf>,
    sessions: Option<PathBuf>,
}

impl<V> Setting<V> {
    /// The value of an option of the command. The option has the name of the key.
    pub(crate) fn option(key: &'static str, value: impl Into<V>) -> Self {
        Self { key, value: value.into(), from: Place::Argument }
    }

    /// A failure for a value. It names the place of a value that is not an option of the command.
    pub(crate) fn failure(&self, error: impl fmt::Display) -> Failure {
        match self.from {
            Place::Argument => Failure::new(error),
            Place::Environment | Place::Variables | Place::Project | Place::User(_) => {
                Failure::new(format!("{self}: {error}"))
            }
        }
    }
}

impl<V: AsRef<OsStr>> Setting<V> {
    /// The value, and where it is from, for people.
    fn row(&self) -> (Cow<'_, str>, &Place) {
        (self.value.as_ref().to_string_lossy(), &self.from)
    }
}

/// Its name in messages: `` `--model` ``, `` `model` in `onionskin.toml` ``.
impl<V> fmt::Display for Setting<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, from, .. } = self;
        match from {
            Place::Argument => write!(f, "`--{}`", key.replace('_', "-")),
            Place::Environment | Place::Variables => write!(f, "`{}` in {from}", variable(key)),
            Place::Project | Place::User(_) => write!(f, "`{key}` in {from}"),
        }
    }
}

impl Place {
    /// Whether it is from whoever wrote the working directory, and not from the user.
    pub(crate) fn is_of_folder(&self) -> bool {
        match self {
            Self::Variables | Self::Project => true,
            Self::Argument | Self::Environment | Self::User(_) => false,
        }
    }

    /// A value from there, if there is one.
    fn setting<V>(&self, key: &'static str, value: Option<V>) -> Option<Setting<V>> {
        value.map(|value| Setting { key, value, from: self.clone() })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument => f.write_str("an option"),
            Self::Environment => f.write_str("the environment"),
            Self::Variables => write!(f, "`{}`", variables::FILE),
            Self::Project => write!(f, "`{PROJECT_FILE}`"),
            Self::User(file) => write!(f, "`{}`", file.display()),
        }
    }
}

/// Whether a text can be the name of a variable, and is not the secret in its place.
pub(crate) fn is_variable(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl Settings {
    /// No settings, and the folders of the user.
    pub(crate) fn new() -> Self {
        let base = etcetera::choose_base_strategy().ok();
        Self {
            user_file: base.as_ref().map(|base| base.config_dir().join(USER_FILE)),
            states: base.map(|base| base.state_dir().unwrap_or_else(|| base.data_dir())),
            ..Self::default()
        }
    }

    /// Reads the files and the environment, and sets the variables of `.env`. It is called before other threads begin.
    pub(crate) fn read() -> Result<Self, Failure> {
        let mut settings = Self::new();
        let of_environment = Layer::from_values(&Place::Environment, |key| env::var_os(variable(key)))?;
        settings.is_linked = fs::symlink_metadata(variables::FILE).is_ok_and(|file| file.is_symlink());
        let variables = variables::set();
        let value =
            |name: &str| variables.iter().find(|(other, _)| other == name).map(|(_, value)| value.into());
        let of_variables = Layer::from_values(&Place::Variables, |key| value(&variable(key)))?;
        settings.variables = variables.into_iter().map(|(name, _)| name).collect();
        settings.add(of_environment, &Place::Environment)?;
        settings.add(of_variables, &Place::Variables)?;
        let user = settings.user_file.clone().map(|file| (file.clone(), Place::User(file)));
        for (file, place) in [Some((PathBuf::from(PROJECT_FILE), Place::Project)), user].into_iter().flatten()
        {
            let Some(mut layer) = layer_of(&file)? else { continue };
            let folder = file.parent().unwrap_or(Path::new(""));
            let beside = |path: &Path| folder.join(text::file(path));
            layer.servers = layer.servers.as_deref().map(beside);
            layer.sessions = layer.sessions.as_deref().map(beside);
            if let Some(script) = layer.model.as_ref().and_then(|model| model.strip_prefix(SCRIPT)) {
                let script = as_text(beside(script.as_ref()).into(), "model", &place)?;
                layer.model = Some(format!("{SCRIPT}{script}"));
            }
            settings.add(layer, &place)?;
        }
        Ok(settings)
    }

    /// Adds the values of a place behind those of the places before it.
    fn add(&mut self, layer: Layer, from: &Place) -> Result<(), Failure> {
        if layer.api_key_env.is_some() && layer.base_url.is_none() {
            return Err(Failure::new(format!(
                "{from} has an `api_key_env` without a `base_url`: the key is sent to the address beside it alone, so write both there"
            )));
        }
        // A key in the place of the name would be shown.
        if !layer.api_key_env.iter().all(|name| is_variable(name)) {
            return Err(Failure::new(format!(
                "`api_key_env` in {from} is the name of a variable, such as `OPENROUTER_API_KEY`, and not the key"
            )));
        }
        if from.is_of_folder() {
            self.check_folder(&layer, from)?;
        }
        if self.base_url.is_none() {
            // The key of one address is not sent to another.
            self.base_url = from.setting("base_url", layer.base_url);
            self.api_key_env = from.setting("api_key_env", layer.api_key_env);
        }
        self.model = self.model.take().or_else(|| from.setting("model", layer.model));
        self.servers = self.servers.take().or_else(|| from.setting("servers", layer.servers));
        self.sessions = self.sessions.take().or_else(|| from.setting("sessions", layer.sessions));
        Ok(())
    }

    /// Refuses what whoever wrote the working directory cannot choose for the user.
    fn check_folder(&self, layer: &Layer, from: &Place) -> Result<(), Failure> {
        let is_own = |name: &String| !self.is_linked && self.variables.contains(name);
        if let Some(name) = layer.api_key_env.as_ref().filter(|name| !is_own(name)) {
            let linked = if self.is_linked { " (a link counts as yours)" } else { "" };
            return Err(Failure::new(format!(
                "{from} chooses the key in `{name}`, which is not from `{}`{linked}: a folder cannot choose which of your keys is sent to a \
                 server; write `base_url` and `api_key_env` in your own file, or use `--base-url` and `--api-key-env`",
                variables::FILE
            )));
        }
        if let Some(sessions) = from.setting("sessions", layer.sessions.as_ref()) {
            return Err(Failure::new(format!(
                "{sessions}: a folder cannot choose where your conversations are stored, and which of them go on; remove it, and write \
                 `sessions` in your own file, set `{}` in your environment, or use `--sessions`",
                variable("sessions")
            )));
        }
        Ok(())
    }

    /// The configuration of servers that the option `--config` or the settings name.
    #[cfg(feature = "mcp")]
    pub(crate) fn config(&self, option: Option<&Path>) -> Option<Setting<PathBuf>> {
        let option = option.map(|file| Setting::option("config", file));
        option.or_else(|| self.servers.clone())
    }

    /// The values by their keys, and where they are from, for people.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&'static str, Option<(Cow<'_, str>, &Place)>)> {
        let texts = [&self.model, &self.base_url, &self.api_key_env];
        let texts = texts.map(|setting| setting.as_ref().map(Setting::row));
        let files = [&self.servers, &self.sessions].map(|setting| setting.as_ref().map(Setting::row));
        KEYS.into_iter().zip(texts.into_iter().chain(files))
    }
}

impl Layer {
    /// The values of variables. One that is empty is not set.
    fn from_values(place: &Place, value: impl Fn(&str) -> Option<OsString>) -> Result<Self, Failure> {
        let value = |key| value(key).filter(|value| !value.is_empty());
        let text = |key| value(key).map(|value| as_text(value, key, place)).transpose();
        Ok(Self {
            model: text("model")?,
            base_url: text("base_url")?,
            api_key_env: text("api_key_env")?,
            servers: value("servers").map(PathBuf::from),
            sessions: value("sessions").map(PathBuf::from),
        })
    }
}

/// The value of a key as text.
fn as_text(value: OsString, key: &'static str, from: &Place) -> Result<String, Failure> {
    value
        .into_string()
        .map_err(|value| Setting { key, value, from: from.clone() }.failure("the value is not UTF-8 text"))
}

/// The variable of a key: `ONIONSKIN_BASE_URL`.
pub(crate) fn variable(key: &str) -> String {
    format!("ONIONSKIN_{}", key.to_uppercase())
}

/// The values of a file; none if there is no such file.
fn layer_of(file: &Path) -> Result<Option<Layer>, Failure> {
    let Some(source) = read_text(file)? else { return Ok(None) };
    let layer = toml::from_str(&source).map_err(|error| {
        let line =
            error.span().map_or(1, |span| source[..span.start.min(source.len())].matches('\n').count() + 1);
        let shown = format!("{}:{line}", file.display());
        // The line itself can hold a key.
        let unknown = error.message().strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
        let Some(unknown) = unknown else {
            return Failure::new(format!("{shown}: {}", error.message().trim_end()));
        };
        let hint = match nearest(unknown, KEYS) {
            _ if unknown.to_lowercase().contains("key") => {
                "a key itself belongs in the environment, or in `.env`".to_owned()
            }
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", text::quoted(KEYS.into_iter())),
        };
        Failure::new(format!("{shown}: unknown field `{unknown}`; {hint}"))
    })?;
    Ok(Some(layer))
}
