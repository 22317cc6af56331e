//! The requests of a login: for descriptions of the server and its authorization server, for clients and for tokens. Their addresses come
//! from the server, so they must not lead into a network that only this machine reaches.

use std::env;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, Request, Url};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest};

use crate::http_error::HttpError;

/// The time for one request.
const TIME: Duration = Duration::from_secs(30);
/// The largest answer that is read.
const MOST_BYTES: usize = 1 << 20;
/// The variables that name proxies, in small letters.
const PROXIES: [&str; 3] = ["http_proxy", "https_proxy", "all_proxy"];

/// Sends the requests of the logins to one server.
pub(super) struct Fetcher {
    client: Client,
    server: Url,
}

impl Fetcher {
    pub(super) fn new(server: &Url) -> Result<Self, HttpError> {
        let failed =
            |reason: String| HttpError::Unreachable { reason: format!("there is no HTTP client: {reason}") };
        let client = onionskin_tls::http_client(server).map_err(|error| failed(error.to_string()))?;
        // A connection belongs to the runtime of its request, and logins go on in others.
        let client = client.timeout(TIME).pool_max_idle_per_host(0);
        // A proxy looks up the names, so the only one that is looked up here is its own.
        let has_proxy = !onionskin_tls::is_loopback(server.host_str())
            && PROXIES
                .iter()
                .any(|name| env::var_os(name).or_else(|| env::var_os(name.to_ascii_uppercase())).is_some());
        let client = if has_proxy {
            client
        } else {
            client.dns_resolver(Arc::new(Resolver { allows_local: is_local(server) }))
        };
        let client = client.build().map_err(|error| failed(onionskin_tls::cause(error)))?;
        Ok(Self { client, server: server.clone() })
    }

    /// # Errors
    /// Returns the reason why an address is not requested.
    fn check(&self, url: &Url) -> Result<(), &'static str> {
        if is_same_origin(url, &self.server) {
            return Ok(());
        }
        let is_loopback = onionskin_tls::is_loopback(url.host_str());
        match url.scheme() {
            "https" => {}
            "http" if is_loopback => {}
            _ => return Err("it does not begin with `https://`"),
        }
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let is_inside = is_loopback || host.parse().is_ok_and(|address| !is_public(address));
        if is_inside && !is_local(&self.server) {
            return Err("it is an address of this machine or its network, and the server is not");
        }
        Ok(())
    }

    async fn send(&self, request: OAuthHttpRequest) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        // Redirects are not followed, so those of the library, which stay at one host, are all there are.
        let request = Request::try_from(request.request)?;
        if let Err(reason) = self.check(request.url()) {
            return Err(format!("an address of it is not requested: {reason}").into());
        }
        let mut response = self.client.execute(request).await.map_err(onionskin_tls::cause)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(onionskin_tls::cause)? {
            if body.len() + chunk.len() > MOST_BYTES {
                return Err("its answer is longer than 1 MiB".into());
            }
            body.extend_from_slice(&chunk);
        }
        let mut answer = http::Response::new(body);
        *answer.status_mut() = response.status();
        *answer.headers_mut() = response.headers().clone();
        Ok(answer)
    }
}

impl OAuthHttpClient for Fetcher {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(self.send(request))
    }
}

/// Whether a browser may be sent to an address of the server at `server`.
pub(super) fn is_page(address: &Url, server: &Url) -> bool {
    match address.scheme() {
        "https" => true,
        "http" => onionskin_tls::is_loopback(address.host_str()) || is_same_origin(address, server),
        _ => false,
    }
}

fn is_same_origin(one: &Url, other: &Url) -> bool {
    matches!(one.scheme(), "http" | "https") && one.origin() == other.origin()
}

/// Whether the configured address is one of this machine or its network.
fn is_local(server: &Url) -> bool {
    let host = server.host_str().unwrap_or_default().trim_matches(['[', ']']);
    onionskin_tls::is_loopback(Some(host)) || host.parse().is_ok_and(|address| !is_public(address))
}

/// Whether an address is one of the internet.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            !(v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_multicast()
                || v4.is_broadcast()
                || a == 0
                || a >= 240
                || (a == 100 && (64..128).contains(&b))
                || (a == 198 && (18..20).contains(&b)))
        }
        IpAddr::V6(v6) => match embedded(v6) {
            Some(v4) => is_public(v4),
            None => {
                !(v6.is_loopback()
                    || v6.is_unspecified()
                    || v6.is_multicast()
                    || v6.is_unique_local()
                    || v6.is_unicast_link_local())
            }
        },
    }
}

/// The IPv4 address that an IPv6 address leads to: mapped, translated (`64:ff9b::/96`) or tunnelled (`2002::/16`).
fn embedded(address: Ipv6Addr) -> Option<IpAddr> {
    let [a, b, c, ..] = address.segments();
    let octets = address.octets();
    let last = [octets[12], octets[13], octets[14], octets[15]];
    match (a, b) {
        (0x64, 0xff9b) => Some(last.into()),
        (0x2002, _) => {
            let [b, c] = [b.to_be_bytes(), c.to_be_bytes()];
            Some([b[0], b[1], c[0], c[1]].into())
        }
        _ => address.to_ipv4_mapped().map(IpAddr::V4),
    }
}

/// Looks up names, and leaves out addresses of this machine and its network.
struct Resolver {
    allows_local: bool,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allows_local = self.allows_local;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> =
                found.filter(|address| allows_local || is_public(address.ip())).collect();
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

    #[test]
    fn a4_logins_request_no_address_that_only_this_machine_reaches() {
        let url = |text: &str| Url::parse(text).unwrap();
        let outside = Fetcher::new(&url("https://mcp.example.com/mcp")).unwrap();
        for address in ["https://login.example.org/token", "https://8.8.8.8/", "https://[2606:4700::1111]/"] {
            assert_eq!(outside.check(&url(address)), Ok(()), "{address}");
        }
        for address in [
            "http://login.example.org/token",
            "file:///etc/passwd",
            "http://localhost/token",
            "https://localhost/token",
            "https://127.0.0.1/token",
            "https://10.0.0.9/token",
            "https://169.254.169.254/latest",
            "https://100.64.0.1/",
            "https://[::1]/",
            "https://[fd00::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://[64:ff9b::a00:1]/",
            "https://[2002:a00:1::]/",
        ] {
            assert!(outside.check(&url(address)).is_err(), "{address}");
        }
        let inside = Fetcher::new(&url("http://127.0.0.1:3000/mcp")).unwrap();
        for address in ["http://127.0.0.1:4000/token", "http://localhost:4000/", "http://127.0.0.1:3000/x"] {
            assert_eq!(inside.check(&url(address)), Ok(()), "{address}");
        }
        assert!(inside.check(&url("http://10.0.0.9/token")).is_err(), "no TLS");
        let inside = Fetcher::new(&url("http://10.0.0.9:3000/mcp")).unwrap();
        assert_eq!(inside.check(&url("http://10.0.0.9:3000/token")), Ok(()), "the configured one");
    }

    #[tokio::test]
    async fn a4_names_that_lead_to_this_machine_are_not_requested() {
        let found = |allows_local| Resolver { allows_local }.resolve("localhost".parse().unwrap());
        assert!(found(true).await.is_ok());
        let error = found(false).await.map(drop).unwrap_err().to_string();
        assert_eq!(error, "`localhost` has no address that may be requested");
    }
}
