//! `#[turn_hook]`: a function at one place of each turn. `middleware` reads it as it reads a tool hook; what differs is here.

mod expand;

use proc_macro2::TokenStream;

use crate::keys::Key;
use crate::middleware::{Attribute, MiddlewareKind, TurnPlace, expand_attribute, plain_hook};

const fn place(place: TurnPlace, row: &'static str) -> Key<MiddlewareKind> {
    Key { name: place.method(), row, read: MiddlewareKind::Turn(place) }
}

pub(crate) const ATTRIBUTE: Attribute<MiddlewareKind> = Attribute {
    name: "turn_hook",
    by_hand: "`impl onionskin::turn_hooks::TurnHook for ..`",
    places: &[
        place(
            TurnPlace::BeforeLlm,
            "`before_llm_call` | the hook runs before the model is asked, and gets the request",
        ),
        place(TurnPlace::AfterLlm, "`after_llm_call` | the hook gets the answer of the model"),
        place(
            TurnPlace::BeforeTool,
            "`before_tool_call` | the hook runs before a call of the model, and gets the call",
        ),
        place(TurnPlace::AfterTool, "`after_tool_call` | the hook gets a call and its result"),
        place(
            TurnPlace::AfterTurn,
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

/// Expands the attribute.
pub(crate) fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    let returns = "a turn hook names what it returns: `()`, `Result<(), E>`, or an answer";
    expand_attribute(
        &ATTRIBUTE,
        options,
        item,
        |function, parameters, _, _, errors| plain_hook(function, parameters, returns, errors),
        |hook, ()| expand::expand(hook),
    )
}
