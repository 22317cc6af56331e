//! The command line of the support desk.

use std::path::PathBuf;

use onionskin::genai::GenaiModel;

/// What was asked for.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// The customer and the person are at the terminal.
    pub(crate) chat: bool,
    /// The file of the orders; without it they are in memory.
    pub(crate) database: Option<PathBuf>,
    model: Option<String>,
    base_url: Option<String>,
    key_variable: Option<String>,
}

const USAGE: &str =
    "usage: support_desk [--chat] [--database FILE] [--model NAME] [--base-url URL] [--api-key-env VARIABLE]";

/// What `--help` shows.
pub(crate) const HELP: &str = "\
Answers a customer of a shop, and asks a person before money is paid back.

usage: support_desk [OPTION...]

  --chat                  you are the customer, and the person who is asked
  --database FILE         keep the orders in this file
  --model NAME            ask this model; its provider follows from the name, the key from its usual variable
  --base-url URL          ask a server at this address, such as http://127.0.0.1:8080/v1, in the protocol of the
                          model's provider; a server of your own gets no key from the usual variable
  --api-key-env VARIABLE  take the key from this environment variable
  -h, --help              show this

Without --model and --base-url, a script plays the model's part; without --chat, it plays the customer's too.";

impl Options {
    /// Reads the arguments; `None` if help is asked for.
    ///
    /// # Errors
    /// If there is an unknown one, or a value is missing.
    pub(crate) fn read(mut arguments: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value\n{USAGE}"));
            match argument.as_str() {
                "--chat" => options.chat = true,
                "--database" => options.database = Some(value()?.into()),
                "--model" => options.model = Some(value()?),
                "--base-url" => options.base_url = Some(value()?),
                "--api-key-env" => options.key_variable = Some(value()?),
                "--help" | "-h" => return Ok(None),
                unknown => return Err(format!("unknown option {unknown}\n{USAGE}")),
            }
        }
        Ok(Some(options))
    }

    /// The real model, if one is asked for.
    pub(crate) fn model(&self) -> Option<GenaiModel> {
        let name = self.model.as_deref().or(self.base_url.as_ref().map(|_| "gpt-4o-mini"))?;
        let mut model = GenaiModel::new(name);
        if let Some(url) = &self.base_url {
            model = model.base_url(url.as_str());
        }
        if let Some(variable) = &self.key_variable {
            model = model.api_key_env(variable.as_str());
        }
        Some(model)
    }
}
