//! What onionskin's HTTP clients have in common: the models of `onionskin-genai`, the web search of `onionskin-toolboxes` and the cards of
//! addresses of `onionskin-loader`.

#![forbid(unsafe_code)]

use std::sync::{Arc, OnceLock};

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

/// Whether the host of a URL is this machine. An IPv6 address has brackets there.
pub fn is_loopback(host: Option<&str>) -> bool {
    let host = host.unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
