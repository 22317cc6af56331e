//! What onionskin's HTTP clients have in common.

#![forbid(unsafe_code)]

use std::sync::{Arc, OnceLock};

use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Url};

pub use rustls::{ClientConfig, Error};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// The settings with the machine's certificates. To read and parse a hundred certificates for each client is slow.
static WITH_CERTIFICATES: OnceLock<ClientConfig> = OnceLock::new();

/// TLS by rustls with ring and the machine's certificates, which are read once in a process. The default of the process is not changed:
/// it belongs to the program.
///
/// With `plain`, for an address without TLS, a machine may have no certificates.
///
/// # Errors
/// Returns an error if the machine's certificates cannot be read; the next call reads them again.
pub fn client_config(plain: bool) -> Result<ClientConfig, Error> {
    if let Some(config) = WITH_CERTIFICATES.get() {
        return Ok(config.clone());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    match config.clone().with_platform_verifier() {
        Ok(config) => Ok(WITH_CERTIFICATES.get_or_init(|| config.with_no_client_auth()).clone()),
        // Nothing is verified, so the machine needs no certificates.
        Err(_) if plain => {
            Ok(config.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
        }
        Err(error) => Err(error),
    }
}

/// Begins an HTTP client for an address. It follows no redirect, since that would carry headers to another host, and it reads no
/// compressed body, since a small one can be a very large one; the features that other crates turn on for `reqwest` change neither.
/// Requests to this machine go through no proxy.
///
/// # Errors
/// As [`client_config`].
pub fn http_client(address: &Url) -> Result<ClientBuilder, Error> {
    let mut tls = client_config(address.scheme() == "http")?;
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    let client = ClientBuilder::new()
        .tls_backend_preconfigured(tls)
        .redirect(Policy::none())
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .user_agent(concat!("onionskin/", env!("CARGO_PKG_VERSION")));
    Ok(if is_loopback(address.host_str()) { client.no_proxy() } else { client })
}

/// The innermost cause of an error. The error itself names the whole address, which may be secret.
pub fn cause(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// Whether the host of a URL is this machine. An IPv6 address has brackets there.
pub fn is_loopback(host: Option<&str>) -> bool {
    let host = host.unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
