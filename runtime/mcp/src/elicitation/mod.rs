//! What a server asks a person, as a question of the call, and the answer as the server expects it.

mod address;
mod form;

use serde::Deserialize;
use serde_json::{Value, json};

use super::secrets::Secrets;
use super::visible::{name, visible};
use form::Form;

/// A longer request is refused.
pub(super) const LONGEST: usize = 64 << 10;

/// What a server asks for.
pub(super) struct Elicitation {
    /// The text of the question. It names the server.
    pub(super) text: String,
    /// The schema of the person's answer.
    pub(super) schema: Value,
    /// The fields to fill in; `None` if an address is to be opened.
    form: Option<Form>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    mode: Option<String>,
    message: String,
    requested_schema: Option<Value>,
    url: Option<String>,
}

impl Elicitation {
    /// Reads the parameters of a request.
    ///
    /// # Errors
    /// Returns why nobody is asked, for the server.
    pub(super) fn read(server: &str, secrets: &Secrets, params: &str) -> Result<Self, String> {
        if params.len() > LONGEST {
            return Err(format!("the request is longer than {} KiB", LONGEST >> 10));
        }
        let params: Params = serde_json::from_str(params).map_err(|error| visible(&error.to_string()))?;
        let (server, message) = (name(server), visible(&secrets.hide(params.message)));
        match params.mode.as_deref() {
            None | Some("form") => {
                let schema = params.requested_schema.ok_or("it has no `requestedSchema`")?;
                let form = Form::read(&schema, secrets)?;
                let text = format!("the MCP server `{server}` asks: {message}");
                Ok(Self { text, schema: form.answer_schema(), form: Some(form) })
            }
            Some("url") => {
                let url = params.url.ok_or("it has no `url`")?;
                let host = address::host(&url)?;
                if secrets.hide(&*url) != url {
                    return Err("the address contains a secret of the server's configuration".to_owned());
                }
                // The address first: where a long text is cut, it is whole.
                let text = format!(
                    "the MCP server `{server}` asks you to open an address of `{host}` in a browser: {url} ({message})"
                );
                let schema = json!({ "type": "boolean", "description": "true: I opened it and did what it asks for; false: I decline" });
                Ok(Self { text, schema, form: None })
            }
            Some(_) => Err("its `mode` is neither `form` nor `url`".to_owned()),
        }
    }

    /// The result for the server.
    pub(super) fn result(&self, answer: Value) -> Value {
        match &self.form {
            Some(form) => json!({ "action": "accept", "content": form.fill(answer) }),
            None if answer == Value::Bool(true) => json!({ "action": "accept" }),
            None => declined(),
        }
    }
}

/// Whether the person agreed.
pub(super) fn is_accepted(result: &Value) -> bool {
    result["action"] == "accept"
}

/// The result if the person says no.
pub(super) fn declined() -> Value {
    json!({ "action": "decline" })
}

/// The result if nobody answers.
pub(super) fn cancelled() -> Value {
    json!({ "action": "cancel" })
}
