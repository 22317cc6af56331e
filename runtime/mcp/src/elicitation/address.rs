//! An address that a server asks a person to open.

/// Longer addresses are refused: nobody reads them. The page of a login can have this length.
const LONGEST: usize = 8 << 10;

/// The host of an address, with its port.
///
/// # Errors
/// Returns why no person should open it.
pub(super) fn host(address: &str) -> Result<&str, String> {
    let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
    let rest = rest.ok_or("its `url` does not begin with `https://` or `http://`")?;
    if address.len() > LONGEST {
        return Err(format!("its `url` is longer than {LONGEST} bytes"));
    }
    // What a person reads is what a browser opens: a backslash is a slash to browsers, and letters of other scripts look like others.
    if !address.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\') {
        return Err("its `url` has characters that an address writes with `%`".to_owned());
    }
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('@') {
        return Err("its `url` has a user name, which hides the host".to_owned());
    }
    if host.is_empty() || host.starts_with(':') {
        return Err("its `url` has no host".to_owned());
    }
    Ok(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a4_an_address_that_hides_its_host_is_not_shown() {
        assert_eq!(host("https://example.com:8443/a?b#c"), Ok("example.com:8443"));
        assert_eq!(host("http://127.0.0.1"), Ok("127.0.0.1"));
        for address in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "HTTPS://example.com",
            "https://",
            "https:///a",
            "https://:80/",
            "https://example.com@evil.example/",
            "https://evil.example\\@example.com/",
            "https://exämple.com/",
            "https://example.com/\u{202e}moc",
            "https://example.com/a b",
        ] {
            assert!(host(address).is_err(), "{address}");
        }
        assert!(host(&format!("https://example.com/{}", "a".repeat(LONGEST))).is_err());
    }
}
