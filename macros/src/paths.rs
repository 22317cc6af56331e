//! Where generated code finds the runtime.

use proc_macro2::TokenStream;
use quote::quote;

/// The path of the `onionskin` crate: `::onionskin`, or what `crate = ..` says.
#[derive(Clone)]
pub(crate) struct Runtime(Option<syn::Path>);

impl Runtime {
    pub(crate) fn new(path: Option<syn::Path>) -> Self {
        Self(path)
    }

    /// The crate's root.
    pub(crate) fn root(&self) -> TokenStream {
        match &self.0 {
            Some(path) => quote!(#path),
            None => quote!(::onionskin),
        }
    }

    /// The module of what macros call on. Its name holds the patch version, so that a macro and a runtime
    /// of different versions fail loudly.
    pub(crate) fn private(&self) -> TokenStream {
        let root = self.root();
        quote!(#root::__private0)
    }
}
