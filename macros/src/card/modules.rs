//! The files of Rust that cards name, each a module of the program.

use std::path::{Path, PathBuf};

use onionskin_cards::normal;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// The modules of one invocation. A file is a module once, if ever so many cards name it.
#[derive(Default)]
pub(super) struct Modules {
    modules: Vec<Module>,
}

struct Module {
    file: PathBuf,
    name: String,
}

impl Modules {
    /// The name of the module of a file. `shown` is the file's path as messages show it.
    pub(super) fn name(&mut self, file: &Path, shown: &str) -> String {
        let file = normal(file);
        if let Some(known) = self.modules.iter().find(|module| module.file == file) {
            return known.name.clone();
        }
        // The compiler shows the name where the file has no item that a card names.
        let is_free = |name: &String| self.modules.iter().all(|module| module.name != *name);
        let short = shown.rsplit_once('/').map_or(shown, |(_, file)| file);
        let mut name = if is_free(&words(short)) { words(short) } else { words(shown) };
        while !is_free(&name) {
            name.push('_');
        }
        self.modules.push(Module { file, name: name.clone() });
        name
    }

    /// Declares the modules, and makes their names known to the agents. The compiler looks at the files again when they change.
    ///
    /// Another invocation in the same place has its own modules, also of the same files: `cards` are the paths of this one.
    pub(super) fn around(&self, agents: TokenStream, cards: &[String], span: Span) -> TokenStream {
        if self.modules.is_empty() {
            return agents;
        }
        let of_cards = hash(cards);
        let own = |name: &str| Ident::new(&format!("__{name}_{of_cards:08x}"), span);
        let modules = self.modules.iter().map(|Module { file, name }| {
            let name = own(name);
            let file = file.to_string_lossy();
            quote! {
                #[path = #file]
                // A card names public items, also where nothing else uses them.
                #[allow(unreachable_pub)]
                mod #name;
            }
        });
        let names = self.modules.iter().map(|Module { name, .. }| {
            let (own, name) = (own(name), Ident::new(name, span));
            quote!(use #own as #name;)
        });
        let items = match syn::parse2::<syn::File>(agents) {
            Ok(file) => file.items,
            // What was written in a card is an expression for rustc and none for `syn`.
            Err(error) => return error.into_compile_error(),
        };
        // The program uses the types.
        let (types, others): (Vec<_>, Vec<_>) =
            items.into_iter().partition(|item| matches!(item, syn::Item::Struct(_)));
        quote! {
            #(#modules)*
            #(#types)*
            const _: () = {
                #(#names)*
                #(#others)*
            };
        }
    }
}

/// The same number for the same paths, in each process (FNV-1a).
fn hash(paths: &[String]) -> u32 {
    // No path holds the last byte.
    let bytes = paths.iter().flat_map(|path| path.bytes().chain([0xff]));
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The name of a module: `my_tools_rs` for `my-tools.rs`.
fn words(path: &str) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("_").to_ascii_lowercase();
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Modules;

    #[test]
    fn c2_a_file_is_one_module_and_two_files_are_two() {
        let mut modules = Modules::default();
        let mut name = |file: &str, shown: &str| modules.name(Path::new(file), shown);
        assert_eq!(name("/p/cards/my-tools.rs", "cards/my-tools.rs"), "my_tools_rs");
        assert_eq!(name("/p/cards/a/../my-tools.rs", "cards/a/../my-tools.rs"), "my_tools_rs");
        assert_eq!(name("/p/desk/my-tools.rs", "desk/my-tools.rs"), "desk_my_tools_rs");
        assert_eq!(name("/p/desk/my_tools.rs", "desk/my_tools.rs"), "desk_my_tools_rs_");
        assert_eq!(name("/p/2nd--ü.rs", "2nd--ü.rs"), "_2nd_rs");
        assert_eq!(name("/p/Ü.rs", "Ü.rs"), "rs");
    }
}
