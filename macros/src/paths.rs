//! The path at which generated code finds the runtime.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

/// The path of the runtime's crate: the value of `crate = ..`, or `::onionskin`. A program that depends on it under another name,
/// or on `onionskin-core`, writes `extern crate skin as onionskin;` once in its root.
#[derive(Clone)]
pub(crate) struct Runtime(Option<syn::Path>);

impl Runtime {
    pub(crate) fn new(path: Option<syn::Path>) -> Self {
        Self(path)
    }

    /// The crate's root.
    pub(crate) fn root(&self) -> TokenStream {
        self.root_at(Span::call_site())
    }

    /// The crate's root, where an error about what follows it is shown.
    pub(crate) fn root_at(&self, span: Span) -> TokenStream {
        match &self.0 {
            Some(path) => quote!(#path),
            None => quote_spanned!(span=> ::onionskin),
        }
    }

    /// The module of what macros call on. Its name holds the patch version, so that a macro and a runtime
    /// of different versions fail loudly.
    pub(crate) fn private(&self) -> TokenStream {
        let root = self.root();
        quote!(#root::__private0)
    }
}
