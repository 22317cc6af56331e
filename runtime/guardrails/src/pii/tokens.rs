//! Personal data without spaces: email addresses and addresses of the internet protocol.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use super::PiiKind;

/// The most bytes of a token that is looked at as a whole. In a longer one there are email addresses only.
const WHOLE: usize = 192;
/// The most bytes of an email address before its `@`. Of a longer text, the end is taken for it.
const LOCAL: usize = 128;
/// The most bytes of an email address after its `@`.
const DOMAIN: usize = 254;

/// Whether a character can be in such an address. A token is a longest run of these.
fn in_token(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() || "._%+-@:'".contains(c) } else { c.is_alphanumeric() }
}

/// A search that goes on where it was when more of the text is there.
#[derive(Default)]
pub(super) struct Tokens {
    /// What begins before here is found.
    pub(super) at: usize,
    /// The place in a token that is too long to be looked at as a whole.
    long: Option<Long>,
}

struct Long {
    /// No email address of the token begins before here.
    from: usize,
    /// Each `@` before here is looked at.
    seek: usize,
}

impl Tokens {
    /// Calls `add` with each match. `is_end`: nothing follows the text.
    pub(super) fn search(&mut self, text: &str, is_end: bool, add: &mut impl FnMut(PiiKind, Range<usize>)) {
        loop {
            let rest = &text[self.at..];
            if self.long.is_none() {
                self.at += rest.find(in_token).unwrap_or(rest.len());
                if self.at == text.len() {
                    return;
                }
            }
            let rest = &text[self.at..];
            let end = self.at + rest.find(|c| !in_token(c)).unwrap_or(rest.len());
            let is_whole = is_end || end < text.len();
            if self.long.is_none() && end - self.at <= WHOLE {
                if !is_whole {
                    return;
                }
                in_token_of(text, self.at..end, add);
                self.at = end;
                continue;
            }
            let long = self.long.get_or_insert(Long { from: self.at, seek: self.at });
            let open = emails(text, long, end, is_whole, false, add);
            if is_whole {
                self.at = end;
                self.long = None;
            } else {
                self.at = self.at.max(text.floor_char_boundary(open.saturating_sub(LOCAL)));
                return;
            }
        }
    }

    /// The text is without its first bytes now.
    pub(super) fn forget(&mut self, bytes: usize) {
        self.at -= bytes;
        if let Some(long) = &mut self.long {
            long.from = long.from.saturating_sub(bytes);
            long.seek -= bytes;
        }
    }
}

fn in_token_of(text: &str, token: Range<usize>, add: &mut impl FnMut(PiiKind, Range<usize>)) {
    let before = text[..token.start].chars().next_back();
    let mut place = Long { from: token.start, seek: token.start };
    emails(text, &mut place, token.end, true, before == Some('/'), add);
    let whole = &text[token.clone()];
    if before == Some('/') && !whole.contains('@') {
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

/// Looks at each `@` before the end. Returns the first one whose domain may go on behind it, or the end.
fn emails(
    text: &str,
    place: &mut Long,
    end: usize,
    is_whole: bool,
    is_authority: bool,
    add: &mut impl FnMut(PiiKind, Range<usize>),
) -> usize {
    while let Some(at) = text[place.seek..end].find('@').map(|at| place.seek + at) {
        let furthest = text.floor_char_boundary(end.min(at + 1 + DOMAIN));
        let after = &text[at + 1..furthest];
        let domain = &after[..after.find(|c| !in_domain(c)).unwrap_or(after.len())];
        if !is_whole && at + 1 + domain.len() == end {
            place.seek = at;
            return at;
        }
        let domain = domain.trim_end_matches(['.', '-']);
        let first = text.ceil_char_boundary(place.from.max(at.saturating_sub(LOCAL)));
        let begin = text[first..at].char_indices().rev().take_while(|(_, c)| in_local(*c)).last();
        let begin = first + begin.map_or(at - first, |(begin, _)| begin);
        let local = text[begin..at].trim_start_matches(['.', '-', '%', '\'']);
        // `https://user:password@host` is the address of a service.
        let is_password = is_authority && begin > place.from && text[..begin].ends_with(':');
        let found = at + 1 + domain.len();
        if is_person(local, domain) && !is_password {
            add(PiiKind::Email, at - local.len()..found);
        }
        place.from = found;
        place.seek = found;
    }
    place.seek = end;
    end
}

fn in_domain(c: char) -> bool {
    c.is_alphanumeric() || c == '.' || c == '-'
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
    let from = text.floor_char_boundary(start.saturating_sub(24));
    let before = text[from..start].trim_end().to_ascii_lowercase();
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
