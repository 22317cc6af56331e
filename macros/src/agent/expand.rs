//! What `agent!` writes: the agent's type, its declaration, its onion, and the checks.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Path};

use super::ast::{Agent, Entry, Fields, HookEntry, HookItem, Number, ToolboxEntry};
use super::{onion, target, toolboxes};
use crate::item::type_ident;
use crate::listed::Listed;
use crate::paths::Runtime;

/// An agent with what its expansion needs again and again.
pub(super) struct Parts<'a> {
    pub(super) agent: &'a Agent,
    pub(super) fields: &'a Fields,
    pub(super) ty: Ident,
    pub(super) state: TokenStream,
    pub(super) runtime: Runtime,
}

impl<'a> Parts<'a> {
    fn new(agent: &'a Agent) -> Self {
        let fields = &agent.fields;
        let state = fields.state.as_ref().map_or_else(|| quote!(()), |state| quote!(#state));
        let runtime = Runtime::new(fields.crate_path.clone());
        Self { agent, fields, ty: type_ident(&agent.ident), state, runtime }
    }

    /// The hooks, outermost first.
    pub(super) fn hooks(&self) -> impl Iterator<Item = &'a HookEntry> {
        self.fields.tool_hooks.iter().filter_map(|item| match item {
            HookItem::Hook(hook) => Some(&**hook),
            HookItem::Rest(_) => None,
        })
    }

    /// How many hooks stand outside of the run-time ones.
    pub(super) fn seam(&self) -> usize {
        let hooks = self.fields.tool_hooks.iter();
        let before = hooks.take_while(|item| !matches!(item, HookItem::Rest(_))).count();
        if before == self.fields.tool_hooks.len() { 0 } else { before }
    }
}

/// The aliases by which the generated code names what the user wrote: each of the user's paths stands in
/// it once, so a path that does not resolve is reported once. They are spanned at the entry, so that whatever
/// else is wrong with it is reported there, and by the compiler's own rules once.
pub(super) fn tool_alias(index: usize, path: &Path) -> Ident {
    format_ident!("__Tool{index}", span = entry_span(path))
}

pub(super) fn toolbox_alias(index: usize, path: &Path) -> Ident {
    format_ident!("__Toolbox{index}", span = entry_span(path))
}

pub(super) fn hook_alias(index: usize, hook: &HookEntry) -> Ident {
    format_ident!("__Hook{index}", span = entry_span(&hook.entry.path))
}

/// The hook where types are made of it: if something is wrong with the entry, that is one error, and the compiler is
/// silent about all these types. Its name is in the words about some of the errors.
pub(super) fn known_alias(index: usize, hook: &HookEntry) -> Ident {
    format_ident!("HookAsWritten{index}", span = entry_span(&hook.entry.path))
}

pub(super) fn child_alias(index: usize, path: &Path) -> Ident {
    format_ident!("__Agent{index}", span = entry_span(path))
}

/// Where errors about an entry are shown: at the last word of its path.
pub(super) fn entry_span(path: &Path) -> Span {
    let span = path.segments.last().map_or_else(|| path.span(), |last| last.ident.span());
    Span::call_site().located_at(span)
}

/// The `#[cfg]`s of the agent itself.
fn cfgs(agent: &Agent) -> Vec<&Attribute> {
    agent.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect()
}

pub(super) fn agent(agent: &Agent) -> TokenStream {
    let parts = Parts::new(agent);
    let Parts { ty, .. } = &parts;
    let rt = parts.runtime.private();
    let cfgs = cfgs(agent);
    let declared_type = declared_type(agent, ty);
    let aliases = aliases(&parts);
    let checks = checks(&parts);
    let onion = onion::expand(&parts);
    let agent_impl = agent_impl(&parts);
    let handles = handles(&parts);
    quote! {
        #declared_type

        #(#cfgs)*
        #[allow(clippy::all, clippy::pedantic, unused_qualifications)]
        const _: () = {
            use #rt as __rt;
            #aliases
            #checks
            #onion
            #agent_impl
            #handles
        };
    }
}

/// The agent's type and the least that other agents need of it, for an agent that has errors.
pub(super) fn stand_in(agent: &Agent) -> TokenStream {
    let parts = Parts::new(agent);
    let Parts { ty, state, .. } = &parts;
    let cfgs = cfgs(agent);
    let declared_type = declared_type(agent, ty);
    let root = parts.runtime.root();
    let rt = parts.runtime.private();
    let name = name(agent);
    let handles = handles(&parts);
    // What the agent names is used, however wrong the agent is.
    let aliases = aliases(&parts);
    quote! {
        #declared_type

        #(#cfgs)*
        #[allow(clippy::all, clippy::pedantic, dead_code)]
        const _: () = {
            use #rt as __rt;
            #aliases

            #[diagnostic::do_not_recommend]
            impl #root::Agent for #ty {
                const NAME: &'static str = #name;
                type State = #state;

                fn declare() -> __rt::AgentDeclaration {
                    __rt::AgentDeclaration::new(#name)
                }
            }

            #handles
        };
    }
}

fn declared_type(agent: &Agent, ty: &Ident) -> TokenStream {
    let Agent { attrs, vis, .. } = agent;
    let name = name(agent);
    let doc = (!attrs.iter().any(|attr| attr.path().is_ident("doc"))).then(|| {
        let doc = format!("The agent `{name}`.");
        quote!(#[doc = #doc])
    });
    let derives = [
        ("Debug", quote!(::core::fmt::Debug)),
        ("Clone", quote!(::core::clone::Clone)),
        ("Copy", quote!(::core::marker::Copy)),
        ("Default", quote!(::core::default::Default)),
    ];
    // What the user derives is derived once.
    let derives = derives.into_iter().filter(|(name, _)| !derives_it(attrs, name)).map(|(_, path)| path);
    quote! {
        #(#attrs)*
        #doc
        #[allow(dead_code)]
        #[derive(#(#derives),*)]
        #vis struct #ty {}
    }
}

fn derives_it(attrs: &[Attribute], name: &str) -> bool {
    let mut found = false;
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("derive")) {
        // What is no list of paths is for rustc to report.
        let _ = attr.parse_nested_meta(|meta| {
            found |= meta.path.segments.last().is_some_and(|last| last.ident == name);
            Ok(())
        });
    }
    found
}

fn name(agent: &Agent) -> String {
    agent.fields.name.as_ref().map_or_else(|| agent.ident.unraw().to_string(), syn::LitStr::value)
}

fn aliases(parts: &Parts<'_>) -> TokenStream {
    let alias = |name: Ident, entry: &Entry| {
        let Entry { cfgs, path } = entry;
        quote!(#(#cfgs)* type #name = #path;)
    };
    let fields = parts.fields;
    let tools = fields
        .function_tools
        .iter()
        .enumerate()
        .map(|(index, entry)| alias(tool_alias(index, &entry.path), entry));
    let hooks = parts.hooks().enumerate().map(|(index, hook)| alias(hook_alias(index, hook), &hook.entry));
    let agents =
        fields.agents.iter().enumerate().map(|(index, entry)| alias(child_alias(index, &entry.path), entry));
    let toolboxes = fields
        .toolboxes
        .iter()
        .enumerate()
        .map(|(index, toolbox)| alias(toolbox_alias(index, &toolbox.entry.path), &toolbox.entry));
    quote!(#(#tools)* #(#toolboxes)* #(#hooks)* #(#agents)*)
}

/// What only the types can show, each at the user's own word.
fn checks(parts: &Parts<'_>) -> TokenStream {
    let Parts { fields, state, .. } = parts;
    let mut checks = TokenStream::new();
    let tools = &fields.function_tools;
    let names = tools.iter().enumerate().map(|(index, Entry { cfgs, path })| {
        let (alias, span) = (tool_alias(index, path), entry_span(path));
        quote_spanned!(span=> #(#cfgs)* (#index, <#alias as __rt::Tool>::NAME))
    });
    if tools.len() > 1 {
        checks.extend(quote!(const __TOOL_CLASH: usize = __rt::first_clash(&[#(#names),*]);));
    }
    // In one body: a constant for each tool would cost the compiler more.
    let each = tools.iter().enumerate().map(|(index, Entry { cfgs, path })| {
        let (alias, span) = (tool_alias(index, path), entry_span(path));
        let once = (index > 0).then(|| {
            quote_spanned! {span=>
                #(#cfgs)*
                let _ = <#alias as __rt::ToolNamedOnce<{ __TOOL_CLASH != #index }>>::HOLDS;
            }
        });
        quote_spanned! {span=>
            #(#cfgs)*
            let () = <<<#alias as __rt::Tool>::State as __rt::States>::All as __rt::FitsState<#state>>::FITS;
            #once
        }
    });
    checks.extend(quote!(type __Tools = __rt::Known<{ #(#each)* true }>;));
    checks.extend(toolboxes::checks(fields, state));
    let hooks: Vec<_> = parts.hooks().collect();
    let typed = hooks.iter().enumerate().map(|(index, hook)| {
        let (alias, span, cfgs) = (hook_alias(index, hook), entry_span(&hook.entry.path), &hook.entry.cfgs);
        quote_spanned!(span=> #(#cfgs)* (#index, <#alias as __rt::Hook>::TYPED))
    });
    if hooks.len() > 1 {
        checks.extend(quote!(const __TYPED_HOOKS: &[(usize, bool)] = &[#(#typed),*];));
    }
    for (index, hook) in hooks.iter().enumerate() {
        let (alias, known, cfgs) = (hook_alias(index, hook), known_alias(index, hook), &hook.entry.cfgs);
        let (span, written) = (entry_span(&hook.entry.path), hook.config.len());
        let listed = Listed { alias: &alias, kind: quote!(__rt::Hook), spans: [span; 2] };
        let named = listed.is_named_with(written);
        let order = (index > 0).then(|| {
            let holds = quote!({ __rt::stands_outside(__TYPED_HOOKS, #index) });
            let holds = listed.holds("BeforeTypedHooks", &holds);
            quote!(&& #holds)
        });
        checks.extend(quote_spanned! {span=>
            #(#cfgs)*
            type #known = <__rt::Known<{
                let () = <__rt::StateOf<#alias> as __rt::FitsState<#state>>::FITS;
                #named #order
            }> as __rt::Is>::Type<#alias>;
        });
    }
    checks.extend(target::checks(fields));
    let agents = fields.agents.iter().enumerate().map(|(index, Entry { cfgs, path })| {
        let (alias, span) = (child_alias(index, path), entry_span(path));
        quote_spanned!(span=> #(#cfgs)* (#index, <#alias as __rt::Agent>::NAME))
    });
    if fields.agents.len() > 1 {
        checks.extend(quote!(const __AGENT_CLASH: usize = __rt::first_clash(&[#(#agents),*]);));
    }
    for (index, Entry { cfgs, path }) in fields.agents.iter().enumerate() {
        let (alias, span) = (child_alias(index, path), entry_span(path));
        let listed = Listed { alias: &alias, kind: quote!(__rt::Agent), spans: [span; 2] };
        let described = listed.item("DESCRIBED");
        let described = listed.holds("DescribedChild", &quote!({ #described }));
        let once = (index > 0).then(|| {
            let once = listed.holds("ChildNamedOnce", &quote!({ __AGENT_CLASH != #index }));
            quote!(&& #once)
        });
        checks.extend(quote_spanned!(span=> #(#cfgs)* const _: bool = #described #once;));
    }
    checks
}

impl ToolboxEntry {
    /// The prefix of its tools' names as an `Option<&str>`.
    pub(super) fn prefix(&self) -> TokenStream {
        match self.prefix.as_ref().map(|prefix| prefix.unraw().to_string()) {
            Some(prefix) => quote!(::core::option::Option::Some(#prefix)),
            None => quote!(::core::option::Option::None),
        }
    }
}

fn agent_impl(parts: &Parts<'_>) -> TokenStream {
    let Parts { agent, fields, ty, state, .. } = parts;
    let name = name(agent);
    let described = fields.description.is_some();
    let declaration = declaration(parts, &name);
    let children = fields.agents.iter().enumerate().map(|(index, Entry { cfgs, path })| {
        let (alias, span) = (child_alias(index, path), entry_span(path));
        quote_spanned!(span=> #(#cfgs)* let () = <#alias as __rt::Agent>::AN_AGENT_MUST_NOT_CONTAIN_ITSELF;)
    });
    // A cycle through other invocations is reported where this stands.
    let first = fields.agents.first().map_or_else(Span::call_site, |entry| entry_span(&entry.path));
    let contains = quote_spanned!(first=> const AN_AGENT_MUST_NOT_CONTAIN_ITSELF: () = { #(#children)* };);
    let state_span = fields.state.as_ref().map_or_else(Span::call_site, Spanned::span);
    // If a tool is wrong, its state may be the reason: then nothing more is said of it.
    let state_span = Span::call_site().located_at(state_span);
    let sound = Ident::new("__State", state_span);
    let sound_state = quote!(type #sound = <__Tools as __rt::Is>::Type<#state>;);
    let state = quote_spanned!(state_span=> type State = #sound;);
    let evaluated =
        quote_spanned!(first=> const _: () = <#ty as __rt::Agent>::AN_AGENT_MUST_NOT_CONTAIN_ITSELF;);
    quote! {
        #sound_state

        #[diagnostic::do_not_recommend]
        impl __rt::Agent for #ty {
            const NAME: &'static str = #name;
            const DESCRIBED: ::core::primitive::bool = #described;
            #state
            #contains

            fn declare() -> __rt::AgentDeclaration {
                #declaration
            }
        }

        #evaluated
    }
}

fn declaration(parts: &Parts<'_>, name: &str) -> TokenStream {
    let Parts { fields, ty, .. } = parts;
    let mut calls = TokenStream::new();
    let mut text = |method: &str, value: &Option<Expr>| {
        if let Some(value) = value {
            let span = Span::call_site().located_at(value.span());
            let method_name = Ident::new(method, span);
            // A model's name is asked for as it is; of the others it is said what can stand there.
            let is_plain = method == "model" || matches!(value, Expr::Lit(_));
            let value =
                if is_plain { quote!(#value) } else { quote_spanned!(span=> __rt::Text::text(#value)) };
            calls.extend(quote!(let __agent = __agent.#method_name(#value);));
        }
    };
    text("description", &fields.description);
    text("instruction", &fields.instruction);
    text("model", &fields.model);
    if fields.model.is_some() {
        let root = parts.runtime.root();
        calls.extend(quote!(let __agent = #root::__onionskin_model!(__agent);));
    }
    for server in &fields.servers {
        let text = &server.text;
        let filter = fields.tools.iter().find(|(of, _)| of.text == *text);
        let filter = match filter {
            Some((_, patterns)) => {
                let patterns = patterns.iter().map(|pattern| &pattern.text);
                quote!(::core::option::Option::Some(&[#(#patterns),*]))
            }
            None => quote!(::core::option::Option::None),
        };
        calls.extend(quote!(let __agent = __agent.server(#text, #filter);));
    }
    if let Some(server) = fields.servers.first() {
        let span = Span::call_site().located_at(server.span);
        let root = parts.runtime.root_at(span);
        calls.extend(quote_spanned!(span=> let __agent = #root::__onionskin_servers!(__agent);));
    }
    for tool in fields.runtime.iter().filter(|tool| tool.name == "shell.execute") {
        let span = Span::call_site().located_at(tool.span);
        let root = parts.runtime.root_at(span);
        calls.extend(quote_spanned!(span=> let __agent = #root::__onionskin_shell!(__agent);));
    }
    for (index, toolbox) in fields.toolboxes.iter().enumerate() {
        let Entry { cfgs, path } = &toolbox.entry;
        let (alias, span) = (toolbox_alias(index, path), entry_span(path));
        let prefix = toolbox.prefix();
        calls.extend(quote_spanned! {span=>
            #(#cfgs)*
            let __agent = __agent.toolbox_link(<#alias as __rt::Toolbox>::link(#prefix));
        });
    }
    for (index, Entry { cfgs, path }) in fields.agents.iter().enumerate() {
        let (alias, span) = (child_alias(index, path), entry_span(path));
        calls.extend(quote_spanned! {span=>
            #(#cfgs)*
            let __agent = __agent.child_link(<#alias as __rt::Agent>::link());
        });
    }
    if let Some(default) = &fields.default {
        calls.extend(quote!(let __agent = __agent.default_agent(#default);));
    }
    for (hook, tool) in target::named_at_run_time(fields) {
        calls.extend(quote!(let __agent = __agent.filter_names(#hook, #tool);));
    }
    calls.extend(request_params(fields));
    calls.extend(limits(fields));
    calls.extend(variant("history_source", "HistorySource", fields.history_source.as_ref()));
    calls.extend(variant("history_merge_target", "HistoryMergeTarget", fields.history_merge_target.as_ref()));
    calls.extend(variant("effect", "Effect", fields.effect.as_ref()));
    calls.extend(count("max_parallel", fields.max_parallel));
    calls.extend(count("max_display_instances", fields.max_display_instances));
    if let Some(Number { value, .. }) = fields.child_timeout_sec {
        calls.extend(quote! {
            let __agent = __agent.child_timeout(::core::time::Duration::from_secs_f64(#value));
        });
    }
    quote! {
        let __agent = __rt::AgentDeclaration::new(#name);
        #calls
        __agent.onion(|__hooks| {
            let (__core, __entry) = <#ty as __rt::Compiled>::compose(__hooks);
            __rt::Onion::new(&__core, __entry)
        })
    }
}

fn variant(method: &str, of: &str, word: Option<&Ident>) -> Option<TokenStream> {
    let word = word?.to_string();
    let mut letters = word.chars();
    let variant: String = letters.next()?.to_uppercase().chain(letters).collect();
    let (method, of, variant) =
        (format_ident!("{method}"), format_ident!("{of}"), format_ident!("{variant}"));
    Some(quote!(let __agent = __agent.#method(__rt::#of::#variant);))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be a whole number from 1"
)]
fn count(method: &str, number: Option<Number>) -> Option<TokenStream> {
    let value = number?.value as usize;
    let method = format_ident!("{method}");
    Some(quote!(let __agent = __agent.#method(#value);))
}

fn request_params(fields: &Fields) -> Option<TokenStream> {
    if fields.request_params.is_empty() {
        return None;
    }
    let set = fields.request_params.iter().map(|(key, value)| {
        if key == "stop_sequences" {
            quote!(__params.#key = ::core::iter::IntoIterator::into_iter(#value).map(::core::convert::Into::into).collect();)
        } else {
            let span = Span::call_site().located_at(value.span());
            quote_spanned!(span=> *__params.#key.get_or_insert_default() = #value;)
        }
    });
    Some(quote! {
        let mut __params = <__rt::RequestParams as ::core::default::Default>::default();
        #(#set)*
        let __agent = __agent.request_params(__params);
    })
}

fn limits(fields: &Fields) -> Option<TokenStream> {
    if fields.limits.is_empty() {
        return None;
    }
    let set = fields.limits.iter().map(|(key, value)| match key.to_string().as_str() {
        "time_sec" => {
            let seconds = seconds(value);
            quote!(__limits.time = ::core::option::Option::Some(#seconds);)
        }
        "model_timeout_sec" => {
            let seconds = seconds(value);
            quote!(__limits.model_timeout = #seconds;)
        }
        "tool_calls" | "tokens" => {
            let span = Span::call_site().located_at(value.span());
            quote_spanned!(span=> *__limits.#key.get_or_insert_default() = #value;)
        }
        _ => {
            let span = Span::call_site().located_at(value.span());
            quote_spanned!(span=> __limits.#key = #value;)
        }
    });
    Some(quote! {
        let mut __limits = <__rt::Limits as ::core::default::Default>::default();
        #(#set)*
        let __agent = __agent.limits(__limits);
    })
}

fn seconds(value: &Expr) -> TokenStream {
    quote_spanned!(Span::call_site().located_at(value.span())=> __rt::Seconds::duration(#value))
}

/// What a program calls on the type.
fn handles(parts: &Parts<'_>) -> TokenStream {
    let Parts { ty, .. } = parts;
    quote! {
        #[allow(dead_code)]
        impl #ty {
            /// Begins to build the agent: give it a model, a state, servers and run-time hooks, then `.build().await`.
            pub fn builder() -> __rt::AgentBuilder<Self> {
                ::core::default::Default::default()
            }

            /// Builds the agent with the model that it names, asks it once and ends its servers.
            ///
            /// # Errors
            /// If it cannot be built or has no answer.
            pub async fn run(
                input: impl ::core::convert::Into<__rt::String>,
            ) -> ::core::result::Result<__rt::RunOutput, __rt::RunError> {
                Self::builder().run(input).await
            }

            /// Builds the agent with the model that it names, asks it once and gives the events as they come.
            ///
            /// # Errors
            /// If it cannot be built.
            pub async fn stream(
                input: impl ::core::convert::Into<__rt::String>,
            ) -> ::core::result::Result<__rt::RunStream, __rt::BuildError> {
                Self::builder().stream(input).await
            }

            /// As `run`, for programs that are not async.
            ///
            /// # Errors
            /// As `run`.
            pub fn run_blocking(
                input: impl ::core::convert::Into<__rt::String>,
            ) -> ::core::result::Result<__rt::RunOutput, __rt::RunError> {
                Self::builder().run_blocking(input)
            }
        }
    }
}
