//! The address of a server and the headers of its requests, as they are configured.

use std::collections::BTreeMap;

/// A part of the configuration that cannot be used.
pub(crate) enum Mistake {
    /// The address.
    Address(&'static str),
    /// The header with this name.
    #[cfg_attr(not(feature = "mcp-http"), expect(dead_code, reason = "no header is read"))]
    Header(String, &'static str),
}

/// The text to show for an address: without its query, which may be secret.
pub(crate) fn shown(address: &str) -> String {
    match address.split_once('?') {
        Some((before, _)) => format!("{before}?.."),
        None => address.to_owned(),
    }
}

/// The mistake in each address of a program without the feature.
#[cfg(not(feature = "mcp-http"))]
pub(crate) const NOT_COMPILED: &str =
    "servers that are reached by address need the feature `mcp-http` of `onionskin`";

#[cfg(not(feature = "mcp-http"))]
pub(crate) fn check(_: &str, _: &BTreeMap<String, String>) -> Result<(), Mistake> {
    Err(Mistake::Address(NOT_COMPILED))
}

/// # Errors
/// Returns the first part that cannot be used.
#[cfg(feature = "mcp-http")]
pub(crate) fn check(address: &str, headers: &BTreeMap<String, String>) -> Result<(), Mistake> {
    read(address, headers).map(drop)
}

/// Reads the address and the headers.
#[cfg(feature = "mcp-http")]
pub(crate) fn read(
    address: &str,
    headers: &BTreeMap<String, String>,
) -> Result<(reqwest::Url, reqwest::header::HeaderMap), Mistake> {
    use onionskin_vocabulary::{NO_HEADER_NAME, NO_HEADER_VALUE, header_name_mistake};
    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    const NO_ADDRESS: Mistake = Mistake::Address("expected an address, such as `https://example.com/mcp`");

    // These are read as slashes or left out, so people would read another address than the one that is used.
    if address.chars().any(|c| c == '\\' || c.is_whitespace() || c.is_control()) {
        return Err(NO_ADDRESS);
    }
    let url = reqwest::Url::parse(address).map_err(|_| NO_ADDRESS)?;
    let has_host = address.split_once(':').is_some_and(|(_, rest)| rest.starts_with("//"));
    if !matches!(url.scheme(), "http" | "https") || !has_host {
        return Err(NO_ADDRESS);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Mistake::Address(
            "an address with a user name or a password would be in logs; write a header `Authorization` instead",
        ));
    }
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let mistake = |reason| Mistake::Header(name.clone(), reason);
        if let Some(wrong) = header_name_mistake(name) {
            return Err(mistake(wrong));
        }
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| mistake(NO_HEADER_NAME))?;
        let mut value = HeaderValue::from_str(value).map_err(|_| mistake(NO_HEADER_VALUE))?;
        value.set_sensitive(true);
        map.insert(header, value);
    }
    Ok((url, map))
}
