//! Checks of the function of a hook or a guardrail. Each reports its error at the wrong token.

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{ReturnType, Token, Type, TypeParamBound};

use super::options::{MiddlewareKind, Options};
use super::parameter::{Parameter, Role, can_be_next};
use crate::diag::Errors;
use crate::injected::{is_injected, is_named, is_provided, requested};
use crate::item::FnItem;
use crate::param::borrows;

pub(super) fn qualifiers(function: &FnItem, kind: MiddlewareKind, errors: &mut Errors) {
    let (sig, word) = (&function.sig, kind.word());
    if let syn::Safety::Unsafe(token) = &sig.safety {
        errors.at(
            token,
            format_args!(
                "a {word} cannot be `unsafe`, because the runtime calls it; remove the word, and check inside"
            ),
        );
    }
    if let Some(abi) = &sig.abi {
        errors.at(abi, format_args!("a {word} is a plain Rust function; remove the ABI"));
    }
    if let Some(token) = &sig.constness {
        errors.at(token, format_args!("a {word} cannot be `const`; remove the word"));
    }
}

/// Checks that the parameters take one state: `agent!` compares it with the agent's.
pub(super) fn one_state(parameters: &[Parameter], options: &Options, errors: &mut Errors) {
    let kind = options.kind;
    let is_state = |parameter: &&Parameter| {
        matches!(parameter.role, Role::Inject)
            && matches!(requested(&parameter.ty).0, Type::Path(_))
            && is_named(&parameter.ty, "State")
            && is_injected(&parameter.ty)
            && parameter.cfgs.is_empty()
    };
    let mut states = parameters.iter().filter(is_state).map(|parameter| requested(&parameter.ty).0);
    let first = states.next();
    let field = parameters.iter().find_map(|parameter| {
        if let Role::Bound(param) = &parameter.role { param.bound_field() } else { None }
    });
    if let (Some(field), None, None, true) = (field, first, &options.state, errors.is_empty()) {
        errors.at(
            field,
            format_args!(
                "name the agent's state, which has this field: `{}`",
                kind.with_option("state = Ledger")
            ),
        );
    }
    let Some(first) = first else { return };
    let words = |ty: &Type| ty.to_token_stream().to_string().replace(' ', "");
    for other in states.filter(|other| words(other) != words(first)) {
        errors.at(
            other,
            format_args!("an agent has one state, and this {} already takes `{}`", kind.word(), words(first)),
        );
    }
}

/// Checks what the tokens of a parameter's type show. rustc checks the rest.
pub(super) fn ty(role: &Role, ty: &Type, options: &Options, errors: &mut Errors) {
    let typed_hook = options.tool.is_some();
    match role {
        // Another error says that a guardrail has no `next`.
        Role::Next if options.kind != MiddlewareKind::Hook => {}
        Role::Next => {
            let is_open = match ty {
                Type::ImplTrait(open) => can_be_next(&open.bounds),
                // A type parameter or an alias: its bounds are checked where the hook is called.
                Type::Path(path) => path.path.get_ident().is_some(),
                _ => false,
            };
            let other = if typed_hook { "Next" } else { "TypedNext" };
            if let Type::ImplTrait(open) = ty
                && has_bound(&open.bounds, other)
            {
                errors.at(
                    ty,
                    if typed_hook {
                        "in a typed hook, the rest of the call must be `impl TypedNext<tool>`"
                    } else {
                        "the rest of the call must be `impl Next`; for a typed hook, name its tool: `#[tool_hook(tool = ..)]`"
                    },
                );
            } else if !is_open {
                errors.at(
                    ty,
                    "the rest of the call must be `impl Next`, or `impl TypedNext<tool>` in a typed hook",
                );
            }
        }
        Role::Args if !typed_hook => {
            if let Type::ImplTrait(_) = ty {
                errors.at(ty, "the arguments must be `&mut Args`");
            }
        }
        Role::Inject if is_provided(requested(ty).0) && borrows(requested(ty).0) => {
            errors.at(requested(ty).0, "calls of all sessions share a service, so its type cannot borrow");
        }
        Role::Config(_) => {
            if let Type::Reference(reference) = ty
                && reference.mutability.is_some()
            {
                errors.at(ty, "all calls share a configured value: write `&` in place of `&mut`");
            }
            if let Type::ImplTrait(_) = ty {
                let whom = options.kind.configured_by();
                errors.at(
                    ty,
                    format_args!(
                        "a `#[config]` parameter must have a concrete type: {whom} writes a value for it"
                    ),
                );
            }
        }
        Role::Context
        | Role::Args
        | Role::Name
        | Role::Outcome
        | Role::Text(_)
        | Role::Part(_)
        | Role::Inject
        | Role::Bound(_) => {}
    }
}

fn has_bound(bounds: &Punctuated<TypeParamBound, Token![+]>, name: &str) -> bool {
    bounds.iter().any(|bound| {
        matches!(bound, TypeParamBound::Trait(bound)
            if bound.path.segments.last().is_some_and(|last| last.ident == name))
    })
}

/// Reports an opaque type as the result of a function, and returns whether it is one. `write` is the result that the function can have.
pub(crate) fn returns_opaque(
    function: &FnItem,
    kind: MiddlewareKind,
    write: &str,
    errors: &mut Errors,
) -> bool {
    let ReturnType::Type(_, ty) = &function.sig.output else { return false };
    let is_opaque = matches!(**ty, Type::ImplTrait(_));
    if is_opaque {
        errors.at(ty, format_args!("a {} cannot return `impl ..`: write {write}", kind.word()));
    }
    is_opaque
}

/// Returns whether at most one parameter each takes the rest of the call, its result and its arguments.
pub(crate) fn each_role_once(parameters: &[Parameter], errors: &mut Errors) -> bool {
    for (what, is_it) in [
        ("the rest of the call", (|role: &Role| matches!(role, Role::Next)) as fn(&Role) -> bool),
        ("the result", |role| matches!(role, Role::Outcome)),
        ("the arguments", |role| matches!(role, Role::Args)),
        ("the text of the run", |role| matches!(role, Role::Text(..))),
        ("this part", |role| matches!(role, Role::Part(0))),
        ("this part", |role| matches!(role, Role::Part(1))),
        ("this part", |role| matches!(role, Role::Part(2))),
        ("this part", |role| matches!(role, Role::Part(3))),
    ] {
        if let Some(second) = parameters.iter().filter(|parameter| is_it(&parameter.role)).nth(1) {
            errors.at(&second.ty, format_args!("another parameter takes {what} already; remove one of them"));
            return false;
        }
    }
    true
}
