//! The ready hooks of onionskin, which cards name by their paths.

use crate::card::Card;
use crate::item::Item;
use crate::needs::Kind;
use crate::reader::Reader;

/// What the paths of the ready hooks begin with.
const CRATE: &str = "::onionskin::";

/// The paths of the ready hooks that cards can name in each program.
pub const READY_HOOKS: [&str; 8] = [
    "::onionskin::hooks::log",
    "::onionskin::hooks::timing",
    "::onionskin::hooks::retry",
    "::onionskin::turn_hooks::last_inputs",
    "::onionskin::turn_hooks::last_tokens",
    "::onionskin::turn_hooks::choose_tool",
    "::onionskin::guardrails::max_input",
    "::onionskin::guardrails::max_answer",
];

/// Reports a path that ends as one of a ready hook and begins at no crate: `hooks::retry`. A program can only find it by chance.
pub(crate) fn check(card: &Card, reader: &mut Reader) {
    for need in card.needs().iter().filter(|need| need.kind.is_hook()) {
        let Item::Path(path) = &need.item.value else { continue };
        let is_it = |ready: &&&str| ready.strip_prefix(CRATE) == Some(path);
        if let Some(ready) = READY_HOOKS.iter().find(is_it) {
            let message = format!(
                "`{path}` is no path of a crate: write `{ready}`, or `crate::{path}` for a hook of the program's own"
            );
            reader.note(&need.item.span, message);
        }
    }
}

/// The path of the ready hook of this name, where a hook of this kind is wanted.
pub(crate) fn named(name: &str, kind: Kind) -> Option<&'static str> {
    let is_it = |ready: &&&str| ready.rsplit("::").next() == Some(name);
    READY_HOOKS.iter().find(is_it).copied().filter(|_| kind.is_hook())
}
