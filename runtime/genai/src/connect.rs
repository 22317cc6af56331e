//! Connects to a provider: the HTTP client, the address and the key.

use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};

use super::ApiKeySource;
use super::failure::{self, ApiKey};
use onionskin_core::model::ModelError;

/// The client. `plain` says that it is for an address without TLS.
pub(super) fn client(plain: bool) -> Result<Client, ModelError> {
    let http = reqwest::Client::builder()
        .tls_backend_preconfigured(tls(plain).map_err(|error| {
            ModelError::Setup(format!(
                "no TLS: {error}; install the system's root certificates (package `ca-certificates`)"
            ))
        })?)
        // A redirect would carry the provider's key header to another host.
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| ModelError::Setup(format!("no HTTP client: {error}")))?;
    Client::builder().with_reqwest(http).build().map_err(|error| ModelError::Setup(error.to_string()))
}

/// TLS that offers both versions of HTTP.
fn tls(plain: bool) -> Result<onionskin_tls::ClientConfig, onionskin_tls::Error> {
    let mut config = onionskin_tls::client_config(plain)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// The protocol that a model is spoken to in.
pub(super) fn adapter_kind(
    model: &str,
    adapter: Option<&str>,
    own_address: bool,
) -> Result<AdapterKind, ModelError> {
    if let Some(adapter) = adapter {
        return AdapterKind::from_lower_str(&adapter.to_ascii_lowercase()).ok_or_else(|| {
            let known: Vec<_> = AdapterKind::all().iter().map(AdapterKind::as_lower_str).collect();
            let near = onionskin_core::text::nearest(adapter, known.iter().copied());
            let near = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
            ModelError::Setup(format!(
                "there is no adapter `{adapter}`.{near} There are: {}",
                known.join(", ")
            ))
        });
    }
    let kind =
        AdapterKind::from_model(model).map_err(|error| failure::model_error(error, &ApiKey::none()))?;
    // genai takes every name that it does not know for one of Ollama's.
    let unknown = kind == AdapterKind::Ollama && !model.contains("::");
    Ok(if own_address && unknown { AdapterKind::OpenAI } else { kind })
}

/// OpenTelemetry's `gen_ai.provider.name` of a provider, which can differ from genai's name.
pub(super) fn provider_name(kind: AdapterKind) -> &'static str {
    match kind {
        AdapterKind::OpenAIResp => "openai",
        AdapterKind::Gemini | AdapterKind::GeminiIx => "gcp.gemini",
        AdapterKind::Vertex => "gcp.vertex_ai",
        AdapterKind::BedrockApi => "aws.bedrock",
        AdapterKind::Mistral => "mistral_ai",
        AdapterKind::Xai => "x_ai",
        AdapterKind::Moonshot | AdapterKind::Kimi => "moonshot_ai",
        kind => kind.as_lower_str(),
    }
}

/// The address, the key and the protocol of a request.
pub(super) async fn target(
    client: &Client,
    model: &str,
    adapter: Option<&str>,
    base_url: Option<&str>,
    key: &ApiKeySource,
) -> Result<(ServiceTarget, ApiKey), ModelError> {
    let kind = adapter_kind(model, adapter, base_url.is_some())?;
    let mut target = client
        .resolve_service_target(ModelIden::new(kind, model))
        .await
        .map_err(|error| failure::model_error(error, &ApiKey::none()))?;
    if let Some(url) = base_url {
        target.endpoint = Endpoint::from_owned(url);
    }
    let from_env = |name: &str| match std::env::var(name) {
        Ok(key) if !key.is_empty() => Ok(ApiKey::new(key.into())),
        _ => Err(ModelError::Setup(format!(
            "no key for the model `{model}`: set the environment variable {name}, or call `.api_key(..)`"
        ))),
    };
    let secret = match key {
        ApiKeySource::Given(secret) => secret.clone(),
        ApiKeySource::Env(name) => from_env(name)?,
        // genai always sends a key; a server that wants none does not look at it.
        ApiKeySource::Usual if base_url.is_some() => {
            target.auth = AuthData::from_single("none");
            return Ok((target, ApiKey::none()));
        }
        ApiKeySource::Usual => match &target.auth {
            AuthData::FromEnv(name) => from_env(name)?,
            _ => return Ok((target, ApiKey::none())),
        },
    };
    target.auth = AuthData::from_single(secret.expose());
    Ok((target, secret))
}
