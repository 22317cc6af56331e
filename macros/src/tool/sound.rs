//! Types that a tool cannot have, each as one error where it stands. Generated code needs them in several places; it names
//! them by aliases that are errors themselves then, and about the uses of such an alias the compiler is silent.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, Type};

use super::expand::Expansion;
use super::param::{Form, Param};
use crate::injected::plain;

/// Types that every tool can have. They are asked nothing, so that most tools cost the compiler nothing here.
const PLAIN: &[&str] = &[
    "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
    "f32", "f64", "str", "String",
];

impl Param {
    /// Gives the type that is read the name of its alias, if it has to be asked for.
    pub(super) fn name_checked(&mut self, index: usize) {
        if super::check::state_of(self).is_some() {
            let alias = format_ident!("State{index}", span = self.ty.span().resolved_at(Span::mixed_site()));
            let asked = self.asked().to_token_stream();
            self.checked = Some((alias, asked));
            return;
        }
        let is_read = self.is_model() && !self.reads_text() && self.form != Form::Borrowing;
        if is_read && !is_plain(&self.ty) {
            let alias = format_ident!("Value{index}", span = self.ty.span().resolved_at(Span::mixed_site()));
            let owned = std::mem::replace(&mut self.owned, quote!(#alias));
            self.checked = Some((alias, owned));
        }
    }
}

impl Expansion<'_> {
    /// The constant that is an error if a type does not fit, and the aliases that hang on it.
    pub(super) fn sound(&self) -> Option<TokenStream> {
        let (mut checks, mut aliases) = (Vec::new(), TokenStream::new());
        for param in &self.params {
            let Some((alias, ty)) = &param.checked else { continue };
            let span = alias.span();
            aliases.extend(quote!(type #alias = <Sound as __rt::Is>::Type<#ty>;));
            if param.is_injected() {
                checks.push(quote_spanned!(span=> <#ty as __rt::Inject<'static>>::IS));
                continue;
            }
            checks.push(quote_spanned!(span=> <#ty as __rt::ToolParameter>::IS));
            checks.push(quote_spanned!(span=> <#ty as __rt::SentToCalls>::IS));
            if self.model.options.strict {
                checks.push(quote_spanned!(span=> <#ty as __rt::Strict>::IS));
            }
        }
        let sound = checks.into_iter().reduce(|all, one| quote!(#all && #one))?;
        Some(quote! {
            type Sound = __rt::Known<{ #sound }>;
            #aliases
        })
    }

    /// What the function gives, under a name that hangs on its types, if one is asked for.
    pub(super) fn sound_call(&self, call: TokenStream) -> TokenStream {
        let asks = self.params.iter().any(|param| param.checked.is_some());
        if asks { quote!(<Sound as __rt::Is>::hold(#call)) } else { call }
    }
}

/// Whether every tool can have this type, as far as its name tells.
fn is_plain(ty: &Type) -> bool {
    match plain(ty) {
        Type::Reference(reference) => is_plain(&reference.elem),
        Type::Slice(slice) => is_plain(&slice.elem),
        Type::Path(path) if path.qself.is_none() => {
            let Some(last) = path.path.segments.last() else { return false };
            match &last.arguments {
                PathArguments::None => {
                    path.path.get_ident().is_some() && PLAIN.iter().any(|name| last.ident == name)
                }
                PathArguments::AngleBracketed(args) if last.ident == "Option" || last.ident == "Vec" => {
                    args.args.iter().all(|arg| matches!(arg, GenericArgument::Type(ty) if is_plain(ty)))
                }
                _ => false,
            }
        }
        _ => false,
    }
}
