//! Which hosts and origins a server answers: a web page of elsewhere must not reach a server of this machine.

use std::net::IpAddr;

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, AUTHORIZATION,
    HOST, ORIGIN, VARY,
};
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Uri, request};
use http_body_util::Full;
use hyper::body::Bytes;

use super::responses::{Refusal, refusal};
use super::service::SESSION;

/// Headers that decide who may do what: two of them could be read differently by two programs.
const SINGLE: [HeaderName; 4] = [HOST, ORIGIN, AUTHORIZATION, SESSION];

/// The accepted hosts and origins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Admission {
    /// The hosts beside those of this machine.
    pub(crate) hosts: Vec<String>,
    /// The origins beside those of this machine.
    pub(crate) origins: Vec<String>,
}

impl Admission {
    /// Checks the head of a request. Returns its origin, if it is one of a page: the page may read the answer.
    ///
    /// # Errors
    /// Returns the answer to a request that is refused.
    pub(crate) fn check(&self, head: &request::Parts) -> Result<Option<HeaderValue>, Refusal> {
        let bad = |message| refusal(StatusCode::BAD_REQUEST, -32600, message);
        if SINGLE.iter().any(|name| head.headers.get_all(name).iter().count() > 1) {
            return Err(bad("a header that may be there once is there twice"));
        }
        let host = host(head).ok_or_else(|| bad("the request names no valid host"))?;
        let is_known = is_loopback(host.host()) || self.hosts.iter().any(|known| is_same_host(known, &host));
        if !is_known {
            return Err(refusal(StatusCode::FORBIDDEN, -32600, "the server does not answer for this host"));
        }
        let Some(origin) = head.headers.get(ORIGIN) else { return Ok(None) };
        let forbidden =
            || refusal(StatusCode::FORBIDDEN, -32600, "the server does not answer pages of this origin");
        let parsed = origin.to_str().ok().and_then(Origin::parse).ok_or_else(forbidden)?;
        let is_known = is_loopback(&parsed.host) || self.origins.iter().any(|known| parsed.fits(known));
        if is_known { Ok(Some(origin.clone())) } else { Err(forbidden()) }
    }
}

/// The host that a request names.
fn host(head: &request::Parts) -> Option<Authority> {
    let named = head.headers.get(HOST).map(|host| authority(host.to_str().ok()?));
    match (named, head.uri.authority()) {
        (Some(named), None) => named,
        (None, Some(target)) => authority(target.as_str()),
        (Some(named), Some(target)) => named.filter(|named| named == target),
        (None, None) => None,
    }
}

/// A host and a port, without a user.
fn authority(text: &str) -> Option<Authority> {
    let authority: Authority = text.parse().ok()?;
    let has_valid_port = authority.as_str() == authority.host() || authority.port_u16().is_some();
    (!text.contains('@') && has_valid_port).then_some(authority)
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Whether a host is the known one; one that is known without a port has any.
fn is_same_host(known: &str, host: &Authority) -> bool {
    authority(known).is_some_and(|known| {
        let is_any_port = known.port_u16().is_none();
        known.host().eq_ignore_ascii_case(host.host()) && (is_any_port || known.port_u16() == host.port_u16())
    })
}

/// Whether a text is a host, with a port or without. No request names a pattern.
pub(crate) fn is_host(known: &str) -> bool {
    !known.contains('*') && authority(known).is_some_and(|known| !known.host().is_empty())
}

/// Whether a host that a program accepts is one of this machine alone.
pub(crate) fn is_of_this_machine(known: &str) -> bool {
    authority(known).is_some_and(|known| is_loopback(known.host()))
}

/// The origin of a page.
struct Origin {
    scheme: String,
    host: String,
    port: Option<u16>,
}

impl Origin {
    fn parse(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let (scheme, authority) =
            (uri.scheme_str()?.to_ascii_lowercase(), authority(uri.authority()?.as_str())?);
        if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
            return None;
        }
        let port = authority.port_u16().or(match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        });
        Some(Self { scheme, host: authority.host().to_ascii_lowercase(), port })
    }

    /// Whether it is the known origin, whose port can be `*`.
    fn fits(&self, known: &str) -> bool {
        let (known, is_any_port) = match known.strip_suffix(":*") {
            Some(known) => (known, true),
            None => (known, false),
        };
        Self::parse(known).is_some_and(|known| {
            known.scheme == self.scheme && known.host == self.host && (is_any_port || known.port == self.port)
        })
    }
}

/// The answer to the question of a browser whether a page may send its request.
pub(crate) fn preflight(head: &request::Parts) -> Option<Response<Full<Bytes>>> {
    let asks = head.method == Method::OPTIONS && head.headers.contains_key("access-control-request-method");
    asks.then(|| {
        let mut answer = Response::new(Full::default());
        *answer.status_mut() = StatusCode::NO_CONTENT;
        let headers = answer.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
        if let Some(wanted) = head.headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
        }
        answer
    })
}

/// Lets pages of an origin read an answer.
pub(crate) fn share_with(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    let exposed = HeaderValue::from_static("mcp-session-id, retry-after, run-id, www-authenticate");
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    headers.append(VARY, HeaderValue::from_static("origin"));
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn status(headers: &[(&str, &str)], uri: &str) -> u16 {
        let admission = Admission {
            hosts: vec!["desk.example.com".to_owned(), "exact.example.com:8443".to_owned()],
            origins: vec!["https://app.example.com".to_owned(), "https://any.example.com:*".to_owned()],
        };
        let mut request = Request::get(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        admission.check(&head).map_or_else(|refusal| refusal.status.as_u16(), |_| 200)
    }

    #[test]
    fn o2_hosts_and_origins_are_compared_whole() {
        for (host, expected) in [
            ("localhost", 200),
            ("LOCALHOST:80", 200),
            ("[::1]:9", 200),
            ("desk.example.com:1", 200),
            ("exact.example.com:8443", 200),
            ("exact.example.com", 403),
            ("evil.example.com", 403),
            ("localhost.evil.com", 403),
            ("evil.com@localhost", 400),
            ("localhost:99999", 400),
            ("", 400),
        ] {
            assert_eq!(status(&[("host", host)], "/mcp"), expected, "{host}");
        }
        for (origin, expected) in [
            ("http://localhost:5173", 200),
            ("https://app.example.com", 200),
            ("https://app.example.com:443", 200),
            ("https://app.example.com:444", 403),
            ("http://app.example.com", 403),
            ("https://any.example.com:9", 200),
            ("https://app.example.com.evil.com", 403),
            ("null", 403),
        ] {
            assert_eq!(status(&[("host", "localhost"), ("origin", origin)], "/mcp"), expected, "{origin}");
        }
        for (host, is_one) in [
            ("a.example.com:80", true),
            ("[::1]", true),
            ("https://a.example.com/", false),
            ("", false),
            ("a b", false),
            ("*.example.com", false),
        ] {
            assert_eq!(is_host(host), is_one, "{host}");
        }
        assert_eq!(status(&[("host", "localhost"), ("host", "evil.com")], "/mcp"), 400);
        assert_eq!(status(&[("host", "localhost")], "http://evil.com/mcp"), 400);
        assert_eq!(status(&[], "/mcp"), 400);
    }
}
