//! Checks the types of a tool's parameters, state and result.
//!
//! Generated code names each type through an alias. If the type does not fit, the alias is the error, and rustc reports
//! nothing about its uses.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericArgument, Type};

use super::expand::Expansion;
use crate::injected::{generic_args, is_plain, is_plain_argument, is_provided, plain};
use crate::param::{Param, PassedAs, ReadAs};

impl Param {
    /// Replaces the type that is read by its alias if the type needs a check.
    pub(super) fn name_checked(&mut self, index: usize, strict: bool) {
        // rustc proposes names like one that it does not find, and a user does not know this one.
        let alias =
            format_ident!("CheckedType{index}", span = self.ty.span().resolved_at(Span::mixed_site()));
        // rustc names the bound that the type of a state or a service lacks.
        if super::check::state_of(self).is_some() || self.is_injected() && is_provided(self.requested()) {
            let asked = self.requested().to_token_stream();
            self.checked = Some((alias, asked));
            return;
        }
        let is_read = self.is_model() && self.form.read_as() == ReadAs::Owned;
        if is_read && (strict || !is_plain(&self.ty)) {
            let owned = std::mem::replace(&mut self.owned, quote!(#alias));
            self.checked = Some((alias, owned));
        }
    }

    /// The type inside of the lists and options of the parameter, which the model fills.
    fn element(&self) -> Option<&Type> {
        match self.form {
            PassedAs::Value
            | PassedAs::Ref
            | PassedAs::OptionRef
            | PassedAs::Slice
            | PassedAs::OptionSlice => element(&self.ty),
            PassedAs::Str
            | PassedAs::OptionStr
            | PassedAs::CowStr
            | PassedAs::Path
            | PassedAs::OptionPath
            | PassedAs::OptionCowStr
            | PassedAs::Cow
            | PassedAs::Borrowing => None,
        }
    }
}

impl Expansion<'_> {
    /// The constant that does not compile if a type does not fit, and the aliases that use it.
    pub(super) fn type_checks(&self) -> Option<TokenStream> {
        let (mut named, mut checks, mut aliases) = (TokenStream::new(), Vec::new(), TokenStream::new());
        for param in &self.params {
            let Some((alias, ty)) = &param.checked else { continue };
            let span = alias.span();
            aliases.extend(quote!(type #alias = <TypeChecks as __rt::Is>::Type<#ty>;));
            if param.is_injected() {
                named.extend(quote_spanned!(span=> let _ = <#ty as __rt::Inject<'static>>::inject;));
                continue;
            }
            let (span, ty) = match param.element().filter(|_| !self.model.options.strict) {
                Some(element) => (element.span().resolved_at(Span::mixed_site()), &element.to_token_stream()),
                None => (span, ty),
            };
            checks.push(quote_spanned!(span=> <#ty as __rt::ToolParameter>::IS));
            checks.push(quote_spanned!(span=> <#ty as __rt::SentToCalls>::IS));
            if self.model.options.strict {
                checks.push(quote_spanned!(span=> <#ty as __rt::StrictParameter>::IS));
            }
        }
        if let Some(returned) = self.result_to_check() {
            let span = returned.span().resolved_at(Span::mixed_site());
            checks.push(quote_spanned!(span=> <#returned as __rt::SentAsResult>::HOLDS));
        }
        let all = checks.into_iter().reduce(|all, one| quote!(#all && #one));
        if all.is_none() && named.is_empty() {
            return None;
        }
        let all = all.unwrap_or_else(|| quote!(true));
        Some(quote! {
            type TypeChecks = __rt::Known<{ #named #all }>;
            #aliases
        })
    }

    /// The type that the function returns if it needs a check here: only a tool that is an `impl Function` does.
    fn result_to_check(&self) -> Option<&Type> {
        self.model.returned.as_ref().filter(|returned| self.is_plain() && !is_plain_result(returned))
    }

    /// The tool's state, through its checked alias if there is one.
    pub(super) fn checked_state(&self, state: &TokenStream) -> TokenStream {
        let mut aliases = self.params.iter().filter(|param| super::check::state_of(param).is_some());
        let alias =
            aliases.find_map(|param| param.checked.as_ref()).map(|(alias, _)| alias.to_token_stream());
        alias.unwrap_or_else(|| state.clone())
    }

    /// The type that the function returns, through the checked alias if it needs a check.
    pub(super) fn checked_result(&self, output: &Type) -> TokenStream {
        match self.result_to_check() {
            Some(_) => quote!(<TypeChecks as __rt::Is>::Type<#output>),
            None => output.to_token_stream(),
        }
    }

    /// The value that the function returns, through the checked alias if a type needs a check.
    pub(super) fn checked_call(&self, call: TokenStream) -> TokenStream {
        let asks =
            self.params.iter().any(|param| param.checked.is_some()) || self.result_to_check().is_some();
        if asks { quote!(<TypeChecks as __rt::Is>::hold(#call)) } else { call }
    }
}

/// The type inside of lists and options, whose traits decide about the whole: an error names `City` and not `Vec<City>`.
fn element(ty: &Type) -> Option<&Type> {
    let inner = match plain(ty) {
        Type::Reference(reference) => &reference.elem,
        Type::Slice(slice) => &slice.elem,
        ty => match generic_args(ty, &["Option", "Vec"])?.iter().collect::<Vec<_>>().as_slice() {
            [GenericArgument::Type(inner)] => inner,
            _ => return None,
        },
    };
    let inner = plain(inner);
    element(inner).or(matches!(inner, Type::Path(_)).then_some(inner)).filter(|inner| !is_plain(inner))
}

/// Returns whether a type is [plain](is_plain), or a `Result` of plain types.
fn is_plain_result(ty: &Type) -> bool {
    is_plain(ty) || generic_args(ty, &["Result"]).is_some_and(|args| args.iter().all(is_plain_argument))
}
