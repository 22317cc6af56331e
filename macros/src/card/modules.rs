//! The files of Rust that cards name, each a module of the program.

use std::path::{Component, Path, PathBuf};

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
        let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let words = shown.chars().map(word).collect::<String>();
        let mut name = format!("__{}", words.trim_matches('_'));
        while self.modules.iter().any(|module| module.name == name) {
            name.push('_');
        }
        self.modules.push(Module { file, name: name.clone() });
        name
    }

    /// Declares the modules. The compiler looks at their files again when they change.
    pub(super) fn declare(&self, span: Span) -> TokenStream {
        let modules = self.modules.iter().map(|Module { file, name }| {
            let name = Ident::new(name, span);
            let file = file.to_string_lossy();
            quote! {
                #[path = #file]
                // A card names public items, also where nothing else uses them.
                #[allow(unreachable_pub)]
                mod #name;
            }
        });
        quote!(#(#modules)*)
    }
}

/// The path without `.` and `..`, so that one file has one path.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Modules;

    #[test]
    fn c2_a_file_is_one_module_and_two_files_are_two() {
        let mut modules = Modules::default();
        let mut name = |file: &str, shown: &str| modules.name(Path::new(file), shown);
        assert_eq!(name("/p/cards/tools.rs", "cards/tools.rs"), "__cards_tools_rs");
        assert_eq!(name("/p/cards/a/../tools.rs", "cards/a/../tools.rs"), "__cards_tools_rs");
        assert_eq!(name("/p/cards_tools.rs", "cards_tools.rs"), "__cards_tools_rs_");
        assert_eq!(name("/p/ü.rs", "ü.rs"), "__rs");
    }
}
