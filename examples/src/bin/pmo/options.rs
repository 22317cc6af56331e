//! The command line of the report.

use std::path::PathBuf;

use onionskin::genai::GenaiModel;

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
    /// Only the tools are shown.
    pub(crate) tools: bool,
}

const USAGE: &str =
    "usage: pmo [--mcp-config FILE] [--model NAME] [--base-url URL] [--script] [--tools | QUESTION]";

/// What `--help` shows.
pub(crate) const HELP: &str = "\
Asks two project managers for a report, with an MCP server, a function, a blocked shell and an audit hook.

usage: pmo [OPTION...] [QUESTION]

  --model NAME        ask this model; its provider follows from the name, the key from its usual variable
  --base-url URL      ask a server that speaks OpenAI's protocol, at this address
  --script            play a script in the model's place, even where there is a key
  --mcp-config FILE   take the MCP server `time` from this `.mcp.json`
  --tools             print the tools of the agents, as MCP lists them, and end
  -h, --help          show this

Without --model, --base-url and a key (OPENAI_API_KEY, ANTHROPIC_API_KEY), a script plays the model's part.";

/// What the command line asks for.
#[derive(Debug)]
pub(crate) enum Command {
    /// To show [`HELP`].
    Help,
    /// To run the report.
    Report(Options),
}

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    /// If there is an unknown one, or a value is missing.
    pub(crate) fn read(arguments: impl Iterator<Item = String>) -> Result<Command, String> {
        let mut options = Self::default();
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value\n{USAGE}"));
            match argument.as_str() {
                "--mcp-config" => options.mcp_config = Some(value()?.into()),
                "--model" => options.model = Some(value()?),
                "--base-url" => options.base_url = Some(value()?),
                "--script" => options.script = true,
                "--tools" => options.tools = true,
                "--help" | "-h" => return Ok(Command::Help),
                unknown if unknown.starts_with('-') => {
                    return Err(format!("unknown option {unknown}\n{USAGE}"));
                }
                question => options.input = Some(question.to_owned()),
            }
        }
        Ok(Command::Report(options))
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
