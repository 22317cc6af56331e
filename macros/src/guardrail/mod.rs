//! `#[guardrail]`: a function that looks at a tool's arguments or at its output. `middleware` reads
//! it as it reads a hook; what differs is here.

mod check;
mod expand;
mod options;

use proc_macro2::TokenStream;

use crate::middleware::{Named, expand_attribute};

const NAMED: Named = Named {
    attribute: "guardrail",
    by_hand: "`impl onionskin::guardrails::InputGuardrail for ..` or `impl onionskin::guardrails::OutputGuardrail for ..`",
};

/// Expands the attribute.
pub(crate) fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    expand_attribute(
        &NAMED,
        item,
        |errors| (options::parse(options, errors), ()),
        check::check,
        |guardrail, ()| expand::expand(guardrail),
    )
}
