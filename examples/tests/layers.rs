//! Which modules of a crate use which others: no crate has a knot of modules that use each other in a circle, and the modules
//! of `onionskin-definitions`, `onionskin-tools` and `onionskin-core` use lower layers only, in the order of `docs/design/crates.md`. The same holds for the files inside of the
//! folders that `docs/design/crates.md` names.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

const DESIGN: &str = include_str!("../../docs/design/crates.md");
const CORE: &str = "runtime/core";
const DEFINITIONS: &str = "runtime/definitions";
const TOOLS: &str = "runtime/tools";

const CRATES: [&str; 25] = [
    "runtime/vocabulary",
    "runtime/cards",
    "macros",
    DEFINITIONS,
    TOOLS,
    CORE,
    "runtime/a2a",
    "runtime/acp",
    "runtime/mcp",
    "runtime/genai",
    "runtime/guardrails",
    "runtime/hooks",
    "runtime/lines",
    "runtime/models",
    "runtime/otel",
    "runtime/rhai",
    "runtime/serve",
    "runtime/sqlite",
    "runtime/builtins",
    "runtime/toolboxes",
    "runtime/loader",
    "runtime/testing",
    "runtime/tls",
    "runtime/cli",
    "runtime",
];

/// The modules of a crate or of one of its folders, and those that each of them uses. Code for tests is left out.
#[derive(Default)]
struct Modules {
    /// The module that contains these modules; empty for the crate.
    inside: Vec<String>,
    uses: BTreeMap<String, BTreeSet<String>>,
    /// The names that the containing module re-exports, and their modules.
    exports: BTreeMap<String, String>,
}

impl Modules {
    fn in_crate(crate_folder: &str) -> Self {
        let src = src(crate_folder);
        let library = src.join("lib.rs");
        let root = if library.exists() { library } else { src.join("main.rs") };
        Self::read_all(&src, &tokens(&root), &[])
    }

    /// The files of a folder. `mod.rs` declares them and re-exports their items; its own code is left out.
    fn in_folder(crate_folder: &str, folder: &str) -> Self {
        let path: Vec<_> = folder.split('/').map(str::to_owned).collect();
        let src = src(crate_folder).join(folder);
        Self::read_all(&src, &module_file(&src), &path)
    }

    fn read_all(folder: &Path, root: &[TokenTree], path: &[String]) -> Self {
        let mut modules = Self { inside: path.to_vec(), ..Self::default() };
        modules.read(root, folder, &mut path.to_vec());
        modules.read_exports(root);
        let names: BTreeSet<_> = modules.uses.keys().cloned().collect();
        for (module, uses) in &mut modules.uses {
            let named = std::mem::take(uses).into_iter();
            let named = named.map(|name| modules.exports.get(&name).cloned().unwrap_or(name));
            *uses = named.filter(|name| name != module && names.contains(name)).collect();
        }
        modules
    }

    /// Reads the items of the module at `path`, whose files are in `folder`.
    fn read(&mut self, tokens: &[TokenTree], folder: &Path, path: &mut Vec<String>) {
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at..] {
                [TokenTree::Punct(hash), TokenTree::Group(attribute), ..]
                    if hash.as_char() == '#' && is_for_tests(attribute.stream()) =>
                {
                    at += 2 + item_length(&tokens[at + 2..]);
                    continue;
                }
                [TokenTree::Ident(word), TokenTree::Ident(name), rest, ..] if word == "mod" => {
                    path.push(name.to_string());
                    self.uses.entry(path[self.inside.len()].clone()).or_default();
                    let folder = folder.join(name.to_string());
                    match rest {
                        TokenTree::Group(body) => self.read(&list(body.stream()), &folder, path),
                        _ => self.read(&module_file(&folder), &folder, path),
                    }
                    path.pop();
                    at += 3;
                    continue;
                }
                [TokenTree::Ident(word), ..] if word == "crate" => {
                    self.name(&tokens[at + 1..], Vec::new(), path);
                }
                [TokenTree::Ident(word), ..] if word == "super" => {
                    self.name(&tokens[at + 1..], path[..path.len().saturating_sub(1)].to_vec(), path);
                }
                [TokenTree::Group(group), ..] => self.read(&list(group.stream()), folder, path),
                _ => {}
            }
            at += 1;
        }
    }

    /// Notes the module that a path or a tree of imports names. `named` is the module before the next `::`; the code
    /// is in the module at `path`.
    fn name(&mut self, tokens: &[TokenTree], mut named: Vec<String>, path: &[String]) {
        let [TokenTree::Punct(one), TokenTree::Punct(two), next, rest @ ..] = tokens else { return };
        let depth = self.inside.len();
        let Some(module) = path.get(depth) else { return };
        match next {
            _ if one.as_char() != ':' || two.as_char() != ':' => {}
            TokenTree::Ident(word) if word == "super" => {
                named.pop();
                self.name(rest, named, path);
            }
            TokenTree::Ident(name) => {
                named.push(name.to_string());
                if named.len() <= depth {
                    self.name(rest, named, path);
                } else if named.starts_with(&self.inside) && named[depth] != *module {
                    self.uses.entry(module.clone()).or_default().insert(named.swap_remove(depth));
                }
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let colons = &tokens[..2];
                let tree = list(group.stream());
                for entry in
                    tree.split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','))
                {
                    self.name(&[colons, entry].concat(), named.clone(), path);
                }
            }
            _ => {}
        }
    }

    /// Reads `pub use agent::{Agent, App};` and the like.
    fn read_exports(&mut self, root: &[TokenTree]) {
        for import in root.split(|token| matches!(token, TokenTree::Punct(end) if end.as_char() == ';')) {
            let Some(at) =
                import.iter().position(|token| matches!(token, TokenTree::Ident(word) if word == "use"))
            else {
                continue;
            };
            let names = words(&import[at + 1..]);
            let mut names = names.iter().skip_while(|name| *name == "crate" || *name == "self");
            if let Some(module) = names.next().filter(|name| self.uses.contains_key(*name)) {
                let names = names.filter(|name| !self.uses.contains_key(*name));
                self.exports.extend(names.map(|name| (name.clone(), module.clone())));
            }
        }
    }

    /// All modules that `from` uses, and those that they use.
    fn reach<'m>(&'m self, from: &'m str) -> BTreeSet<&'m str> {
        let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(module) = next.pop() {
            next.extend(self.uses[module].iter().map(String::as_str).filter(|used| reached.insert(*used)));
        }
        reached
    }

    /// The modules that use themselves by way of others.
    fn in_knots(&self) -> Vec<&str> {
        self.uses.keys().map(String::as_str).filter(|module| self.reach(module).contains(module)).collect()
    }
}

fn src(crate_folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(crate_folder).join("src")
}

fn tokens(file: &Path) -> Vec<TokenTree> {
    let code = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    list(code.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display())))
}

/// The file of the module whose own modules are in `folder`.
fn module_file(folder: &Path) -> Vec<TokenTree> {
    let file = folder.with_extension("rs");
    tokens(&if file.exists() { file } else { folder.join("mod.rs") })
}

fn list(tokens: TokenStream) -> Vec<TokenTree> {
    tokens.into_iter().collect()
}

/// All identifiers, also those in groups.
fn words(tokens: &[TokenTree]) -> Vec<String> {
    let words = tokens.iter().flat_map(|token| match token {
        TokenTree::Ident(word) => vec![word.to_string()],
        TokenTree::Group(group) => words(&list(group.stream())),
        _ => Vec::new(),
    });
    words.collect()
}

/// Whether an attribute is `cfg(test)` or `cfg(all(test, ..))`.
fn is_for_tests(attribute: TokenStream) -> bool {
    let words = words(&list(attribute));
    words.first().is_some_and(|word| word == "cfg")
        && words.contains(&"test".to_owned())
        && !words.contains(&"not".to_owned())
}

/// An item ends with its block or with a semicolon.
fn item_length(tokens: &[TokenTree]) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(end) => end.as_char() == ';',
        _ => false,
    };
    tokens.iter().position(ends).map_or(tokens.len(), |at| at + 1)
}

/// The layers of a crate's modules, low to high, in the picture of `docs/design/crates.md`.
fn layers(package: &str) -> Vec<Vec<&'static str>> {
    let title = format!("The modules of `{package}`, low to high:\n\n");
    let picture = DESIGN.split(&title).nth(1).unwrap();
    let lines = picture.lines().take_while(|line| line.starts_with("    "));
    let lines = lines.map(|line| line.trim_start().split("  ").next().unwrap().split(", ").collect());
    lines.collect()
}

#[test]
fn modules_have_no_knots() {
    for name in CRATES {
        let modules = Modules::in_crate(name);
        assert!(modules.in_knots().is_empty(), "{name}: {:?} of {:#?}", modules.in_knots(), modules.uses);
    }
}

/// The folders whose files have no knots, by crate, as `docs/design/crates.md` names them.
fn folders() -> Vec<(&'static str, &'static str)> {
    let lists = DESIGN.split("No files of these folders use each other in a circle").nth(1).unwrap();
    let lists = lists.split("\n\n").nth(1).unwrap().lines();
    let lists = lists.map(|line| line.trim_start().split_once("  ").unwrap());
    lists.flat_map(|(of, folders)| folders.trim().split(", ").map(move |folder| (of, folder))).collect()
}

#[test]
fn files_of_folders_have_no_knots() {
    let folders = folders();
    assert!(folders.contains(&(CORE, "agent")), "{folders:?}");
    for (of, folder) in folders {
        let files = Modules::in_folder(of, folder);
        assert!(files.uses.len() > 1, "{of}/src/{folder} has no files");
        assert!(
            files.in_knots().is_empty(),
            "{of}/src/{folder}: {:?} of {:#?}",
            files.in_knots(),
            files.uses
        );
    }
}

#[test]
fn modules_of_definitions_use_lower_layers() {
    use_lower_layers(DEFINITIONS, "onionskin-definitions");
}

#[test]
fn modules_of_tools_use_lower_layers() {
    use_lower_layers(TOOLS, "onionskin-tools");
}

#[test]
fn modules_of_core_use_lower_layers() {
    use_lower_layers(CORE, "onionskin-core");
}

fn use_lower_layers(folder: &str, package: &str) {
    let layers = layers(package);
    let layer = |module: &str| {
        let at = layers.iter().position(|layer| layer.contains(&module));
        at.unwrap_or_else(|| panic!("`{module}` is in no layer of docs/design/crates.md"))
    };
    let modules = Modules::in_crate(folder);
    let mut upwards = Vec::new();
    for (module, uses) in &modules.uses {
        for used in uses {
            if layer(used) > layer(module) {
                upwards.push(format!("{module} -> {used}"));
            }
        }
    }
    assert!(upwards.is_empty(), "modules use higher layers: {upwards:?}");
    let missing: Vec<_> =
        layers.iter().flatten().filter(|module| !modules.uses.contains_key(**module)).collect();
    assert!(missing.is_empty(), "docs/design/crates.md shows modules that are not there: {missing:?}");
}

#[test]
fn knots_and_imports_are_found() {
    let mut modules = Modules::default();
    let code = "
        mod a { use crate::{b::{self, X}, c}; #[cfg(test)] mod tests { use crate::d; } }
        mod b { mod inner { fn f() { super::super::c::f(); } } }
        mod c { pub(super) struct Y; use super::Z; }
        mod d { pub struct Z; }
        pub use d::Z;
    ";
    let root = list(code.parse().unwrap());
    modules.read(&root, Path::new(""), &mut Vec::new());
    modules.read_exports(&root);
    let uses = |module: &str| modules.uses[module].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!((uses("a"), uses("b"), uses("c"), uses("d")), (vec!["b", "c"], vec!["c"], vec!["Z"], vec![]));
    assert_eq!(modules.exports["Z"], "d");
    for (from, to) in [("a", "b"), ("b", "c"), ("c", "a"), ("d", "c")] {
        modules.uses.entry(from.to_owned()).or_default().insert(to.to_owned());
    }
    modules.uses.get_mut("c").unwrap().remove("Z");
    assert_eq!(modules.in_knots(), ["a", "b", "c"]);
}

#[test]
fn circles_inside_of_a_folder_are_found() {
    let code = "
        mod a { use super::X; use crate::top::b::Y; }
        mod b { use super::{a, c::Z}; mod inner { fn f() { super::super::d::f(); crate::other::d(); } } }
        mod c { use crate::{other, top::d}; }
        mod d { use super::Own; #[cfg(test)] mod tests { use super::super::a; } }
        struct Own;
        pub(crate) use c::{W as X};
    ";
    let files = Modules::read_all(Path::new(""), &list(code.parse().unwrap()), &["top".to_owned()]);
    let uses = |file: &str| files.uses[file].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(
        (uses("a"), uses("b"), uses("c"), uses("d")),
        (vec!["b", "c"], vec!["a", "c", "d"], vec!["d"], vec![])
    );
    assert_eq!(files.in_knots(), ["a", "b"]);
}

/// Who looks for a name finds it in a module of its subject.
#[test]
fn the_root_has_at_most_49_names() {
    let root =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/lib.rs")).unwrap();
    let lists = root.split("pub use onionskin_core::{").skip(1).map(|list| list.split_once("};").unwrap().0);
    let modules: Vec<_> =
        lists.clone().filter(|list| list.contains("approval")).flat_map(|list| list.split(',')).collect();
    let names: Vec<_> =
        lists.filter(|list| !list.contains("approval")).flat_map(|list| list.split(',')).collect();
    let count = |names: &[&str]| names.iter().filter(|name| !name.trim().is_empty()).count();
    assert!(count(&modules) > 10 && (40..=49).contains(&count(&names)), "{} names: {names:?}", count(&names));
}
