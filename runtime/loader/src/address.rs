//! Cards at addresses on the web.

use std::path::{Path, PathBuf};

use onionskin_cards::{CardError, CardFile, Item, Need, Problem, Source, Spanned, is_address};

use crate::error::{MistakeKind, Mistakes};

/// The cards at addresses, as they were fetched.
#[derive(Default)]
pub(crate) struct Fetched {
    pub(crate) files: Vec<CardFile>,
    /// Why there is no card.
    pub(crate) errors: Vec<CardError>,
}

/// The paths of files and folders, and the addresses among them.
pub(crate) fn divided(paths: &[PathBuf]) -> (Vec<&Path>, Vec<&str>) {
    let (mut files, mut addresses) = (Vec::new(), Vec::new());
    for path in paths {
        match path.to_str().filter(|path| is_address(path)) {
            Some(address) if !addresses.contains(&address) => addresses.push(address),
            Some(_) => {}
            None => files.push(path.as_path()),
        }
    }
    (files, addresses)
}

/// An address without what can be a secret: a user and a password, a query, a fragment, and all of one that names no host.
pub(crate) fn shown(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once(':') else { return String::new() };
    // Where addresses are read, a backslash is a slash: what is behind one is no part of the host.
    let rest = rest.replace('\\', "/");
    let Some(rest) = rest.strip_prefix("//") else { return format!("{scheme}:") };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // A password with a slash ends the host for the rules of addresses, and what is before it is no port then.
    let rest = match rest.rsplit_once('@') {
        Some((_, behind)) if has_wrong_port(host) => behind,
        _ => rest,
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// Whether there is a colon with something else than a number behind it. An IPv6 address has its colons in brackets.
fn has_wrong_port(host: &str) -> bool {
    let port = host.rsplit(']').next().and_then(|host| host.split_once(':'));
    port.is_some_and(|(_, port)| !port.chars().all(|c| c.is_ascii_digit()))
}

/// An error for the whole of an address.
pub(crate) fn refused(address: &str, message: String) -> CardError {
    CardError::new(Source::from_address(shown(address), ""), vec![Problem { message, span: 0..0 }])
}

/// The mistakes of addresses that were not fetched.
pub(crate) fn add_unfetched(addresses: &[&str], are_allowed: bool, mistakes: &mut Mistakes) {
    let (kind, message) = match (cfg!(feature = "loader-url"), are_allowed) {
        (false, _) => (
            MistakeKind::MissingFeature("loader-url"),
            "cards of addresses need the feature `loader-url` of onionskin",
        ),
        (true, false) => (
            MistakeKind::Address,
            "the loader allows no addresses: call `.allow_urls(CardUrls::https())`, and `load_with_urls` or `watch`",
        ),
        (true, true) => (MistakeKind::Address, "`load` reads files: call `load_with_urls`"),
    };
    for address in addresses {
        mistakes.add_all(&refused(address, message.to_owned()), kind);
    }
}

/// The mistake in what a card of an address names. Its author names no code of the program, and no file of this machine.
pub(crate) fn refused_item(need: &Need<'_>) -> Option<Problem> {
    let Spanned { value: item, span } = need.item;
    let is_ready = |path: &str| path.strip_prefix("::").unwrap_or(path).starts_with("onionskin::");
    match item {
        Item::Path(path) if is_ready(path) => None,
        Item::Path(_) | Item::File { .. } => Some(Problem {
            message: format!(
                "a card of an address names no functions and types, such as `{item}`: it can have texts, settings, servers and other cards"
            ),
            span: span.clone(),
        }),
    }
}

/// The mistake in headers of a card of an address. Their values are secrets of this program's users.
pub(crate) fn refused_headers(server: &Spanned<String>) -> Problem {
    let message = format!(
        "a card of an address names no secrets: give the server `{}` its headers in the program, or in a card of this machine",
        server.value
    );
    Problem { message, span: server.span.clone() }
}

/// The mistake in a built-in tool, or a child of the program, that a card of an address names.
pub(crate) fn refused_name(name: &Spanned<String>) -> Problem {
    let message =
        format!("a card of an address does not get `{}`: name it in a card of this machine", name.value);
    Problem { message, span: name.span.clone() }
}
