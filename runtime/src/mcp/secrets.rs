//! The values of a server's variables, and where they must not show.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::config::ServerConfig;
use crate::error::ToolResult;
use crate::secret::{Held, Needles};
use crate::tool::ToolDefinition;

/// Hides the values of environment variables, each behind its name.
#[derive(Clone)]
pub(super) struct Secrets(Arc<Needles>);

impl Secrets {
    /// All values: none of them is in a log or an error.
    pub(super) fn all(variables: &[&BTreeMap<String, String>]) -> Self {
        Self::of(variables.iter().flat_map(|variables| variables.iter()))
    }

    /// The values that a tool's result must not show: those that were given as secrets, and those of variables that are
    /// called like one. Other values, such as a time zone, are what results are about.
    pub(super) fn told(config: &ServerConfig) -> Self {
        let all = [&config.env, &config.expanded].into_iter().flatten();
        Self::of(all.filter(|(name, _)| config.secrets.contains(*name) || is_secret(name)))
    }

    fn of<'v>(variables: impl Iterator<Item = (&'v String, &'v String)>) -> Self {
        Self(Arc::new(Needles::new(
            variables.map(|(name, value)| (value.as_bytes(), Arc::from(format!("[${name}]")))),
        )))
    }

    pub(super) fn hide<'t>(&self, text: impl Into<Cow<'t, str>>) -> String {
        self.0.hide(text).into_owned()
    }

    /// As [`Self::hide`], for a text whose rest is not known: what may be the beginning of a secret is left out.
    pub(super) fn hide_cut(&self, text: &str) -> String {
        self.0.settled(text).0
    }

    /// For a text that comes in pieces.
    pub(super) fn held(&self) -> Held {
        Held::new(Arc::clone(&self.0))
    }

    /// What a server says of a tool.
    pub(super) fn definition(&self, mut definition: ToolDefinition) -> ToolDefinition {
        self.0.definition(&mut definition);
        definition
    }

    pub(super) fn result(&self, result: ToolResult) -> ToolResult {
        self.0.result(result)
    }
}

/// Whether a variable's name says that its value is a secret.
fn is_secret(name: &str) -> bool {
    const WORDS: &[&str] =
        &["KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTHORIZATION", "BEARER", "COOKIE"];
    let name = name.to_ascii_uppercase();
    WORDS.iter().any(|word| name.contains(word))
}
