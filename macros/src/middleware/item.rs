//! The type beside the function of a hook or a guardrail, with the same name: its values, and how programs and lists make
//! it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Type;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::model::Middleware;
use super::options::MiddlewareKind;
use super::parameter::Role;
use crate::injected::{is_named, requested};
use crate::item::type_ident;

/// The type beside the function, with its own `impl`s and these.
///
/// Nothing here allows `dead_code`: what is allowed counts as used, and uses the function. So rustc warns about the function of a hook that
/// nothing lists, and of these items, whose spans are a macro's, it reports none.
pub(crate) fn item(middleware: &Middleware, impls: &TokenStream) -> TokenStream {
    let rt = middleware.runtime.private();
    let ty = type_ident(&middleware.type_name);
    let vis = &middleware.vis;
    let cfgs = &middleware.cfgs;
    let name = middleware.name.unraw();
    let (what, place) = match middleware.kind {
        MiddlewareKind::Hook => ("tool hook", "`agent!`"),
        MiddlewareKind::Input => ("guardrail", "a tool's `input_guardrails`"),
        MiddlewareKind::Output => ("guardrail", "a tool's `output_guardrails`"),
        MiddlewareKind::At(place) => {
            let family = place.family;
            (family.word(), &*format!("the `{}s` of `agent!`", family.attribute()))
        }
    };
    let doc = format!("The {what} `{name}` as a type, to be named in {place}.");
    let summary = middleware.summary.iter().map(|summary| quote!(#[doc = #summary] #[doc = ""]));
    let fields = config_fields(middleware);
    let constructor = constructor(middleware, &ty);
    let values = values(middleware);
    quote! {
        #values
        #(#cfgs)*
        #(#summary)*
        #[doc = #doc]
        #vis struct #ty {
            #(#fields,)*
        }

        #(#cfgs)*
        #[allow(clippy::all, clippy::pedantic)]
        const _: () = {
            use #rt as __rt;
            #constructor
            #impls
        };
    }
}

/// The configuration: each value's name, its stored type, and how it is passed to the function.
pub(crate) fn config(middleware: &Middleware) -> impl Iterator<Item = (&Ident, TokenStream, TokenStream)> {
    middleware.parameters.iter().filter_map(|parameter| {
        let Role::Config(name) = &parameter.role else { return None };
        let ty = &parameter.ty;
        Some(match ty {
            Type::Reference(reference)
                if is_named(ty, "str") || matches!(&*reference.elem, Type::Slice(_)) =>
            {
                let elem = &reference.elem;
                (name, quote!(&'static #elem), quote!(self.#name))
            }
            Type::Reference(reference) => {
                let elem = &reference.elem;
                (name, quote!(#elem), quote!(&self.#name))
            }
            _ => (name, quote!(#ty), quote!(<#ty as ::core::clone::Clone>::clone(&self.#name))),
        })
    })
}

fn config_fields(middleware: &Middleware) -> Vec<TokenStream> {
    let (rt, known) = (middleware.runtime.private(), values_alias(&middleware.name));
    config(middleware).map(|(name, ty, _)| quote!(#name: <#known as #rt::Is>::Type<#ty>)).collect()
}

/// The alias that is an error if calls cannot share a value. rustc then reports no error in the types that use it.
pub(crate) fn values_alias(hook: &Ident) -> Ident {
    format_ident!("__ValuesOf_{}", hook.unraw(), span = Span::mixed_site())
}

fn values(middleware: &Middleware) -> Option<TokenStream> {
    let (rt, alias, cfgs) = (middleware.runtime.private(), values_alias(&middleware.name), &middleware.cfgs);
    let shared =
        config(middleware).map(|(_, ty, _)| quote_spanned!(ty.span()=> <#ty as #rt::SharedByCalls>::HOLDS));
    let shared = shared.reduce(|all, one| quote!(#all && #one))?;
    Some(quote! {
        #(#cfgs)*
        #[doc(hidden)]
        type #alias = #rt::Known<{ #shared }>;
    })
}

/// Writes `new`, with which a program makes one to add it at run time.
fn constructor(middleware: &Middleware, ty: &Ident) -> TokenStream {
    let vis = &middleware.vis;
    let names: Vec<_> = config(middleware).map(|(name, ..)| name).collect();
    let types = config(middleware).map(|(_, ty, _)| ty);
    let with = if names.is_empty() { "" } else { " with a value for each of its `#[config]` parameters" };
    let doc = format!("The {}{with}, to be added at run time.", middleware.kind.word());
    let default = names.is_empty().then(|| {
        quote! {
            impl ::core::default::Default for #ty {
                fn default() -> Self {
                    Self {}
                }
            }
        }
    });
    let types_again = config(middleware).map(|(_, ty, _)| ty);
    // With `for`, rustc reports a value that is not `Clone` only where the program clones the hook.
    let bounds = config(middleware).map(|(_, ty, _)| quote!(for<'__c> #ty: ::core::clone::Clone));
    quote! {
        impl ::core::clone::Clone for #ty
        where
            #(#bounds,)*
        {
            fn clone(&self) -> Self {
                Self { #(#names: <#types_again as ::core::clone::Clone>::clone(&self.#names),)* }
            }
        }

        impl #ty {
            #[doc = #doc]
            #[must_use]
            #[allow(private_interfaces)]
            #vis const fn new(#(#names: #types),*) -> Self {
                Self { #(#names,)* }
            }
        }

        #default
    }
}

/// The items with which lists make a hook or a guardrail, and the state that it uses.
pub(crate) struct Made {
    /// `type Made = ..;`
    pub(crate) ty: TokenStream,
    /// The `impl` that belongs to it.
    pub(crate) item: TokenStream,
}

pub(crate) fn made(middleware: &Middleware, ty: &Ident) -> Made {
    let names: Vec<_> = config(middleware).map(|(name, ..)| name).collect();
    let types: Vec<_> = config(middleware).map(|(_, ty, _)| ty).collect();
    // These are type parameters, because the state and the configuration may be less visible than the type.
    let state = state(middleware).map(|state| quote!(__rt::State<#state>: __rt::Same<As = __S>,));
    let state_type = if state.is_some() { quote!(__S) } else { quote!(()) };
    let count = names.len();
    let takes = (count > 0).then(|| {
        quote!(const TAKES: ::core::option::Option<::core::primitive::usize> = ::core::option::Option::Some(#count);)
    });
    let named = (count > 0).then(|| {
        let words = names.iter().map(|name| name.unraw().to_string());
        quote!(const NAMES: &'static [&'static ::core::primitive::str] = &[#(#words),*];)
    });
    let values = (count > 0).then(|| quote!((#(#types,)*): __rt::Same<As = __C>,));
    let values_type = if values.is_some() { quote!(__C) } else { quote!(()) };
    let given = values.as_ref().map(|_| quote!(let (#(#names,)*) = __rt::Same::back(__with);));
    let generics: Vec<_> = [state.as_ref().map(|_| &state_type), values.as_ref().map(|_| &values_type)]
        .into_iter()
        .flatten()
        .collect();
    if generics.is_empty() && middleware.tool.is_none() {
        return Made {
            ty: quote!(
                type Made = __rt::ByDefault;
            ),
            item: TokenStream::new(),
        };
    }
    let typed = middleware.tool.is_some().then(|| {
        let tool = tool_alias(&middleware.name);
        quote!(
            const TYPED: ::core::primitive::bool = true;
            const TOOL: ::core::option::Option<&'static ::core::primitive::str> =
                ::core::option::Option::Some(__rt::name_of_typed::<#tool>());
        )
    });
    let made_by = quote! {
        #[diagnostic::do_not_recommend]
        impl<#(#generics: 'static),*> __rt::MadeBy<#ty> for #ty
        where
            #state
            #values
        {
            type State = #state_type;
            type Values = #values_type;
            #named
            #typed
            #takes

            fn configure(__with: #values_type) -> #ty {
                #given
                #ty::new(#(#names),*)
            }
        }
    };
    Made {
        ty: quote!(
            type Made = Self;
        ),
        item: made_by,
    }
}

/// The alias of a typed hook's tool, which the signature uses too. A path that is not a tool is one error: rustc reports no
/// error in the signature and the body.
pub(crate) fn tool_alias(hook: &Ident) -> Ident {
    format_ident!("__ToolOf_{}", hook.unraw(), span = Span::mixed_site())
}

/// The state of a hook that takes `State<S>`.
pub(crate) fn state(middleware: &Middleware) -> Option<TokenStream> {
    let given = middleware.state.as_ref().map(ToTokens::to_token_stream);
    given.or_else(|| injected_state(middleware).map(ToTokens::into_token_stream))
}

fn injected_state(middleware: &Middleware) -> Option<syn::GenericArgument> {
    middleware.parameters.iter().find_map(|parameter| match (&parameter.role, &parameter.ty) {
        (Role::Inject, ty) => {
            let Type::Path(path) = requested(ty).0 else { return None };
            let last = path.path.segments.last().filter(|last| last.ident == "State")?;
            match &last.arguments {
                syn::PathArguments::AngleBracketed(args) => args.args.first().cloned(),
                _ => None,
            }
        }
        _ => None,
    })
}
