//! Writes the code that makes a tool: its layers, its value, and its state.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;

use super::expand::{Expansion, as_written};
use super::model::Method;

impl Expansion<'_> {
    /// Writes the `Default` of the tool, with the layers that it holds.
    pub(super) fn default(&self) -> TokenStream {
        let type_name = self.type_name;
        let of = self.model.method.as_ref().map(|Method { self_ty, .. }| quote!(__of: __rt::Arc<#self_ty>));
        let of_field = of.as_ref().map(|_| quote!(of: __of));
        let of_given = of.as_ref().map(|_| quote!(__of));
        // The hooks' values are the user's words, so the names in their reach are ones that a user does not write.
        let layered = self.model.is_layered().then(|| {
            let given = if of.is_some() { quote!(__rt::Arc::clone(&__of)) } else { quote!(()) };
            let hooks = self.model.options.hooks.iter().enumerate().map(|(index, hook)| {
                let (as_written, with) = (as_written(index), &hook.with);
                quote!(.hook::<#as_written>({ let with: __rt::Values<#as_written> = #with; with }))
            });
            let policy = self.model.options.policy(&quote!(#(#hooks)*));
            quote! {
                fn __policy() -> __rt::ToolPolicy {
                    #policy
                }
                impl #type_name {
                    fn within(__policy: __rt::ToolPolicy, #of) -> Self {
                        Self { own: __rt::Own::new(#given, __policy), #of_field }
                    }
                }
            }
        });
        let made = if layered.is_some() {
            quote!(Self::within(__policy(), #of_given))
        } else {
            quote!(Self { #of_field })
        };
        if of.is_some() {
            return quote! {
                #layered
                impl #type_name {
                    fn bound(#of) -> Self {
                        #made
                    }
                }
            };
        }
        quote! {
            #layered
            impl ::core::default::Default for #type_name {
                fn default() -> Self {
                    #made
                }
            }
        }
    }

    /// The tool as a value. It is inlined, so that it costs nothing where it is not called.
    pub(super) fn spec(&self) -> TokenStream {
        // A method needs its object; the toolbox gives its tools.
        if self.model.method.is_some() {
            return TokenStream::new();
        }
        let (vis, type_name, code) = (&self.model.vis, self.type_name, &self.model.code);
        quote! {
            impl #type_name {
                #[doc = "The tool as a value: to bind, to change, to call, to export."]
                #[inline]
                #vis fn spec() -> __rt::ToolSpec {
                    __rt::ToolSpec::from_function(<Self as ::core::default::Default>::default(), #code)
                }
            }
        }
    }

    /// The state that the tool, its own hooks and its guardrails work on, and what has to be written for it.
    pub(super) fn state(&self) -> (TokenStream, TokenStream) {
        match self.state_type() {
            // All others are held to it.
            Some(state) => return (quote!(__rt::State<#state>), TokenStream::new()),
            None if !self.model.is_layered() => return (quote!(()), TokenStream::new()),
            None => {}
        }
        let hooks: Vec<_> = (0..self.model.options.hooks.len()).map(as_written).collect();
        let guardrails = self.model.options.guardrail_states();
        let states = format_ident!("StatesOf_{}", self.type_name.unraw(), span = Span::mixed_site());
        // All of them, and for each a parameter, its number and the bound that makes it this state.
        let all = hooks.iter().map(|hook| quote!(__rt::StateOf<#hook>)).chain(guardrails.iter().cloned());
        let (named, bounds): (Vec<_>, Vec<_>) = all
            .enumerate()
            .map(|(at, state)| {
                let named = format_ident!("__S{at}");
                let bound = quote!(#state: __rt::Nth<#at, As = #named>);
                (named, bound)
            })
            .unzip();
        let pairs = named.iter().map(ToTokens::to_token_stream).reduce(|all, one| quote!((#all, #one)));
        let pairs = pairs.unwrap_or_else(|| quote!(()));
        // A type of its own: `Tool::State` may not name the hooks of a tool that more people see than them.
        let item = quote! {
            pub struct #states;
            impl<#(#named),*> __rt::Works for #states
            where
                #(#bounds,)*
            {
                type All = #pairs;

                fn on(into: &mut ::std::vec::Vec<__rt::StateType>) {
                    #(<__rt::StateOf<#hooks> as __rt::Works>::on(into);)*
                    #(<#guardrails as __rt::Works>::on(into);)*
                }
            }
            #[diagnostic::do_not_recommend]
            impl<T: ::core::default::Default> __rt::Make<T> for #states {
                fn make() -> T {
                    ::core::default::Default::default()
                }
            }
        };
        (quote!(#states), item)
    }
}
