//! `#[guardrail]`: a function that looks at a tool's arguments or at its output. `middleware` reads
//! it as it reads a hook; what differs is here.

mod check;
mod expand;

use proc_macro2::TokenStream;

use crate::middleware::{Attribute, MiddlewareKind, expand_attribute};

pub(crate) const ATTRIBUTE: Attribute<MiddlewareKind> = Attribute {
    keys: onionskin_vocabulary::options::guardrail(),
    places: &[("input", MiddlewareKind::Input), ("output", MiddlewareKind::Output)],
    literal: "write options without quotes: `input`, `output`",
    which: Some(
        "say what it looks at: `#[guardrail(input)]` looks at the arguments before the tool runs, `#[guardrail(output)]` at \
         its output",
    ),
    both: "a guardrail looks at the `input` or at the `output`: write two functions for both",
    elsewhere: &[],
};

/// Expands the attribute.
pub(crate) fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    expand_attribute(
        &ATTRIBUTE,
        options,
        item,
        |function, parameters, options, _, errors| check::check(function, parameters, options, errors),
        |guardrail, ()| expand::expand(guardrail),
    )
}
