//! The onion of an agent: one struct for its core and one for each hook, each holding the next.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Attribute;

use super::filter::concerned;
use super::names::{Named, hooks, tools};
use crate::agent::model::{AgentModel, Hook};

/// The number of layers between two boxes. rustc reaches its default recursion limit near 23 layers.
const BULKHEAD: usize = 16;

pub(super) fn expand(agent: &AgentModel<'_>) -> TokenStream {
    let core = core(agent);
    let layers = hooks(agent).map(|(named, hook)| layer(agent, &named, hook));
    let compose = compose(agent);
    quote!(#core #(#layers)* #compose)
}

fn tool_field(index: usize) -> Ident {
    format_ident!("tool_{index}")
}

/// The tools of the agent, by index, inside the ring of typed hooks.
fn core(agent: &AgentModel<'_>) -> TokenStream {
    let fields = tools(agent).map(|Named { index, cfgs, alias, .. }| {
        let field = tool_field(index);
        quote!(#(#cfgs)* #field: #alias)
    });
    // An entry that is not a tool is one error, that of the checks. rustc reports nothing about its calls.
    let known = |span, alias| quote_spanned!(span=> <__Tools as __rt::Is>::Type<#alias>);
    let arms = tools(agent).map(|Named { index, cfgs, alias, span, .. }| {
        let (known, field) = (known(span, alias), tool_field(index));
        quote_spanned! {span=>
            #(#cfgs)*
            #index => __rt::run_in::<#known, _>(&self.#field, &self.ring, __cx, __args).await,
        }
    });
    let definitions = tools(agent).map(|Named { index, cfgs, alias, span, .. }| {
        let (known, field) = (known(span, alias), tool_field(index));
        quote_spanned! {span=>
            #(#cfgs)*
            __list.push((#index, __rt::defined::<#known>(&self.#field)));
        }
    });
    let ring = hooks(agent).rev().fold(quote!(__rt::EndRing), |rest, (hook, _)| {
        let Named { index, cfgs, known, span, .. } = hook;
        if cfgs.is_empty() {
            quote_spanned!(span=> __rt::RingOf<#known, #rest>)
        } else {
            // A type cannot have a `#[cfg]`, but an alias can.
            let layer_ring = ring_alias(index);
            quote!(#layer_ring<#rest>)
        }
    });
    let ring_aliases = hooks(agent).filter(|(hook, _)| !hook.cfgs.is_empty());
    let ring_aliases = ring_aliases.map(|(Named { index, cfgs, known, .. }, _)| {
        let (name, off) = (ring_alias(index), off(cfgs));
        quote! {
            #(#cfgs)*
            type #name<__R> = __rt::RingOf<#known, __R>;
            #off
            type #name<__R> = __R;
        }
    });
    quote! {
        #(#ring_aliases)*
        type __TypedHooks = #ring;

        /// The tools.
        pub struct __Core {
            ring: __TypedHooks,
            #(#fields,)*
        }

        impl __rt::Call for __Core {
            const LOOKS: bool = false;

            fn call<'__a, '__b>(
                &'__a self,
                __cx: &'__a __rt::ToolContext,
                __args: &'__b mut __rt::Args,
            ) -> impl ::core::future::Future<Output = __rt::ToolResult> + ::core::marker::Send {
                __rt::call_tool(__cx, __args, async move |__args| {
                    match __cx.tool_index() {
                        #(#arms)*
                        _ => __rt::call_dynamic(__cx, __args).await,
                    }
                })
            }
        }

        impl __rt::Core for __Core {
            fn definitions(&self) -> __rt::Definitions {
                #[allow(unused_mut)]
                let mut __list = __rt::Vec::new();
                #(#definitions)*
                __list
            }
        }
    }
}

fn ring_alias(index: usize) -> Ident {
    format_ident!("__Ring{index}")
}

fn layer_name(index: usize) -> Ident {
    format_ident!("__Layer{index}")
}

/// The layer of hook `index`, or the core inside all of them.
fn layer_type(agent: &AgentModel<'_>, index: usize) -> TokenStream {
    if index == agent.hooks.len() {
        return quote!(__rt::Arc<__Core>);
    }
    layer_name(index).into_token_stream()
}

/// Whether the layers inside hook `index` are in a box.
fn is_boxed(agent: &AgentModel<'_>, index: usize) -> bool {
    (index + 1).is_multiple_of(BULKHEAD) && index + 1 < agent.hooks.len()
}

/// The type inside hook `index`: the next layer, in a seam or a box where one is due.
fn inner_type(agent: &AgentModel<'_>, index: usize) -> TokenStream {
    let next = if is_boxed(agent, index) { quote!(__rt::Bulkhead) } else { layer_type(agent, index + 1) };
    if agent.seam == index + 1 { quote!(__rt::Seam<#next>) } else { next }
}

/// The `#[cfg]` of the replacement for an entry that is configured away.
fn off(cfgs: &[Attribute]) -> TokenStream {
    let conditions = cfgs.iter().filter_map(|attr| attr.meta.require_list().ok()).map(|list| &list.tokens);
    quote!(#[cfg(not(all(#(#conditions),*)))])
}

fn layer(agent: &AgentModel<'_>, named: &Named<'_>, hook: &Hook<'_>) -> TokenStream {
    let Named { index, cfgs, alias, span, .. } = named;
    let (name, inner) = (layer_name(*index), inner_type(agent, *index));
    let call = quote_spanned! {*span=>
        <#alias as __rt::Hook>::call(&*self.hook, __cx, __args, __rt::InnerNext::new(&self.inner, __cx))
    };
    let traced = quote_spanned! {*span=>
        <#alias as __rt::Hook>::call(&*self.hook, __cx, __args, __rt::traced_next(&self.inner, __cx))
    };
    let traced = quote!(__rt::trace_hook::<#alias, _>(__cx, move || #traced));
    let (call, traced) = match &hook.filter {
        None => (call, traced),
        Some(filter) => {
            let concerned = concerned(agent, filter);
            let traced = quote! {
                if #concerned { #traced } else { __rt::Call::call_traced(&self.inner, __cx, __args) }
            };
            let call = quote! {
                async move {
                    if #concerned {
                        #call.await
                    } else {
                        __rt::Next::run(__rt::InnerNext::new(&self.inner, __cx), __args).await
                    }
                }
            };
            (call, traced)
        }
    };
    let off = (!cfgs.is_empty()).then(|| {
        let off = off(cfgs);
        quote!(#off type #name = #inner;)
    });
    quote! {
        /// One hook and the layers inside it.
        #(#cfgs)*
        pub struct #name {
            hook: __rt::Arc<#alias>,
            inner: #inner,
        }

        #(#cfgs)*
        impl __rt::Call for #name {
            #[inline]
            fn call<'__a, '__b>(
                &'__a self,
                __cx: &'__a __rt::ToolContext,
                __args: &'__b mut __rt::Args,
            ) -> impl ::core::future::Future<Output = __rt::ToolResult> + ::core::marker::Send {
                #call
            }

            fn call_traced<'__a>(
                &'__a self,
                __cx: &'__a __rt::ToolContext,
                __args: &'__a mut __rt::Args,
            ) -> __rt::BoxFuture<'__a, __rt::ToolResult> {
                #traced
            }
        }

        #off
    }
}

/// Makes the hooks, the core around the tools, and the layers from the inside out.
fn compose(agent: &AgentModel<'_>) -> TokenStream {
    let ty = &agent.ty;
    let value = |index: usize| format_ident!("__hook_{index}");
    let make_hooks = hooks(agent).map(|(Named { index, cfgs, alias, known, span, .. }, hook)| {
        let (value, config) = (value(index), hook.config);
        // The value is written directly with its type, so rustc reports a wrong value at its own token.
        let with = quote!(let __with: __rt::Values<#known> = (#(#config,)*););
        let reaches =
            hook.everywhere.map(|_| quote_spanned!(span=> #(#cfgs)* __hooks.reaches::<#known>(&#value);));
        quote_spanned! {span=>
            #(#cfgs)*
            let #value = __rt::Arc::new({
                #with
                <<#alias as __rt::Hook>::Made as __rt::MadeBy<#alias>>::configure(__with)
            });
            #reaches
        }
    });
    let make_ring = hooks(agent).rev().map(|(Named { index, cfgs, alias, span, .. }, _)| {
        let value = value(index);
        quote_spanned! {span=>
            #(#cfgs)*
            let __ring = <<#alias as __rt::Hook>::Made as __rt::HookMadeBy<#alias>>::ring(&#value, __ring);
        }
    });
    let make_tools = tools(agent).map(|Named { index, cfgs, alias, span, .. }| {
        let field = tool_field(index);
        quote_spanned!(span=> #(#cfgs)* #field: <<#alias as __rt::Tool>::State as __rt::Make<#alias>>::make())
    });
    let make_layers = hooks(agent).rev().map(|(Named { index, cfgs, .. }, _)| {
        let (name, value) = (layer_name(index), value(index));
        let bulkhead = is_boxed(agent, index).then(|| quote!(let __inner = __rt::Bulkhead::new(__inner);));
        let seam = (agent.seam == index + 1)
            .then(|| quote!(let __inner = __rt::Seam::new(::core::clone::Clone::clone(&__hooks), __inner);));
        quote! {
            #bulkhead
            #seam
            #(#cfgs)*
            let __inner = #name { hook: #value, inner: __inner };
        }
    });
    let outermost = layer_type(agent, 0);
    let (entry, outer_seam) = if agent.seam == 0 {
        (quote!(__rt::Seam<#outermost>), quote!(let __inner = __rt::Seam::new(__hooks, __inner);))
    } else {
        (outermost, TokenStream::new())
    };
    let is_guarded = !(agent.input_guardrails.is_empty()
        && agent.output_guardrails.is_empty()
        && agent.approval.is_empty());
    let guards = is_guarded.then(|| {
        quote! {
            fn guards() -> __rt::AgentGuards {
                <#ty as __rt::Agent>::declare().guards()
            }
        }
    });
    quote! {
        #[diagnostic::do_not_recommend]
        impl __rt::Compiled for #ty {
            type Core = __Core;
            type Entry = #entry;

            fn compose(__hooks: __rt::RuntimeHooks) -> (__rt::Arc<__Core>, #entry) {
                #(#make_hooks)*
                let __ring = __rt::EndRing;
                #(#make_ring)*
                let __core = __rt::Arc::new(__Core { ring: __ring, #(#make_tools,)* });
                let __inner = __rt::Arc::clone(&__core);
                #(#make_layers)*
                #outer_seam
                (__core, __inner)
            }

            #guards
        }
    }
}
