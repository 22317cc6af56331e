//! The options of `#[message_hook(..)]`.

use proc_macro2::{Ident, Span, TokenStream};
use syn::{Path, Type};

use crate::diag::Errors;
use crate::keys::keys;
use crate::middleware::{self, MessagePlace, MiddlewareKind};
use crate::option::{Table, WrittenOption};

keys! {
    /// The options of `#[message_hook(..)]`.
    pub(super) struct Options from option: WrittenOption<'_> {
        /// `process_message_before_send` | the hook gets each message before it is sent, and may drop it
        "process_message_before_send" => before_send: Option<Span> = Some(option.alone("write the place alone")?);
        /// `update_agent_state` | the hook runs first in each turn, and changes the agent's state
        "update_agent_state" => update_state: Option<Span> = Some(option.alone("write the place alone")?);
        /// `process_last_received_message` | the hook gets the newest message in each turn
        "process_last_received_message" => last_received: Option<Span> = Some(option.alone("write the place alone")?);
        /// `process_all_messages_before_reply` | the hook gets all messages in each turn
        "process_all_messages_before_reply" => before_reply: Option<Span> = Some(option.alone("write the place alone")?);
        /// `state = Ledger` | the agent's state, for `#[bind(..)]` of its fields
        "state" => state: Option<Type> = Some(option.ty("state = Ledger")?);
        /// `crate = path` | where this crate is, if another library re-exports it
        "crate" => crate_path: Option<Path> = Some(option.path("crate = my_onionskin")?);
        /// `type_name = NoKeys` | another name for the type beside the function
        "type_name" => type_name: Option<Ident> = Some(option.name("type_name = NoKeys")?);
    }
}

const TABLE: Table<Options> = Table {
    literal: Some("write options without quotes: `process_message_before_send`"),
    types: &["state"],
    ..Table::new("option", Options::KEYS)
};

const WHERE: &str = "say where it runs: `#[message_hook(process_message_before_send)]`, `update_agent_state`, \
                     `process_last_received_message` or `process_all_messages_before_reply`";

pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> middleware::Options {
    let mut options = Options::default();
    let before = errors.is_empty();
    let seen = TABLE.read(&mut options, tokens, errors);
    let place = |key: &String| MessagePlace::ALL.into_iter().find(|place| place.method() == key);
    let mut places = seen.iter().filter_map(place);
    let first = places.next();
    if let Some(second) = places.next() {
        let span = match second {
            MessagePlace::BeforeSend => options.before_send,
            MessagePlace::UpdateState => options.update_state,
            MessagePlace::LastReceived => options.last_received,
            MessagePlace::BeforeReply => options.before_reply,
        };
        let message = "a function runs at one place: write two functions, or `impl MessageHook` for a type";
        errors.push(span.unwrap_or_else(Span::call_site), message);
    }
    if first.is_none() && before && errors.is_empty() {
        errors.push(Span::call_site(), WHERE);
    }
    middleware::Options {
        // Read as one of them where it says none.
        kind: MiddlewareKind::Message(first.unwrap_or(MessagePlace::BeforeSend)),
        crate_path: options.crate_path,
        type_name: options.type_name,
        state: options.state,
        ..middleware::Options::default()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a10_the_documentation_lists_each_option_as_the_table_has_it() {
        crate::keys::assert_documented("message_hook.md", "# Options", super::Options::KEYS);
        crate::keys::assert_shown("message_hook", super::Options::KEYS);
    }
}
