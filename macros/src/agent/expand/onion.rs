//! The onion of an agent: one struct for its core and one for each hook, each holding the next.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Attribute;

use super::filter::concerned;
use super::names::{entry_span, hook_alias, known_alias, tool_alias};
use crate::agent::ast::ListEntry;
use crate::agent::model::{AgentModel, Hook};

/// The number of layers between two boxes. rustc reaches its default recursion limit near 23 layers.
const BULKHEAD: usize = 16;

pub(super) fn expand(agent: &AgentModel<'_>) -> TokenStream {
    let core = core(agent);
    let hooks = &agent.hooks;
    let layers = hooks.iter().enumerate().map(|(index, hook)| layer(agent, index, hook, hooks.len()));
    let compose = compose(agent, hooks);
    quote!(#core #(#layers)* #compose)
}

fn tool_field(index: usize) -> Ident {
    format_ident!("tool_{index}")
}

/// The tools of the agent, by index, inside the ring of typed hooks.
fn core(agent: &AgentModel<'_>) -> TokenStream {
    let tools = || {
        agent.functions.iter().enumerate().map(|(index, ListEntry { cfgs, path })| {
            (index, cfgs, entry_span(path), tool_alias(index, path), tool_field(index))
        })
    };
    let fields = tools().map(|(_, cfgs, _, alias, field)| quote!(#(#cfgs)* #field: #alias));
    // An entry that is not a tool is one error, that of the checks. rustc reports nothing about its calls.
    let known = |span, alias| quote_spanned!(span=> <__Tools as __rt::Is>::Type<#alias>);
    let arms = tools().map(|(index, cfgs, span, alias, field)| {
        let known = known(span, alias);
        quote_spanned! {span=>
            #(#cfgs)*
            #index => __rt::run_in::<#known, _>(&self.#field, &self.ring, __cx, __args).await,
        }
    });
    let definitions = tools().map(|(index, cfgs, span, alias, field)| {
        let known = known(span, alias);
        quote_spanned! {span=>
            #(#cfgs)*
            __list.push((#index, __rt::defined::<#known>(&self.#field)));
        }
    });
    let ring = agent.hooks.iter().enumerate().rev().fold(quote!(__rt::EndRing), |rest, (index, hook)| {
        let known = known_alias(index, hook);
        let span = entry_span(&hook.entry.path);
        if hook.entry.cfgs.is_empty() {
            quote_spanned!(span=> __rt::RingOf<#known, #rest>)
        } else {
            // A type cannot have a `#[cfg]`, but an alias can.
            let layer_ring = ring_alias(index);
            quote!(#layer_ring<#rest>)
        }
    });
    let ring_aliases = agent.hooks.iter().enumerate().filter(|(_, hook)| !hook.entry.cfgs.is_empty()).map(
        |(index, hook)| {
            let (known, name, cfgs) = (known_alias(index, hook), ring_alias(index), &hook.entry.cfgs);
            let off = off(cfgs);
            quote! {
                #(#cfgs)*
                type #name<__R> = __rt::RingOf<#known, __R>;
                #off
                type #name<__R> = __R;
            }
        },
    );
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

/// The type inside hook `index`: the next layer, in a seam or a box where one is due.
fn inner_type(agent: &AgentModel<'_>, index: usize, count: usize) -> TokenStream {
    let next = if index + 1 < count {
        let name = layer_name(index + 1);
        quote!(#name)
    } else {
        quote!(__rt::Arc<__Core>)
    };
    let next =
        if (index + 1).is_multiple_of(BULKHEAD) && index + 1 < count { quote!(__rt::Bulkhead) } else { next };
    if agent.seam == index + 1 { quote!(__rt::Seam<#next>) } else { next }
}

/// The `#[cfg]` of the replacement for an entry that is configured away.
fn off(cfgs: &[Attribute]) -> TokenStream {
    let conditions = cfgs.iter().filter_map(|attr| attr.meta.require_list().ok()).map(|list| &list.tokens);
    quote!(#[cfg(not(all(#(#conditions),*)))])
}

fn layer(agent: &AgentModel<'_>, index: usize, hook: &Hook<'_>, count: usize) -> TokenStream {
    let name = layer_name(index);
    let alias = hook_alias(index, hook);
    let inner = inner_type(agent, index, count);
    let cfgs = &hook.entry.cfgs;
    let span = entry_span(&hook.entry.path);
    let call = quote_spanned! {span=>
        <#alias as __rt::Hook>::call(&*self.hook, __cx, __args, __rt::InnerNext::new(&self.inner, __cx))
    };
    let traced = quote_spanned! {span=>
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
fn compose(agent: &AgentModel<'_>, hooks: &[Hook<'_>]) -> TokenStream {
    let ty = &agent.ty;
    let count = hooks.len();
    let value = |index: usize| format_ident!("__hook_{index}");
    let make_hooks = hooks.iter().enumerate().map(|(index, hook)| {
        let (alias, known) = (hook_alias(index, hook), known_alias(index, hook));
        let (value, config, cfgs) = (value(index), &hook.config, &hook.entry.cfgs);
        let span = entry_span(&hook.entry.path);
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
    let make_ring = hooks.iter().enumerate().rev().map(|(index, hook)| {
        let (alias, value, cfgs) = (hook_alias(index, hook), value(index), &hook.entry.cfgs);
        let span = entry_span(&hook.entry.path);
        quote_spanned! {span=>
            #(#cfgs)*
            let __ring = <<#alias as __rt::Hook>::Made as __rt::HookMadeBy<#alias>>::ring(&#value, __ring);
        }
    });
    let make_tools = agent.functions.iter().enumerate().map(|(index, ListEntry { cfgs, path })| {
        let (alias, field, span) = (tool_alias(index, path), tool_field(index), entry_span(path));
        quote_spanned!(span=> #(#cfgs)* #field: <<#alias as __rt::Tool>::State as __rt::Make<#alias>>::make())
    });
    let make_layers = hooks.iter().enumerate().rev().map(|(index, hook)| {
        let (name, value, cfgs) = (layer_name(index), value(index), &hook.entry.cfgs);
        let bulkhead = ((index + 1).is_multiple_of(BULKHEAD) && index + 1 < count)
            .then(|| quote!(let __inner = __rt::Bulkhead::new(__inner);));
        let seam = (agent.seam == index + 1)
            .then(|| quote!(let __inner = __rt::Seam::new(::core::clone::Clone::clone(&__hooks), __inner);));
        quote! {
            #bulkhead
            #seam
            #(#cfgs)*
            let __inner = #name { hook: #value, inner: __inner };
        }
    });
    let outermost = if count > 0 {
        let name = layer_name(0);
        quote!(#name)
    } else {
        quote!(__rt::Arc<__Core>)
    };
    let (entry, outer_seam) = if agent.seam == 0 {
        (quote!(__rt::Seam<#outermost>), quote!(let __inner = __rt::Seam::new(__hooks, __inner);))
    } else {
        (outermost, TokenStream::new())
    };
    let is_guarded = !(agent.input_guardrails.is_empty() && agent.output_guardrails.is_empty());
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
