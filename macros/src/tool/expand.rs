//! Writes the items beside the function of `#[tool]`. `runtime/tests/by_hand.rs` shows it by hand.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Attribute;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::check::{cfg_words, state_of};
use super::example;
use super::model::{Method, Model};
use crate::param::{Bind, Param, Source};
use crate::policy_entry::PolicyEntry;

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
    let summary = model.summary.iter().map(|summary| quote!(#[doc = #summary] #[doc = ""]));
    let mut words = format!("The tool `{tool_name}`: what `agent!` names.");
    words.push_str(&example::documented(&model.options.examples));
    let private = runtime.private();
    // The tool's own hooks and stages live in it.
    let hooks = || model.options.hooks.iter().enumerate();
    let own = model.is_layered().then(|| {
        let of = object_type(model, &private);
        quote!(own: #private::Own<#type_name, #of>,)
    });
    let names = hooks().map(|(index, hook)| {
        let (mut named, path) = (named(type_name, index, hook), &hook.path);
        // No lint about naming reaches it there.
        named.set_span(Span::mixed_site());
        quote! {
            #(#cfgs)*
            #[doc(hidden)]
            type #named = #path;
        }
    });
    let of = model.method.as_ref().map(|Method { self_ty, .. }| quote!(of: #private::Arc<#self_ty>,));
    // The keyword has the place of the name, so that rustc reports another item of this name there.
    let keyword = Ident::new("struct", type_name.span());
    quote! {
        #(#names)*
        #(#cfgs)*
        #(#summary)*
        #[doc = #words]
        #vis #keyword #type_name { #own #of }
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
        let type_checks = self.type_checks();
        let services = self.services();
        let definition = self.definition(services.is_some());
        let (tables, inject) = (self.tables(), self.inject());
        let (default, (state, states), spec) = (self.default(), self.state(), self.spec());
        let tool = if self.is_plain() { self.plain_tool(&state) } else { self.full_tool(&state) };
        quote! {
            use #private as __rt;
            #type_checks
            #tables
            #definition
            #inject
            #services
            #default
            #spec
            #states
            #tool
        }
    }

    /// Returns whether `plain_tool` can write the tool.
    pub(super) fn is_plain(&self) -> bool {
        self.model.is_typed()
            && !self.model.is_layered()
            && self.model.options.blocking.is_none()
            && self.model.generics.params.is_empty()
            && !self.model_params().any(|(_, param)| param.reads_text())
    }

    /// Returns whether the function is passed references to values that were read.
    pub(super) fn passes_references(&self) -> bool {
        self.params.iter().any(|param| param.is_lent())
    }

    /// The arguments of the function's call. The values are in local variables, and a method's object is `__of`.
    pub(super) fn passed(&self, owned: bool) -> impl Iterator<Item = TokenStream> {
        let values = self.params.iter().enumerate().map(move |(at, param)| match param.source {
            Source::Injected if param.is_lent() => {
                let value = local(at);
                quote!(&#value)
            }
            Source::Injected | Source::Bound(Bind::Field(_)) => local(at).to_token_stream(),
            Source::Model => param.pass(&local(at), owned),
            Source::Skipped | Source::Bound(Bind::Key { .. }) => param.pass(&local(at), true),
        });
        self.takes_self().then(|| quote!(&__of)).into_iter().chain(values)
    }

    /// The path of the function.
    pub(super) fn callee(&self) -> TokenStream {
        let function = &self.model.function;
        match &self.model.method {
            Some(Method { self_ty, .. }) => quote!(<#self_ty>::#function),
            None => quote!(#function),
        }
    }

    pub(super) fn takes_self(&self) -> bool {
        self.model.method.as_ref().is_some_and(|method| method.takes_self)
    }

    /// Names the object of a method.
    pub(super) fn object(&self) -> Option<TokenStream> {
        self.takes_self().then(|| quote!(let __of = &self.of;))
    }

    /// The object as a thread of its own holds it.
    pub(super) fn object_for_thread(&self) -> Option<TokenStream> {
        self.takes_self().then(|| quote!(let __of = __rt::Arc::clone(__of);))
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

    fn injected_types(&self) -> impl Iterator<Item = TokenStream> {
        self.injected().map(|(_, param)| match &param.checked {
            Some((alias, _)) => alias.to_token_stream(),
            None => param.requested().to_token_stream(),
        })
    }

    fn inject(&self) -> Option<TokenStream> {
        let types: Vec<_> = self.injected_types().collect();
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

    /// Lists the services that the function, the tool's own hooks and its guardrails take.
    fn services(&self) -> Option<TokenStream> {
        let injected = self.injected_types().map(|ty| quote!(<#ty as __rt::Inject<'_>>::services));
        let hooks = (0..self.model.options.hooks.len()).map(|index| {
            let hook = as_written(index);
            quote!(<#hook as __rt::Hook>::services)
        });
        let guardrails = self.model.options.guardrail_services();
        let lists: Vec<_> = injected.chain(hooks).chain(guardrails).collect();
        (!lists.is_empty()).then(|| {
            quote! {
                fn __services(__taken: &mut __rt::ServiceTypes) {
                    #(#lists(__taken);)*
                }
            }
        })
    }

    /// Makes values before the call of the function, which can end the call: injected values, defaults of skipped ones, and
    /// the state. The values of its fields come after it, where they may borrow: [`Self::fields`].
    pub(super) fn prepared(&self) -> TokenStream {
        let (inject, skipped, state_values) = (self.injection(), self.skipped(), self.state_values());
        quote!(#inject #skipped #state_values)
    }

    /// Asks the context for the injected values.
    fn injection(&self) -> Option<TokenStream> {
        let values: Vec<_> = self.injected().map(|(at, _)| local(at)).collect();
        (!values.is_empty()).then(|| quote!(let (#(#values,)*) = __inject(__cx)?;))
    }

    /// The values of skipped parameters.
    fn skipped(&self) -> TokenStream {
        let skipped =
            self.params.iter().enumerate().filter(|(_, param)| matches!(param.source, Source::Skipped));
        let values = skipped.map(|(at, _)| {
            let (value, default) = (local(at), format_ident!("__default_{at}"));
            quote!(let #value = #default();)
        });
        quote!(#(#values)*)
    }

    /// The snapshot of the agent's state that fields are taken from, and the values of keys.
    fn state_values(&self) -> TokenStream {
        let fields = self.params.iter().any(|param| matches!(param.source, Source::Bound(Bind::Field(_))));
        let state = fields.then(|| {
            let state = self.state_type();
            quote!(let __state = <__rt::State<#state> as __rt::Inject<'_>>::inject(__cx)?;)
        });
        let keys = self.params.iter().enumerate().filter_map(|(at, param)| param.key_value(&local(at)));
        let keys = keys.flatten();
        quote!(#state #(#keys)*)
    }

    /// The values of the fields of the state, which may borrow from its snapshot.
    pub(super) fn fields(&self) -> TokenStream {
        let fields =
            self.params.iter().enumerate().filter_map(|(at, param)| param.field_variable(&local(at)));
        let fields = fields.flatten();
        quote!(#(#fields)*)
    }

    /// The type of the agent's state, if the function says it.
    pub(super) fn state_type(&self) -> Option<TokenStream> {
        let given = self.model.options.state.as_ref().map(ToTokens::to_token_stream);
        given.or_else(|| self.params.iter().copied().find_map(state_of).map(ToTokens::to_token_stream))
    }
}

/// The type of the object that the tool holds.
pub(super) fn object_type(model: &Model, private: &TokenStream) -> TokenStream {
    match &model.method {
        Some(Method { self_ty, .. }) => quote!(#private::Arc<#self_ty>),
        None => quote!(()),
    }
}

/// The alias of one of the tool's own hooks. It is an error if the hook has other values than it takes, and rustc reports no
/// error where the alias is used.
pub(super) fn as_written(index: usize) -> Ident {
    Ident::new(&format!("HookAsWritten{index}"), Span::mixed_site())
}

/// The alias that contains the path of one of the tool's own hooks, so that an unresolved path is one error.
pub(super) fn named(type_name: &Ident, index: usize, hook: &PolicyEntry) -> Ident {
    let last = hook.path.segments.last().map_or_else(|| hook.path.span(), Spanned::span);
    format_ident!("__HookOf_{}_{index}", type_name.unraw(), span = last)
}
