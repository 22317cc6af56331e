//! The requests of a login: for descriptions of the server and its authorization server, for clients and for tokens. Their addresses come
//! from the server, so they must not lead into a network that only this machine reaches.

use std::env;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, Request, StatusCode, Url};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest};

use super::post_answer::{PostAnswer, Refusal};
use crate::http_error::HttpError;
use crate::mutex::lock;

/// The time for one request.
const TIME: Duration = Duration::from_secs(30);
/// The time limit of the page for people.
const PAGE: Duration = Duration::from_secs(5);
/// The requests of one login, or of one refresh. A server can name any number of authorization servers.
const REQUESTS: usize = 40;
/// The largest answer that is read.
const MOST_BYTES: usize = 1 << 20;
/// The variables that name proxies, in small letters.
const PROXIES: [&str; 3] = ["http_proxy", "https_proxy", "all_proxy"];

/// Sends the requests of one login to one server.
pub(super) struct Fetcher {
    client: Client,
    server: Url,
    requests: AtomicUsize,
    observed: Mutex<Observed>,
}

/// What the requests came to.
#[derive(Default)]
struct Observed {
    /// The address of the last description that was read.
    description: Option<Url>,
    /// Whether the last request for a client or for tokens was refused.
    refusal: Refusal,
}

impl Fetcher {
    pub(super) fn new(server: &Url) -> Result<Self, HttpError> {
        let failed =
            |reason: String| HttpError::Unreachable { reason: format!("there is no HTTP client: {reason}") };
        let client = onionskin_tls::http_client(server).map_err(|error| failed(error.to_string()))?;
        // A connection belongs to the runtime of its request, and logins go on in others.
        let client =
            client.timeout(TIME).pool_max_idle_per_host(0).dns_resolver(Arc::new(Resolver::new(server)));
        let client = client.build().map_err(|error| failed(onionskin_tls::cause(error)))?;
        Ok(Self { client, server: server.clone(), requests: AtomicUsize::new(0), observed: Mutex::default() })
    }

    /// Whether the last description was read from a place of this authorization server.
    pub(super) fn read_description_of(&self, issuer: Option<&str>) -> bool {
        let Some(issuer) = issuer.and_then(|issuer| Url::parse(issuer).ok()) else { return false };
        let Some(read) = lock(&self.observed).description.clone() else { return false };
        let path = issuer.path().trim_end_matches('/');
        let at = |before: &str, kind: &str, behind: &str| format!("{before}/.well-known/{kind}{behind}");
        let is_place = ["oauth-authorization-server", "openid-configuration"].iter().any(|kind| {
            [at("", kind, path), at(path, kind, ""), at("", kind, "")]
                .iter()
                .any(|place| place == read.path())
        });
        is_same_origin(&read, &issuer) && is_place
    }

    /// Whether the last request for tokens was refused.
    pub(super) fn refusal(&self) -> Refusal {
        lock(&self.observed).refusal
    }

    /// Whether the page for people refuses a request for it, whoever a person is.
    pub(super) async fn refuses_page(&self, address: &str) -> bool {
        let Ok(url) = Url::parse(address) else { return false };
        if check(&url, &self.server).is_err() || self.requests.fetch_add(1, Ordering::Relaxed) >= REQUESTS {
            return false;
        }
        let asked = tokio::time::timeout(PAGE, self.client.get(url).send()).await;
        asked.is_ok_and(|answer| {
            answer.is_ok_and(|response| {
                matches!(
                    response.status(),
                    StatusCode::BAD_REQUEST
                        | StatusCode::NOT_FOUND
                        | StatusCode::GONE
                        | StatusCode::UNPROCESSABLE_ENTITY
                )
            })
        })
    }

    async fn send(&self, request: OAuthHttpRequest) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        // Redirects are not followed, so those of the library, which stay at one host, are all there are.
        let request = Request::try_from(request.request)?;
        if let Err(reason) = check(request.url(), &self.server) {
            return Err(format!("an address of it is not requested: {reason}").into());
        }
        if self.requests.fetch_add(1, Ordering::Relaxed) >= REQUESTS {
            return Err(format!("it leads to more than {REQUESTS} requests").into());
        }
        let (is_post, url) = (request.method() == Method::POST, request.url().clone());
        let mut response = self.client.execute(request).await.map_err(onionskin_tls::cause)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(onionskin_tls::cause)? {
            if body.len() + chunk.len() > MOST_BYTES {
                return Err("its answer is longer than 1 MiB".into());
            }
            body.extend_from_slice(&chunk);
        }
        let (mut status, mut headers) = (response.status(), response.headers().clone());
        let mut observed = lock(&self.observed);
        if is_post {
            let read = PostAnswer::read(status, body);
            observed.refusal = read.refusal;
            (status, body) = (read.status, read.body);
            if read.is_json {
                headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            }
        } else if status == StatusCode::OK {
            observed.description = Some(url);
        }
        let mut answer = http::Response::new(body);
        (*answer.status_mut(), *answer.headers_mut()) = (status, headers);
        Ok(answer)
    }
}

impl OAuthHttpClient for Fetcher {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(self.send(request))
    }
}

/// Whether a browser may be sent to an address of the server.
pub(super) fn is_page(address: &Url, server: &Url) -> bool {
    check(address, server).is_ok()
}

/// # Errors
/// Returns the reason why an address that the server names is not used.
fn check(url: &Url, server: &Url) -> Result<(), &'static str> {
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it has a user name or a password");
    }
    if is_same_origin(url, server) {
        return Ok(());
    }
    let network = Network::by_name(url);
    match url.scheme() {
        "https" => {}
        "http" if network == Some(Network::Machine) => {}
        _ => return Err("it does not begin with `https://`"),
    }
    match network {
        // The names of others are looked up by the client.
        None => Ok(()),
        Some(network) if network.is_reached_from(Network::by_name(server)) => Ok(()),
        Some(_) => Err("it is on this machine or a private network, but the server is not"),
    }
}

fn is_same_origin(one: &Url, other: &Url) -> bool {
    matches!(one.scheme(), "http" | "https") && one.origin() == other.origin()
}

/// Where an address leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Network {
    Internet,
    /// This machine.
    Machine,
    Private,
    /// Reserved, or only for the configuration of a machine.
    Special,
}

impl Network {
    /// By the host of an address, if it says it.
    fn by_name(url: &Url) -> Option<Self> {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).trim_end_matches('.');
        if host == "localhost" || host.ends_with(".localhost") {
            return Some(Self::Machine);
        }
        host.parse().ok().map(Self::from_address)
    }

    fn from_address(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(v4) if v4.is_loopback() => Self::Machine,
            IpAddr::V4(v4) => {
                let [a, b, ..] = v4.octets();
                if v4.is_private() || (a == 100 && (64..128).contains(&b)) {
                    Self::Private
                } else if v4.is_link_local()
                    || v4.is_multicast()
                    || a == 0
                    || a >= 240
                    || (a == 198 && (18..20).contains(&b))
                {
                    Self::Special
                } else {
                    Self::Internet
                }
            }
            IpAddr::V6(v6) if v6.is_loopback() => Self::Machine,
            IpAddr::V6(v6) => match embedded(v6) {
                Some(v4) => Self::from_address(v4),
                None if v6.is_unique_local() => Self::Private,
                None if v6.is_unspecified() || v6.is_multicast() || is_special(v6) => Self::Special,
                None => Self::Internet,
            },
        }
    }

    /// Whether a server in this network may name addresses of that one.
    fn is_reached_from(self, server: Option<Self>) -> bool {
        match self {
            Self::Internet => true,
            Self::Machine | Self::Private => server == Some(self),
            Self::Special => false,
        }
    }
}

/// Link-local, site-local, tunnelled (Teredo) and locally translated addresses.
fn is_special(address: Ipv6Addr) -> bool {
    let [a, b, c, ..] = address.segments();
    (a & 0xff80) == 0xfe80 || (a, b) == (0x2001, 0) || (a, b, c) == (0x64, 0xff9b, 1)
}

/// The IPv4 address that an IPv6 address leads to: mapped, compatible, translated (`64:ff9b::/96`) or tunnelled (`2002::/16`).
fn embedded(address: Ipv6Addr) -> Option<IpAddr> {
    let octets = address.octets();
    let last: IpAddr = [octets[12], octets[13], octets[14], octets[15]].into();
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, ..] | [0, 0, 0, 0, 0, 0xffff, ..] => Some(last),
        [0x2002, ..] => Some([octets[2], octets[3], octets[4], octets[5]].into()),
        [0, 0, 0, 0, 0, 0, ..] if !address.is_unspecified() => Some(last),
        _ => None,
    }
}

/// Looks up names, and leaves out addresses that the server may not name.
#[derive(Clone)]
struct Resolver {
    /// The network of the server, if its address says it.
    server: Option<Network>,
    /// The server itself, and the proxies of the environment, which look up the other names.
    trusted: Arc<[String]>,
}

impl Resolver {
    fn new(server: &Url) -> Self {
        let variables = PROXIES.iter().flat_map(|name| [(*name).to_owned(), name.to_ascii_uppercase()]);
        let proxies = variables.filter_map(|name| env::var(name).ok()).filter_map(|proxy| {
            let proxy = if proxy.contains("://") { proxy } else { format!("http://{proxy}") };
            Url::parse(&proxy).ok()
        });
        let trusted = proxies.chain([server.clone()]).filter_map(|url| url.host_str().map(str::to_owned));
        Self { server: Network::by_name(server), trusted: trusted.collect() }
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let is_trusted = resolver.trusted.iter().any(|host| host.eq_ignore_ascii_case(name.as_str()));
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed = |address: &SocketAddr| {
                is_trusted || Network::from_address(address.ip()).is_reached_from(resolver.server)
            };
            let allowed: Vec<_> = found.filter(allowed).collect();
            if allowed.is_empty() {
                let reason = format!("`{}` has no address that may be requested", name.as_str());
                return Err(reason.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a4_logins_request_no_address_that_only_this_machine_reaches() {
        let outside = url("https://mcp.example.com/mcp");
        for address in ["https://login.example.org/token", "https://8.8.8.8/", "https://[2606:4700::1111]/"] {
            assert_eq!(check(&url(address), &outside), Ok(()), "{address}");
        }
        for address in [
            "http://login.example.org/token",
            "file:///etc/passwd",
            "https://bank.example@evil.example/",
            "http://localhost/token",
            "https://localhost./token",
            "https://127.0.0.1/token",
            "https://10.0.0.9/token",
            "https://169.254.169.254/latest",
            "https://100.64.0.1/",
            "https://[::1]/",
            "https://[fd00::1]/",
            "https://[fec0::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://[::10.0.0.1]/",
            "https://[64:ff9b::a00:1]/",
            "https://[64:ff9b:1::1]/",
            "https://[2001::1]/",
            "https://[2002:a00:1::]/",
        ] {
            assert!(check(&url(address), &outside).is_err(), "{address}");
        }
        let inside = url("http://127.0.0.1:3000/mcp");
        for address in ["http://127.0.0.1:4000/token", "http://localhost:4000/", "http://127.0.0.1:3000/x"] {
            assert_eq!(check(&url(address), &inside), Ok(()), "{address}");
        }
        assert!(check(&url("https://10.0.0.9/token"), &inside).is_err(), "another network");
        let inside = url("http://10.0.0.9:3000/mcp");
        assert_eq!(check(&url("http://10.0.0.9:3000/token"), &inside), Ok(()), "the configured one");
        assert!(check(&url("http://10.0.0.9:4000/token"), &inside).is_err(), "no TLS");
        assert_eq!(check(&url("https://10.0.0.8/token"), &inside), Ok(()), "its network");
        assert!(check(&url("https://127.0.0.1/"), &inside).is_err(), "another network");
    }

    #[tokio::test]
    async fn a4_names_that_lead_to_this_machine_are_not_requested() {
        let found = |server: &str| Resolver::new(&url(server)).resolve("localhost".parse().unwrap());
        assert!(found("http://127.0.0.1/mcp").await.is_ok());
        assert!(found("http://localhost/mcp").await.is_ok(), "the server itself");
        let error = found("https://mcp.example.com/").await.map(drop).unwrap_err().to_string();
        assert_eq!(error, "`localhost` has no address that may be requested");
    }

    #[test]
    fn a4_a_description_is_read_from_its_authorization_server() {
        let fetcher = Fetcher::new(&url("https://mcp.example.com/")).unwrap();
        let reads = |at: &str, issuer: &str| {
            lock(&fetcher.observed).description = Some(url(at));
            fetcher.read_description_of(Some(issuer))
        };
        for (at, issuer) in [
            ("https://a.example/.well-known/oauth-authorization-server", "https://a.example"),
            ("https://a.example/.well-known/oauth-authorization-server/one", "https://a.example/one"),
            ("https://a.example/one/.well-known/openid-configuration", "https://a.example/one/"),
        ] {
            assert!(reads(at, issuer), "{at}");
        }
        for (at, issuer) in [
            ("https://b.example/.well-known/oauth-authorization-server", "https://a.example"),
            ("http://a.example/.well-known/oauth-authorization-server", "https://a.example"),
            ("https://a.example/.well-known/other", "https://a.example"),
            ("https://a.example/two/.well-known/openid-configuration", "https://a.example/one"),
        ] {
            assert!(!reads(at, issuer), "{at}");
        }
        assert!(!fetcher.read_description_of(None));
    }
}
