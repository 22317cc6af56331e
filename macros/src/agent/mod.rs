//! `agent!`.

use proc_macro2::TokenStream;

pub(crate) fn expand(_declaration: TokenStream) -> TokenStream {
    TokenStream::new()
}
