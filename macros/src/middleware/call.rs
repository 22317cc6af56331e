//! Writes the call of the user's function: its arguments and its result.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{ReturnType, Type};

use super::item::{config, state, tool_alias};
use super::model::Middleware;
use super::options::MiddlewareKind;
use super::parameter::{Parameter, Role};
use crate::injected::requested;

/// The call of the user's function, and what has to be injected before it.
pub(crate) struct Call {
    pub(crate) inject: TokenStream,
    pub(crate) call: TokenStream,
}

impl Call {
    pub(crate) fn new(middleware: &Middleware) -> Self {
        let (name, (inject, pass)) = (&middleware.name, arguments(middleware));
        Self { inject: quote!(#(#inject)*), call: quote!(#name(#(#pass),*)) }
    }

    /// The call, of which an async function's result is awaited.
    pub(crate) fn awaited(middleware: &Middleware) -> Self {
        let Self { inject, call } = Self::new(middleware);
        Self { inject, call: if middleware.is_async { quote!(#call.await) } else { call } }
    }
}

/// What has to be injected before the call, and its arguments.
fn arguments(middleware: &Middleware) -> (Vec<TokenStream>, Vec<TokenStream>) {
    let (mut injected, mut pass) = (Vec::new(), Vec::new());
    let mut configs = config(middleware);
    let (injects, inject_fn) = injection(middleware);
    let binds_fields = middleware
        .parameters
        .iter()
        .any(|parameter| matches!(&parameter.role, Role::Bound(param) if param.bound_field().is_some()));
    if let (true, Some(state)) = (binds_fields, state(middleware)) {
        injected.push(quote!(let __state = <__rt::State<#state> as __rt::#injects<'_>>::#inject_fn(__cx)?;));
    }
    for (index, parameter) in middleware.parameters.iter().enumerate() {
        let Parameter { role, ty, cfgs } = parameter;
        let value = match role {
            Role::Context => quote!(<#ty as __rt::InjectContext<'_>>::inject(__cx)),
            Role::Next => quote!(__next),
            Role::Name => quote!(<#ty as __rt::InjectName<'_>>::inject(__cx)),
            Role::Args if middleware.tool.is_some() => {
                let tool = tool_alias(&middleware.name);
                quote_spanned! {ty.span()=>
                    <#ty as __rt::TypedArgs<<#tool as __rt::TypedTool>::Args>>::give(__args)
                }
            }
            Role::Args if middleware.kind == MiddlewareKind::Output => {
                quote!(<#ty as __rt::SeenArgs<'_>>::inject(__args))
            }
            Role::Args => quote!(<#ty as __rt::InjectArgs<'_>>::inject(__args)),
            Role::Outcome => match ty {
                Type::Reference(reference) if reference.mutability.is_some() => quote!(&mut __value),
                Type::Reference(_) => quote!(&__value),
                _ => quote!(__value),
            },
            Role::Text(injects) => {
                let injects = format_ident!("{injects}");
                quote!(<#ty as __rt::#injects<'_>>::inject(&mut *__part_0))
            }
            Role::Part(index) => {
                let here = Span::call_site().located_at(ty.span());
                let part = format_ident!("__part_{index}", span = here);
                match ty {
                    Type::Reference(reference) if reference.mutability.is_some() => {
                        quote_spanned!(ty.span()=> &mut *#part)
                    }
                    Type::Reference(_) => quote_spanned!(ty.span()=> &*#part),
                    _ => quote_spanned!(ty.span()=> #part),
                }
            }
            Role::Config(_) => configs.next().map(|(.., value)| value).unwrap_or_default(),
            Role::Bound(param) => {
                let name = format_ident!("__bound_{index}");
                if let Some(steps) = param.key_value(&name) {
                    injected.extend(steps.map(|step| quote!(#(#cfgs)* #step)));
                    param.pass(&name, true)
                } else {
                    let steps = param.field_variable(&name).into_iter().flatten();
                    injected.extend(steps.map(|step| quote!(#(#cfgs)* #step)));
                    name.into_token_stream()
                }
            }
            Role::Inject => {
                let name = format_ident!("__injected_{index}");
                let (asked, is_lent) = requested(ty);
                let inject = quote! {
                    #(#cfgs)*
                    let #name = <#asked as __rt::#injects<'_>>::#inject_fn(__cx)?;
                };
                injected.push(inject);
                if is_lent { quote!(&#name) } else { name.into_token_stream() }
            }
        };
        pass.push(quote!(#(#cfgs)* #value));
    }
    (injected, pass)
}

/// The trait that injects into the function, and its method.
fn injection(middleware: &Middleware) -> (Ident, Ident) {
    let (injects, method) = if let MiddlewareKind::At(_) = middleware.kind {
        ("InjectInRun", "inject_in_run")
    } else {
        ("Inject", "inject")
    };
    (format_ident!("{injects}"), format_ident!("{method}"))
}

/// Lists the services that the function takes; none without injected parameters.
pub(crate) fn services(middleware: &Middleware) -> Option<TokenStream> {
    let (injects, _) = injection(middleware);
    let injected = middleware.parameters.iter().filter(|parameter| matches!(parameter.role, Role::Inject));
    let lists: Vec<_> = injected
        .map(|Parameter { ty, cfgs, .. }| {
            let (asked, _) = requested(ty);
            quote!(#(#cfgs)* <#asked as __rt::#injects<'_>>::services(__taken);)
        })
        .collect();
    (!lists.is_empty()).then(|| {
        quote! {
            fn services(__taken: &mut __rt::ServiceTypes) {
                #(#lists)*
            }
        }
    })
}

/// Returns whether the `impl` can return the function's own future.
pub(crate) fn is_direct(middleware: &Middleware) -> bool {
    let is_made = |parameter: &Parameter| matches!(parameter.role, Role::Inject | Role::Bound(_));
    !middleware.has_lifetimes && !middleware.parameters.iter().any(is_made)
}

/// The span of errors about the return type.
pub(crate) fn return_span(middleware: &Middleware) -> Span {
    Span::call_site().located_at(match &middleware.returns {
        ReturnType::Default => middleware.name.span(),
        ReturnType::Type(_, ty) => ty.span(),
    })
}

/// The alias of the function's return type. It is a single token, so rustc reports an error in the type at one span, and
/// once.
pub(crate) fn returned(middleware: &Middleware) -> Ident {
    Ident::new("__Returned", return_span(middleware))
}

pub(crate) fn returned_alias(middleware: &Middleware) -> TokenStream {
    let alias = returned(middleware);
    match &middleware.returns {
        ReturnType::Default => quote!(type #alias = ();),
        ReturnType::Type(_, ty) => quote!(type #alias = #ty;),
    }
}

/// The future that a trait method returns. rustc reports at the function's name that it is not `Send`.
pub(crate) fn send_future(middleware: &Middleware, output: &TokenStream) -> TokenStream {
    let span = Span::call_site().located_at(middleware.name.span());
    quote_spanned!(span=> impl ::core::future::Future<Output = #output> + ::core::marker::Send)
}

/// The call of a function that gets `__result`, the result of a tool: the traits of the parameter, of what the function returns if it takes the
/// result by value, and of what it returns if it borrows the result.
pub(crate) fn on_result(middleware: &Middleware, call: &TokenStream, traits: [&str; 3]) -> TokenStream {
    let outcome = middleware.parameters.iter().find(|parameter| matches!(parameter.role, Role::Outcome));
    let Some(outcome) = outcome.map(|parameter| &parameter.ty) else { return TokenStream::new() };
    let [takes, owned, borrowed] = traits.map(|name| format_ident!("{name}"));
    let returned = returned(middleware);
    let (target, mutable, result) = match outcome {
        Type::Reference(reference) => {
            let target = &*reference.elem;
            let result = quote! {
                match <#returned as __rt::#borrowed>::into_result(__returned)? {
                    ::core::option::Option::Some(__output) => ::core::result::Result::Ok(__output),
                    ::core::option::Option::None => <#target as __rt::#takes>::put(__value),
                }
            };
            (target, reference.mutability.map(|_| quote!(mut)), result)
        }
        ty => (ty, None, quote!(<#returned as __rt::#owned>::into_result(__returned))),
    };
    quote! {
        let #mutable __value = match <#target as __rt::#takes>::take(__result) {
            ::core::result::Result::Ok(__value) => __value,
            ::core::result::Result::Err(__result) => return __result,
        };
        let __returned: #returned = #call;
        #result
    }
}
