//! Errors of a macro: all of them at once, each at the user's own token.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

/// Collects errors, so that one run of the compiler shows all of them.
#[derive(Default)]
pub(crate) struct Errors {
    all: Option<syn::Error>,
    is_closed: bool,
}

impl Errors {
    /// Notes an error at a span.
    pub(crate) fn push(&mut self, span: Span, message: impl std::fmt::Display) {
        self.add(syn::Error::new(span, message));
    }

    /// Notes an error that underlines all of these tokens.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.add(syn::Error::new_spanned(tokens, message));
    }

    /// Notes an error as [`at`](Self::at), unless an earlier one has its message: one mistake elsewhere is the cause of both.
    pub(crate) fn once_at(&mut self, tokens: impl ToTokens, message: &str) {
        if !self.all.iter().flatten().any(|error| error.to_string() == message) {
            self.at(tokens, message);
        }
    }

    pub(crate) fn add(&mut self, error: syn::Error) {
        if self.is_closed {
            return;
        }
        match &mut self.all {
            Some(errors) => errors.combine(error),
            none => *none = Some(error),
        }
    }

    /// Passes over all later errors, because they follow from one that is noted.
    pub(crate) fn close(&mut self) {
        self.is_closed = true;
    }

    /// Notes all that another collection holds.
    pub(crate) fn extend(&mut self, other: Self) {
        if let Some(errors) = other.all {
            self.add(errors);
        }
    }

    /// Notes what darling reports, each error at the tokens that [`error_at`](crate::option::error_at) was given.
    pub(crate) fn report(&mut self, error: darling::Error) {
        let mut each = error.flatten().into_iter().map(|error| (error.span(), message(error))).peekable();
        while let Some((first, message)) = each.next() {
            let last = each.next_if(|(_, words)| words.is_empty()).map_or(first, |(span, _)| span);
            let (first, last) = (quote_spanned!(first=> _), quote_spanned!(last=> _));
            self.at(quote!(#first #last), message);
        }
    }

    /// Notes the error of a result.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_none()
    }

    /// The number of errors so far.
    pub(crate) fn count(&self) -> usize {
        self.all.iter().flatten().count()
    }

    /// Each error alone.
    #[cfg(feature = "cards")]
    pub(crate) fn into_each(self) -> impl Iterator<Item = syn::Error> {
        self.all.into_iter().flatten()
    }

    /// `compile_error!`s for all of them, for a copy: rustc shows equal errors once.
    pub(crate) fn to_tokens(&self) -> TokenStream {
        self.all.as_ref().map(syn::Error::to_compile_error).unwrap_or_default()
    }

    /// `compile_error!`s for all of them.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.all.map(syn::Error::into_compile_error).unwrap_or_default()
    }
}

/// The message of an error without the place that darling writes behind it.
pub(crate) fn message(error: darling::Error) -> String {
    syn::Error::from(error).to_string()
}
