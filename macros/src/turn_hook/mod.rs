//! `#[turn_hook]`: a function at one place of each turn. `middleware` reads it as it reads a tool hook; what differs is here.

mod expand;
mod options;

use proc_macro2::TokenStream;

use crate::middleware::{Named, expand_attribute, plain_hook};

const NAMED: Named =
    Named { attribute: "turn_hook", by_hand: "`impl onionskin::turn_hooks::TurnHook for ..`" };

/// Expands the attribute.
pub(crate) fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    let returns = "a turn hook names what it returns: `()`, `Result<(), E>`, or an answer";
    expand_attribute(
        &NAMED,
        item,
        |errors| (options::parse(options, errors), ()),
        |function, parameters, _, errors| plain_hook(function, parameters, returns, errors),
        |hook, ()| expand::expand(hook),
    )
}
