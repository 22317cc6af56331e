//! Writes the expansion of `#[toolbox]`: each method's tool, and the type's list of them.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned;
use syn::{ImplItem, ItemImpl, Type, parse_quote};

use super::parse::Options;
use crate::item::FnItem;
use crate::paths::Runtime;
use crate::tool::Member;

/// `works` is false if something is wrong in the block: then the names of its methods are all that is said of them.
pub(super) fn expand(
    block: &ItemImpl,
    options: &Options,
    members: &[(Ident, Option<Member>)],
    works: bool,
) -> TokenStream {
    if block.trait_.is_some() {
        return TokenStream::new();
    }
    let rt = Runtime::new(options.crate_path.clone()).private();
    let named = Named::all(members);
    if !block.generics.params.is_empty() {
        let stand_in = options.part.is_none().then(|| stand_in(block, &named));
        return quote!(const _: () = { use #rt as __rt; #stand_in };);
    }
    let members: Vec<_> =
        members.iter().filter(|_| works).filter_map(|(_, member)| member.as_ref()).collect();
    let cfgs: Vec<_> = block.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect();
    let self_ty = &block.self_ty;
    let tools = members.iter().map(|member| &member.expansion);
    let made = members.iter().map(|Member { cfgs, type_name, .. }| {
        quote! {
            #(#cfgs)*
            list.push(__rt::Arc::new(#type_name::bound(__rt::Arc::clone(this))));
        }
    });
    let members_there = members.iter().filter(|member| member.cfgs.is_empty());
    let state = members_there.fold(
        quote!(()),
        |all, Member { type_name, .. }| quote!(__rt::BothStates<#all, <#type_name as __rt::Tool>::State>),
    );
    let list = quote! {
        #[allow(unused_mut)]
        let mut list: __rt::Vec<__rt::Arc<dyn __rt::DynTool>> = __rt::Vec::new();
        #(#made)*
    };
    let Named { names, sources, methods } = &named;
    // A type that calls cannot share is one error. rustc reports nothing about the rest.
    let span = self_ty.span().resolved_at(Span::mixed_site());
    let shared = quote_spanned!(span=> __rt::can_be_shared::<#self_ty>());
    let this = Ident::new("__Self", Span::mixed_site());
    // Another block names it.
    let part_type = options.part.as_ref().map(|part| {
        quote! {
            #(#cfgs)*
            #[doc(hidden)]
            #[allow(unreachable_pub, dead_code)]
            pub enum #part {}
        }
    });
    let rest = match &options.part {
        Some(part) => {
            quote! {
                impl __rt::ToolboxPart<#part> for #self_ty {
                    const TOOLS: &'static [&'static ::core::primitive::str] = &[#names];
                    const SOURCES: &'static [&'static ::core::primitive::str] = &[#sources];
                    const METHODS: &'static [&'static ::core::primitive::str] = &[#methods];
                    type State = #state;

                    fn bound(this: &__rt::Arc<Self>) -> __rt::Vec<__rt::Arc<dyn __rt::DynTool>> {
                        #list
                        list
                    }
                }
            }
        }
        None => {
            let toolbox = toolbox(self_ty, options, &named, &list, &state);
            let inherent = inherent(block);
            quote!(#toolbox #inherent)
        }
    };
    quote! {
        #part_type
        #(#cfgs)*
        const _: () = {
            use #rt as __rt;
            type #this = <__rt::Known<{ #shared }> as __rt::Is>::Type<#self_ty>;
            #(#tools)*
            #rest
        };
    }
}

/// The names of the tools, what was written, and the names of the methods: lists with commas.
struct Named {
    names: TokenStream,
    sources: TokenStream,
    methods: TokenStream,
}

impl Named {
    fn all(members: &[(Ident, Option<Member>)]) -> Self {
        let mut all =
            Self { names: TokenStream::new(), sources: TokenStream::new(), methods: TokenStream::new() };
        for (ident, member) in members {
            let ident = ident.unraw().to_string();
            let (cfgs, [name, source, method]) = match member {
                Some(member) => (&*member.cfgs, [&member.tool_name, &member.code, &member.method]),
                None => (&[] as &[_], [&ident, &ident, &ident]),
            };
            all.names.extend(quote!(#(#cfgs)* #name,));
            all.sources.extend(quote!(#(#cfgs)* #source,));
            all.methods.extend(quote!(#(#cfgs)* #method,));
        }
        all
    }
}

fn toolbox(
    self_ty: &Type,
    options: &Options,
    Named { names, sources, methods }: &Named,
    list: &TokenStream,
    state: &TokenStream,
) -> TokenStream {
    let name = self_ty.to_token_stream().to_string().replace(' ', "");
    let aliases: Vec<_> = (0..options.parts.len()).map(|index| format_ident!("__Part{index}")).collect();
    let known = options.parts.iter().zip(&aliases).map(|(part, alias)| {
        let span = part.span().resolved_at(Span::mixed_site());
        let known = quote_spanned!(span=> <#self_ty as __rt::HasPart<#part>>::HOLDS);
        quote!(type #alias = <__rt::Known<{ #known }> as __rt::Is>::Type<#part>;)
    });
    let parts: Vec<_> = aliases.iter().map(|alias| quote!(<#self_ty as __rt::ToolboxPart<#alias>>)).collect();
    let state = parts.iter().fold(state.clone(), |all, part| quote!(__rt::BothStates<#all, #part::State>));
    let instructions = options.instructions.as_ref().map(|text| {
        quote! {
            const INSTRUCTIONS: ::core::option::Option<&'static ::core::primitive::str> =
                ::core::option::Option::Some(#text);
        }
    });
    quote! {
        #(#known)*
        impl __rt::Toolbox for #self_ty {
            const NAME: &'static ::core::primitive::str = #name;
            const TOOLS: &'static [&'static [&'static ::core::primitive::str]] =
                &[&[#names], #(#parts::TOOLS),*];
            const SOURCES: &'static [&'static [&'static ::core::primitive::str]] =
                &[&[#sources], #(#parts::SOURCES),*];
            const METHODS: &'static [&'static [&'static ::core::primitive::str]] =
                &[&[#methods], #(#parts::METHODS),*];
            type State = #state;
            #instructions

            fn bound(this: &__rt::Arc<Self>) -> __rt::Vec<__rt::Arc<dyn __rt::DynTool>> {
                #list
                #(list.extend(#parts::bound(this));)*
                list
            }
        }
    }
}

/// The trait of a generic type, whose block is an error: the names of its tools, for the lists that name them.
fn stand_in(block: &ItemImpl, Named { names, methods, .. }: &Named) -> TokenStream {
    let self_ty = &block.self_ty;
    let mut generics = block.generics.clone();
    generics.make_where_clause().predicates.push(parse_quote!(#self_ty: 'static));
    let (params, _, conditions) = generics.split_for_impl();
    quote! {
        impl #params __rt::Toolbox for #self_ty #conditions {
            const NAME: &'static ::core::primitive::str = "";
            const TOOLS: &'static [&'static [&'static ::core::primitive::str]] = &[&[#names]];
            const METHODS: &'static [&'static [&'static ::core::primitive::str]] = &[&[#methods]];
            type State = ();

            fn bound(_: &__rt::Arc<Self>) -> __rt::Vec<__rt::Arc<dyn __rt::DynTool>> {
                __rt::Vec::new()
            }
        }
    }
}

/// Functions of the type itself, unless the block has methods of these names. They have the span of the type, so that
/// rustc shows it if another block has them.
fn inherent(block: &ItemImpl) -> TokenStream {
    let self_ty = &block.self_ty;
    let span = self_ty.span().resolved_at(Span::mixed_site());
    let is_free = |name: &str| {
        !block.items.iter().any(|item| match item {
            // Methods that are tools were written anew.
            ImplItem::Verbatim(tokens) => {
                syn::parse2::<FnItem>(tokens.clone()).is_ok_and(|method| method.sig.ident == name)
            }
            ImplItem::Fn(method) => method.sig.ident == name,
            _ => false,
        })
    };
    let tools = is_free("tools").then(|| {
        let method = quote_spanned! {span=>
            pub fn tools(self: &__rt::Arc<Self>) -> __rt::BTreeMap<__rt::String, __rt::ToolSpec> {
                __rt::ToolSpec::from_toolbox(self)
            }
        };
        quote! {
            impl __rt::ToolboxTools for #self_ty {}
            impl #self_ty {
                #[doc = "The tools as values, by their names; all of them share the object."]
                #[allow(dead_code, unreachable_pub)]
                #[must_use]
                #method
            }
        }
    });
    let tool_names = is_free("tool_names").then(|| {
        let function = quote_spanned! {span=>
            pub fn tool_names() -> __rt::Vec<&'static ::core::primitive::str> {
                <Self as __rt::Toolbox>::TOOLS.concat()
            }
        };
        quote! {
            impl #self_ty {
                #[doc = "The names of the tools, in the order of the blocks."]
                #[allow(dead_code, unreachable_pub)]
                #[must_use]
                #function
            }
        }
    });
    quote!(#tools #tool_names)
}
