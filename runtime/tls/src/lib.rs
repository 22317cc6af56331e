//! The TLS of onionskin's HTTP clients: the models of `onionskin-genai` and the web search of `onionskin-toolboxes`.

#![forbid(unsafe_code)]

use std::sync::Arc;

pub use rustls::{ClientConfig, Error};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// TLS by rustls with ring and the machine's certificates. The default of the process is not changed: it belongs to the program.
///
/// With `plain`, for an address without TLS, a machine may have no certificates.
///
/// # Errors
/// Returns an error if the machine's certificates cannot be read.
pub fn client_config(plain: bool) -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    match config.clone().with_platform_verifier() {
        Ok(config) => Ok(config.with_no_client_auth()),
        // Nothing is verified, so the machine needs no certificates.
        Err(_) if plain => {
            Ok(config.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
        }
        Err(error) => Err(error),
    }
}
