//! A model over HTTP: a server that speaks the chat protocol of `OpenAI`, as most local servers do.

use std::borrow::Cow;
use std::time::Duration;

use onionskin_core::model::{
    Model, ModelDelta, ModelError, ModelIdentity, ModelRequest, ModelResponse, RequestOption, ResponseSchema,
};
use onionskin_core::secret::{Redactor, Secret};
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, Response, Url};
use serde_json::Value;

use crate::chat_protocol::{Answer, body};

/// A model that is asked over HTTP. Its answers are streamed.
#[derive(Debug, Clone)]
pub struct ChatModel {
    client: Client,
    address: Url,
    name: String,
    key: Option<Secret<String>>,
}

impl ChatModel {
    /// The model `name` of the server at this address: the part before `chat/completions`, with a slash at its end.
    ///
    /// # Errors
    /// Returns an error if the address cannot be extended, or the machine has no TLS.
    pub fn new(base: &Url, name: impl Into<String>) -> Result<Self, ModelError> {
        let setup = |error: &dyn std::fmt::Display| ModelError::setup(error.to_string());
        let address = base.join("chat/completions").map_err(|error| setup(&error))?;
        // It follows no redirect, which would carry the key to another host. A time limit is the run's.
        let client = onionskin_tls::http_client(base).map_err(|error| setup(&error))?;
        let client = client.build().map_err(|error| setup(&error))?;
        Ok(Self { client, address, name: name.into(), key: None })
    }

    /// Sets the key, which each request carries.
    #[must_use]
    pub fn api_key(mut self, key: Secret<String>) -> Self {
        self.key = Some(key);
        self
    }

    /// The name of the model that is asked: that of the request, if it has one.
    fn model_name<'n>(&'n self, requested: Option<&'n str>) -> &'n str {
        requested.unwrap_or(&self.name)
    }

    async fn send(&self, request: &ModelRequest) -> Result<Response, ModelError> {
        let name = self.model_name(request.model.as_deref());
        let mut sent = self.client.post(self.address.clone());
        // The server's log then has the id of the run's trace.
        if !request.correlation_id().is_empty() {
            sent = sent.header("x-correlation-id", request.correlation_id());
        }
        if let Some(key) = &self.key {
            sent = sent.bearer_auth(key.expose());
        }
        let sent = sent.header("content-type", "application/json").body(body(name, request).to_string());
        let response = sent.send().await.map_err(lost)?;
        if response.status().is_success() { Ok(response) } else { Err(self.refused(response).await) }
    }

    /// The error of an answer with another status.
    async fn refused(&self, response: Response) -> ModelError {
        let status = response.status().as_u16();
        let pause = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let text = response.text().await.unwrap_or_default();
        let json: Value = serde_json::from_str(&text).unwrap_or_default();
        let message = json["error"]["message"].as_str().map_or(text, str::to_owned);
        // Some servers repeat the key in their errors.
        let message = match &self.key {
            Some(key) => {
                Redactor::new([(key.expose().as_bytes(), "***".into())]).redact(&message).into_owned()
            }
            None => message,
        };
        ModelError::status(status, message, pause.map(Duration::from_secs))
    }
}

/// The connection could not be made, or it broke.
fn lost(error: reqwest::Error) -> ModelError {
    ModelError::transport(error.without_url().to_string())
}

impl Model for ChatModel {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let mut response = self.send(request).await?;
        let (mut answer, mut bytes) = (Answer::default(), Vec::new());
        while let Some(part) = response.chunk().await.map_err(lost)? {
            bytes.extend_from_slice(&part);
            // A part can end in the middle of a line, also between the bytes of a letter.
            while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
                let line: Vec<_> = bytes.drain(..=end).collect();
                answer.read(&line, deltas)?;
            }
        }
        answer.finish()
    }

    fn provider(&self) -> Cow<'static, str> {
        Cow::Borrowed("chat")
    }

    /// For spans.
    fn identity(&self, requested: Option<&str>) -> ModelIdentity {
        ModelIdentity::new(self.provider(), Some(self.model_name(requested)))
    }

    fn supports(&self, option: RequestOption) -> bool {
        matches!(
            option,
            RequestOption::ToolChoice
                | RequestOption::ResponseSchema
                | RequestOption::ExtraBody
                | RequestOption::StopSequences
                | RequestOption::Seed
        )
    }

    /// Small servers take any schema, but hold a model to it that should call a tool first.
    fn response_schema(&self, request: &ModelRequest, schema: &ResponseSchema) -> Option<ResponseSchema> {
        request.tools.is_empty().then(|| schema.clone())
    }
}
