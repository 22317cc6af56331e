//! The path at which generated code finds the runtime.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use crate::dependency;

/// The path of the runtime's crate: what `crate = ..` says, or the dependency on it: `::onionskin`.
#[derive(Clone)]
pub(crate) enum Runtime {
    Written(syn::Path),
    Dependency(String),
}

impl Runtime {
    pub(crate) fn new(path: Option<syn::Path>) -> Self {
        path.map_or_else(|| Self::Dependency(dependency::name()), Self::Written)
    }

    /// The crate's root.
    pub(crate) fn root(&self) -> TokenStream {
        self.root_at(Span::call_site())
    }

    /// The crate's root, where an error about what follows it is shown.
    pub(crate) fn root_at(&self, span: Span) -> TokenStream {
        match self {
            Self::Written(path) => quote!(#path),
            Self::Dependency(name) => {
                let name = ident(name, span);
                quote_spanned!(span=> ::#name)
            }
        }
    }

    /// The module of what macros call on. Its name holds the patch version, so that a macro and a runtime
    /// of different versions fail loudly.
    pub(crate) fn private(&self) -> TokenStream {
        let root = self.root();
        quote!(#root::__private0)
    }
}

/// The name of a dependency. It may be a keyword, such as `async`; names that cannot be in a path are refused by Cargo or rustc.
fn ident(name: &str, span: Span) -> Ident {
    let raw = |_| syn::parse_str(&format!("r#{name}"));
    let mut ident = syn::parse_str(name).or_else(raw).unwrap_or_else(|_| Ident::new("onionskin", span));
    ident.set_span(span);
    ident
}
