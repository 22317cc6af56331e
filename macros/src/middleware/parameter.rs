//! The parameters of hooks and guardrails: what fills each one.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, FnArg, GenericParam, Lifetime, Meta, Pat, Token, Type, TypeParamBound};

use super::options::{MessagePlace, MiddlewareKind, Options, TurnPart, TurnPlace};
use crate::diag::Errors;
use crate::injected::is_named;
use crate::item::FnItem;
use crate::param::Param;

/// One parameter and what fills it.
pub(crate) struct Parameter {
    pub(crate) role: Role,
    pub(crate) ty: Type,
    pub(crate) cfgs: Vec<Attribute>,
}

pub(crate) enum Role {
    /// `&ToolContext`, which needs no injection.
    Context,
    /// The arguments of the call.
    Args,
    /// The rest of the call.
    Next,
    /// The tool's name.
    Name,
    /// The result of the call.
    Outcome,
    /// The input or the answer of the run.
    Text,
    /// A part of the turn or of the message, by its index.
    Part(usize),
    /// A value that `agent!` writes in parentheses after the hook's name.
    Config(Ident),
    /// Anything else that the runtime has.
    Inject,
    /// Filled from the agent's state.
    Bound(Box<Param>),
}

const NEXT: &[&str] = &["next", "call_next", "func", "function", "function_call"];
const ARGS: &[&str] = &["args", "arguments"];
const NAME: &[&str] = &["name", "function_name"];
const OUTCOME: &[&str] = &["result", "output"];
const INPUT: &[&str] = &["input", "run_input"];
const ANSWER: &[&str] = &["answer", "output", "run_output"];

impl Parameter {
    /// Reads a parameter. `attrs` are our attributes, which were taken off it.
    pub(super) fn read(
        input: &FnArg,
        attrs: &[Attribute],
        bound: Option<Param>,
        generics: &Generics,
        options: &Options,
        errors: &mut Errors,
    ) -> Option<Self> {
        let (kind, typed_hook) = (options.kind, options.tool.is_some());
        let typed = match input {
            FnArg::Receiver(receiver) => {
                errors.at(receiver, kind.method());
                return None;
            }
            FnArg::Typed(typed) => typed,
        };
        let ident = match &*typed.pat {
            Pat::Ident(pat) if pat.subpat.is_none() => Some(pat.ident.clone()),
            Pat::Wild(_) => None,
            other => {
                errors.at(
                other,
                format_args!(
                    "a {}'s parameter has a plain name, which says what fills it; take the value apart in the body",
                    kind.word()
                ),
            );
                return None;
            }
        };
        let name = ident.as_ref().map(|ident| ident.unraw().to_string()).unwrap_or_default();
        // An unused parameter keeps its meaning: `_ctx`, `_args`.
        let name = name.trim_start_matches('_');
        let is = |names: &[&str]| names.contains(&name);
        let role = match attrs {
            _ if bound.is_some() => bound.map_or(Role::Inject, |bound| Role::Bound(Box::new(bound))),
            [attr, more @ ..] => {
                if !matches!(attr.meta, Meta::Path(_)) {
                    let whom = kind.configured_by();
                    errors.at(
                        attr,
                        format_args!(
                            "write it without options: `#[config]`, `#[inject]`; {whom} writes the value"
                        ),
                    );
                }
                if let Some(second) = more.first() {
                    errors.at(second, "one of `#[config]` and `#[inject]` is enough");
                }
                if attr.path().is_ident("inject") {
                    Role::Inject
                } else if let Some(ident) = ident {
                    Role::Config(ident)
                } else {
                    errors.at(&typed.pat, "a `#[config]` parameter needs a name");
                    return None;
                }
            }
            [] if kind.is_of_run() => match kind {
                MiddlewareKind::Turn(place) => of_turn(name, &typed.ty, place, errors)?,
                MiddlewareKind::Message(place) => of_message(name, &typed.ty, place, errors)?,
                _ => of_run(name, &typed.ty, kind, errors)?,
            },
            [] if is(NEXT) || is_next_type(&typed.ty, generics) => Role::Next,
            [] if is(ARGS)
                || is_named(&typed.ty, "Args")
                || (typed_hook && is_named(&typed.ty, "ArgsOf")) =>
            {
                Role::Args
            }
            [] if is(NAME) => Role::Name,
            [] if is(OUTCOME) => Role::Outcome,
            [] if matches!(ungrouped(&typed.ty), Type::Reference(_))
                && is_named(&typed.ty, "ToolContext") =>
            {
                Role::Context
            }
            [] => {
                if matches!(ungrouped(&typed.ty), Type::Path(_)) && is_named(&typed.ty, "ToolContext") {
                    errors.at(&typed.ty, "the context of a call is shared: write `&ToolContext`");
                }
                Role::Inject
            }
        };
        let cfgs = typed.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).cloned().collect();
        let mut ty = (*typed.ty).clone();
        Plain { lifetimes: &generics.lifetimes }.visit_type_mut(&mut ty);
        Some(Self { role, ty, cfgs })
    }
}

/// What fills a parameter of a run hook without an attribute of ours.
fn of_run(name: &str, ty: &Type, kind: MiddlewareKind, errors: &mut Errors) -> Option<Role> {
    let is = |names: &[&str]| names.contains(&name);
    let (is_input, is_answer) =
        (is(INPUT) || is_named(ty, "RunInput"), is(ANSWER) || is_named(ty, "RunAnswer"));
    let message = match kind {
        MiddlewareKind::AfterRun if is_input && !is_answer => {
            "a hook after the run gets its answer: write `answer: &mut RunAnswer` or `answer: &str`; a `#[run_hook(pre)]` gets the input"
        }
        MiddlewareKind::BeforeRun if is_answer && !is_input => {
            "there is no answer before the run: take the input, `input: &mut RunInput` or `input: &str`, or write `#[run_hook(post)]`"
        }
        _ if is_input || is_answer => return Some(Role::Text),
        _ if is_named(ty, "ToolContext") => {
            "a run hook runs outside of tool calls: take the run, `&RunContext`"
        }
        _ if is_next_type(ty, &Generics::default()) || is_named(ty, "Args") => {
            "a run hook has no call of a tool around it: what goes around calls is a `#[tool_hook]`"
        }
        _ => return Some(Role::Inject),
    };
    errors.at(ty, message);
    None
}

/// What fills a parameter of a turn hook without an attribute of ours.
fn of_turn(name: &str, ty: &Type, place: TurnPlace, errors: &mut Errors) -> Option<Role> {
    let is = |part: &TurnPart| part.name == name || is_named(ty, part.ty);
    let parts = place.parts();
    if let Some(index) = parts.iter().position(is) {
        let part = &parts[index];
        match ungrouped(ty) {
            Type::Reference(reference) if part.changes || reference.mutability.is_none() => {
                return Some(Role::Part(index));
            }
            _ => errors.at(ty, format_args!("write {}", part.parameter())),
        }
    } else if is_named(ty, "ToolContext") {
        errors.at(ty, "a turn hook runs outside of tool calls: take the run, `&RunContext`");
    } else if is_next_type(ty, &Generics::default()) || is_named(ty, "Args") {
        errors.at(
            ty,
            "a turn hook has no rest of a call, and gets the call as a whole: what goes around calls is a `#[tool_hook]`",
        );
    } else if TurnPlace::ALL.iter().any(|other| other.parts().iter().any(is)) {
        let parts: Vec<_> = parts.iter().map(TurnPart::parameter).collect();
        let (method, parts) = (place.method(), parts.join(" and "));
        errors.at(ty, format_args!("there is nothing of this kind in `{method}`: it has {parts}"));
    } else {
        return Some(Role::Inject);
    }
    None
}

/// What fills a parameter of a message hook without an attribute of ours. The name counts first, because sender and recipient have
/// one type.
fn of_message(name: &str, ty: &Type, place: MessagePlace, errors: &mut Errors) -> Option<Role> {
    let is_named_as = |part: &TurnPart| part.name == name;
    let is_typed_as = |part: &TurnPart| !part.is_flag() && is_named(ty, part.ty);
    let (parts, method) = (place.parts(), place.method());
    let by_type = || parts.iter().position(|part| is_typed_as(part) && part.ty != "Participant");
    if let Some(index) = parts.iter().position(is_named_as).or_else(by_type) {
        let part = &parts[index];
        match ungrouped(ty) {
            Type::Reference(reference)
                if is_typed_as(part) && (part.changes || reference.mutability.is_none()) =>
            {
                return Some(Role::Part(index));
            }
            Type::Path(path) if part.is_flag() && path.path.is_ident("bool") => {
                return Some(Role::Part(index));
            }
            _ => errors.at(ty, format_args!("write {}", part.parameter())),
        }
    } else if is_named(ty, "ToolContext") {
        errors.at(ty, "a message hook runs outside of tool calls: take the run, `&RunContext`");
    } else if is_next_type(ty, &Generics::default()) || is_named(ty, "Args") {
        errors.at(
            ty,
            "a message hook has no call of a tool around it: what goes around calls is a `#[tool_hook]`",
        );
    } else if parts.iter().any(is_typed_as) {
        errors.at(
            ty,
            "sender and recipient have one type, so the name says which: `sender: &Participant` or `recipient: &Participant`",
        );
    } else if MessagePlace::ALL
        .iter()
        .any(|other| other.parts().iter().any(|part| is_named_as(part) || is_typed_as(part)))
    {
        let parts: Vec<_> = parts.iter().map(TurnPart::parameter).collect();
        let parts = parts.join(", ");
        errors.at(ty, format_args!("there is nothing of this kind in `{method}`: it has {parts}"));
    } else {
        return Some(Role::Inject);
    }
    None
}

/// The type parameters of a hook: only the type of `next` may be one.
#[derive(Default)]
pub(super) struct Generics {
    types: Vec<Ident>,
    pub(super) lifetimes: Vec<Ident>,
}

impl Generics {
    pub(super) fn read(function: &FnItem, kind: MiddlewareKind, errors: &mut Errors) -> Self {
        let (sig, word) = (&function.sig, kind.word());
        let mut generics = Self { types: Vec::new(), lifetimes: Vec::new() };
        for param in &sig.generics.params {
            match param {
                GenericParam::Lifetime(param) => generics.lifetimes.push(param.lifetime.ident.clone()),
                GenericParam::Type(param) => {
                    let is_next = kind == MiddlewareKind::Hook
                        && sig.inputs.iter().any(|input| match input {
                            FnArg::Typed(typed) => is_ident(&typed.ty, &param.ident),
                            FnArg::Receiver(_) => false,
                        });
                    if is_next && generics.types.is_empty() {
                        generics.types.push(param.ident.clone());
                        if !can_be_next(&param.bounds) {
                            errors.at(
                                &param.ident,
                                format_args!(
                                    "the type of `next` is `{}: Next` and nothing more",
                                    param.ident
                                ),
                            );
                        }
                    } else {
                        errors.at(
                            &param.ident,
                            match kind {
                                MiddlewareKind::Hook => {
                                    "only the type of `next` can be a type parameter of a hook: a hook is one thing for \
                                     all tools"
                                }
                                MiddlewareKind::Turn(_) => {
                                    "a turn hook is one thing for all agents: write the type itself"
                                }
                                MiddlewareKind::Message(_) => {
                                    "a message hook is one thing for all agents: write the type itself"
                                }
                                MiddlewareKind::BeforeRun | MiddlewareKind::AfterRun => {
                                    "a run hook is one thing for all agents: write the type itself"
                                }
                                MiddlewareKind::Input | MiddlewareKind::Output => {
                                    "a guardrail is one thing for all tools: write the type itself"
                                }
                            },
                        );
                    }
                }
                GenericParam::Const(param) => {
                    errors.at(
                        &param.ident,
                        format_args!(
                            "a {word} has no const parameters; take the value as `#[config] n: usize`"
                        ),
                    );
                }
            }
        }
        generics
    }
}

fn is_ident(ty: &Type, ident: &Ident) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident(ident))
}

/// Makes a type usable outside of the hook's signature: without the lifetimes that the hook declares, and without the
/// invisible groups of `macro_rules`.
pub(super) struct Plain<'a> {
    pub(super) lifetimes: &'a [Ident],
}

impl VisitMut for Plain<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        while let Type::Group(group) = ty {
            let inner = (*group.elem).clone();
            *ty = inner;
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if self.lifetimes.contains(&lifetime.ident) {
            lifetime.ident = Ident::new("_", lifetime.ident.span());
        }
    }
}

fn is_next_type(ty: &Type, generics: &Generics) -> bool {
    let ty = ungrouped(ty);
    matches!(ty, Type::ImplTrait(_)) || generics.types.iter().any(|param| is_ident(ty, param))
}

/// The type inside the invisible groups of `macro_rules`.
fn ungrouped(mut ty: &Type) -> &Type {
    while let Type::Group(group) = ty {
        ty = &group.elem;
    }
    ty
}

/// Returns whether these bounds can be those of the rest of a call. An alias of `Next` can, a trait of the standard library
/// cannot. rustc decides about others.
pub(super) fn can_be_next(bounds: &Punctuated<TypeParamBound, Token![+]>) -> bool {
    const NOT: &[&str] = &[
        "Fn",
        "FnMut",
        "FnOnce",
        "AsyncFn",
        "AsyncFnMut",
        "AsyncFnOnce",
        "Future",
        "Display",
        "Debug",
        "Iterator",
    ];
    let mut names = bounds.iter().filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    });
    names.all(|name| !NOT.contains(&name.as_str()))
}
