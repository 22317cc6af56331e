//! Finds out where a request goes: the protocol, the address, the key and the HTTP client. genai is the directory of the providers.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use genai::ModelIden;
use genai::adapter::AdapterKind;
use genai::resolver::AuthData;
use reqwest::Url;

use crate::ApiKeySource;
use crate::failure::ApiKey;
use crate::names::{base, namespace_and_name};
use crate::protocol::Protocol;
use onionskin_core::model::ModelError;

/// The HTTP clients of a model, made when they are needed: with and without TLS, through a proxy and on this machine.
#[derive(Clone, Default)]
pub(crate) struct Clients(Arc<[[Made; 2]; 2]>);

/// A client once it was made.
type Made = OnceLock<Result<Client, ModelError>>;

#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) http: reqwest::Client,
    directory: genai::Client,
}

impl Clients {
    /// The client for an address.
    pub(crate) fn client(&self, url: &Url) -> Result<&Client, ModelError> {
        let (plain, local) = (url.scheme() == "http", is_local(url));
        let client = &self.0[usize::from(plain)][usize::from(local)];
        client.get_or_init(|| make(plain, local)).as_ref().map_err(Clone::clone)
    }
}

/// Makes a client. `plain` says that it is for an address without TLS, `local` that it is for one on this machine.
fn make(plain: bool, local: bool) -> Result<Client, ModelError> {
    let mut http = reqwest::Client::builder()
        .tls_backend_preconfigured(tls(plain).map_err(|error| {
            ModelError::Setup(format!(
                "no TLS: {error}; install the system's root certificates (package `ca-certificates`)"
            ))
        })?)
        // A redirect would carry the provider's key header to another host.
        .redirect(reqwest::redirect::Policy::none())
        // A small compressed body can be a very large one.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd();
    if local {
        // The proxy would get the key, and its own machine is another one.
        http = http.no_proxy();
    }
    let http = http.build().map_err(|error| ModelError::Setup(format!("no HTTP client: {error}")))?;
    let directory = genai::Client::builder().with_reqwest(http.clone()).build();
    Ok(Client { http, directory: directory.map_err(|error| ModelError::Setup(error.to_string()))? })
}

/// TLS that offers both versions of HTTP.
fn tls(plain: bool) -> Result<onionskin_tls::ClientConfig, onionskin_tls::Error> {
    let mut config = onionskin_tls::client_config(plain)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// Whether an address is on this machine.
fn is_local(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    match host.parse::<IpAddr>() {
        Ok(address) => {
            let address = address.to_canonical();
            address.is_loopback() || address.is_unspecified()
        }
        Err(_) => host.eq_ignore_ascii_case("localhost") || host.to_ascii_lowercase().ends_with(".localhost"),
    }
}

/// The protocol that a model is spoken to in.
pub(crate) fn adapter_kind(
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
    let namespace = namespace_and_name(model).0;
    // The name of a fine-tuned model begins with another word than that of its model.
    let known = if model.starts_with("ft:") { base(model) } else { model };
    let kind = AdapterKind::from_model(known).map_err(|error| ModelError::Setup(error.to_string()))?;
    // genai takes every name that it does not know for one of Ollama's.
    let unknown = kind == AdapterKind::Ollama && namespace.is_none();
    match (unknown, own_address) {
        (false, _) => Ok(kind),
        (true, true) => Ok(AdapterKind::OpenAI),
        (true, false) => Err(ModelError::Setup(no_provider(model))),
    }
}

/// What is wrong with the name of a model that is asked without a base URL: no provider is known for it.
///
/// ```
/// use onionskin::genai::name_mistake;
///
/// assert_eq!(name_mistake("gpt-4o-mini"), None);
/// assert!(name_mistake("inherit").is_some());
/// ```
pub fn name_mistake(model: &str) -> Option<String> {
    match adapter_kind(model, None, false) {
        Err(ModelError::Setup(mistake)) => Some(mistake),
        _ => None,
    }
}

/// The short names that other programs have for models, each with a whole name.
const SHORT_NAMES: [(&str, &str); 3] =
    [("haiku", "claude-haiku-4-5"), ("opus", "claude-opus-4-5"), ("sonnet", "claude-sonnet-4-5")];

fn no_provider(model: &str) -> String {
    if model == "inherit" {
        return "`inherit` is no model: remove `model`, and the agent has the one that is set for all agents"
            .to_owned();
    }
    if let Some((_, whole)) = SHORT_NAMES.iter().find(|(short, _)| *short == model) {
        return format!("`{model}` is the short name of a model: write the whole one, such as `{whole}`");
    }
    format!(
        "the name `{model}` says no provider: write `PROVIDER::{model}`, such as `ollama::{model}` for a model of Ollama on this machine, or \
         give the base URL of a server"
    )
}

/// OpenTelemetry's `gen_ai.provider.name` of a provider, which can differ from genai's name.
#[expect(clippy::wildcard_enum_match_arm, reason = "genai has a name for every other provider")]
pub(crate) fn provider_name(kind: AdapterKind) -> &'static str {
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

/// Where a request goes.
pub(crate) struct Target {
    pub(crate) kind: AdapterKind,
    pub(crate) protocol: Protocol,
    /// The model's name without the namespace of its provider.
    pub(crate) name: String,
    /// The address that the protocol's paths are joined to.
    pub(crate) base: Url,
    /// The key, which must not come back in an error. It is empty if none is sent.
    pub(crate) key: ApiKey,
    pub(crate) http: reqwest::Client,
}

/// The target of a request for this model.
pub(crate) async fn target(
    clients: &Clients,
    model: &str,
    adapter: Option<&str>,
    base_url: Option<&str>,
    key: &ApiKeySource,
) -> Result<Target, ModelError> {
    let kind = adapter_kind(model, adapter, base_url.is_some())?;
    let (namespace, name) = namespace_and_name(model);
    let protocol = Protocol::new(kind, model)?;
    let own = base_url.map(address).transpose()?;
    // The directory asks nobody, so a client without TLS is good.
    let any = match &own {
        Some(url) => clients.client(url)?,
        None => clients.client(&address("http://directory.invalid/")?)?,
    };
    let listed = any.directory.resolve_service_target(ModelIden::new(kind, model)).await;
    let listed = listed.map_err(|error| ModelError::Setup(error.to_string()))?;
    let base = match (own, namespace) {
        (Some(base), _) => base,
        (None, Some("zai_coding")) => address("https://api.z.ai/api/coding/paas/v4/")?,
        (None, Some("baidu-coding-openai")) => address("https://qianfan.baidubce.com/v2/coding/")?,
        (None, Some("baidu-coding-anthropic")) => address("https://qianfan.baidubce.com/anthropic/coding/")?,
        // genai's own client still speaks the first version of the protocol.
        (None, _) if kind == AdapterKind::Cohere => address("https://api.cohere.com/v2/")?,
        (None, _) => address(listed.endpoint.base_url())?,
    };
    let from_env = |variable: &str| match std::env::var(variable) {
        Ok(key) if !key.is_empty() => Ok(ApiKey::new(key.into())),
        _ => Err(ModelError::no_key(model, variable)),
    };
    let key = match (key, listed.auth) {
        (ApiKeySource::Explicit(key), _) => key.clone(),
        (ApiKeySource::Env(variable), _) => from_env(variable)?,
        (ApiKeySource::Usual, AuthData::FromEnv(variable)) if base_url.is_none() => from_env(&variable)?,
        (ApiKeySource::Usual, _) => ApiKey::none(),
    };
    let http = clients.client(&base)?.http.clone();
    let target = Target { kind, protocol, name: name.to_owned(), base, key, http };
    target.check()?;
    Ok(target)
}

/// An address that paths can be joined to. It keeps its query.
fn address(text: &str) -> Result<Url, ModelError> {
    let wrong = |reason: &str| {
        let shown = crate::failure::without_user(text);
        ModelError::Setup(format!("`{shown}` is no address of a server: {reason}"))
    };
    let mut url = Url::parse(text).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("it does not begin with `http://` or `https://`"));
    }
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url)
}

impl Target {
    /// The host, the port and the path of the base address.
    pub(crate) fn endpoint(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        let port = self.base.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{host}{port}{}", self.base.path())
    }

    /// Checks what belongs to the base address.
    fn check(&self) -> Result<(), ModelError> {
        let shown = || format!("{}://{}", self.base.scheme(), self.endpoint());
        let has_user = !self.base.username().is_empty() || self.base.password().is_some();
        if has_user && self.protocol.authorizes(self.kind) && !self.key.expose().is_empty() {
            return Err(ModelError::Setup(format!(
                "the base URL {} has a user or a password, and a key is given too: both are sent as `authorization`; remove one of them",
                shown()
            )));
        }
        let path = self.protocol.path(self.kind, &self.name, false);
        if let Some(base) =
            self.base.path().trim_end_matches('/').strip_suffix(&*path).filter(|base| base.ends_with('/'))
        {
            return Err(ModelError::Setup(format!(
                "the base URL {} has the path of the request, `{path}`, which is added to it: write the part before it (`{base}`)",
                shown()
            )));
        }
        Ok(())
    }

    /// The address of the request.
    pub(crate) fn url(&self, stream: bool) -> Url {
        let path = self.protocol.path(self.kind, &self.name, stream);
        let (path, query) = path.split_once('?').map_or((&*path, None), |(path, query)| (path, Some(query)));
        let mut url = self.base.clone();
        let joined = format!("{}{path}", url.path());
        url.set_path(&joined);
        if let Some(query) = query {
            let query = url.query().map_or_else(|| query.to_owned(), |own| format!("{own}&{query}"));
            url.set_query(Some(&query));
        }
        url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o3_addresses_of_this_machine_are_known() {
        let local = |url| is_local(&address(url).unwrap());
        for url in [
            "http://localhost:8080/v1",
            "http://LOCALHOST/",
            "http://models.localhost/",
            "http://127.0.0.1:1/v1",
            "http://127.8.9.1/",
            "http://2130706433/",
            "http://[::1]:8080/v1",
            "http://[::ffff:127.0.0.1]/",
            "http://0.0.0.0:11434/",
        ] {
            assert!(local(url), "{url}");
        }
        for url in ["https://api.openai.com/v1", "http://192.168.0.2/", "http://localhost.example.com/"] {
            assert!(!local(url), "{url}");
        }
    }

    #[test]
    fn o3_an_address_keeps_its_query_and_is_one_of_http() {
        assert_eq!(address("http://h/v1?api-version=2").unwrap().as_str(), "http://h/v1/?api-version=2");
        let error = address("ftp://me:secret-word@h/v1").unwrap_err().to_string();
        assert!(error.contains("http://") && !error.contains("secret-word"), "{error}");
    }

    #[test]
    fn o3_a_name_with_colons_belongs_to_the_provider_that_it_names() {
        for (model, own_address, kind) in [
            ("ft:gpt-4o-mini-2024-07-18:acme::AbCd123", false, AdapterKind::OpenAI),
            ("ft:gpt-4o-mini-2024-07-18:acme::AbCd123", true, AdapterKind::OpenAI),
            ("groq::llama-3.3-70b", false, AdapterKind::Groq),
            ("ollama::qwen3", true, AdapterKind::Ollama),
            ("org::team/model", true, AdapterKind::OpenAI),
        ] {
            assert_eq!(adapter_kind(model, None, own_address), Ok(kind), "{model}");
        }
    }

    fn made(base: &str, adapter: &str, key: &ApiKeySource) -> Result<Target, ModelError> {
        let clients = Clients::default();
        let target = target(&clients, "ft:gpt-4o:acme::AbCd123", Some(adapter), Some(base), key);
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(target)
    }

    #[test]
    fn o3_a_target_has_the_whole_name_and_a_base_address() {
        let key = ApiKeySource::Explicit(ApiKey::new(String::from("k-1").into()));
        let good = made("http://127.0.0.1:8080/v1", "openai", &key).unwrap();
        assert_eq!((&*good.name, &*good.endpoint()), ("ft:gpt-4o:acme::AbCd123", "127.0.0.1:8080/v1/"));
        for (base, adapter, path) in [
            ("http://127.0.0.1/v1/chat/completions", "openai", "chat/completions"),
            ("http://127.0.0.1/v1/chat/completions/?api-version=2", "openai", "chat/completions"),
            ("http://127.0.0.1/v1/responses", "openai_resp", "responses"),
            ("http://127.0.0.1/v1/messages", "anthropic", "messages"),
            ("http://127.0.0.1/api/chat", "ollama", "api/chat"),
        ] {
            let error = made(base, adapter, &key).err().unwrap().to_string();
            assert!(error.contains(&format!("`{path}`, which is added to it")), "{error}");
        }
        let with_user = "http://me:pw-secret@127.0.0.1/v1";
        let error = made(with_user, "openai", &key).err().unwrap().to_string();
        assert!(error.contains("`authorization`") && !error.contains("pw-secret"), "{error}");
        // Alone, or beside a key that has a header of its own, the user is all right.
        assert!(made(with_user, "openai", &ApiKeySource::Usual).is_ok());
        assert!(made(with_user, "anthropic", &key).is_ok());
    }
}
