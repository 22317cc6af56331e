//! TLS for the HTTP clients.

use std::sync::Arc;

use rustls_platform_verifier::BuilderVerifierExt as _;

/// TLS by rustls with ring, chosen here and not in a process-wide default, which is the program's. `plain` says that it
/// is for an address without TLS.
pub(crate) fn tls(plain: bool) -> Result<rustls::ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    match config.clone().with_platform_verifier() {
        Ok(config) => Ok(config.with_no_client_auth()),
        // Nothing will be verified, so a machine without certificates will do.
        Err(_) if plain => {
            Ok(config.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
        }
        Err(error) => Err(error),
    }
}
