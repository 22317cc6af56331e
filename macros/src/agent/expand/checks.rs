//! The checks that need types. Each reports its error at the user's own token.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::names::{self, Named, TOOLBOX, children, entry_span, hooks, tools};
use super::{around, toolboxes};
use crate::agent::model::{AgentModel, Target};
use crate::listed::Listed;

pub(super) fn checks(agent: &AgentModel<'_>) -> TokenStream {
    let state = &agent.state;
    let mut checks = TokenStream::new();
    let count = agent.fields.function_tools.len();
    let names = tools(agent).map(|Named { index, cfgs, alias, span, .. }| {
        quote_spanned!(span=> #(#cfgs)* (#index, <#alias as __rt::Tool>::NAME))
    });
    if count > 1 || !agent.hooks.is_empty() {
        checks.extend(quote!(const __TOOL_NAMES: &[(usize, &str)] = &[#(#names),*];));
    }
    if count > 1 {
        checks.extend(clash(agent));
    }
    // In one body: a constant for each tool would cost the compiler more.
    let each = tools(agent).map(|Named { index, cfgs, alias, span, .. }| {
        let once = (index > 0).then(|| {
            quote_spanned! {span=>
                #(#cfgs)*
                let _ = <#alias as __rt::ToolNamedOnce<{ __TOOL_CLASH != #index }>>::HOLDS;
            }
        });
        quote_spanned! {span=>
            #(#cfgs)*
            let () = <<<#alias as __rt::Tool>::State as __rt::Works>::All as __rt::FitsState<#state>>::FITS;
            #once
        }
    });
    checks.extend(quote!(type __Tools = __rt::Known<{ #(#each)* true }>;));
    checks.extend(toolboxes::checks(agent));
    let typed = hooks(agent).map(|(Named { index, cfgs, alias, span, .. }, _)| {
        quote_spanned!(span=> #(#cfgs)* (#index, <<#alias as __rt::Hook>::Made as __rt::MadeBy<#alias>>::TYPED))
    });
    if agent.hooks.len() > 1 {
        checks.extend(quote!(const __TYPED_HOOKS: &[(usize, bool)] = &[#(#typed),*];));
    }
    for (Named { index, cfgs, alias, known, span, .. }, hook) in hooks(agent) {
        let listed = Listed { alias: &alias, kind: quote!(__rt::Hook), spans: [span; 2] };
        let named = listed.is_named_with(hook.config.len());
        let tool = listed.made("TOOL");
        let on_tool = listed.holds("HookOnOwnTool", &quote!({ __rt::is_own_tool(__TOOL_NAMES, #tool) }));
        let order = (index > 0).then(|| {
            let holds = quote!({ __rt::is_outside(__TYPED_HOOKS, #index) });
            let holds = listed.holds("BeforeTypedHooks", &holds);
            quote!(&& #holds)
        });
        let reaches = hook.everywhere.map(|_| {
            let typed = listed.made("TYPED");
            let untyped = listed.holds("UntypedEverywhere", &quote!({ !#typed }));
            quote_spanned! {span=>
                let () = <__rt::StateOf<#alias> as __rt::ReachesInner>::REACHES;
                let _: bool = #untyped;
            }
        });
        checks.extend(quote_spanned! {span=>
            #(#cfgs)*
            type #known = <__rt::Known<{
                let () = <__rt::StateOf<#alias> as __rt::FitsState<#state>>::FITS;
                #reaches
                #named #order && #on_tool
            }> as __rt::Is>::Type<#alias>;
        });
    }
    checks.extend(around::checks(agent));
    checks.extend(methods(agent));
    let agents = children(agent).map(|Named { index, cfgs, alias, span, .. }| {
        quote_spanned!(span=> #(#cfgs)* (#index, <#alias as __rt::Agent>::NAME))
    });
    if agent.fields.agents.len() > 1 {
        checks.extend(quote!(const __AGENT_CLASH: usize = __rt::first_clash(&[#(#agents),*]);));
    }
    for Named { index, cfgs, alias, known, span, .. } in children(agent) {
        let listed = Listed { alias: &alias, kind: quote!(__rt::Agent), spans: [span; 2] };
        let described = listed.item("DESCRIBED");
        let described = listed.holds("DescribedChild", &quote!({ #described }));
        let once = (index > 0).then(|| {
            let once = listed.holds("ChildNamedOnce", &quote!({ __AGENT_CLASH != #index }));
            quote!(&& #once)
        });
        checks.extend(quote_spanned! {span=>
            #(#cfgs)*
            type #known = <__rt::Known<{ #described #once }> as __rt::Is>::Type<#alias>;
        });
    }
    checks
}

/// The number of the first tool that has the name of one before it.
fn clash(agent: &AgentModel<'_>) -> TokenStream {
    if !agent.workflow.renames() {
        return quote!(
            const __TOOL_CLASH: usize = __rt::first_clash(__TOOL_NAMES);
        );
    }
    let names = tools(agent).map(|Named { index, alias, .. }| match agent.workflow.name_of(index) {
        Some(name) => quote!((#index, #name)),
        None => quote!((#index, <#alias as __rt::Tool>::NAME)),
    });
    quote!(const __TOOL_CLASH: usize = __rt::first_clash(&[#(#names),*]);)
}

/// Writes the check that each method in a filter is a tool of its toolbox's type.
fn methods(agent: &AgentModel<'_>) -> TokenStream {
    let checks = agent.filters().flat_map(|(_, filter)| &filter.targets).filter_map(|target| {
        let Target::Method(toolboxes, path, name) = target else { return None };
        let index = *toolboxes.first()?;
        let (span, cfgs) = (entry_span(path), &agent.fields.toolboxes[index].entry.cfgs);
        let alias = names::alias(TOOLBOX, index, path);
        Some(quote_spanned! {span=>
            #(#cfgs)*
            const _: bool = <#alias as __rt::HasToolMethod<{ __rt::tool_of_method::<#alias>(#name).is_some() }>>::HOLDS;
        })
    });
    quote!(#(#checks)*)
}
