//! What a hook's signature says.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, FnArg, GenericParam, Lifetime, Meta, Pat, ReturnType, Signature, Token, Type, TypeParamBound,
    Visibility,
};

use super::attr::{Form, Kind, Options};
use crate::diag::Errors;
use crate::item::{FnItem, is_reserved, misspelt};
use crate::paths::Runtime;

/// A hook, understood.
pub(crate) struct Hook {
    pub(crate) kind: Kind,
    pub(crate) name: Ident,
    pub(crate) type_name: Ident,
    pub(crate) vis: Visibility,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) form: Form,
    pub(crate) is_async: bool,
    /// The tool of a typed hook.
    pub(crate) tool: Option<syn::Path>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) returns: ReturnType,
    /// It declares lifetimes of its own.
    pub(crate) has_lifetimes: bool,
    pub(crate) runtime: Runtime,
}

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
    /// What `agent!` writes in parentheses after the hook's name.
    Config(Ident),
    /// Anything else that the runtime has.
    Inject,
}

const NEXT: &[&str] = &["next", "call_next", "func", "function", "function_call"];
const ARGS: &[&str] = &["args", "arguments"];
const NAME: &[&str] = &["name", "function_name"];
const OUTCOME: &[&str] = &["result", "output"];

impl Hook {
    /// Reads the signature and takes our attributes off it.
    pub(crate) fn read(function: &mut FnItem, options: Options, errors: &mut Errors) -> Option<Self> {
        let kind = options.kind;
        let mut taken = Vec::new();
        for parameter in &mut function.sig.inputs {
            misspelt(parameter, PARAMETER_ATTRIBUTES, others(kind), errors);
            taken.push(FnItem::take_attrs(parameter, PARAMETER_ATTRIBUTES));
        }
        let (again, attrs) =
            std::mem::take(&mut function.attrs).into_iter().partition(|attr| is_ours(attr, kind));
        function.attrs = attrs;
        let again: Vec<Attribute> = again;
        for attr in again {
            errors
                .at(attr, format_args!("`#[{}]` stands twice on this function; keep one", kind.attribute()));
        }
        let sig = &function.sig;
        refuse_qualifiers(function, kind, errors);
        let generics = Generics::read(function, kind, errors);
        let mut parameters = Vec::new();
        for (input, attrs) in sig.inputs.iter().zip(taken) {
            parameters.extend(parameter(input, &attrs, &generics, &options, errors));
        }
        open_next(function, &parameters);
        let sig = &function.sig;
        one_state(&parameters, kind, errors);
        let form = form(&parameters, &options, errors)?;
        check_form(function, form, &parameters, &options, errors);
        let mut returns = sig.output.clone();
        Plain { lifetimes: &generics.lifetimes }.visit_return_type_mut(&mut returns);
        let type_name = options.type_name.unwrap_or_else(|| sig.ident.clone());
        if is_reserved(&type_name.unraw().to_string()) {
            errors.push(
                type_name.span(),
                format_args!(
                    "a {} cannot be called `{type_name}`: its type would hide the one of that name; give the type \
                     another name with `{}`",
                    kind.word(),
                    match kind {
                        Kind::Hook => "#[tool_hook(type_name = ..)]",
                        Kind::Input => "#[guardrail(input, type_name = ..)]",
                        Kind::Output => "#[guardrail(output, type_name = ..)]",
                    },
                ),
            );
        }
        Some(Self {
            kind,
            name: sig.ident.clone(),
            type_name,
            vis: function.vis.clone(),
            cfgs: function.cfgs().into_iter().cloned().collect(),
            form,
            is_async: sig.asyncness.is_some(),
            tool: options.tool,
            parameters,
            returns,
            has_lifetimes: !generics.lifetimes.is_empty(),
            runtime: Runtime::new(options.crate_path),
        })
    }
}

pub(crate) fn method(kind: Kind) -> &'static str {
    match kind {
        Kind::Hook => {
            "a hook is a free function; for a hook with state take `#[config]` parameters or write `impl \
             onionskin::Hook for ..`"
        }
        Kind::Input => {
            "a guardrail is a free function; for one with state take `#[config]` parameters or write `impl \
             onionskin::InputGuardrail for ..`"
        }
        Kind::Output => {
            "a guardrail is a free function; for one with state take `#[config]` parameters or write `impl \
             onionskin::OutputGuardrail for ..`"
        }
    }
}

/// What stands on a tool's parameter.
fn others(kind: Kind) -> (&'static [&'static str], &'static str) {
    match kind {
        Kind::Hook => {
            (&["arg"], "`#[arg]` is for tools; the value that `agent!` writes for a hook is `#[config]`")
        }
        Kind::Input | Kind::Output => {
            (&["arg"], "`#[arg]` is for tools; the value that a tool writes for a guardrail is `#[config]`")
        }
    }
}

const PARAMETER_ATTRIBUTES: &[&str] = &["config", "inject"];

fn is_ours(attr: &Attribute, kind: Kind) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == kind.attribute())
}

fn refuse_qualifiers(function: &FnItem, kind: Kind, errors: &mut Errors) {
    let (sig, word) = (&function.sig, kind.word());
    if let syn::Safety::Unsafe(token) = &sig.safety {
        errors.at(
            token,
            format_args!(
                "a {word} cannot be `unsafe`, because the runtime calls it; drop the word, and check inside"
            ),
        );
    }
    if let Some(abi) = &sig.abi {
        errors.at(abi, format_args!("a {word} is a plain Rust function; take the ABI off"));
    }
    if let Some(token) = &sig.constness {
        errors.at(token, format_args!("a {word} cannot be `const`; take the word off"));
    }
}

/// The type parameters of a hook: only the type of `next` may be one.
struct Generics {
    types: Vec<Ident>,
    lifetimes: Vec<Ident>,
}

impl Generics {
    fn read(function: &FnItem, kind: Kind, errors: &mut Errors) -> Self {
        let (sig, word) = (&function.sig, kind.word());
        let mut generics = Self { types: Vec::new(), lifetimes: Vec::new() };
        for param in &sig.generics.params {
            match param {
                GenericParam::Lifetime(param) => generics.lifetimes.push(param.lifetime.ident.clone()),
                GenericParam::Type(param) => {
                    let is_next = kind == Kind::Hook
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
                                Kind::Hook => {
                                    "only the type of `next` can be a type parameter of a hook: a hook is one thing for \
                                     all tools"
                                }
                                Kind::Input | Kind::Output => {
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

fn parameter(
    input: &FnArg,
    attrs: &[Attribute],
    generics: &Generics,
    options: &Options,
    errors: &mut Errors,
) -> Option<Parameter> {
    let (kind, typed_hook) = (options.kind, options.is_typed);
    let typed = match input {
        FnArg::Receiver(receiver) => {
            errors.at(receiver, method(kind));
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
        [attr, more @ ..] => {
            if !matches!(attr.meta, Meta::Path(_)) {
                let whom = if kind == Kind::Hook { "`agent!`" } else { "the tool" };
                errors.at(
                    attr,
                    format_args!("this stands alone: `#[config]`, `#[inject]`; {whom} writes the value"),
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
        [] if is(NEXT) || is_next_type(&typed.ty, generics) => Role::Next,
        [] if is(ARGS)
            || last_segment(&typed.ty) == "Args"
            || (typed_hook && last_segment(&typed.ty) == "ArgsOf") =>
        {
            Role::Args
        }
        [] if is(NAME) => Role::Name,
        [] if is(OUTCOME) => Role::Outcome,
        [] if matches!(ungrouped(&typed.ty), Type::Reference(_))
            && last_segment(&typed.ty) == "ToolContext" =>
        {
            Role::Context
        }
        [] => {
            if matches!(ungrouped(&typed.ty), Type::Path(_)) && last_segment(&typed.ty) == "ToolContext" {
                errors.at(&typed.ty, "the context of a call is shared: write `&ToolContext`");
            }
            Role::Inject
        }
    };
    let cfgs = typed.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).cloned().collect();
    let mut ty = (*typed.ty).clone();
    Plain { lifetimes: &generics.lifetimes }.visit_type_mut(&mut ty);
    check_type(&role, &ty, options, errors);
    Some(Parameter { role, ty, cfgs })
}

/// Makes a type one that can stand outside of the hook's signature: without the lifetimes that the hook
/// declares, and without the invisible groups around what a `macro_rules` macro passed on.
struct Plain<'a> {
    lifetimes: &'a [Ident],
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

/// The states that hooks and tools take are held against the agent's one.
fn one_state(parameters: &[Parameter], kind: Kind, errors: &mut Errors) {
    let is_state = |parameter: &&Parameter| {
        matches!(parameter.role, Role::Inject)
            && matches!(parameter.ty, Type::Path(_))
            && last_segment(&parameter.ty) == "State"
            && parameter.cfgs.is_empty()
    };
    let mut states = parameters.iter().filter(is_state).map(|parameter| &parameter.ty);
    let Some(first) = states.next() else { return };
    let words = |ty: &Type| ty.to_token_stream().to_string().replace(' ', "");
    for other in states.filter(|other| words(other) != words(first)) {
        errors.at(
            other,
            format_args!("an agent has one state, and this {} already takes `{}`", kind.word(), words(first)),
        );
    }
}

/// `next: &dyn Next` is an error of ours, and one of rustc's, which knows that `Next` cannot be `dyn`: the function is
/// given back with `impl Next`.
fn open_next(function: &mut FnItem, parameters: &[Parameter]) {
    struct Open<'a>(&'a mut Option<Type>);

    impl<'ast> Visit<'ast> for Open<'_> {
        fn visit_type_trait_object(&mut self, ty: &'ast syn::TypeTraitObject) {
            let bounds = &ty.bounds;
            *self.0 = Some(syn::parse_quote!(impl #bounds));
        }
    }

    for (input, parameter) in function.sig.inputs.iter_mut().zip(parameters) {
        if let FnArg::Typed(typed) = input
            && matches!(parameter.role, Role::Next)
        {
            let mut open = None;
            Open(&mut open).visit_type(&parameter.ty);
            if let Some(open) = open {
                *typed.ty = open;
            }
        }
    }
}

impl Hook {
    /// Names the tool of a typed hook otherwise, in the function's signature and in what was read of it.
    pub(crate) fn rename_tool(&mut self, sig: &mut Signature, name: &Ident) {
        let Some(tool) = &self.tool else { return };
        let mut rename = Rename { tool: tool.to_token_stream().to_string(), name };
        for input in &mut sig.inputs {
            rename.visit_fn_arg_mut(input);
        }
        rename.visit_return_type_mut(&mut sig.output);
        rename.visit_generics_mut(&mut sig.generics);
        for parameter in &mut self.parameters {
            rename.visit_type_mut(&mut parameter.ty);
        }
        rename.visit_return_type_mut(&mut self.returns);
    }
}

struct Rename<'a> {
    tool: String,
    name: &'a Ident,
}

impl VisitMut for Rename<'_> {
    fn visit_type_path_mut(&mut self, ty: &mut syn::TypePath) {
        visit_mut::visit_type_path_mut(self, ty);
        if ty.qself.is_none() && ty.path.to_token_stream().to_string() == self.tool {
            ty.path = self.name.clone().into();
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

/// The last segment of a path, behind references.
pub(crate) fn last_segment(ty: &Type) -> String {
    match ty {
        Type::Reference(reference) => last_segment(&reference.elem),
        Type::Paren(paren) => last_segment(&paren.elem),
        Type::Group(group) => last_segment(&group.elem),
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default(),
        _ => String::new(),
    }
}

/// What is plainly wrong by its shape; the rest is the compiler's to check.
fn check_type(role: &Role, ty: &Type, options: &Options, errors: &mut Errors) {
    let typed_hook = options.is_typed;
    match role {
        // That there is one at all is the mistake.
        Role::Next if options.kind != Kind::Hook => {}
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
                        "in a typed hook the rest of the call is `impl TypedNext<tool>`"
                    } else {
                        "the rest of the call is `impl Next`; a typed hook names its tool: `#[tool_hook(tool = ..)]`"
                    },
                );
            } else if !is_open {
                errors.at(ty, "the rest of the call is `impl Next` (in a typed hook `impl TypedNext<tool>`)");
            }
        }
        Role::Args if !typed_hook => {
            if let Type::ImplTrait(_) = ty {
                errors.at(ty, "the arguments are `&mut Args`");
            }
        }
        Role::Config(_) => {
            if let Type::ImplTrait(_) = ty {
                let whom = if options.kind == Kind::Hook { "`agent!`" } else { "the tool" };
                errors.at(
                    ty,
                    format_args!(
                        "a `#[config]` parameter has a type of its own: {whom} writes a value for it"
                    ),
                );
            }
        }
        _ => {}
    }
}

fn has_bound(bounds: &Punctuated<TypeParamBound, Token![+]>, name: &str) -> bool {
    bounds.iter().any(|bound| {
        matches!(bound, TypeParamBound::Trait(bound)
            if bound.path.segments.last().is_some_and(|last| last.ident == name))
    })
}

/// Whether these bounds are those of the rest of a call. An alias of `Next` is, a trait of the standard
/// library is not; the rest is the compiler's to say.
fn can_be_next(bounds: &Punctuated<TypeParamBound, Token![+]>) -> bool {
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

fn form(parameters: &[Parameter], options: &Options, errors: &mut Errors) -> Option<Form> {
    let next = parameters.iter().find(|parameter| matches!(parameter.role, Role::Next));
    let outcome = parameters.iter().find(|parameter| matches!(parameter.role, Role::Outcome));
    for (what, is_it) in [
        ("the rest of the call stands", (|role: &Role| matches!(role, Role::Next)) as fn(&Role) -> bool),
        ("the result stands", |role| matches!(role, Role::Outcome)),
        ("the arguments stand", |role| matches!(role, Role::Args)),
    ] {
        if let Some(second) = parameters.iter().filter(|parameter| is_it(&parameter.role)).nth(1) {
            errors.at(&second.ty, format_args!("{what} in another parameter already; take one of them off"));
            return None;
        }
    }
    if options.kind != Kind::Hook {
        return crate::guardrail::form(options.kind, next, outcome, errors);
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
        (Some(_), _) => Form::Around,
        (None, Some(_)) => Form::After,
        (None, None) => Form::Before,
    };
    match options.form {
        None => Some(by_signature),
        Some((form, _)) if form == by_signature => Some(form),
        Some((form, span)) => {
            errors.push(span, match form {
                Form::Around => "an around hook takes the rest of the call: add `next: impl Next`",
                Form::Before if next.is_some() => "a before hook has no `next`: take it off, or write `around`",
                Form::Before => "a before hook has no result yet: take the parameter off, or write `after`",
                Form::After if next.is_some() => "an after hook has no `next`: take it off, or write `around`",
                Form::After => "an after hook takes the result: add `result: &mut ToolResult` or `output: &mut ToolOutput`",
            });
            None
        }
    }
}

fn check_form(
    function: &FnItem,
    form: Form,
    parameters: &[Parameter],
    options: &Options,
    errors: &mut Errors,
) {
    let sig = &function.sig;
    if options.kind != Kind::Hook {
        return crate::guardrail::check(function, parameters, options.kind, errors);
    }
    if options.tool.is_some() {
        let has_args = parameters.iter().any(|parameter| matches!(parameter.role, Role::Args));
        if form != Form::Around || !has_args {
            errors.at(
                &sig.ident,
                "a typed hook goes around its tool: it takes `args: ArgsOf<tool>` and `next: impl TypedNext<tool>`",
            );
            return;
        }
    }
    let opaque = match &sig.output {
        ReturnType::Type(_, ty) if matches!(**ty, Type::ImplTrait(_)) => Some(ty),
        _ => None,
    };
    if form == Form::Around && sig.asyncness.is_none() && opaque.is_none() {
        errors.at(sig.fn_token, "an around hook waits for the call inside: write `async fn`");
    }
    if form == Form::Around && matches!(sig.output, ReturnType::Default) {
        errors.at(&sig.ident, "an around hook gives the result of the call: write `-> ToolResult`");
    }
    if let Some(ty) = opaque {
        errors.at(
            ty,
            "a hook names what it returns: around `async fn .. -> ToolResult`, before `()` or `ToolResult<()>`",
        );
    }
    if let (Form::After, ReturnType::Default) = (form, &sig.output)
        && let Some(outcome) = parameters.iter().find(|parameter| matches!(parameter.role, Role::Outcome))
        && !matches!(outcome.ty, Type::Reference(_))
    {
        errors.push(
            outcome.ty.span(),
            "the result would be lost: return it (`-> ToolResult`), or borrow it (`&mut`)",
        );
    }
}
