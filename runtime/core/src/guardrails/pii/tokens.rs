//! Personal data without spaces: email addresses and addresses of the internet protocol.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use super::PiiKind;

/// Whether a byte can be in such an address. A token is a longest run of these.
pub(super) fn in_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._%+-@:'".contains(&byte) || !byte.is_ascii()
}

/// Calls `add` with what is found.
pub(super) fn find(text: &str, add: &mut impl FnMut(PiiKind, Range<usize>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !in_token(bytes[at]) {
            at += 1;
            continue;
        }
        let end = (at..bytes.len()).find(|end| !in_token(bytes[*end])).unwrap_or(bytes.len());
        in_token_of(text, at..end, add);
        at = end;
    }
}

fn in_token_of(text: &str, token: Range<usize>, add: &mut impl FnMut(PiiKind, Range<usize>)) {
    emails(text, token.clone(), add);
    let whole = &text[token.clone()];
    let before = text[..token.start].chars().next_back();
    // A part of a longer word, such as a letter that is not ASCII.
    if before.is_some_and(|before| before.is_alphanumeric() || before == '/') && !whole.contains('@') {
        return;
    }
    // The end of a sentence, and a port.
    let trimmed = whole.trim_matches(['.', ':', '-']);
    let start = token.start + whole.len() - whole.trim_start_matches(['.', ':', '-']).len();
    let without_port = trimmed.split_once(':').map_or(trimmed, |(host, _)| host);
    if is_v4(without_port) && !is_version(text, start) {
        add(PiiKind::Ip, start..start + without_port.len());
    }
    // `::` may be at an end of it.
    for candidate in [whole, whole.trim_end_matches(['.', ':', '-']), trimmed] {
        if is_v6(candidate) {
            let start = token.start + whole.find(candidate).unwrap_or(0);
            add(PiiKind::Ip, start..start + candidate.len());
            break;
        }
    }
}

fn emails(text: &str, token: Range<usize>, add: &mut impl FnMut(PiiKind, Range<usize>)) {
    let whole = &text[token.clone()];
    let is_authority = text[..token.start].ends_with('/');
    let mut from = 0;
    while let Some(at) = whole[from..].find('@').map(|at| from + at) {
        let begin = whole[from..at].char_indices().rev().take_while(|(_, c)| in_local(*c)).last();
        let begin = from + begin.map_or(at - from, |(begin, _)| begin);
        let local = whole[begin..at].trim_start_matches(['.', '-', '%', '\'']);
        let domain = whole[at + 1..].split(|c: char| !(c.is_alphanumeric() || c == '.' || c == '-'));
        let domain = domain.into_iter().next().unwrap_or_default().trim_end_matches(['.', '-']);
        let end = at + 1 + domain.len();
        // `https://user:password@host` is the address of a service.
        let is_password = is_authority && whole[..begin].ends_with(':');
        if is_person(local, domain) && !is_password {
            add(PiiKind::Email, token.start + at - local.len()..token.start + end);
        }
        from = end.max(at + 1);
    }
}

fn in_local(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-' | '\'')
}

/// Whether it is the address of somebody: not `git@host`, the account of a service, and not a word that a person has to replace.
fn is_person(local: &str, domain: &str) -> bool {
    const STANDS_FOR: [&str; 8] =
        ["you", "user", "username", "name", "email", "your.email", "your-email", "your.name"];
    let is_replaced = || domain.starts_with("example.") || domain.starts_with("domain.");
    !local.is_empty()
        && local != "git"
        && !(STANDS_FOR.contains(&local) && is_replaced())
        && is_domain(domain)
}

fn is_domain(domain: &str) -> bool {
    let labels: Vec<_> = domain.split('.').collect();
    let are_labels =
        labels.iter().all(|label| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-'));
    let last = labels[labels.len() - 1];
    are_labels && labels.len() > 1 && last.chars().count() > 1 && last.chars().all(char::is_alphabetic)
}

/// A public address. Four numbers below 20 are taken for a version.
fn is_v4(text: &str) -> bool {
    let Ok(address) = text.parse::<Ipv4Addr>() else { return false };
    let is_local = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_unspecified()
        || address.is_broadcast()
        || address.is_multicast();
    // 240 and above are masks of networks.
    !is_local && address.octets()[0] < 240 && address.octets().iter().any(|octet| *octet >= 20)
}

/// Whether the words before say that it is the number of a version.
fn is_version(text: &str, start: usize) -> bool {
    let before = text[..start].trim_end().to_ascii_lowercase();
    ["version", "release", "firmware", "build"].iter().any(|word| before.ends_with(word))
}

fn is_v6(text: &str) -> bool {
    let groups = text.split(':').filter(|group| !group.is_empty()).count();
    // A path of a program, such as `fe::de`, has no digits.
    if groups < 3 || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let Ok(address) = text.parse::<Ipv6Addr>() else { return false };
    let first = address.segments()[0];
    let is_local = address.is_loopback() || (first & 0xfe00) == 0xfc00 || (first & 0xffc0) == 0xfe80;
    !is_local && !address.is_multicast()
}
