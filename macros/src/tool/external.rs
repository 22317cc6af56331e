//! `#[tool(external)]`: a function without a body, whose calls are done outside of the program.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::{ReturnType, Type, parse_quote};

use super::options::Options;
use crate::diag::Errors;
use crate::item::FnItem;
use crate::paths::Runtime;

/// Gives the function a body that waits for the result.
pub(super) fn fill(function: &mut FnItem, options: &Options) {
    let private = Runtime::new(options.crate_path.clone()).private();
    let result = match &function.sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => quote!(#ty),
    };
    function.attrs.push(parse_quote!(#[allow(unused_variables, clippy::needless_pass_by_value)]));
    function.sig.asyncness.get_or_insert_with(Default::default);
    let cx = quote_spanned!(Span::mixed_site()=> __cx);
    function.sig.inputs.push(parse_quote!(#cx: &#private::ToolContext));
    function.sig.output = parse_quote!(-> ::core::result::Result<#result, #private::AskError>);
    function.set_body(quote!({ #private::ToolContext::external::<#result>(#cx).await }));
}

/// Reports what an external tool cannot have.
pub(super) fn check(options: &mut Options, written: &TokenStream, function: &FnItem, errors: &mut Errors) {
    let Some(external) = options.external else { return };
    let has_body = function.has_body();
    let result = match &function.sig.output {
        ReturnType::Type(_, ty) => match &**ty {
            Type::Path(path) => path.path.segments.last().filter(|last| last.ident == "Result"),
            _ => None,
        },
        ReturnType::Default => None,
    };
    let last_of = |names: &[&str]| {
        let words = written.clone().into_iter().filter_map(|token| match token {
            TokenTree::Ident(word) if names.iter().any(|name| word == name) => Some(word.span()),
            _ => None,
        });
        words.last().unwrap_or(external)
    };
    if options.approval.is_some() {
        let second = last_of(&["approval", "external"]);
        errors.push(
            second,
            "an `external` tool runs outside of the program, where a person decides; remove `approval` or `external`",
        );
    } else if let Some(blocking) = options.blocking.take() {
        errors.push(
            blocking,
            "an `external` tool does not run here, so it blocks no thread; remove `blocking`",
        );
    } else if let Some(asks) = options.asks.take() {
        errors.push(asks, "an `external` tool asks for its result by itself; remove `asks`");
    } else if let Some(timeout) = &options.timeout {
        errors.push(
            timeout.key,
            "an `external` tool does not run here, and the wait for its result has no time limit; remove `timeout`",
        );
    } else if let Some(result) = result {
        errors.at(
            result,
            "the answer to an `external` tool is its result: write its type alone; the tool fails by itself if the person declines",
        );
    } else if has_body {
        errors.push(
            external,
            "an `external` tool runs outside of the program, so it has no body: end the declaration with `;`",
        );
    }
}
