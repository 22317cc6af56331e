//! Reads a hook or a guardrail at its use: `audit`, `retry(3)`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Expr, ExprCall, Meta, Path};

use crate::option::{each, error_at, read};

/// One of a tool's own hooks or guardrails: `path` or `path(args)`.
pub(crate) struct PolicyEntry {
    pub(crate) path: Path,
    /// Its values, as a tuple.
    pub(crate) with: TokenStream,
    /// The number of values.
    pub(crate) values: usize,
}

impl PolicyEntry {
    /// The name of the hook or the guardrail.
    pub(crate) fn name(&self) -> String {
        self.path.segments.last().map(|last| last.ident.unraw().to_string()).unwrap_or_default()
    }
}

/// Reads the list of a tool's own hooks.
pub(crate) fn hooks(meta: &Meta) -> darling::Result<Vec<PolicyEntry>> {
    entries(meta, "hook")
}

/// Reads one of the lists of a tool's own guardrails.
pub(crate) fn guardrails(meta: &Meta) -> darling::Result<Vec<PolicyEntry>> {
    entries(meta, "guardrail")
}

fn entries(meta: &Meta, what: &str) -> darling::Result<Vec<PolicyEntry>> {
    each(read::list(meta)?, |written| entry(&written, what))
}

/// One of them. `what` is the word for it.
fn entry(written: &Expr, what: &str) -> darling::Result<PolicyEntry> {
    let (path, args) = match written {
        Expr::Path(path) => (path.path.clone(), Vec::new()),
        Expr::Call(ExprCall { func, args, .. }) if let Expr::Path(path) = &**func => {
            (path.path.clone(), args.iter().cloned().collect())
        }
        other => return Err(error_at(other, format_args!("expected a {what}, such as "))),
    };
    match wrong(what, &path, &args) {
        Some((at, message)) => Err(error_at(at, message)),
        None => Ok(PolicyEntry { path, with: quote!((#(#args,)*)), values: args.len() }),
    }
}

/// The error that the tokens of an entry show: its span and its message. `what` is a hook or a guardrail.
pub(crate) fn wrong(what: &str, path: &Path, values: &[Expr]) -> Option<(TokenStream, String)> {
    let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.unraw().to_string()).collect();
    if let ([.., owner, made], [value]) = (&names[..], values)
        && matches!(&**owner, "Box" | "Arc" | "Rc")
        && made == "new"
    {
        let message = format!("the list constructs the {what}: write `{}`", value.to_token_stream());
        return Some((path.to_token_stream(), message));
    }
    if let [.., name, made] = &names[..]
        && (made == "new" || made == "default")
    {
        let values: Vec<_> = values.iter().map(|value| value.to_token_stream().to_string()).collect();
        let values = if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) };
        let message = format!("the list constructs the {what}: write `{name}{values}`");
        return Some((path.to_token_stream(), message));
    }
    // A toolbox is called `__Self` outside of its block.
    if names.len() > 1 && matches!(&*names[0], "Self" | "__Self") {
        let message = format!(
            "a {what} must be a free function: write it beside the `impl` block, and what it needs in `#[config]` \
             parameters"
        );
        return Some((path.to_token_stream(), message));
    }
    values.iter().find_map(|value| match value {
        Expr::Assign(pair) => Some((pair.left.to_token_stream(), NO_NAMES.to_owned())),
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
