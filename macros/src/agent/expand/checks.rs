//! The checks that need types. Each reports its error at the user's own token.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use super::names::{
    child_alias, entry_span, hook_alias, known_alias, known_child, tool_alias, toolbox_alias,
};
use super::{around, toolboxes};
use crate::agent::ast::ListEntry;
use crate::agent::model::{AgentModel, Target};
use crate::listed::Listed;

pub(super) fn checks(agent: &AgentModel<'_>) -> TokenStream {
    let state = &agent.state;
    let mut checks = TokenStream::new();
    let tools = agent.functions;
    let names = tools.iter().enumerate().map(|(index, ListEntry { cfgs, path })| {
        let (alias, span) = (tool_alias(index, path), entry_span(path));
        quote_spanned!(span=> #(#cfgs)* (#index, <#alias as __rt::Tool>::NAME))
    });
    if tools.len() > 1 || !agent.hooks.is_empty() {
        checks.extend(quote!(const __TOOL_NAMES: &[(usize, &str)] = &[#(#names),*];));
    }
    if tools.len() > 1 {
        checks.extend(clash(agent));
    }
    // In one body: a constant for each tool would cost the compiler more.
    let each = tools.iter().enumerate().map(|(index, ListEntry { cfgs, path })| {
        let (alias, span) = (tool_alias(index, path), entry_span(path));
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
    let hooks = &agent.hooks;
    let typed = hooks.iter().enumerate().map(|(index, hook)| {
        let (alias, span, cfgs) = (hook_alias(index, hook), entry_span(&hook.entry.path), &hook.entry.cfgs);
        quote_spanned!(span=> #(#cfgs)* (#index, <<#alias as __rt::Hook>::Made as __rt::MadeBy<#alias>>::TYPED))
    });
    if hooks.len() > 1 {
        checks.extend(quote!(const __TYPED_HOOKS: &[(usize, bool)] = &[#(#typed),*];));
    }
    for (index, hook) in hooks.iter().enumerate() {
        let (alias, known, cfgs) = (hook_alias(index, hook), known_alias(index, hook), &hook.entry.cfgs);
        let (span, written) = (entry_span(&hook.entry.path), hook.config.len());
        let listed = Listed { alias: &alias, kind: quote!(__rt::Hook), spans: [span; 2] };
        let named = listed.is_named_with(written);
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
    let agents = agent.children.iter().enumerate().map(|(index, ListEntry { cfgs, path })| {
        let (alias, span) = (child_alias(index, path), entry_span(path));
        quote_spanned!(span=> #(#cfgs)* (#index, <#alias as __rt::Agent>::NAME))
    });
    if agent.children.len() > 1 {
        checks.extend(quote!(const __AGENT_CLASH: usize = __rt::first_clash(&[#(#agents),*]);));
    }
    for (index, ListEntry { cfgs, path }) in agent.children.iter().enumerate() {
        let (alias, span) = (child_alias(index, path), entry_span(path));
        let listed = Listed { alias: &alias, kind: quote!(__rt::Agent), spans: [span; 2] };
        let described = listed.item("DESCRIBED");
        let described = listed.holds("DescribedChild", &quote!({ #described }));
        let once = (index > 0).then(|| {
            let once = listed.holds("ChildNamedOnce", &quote!({ __AGENT_CLASH != #index }));
            quote!(&& #once)
        });
        let known = known_child(index, path);
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
    let names = agent.functions.iter().enumerate().map(|(index, ListEntry { path, .. })| {
        let alias = tool_alias(index, path);
        match agent.workflow.name_of(index) {
            Some(name) => quote!((#index, #name)),
            None => quote!((#index, <#alias as __rt::Tool>::NAME)),
        }
    });
    quote!(const __TOOL_CLASH: usize = __rt::first_clash(&[#(#names),*]);)
}

/// Writes the check that each method in a filter is a tool of its toolbox's type.
fn methods(agent: &AgentModel<'_>) -> TokenStream {
    let checks = agent.filters().flat_map(|(_, filter)| &filter.targets).filter_map(|target| {
        let Target::Method(toolboxes, path, name) = target else { return None };
        let index = *toolboxes.first()?;
        let entry = &agent.toolboxes[index].entry;
        let (span, cfgs) = (entry_span(path), &entry.cfgs);
        let alias = Ident::new(&toolbox_alias(index, &entry.path).to_string(), span);
        Some(quote_spanned! {span=>
            #(#cfgs)*
            const _: bool = <#alias as __rt::HasToolMethod<{ __rt::tool_of_method::<#alias>(#name).is_some() }>>::HOLDS;
        })
    });
    quote!(#(#checks)*)
}
