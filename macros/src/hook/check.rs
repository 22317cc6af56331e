//! Checks of a hook's function. Each reports its error at the wrong token. rustc checks the rest.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{ReturnType, Type};

use super::HookPlace;
use crate::diag::Errors;
use crate::item::FnItem;
use crate::middleware::{Options, Parameter, Role, each_role_once, returns_opaque};

/// The form of the hook, as its parameters show it and as `written` says it.
pub(super) fn form(
    parameters: &[Parameter],
    written: Option<(HookPlace, Span)>,
    errors: &mut Errors,
) -> Option<HookPlace> {
    let next = parameters.iter().find(|parameter| matches!(parameter.role, Role::Next));
    let outcome = parameters.iter().find(|parameter| matches!(parameter.role, Role::Outcome));
    if !each_role_once(parameters, errors) {
        return None;
    }
    if let (Some(_), Some(outcome)) = (next, outcome) {
        errors.at(
            &outcome.ty,
            "a hook takes `next` (around) or the result (after), not both: an around hook gets the result from \
             `next.run(args).await`",
        );
        return None;
    }
    let by_signature = match (next, outcome) {
        (Some(_), _) => HookPlace::Around,
        (None, Some(_)) => HookPlace::After,
        (None, None) => HookPlace::Before,
    };
    match written {
        None => Some(by_signature),
        Some((form, _)) if form == by_signature => Some(form),
        Some((form, span)) => {
            errors.push(span, match form {
                HookPlace::Around => "an around hook takes the rest of the call: add `next: impl Next`",
                HookPlace::Before if next.is_some() => "a before hook has no `next`: remove it, or write `around`",
                HookPlace::Before => "a before hook has no result yet: remove the parameter, or write `after`",
                HookPlace::After if next.is_some() => "an after hook has no `next`: remove it, or write `around`",
                HookPlace::After => "an after hook takes the result: add `result: &mut ToolResult` or `output: &mut ToolOutput`",
            });
            None
        }
    }
}

/// Checks the rules of the hook's form.
pub(super) fn check_form(
    function: &FnItem,
    form: HookPlace,
    parameters: &[Parameter],
    options: &Options,
    errors: &mut Errors,
) {
    let sig = &function.sig;
    if options.tool.is_some() {
        let has_args = parameters.iter().any(|parameter| matches!(parameter.role, Role::Args));
        if form != HookPlace::Around || !has_args {
            errors.at(
                &sig.ident,
                "a typed hook wraps its tool: take `args: ArgsOf<tool>` and `next: impl TypedNext<tool>`",
            );
            return;
        }
    }
    let write = match form {
        HookPlace::Around => {
            let values = if options.tool.is_some() { "<..>" } else { "" };
            &*format!("`async fn {}(..) -> ToolResult{values}`", sig.ident)
        }
        HookPlace::Before => "`()` or `Result<(), E>`",
        HookPlace::After => "`()`, `ToolOutput` or `ToolResult`",
    };
    let is_opaque = returns_opaque(function, options.kind, write, errors);
    if form == HookPlace::Around && sig.asyncness.is_none() && !is_opaque {
        errors.at(sig.fn_token, "an around hook waits for the call inside: write `async fn`");
    }
    if form == HookPlace::Around && matches!(sig.output, ReturnType::Default) {
        errors.at(&sig.ident, "an around hook returns the result of the call: write `-> ToolResult`");
    }
    if let (HookPlace::After, ReturnType::Default) = (form, &sig.output)
        && let Some(outcome) = parameters.iter().find(|parameter| matches!(parameter.role, Role::Outcome))
        && !matches!(outcome.ty, Type::Reference(_))
    {
        errors.push(
            outcome.ty.span(),
            "the result would be lost: return it (`-> ToolResult`), or borrow it (`&mut`)",
        );
    }
}
