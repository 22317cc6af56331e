//! Checks of a guardrail's function. Each reports its error at the wrong token.

use syn::{ReturnType, Type};

use crate::diag::Errors;
use crate::injected::is_named;
use crate::item::FnItem;
use crate::middleware::{
    MiddlewareKind, Options, Parameter, Role, each_role_once, returns_opaque, wraps_no_call,
};

/// Holds the function to the rules of a guardrail.
pub(super) fn check(
    function: &FnItem,
    parameters: &[Parameter],
    options: &Options,
    errors: &mut Errors,
) -> Option<()> {
    let has_sound_roles = each_role_once(parameters, errors) && has_place(parameters, options.kind, errors);
    has_sound_roles.then(|| signature(function, parameters, options.kind, errors))
}

/// Returns whether each parameter exists at the place of a guardrail.
fn has_place(parameters: &[Parameter], kind: MiddlewareKind, errors: &mut Errors) -> bool {
    let next = parameters.iter().find(|parameter| matches!(parameter.role, Role::Next));
    let outcome = parameters.iter().find(|parameter| matches!(parameter.role, Role::Outcome));
    if let Some(next) = next {
        errors.at(&next.ty, wraps_no_call(kind.word(), "`next`"));
    } else if let (MiddlewareKind::Input, Some(outcome)) = (kind, outcome) {
        errors.at(
            &outcome.ty,
            "an input guardrail runs before the tool, so there is no output: remove this parameter, or write `#[guardrail(output)]`",
        );
    } else {
        return true;
    }
    false
}

/// Checks what the tokens of the signature show. rustc checks the rest.
fn signature(function: &FnItem, parameters: &[Parameter], kind: MiddlewareKind, errors: &mut Errors) {
    let sig = &function.sig;
    returns_opaque(function, kind, "`()`, or `Result<(), E>` to refuse", errors);
    let outcome = parameters.iter().find(|parameter| matches!(parameter.role, Role::Outcome));
    if let (ReturnType::Default, Some(outcome)) = (&sig.output, outcome)
        && !matches!(outcome.ty, Type::Reference(_))
    {
        errors
            .at(&outcome.ty, "the output would be lost: return it (`-> ToolOutput`), or borrow it (`&mut`)");
    }
    match outcome {
        None if kind == MiddlewareKind::Output => errors.at(
            &sig.ident,
            "an output guardrail takes the output: add `output: &mut ToolOutput`, or `result: &mut ToolResult` to see \
             errors too",
        ),
        Some(outcome) if is_named(&outcome.ty, "str") || is_named(&outcome.ty, "String") => errors.at(
            &outcome.ty,
            "an output guardrail takes the whole output: write `&mut ToolOutput`; its text is `output.to_text()`",
        ),
        Some(_) | None => {}
    }
    let args = parameters.iter().find(|parameter| matches!(parameter.role, Role::Args));
    if kind == MiddlewareKind::Input
        && args.is_none()
        && parameters.iter().all(|parameter| !differs_by_call(parameter))
    {
        errors.at(
            &sig.ident,
            "an input guardrail looks at the arguments: add `args: &Args`, or `args: &mut Args`",
        );
    }
}

/// Returns whether the value of a parameter differs between calls, so that a guardrail can decide by it.
fn differs_by_call(parameter: &Parameter) -> bool {
    !matches!(parameter.role, Role::Config(_) | Role::Bound(_))
}
