//! The HTTP client of the exporter.

use std::thread;
use std::time::Duration;

use reqwest::blocking::Client;
use reqwest::redirect::Policy;

use crate::error::OtelError;

/// A client with this time limit. `plain` says that it is for an address without TLS.
pub(crate) fn client(plain: bool, timeout: Duration) -> Result<Client, OtelError> {
    let tls = onionskin_tls::client_config(plain).map_err(|error| {
        let help = "install the system's root certificates (package `ca-certificates`)";
        OtelError::setting("TLS", &format!("{error}; {help}"))
    })?;
    // Redirects would carry the headers to another host.
    let make = move || {
        Client::builder().tls_backend_preconfigured(tls).redirect(Policy::none()).timeout(timeout).build()
    };
    // The client starts a runtime of its own, which it may not do on a thread of a runtime.
    let made = thread::Builder::new().name("onionskin-otel".into()).spawn(make);
    let made = made.map_err(|error| OtelError::setting("threads", &error))?.join();
    match made {
        Ok(client) => client.map_err(|error| OtelError::setting("HTTP", &error)),
        Err(_) => Err(OtelError::setting("HTTP", &"the client panicked when it was made")),
    }
}
