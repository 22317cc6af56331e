//! `#[run_hook]`, `#[turn_hook]` and `#[message_hook]`: functions at one place in a run. `middleware` reads them as it reads a tool hook;
//! what differs is here.

mod expand;

use proc_macro2::TokenStream;

use crate::middleware::place::{self, Family, Place};
use crate::middleware::{Attribute, MiddlewareKind, each_role_once, expand_attribute, returns_opaque};

/// `#[run_hook]`.
pub(crate) const RUN: Attribute<Place> = Attribute {
    keys: onionskin_vocabulary::options::run_hook(),
    places: place::RUN,
    literal: "write options without quotes: `pre`, `post`",
    which: Some(
        "say when it runs: `#[run_hook(pre)]` gets the input before the run, `#[run_hook(post)]` its answer after it",
    ),
    both: "a run hook is `pre` or `post`: write two functions for both",
    elsewhere: &[
        ("before", "a run hook is `pre` or `post`: write `pre`"),
        ("after", "a run hook is `pre` or `post`: write `post`"),
        ("input", "a run hook is `pre` or `post`: write `pre`, and take the input as a parameter"),
        ("output", "a run hook is `pre` or `post`: write `post`, and take the answer as a parameter"),
    ],
};

/// `#[turn_hook]`.
pub(crate) const TURN: Attribute<Place> = Attribute {
    keys: onionskin_vocabulary::options::turn_hook(),
    places: place::TURN,
    literal: "write options without quotes: `before_llm_call`",
    which: Some(
        "say where it runs: `#[turn_hook(before_llm_call)]`, `after_llm_call`, `before_tool_call`, `after_tool_call` or \
         `after_turn_complete`",
    ),
    both: "a function runs at one place: write two functions, or `impl TurnHook` for a type",
    elsewhere: &[],
};

/// `#[message_hook]`.
pub(crate) const MESSAGE: Attribute<Place> = Attribute {
    keys: onionskin_vocabulary::options::message_hook(),
    places: place::MESSAGE,
    literal: "write options without quotes: `process_message_before_send`",
    which: Some(
        "say where it runs: `#[message_hook(process_message_before_send)]`, `update_agent_state`, \
         `process_last_received_message` or `process_all_messages_before_reply`",
    ),
    both: "a function runs at one place: write two functions, or `impl MessageHook` for a type",
    elsewhere: &[],
};

/// Expands `#[run_hook]`.
pub(crate) fn run_hook(options: TokenStream, item: TokenStream) -> TokenStream {
    expand(&RUN, options, item)
}

/// Expands `#[turn_hook]`.
pub(crate) fn turn_hook(options: TokenStream, item: TokenStream) -> TokenStream {
    expand(&TURN, options, item)
}

/// Expands `#[message_hook]`.
pub(crate) fn message_hook(options: TokenStream, item: TokenStream) -> TokenStream {
    expand(&MESSAGE, options, item)
}

fn expand(attribute: &Attribute<Place>, options: TokenStream, item: TokenStream) -> TokenStream {
    expand_attribute(
        attribute,
        options,
        item,
        |function, parameters, options, _, errors| {
            let MiddlewareKind::At(place) = options.kind else { return None };
            returns_opaque(function, options.kind, returns(place.family), errors);
            each_role_once(parameters, errors).then_some((place, options.ignore_errors))
        },
        |hook, (place, ignores_errors)| expand::expand(hook, place, ignores_errors),
    )
}

/// What these hooks can return.
fn returns(family: Family) -> &'static str {
    match family {
        Family::BeforeRun => "`()`, `Result<(), E>`, or a new input: `String` or `Result<String, E>`",
        Family::AfterRun => "`()`, `Result<(), E>`, or a new answer: `String` or `Result<String, E>`",
        Family::Turn => "`()`, `Result<(), E>`, or an answer",
        Family::Message => "`()`, `Result<(), E>`, or `Delivery` before a message is sent",
    }
}
