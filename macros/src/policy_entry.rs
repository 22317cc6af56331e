//! Reads a hook or a guardrail at its use: `audit`, `retry(3)`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Expr, ExprCall, Path};

use crate::option::WrittenOption;

/// One of a tool's own hooks or guardrails: `path` or `path(args)`.
pub(crate) struct PolicyEntry {
    pub(crate) path: Path,
    /// Its values, as a tuple.
    pub(crate) with: TokenStream,
    /// The number of values.
    pub(crate) values: usize,
}

/// The list of a tool's own hooks, or of its guardrails: the word for an entry, and an example.
pub(crate) fn entries(
    option: &mut WrittenOption<'_>,
    what: &str,
    example: &str,
) -> syn::Result<Vec<PolicyEntry>> {
    let (list, errors) = (option.list(example)?, &mut *option.errors);
    let mut entries = Vec::new();
    for entry in list {
        let (path, args) = match entry {
            Expr::Path(path) => (path.path, Vec::new()),
            Expr::Call(ExprCall { func, args, .. }) if matches!(*func, Expr::Path(_)) => {
                let Expr::Path(path) = *func else { continue };
                (path.path, args.into_iter().collect())
            }
            other => {
                errors.at(other, format_args!("a {what} is wanted here, as in `{example}`"));
                continue;
            }
        };
        match wrong(what, &path, &args) {
            Some(error) => errors.add(error),
            None => entries.push(PolicyEntry { path, with: quote!((#(#args,)*)), values: args.len() }),
        }
    }
    Ok(entries)
}

/// The error in an entry, as far as its tokens show one. `what` is a hook or a guardrail.
pub(crate) fn wrong(what: &str, path: &Path, values: &[Expr]) -> Option<syn::Error> {
    let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.unraw().to_string()).collect();
    if let [.., name, made] = &names[..]
        && (made == "new" || made == "default")
    {
        let values: Vec<_> = values.iter().map(|value| value.to_token_stream().to_string()).collect();
        let values = if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) };
        return Some(syn::Error::new_spanned(
            path,
            format_args!("a {what} is named here, not made: write `{name}{values}`"),
        ));
    }
    // A toolbox is called `__Self` outside of its block.
    if names.len() > 1 && matches!(&*names[0], "Self" | "__Self") {
        return Some(syn::Error::new_spanned(
            path,
            format_args!(
                "a {what} is a free function: write it beside the `impl` block, and what it needs in `#[config]` \
                 parameters"
            ),
        ));
    }
    values.iter().find_map(|value| match value {
        Expr::Assign(pair) => Some(syn::Error::new_spanned(&pair.left, NO_NAMES)),
        _ => None,
    })
}

/// The error of [`wrong`] for `name = value`, for the tokens `name: value`, which are not an expression.
pub(crate) fn unread(error: &syn::Error) -> Option<syn::Error> {
    let is_colon = error.span().source_text().is_some_and(|text| text == ":");
    is_colon.then(|| syn::Error::new(error.span(), NO_NAMES))
}

const NO_NAMES: &str =
    "write the values in the order of the `#[config]` parameters, without names: `retry(3)`";
