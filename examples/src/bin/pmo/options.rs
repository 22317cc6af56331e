//! The command line of the report.

use std::path::PathBuf;

use onionskin::GenaiModel;

/// What was asked for.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// The question.
    pub(crate) input: Option<String>,
    /// A `.mcp.json` with a server called `time`.
    pub(crate) mcp_config: Option<PathBuf>,
    model: Option<String>,
    base_url: Option<String>,
    script: bool,
}

const USAGE: &str = "usage: pmo [--mcp-config FILE] [--model NAME] [--base-url URL] [--script] [QUESTION]";

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    /// If there is an unknown one, or a value is missing.
    pub(crate) fn read(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value\n{USAGE}"));
            match argument.as_str() {
                "--mcp-config" => options.mcp_config = Some(value()?.into()),
                "--model" => options.model = Some(value()?),
                "--base-url" => options.base_url = Some(value()?),
                "--script" => options.script = true,
                "--help" | "-h" => return Err(USAGE.to_owned()),
                unknown if unknown.starts_with('-') => {
                    return Err(format!("unknown option {unknown}\n{USAGE}"));
                }
                question => options.input = Some(question.to_owned()),
            }
        }
        Ok(options)
    }

    /// The name of the real model, if there is one to ask: named, at a URL, or by a key in the environment.
    pub(crate) fn model_name(&self) -> Option<String> {
        if self.script {
            return None;
        }
        let by_key = || {
            let keys = [("OPENAI_API_KEY", "gpt-4o-mini"), ("ANTHROPIC_API_KEY", "claude-haiku-4-5")];
            keys.into_iter()
                .find(|(key, _)| std::env::var_os(key).is_some())
                .map(|(_, model)| model.to_owned())
        };
        let by_url = || self.base_url.as_ref().map(|_| "gpt-4o-mini".to_owned());
        self.model.clone().or_else(by_url).or_else(by_key)
    }

    /// The real model of this name.
    pub(crate) fn model(&self, name: &str) -> GenaiModel {
        match &self.base_url {
            Some(url) => GenaiModel::new(name).base_url(url),
            None => GenaiModel::new(name),
        }
    }
}
