//! Parameters: who fills each one, and in which form it is passed.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{
    Attribute, Expr, ExprLit, Lit, Pat, PatType, Type, TypeFnPtr, TypeImplTrait, TypePtr, TypeTraitObject,
};

mod arg;
mod bind;
mod limits;
mod limits_check;
mod passed_as;
mod secret;
mod service;

pub(crate) use arg::{Arg, Fallback};
pub(crate) use bind::Bind;
pub(crate) use passed_as::{PassedAs, ReadAs, borrows, refers, success_type, with_lifetime};

use crate::diag::Errors;
use crate::docs::{self, Docs, computed};
use crate::injected::{is_injected, last_segment, plain, requested};
use crate::item::{FnItem, misspelt};
use crate::number::is_primitive;

pub(crate) enum Source {
    /// The runtime fills it.
    Injected,
    /// The model fills it.
    Model,
    /// It always has its default.
    Skipped,
    /// The agent's state fills it.
    Bound(Bind),
}

pub(crate) struct Param {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) source: Source,
    pub(crate) form: PassedAs,
    /// The type that is read: owned, but for [`PassedAs::Borrowing`].
    pub(crate) owned: TokenStream,
    /// The alias of the type that is read or injected, and the type behind it, where it has to be asked for.
    pub(crate) checked: Option<(Ident, TokenStream)>,
    pub(crate) name: String,
    pub(crate) description: TokenStream,
    pub(crate) has_description: bool,
    pub(crate) arg: Arg,
    pub(crate) cfgs: Vec<Attribute>,
}

/// Attributes of a hook's parameters, and the error for them.
const OTHERS: (&[&str], &str) = (
    &["config"],
    "`#[config]` is for hooks; a tool takes a value as `State<..>`, or as `#[arg(skip, default = ..)]`",
);

impl Param {
    /// Reads a parameter, and takes our attributes and its docs off it.
    pub(crate) fn read(parameter: &mut syn::FnArg, errors: &mut Errors) -> Option<Self> {
        misspelt(parameter, &["arg", "bind", "inject"], OTHERS, errors);
        let attrs = FnItem::take_attrs(parameter, &["doc", "arg", "bind", "inject"]);
        let syn::FnArg::Typed(PatType { pat, ty, attrs: rest, .. }) = parameter else { return None };
        let named = |name: &'static str| attrs.iter().filter(move |attr| attr.path().is_ident(name));
        let forced = named("inject").next();
        let arg = Arg::read(named("arg"), errors);
        if let (Some(inject), Some(_)) = (forced, named("arg").next()) {
            errors.at(
                inject,
                "a parameter is filled by the runtime (`#[inject]`) or by the model (`#[arg]`), not both",
            );
        }
        if let Some(inject) = forced
            && !matches!(inject.meta, syn::Meta::Path(_))
        {
            errors.at(inject, "`#[inject]` takes no options");
        }
        let bound = named("bind").next();
        if let Some(again) = named("bind").nth(1) {
            errors.at(again, "a parameter is filled from one place: keep one `#[bind(..)]`");
        }
        if let (Some(bound), Some(_)) = (bound, forced.or(named("arg").next())) {
            errors.at(
                bound,
                "a parameter is filled by the state (`#[bind(..)]`), by the runtime (`#[inject]`) or by the model (`#[arg]`): \
                 keep one of them",
            );
        }
        let bind = bound.and_then(|bound| Bind::read(bound, errors));
        let injected =
            forced.is_some() || (named("arg").next().is_none() && bound.is_none() && is_injected(ty));
        let ident = ident(pat, injected, errors)?;
        impl_trait(ty, errors);
        if let (true, Type::Reference(reference)) = (injected, plain(ty))
            && reference.mutability.is_some()
        {
            errors.at(reference, "injected values are shared: write `&` in place of `&mut`");
        }
        if let (true, None, Type::Path(_), Some(segment)) = (injected, forced, plain(ty), last_segment(ty))
            && segment.ident == "ToolContext"
        {
            errors.at(&*ty, "injected values are shared: write `&ToolContext`");
        }
        let (form, owned) =
            if injected { (PassedAs::Value, quote!()) } else { passed_as::classify(ty, errors) };
        if bound.is_some()
            && matches!(form, PassedAs::Cow | PassedAs::CowStr | PassedAs::OptionCowStr | PassedAs::Borrowing)
        {
            errors.at(
                &*ty,
                "a bound parameter takes the state's own type, by value or by `&`: `String` or `&str`",
            );
        }
        let source = match bind {
            Some(bind) => Source::Bound(bind),
            None if injected => Source::Injected,
            None if arg.skip || bound.is_some() => Source::Skipped,
            None => Source::Model,
        };
        if injected || bound.is_some() {
            service::check(ty, bound, errors);
        }
        if let Source::Model = source {
            no_data(ty, errors);
            if named("arg").next().is_none() {
                service::alone(ty, errors);
                secret::never_filled(ty, errors);
            }
        }
        if let Source::Bound(Bind::Key { default: Some(default), .. }) = &source {
            secret::never_written(ty, default, errors);
        }
        if matches!(source, Source::Model) {
            limits_check::check(ty, &arg, errors);
        }
        let name = arg.rename.as_ref().map_or_else(|| ident.unraw().to_string(), syn::LitStr::value);
        let (description, has_description) = match Docs::new(&attrs) {
            Docs::Lines(lines) => {
                let text = docs::whole(&lines);
                (quote!(#text), !text.is_empty())
            }
            Docs::Computed(parts) => (computed(&parts), true),
        };
        let cfgs = rest.iter().filter(|attr| attr.path().is_ident("cfg")).cloned().collect();
        Some(Self {
            ident,
            ty: (**ty).clone(),
            source,
            form,
            owned,
            checked: None,
            name,
            description,
            has_description,
            arg,
            cfgs,
        })
    }

    pub(crate) fn is_injected(&self) -> bool {
        matches!(self.source, Source::Injected)
    }

    /// The field of the agent's state that fills it.
    pub(crate) fn bound_field(&self) -> Option<&Expr> {
        if let Source::Bound(Bind::Field(field)) = &self.source { Some(field) } else { None }
    }

    /// The type that the context is asked for.
    pub(crate) fn requested(&self) -> &Type {
        requested(&self.ty).0
    }

    /// Returns whether the function takes a reference to the value that was made for it.
    pub(crate) fn is_lent(&self) -> bool {
        if self.is_injected() { requested(&self.ty).1 } else { self.form.is_reference() }
    }

    pub(crate) fn is_model(&self) -> bool {
        matches!(self.source, Source::Model)
    }

    /// The default, as an expression of the owned type.
    pub(crate) fn default_value(&self) -> Option<TokenStream> {
        match &self.arg.default {
            Some(Fallback::Expr(value)) => Some(self.as_owned(value)),
            Some(Fallback::TypeDefault(_)) => Some(self.default_of_type()),
            None if matches!(self.source, Source::Skipped) => Some(self.default_of_type()),
            None => None,
        }
    }

    /// A value that was written down, as the owned type.
    pub(crate) fn as_owned(&self, value: &Expr) -> TokenStream {
        let converts = matches!(
            self.form,
            PassedAs::Str | PassedAs::CowStr | PassedAs::Slice | PassedAs::Cow | PassedAs::Path
        );
        let optional =
            matches!(self.form, PassedAs::OptionStr | PassedAs::OptionCowStr | PassedAs::OptionPath);
        match value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if !self.is_plain() => {
                // rustc reports at the text that the type cannot be made of it.
                quote_spanned!(text.span().resolved_at(Span::mixed_site())=> <_ as __rt::FromText>::from_text(#text))
            }
            value if converts => quote!(::core::convert::Into::into(#value)),
            // It has no type to convert from.
            Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "None") => {
                quote!(#value)
            }
            value if optional => {
                quote!(::core::option::Option::map(#value, ::core::convert::Into::into))
            }
            value => quote!(#value),
        }
    }

    /// Returns whether the type shows that a call must contain the parameter.
    pub(crate) fn is_surely_required(&self) -> bool {
        let text = matches!(self.form, PassedAs::Str | PassedAs::Slice | PassedAs::CowStr);
        let named = last_segment(&self.ty).is_some_and(|last| last.ident == "String" || last.ident == "Vec");
        self.arg.default.is_none() && (text || named || self.is_plain())
    }

    /// Returns whether the type is a number, a `bool` or a `char`. Text does not convert into these, and rustc names the type.
    fn is_plain(&self) -> bool {
        matches!(&self.ty, Type::Path(path) if path.path.get_ident().is_some_and(|ident| is_primitive(&ident.to_string())))
    }

    fn default_of_type(&self) -> TokenStream {
        // The user's type, not its alias: it is in the error if it has no default.
        let ty = self.checked.as_ref().map_or(&self.owned, |(_, ty)| ty);
        quote_spanned!(self.ty.span()=> <#ty as ::core::default::Default>::default())
    }
}

fn ident(pat: &Pat, injected: bool, errors: &mut Errors) -> Option<Ident> {
    match pat {
        Pat::Ident(name) if name.subpat.is_none() && name.by_ref.is_none() => Some(name.ident.clone()),
        Pat::Wild(wild) if injected => Some(Ident::new("_unused", wild.span())),
        Pat::Wild(wild) => {
            errors.at(wild, "the model fills arguments by name: give this parameter a name");
            None
        }
        other => {
            errors.at(
                other,
                "a tool's parameter must have a plain name, by which the model fills it; destructure the value in the body: `let .. = \
                 name;`",
            );
            None
        }
    }
}

fn impl_trait(ty: &Type, errors: &mut Errors) {
    struct Find<'e>(&'e mut Errors);
    impl<'ast> Visit<'ast> for Find<'_> {
        fn visit_type_impl_trait(&mut self, ty: &'ast TypeImplTrait) {
            self.0.at(ty, "the model fills a concrete type: write one instead of `impl ..`");
        }
    }
    Find(errors).visit_type(ty);
}

/// Reports types that are not data.
fn no_data(ty: &Type, errors: &mut Errors) {
    struct Find<'e>(&'e mut Errors);
    impl<'ast> Visit<'ast> for Find<'_> {
        fn visit_type_trait_object(&mut self, ty: &'ast TypeTraitObject) {
            self.0.at(ty, "the model fills a concrete type: write one instead of `dyn ..`");
        }

        fn visit_type_fn_ptr(&mut self, ty: &'ast TypeFnPtr) {
            self.0.at(ty, "a model can only give data: take a value in place of a function");
        }

        fn visit_type_ptr(&mut self, ty: &'ast TypePtr) {
            self.0.at(ty, "a model can only give data: take the value itself in place of its address");
        }
    }
    Find(errors).visit_type(ty);
}
