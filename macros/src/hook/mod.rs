//! `hook`.

use proc_macro2::TokenStream;

pub(crate) fn expand(_options: TokenStream, item: TokenStream) -> TokenStream {
    item
}
