//! The options of `#[guardrail(..)]`.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Meta, Token};

use crate::diag::Errors;
use crate::middleware::{Kind, Options};
use crate::option::{each_option, name, path};
use crate::suggest;

const KEYS: &[&str] = &["input", "output", "state", "crate", "type_name"];

const WHICH: &str = "say what it looks at: `#[guardrail(input)]` looks at the arguments before the tool runs, \
                     `#[guardrail(output)]` at its output";

pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> Options {
    // Read as one of the two where it says neither.
    let mut options = Options { kind: Kind::Input, ..Options::default() };
    if let Some(TokenTree::Literal(literal)) = tokens.clone().into_iter().next() {
        errors.at(literal, "options stand without quotes: `input`, `output`");
        return options;
    }
    let parsed = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens);
    let mut known = None;
    let before = errors.is_empty();
    each_option(parsed, errors, |key, meta, errors| match key {
        "input" | "output" if !matches!(meta, Meta::Path(_)) => {
            errors.at(meta, format_args!("write `{key}` alone"));
            known = Some(Kind::Input);
        }
        "input" | "output" if known.is_some() => {
            errors.at(
                meta,
                "a guardrail looks at the `input` or at the `output`: write two functions for both",
            );
        }
        "input" => known = Some(Kind::Input),
        "output" => known = Some(Kind::Output),
        "crate" => options.crate_path = path(meta, "crate = my_onionskin", errors),
        "state" => options.state = path(meta, "state = Ledger", errors),
        "type_name" => options.type_name = name(meta, "type_name = NoThirteen", errors),
        _ => errors.at(meta.path(), suggest::unknown("option", key, KEYS)),
    });
    if known.is_none() && before && errors.is_empty() {
        errors.push(Span::call_site(), WHICH);
    }
    options.kind = known.unwrap_or(Kind::Input);
    options
}
