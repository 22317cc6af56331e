//! Writes the expansion of `agent!`: the agent's type, its declaration, its onion, and the checks.

mod around;
mod checks;
mod declaration;
mod filter;
mod handles;
mod names;
mod onion;
mod prompt;
mod toolboxes;
mod typed;

#[cfg(feature = "cards")]
pub(crate) use handles::{Words, runs};

use proc_macro2::TokenStream;
use quote::quote;
use syn::Attribute;

use super::model::AgentModel;
use crate::warnings::warning;

pub(super) fn agent(agent: &AgentModel<'_>) -> TokenStream {
    let (checks, onion) = (checks::checks(agent), onion::expand(agent));
    let lint = quote!(unused_qualifications);
    let items = items(agent, &lint, &quote!(#checks #onion), &declaration::agent_impl(agent));
    let warning = agent.uncached.as_ref().map(|(span, words)| {
        let attrs =
            agent.attrs.iter().filter(|attr| ["allow", "cfg"].iter().any(|name| attr.path().is_ident(name)));
        warning("prompt_order", words, *span, &attrs.collect::<Vec<_>>())
    });
    quote!(#items #warning)
}

/// The agent's type and the least that other agents need of it, for an agent that has errors.
///
/// `lost_output`: the errors of an agent whose answers have a type that is not known. In place of the type is an error for rustc, so that it
/// reports nothing about their uses.
pub(super) fn stand_in(agent: &AgentModel<'_>, lost_output: Option<&TokenStream>) -> TokenStream {
    let (ty, state, name) = (&agent.ty, &agent.state, &agent.name);
    let (root, run) = (agent.runtime.root(), declaration::run(agent));
    let agent_impl = quote! {
        #[diagnostic::do_not_recommend]
        impl #root::Agent for #ty {
            const NAME: &'static str = #name;
            type State = #state;

            fn declare() -> __rt::AgentDeclaration {
                __rt::AgentDeclaration::new()
            }

            #run
        }
    };
    let typed_agent = lost_output.map(|errors| {
        quote! {
            #[diagnostic::do_not_recommend]
            impl __rt::TypedAgent for #ty {
                type Output = <__rt::Known<{ #errors false }> as __rt::Is>::Type<()>;
            }
        }
    });
    let agent_impl = quote!(#agent_impl #typed_agent);
    items(agent, &quote!(dead_code), &TokenStream::new(), &agent_impl)
}

/// The agent's type, and what belongs to it. The aliases use each name, so that a wrong agent does not add a warning about
/// an unused import.
fn items(
    agent: &AgentModel<'_>,
    lint: &TokenStream,
    checks: &TokenStream,
    agent_impl: &TokenStream,
) -> TokenStream {
    let rt = agent.runtime.private();
    let cfgs = agent.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let (declared_type, handles) = (declared_type(agent), handles::handles(agent));
    let (aliases, around) = (names::aliases(agent), around::aliases(agent));
    let (typed_aliases, typed_agent) = (typed::aliases(agent), typed::agent(agent));
    quote! {
        #declared_type

        #(#cfgs)*
        #[allow(clippy::all, clippy::pedantic, #lint)]
        const _: () = {
            use #rt as __rt;
            #aliases
            #around
            #checks
            #typed_aliases
            #agent_impl
            #typed_agent
            #handles
        };
    }
}

fn declared_type(agent: &AgentModel<'_>) -> TokenStream {
    let AgentModel { attrs, vis, ty, name, .. } = agent;
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
    // A trait that the user derives is not derived again.
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
        // rustc reports a `derive` that does not list paths.
        let _ = attr.parse_nested_meta(|meta| {
            found |= meta.path.segments.last().is_some_and(|last| last.ident == name);
            Ok(())
        });
    }
    found
}
