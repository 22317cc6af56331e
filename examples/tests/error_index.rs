//! Compares the pages of errors in the book with the code: they list every variant of the public error types and nothing else, and quote
//! only messages that exist.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The pages that quote messages of our code.
const MESSAGES: [&str; 2] = [
    include_str!("../../docs/book/src/reference/errors/attributes.md"),
    include_str!("../../docs/book/src/reference/errors/agents.md"),
];
/// The pages that list variants.
const VARIANTS: [&str; 4] = [
    include_str!("../../docs/book/src/reference/errors/building.md"),
    include_str!("../../docs/book/src/reference/errors/running.md"),
    include_str!("../../docs/book/src/reference/errors/stores.md"),
    include_str!("../../docs/book/src/reference/errors/calls.md"),
];

/// The public error types, and their files.
const ENUMS: &[(&str, &str)] = &[
    ("BuildError", "runtime/core/src/agent/error/build_error.rs"),
    ("RunError", "runtime/core/src/agent/error/run_error.rs"),
    ("AnswerError", "runtime/tools/src/question/error.rs"),
    ("TraceError", "runtime/tools/src/trace.rs"),
    ("AskError", "runtime/tools/src/question/error.rs"),
    ("MisuseError", "runtime/core/src/agent/error/misuse.rs"),
    ("Limit", "runtime/core/src/agent/limits.rs"),
    ("BudgetError", "runtime/tools/src/budget/error.rs"),
    ("JournalErrorKind", "runtime/tools/src/journal/error.rs"),
    ("MemoryError", "runtime/tools/src/memory/error.rs"),
    ("SessionError", "runtime/tools/src/session/log/error.rs"),
    ("SessionStoreError", "runtime/tools/src/session_store/error.rs"),
    ("SavedSessionError", "runtime/tools/src/session/saved.rs"),
    ("HistoryError", "runtime/tools/src/model/history_check.rs"),
    ("ServeError", "runtime/serve/src/error.rs"),
    ("ResourceError", "runtime/serve/src/resource.rs"),
    ("AcpError", "runtime/acp/src/error.rs"),
    ("McpError", "runtime/mcp/src/error.rs"),
    ("HttpError", "runtime/mcp/src/http_error.rs"),
    ("OAuthError", "runtime/mcp/src/auth/error.rs"),
    ("CardError", "runtime/a2a/src/server/mod.rs"),
    ("RemoteError", "runtime/a2a/src/remote/error.rs"),
    ("SnapshotError", "runtime/mcp/src/snapshot/error.rs"),
    ("ModelError", "runtime/tools/src/model/error.rs"),
    ("ScriptedModelError", "runtime/tools/src/model/error.rs"),
    ("ToolChoiceError", "runtime/tools/src/model/options.rs"),
    ("ResponseSchemaError", "runtime/tools/src/model/options.rs"),
    ("ContentError", "runtime/definitions/src/content/files.rs"),
    ("ScriptError", "runtime/rhai/src/load_error.rs"),
    ("OtelError", "runtime/otel/src/error.rs"),
    ("SpecError", "runtime/tools/src/spec/error.rs"),
    ("ExportError", "runtime/definitions/src/export/error.rs"),
    ("KnowledgeError", "runtime/toolboxes/src/knowledge/error.rs"),
    ("WebSearchError", "runtime/toolboxes/src/web/error.rs"),
    ("FilesystemError", "runtime/builtins/src/filesystem/root.rs"),
    ("SkillsError", "runtime/builtins/src/skills/error.rs"),
    ("RateLimitError", "runtime/hooks/src/rate/mod.rs"),
    ("CircuitOpen", "runtime/hooks/src/circuit.rs"),
    ("CassetteError", "runtime/models/src/cassette/error.rs"),
    ("Exit", "runtime/definitions/src/error/exit.rs"),
    ("ErrorKind", "runtime/definitions/src/error/tool_error.rs"),
];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// `Enum::Variant`, from the source.
fn variants() -> BTreeSet<String> {
    let mut variants = BTreeSet::new();
    for (name, file) in ENUMS {
        let file = syn::parse_file(&fs::read_to_string(root().join(file)).unwrap()).unwrap();
        let found = file.items.iter().find_map(|item| match item {
            syn::Item::Enum(item) if item.ident == name => Some(item),
            _ => None,
        });
        let found = found.unwrap_or_else(|| panic!("there is no enum `{name}` any more"));
        variants.extend(found.variants.iter().map(|variant| format!("{name}::{}", variant.ident)));
    }
    variants
}

/// The first cells of the tables of some pages.
fn cells(pages: &[&'static str]) -> impl Iterator<Item = &'static str> {
    let lines = pages.iter().flat_map(|page| page.lines());
    lines.filter_map(|line| line.strip_prefix("| ")?.split(" | ").next())
}

#[test]
fn every_variant_is_listed_and_every_listed_one_is_there() {
    let listed = cells(&VARIANTS).filter_map(|cell| cell.strip_prefix('`')?.strip_suffix('`'));
    let listed: BTreeSet<_> = listed.filter(|cell| cell.contains("::")).map(str::to_owned).collect();
    assert_eq!(listed, variants());
}

#[test]
fn every_quoted_message_is_in_the_code() {
    let mut code = String::new();
    // The macros put some messages together: the errors of their tests have them whole.
    for (folder, extension) in [("macros/src", "rs"), ("macros/tests/errors", "md"), ("runtime", "rs")] {
        read(&root().join(folder), extension, &mut code);
    }
    let code = plain(&code);
    let mut quoted = 0;
    let rows = MESSAGES.iter().chain(&VARIANTS).flat_map(|page| page.lines());
    for message in rows.filter_map(|line| line.strip_prefix("| \"")?.split("\" | ").next()) {
        for part in message.split("..").flat_map(|part| part.split('`')) {
            let part = part.trim();
            assert!(
                code.contains(part),
                "`{part}` of \"{message}\" is in no source file, and in no error of a test"
            );
        }
        quoted += 1;
    }
    assert!(quoted > 60, "only {quoted} messages were found in the index");
}

/// The text of all files with an extension below a folder.
fn read(folder: &Path, extension: &str, into: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        if path.is_dir() {
            read(&path, extension, into);
        } else if path.extension().is_some_and(|found| found == extension) {
            into.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

/// Source with its broken strings joined.
fn plain(code: &str) -> String {
    let mut joined = String::with_capacity(code.len());
    for piece in code.split("\\\n") {
        joined.push_str(if joined.is_empty() { piece } else { piece.trim_start() });
    }
    joined.replace("\\\"", "\"")
}
