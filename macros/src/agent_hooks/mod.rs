//! `#[run_hook]`, `#[turn_hook]` and `#[message_hook]`: functions at one place in a run. `middleware` reads them as it reads a tool hook;
//! what differs is here.

mod expand;

use proc_macro2::TokenStream;
use syn::{ReturnType, Type};

use crate::keys::Key;
use crate::middleware::{Attribute, MiddlewareKind, Place, each_role_once, expand_attribute};

const fn place(place: Place, row: &'static str) -> Key<MiddlewareKind> {
    Key { name: place.rules().option, row, read: MiddlewareKind::At(place) }
}

/// `#[run_hook]`.
pub(crate) const RUN: Attribute<MiddlewareKind> = Attribute {
    places: &[
        place(Place::BeforeRun, "`pre` | the hook runs before the first turn, and gets the input"),
        place(Place::AfterRun, "`post` | the hook runs after the last turn, and gets the answer"),
    ],
    own: Some("ignore_errors"),
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
pub(crate) const TURN: Attribute<MiddlewareKind> = Attribute {
    places: &[
        place(
            Place::BeforeLlm,
            "`before_llm_call` | the hook runs before the model is asked, and gets the request",
        ),
        place(Place::AfterLlm, "`after_llm_call` | the hook gets the answer of the model"),
        place(
            Place::BeforeTool,
            "`before_tool_call` | the hook runs before a call of the model, and gets the call",
        ),
        place(Place::AfterTool, "`after_tool_call` | the hook gets a call and its result"),
        place(
            Place::AfterTurn,
            "`after_turn_complete` | the hook runs at the end of a turn, and gets its messages",
        ),
    ],
    own: None,
    literal: "write options without quotes: `before_llm_call`",
    which: Some(
        "say where it runs: `#[turn_hook(before_llm_call)]`, `after_llm_call`, `before_tool_call`, `after_tool_call` or \
         `after_turn_complete`",
    ),
    both: "a function runs at one place: write two functions, or `impl TurnHook` for a type",
    elsewhere: &[],
};

/// `#[message_hook]`.
pub(crate) const MESSAGE: Attribute<MiddlewareKind> = Attribute {
    places: &[
        place(
            Place::BeforeSend,
            "`process_message_before_send` | the hook gets each message before it is sent, and may drop it",
        ),
        place(
            Place::UpdateState,
            "`update_agent_state` | the hook runs first in each turn, and changes the agent's state",
        ),
        place(
            Place::LastReceived,
            "`process_last_received_message` | the hook gets the newest message in each turn",
        ),
        place(
            Place::BeforeReply,
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

fn expand(attribute: &Attribute<MiddlewareKind>, options: TokenStream, item: TokenStream) -> TokenStream {
    expand_attribute(
        attribute,
        options,
        item,
        |function, parameters, options, _, errors| {
            let MiddlewareKind::At(place) = options.kind else { return None };
            if let ReturnType::Type(_, ty) = &function.sig.output
                && matches!(**ty, Type::ImplTrait(_))
            {
                errors.at(
                    ty,
                    format_args!("a {} names what it returns: {}", options.kind.word(), returns(place)),
                );
            }
            each_role_once(parameters, errors).then_some((place, options.ignore_errors))
        },
        |hook, (place, ignores_errors)| expand::expand(hook, place, ignores_errors),
    )
}

/// What a hook at this place can return.
fn returns(place: Place) -> &'static str {
    match place {
        Place::BeforeRun => "`()`, `Result<(), E>`, or a new input: `String` or `Result<String, E>`",
        Place::AfterRun => "`()`, `Result<(), E>`, or a new answer: `String` or `Result<String, E>`",
        Place::BeforeLlm | Place::AfterLlm | Place::BeforeTool | Place::AfterTool | Place::AfterTurn => {
            "`()`, `Result<(), E>`, or an answer"
        }
        Place::BeforeSend | Place::UpdateState | Place::LastReceived | Place::BeforeReply => {
            "`()`, `Result<(), E>`, or `Delivery` before a message is sent"
        }
    }
}
