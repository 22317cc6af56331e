//! The parameters of hooks and guardrails: what fills each one.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, FnArg, GenericParam, Lifetime, Meta, Pat, Token, Type, TypeParamBound};

use super::options::{MiddlewareKind, Options};
use super::place::{Family, MESSAGE, Part, Place, RUN, TURN};
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
    /// The input or the answer of the run: the trait that gives it.
    Text(&'static str),
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
                    "a {}'s parameter must have a plain name, which says what fills it; destructure the value in the body",
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
                            "write `#[config]` and `#[inject]` without options; {whom} writes the value"
                        ),
                    );
                }
                if let Some(second) = more.first() {
                    errors.at(second, "a parameter takes `#[config]` or `#[inject]`, not both");
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
            [] if let MiddlewareKind::At(place) = kind => at_place(name, &typed.ty, place, errors)?,
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

/// The error for a parameter of a type that the runtime cannot have a value of: a number, a text.
pub(super) fn nothing_fills(kind: MiddlewareKind) -> String {
    let by_name = match kind {
        MiddlewareKind::Hook | MiddlewareKind::Input | MiddlewareKind::Output => {
            ", or call it `name` for the name of the tool"
        }
        MiddlewareKind::At(Place { family: Family::BeforeRun, .. }) => {
            ", or call it `input` for the input of the run"
        }
        MiddlewareKind::At(Place { family: Family::AfterRun, .. }) => {
            ", or call it `answer` for the answer of the run"
        }
        MiddlewareKind::At(Place { family: Family::Turn | Family::Message, .. }) => "",
    };
    format!("nothing fills this: write `#[config]` for a value that {} writes{by_name}", kind.configured_by())
}

/// What fills a parameter of a hook at a place without an attribute of ours.
fn at_place(name: &str, ty: &Type, place: Place, errors: &mut Errors) -> Option<Role> {
    let Place { family, method, parts, .. } = place;
    let found = match family {
        Family::BeforeRun | Family::AfterRun => run_role(name, ty, family),
        Family::Turn | Family::Message => part_role(name, ty, family, parts),
    };
    let (word, is_call) = (family.word(), is_next_type(ty, &Generics::default()) || is_named(ty, "Args"));
    let message = match found {
        Some(Ok(role)) => return Some(role),
        Some(Err(message)) => message,
        None if is_named(ty, "ToolContext") => {
            format!("a {word} runs outside of tool calls: take the run, `&RunContext`")
        }
        None if is_call => {
            wraps_no_call(word, if is_named(ty, "Args") { "`Args`" } else { "`next`" })
        }
        None if family == Family::Message && parts.iter().any(|part| part.is_type(ty)) => {
            "sender and recipient have the same type, so the name must say which: `sender: &Participant` or `recipient: &Participant`"
                .to_owned()
        }
        None if family.parts().any(|part| part.name == name || part.is_type(ty)) => {
            let parts: Vec<_> = parts.iter().map(Part::parameter).collect();
            let parts = parts.join(if parts.len() == 2 { " and " } else { ", " });
            format!("`{method}` does not give this; it gives {parts}")
        }
        None => return Some(Role::Inject),
    };
    errors.at(ty, message);
    None
}

/// The error for a parameter that only a hook around calls can have.
pub(crate) fn wraps_no_call(word: &str, parameter: &str) -> String {
    format!(
        "a {word} does not wrap a call, so it takes no {parameter}; to wrap calls, write a `#[tool_hook]`"
    )
}

/// The text of a run, if this parameter takes it, or the error for that of the other place.
fn run_role(name: &str, ty: &Type, family: Family) -> Option<Result<Role, String>> {
    let is_input = INPUT.contains(&name) || is_named(ty, "RunInput");
    let is_answer = ANSWER.contains(&name) || is_named(ty, "RunAnswer");
    let is_after = family == Family::AfterRun;
    if !is_input && !is_answer {
        return None;
    }
    Some(if is_after && !is_answer {
        Err("a hook after the run gets its answer: write `answer: &mut RunAnswer` or `answer: &str`; a `#[run_hook(pre)]` gets the input".to_owned())
    } else if !is_after && !is_input {
        Err("there is no answer before the run: take the input, `input: &mut RunInput` or `input: &str`, or write `#[run_hook(post)]`".to_owned())
    } else if is_after {
        Ok(Role::Text("InjectAnswer"))
    } else {
        Ok(Role::Text("InjectInput"))
    })
}

/// The part of a turn or of a message that a parameter takes, or the error for its type. The name counts first, because sender
/// and recipient have one type.
fn part_role(name: &str, ty: &Type, family: Family, parts: &[Part]) -> Option<Result<Role, String>> {
    let by_type = || parts.iter().position(|part| part.is_type(ty) && part.ty != "Participant");
    let index = parts.iter().position(|part| part.name == name).or_else(by_type)?;
    let part = &parts[index];
    let fits = match ungrouped(ty) {
        Type::Reference(reference) => {
            // The types of a turn can have other names, but not those of other values.
            let is_type = part.is_type(ty) || family == Family::Turn && !is_another_value(ty);
            is_type && (part.changes || reference.mutability.is_none())
        }
        Type::Path(path) => part.is_flag() && path.path.is_ident("bool"),
        _ => false,
    };
    Some(if fits { Ok(Role::Part(index)) } else { Err(format!("write {}", part.parameter())) })
}

/// Returns whether a type has the name of a value that hooks take elsewhere.
fn is_another_value(ty: &Type) -> bool {
    let of_calls = ["Args", "ToolResult", "ToolOutput", "ToolContext", "String", "str"];
    let mut parts = [RUN, TURN, MESSAGE].into_iter().flatten().flat_map(|(_, place)| place.parts);
    of_calls.iter().any(|name| is_named(ty, name)) || parts.any(|part| part.is_type(ty))
}

impl Part {
    /// Returns whether a type has the name of its own.
    fn is_type(&self, ty: &Type) -> bool {
        !self.is_flag() && is_named(ty, self.ty)
    }
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
                                    "the type of `next` must be `{}: Next`, without other bounds",
                                    param.ident
                                ),
                            );
                        }
                    } else {
                        let message = match kind {
                            MiddlewareKind::Hook => {
                                "a hook cannot be generic, except for the type of `next`: write a concrete type"
                            }
                            MiddlewareKind::At(_) => {
                                &*format!("a {word} cannot be generic: write a concrete type")
                            }
                            MiddlewareKind::Input | MiddlewareKind::Output => {
                                "a guardrail cannot be generic: write a concrete type"
                            }
                        };
                        errors.at(&param.ident, message);
                    }
                }
                GenericParam::Const(param) => {
                    errors.at(
                        &param.ident,
                        format_args!(
                            "a {word} cannot have const parameters; take the value as `#[config] n: usize`"
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
