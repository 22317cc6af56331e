//! `#[run_hook]`: a function before or after a run. `middleware` reads it as it reads a tool hook; what differs is here.

mod expand;
mod options;

use proc_macro2::TokenStream;

use crate::middleware::{MiddlewareKind, Named, expand_attribute, plain_hook};

const NAMED: Named = Named { attribute: "run_hook", by_hand: "`impl onionskin::run_hooks::RunHook for ..`" };

/// Expands the attribute.
pub(crate) fn attribute(options: TokenStream, item: TokenStream) -> TokenStream {
    expand_attribute(
        &NAMED,
        item,
        |errors| options::parse(options, errors),
        |function, parameters, options, errors| {
            let what = if options.kind == MiddlewareKind::BeforeRun { "input" } else { "answer" };
            let returns = format!(
                "a run hook names what it returns: `()`, `Result<(), E>`, or a new {what}: `String` or `Result<String, E>`"
            );
            plain_hook(function, parameters, &returns, errors)
        },
        expand::expand,
    )
}
