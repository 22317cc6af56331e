//! Reads the signature of a hook or a guardrail.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, FnArg, ReturnType, Signature, Type, Visibility};

use super::check;
use super::options::{MiddlewareKind, Options};
use super::parameter::{Generics, Parameter, Plain, Role, nothing_fills};
use crate::diag::Errors;
use crate::docs;
use crate::injected::is_plain;
use crate::item::{FnItem, is_reserved, misspelt};
use crate::param::Param;
use crate::paths::Runtime;

/// A hook or a guardrail, understood.
pub(crate) struct Middleware {
    pub(crate) kind: MiddlewareKind,
    pub(crate) name: Ident,
    pub(crate) type_name: Ident,
    pub(crate) vis: Visibility,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) is_async: bool,
    /// The tool of a typed hook.
    pub(crate) tool: Option<syn::Path>,
    /// The agent's state, as the options say it.
    pub(crate) state: Option<syn::Type>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) returns: ReturnType,
    /// It declares lifetimes of its own.
    pub(crate) has_lifetimes: bool,
    pub(crate) runtime: Runtime,
    /// What the function's documentation says first.
    pub(crate) summary: Option<TokenStream>,
}

impl Middleware {
    /// Reads the signature and takes our attributes off it. `held_to` checks the rules of a hook or of a guardrail; its
    /// result is returned too.
    pub(crate) fn read<F>(
        function: &mut FnItem,
        options: Options,
        held_to: impl FnOnce(&FnItem, &[Parameter], &Options, &mut Errors) -> Option<F>,
        errors: &mut Errors,
    ) -> Option<(Self, F)> {
        let kind = options.kind;
        let (mut taken, mut bound, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        for (index, parameter) in function.sig.inputs.iter_mut().enumerate() {
            let before = errors.count();
            // A bound parameter is read as a tool's, which takes its attributes off.
            bound.push(is_bound(parameter).then(|| read_bound(parameter, errors)).flatten());
            misspelt(parameter, PARAMETER_ATTRIBUTES, (&["arg"], &kind.for_tools()), errors);
            taken.push(FnItem::take_attrs(parameter, PARAMETER_ATTRIBUTES));
            wrong.extend((errors.count() > before).then_some(index));
        }
        let (again, attrs) =
            std::mem::take(&mut function.attrs).into_iter().partition(|attr| is_ours(attr, kind));
        function.attrs = attrs;
        let again: Vec<Attribute> = again;
        for attr in again {
            errors.at(attr, format_args!("`#[{}]` is on this function twice; keep one", kind.attribute()));
        }
        let sig = &function.sig;
        check::qualifiers(function, kind, errors);
        let generics = Generics::read(function, kind, errors);
        let mut parameters = Vec::new();
        for (index, ((input, attrs), bound)) in sig.inputs.iter().zip(taken).zip(bound).enumerate() {
            let before = errors.count();
            let read = Parameter::read(input, &attrs, bound, &generics, &options, errors);
            if let Some(Parameter { role, ty, .. }) = &read {
                check::ty(role, ty, &options, errors);
                // A wrong attribute may have said what fills it.
                if matches!(role, Role::Inject) && attrs.is_empty() && !wrong.contains(&index) && is_plain(ty)
                {
                    errors.at(ty, nothing_fills(kind));
                }
            }
            parameters.extend(read);
            wrong.extend((errors.count() > before).then_some(index));
        }
        function.mark_parameters(wrong);
        open_next(function, &parameters);
        let before = errors.count();
        check::one_state(&parameters, &options, errors);
        let form = held_to(function, &parameters, &options, errors);
        if errors.count() > before {
            function.mark_signature();
        }
        let form = form?;
        let sig = &function.sig;
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
                    kind.with_option("type_name = .."),
                ),
            );
        }
        let read = Self {
            kind,
            name: sig.ident.clone(),
            type_name,
            vis: function.vis.clone(),
            cfgs: function.cfgs().into_iter().cloned().collect(),
            is_async: sig.asyncness.is_some(),
            tool: options.tool,
            state: options.state,
            parameters,
            returns,
            has_lifetimes: !generics.lifetimes.is_empty(),
            runtime: Runtime::new(options.crate_path),
            summary: docs::page(&function.attrs),
        };
        Some((read, form))
    }
}

const PARAMETER_ATTRIBUTES: &[&str] = &["config", "inject", "bind"];

/// Reads a parameter that the agent's state fills as a tool's is read.
fn read_bound(parameter: &mut FnArg, errors: &mut Errors) -> Option<Param> {
    for config in FnItem::take_attrs(parameter, &["config"]) {
        errors.at(config, "a parameter is filled from one place: keep `#[bind(..)]` or `#[config]`");
    }
    Param::read(parameter, errors)
}

/// Returns whether the agent's state fills a parameter.
fn is_bound(parameter: &FnArg) -> bool {
    matches!(parameter, FnArg::Typed(typed) if typed.attrs.iter().any(|attr| attr.path().is_ident("bind")))
}

fn is_ours(attr: &Attribute, kind: MiddlewareKind) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == kind.attribute())
}

/// Replaces `next: &dyn Next` by `impl Next` in the function that is given back. We report it; rustc would report it again,
/// because `Next` cannot be `dyn`.
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

impl Middleware {
    /// Replaces the tool's path by an alias, in the function's signature and in this model.
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
