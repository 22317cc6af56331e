//! What `#[tool_hook]` writes beside the function: the type of the same name and its `impl`s.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Path, ReturnType, Type};

use super::attr::{Form, Kind};
use super::model::Hook;
use super::parameter::{Parameter, Role, last_segment};
use crate::injected::asked;
use crate::item::{FnItem, type_ident};

pub(crate) fn expand(hook: &Hook) -> TokenStream {
    let rt = hook.runtime.private();
    let ty = type_ident(&hook.type_name);
    let vis = &hook.vis;
    let cfgs = &hook.cfgs;
    let name = hook.name.unraw();
    let doc = match hook.kind {
        Kind::Hook => format!("The tool hook `{name}` as a type, to be named in `agent!`."),
        Kind::Input => {
            format!("The guardrail `{name}` as a type, to be named in a tool's `input_guardrails`.")
        }
        Kind::Output => {
            format!("The guardrail `{name}` as a type, to be named in a tool's `output_guardrails`.")
        }
    };
    let fields = config_fields(hook);
    let constructor = constructor(hook, &ty);
    let hook_impl = match hook.kind {
        Kind::Hook if hook.tool.is_some() => typed_impl(hook, &ty),
        Kind::Hook => raw_impl(hook, &ty),
        Kind::Input | Kind::Output => crate::guardrail::expand(hook, &ty),
    };
    let tool = hook.tool.as_ref().map(|tool| named_tool(hook, tool));
    let values = values(hook);
    quote! {
        #tool
        #values
        #(#cfgs)*
        #[doc = #doc]
        #[allow(dead_code)]
        #vis struct #ty {
            #(#fields,)*
        }

        #(#cfgs)*
        #[allow(clippy::all, clippy::pedantic)]
        const _: () = {
            use #rt as __rt;
            #constructor
            #hook_impl
        };
    }
}

/// The tool of a typed hook under its alias.
fn named_tool(hook: &Hook, tool: &Path) -> TokenStream {
    let (rt, cfgs) = (hook.runtime.private(), &hook.cfgs);
    let (alias, last) = (tool_alias(&hook.name), tool.segments.last().map_or(tool.span(), Spanned::span));
    let open = quote_spanned!(tool.span()=> <);
    let is = quote_spanned!(last=> >::IS);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        type #alias = <#rt::Known<{ #open #tool as #rt::TypedTool #is }> as #rt::Is>::Type<#tool>;
    }
}

/// The tool of a typed hook, as the signature names it from now on: what is no tool is one error, and the compiler is
/// silent about what the signature and the body make of it.
pub(super) fn tool_alias(hook: &Ident) -> Ident {
    format_ident!("__ToolOf_{}", hook.unraw(), span = Span::mixed_site())
}

/// The type alone, for a hook that has errors.
pub(crate) fn stand_in(function: &FnItem) -> TokenStream {
    let ty = type_ident(&function.sig.ident);
    let vis = &function.vis;
    let cfgs = function.cfgs();
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(dead_code)]
        #vis struct #ty {}
    }
}

/// The types of the configuration as they are stored, and how a stored value is passed on.
fn config(hook: &Hook) -> impl Iterator<Item = (&Ident, TokenStream, TokenStream)> {
    hook.parameters.iter().filter_map(|parameter| {
        let Role::Config(name) = &parameter.role else { return None };
        let ty = &parameter.ty;
        Some(match ty {
            Type::Reference(reference)
                if last_segment(ty) == "str" || matches!(&*reference.elem, Type::Slice(_)) =>
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

fn config_fields(hook: &Hook) -> Vec<TokenStream> {
    let (rt, known) = (hook.runtime.private(), values_alias(&hook.name));
    config(hook).map(|(name, ty, _)| quote!(#name: <#known as #rt::Is>::Type<#ty>)).collect()
}

/// The alias that is an error if a value cannot be shared by calls; about what this makes of the hook, the compiler is
/// silent then.
fn values_alias(hook: &Ident) -> Ident {
    format_ident!("__ValuesOf_{}", hook.unraw(), span = Span::mixed_site())
}

fn values(hook: &Hook) -> Option<TokenStream> {
    let (rt, alias, cfgs) = (hook.runtime.private(), values_alias(&hook.name), &hook.cfgs);
    let shared = config(hook).map(|(_, ty, _)| quote_spanned!(ty.span()=> <#ty as #rt::SharedByCalls>::IS));
    let shared = shared.reduce(|all, one| quote!(#all && #one))?;
    Some(quote! {
        #(#cfgs)*
        #[doc(hidden)]
        type #alias = #rt::Known<{ #shared }>;
    })
}

/// How a program makes the hook itself, to add it at run time.
fn constructor(hook: &Hook, ty: &Ident) -> TokenStream {
    let vis = &hook.vis;
    let names: Vec<_> = config(hook).map(|(name, ..)| name).collect();
    let types = config(hook).map(|(_, ty, _)| ty);
    let (doc, default) = if names.is_empty() {
        let default = quote! {
            impl ::core::default::Default for #ty {
                fn default() -> Self {
                    Self {}
                }
            }
        };
        (format!("The {}, to be added at run time.", hook.kind.word()), Some(default))
    } else {
        let doc = format!(
            "The {} with a value for each of its `#[config]` parameters, to be added at run time.",
            hook.kind.word()
        );
        (doc, None)
    };
    let types_again = config(hook).map(|(_, ty, _)| ty);
    // The `for` has the compiler look at a value that is not `Clone` only where a clone of the hook is wanted.
    let bounds = config(hook).map(|(_, ty, _)| quote!(for<'__c> #ty: ::core::clone::Clone));
    quote! {
        impl ::core::clone::Clone for #ty
        where
            #(#bounds,)*
        {
            fn clone(&self) -> Self {
                Self { #(#names: <#types_again as ::core::clone::Clone>::clone(&self.#names),)* }
            }
        }

        #[allow(dead_code)]
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

/// How lists make a hook or a guardrail, and the state that it works on.
pub(crate) struct Made {
    /// `type Made = ..;`
    pub(crate) ty: TokenStream,
    /// What has to be implemented for it.
    pub(crate) item: TokenStream,
}

pub(crate) fn made(hook: &Hook, ty: &Ident) -> Made {
    let names: Vec<_> = config(hook).map(|(name, ..)| name).collect();
    let types: Vec<_> = config(hook).map(|(_, ty, _)| ty).collect();
    // Parameters, because fewer people may see the state and the configuration than the hook.
    let state = state(hook).map(|state| quote!(__rt::State<#state>: __rt::Same<As = __S>,));
    let state_type = if state.is_some() { quote!(__S) } else { quote!(()) };
    let count = names.len();
    let takes = (count > 0).then(|| {
        quote!(const TAKES: ::core::option::Option<::core::primitive::usize> = ::core::option::Option::Some(#count);)
    });
    let values = (count > 0).then(|| quote!((#(#types,)*): __rt::Same<As = __C>,));
    let values_type = if values.is_some() { quote!(__C) } else { quote!(()) };
    let given = values.as_ref().map(|_| quote!(let (#(#names,)*) = __rt::Same::back(__with);));
    let generics: Vec<_> = [state.as_ref().map(|_| &state_type), values.as_ref().map(|_| &values_type)]
        .into_iter()
        .flatten()
        .collect();
    if generics.is_empty() && hook.tool.is_none() {
        return Made {
            ty: quote!(
                type Made = __rt::ByDefault;
            ),
            item: TokenStream::new(),
        };
    }
    let made_by = quote! {
        #[diagnostic::do_not_recommend]
        impl<#(#generics: 'static),*> __rt::MadeBy<#ty> for #ty
        where
            #state
            #values
        {
            type State = #state_type;
            type Values = #values_type;
            #takes

            fn configure(__with: #values_type) -> #ty {
                #given
                #ty::new(#(#names),*)
            }
        }
    };
    let ring = (hook.kind == Kind::Hook).then(|| ring(hook, ty));
    Made {
        ty: quote!(
            type Made = Self;
        ),
        item: quote!(#made_by #ring),
    }
}

/// Which place the hook has in the ring of typed hooks.
fn ring(hook: &Hook, ty: &Ident) -> TokenStream {
    let ring = if hook.tool.is_some() {
        quote! {
            type Ring<__R: __rt::Ring> = __rt::TypedLayer<#ty, __R>;
            const TYPED: ::core::primitive::bool = true;

            fn ring<__R: __rt::Ring>(__hook: &__rt::Arc<#ty>, __rest: __R) -> Self::Ring<__R> {
                __rt::TypedLayer::new(__rt::Arc::clone(__hook), __rest)
            }
        }
    } else {
        quote! {
            type Ring<__R: __rt::Ring> = __R;

            fn ring<__R: __rt::Ring>(_: &__rt::Arc<#ty>, __rest: __R) -> __R {
                __rest
            }
        }
    };
    quote! {
        #[diagnostic::do_not_recommend]
        impl __rt::HookMadeBy<#ty> for #ty {
            #ring
        }
    }
}

/// The state of a hook that takes `State<S>`.
fn state(hook: &Hook) -> Option<TokenStream> {
    let given = hook.state.as_ref().map(ToTokens::to_token_stream);
    given.or_else(|| injected_state(hook).map(ToTokens::into_token_stream))
}

fn injected_state(hook: &Hook) -> Option<syn::GenericArgument> {
    hook.parameters.iter().find_map(|parameter| match (&parameter.role, &parameter.ty) {
        (Role::Inject, ty) => {
            let Type::Path(path) = asked(ty).0 else { return None };
            let last = path.path.segments.last().filter(|last| last.ident == "State")?;
            match &last.arguments {
                syn::PathArguments::AngleBracketed(args) => args.args.first().cloned(),
                _ => None,
            }
        }
        _ => None,
    })
}

/// The arguments of the call to the user's function, and what has to be injected before it.
pub(crate) struct CallArgs {
    pub(crate) inject: Vec<TokenStream>,
    pub(crate) pass: Vec<TokenStream>,
}

pub(crate) fn call_args(hook: &Hook) -> CallArgs {
    let mut args = CallArgs { inject: Vec::new(), pass: Vec::new() };
    let mut configs = config(hook);
    let binds_fields = hook
        .parameters
        .iter()
        .any(|parameter| matches!(&parameter.role, Role::Bound(param) if param.bound_field().is_some()));
    if let (true, Some(state)) = (binds_fields, state(hook)) {
        args.inject.push(quote!(let __state = <__rt::State<#state> as __rt::Inject<'_>>::inject(__cx)?;));
    }
    for (index, parameter) in hook.parameters.iter().enumerate() {
        let Parameter { role, ty, cfgs } = parameter;
        let value = match role {
            Role::Context => quote!(<#ty as __rt::InjectContext<'_>>::inject_context(__cx)),
            Role::Next => quote!(__next),
            Role::Name => quote!(<#ty as __rt::InjectName<'_>>::inject_name(__cx)),
            Role::Args if hook.tool.is_some() => {
                let tool = tool_alias(&hook.name);
                quote_spanned! {ty.span()=>
                    <#ty as __rt::TypedArgs<<#tool as __rt::TypedTool>::Args>>::give(__args)
                }
            }
            Role::Args if hook.kind == Kind::Output => {
                quote!(<#ty as __rt::SeenArgs<'_>>::seen(__args))
            }
            Role::Args => quote!(<#ty as __rt::InjectArgs<'_>>::inject_args(__args)),
            Role::Outcome => match ty {
                Type::Reference(reference) if reference.mutability.is_some() => quote!(&mut __value),
                Type::Reference(_) => quote!(&__value),
                _ => quote!(__value),
            },
            Role::Config(_) => configs.next().map(|(.., value)| value).unwrap_or_default(),
            Role::Bound(param) => {
                let name = format_ident!("__bound_{index}");
                if let Some(key) = param.key_value(&name) {
                    args.inject.push(quote!(#(#cfgs)* #key));
                    param.pass(&name, true)
                } else {
                    let steps = param.field_variable(&name).into_iter().flatten();
                    args.inject.extend(steps.map(|step| quote!(#(#cfgs)* #step)));
                    name.into_token_stream()
                }
            }
            Role::Inject => {
                let name = format_ident!("__injected_{index}");
                let (asked, is_lent) = asked(ty);
                let inject = quote! {
                    #(#cfgs)*
                    let #name = <#asked as __rt::Inject<'_>>::inject(__cx)?;
                };
                args.inject.push(inject);
                if is_lent { quote!(&#name) } else { name.into_token_stream() }
            }
        };
        args.pass.push(quote!(#(#cfgs)* #value));
    }
    args
}

fn raw_impl(hook: &Hook, ty: &Ident) -> TokenStream {
    let call = match hook.form {
        Form::Around if is_direct(hook) => direct_call(hook),
        Form::Around => around_call(hook),
        Form::Before => before_call(hook),
        Form::After => after_call(hook),
    };
    let (Made { ty: made, item }, returned) = (made(hook, ty), returned_alias(hook));
    quote! {
        #returned
        #item

        #[diagnostic::do_not_recommend]
        impl __rt::Hook for #ty {
            #made
            #call
        }
    }
}

/// Whether the function's own future can be handed out as it is.
fn is_direct(hook: &Hook) -> bool {
    let is_made = |parameter: &Parameter| matches!(parameter.role, Role::Inject | Role::Bound(_));
    !hook.has_lifetimes && !hook.parameters.iter().any(is_made)
}

/// Where a wrong return type is reported.
fn return_span(hook: &Hook) -> Span {
    Span::call_site().located_at(match &hook.returns {
        ReturnType::Default => hook.name.span(),
        ReturnType::Type(_, ty) => ty.span(),
    })
}

/// What the function returns, by the alias that stands beside the `impl`: it is a single token, so that
/// whatever is wrong with the type is found at one span, and reported once.
pub(crate) fn returned(hook: &Hook) -> Ident {
    Ident::new("__Returned", return_span(hook))
}

pub(crate) fn returned_alias(hook: &Hook) -> TokenStream {
    let alias = returned(hook);
    match &hook.returns {
        ReturnType::Default => quote!(type #alias = ();),
        ReturnType::Type(_, ty) => quote!(type #alias = #ty;),
    }
}

fn direct_call(hook: &Hook) -> TokenStream {
    let name = &hook.name;
    let CallArgs { pass, .. } = call_args(hook);
    let returned = returned(hook);
    let call = quote_spanned!(return_span(hook)=> <#returned as __rt::AroundReturn>::hold(#name(#(#pass),*)));
    // A value that cannot be shared makes a future that cannot be sent: that is the same error.
    let call = if config(hook).count() == 0 {
        call
    } else {
        let known = values_alias(&hook.name);
        quote!({ let __future: <#known as __rt::Is>::Type<_> = #call; __future })
    };
    let send = send_future(hook, &quote!(__rt::ToolResult));
    quote! {
        #[inline]
        fn call<'__a, '__b, __N: __rt::Next>(
            &'__a self,
            __cx: &'__a __rt::ToolContext,
            __args: &'__b mut __rt::Args,
            __next: __N,
        ) -> #send {
            #call
        }
    }
}

/// The future that a trait method gives out; that it is not `Send` is reported at the hook's name.
pub(crate) fn send_future(hook: &Hook, output: &TokenStream) -> TokenStream {
    let span = Span::call_site().located_at(hook.name.span());
    quote_spanned!(span=> impl ::core::future::Future<Output = #output> + ::core::marker::Send)
}

fn async_call(hook: &Hook, body: &TokenStream) -> TokenStream {
    let send = send_future(hook, &quote!(__rt::ToolResult));
    quote! {
        fn call<'__a, '__b, __N: __rt::Next>(
            &'__a self,
            __cx: &'__a __rt::ToolContext,
            __args: &'__b mut __rt::Args,
            __next: __N,
        ) -> #send {
            async move { #body }
        }
    }
}

fn around_call(hook: &Hook) -> TokenStream {
    let name = &hook.name;
    let CallArgs { inject, pass } = call_args(hook);
    let returned = returned(hook);
    async_call(
        hook,
        &quote_spanned!(return_span(hook)=> #(#inject)* <#returned as __rt::AroundReturn>::hold(#name(#(#pass),*)).await),
    )
}

pub(crate) fn awaited(hook: &Hook, call: &TokenStream) -> TokenStream {
    if hook.is_async { quote!(#call.await) } else { call.clone() }
}

fn before_call(hook: &Hook) -> TokenStream {
    let name = &hook.name;
    let CallArgs { inject, pass } = call_args(hook);
    let call = awaited(hook, &quote!(#name(#(#pass),*)));
    let returned = returned(hook);
    async_call(
        hook,
        &quote! {
            #(#inject)*
            match <#returned as __rt::BeforeReturn>::answer(#call)? {
                ::core::option::Option::Some(__output) => ::core::result::Result::Ok(__output),
                ::core::option::Option::None => __next.run(__args).await,
            }
        },
    )
}

fn after_call(hook: &Hook) -> TokenStream {
    let name = &hook.name;
    let CallArgs { inject, pass } = call_args(hook);
    let call = awaited(hook, &quote!(#name(#(#pass),*)));
    let outcome = hook.parameters.iter().find(|parameter| matches!(parameter.role, Role::Outcome));
    let Some(outcome) = outcome.map(|parameter| &parameter.ty) else { return TokenStream::new() };
    let (target, by_value) = match outcome {
        Type::Reference(reference) => (&*reference.elem, false),
        ty => (ty, true),
    };
    let returned = returned(hook);
    let give = if by_value {
        quote!(<#returned as __rt::AfterOwned>::give(__returned))
    } else {
        quote! {
            <#returned as __rt::AfterReturn>::replace(__returned, <#target as __rt::AfterTarget>::put(__value))
        }
    };
    async_call(
        hook,
        &quote! {
            #(#inject)*
            let __result = __next.run(__args).await;
            #[allow(unused_mut)]
            let mut __value = match <#target as __rt::AfterTarget>::take(__result) {
                ::core::result::Result::Ok(__value) => __value,
                ::core::result::Result::Err(__result) => return __result,
            };
            let __returned: #returned = #call;
            #give
        },
    )
}

/// What a tool with layers of its own takes and gives is JSON between these and the hook: the traits for that are asked here,
/// and reported where the hook names the tool. Of a tool without layers the types are `()`.
fn reading(hook: &Hook, alias: &Ident) -> TokenStream {
    let last = hook.tool.as_ref().and_then(|tool| tool.segments.last());
    let at_tool = last.map_or_else(Span::call_site, Spanned::span);
    let mixed = at_tool.resolved_at(Span::mixed_site());
    let is_read = quote_spanned!(mixed=> <_ as __rt::ReadAgain>::is_read(&asked););
    let is_written = quote_spanned! {at_tool=>
        let () = <<#alias as __rt::TypedTool>::Rewrites as __rt::ArgumentsWrittenAgain>::ARE;
    };
    let reader = quote_spanned! {Span::mixed_site()=>
        use __rt::ladder::*;
        let kind = __rt::Kind::<<#alias as __rt::TypedTool>::Rereads>::new();
        let split = (&&&&&kind).split_by();
        let value = split.value(&kind);
        let reading = (&&&value).reading();
        let asked = reading.asked(&value);
        #is_read
        #is_written
        __rt::Reading::by(&kind, __rt::reader_of(&kind, split, reading))
    };
    quote! {
        fn reading() -> __rt::Reading {
            #reader
        }
    }
}

fn typed_impl(hook: &Hook, ty: &Ident) -> TokenStream {
    let name = &hook.name;
    let tool = tool_alias(&hook.name);
    let CallArgs { inject, pass } = call_args(hook);
    let Made { ty: made, item } = made(hook, ty);
    let (alias, returned) = (returned_alias(hook), returned(hook));
    let reading = reading(hook, &tool);
    let span = return_span(hook);
    let output = quote_spanned!(span=> <#tool as __rt::TypedTool>::Output);
    let result = quote_spanned!(span=> __rt::ToolResult<#output>);
    let call = quote_spanned! {span=>
        <#returned as __rt::TypedReturn<#output>>::hold(#name(#(#pass),*))
    };
    let (future, body) = if is_direct(hook) {
        let future = quote_spanned! {span=>
            impl ::core::future::Future<Output = #result> + ::core::marker::Send
        };
        (quote!(fn), quote!(-> #future { #call }))
    } else {
        (quote!(async fn), quote!(-> #result { #(#inject)* #call.await }))
    };
    quote! {
        #alias
        #item

        #[diagnostic::do_not_recommend]
        impl __rt::Hook for #ty {
            #made

            fn call<'__a, '__b, __N: __rt::Next>(
                &'__a self,
                _: &'__a __rt::ToolContext,
                __args: &'__b mut __rt::Args,
                __next: __N,
            ) -> impl ::core::future::Future<Output = __rt::ToolResult> + ::core::marker::Send {
                __next.run(__args)
            }
        }

        #[diagnostic::do_not_recommend]
        impl __rt::TypedHook for #ty {
            type Tool = #tool;

            #reading

            #future call_typed<'__a, __N: __rt::TypedNext<#tool>>(
                &'__a self,
                __cx: &'__a __rt::ToolContext,
                __args: <#tool as __rt::TypedTool>::Args,
                __next: __N,
            ) #body
        }
    }
}
