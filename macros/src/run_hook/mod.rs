//! `#[run_hook]`: a function before or after a run. `middleware` reads it as it reads a tool hook; what differs is here.

mod expand;

use proc_macro2::TokenStream;

use crate::keys::Key;
use crate::middleware::{Attribute, MiddlewareKind, expand_attribute, plain_hook};

pub(crate) const ATTRIBUTE: Attribute<MiddlewareKind> = Attribute {
    name: "run_hook",
    by_hand: "`impl onionskin::run_hooks::RunHook for ..`",
    places: &[
        Key {
            name: "pre",
            row: "`pre` | the hook runs before the first turn, and gets the input",
            read: MiddlewareKind::BeforeRun,
        },
        Key {
            name: "post",
            row: "`post` | the hook runs after the last turn, and gets the answer",
            read: MiddlewareKind::AfterRun,
        },
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

/// Expands the attribute.
pub(crate) fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    expand_attribute(
        &ATTRIBUTE,
        options,
        item,
        |function, parameters, options, _, errors| {
            let what = if options.kind == MiddlewareKind::BeforeRun { "input" } else { "answer" };
            let returns = format!(
                "a run hook names what it returns: `()`, `Result<(), E>`, or a new {what}: `String` or `Result<String, E>`"
            );
            plain_hook(function, parameters, &returns, errors)?;
            Some(options.ignore_errors)
        },
        expand::expand,
    )
}
