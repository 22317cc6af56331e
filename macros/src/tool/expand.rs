//! What `#[tool]` writes beside the function. `runtime/tests/by_hand.rs` shows it by hand.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Attribute;

use super::check::{cfg_words, state_of};
use super::model::Model;
use super::param::{Param, Source};
use crate::item::FnItem;

/// The type and all that is implemented for it.
pub(crate) fn expand(model: &Model) -> TokenStream {
    let Some(type_name) = &model.type_name else { return TokenStream::new() };
    let cfgs = &model.cfgs;
    let definition = type_definition(model, type_name);
    let blocks = variants(&model.params).into_iter().map(|(conditions, params)| {
        let block = Expansion { model, type_name, params }.block();
        let allow = model.deprecated.then(|| quote!(#[allow(deprecated)]));
        quote! {
            #(#cfgs)*
            #conditions
            #allow
            const _: () = { #block };
        }
    });
    quote!(#definition #(#blocks)*)
}

fn type_definition(model: &Model, type_name: &Ident) -> TokenStream {
    let Model { vis, cfgs, tool_name, runtime, .. } = model;
    let words = format!("The tool `{tool_name}`: what `agent!` names.");
    let private = runtime.private();
    // The tool's own hooks live in it: the outermost one outside.
    let fields = if model.options.hooks.is_empty() {
        quote!()
    } else {
        let hooks = model.options.hooks.iter().rev();
        let onion = hooks.fold(quote!(#private::Within<#type_name>), |inner, hook| {
            let path = &hook.path;
            quote!(#private::Layer<#path, #inner>)
        });
        quote!(onion: #onion)
    };
    quote! {
        #(#cfgs)*
        #[doc = #words]
        #vis struct #type_name { #fields }
    }
}

/// The sets of parameters that there can be, each with the condition for it. Parameters under `#[cfg]` are few,
/// and arrays and tuples cannot hold conditions.
fn variants(params: &[Param]) -> Vec<(TokenStream, Vec<&Param>)> {
    let mut kinds: Vec<&Attribute> = Vec::new();
    for attr in params.iter().flat_map(|param| &param.cfgs) {
        if !kinds.iter().any(|kind| cfg_words(kind) == cfg_words(attr)) {
            kinds.push(attr);
        }
    }
    (0..1_usize << kinds.len())
        .map(|set| {
            let holds = |attr: &Attribute| {
                kinds
                    .iter()
                    .position(|kind| cfg_words(kind) == cfg_words(attr))
                    .is_none_or(|at| set >> at & 1 == 1)
            };
            let conditions = kinds.iter().map(|attr| match attr.meta.require_list() {
                Ok(list) if holds(attr) => {
                    let condition = &list.tokens;
                    quote!(#[cfg(#condition)])
                }
                Ok(list) => {
                    let condition = &list.tokens;
                    quote!(#[cfg(not(#condition))])
                }
                Err(_) => attr.to_token_stream(),
            });
            let conditions = quote!(#(#conditions)*);
            (conditions, params.iter().filter(|param| param.cfgs.iter().all(holds)).collect())
        })
        .collect()
}

/// One set of parameters to write code for.
pub(super) struct Expansion<'m> {
    pub(super) model: &'m Model,
    pub(super) type_name: &'m Ident,
    pub(super) params: Vec<&'m Param>,
}

/// The local variable of a parameter.
pub(super) fn local(index: usize) -> Ident {
    Ident::new(&format!("value_{index}"), Span::mixed_site())
}

impl Expansion<'_> {
    fn block(&self) -> TokenStream {
        let private = self.model.runtime.private();
        let (tables, definition, inject) = (self.tables(), self.definition(), self.inject());
        let (default, state, spec) = (self.default(), self.state(), self.spec());
        let tool = if self.is_function() { self.function(&state) } else { self.tool(&state) };
        quote! {
            use #private as __rt;
            #tables
            #definition
            #inject
            #default
            #spec
            #tool
        }
    }

    /// Whether [`super::function`] can write the tool.
    pub(super) fn is_function(&self) -> bool {
        self.model.is_typed()
            && self.model.options.blocking.is_none()
            && self.model.generics.params.is_empty()
            && !self.model_params().any(|(_, param)| param.reads_text())
    }

    /// Whether the function is passed references to values that were read.
    pub(super) fn passes_references(&self) -> bool {
        self.params.iter().any(|param| !param.is_injected() && param.form.is_reference())
    }

    /// What the function is called with, the values in local variables.
    pub(super) fn passed(&self, owned: bool) -> impl Iterator<Item = TokenStream> {
        self.params.iter().enumerate().map(move |(at, param)| match param.source {
            Source::Injected => local(at).to_token_stream(),
            Source::Model => param.pass(&local(at), owned),
            Source::Skipped => param.pass(&local(at), true),
        })
    }

    /// The parameters that the model fills, each with its place among all parameters.
    pub(super) fn model_params(&self) -> impl DoubleEndedIterator<Item = (usize, &Param)> {
        self.params.iter().enumerate().filter(|(_, param)| param.is_model()).map(|(at, param)| (at, *param))
    }

    fn injected(&self) -> impl Iterator<Item = (usize, &Param)> {
        self.params
            .iter()
            .enumerate()
            .filter(|(_, param)| param.is_injected())
            .map(|(at, param)| (at, *param))
    }

    fn inject(&self) -> Option<TokenStream> {
        let types: Vec<_> = self.injected().map(|(_, param)| &param.ty).collect();
        (!types.is_empty()).then(|| {
            quote! {
                fn __inject(
                    __cx: &__rt::ToolContext,
                ) -> ::core::result::Result<(#(#types,)*), __rt::Exit> {
                    ::core::result::Result::Ok((#(<#types as __rt::Inject<'_>>::inject(__cx)?,)*))
                }
            }
        })
    }

    /// Asks the context for what is injected.
    pub(super) fn injection(&self) -> Option<TokenStream> {
        let values: Vec<_> = self.injected().map(|(at, _)| local(at)).collect();
        (!values.is_empty()).then(|| quote!(let (#(#values,)*) = __inject(__cx)?;))
    }

    /// The values that nobody gives.
    pub(super) fn skipped(&self) -> TokenStream {
        let skipped =
            self.params.iter().enumerate().filter(|(_, param)| matches!(param.source, Source::Skipped));
        let values = skipped.map(|(at, _)| {
            let (value, default) = (local(at), format_ident!("__default_{at}"));
            quote!(let #value = #default();)
        });
        quote!(#(#values)*)
    }

    fn default(&self) -> TokenStream {
        let type_name = self.type_name;
        let hooks = self.model.options.hooks.iter().rev();
        let fields = if hooks.len() == 0 {
            quote!()
        } else {
            let onion = hooks.fold(quote!(__rt::Within::new()), |inner, hook| {
                let with = &hook.with;
                quote!(__rt::Layer::new(#with, #inner))
            });
            quote!(onion: #onion)
        };
        quote! {
            impl ::core::default::Default for #type_name {
                fn default() -> Self {
                    Self { #fields }
                }
            }
        }
    }

    /// The tool as a value. Inlined, so that a tool that nobody asks for it costs nothing.
    fn spec(&self) -> TokenStream {
        let (vis, type_name, code) = (&self.model.vis, self.type_name, &self.model.code);
        quote! {
            impl #type_name {
                #[doc = "The tool as a value: to bind, to change, to call, to export."]
                #[allow(dead_code)]
                #[inline]
                #vis fn spec() -> __rt::ToolSpec {
                    __rt::ToolSpec::of_function(<Self as ::core::default::Default>::default(), #code)
                }
            }
        }
    }

    /// The state that the tool and its own hooks work on.
    fn state(&self) -> TokenStream {
        let own = if let Some(state) = self.params.iter().find_map(|param| state_of(param)) {
            quote!(__rt::State<#state>)
        } else {
            quote!(())
        };
        self.model.options.hooks.iter().fold(own, |states, hook| {
            let path = &hook.path;
            quote!(__rt::BothStates<#states, <#path as __rt::Hook>::State>)
        })
    }
}

/// Stands in for the tool where it could not be written, so that one mistake does not become several.
pub(crate) fn stand_in(function: &FnItem, model: &Model) -> TokenStream {
    let Some(type_name) = &model.type_name else { return TokenStream::new() };
    let (vis, cfgs, name) = (&function.vis, &model.cfgs, &model.tool_name);
    let private = model.runtime.private();
    quote! {
        #(#cfgs)*
        #[doc = ""]
        #vis struct #type_name {}
        #(#cfgs)*
        const _: () = {
            use #private as __rt;
            impl ::core::default::Default for #type_name {
                fn default() -> Self {
                    Self {}
                }
            }
            impl #type_name {
                #[doc = ""]
                #[allow(dead_code)]
                #vis fn spec() -> __rt::ToolSpec {
                    loop {}
                }
            }
            impl __rt::Tool for #type_name {
                const NAME: &'static ::core::primitive::str = #name;
                type State = ();
                fn definition(&self) -> &__rt::ToolDefinition {
                    loop {}
                }
                async fn run<'a>(&'a self, _: &'a __rt::ToolContext, _: &'a mut __rt::Args) -> __rt::ToolResult {
                    loop {}
                }
            }
        };
    }
}
