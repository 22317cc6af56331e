//! `#[message_hook]`: a function at one place on the way of messages. `middleware` reads it as it reads a tool hook; what differs is here.

mod expand;
mod options;

use proc_macro2::TokenStream;

use crate::middleware::{Named, expand_attribute, plain_hook};

const NAMED: Named =
    Named { attribute: "message_hook", by_hand: "`impl onionskin::message_hooks::MessageHook for ..`" };

/// Expands the attribute.
pub(crate) fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    let returns =
        "a message hook names what it returns: `()`, `Result<(), E>`, or `Delivery` before a message is sent";
    expand_attribute(
        &NAMED,
        item,
        |errors| (options::parse(options, errors), ()),
        |function, parameters, _, errors| plain_hook(function, parameters, returns, errors),
        |hook, ()| expand::expand(hook),
    )
}
