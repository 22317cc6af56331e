//! Fetches cards from addresses.

use std::path::{Path, PathBuf};
use std::time::Duration;

use onionskin_cards::{CardError, CardFile, LARGEST_FILE, Source};
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, StatusCode, Url};

use crate::address::{Fetched, divided, refused, shown};

/// The most redirects of an address.
const REDIRECTS: usize = 5;

/// The permission to load cards from addresses: [`CardLoader::allow_urls`](crate::CardLoader::allow_urls) takes it.
///
/// The loader does not trust a card of an address. Such a card names no functions, no types, no scripts, no built-in tools and no
/// agents of the program; the ready hooks, servers that the program configures, and other cards it can name. It comes over HTTPS, also
/// after redirects, of which there are at most five, has at most 1 MiB, and is there within the time.
#[derive(Debug, Clone)]
pub struct CardUrls {
    timeout: Duration,
    loopback_http: bool,
}

impl CardUrls {
    /// Allows addresses that begin with `https://`.
    pub fn https() -> Self {
        Self { timeout: Duration::from_secs(10), loopback_http: false }
    }

    /// Sets the time for one card, its redirects included. Default: 10 seconds.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Allows addresses of this machine that begin with `http://`, for tests: `http://127.0.0.1:8080/pmo.md`.
    #[must_use]
    pub fn loopback_http(mut self) -> Self {
        self.loopback_http = true;
        self
    }

    /// The cards of the addresses among the paths.
    pub(crate) async fn fetch(&self, paths: &[PathBuf]) -> Fetched {
        let mut fetched = Fetched::default();
        for address in divided(paths).1 {
            match self.source(address).await {
                Ok(source) => {
                    let path = shown(address);
                    fetched.files.push(CardFile::parse(Path::new(&path), Ok(source), false));
                }
                Err(error) => fetched.errors.push(error),
            }
        }
        fetched
    }

    /// The text at an address.
    async fn source(&self, address: &str) -> Result<Source, CardError> {
        let text = match tokio::time::timeout(self.timeout, self.text(address)).await {
            Ok(text) => text,
            Err(_) => Err(format!("the card was not there within {:?}", self.timeout)),
        };
        let text = text.map_err(|message| refused(address, message))?;
        Ok(Source::from_address(shown(address), text))
    }

    async fn text(&self, address: &str) -> Result<String, String> {
        let mut url = self.allowed(address)?;
        for _ in 0..=REDIRECTS {
            let client = client(&url)?;
            let response = client.get(url.clone()).send().await.map_err(unreached)?;
            match response.headers().get(LOCATION).filter(|_| response.status().is_redirection()) {
                Some(location) => {
                    let target = location.to_str().ok().and_then(|target| url.join(target).ok());
                    let target = target.ok_or("the server redirects to an address that cannot be read")?;
                    url = self.allowed(target.as_str()).map_err(|reason| {
                        format!("the server redirects to `{}`: {reason}", shown(target.as_str()))
                    })?;
                }
                None => return body(response).await,
            }
        }
        Err(format!("the server redirects more than {REDIRECTS} times"))
    }

    /// The address, if it may be fetched.
    fn allowed(&self, address: &str) -> Result<Url, String> {
        const NOT_ONE: &str = "this is not an address, such as `https://example.com/pmo.md`";
        // These are read as slashes or left out, so people would read another address than the one that is fetched.
        if address.chars().any(|c| c == '\\' || c.is_whitespace() || c.is_control()) {
            return Err(NOT_ONE.to_owned());
        }
        let url = Url::parse(address).map_err(|_| NOT_ONE)?;
        match url.scheme() {
            "https" => {}
            "http" if self.loopback_http && onionskin_tls::is_loopback(url.host_str()) => {}
            "http" => return Err("others could change what comes over plain HTTP: use `https`".to_owned()),
            other => return Err(format!("cards come over `https`, and not over `{other}`")),
        }
        // `https:example.com` parses too, and shows no host in messages.
        if !address.split_once(':').is_some_and(|(_, rest)| rest.starts_with("//")) {
            return Err(NOT_ONE.to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                "an address with a user name or a password is not fetched: it would be in logs".to_owned()
            );
        }
        Ok(url)
    }
}

fn client(url: &Url) -> Result<Client, String> {
    let failed = |reason: String| format!("there is no HTTP client: {reason}");
    let client = onionskin_tls::http_client(url).map_err(|error| failed(error.to_string()))?;
    client.build().map_err(|error| failed(onionskin_tls::cause(error)))
}

/// Why there is no answer.
fn unreached(error: reqwest::Error) -> String {
    format!("the server cannot be reached: {}", onionskin_tls::cause(error))
}

/// The body of an answer, if it can be a card.
async fn body(mut response: Response) -> Result<String, String> {
    if response.status() != StatusCode::OK {
        return Err(format!("the server answers with the status {}", response.status().as_u16()));
    }
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind == "text/html" || ["image/", "audio/", "video/"].iter().any(|other| kind.starts_with(other)) {
        return Err(format!("the server gives `{kind}`, and a card is Markdown or YAML"));
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| "the answer breaks off".to_owned())? {
        if bytes.len() + chunk.len() > LARGEST_FILE {
            return Err(format!("a card must have at most {LARGEST_FILE} bytes; this one has more"));
        }
        bytes.extend_from_slice(&chunk);
    }
    String::from_utf8(bytes).map_err(|_| "the card is not UTF-8".to_owned())
}
