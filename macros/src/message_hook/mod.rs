//! `#[message_hook]`: a function at one place on the way of messages. `middleware` reads it as it reads a tool hook; what differs is here.

mod expand;

use proc_macro2::TokenStream;

use crate::keys::Key;
use crate::middleware::{Attribute, MessagePlace, MiddlewareKind, expand_attribute, plain_hook};

const fn place(place: MessagePlace, row: &'static str) -> Key<MiddlewareKind> {
    Key { name: place.method(), row, read: MiddlewareKind::Message(place) }
}

pub(crate) const ATTRIBUTE: Attribute<MiddlewareKind> = Attribute {
    name: "message_hook",
    by_hand: "`impl onionskin::message_hooks::MessageHook for ..`",
    places: &[
        place(
            MessagePlace::BeforeSend,
            "`process_message_before_send` | the hook gets each message before it is sent, and may drop it",
        ),
        place(
            MessagePlace::UpdateState,
            "`update_agent_state` | the hook runs first in each turn, and changes the agent's state",
        ),
        place(
            MessagePlace::LastReceived,
            "`process_last_received_message` | the hook gets the newest message in each turn",
        ),
        place(
            MessagePlace::BeforeReply,
            "`process_all_messages_before_reply` | the hook gets all messages in each turn",
        ),
    ],
    own: None,
    literal: "write options without quotes: `process_message_before_send`",
    which: Some(
        "say where it runs: `#[message_hook(process_message_before_send)]`, `update_agent_state`, \
         `process_last_received_message` or `process_all_messages_before_reply`",
    ),
    both: "a function runs at one place: write two functions, or `impl MessageHook` for a type",
    elsewhere: &[],
};

/// Expands the attribute.
pub(crate) fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    let returns =
        "a message hook names what it returns: `()`, `Result<(), E>`, or `Delivery` before a message is sent";
    expand_attribute(
        &ATTRIBUTE,
        options,
        item,
        |function, parameters, _, _, errors| plain_hook(function, parameters, returns, errors),
        |hook, ()| expand::expand(hook),
    )
}
