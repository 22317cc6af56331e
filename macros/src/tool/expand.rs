//! What `#[tool]` writes beside the function. `runtime/tests/by_hand.rs` shows it by hand.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Attribute;
use syn::spanned::Spanned;

use super::attr::Timeout;
use super::check::{cfg_words, state_of};
use super::model::Model;
use super::param::{Form, Param, Source};
use super::typed;
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
            let typed = hook_const(path, &private, "TYPED");
            // What is no hook is one error, and the compiler is silent about the field.
            let known = quote!(<#private::Known<{ #typed }> as #private::Is>::Type<#path>);
            quote!(#private::Layer<#known, #inner>)
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
        let name = &self.model.tool_name;
        let type_name = self.type_name;
        let (tables, definition) = (self.tables(), self.definition());
        let (read, inject, encode, call) = (self.read(), self.inject(), self.encode(), self.send_call());
        let (default, state, typed) = (self.default(), self.state(), typed::expand(self));
        let (items, run) = self.run();
        quote! {
            use #private as __rt;
            #tables
            #definition
            #read
            #inject
            #call
            #encode
            #items
            #default
            #[diagnostic::do_not_recommend]
            impl __rt::Tool for #type_name {
                const NAME: &'static ::core::primitive::str = #name;
                type State = #state;
                fn definition(&self) -> &__rt::ToolDefinition {
                    __DEFINITION.get()
                }
                #run
            }
            #typed
        }
    }

    /// The parameters that the model fills, each with its place among all parameters.
    pub(super) fn model_params(&self) -> impl Iterator<Item = (usize, &Param)> {
        self.params.iter().enumerate().filter(|(_, param)| param.is_model()).map(|(at, param)| (at, *param))
    }

    fn injected(&self) -> impl Iterator<Item = (usize, &Param)> {
        self.params
            .iter()
            .enumerate()
            .filter(|(_, param)| param.is_injected())
            .map(|(at, param)| (at, *param))
    }

    /// One reader for each parameter's type, defaults and examples as functions, the table of parameters.
    fn tables(&self) -> TokenStream {
        let mut items = TokenStream::new();
        let mut rows = Vec::new();
        for (at, param) in self.params.iter().enumerate() {
            let owned = &param.owned;
            let default = param.default_value().map(|value| {
                let function = format_ident!("__default_{at}");
                items.extend(quote!(fn #function() -> #owned { let value: #owned = #value; value }));
                function
            });
            if !param.is_model() {
                continue;
            }
            let reader = format_ident!("__READER_{at}");
            let name = &param.name;
            if param.form == Form::Borrowing {
                items.extend(quote_spanned! {param.ty.span().resolved_at(Span::mixed_site())=>
                    const _: fn() = || {
                        use __rt::NoAlias as _;
                        __rt::no_alias(__rt::Alias::<#owned>::OF.find());
                    };
                });
            }
            let base = if param.reads_text() || param.form == Form::Borrowing {
                quote!(__rt::Param::new(#name, __rt::schema_of::<#owned>, __rt::optional::<#owned>))
            } else {
                items.extend(quote_spanned! {param.ty.span().resolved_at(Span::mixed_site())=>
                    const #reader: __rt::Reader<#owned> = __rt::reader::<#owned>();
                });
                quote!(#reader.param(#name))
            };
            let mut fields = TokenStream::new();
            if param.has_description {
                let description = &param.description;
                fields.extend(quote!(description: #description,));
            }
            if let Some(function) = default {
                let shown = show(&quote!(#function()));
                fields.extend(quote!(default: ::core::option::Option::Some(|| #shown),));
            }
            if let Some(example) = &param.arg.example {
                let shown = show(&quote!(#example));
                fields.extend(quote!(example: ::core::option::Option::Some(|| #shown),));
            }
            let limits = &param.arg.limits;
            if !limits.is_empty() {
                fields.extend(quote!(limits: &[#(#limits),*],));
            }
            rows.push(if fields.is_empty() { base } else { quote!(__rt::Param { #fields ..#base }) });
        }
        let count = rows.len();
        quote! {
            #items
            static __PARAMS: [__rt::Param; #count] = [#(#rows),*];
        }
    }

    fn definition(&self) -> TokenStream {
        let Model { options, tool_name, description, returns, returned, .. } = self.model;
        let some = |value: TokenStream| quote!(::core::option::Option::Some(#value));
        let mut fields = quote!(name: #tool_name, description: #description, params: &__PARAMS,);
        let texts = [("title", &options.title), ("instructions", &options.instructions)];
        for (key, value) in texts.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?))) {
            let (key, value) = (format_ident!("{key}"), some(quote!(#value)));
            fields.extend(quote!(#key: #value,));
        }
        if !returns.is_empty() {
            fields.extend(quote!(returns: #returns,));
        }
        let schema = match (&options.output_schema, returned) {
            (Some(schema), _) => some(quote!(#schema)),
            (None, None) => quote!(::core::option::Option::None),
            (None, Some(returned)) => {
                let returned = super::param::with_lifetime(returned, "'static");
                quote! {{
                    use __rt::ladder::*;
                    let kind = __rt::Kind::<#returned>::new();
                    let kind = (&&&&kind).split_by().value(&kind);
                    (&&&kind).described_by().schema(&kind)
                }}
            }
        };
        fields.extend(quote!(output_schema: || #schema,));
        if let Some(meta) = &options.meta {
            let shown = some(quote!(|| __rt::to_value(#meta).ok()));
            fields.extend(quote!(meta: #shown,));
        }
        if options.hints.iter().any(Option::is_some) {
            let names = ["read_only", "destructive", "idempotent", "open_world"];
            let hints = names.iter().zip(options.hints).filter_map(|(name, hint)| {
                let (name, hint) = (format_ident!("{name}"), some(hint?.to_token_stream()));
                Some(quote!(hints.#name = #hint;))
            });
            fields.extend(quote! {
                annotations: {
                    let mut hints = __rt::Annotations::NONE;
                    #(#hints)*
                    hints
                },
            });
        }
        if let Some(effect) = &options.effect {
            let effect = Ident::new(&effect.to_string(), Span::call_site());
            fields.extend(quote!(effect: __rt::Effect::#effect,));
        }
        if options.stop_after {
            fields.extend(quote!(stop_after: true,));
        }
        if let Some(most) = &options.max_calls {
            let most = some(quote!(#most));
            fields.extend(quote!(max_calls: #most,));
        }
        let timeout = options.timeout.as_ref().map(|timeout| match timeout {
            Timeout::Millis(millis) => some(quote!(__rt::Duration::from_millis(#millis))),
            Timeout::Duration(value) => some(quote!(#value)),
        });
        if let Some(timeout) = timeout {
            fields.extend(quote!(timeout: #timeout,));
        }
        quote! {
            static __DEFINITION: __rt::Defined =
                __rt::Defined::new(|| __rt::StaticTool { #fields ..__rt::StaticTool::EMPTY });
        }
    }

    /// Reads the arguments; whatever is wrong with them is told at once.
    fn read(&self) -> TokenStream {
        let types = self.model_params().map(|(_, param)| param.read_type());
        let values: Vec<_> = self.model_params().map(|(at, _)| local(at)).collect();
        let reads = self.model_params().enumerate().map(|(slot, (at, param))| {
            let value = local(at);
            let read = match param.form {
                Form::Str | Form::CowStr => quote!(slots.take_str(#slot)),
                Form::OptionStr | Form::OptionCowStr => quote!(slots.take_optional_str(#slot)),
                Form::Borrowing => {
                    let ty = param.read_type();
                    quote!(slots.take::<#ty>(#slot))
                }
                _ => {
                    let reader = format_ident!("__READER_{at}");
                    quote!(slots.read(#slot, &#reader))
                }
            };
            if param.arg.default.is_none() {
                return quote!(let #value = #read;);
            }
            let function = format_ident!("__default_{at}");
            let default = match param.form {
                Form::Str | Form::CowStr => quote!(__rt::Cow::Owned(#function())),
                Form::OptionStr | Form::OptionCowStr => {
                    quote!(::core::option::Option::map(#function(), __rt::Cow::Owned))
                }
                _ => quote!(#function()),
            };
            quote! {
                let #value = if slots.is_given(#slot) { #read } else { ::core::option::Option::Some(#default) };
            }
        });
        let reads: Vec<_> = reads.collect();
        let mutable = (!reads.is_empty()).then(|| quote!(mut));
        quote! {
            fn __read<'a>(
                __args: &'a mut __rt::Args,
            ) -> ::core::result::Result<(#(#types,)*), __rt::Exit> {
                let #mutable slots = __rt::Slots::split(__DEFINITION.get(), &__PARAMS, __args);
                #(#reads)*
                match (#(#values,)*) {
                    (#(::core::option::Option::Some(#values),)*) if slots.is_sound() => {
                        ::core::result::Result::Ok((#(#values,)*))
                    }
                    _ => ::core::result::Result::Err(slots.refuse()),
                }
            }
        }
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

    /// An async function's call, checked to be `Send` once, at the function's name.
    fn send_call(&self) -> Option<TokenStream> {
        if !self.model.is_async {
            return None;
        }
        let function = &self.model.function;
        let span = function.span().resolved_at(Span::mixed_site());
        let values: Vec<_> = (0..self.params.len()).map(local).collect();
        let types = self.params.iter().map(|param| &param.ty);
        let lifetimes = &self.model.generics;
        let bounds = &self.model.generics.where_clause;
        let output =
            if let Some(returned) = &self.model.returned { returned.to_token_stream() } else { quote!(()) };
        let future = quote_spanned! {span=>
            impl ::core::future::Future<Output = #output> + ::core::marker::Send
        };
        Some(quote! {
            fn __call #lifetimes (#(#values: #types),*) -> #future #bounds {
                #function(#(#values),*)
            }
        })
    }

    /// The call of the function, its values in local variables.
    pub(super) fn call(&self, owned: bool) -> TokenStream {
        let function = &self.model.function;
        let args = self.params.iter().enumerate().map(|(at, param)| match param.source {
            Source::Injected => local(at).to_token_stream(),
            Source::Model => param.pass(&local(at), owned),
            Source::Skipped => param.pass(&local(at), true),
        });
        if self.model.is_async { quote!(__call(#(#args),*).await) } else { quote!(#function(#(#args),*)) }
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

    fn encode(&self) -> TokenStream {
        let Some(returned) = &self.model.returned else {
            return quote! {
                fn __encode(returned: ()) -> __rt::ToolResult {
                    use __rt::ladder::*;
                    let kind = __rt::Kind::of(&returned);
                    (&&kind).form().finish(returned)
                }
            };
        };
        let lifetimes = &self.model.generics;
        let bounds = &self.model.generics.where_clause;
        let parameter = Ident::new("returned", Span::mixed_site());
        let value = Ident::new("value", Span::mixed_site().located_at(returned.span()));
        let finish = quote_spanned! {returned.span().resolved_at(Span::mixed_site())=>
            (&&kind).form().finish(#value)
        };
        let kind = quote_spanned!(Span::mixed_site()=> let kind = __rt::Kind::of(&#value););
        quote_spanned! {Span::mixed_site()=>
            fn __encode #lifetimes (#parameter: #returned) -> __rt::ToolResult #bounds {
                use __rt::ladder::*;
                let kind = __rt::Kind::of(&#parameter);
                let #value = (&&&&kind).split_by().split(#parameter)?;
                #kind
                #finish
            }
        }
    }

    fn default(&self) -> TokenStream {
        let type_name = self.type_name;
        let hooks = self.model.options.hooks.iter().enumerate();
        let fields = if hooks.len() == 0 {
            quote!()
        } else {
            let onion = hooks.rev().fold(quote!(__rt::Within::new()), |inner, (index, hook)| {
                let (as_written, with) = (as_written(index), &hook.with);
                quote!(__rt::Layer::new({ let with: __rt::Values<#as_written> = #with; with }, #inner))
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

    /// `Tool::run`, and what stands inside of the tool's own hooks.
    fn run(&self) -> (TokenStream, TokenStream) {
        let values: Vec<_> = self.model_params().map(|(at, _)| local(at)).collect();
        let (inject, skipped) = (self.injection(), self.skipped());
        let body = if self.model.options.blocking.is_some() {
            let owned = self.model_params().map(|(at, param)| param.to_owned(&local(at)));
            let call = self.call(true);
            quote! {
                let (#(#values,)*) = __read(__args)?;
                let (#(#values,)*) = (#(#owned,)*);
                let __context = __cx.to_owned_context();
                __rt::offload(__cx, move || {
                    let __cx = &__context;
                    #inject
                    #skipped
                    __encode(#call)
                })
                .await
            }
        } else {
            let call = self.call(false);
            quote! {
                let (#(#values,)*) = __read(__args)?;
                #inject
                #skipped
                __encode(#call)
            }
        };
        let options = &self.model.options;
        let (type_name, inputs) = (self.type_name, quote!(__cx: &__rt::ToolContext, __args: &mut __rt::Args));
        let inner = if let Some(handler) = &options.on_error {
            quote!(__rt::recover(__cx, __run(__cx, __args).await, #handler))
        } else {
            quote!(__run(__cx, __args).await)
        };
        let items = if self.model.is_wrapped() {
            quote!(async fn __run(#inputs) -> __rt::ToolResult { #body })
        } else {
            quote!()
        };
        let (items, body) = if options.hooks.is_empty() {
            (items, if self.model.is_wrapped() { inner } else { body })
        } else {
            let rt = quote!(__rt);
            let checks = options.hooks.iter().enumerate().map(|(index, hook)| {
                let (path, as_written, values) = (&hook.path, as_written(index), hook.values);
                let [typed, takes] = ["TYPED", "TAKES"].map(|item| hook_const(path, &rt, item));
                quote_spanned! {path.span()=>
                    type #as_written = <__rt::Known<{ __rt::takes(#values, #takes) }> as __rt::Is>::Type<#path>;
                    const _: () = ::core::assert!(
                        !#typed,
                        "a typed hook stands in an agent's `tool_hooks`, not in a tool's own `hooks`"
                    );
                }
            });
            let inside = quote! {
                #items
                impl __rt::Body for #type_name {
                    async fn body(__cx: &__rt::ToolContext, __args: &mut __rt::Args) -> __rt::ToolResult {
                        #inner
                    }
                }
                #(#checks)*
            };
            (inside, quote!(__rt::Call::call(&self.onion, __cx, __args).await))
        };
        let run = quote! {
            async fn run<'a>(
                &'a self,
                __cx: &'a __rt::ToolContext,
                __args: &'a mut __rt::Args,
            ) -> __rt::ToolResult {
                #body
            }
        };
        (items, run)
    }

    /// The state that the tool and its own hooks work on.
    fn state(&self) -> TokenStream {
        let own = if let Some(state) = self.params.iter().find_map(|param| state_of(param)) {
            quote!(__rt::State<#state>)
        } else {
            quote!(())
        };
        (0..self.model.options.hooks.len()).fold(own, |states, index| {
            let hook = as_written(index);
            quote!(__rt::BothStates<#states, <#hook as __rt::Hook>::State>)
        })
    }
}

/// The alias of one of the tool's own hooks: an error, about whose uses the compiler is silent, if it stands with other
/// values than it takes.
fn as_written(index: usize) -> Ident {
    Ident::new(&format!("HookAsWritten{index}"), Span::mixed_site())
}

/// `<path as Hook>::item`, spanned so that whatever is wrong with the path is reported at all of it, and by the
/// compiler's own rules once.
fn hook_const(path: &syn::Path, private: &TokenStream, item: &str) -> TokenStream {
    let last = path.segments.last().map_or_else(|| path.span(), Spanned::span);
    let open = quote_spanned!(path.span()=> <);
    let item = Ident::new(item, last);
    let close = quote_spanned!(last=> >::#item);
    quote!(#open #path as #private::Hook #close)
}

/// A value as JSON, where its type can be written.
fn show(value: &TokenStream) -> TokenStream {
    quote! {{
        let value = #value;
        {
            use __rt::ladder::*;
            let kind = __rt::Kind::of(&value);
            (&&kind).show(&value)
        }
    }}
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
            #[diagnostic::do_not_recommend]
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
