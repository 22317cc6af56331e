//! `impl Agent`, and the declaration that the runtime builds the agent from.

use onionskin_vocabulary::agent::Setting;
use onionskin_vocabulary::placeholders::SESSION_STATE;
use onionskin_vocabulary::server_data::PatternField;
use onionskin_vocabulary::{MISSING_MCP, MISSING_MCP_HTTP, Word as _};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::names::{Named, children, entry_span, hooks, toolboxes};
use super::toolboxes::prefix;
use super::{around, filter, prompt, typed};
use crate::agent::ast::{ApprovalRule, Word};
use crate::agent::model::{AgentModel, Approval, BuiltIn, Header, Piece, Server};
use crate::agent::settings::{ExplicitSetting, SettingValue, Write};
use crate::item::option;

/// `impl Agent`.
pub(super) fn agent_impl(agent: &AgentModel<'_>) -> TokenStream {
    let (ty, state, name) = (&agent.ty, &agent.state, &agent.name);
    let described = agent.description.is_some();
    let declaration = declaration(agent);
    let run = run(agent);
    let inner = children(agent).map(|Named { cfgs, alias, span, .. }| {
        quote_spanned!(span=> #(#cfgs)* let () = <#alias as __rt::Agent>::AN_AGENT_MUST_NOT_CONTAIN_ITSELF;)
    });
    // A cycle through other invocations is reported at this span.
    let first = agent.fields.agents.first().map_or_else(Span::call_site, |entry| entry_span(&entry.path));
    let contains = quote_spanned!(first=> const AN_AGENT_MUST_NOT_CONTAIN_ITSELF: () = { #(#inner)* };);
    let state_span = agent.fields.state.as_ref().map_or_else(Span::call_site, Spanned::span);
    // If a tool is wrong, its state may be the reason. Then no second error mentions the state.
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

            #run
        }

        #evaluated
    }
}

/// The function in place of the loop.
pub(super) fn run(agent: &AgentModel<'_>) -> Option<TokenStream> {
    let path = agent.fields.run.as_ref()?;
    let span = entry_span(&path.path);
    // The path is the user's, so it cannot mean the parameters. The type of a pointer says which parameters it has to take.
    let answer = quote_spanned! {span=>
        let __answer: fn(&'run __rt::AgentRun, __rt::String) -> _ = #path;
        __rt::StrategyAnswer::boxed(__answer(__run, __input))
    };
    Some(quote! {
        fn run<'run>(
            __run: &'run __rt::AgentRun,
            __input: __rt::String,
        ) -> impl ::core::future::Future<Output = ::core::result::Result<__rt::String, __rt::RunError>> + ::core::marker::Send {
            #answer
        }
    })
}

fn declaration(agent: &AgentModel<'_>) -> TokenStream {
    let ty = &agent.ty;
    let mut calls = TokenStream::new();
    if let Some(text) = agent.description {
        let span = Span::call_site().located_at(text.span());
        let (method, text) = (Ident::new("description", span), prompt::words(text));
        calls.extend(quote!(let __agent = __agent.#method(#text);));
    }
    calls.extend(prompt::parts(agent));
    if agent.fields.settings.iter().any(|(setting, _)| *setting == Setting::Model) {
        let root = agent.runtime.root();
        calls.extend(quote!(let __agent = #root::__onionskin_model!(__agent);));
    }
    calls.extend(servers(agent));
    calls.extend(headers(agent));
    for BuiltIn { tool, span } in &agent.built_in {
        let span = Span::call_site().located_at(*span);
        let (root, gives) = (agent.runtime.root_at(span), format!("__onionskin_{}", tool.family()));
        let (gives, word) = (Ident::new(&gives, span), Ident::new(tool.name(), span));
        let missing = tool.missing();
        calls.extend(quote_spanned!(span=> let __agent = #root::#gives!(__agent #word #missing);));
    }
    for (Named { cfgs, known, span, .. }, toolbox) in toolboxes(agent) {
        let prefix = prefix(toolbox);
        calls.extend(quote_spanned! {span=>
            #(#cfgs)*
            let __agent = __agent.toolbox::<#known>(#prefix);
        });
    }
    for Named { cfgs, known, span, .. } in children(agent) {
        calls.extend(quote_spanned! {span=>
            #(#cfgs)*
            let __agent = __agent.child::<#known>();
        });
    }
    calls.extend(agent.workflow.declared());
    calls.extend(compiled_hooks(agent));
    calls.extend(around::declared(agent));
    calls.extend(approval(agent));
    if agent.fields.state.is_some() {
        calls.extend(quote! {
            let __agent = {
                use __rt::PlainState as _;
                let __state = __rt::StateKind::<<Self as __rt::Agent>::State>::NEW;
                __agent.state_visitor(__state.visitor()).state_codec(__state.codec())
            };
        });
    }
    if agent.fields.run.is_some() {
        calls.extend(quote!(let __agent = __agent.runs_itself();));
    }
    for (hook, tool) in filter::names(agent) {
        calls.extend(quote!(let __agent = __agent.filter_names(#hook, #tool);));
    }
    calls.extend(request_params(&agent.request_params));
    calls.extend(limits(&agent.limits));
    calls.extend(typed::declared(agent));
    calls.extend(agent.fields.settings.iter().map(|(setting, value)| declared_setting(*setting, value)));
    quote! {
        let __agent = __rt::AgentDeclaration::new();
        #calls
        __agent.onion(|__hooks| {
            let (__core, __entry) = <#ty as __rt::Compiled>::compose(__hooks);
            __rt::Onion::new(&__core, __entry)
        })
    }
}

/// The servers, what the lock file keeps of them, and where those are found that the builder does not configure.
fn servers(agent: &AgentModel<'_>) -> TokenStream {
    let mut calls = TokenStream::new();
    let list = |patterns: &[Word]| {
        let patterns = patterns.iter().map(|pattern| &pattern.text);
        quote!(&[#(#patterns),*])
    };
    for Server { name, patterns } in &agent.servers {
        let text = &name.text;
        let filter = option(patterns.map(list));
        calls.extend(quote!(let __agent = __agent.server(#text, #filter);));
    }
    let data = [("server_resources", PatternField::Resources), ("server_prompts", PatternField::Prompts)];
    for (method, field) in data {
        let method = format_ident!("{method}");
        for (server, patterns) in agent.fields.patterns(field) {
            let (text, patterns) = (&server.text, list(patterns));
            calls.extend(quote!(let __agent = __agent.#method(#text, #patterns);));
        }
    }
    if let Some(server) = agent.servers.first() {
        let span = Span::call_site().located_at(server.name.span);
        let root = agent.runtime.root_at(span);
        calls.extend(quote_spanned!(span=> let __agent = #root::__onionskin_servers!(__agent #MISSING_MCP);));
    }
    if let Some(path) = &agent.lock_file {
        // The compiler looks at the agent again when the file changes.
        calls.extend(quote!(let __agent = __agent.server_snapshot(::core::include_str!(#path));));
    }
    calls
}

/// The headers of calls. The compiler reports a field that is not there, or no secret, at the literal.
fn headers(agent: &AgentModel<'_>) -> TokenStream {
    let state = &agent.state;
    let each = agent.headers.iter().map(|Header { server, name, value, pieces }| {
        let span = Span::call_site().located_at(value.span());
        let parts = pieces.iter().map(|piece| match piece {
            Piece::Words(words) => quote!(__rt::HeaderPart::Text(__rt::Cow::Borrowed(#words))),
            Piece::Key(key) => {
                let key = key.strip_prefix(SESSION_STATE).unwrap_or(key);
                quote!(__rt::HeaderPart::Key(__rt::Cow::Borrowed(#key)))
            }
            Piece::Field(fields) => {
                let path = quote!(#(#fields).*).to_string().replace(' ', "");
                quote_spanned! {span=>
                    __rt::HeaderPart::Field(#path, |__state: &#state| __rt::SecretInHeader::secret(&__state #(.#fields)*))
                }
            }
        });
        let (server, name) = (&server.text, &name.text);
        quote! {
            let __agent = __agent.server_header(
                #server,
                __rt::header::<#state>(#name, #value, __rt::Vec::from([#(#parts),*])),
            );
        }
    });
    let mut calls: TokenStream = each.collect();
    if let Some(first) = agent.headers.first() {
        let span = Span::call_site().located_at(first.server.span);
        let root = agent.runtime.root_at(span);
        calls.extend(
            quote_spanned!(span=> let __agent = #root::__onionskin_headers!(__agent #MISSING_MCP_HTTP);),
        );
    }
    calls
}

/// Lists the hooks with their filters.
fn compiled_hooks(agent: &AgentModel<'_>) -> TokenStream {
    let lists = hooks(agent).map(|(Named { index, cfgs, known, span, .. }, hook)| {
        let concerns = option(hook.filter.as_ref().map(|filter| {
            let concerned = filter::concerned(agent, filter);
            quote!(|__cx| #concerned)
        }));
        let words = hook.filter.as_ref().map(|filter| {
            let words = filter::words(filter);
            quote!(.filter_words(#words))
        });
        let everywhere = hook.everywhere.map(|_| quote!(.everywhere()));
        // Behind the last hook that is outside of the dynamic ones.
        let seam = (agent.seam == index + 1).then(|| quote!(let __agent = __agent.seam();));
        quote_spanned! {span=>
            #(#cfgs)*
            let __agent = __agent.compiled_hook::<#known>(#concerns)#words #everywhere;
            #seam
        }
    });
    quote!(#(#lists)*)
}

/// The calls that need approval.
fn approval(agent: &AgentModel<'_>) -> TokenStream {
    let rules = agent.approval.iter().map(|Approval { span, rule, filter }| {
        let (concerned, words) = (filter::concerned(agent, filter), filter::words(filter));
        let on = option(Some(quote!(__rt::CallFilter::new(|__cx| #concerned).words(#words))));
        let span = Span::call_site().located_at(*span);
        match rule {
            ApprovalRule::Always => quote_spanned!(span=> let __agent = __agent.approval(#on);),
            ApprovalRule::Because(reason) => {
                quote_spanned!(span=> let __agent = __agent.approval_because(#reason, #on);)
            }
            ApprovalRule::Function(path) => {
                quote_spanned!(span=> let __agent = __agent.approval_rule(__rt::approval_by(#path), #on);)
            }
        }
    });
    rules.collect()
}

fn declared_setting(setting: Setting, value: &SettingValue) -> TokenStream {
    let method = format_ident!("{}", setting.method());
    let value = match value {
        SettingValue::Text(text) => {
            // The compiler reports a wrong name by its type.
            let method = Ident::new(setting.method(), Span::call_site().located_at(text.span()));
            return quote!(let __agent = __agent.#method(#text););
        }
        SettingValue::Boolean(value) => quote!(#value),
        SettingValue::Count(count) => quote!(#count),
        SettingValue::Seconds(seconds) => quote!(::core::time::Duration::from_secs_f64(#seconds)),
        SettingValue::Word(variant) => {
            let ty = format_ident!("{}", setting.variant());
            quote!(__rt::#ty::#variant)
        }
    };
    quote!(let __agent = __agent.#method(#value);)
}

fn request_params(given: &[ExplicitSetting<'_>]) -> Option<TokenStream> {
    let set = settings("__params", given)?;
    Some(quote! {
        let mut __params = <__rt::RequestParams as ::core::default::Default>::default();
        #set
        let __agent = __agent.request_params(__params);
    })
}

fn limits(given: &[ExplicitSetting<'_>]) -> Option<TokenStream> {
    let set = settings("__limits", given)?;
    Some(quote! {
        let mut __limits = <__rt::Limits as ::core::default::Default>::default();
        #set
        let __agent = __agent.limits(__limits);
    })
}

/// Writes the entries into the fields of a variable; none without entries.
fn settings(into: &str, given: &[ExplicitSetting<'_>]) -> Option<TokenStream> {
    let set = given.iter().map(|ExplicitSetting { key, value, write }| {
        let span = Span::call_site().located_at(value.span());
        // The whole statement has the span of the value, so the compiler shows the value only.
        let into = Ident::new(into, span);
        let seconds = quote_spanned!(span=> __rt::Seconds::duration(#value));
        let time = format_ident!("{}", key.to_string().trim_end_matches("_sec"));
        match write {
            Write::Value => quote_spanned!(span=> #into.#key = #value;),
            Write::Optional => quote_spanned!(span=> *#into.#key.get_or_insert_default() = #value;),
            Write::Some => quote_spanned!(span=> #into.#key = ::core::option::Option::Some(#value);),
            Write::List => {
                quote!(#into.#key = ::core::iter::IntoIterator::into_iter(#value).map(::core::convert::Into::into).collect();)
            }
            Write::Seconds => quote!(#into.#time = #seconds;),
            Write::Word { ty, variant } => {
                let [ty, variant] = [ty, variant].map(|name| Ident::new(name, span));
                quote!(#into.#key = ::core::option::Option::Some(__rt::#ty::#variant);)
            }
            Write::OptionalSeconds => quote!(#into.#time = ::core::option::Option::Some(#seconds);),
        }
    });
    (!given.is_empty()).then(|| quote!(#(#set)*))
}
