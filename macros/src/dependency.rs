//! The name under which a package depends on the runtime.
//!
//! Paths in generated code begin with it. A macro does not see the names of dependencies, so it reads the package's `Cargo.toml`.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use crate::manifest::{Entry, Value, entries};

/// The packages that hold what generated code names. The first one that a package depends on counts.
const PACKAGES: [&str; 2] = ["onionskin", "onionskin-core"];

thread_local! {
    /// The last package, and its name for the runtime. An editor expands the macros of several packages in one process.
    static LAST: RefCell<Option<(PathBuf, String)>> = const { RefCell::new(None) };
    #[cfg(test)]
    static FOLDER: RefCell<Option<PathBuf>> = const { RefCell::new(None) };
}

/// The folder of the package that is compiled.
pub(crate) fn folder() -> Option<PathBuf> {
    #[cfg(test)]
    if let Some(folder) = FOLDER.with_borrow(Clone::clone) {
        return Some(folder);
    }
    std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from)
}

/// Takes this folder for that of the package, in a test.
#[cfg(test)]
pub(crate) fn with_folder<T>(folder: &Path, work: impl FnOnce() -> T) -> T {
    FOLDER.set(Some(folder.to_owned()));
    let result = work();
    FOLDER.set(None);
    result
}

/// The name of the runtime in the package that is compiled, as it is written in a path.
pub(crate) fn name() -> String {
    let Some(folder) = folder() else { return PACKAGES[0].to_owned() };
    LAST.with_borrow_mut(|last| match last {
        Some((of, name)) if *of == folder => name.clone(),
        _ => {
            let name = in_folder(&folder).unwrap_or(PACKAGES[0].to_owned()).replace('-', "_");
            *last = Some((folder, name.clone()));
            name
        }
    })
}

fn in_folder(folder: &Path) -> Option<String> {
    let read = |folder: &Path| entries(&fs::read_to_string(folder.join("Cargo.toml")).ok()?);
    let own = read(folder)?;
    let root = text_at(&own, &["package", "workspace"]).map(|root| folder.join(root));
    named(&own, |name| {
        let folders = root.as_deref().into_iter().chain(folder.ancestors());
        // A workspace that does not have the dependency is one that excludes this package.
        folders.filter_map(read).find_map(|manifest| package_in_workspace(&manifest, name))
    })
}

/// The name in this manifest. `inherited` gives the package that a dependency is in the manifest of the workspace.
fn named(manifest: &[Entry], inherited: impl Fn(&str) -> Option<String>) -> Option<String> {
    // The tests and the examples of the runtime itself.
    if text_at(manifest, &["package", "name"]).is_some_and(|name| PACKAGES.contains(&name)) {
        return None;
    }
    let dependencies = Dependency::all(manifest);
    let candidates = dependencies.iter().filter_map(|dependency| {
        let inherited = if dependency.is_inherited { inherited(&dependency.name) } else { None };
        let package = inherited.or(dependency.package.clone()).unwrap_or(dependency.name.clone());
        let place = PACKAGES.iter().position(|known| *known == package)?;
        Some(((dependency.reach(), place), &dependency.name))
    });
    candidates.min_by_key(|(rank, _)| *rank).map(|(_, name)| name.clone())
}

fn package_in_workspace(manifest: &[Entry], name: &str) -> Option<String> {
    let is_it = |entry: &Entry| matches!(&*entry.path, [w, d, n, ..] if w == "workspace" && d == "dependencies" && n == name);
    let has_it = manifest.iter().any(is_it);
    let package = text_at(manifest, &["workspace", "dependencies", name, "package"]);
    has_it.then(|| package.unwrap_or(name).to_owned())
}

fn text_at<'a>(manifest: &'a [Entry], path: &[&str]) -> Option<&'a str> {
    manifest.iter().find_map(|entry| match &entry.value {
        Value::Text(text) if entry.path == path => Some(&**text),
        _ => None,
    })
}

/// A dependency, as a manifest has it.
struct Dependency {
    /// The table that has it: `["dependencies"]`, `["target", "cfg(unix)", "dev-dependencies"]`.
    table: Vec<String>,
    /// The name in the program.
    name: String,
    /// The name in the registry, if another one is written.
    package: Option<String>,
    is_optional: bool,
    /// The rest is in the manifest of the workspace.
    is_inherited: bool,
}

impl Dependency {
    fn all(manifest: &[Entry]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for Entry { path, value } in manifest {
            let depth = match &**path {
                [kind, _, ..] if is_kind(kind) => 1,
                [target, _, kind, _, ..] if target == "target" && is_kind(kind) => 3,
                _ => continue,
            };
            let (table, name) = (&path[..depth], &path[depth]);
            let at = all.iter().position(|known| known.name == *name && known.table == table);
            let at = at.unwrap_or_else(|| {
                all.push(Self {
                    table: table.to_vec(),
                    name: name.clone(),
                    package: None,
                    is_optional: false,
                    is_inherited: false,
                });
                all.len() - 1
            });
            let is_true = *value == Value::Other("true".to_owned());
            match (path.get(depth + 1).map(String::as_str), value) {
                (Some("package"), Value::Text(package)) => all[at].package = Some(package.clone()),
                (Some("optional"), _) => all[at].is_optional = is_true,
                (Some("workspace"), _) => all[at].is_inherited = is_true,
                _ => {}
            }
        }
        all
    }

    /// How much of a package cannot use it: all code uses a usual dependency, while tests alone use one for development.
    fn reach(&self) -> u8 {
        match self.table.last().map(String::as_str) {
            Some("dependencies") => u8::from(self.is_optional) + u8::from(self.table.len() > 1),
            Some("dev-dependencies" | "dev_dependencies") => 3,
            _ => 4,
        }
    }
}

fn is_kind(table: &str) -> bool {
    matches!(
        table,
        "dependencies"
            | "dev-dependencies"
            | "dev_dependencies"
            | "build-dependencies"
            | "build_dependencies"
    )
}

#[cfg(test)]
mod tests {
    use super::{named, package_in_workspace};
    use crate::manifest::entries;

    fn name(manifest: &str) -> Option<String> {
        in_workspace(manifest, "")
    }

    fn in_workspace(manifest: &str, workspace: &str) -> Option<String> {
        let workspace = entries(workspace)?;
        named(&entries(manifest)?, |name| package_in_workspace(&workspace, name))
    }

    #[test]
    fn t10_the_name_of_the_dependency_is_found_in_each_form() {
        for manifest in [
            "[dependencies]\nkit = { package = \"onionskin\", version = \"0.1\" }",
            "[dependencies]\nserde = \"1\"\nkit = {version = \"0.1\", package='onionskin'}\n[features]\na = []",
            "[dependencies]\nkit = {\n  version = \"0.1\", # c\n  package = \"onionskin\",\n}",
            "[dependencies]\nkit = { features = [\n  \"a\",\n], package = \"onionskin\" }",
            "[dependencies.kit]\nversion = \"0.1\"\n# package = \"other\"\npackage = \"onionskin\" # c",
            "[dependencies]\nkit.version = \"0.1\"\nkit.package = \"onionskin\"\n",
            "dependencies.kit = { package = \"onionskin\" }",
            "[target.'cfg(unix)'.dependencies]\n\"kit\" = { package = \"onionskin\" } # renamed",
            "[dev-dependencies]\n# onionskin = \"0.1\"\nkit = { package = \"onionskin-core\" }",
            "[dependencies]\nkit = { package = \"onionskin\" }\nonionskin-core = \"0.1\"",
            "[[bin]]\nname = \"onionskin\"\n[dependencies]\nkit = { package = \"onionskin\" }",
        ] {
            assert_eq!(name(manifest).as_deref(), Some("kit"), "{manifest}");
        }
        assert_eq!(name("[dependencies]\nonionskin = \"0.1\"\nkit = \"1\"").as_deref(), Some("onionskin"));
        assert_eq!(name("[dependencies]\nonionskin.path = \"..\"").as_deref(), Some("onionskin"));
        assert_eq!(name("[dependencies]\nonionskin-core = \"0.1\"").as_deref(), Some("onionskin-core"));
    }

    #[test]
    fn t10_a_dependency_of_all_code_comes_before_one_of_some() {
        for other in [
            "[dev-dependencies]\nonionskin = \"0.1\"",
            "[build-dependencies]\nonionskin = \"0.1\"",
            "[target.'cfg(unix)'.dependencies]\nonionskin = \"0.1\"",
            "[dependencies.onionskin]\nversion = \"0.1\"\noptional = true",
        ] {
            for (first, second) in [(other, "\n[dependencies]\n"), ("[dependencies]\n", other)] {
                let core = "onionskin-core = \"0.1\"\n";
                let manifest = if first == other {
                    format!("{first}{second}{core}")
                } else {
                    format!("{first}{core}{second}")
                };
                assert_eq!(name(&manifest).as_deref(), Some("onionskin-core"), "{manifest}");
            }
            assert_eq!(name(other).as_deref(), Some("onionskin"), "{other}");
        }
    }

    #[test]
    fn t10_the_name_may_be_that_of_the_workspace() {
        for workspace in [
            "[workspace.dependencies]\nkit = { package = \"onionskin\", version = \"0.1\" }\n",
            "[ workspace ]\ndependencies.kit.package = 'onionskin'\nmembers = [\n\"a\",\n]",
            "[workspace.dependencies.kit]\npackage = \"onionskin\"",
        ] {
            for manifest in [
                "[dependencies]\nkit.workspace = true",
                "[dependencies]\nkit = { workspace = true } # c",
                "[dependencies]\nkit = { \"workspace\" = true, features = [\"mcp\"] }",
            ] {
                assert_eq!(
                    in_workspace(manifest, workspace).as_deref(),
                    Some("kit"),
                    "{manifest}, {workspace}"
                );
            }
            assert_eq!(in_workspace("[dependencies]\nserde.workspace = true", workspace), None);
        }
        // The workspace's manifest was not found.
        assert_eq!(name("[dependencies]\nonionskin.workspace = true").as_deref(), Some("onionskin"));
        let direct = "[dependencies]\nserde.workspace = true\nkit = { package = \"onionskin\" }";
        assert_eq!(name(direct).as_deref(), Some("kit"));
    }

    #[test]
    fn t10_other_manifests_give_no_name() {
        for manifest in [
            "",
            "[package]\nname = \"onionskin\"\n[dependencies]\nonionskin-core = \"0.1\"",
            "[dependencies]\nkit = \"1\"",
            "[package]\ndescription = \"\"\"\n[dependencies]\nonionskin-core = \"1\"\n\"\"\"",
            "[package.metadata.x.dependencies]\nonionskin-core = \"1\"",
            "[workspace.dependencies]\nonionskin-core = \"1\"",
            "= = =\n[[[",
        ] {
            assert_eq!(name(manifest), None, "{manifest}");
        }
    }
}
