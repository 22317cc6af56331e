//! Workflow folders, expanded.

#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::fs;
use std::path::{Path, PathBuf};

use quote::ToTokens;
use syn::parse::Parser;
use tempfile::TempDir;

use super::expand::in_folder;
use crate::card::Invocation;
use crate::card::tests::{changed, changes};
use crate::folder::folder_below;
use crate::pages::{Files, hold, read};

fn folder(files: &Files) -> TempDir {
    folder_below("workflows/Generator", files)
}

/// The items of the expansion of `workflow!("workflows/Generator")`, without the folder's own path.
fn expanded(files: &Files, invocation: &str) -> Vec<syn::Item> {
    let folder = folder(files);
    let invocation = Invocation::workflow.parse_str(invocation).unwrap();
    let text = in_folder(folder.path(), &invocation).to_string();
    syn::parse_str::<syn::File>(&text.replace(&format!("{}/", folder.path().display()), "")).unwrap().items
}

/// What the errors of the expansion say.
fn errors(files: &Files) -> String {
    let items = expanded(files, "\"workflows/Generator\"");
    let macros = items.into_iter().filter_map(|item| match item {
        syn::Item::Macro(item) if item.mac.path.segments.last()?.ident == "compile_error" => Some(item.mac),
        _ => None,
    });
    let errors = macros.map(|mac| format!("error: {}", mac.parse_body::<syn::LitStr>().unwrap().value()));
    errors.collect::<Vec<_>>().join("\n\n")
}

/// A page of workflows with mistakes.
fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../runtime/cards/tests/workflows/{name}.md"))
}

#[test]
fn c4_each_mistake_of_a_workflow_is_a_compile_error_with_the_same_words_and_place() {
    let cases = hold(&page("mistakes"), |case| Ok(errors(&case.files)));
    assert!(cases > 70, "{cases}");
}

/// `items.md` holds workflows that name wrong items. The loader is held to the same page.
#[test]
fn c4_each_mistake_in_an_item_is_a_compile_error_at_its_place() {
    let cases = hold(&page("items"), |case| Ok(errors(&case.files)));
    assert!(cases > 10, "{cases}");
}

#[test]
fn c4_an_agent_of_the_workflows_name_is_one_error() {
    let mut files = whole();
    let agents = r#"{ "Writer": { "instruction": "Write." }, "Generator": { "instruction": "Read." } }"#;
    files.insert("agents.json".to_owned(), agents.to_owned());
    files.insert("tools.json".to_owned(), "{}".to_owned());
    let said = errors(&files);
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
    assert!(said.contains("the workflow is the type `Generator` already"), "{said}");
    let types = expanded(&files, "\"workflows/Generator\"").into_iter().filter_map(|item| match item {
        syn::Item::Struct(item) => Some(item.ident.to_string()),
        _ => None,
    });
    let mut types: Vec<_> = types.collect();
    types.sort();
    assert_eq!(types, ["Generator", "Writer"]);
}

/// A workflow without mistakes.
fn whole() -> Files {
    let (mut files, _) = read(&fs::read_to_string(page("items")).unwrap());
    let tools = r#"{
        "agent_tools": { "ALL_AGENTS": [{ "path": "tools.echo_all.echo", "name": "say" }] },
        "ui_tools": { "Writer": [{ "path": "tools.ask.ask", "component": "Big \"box\"", "mode": "artifact", "description": "Asks." }] }
    }"#;
    files.insert("tools.json".to_owned(), tools.to_owned());
    let orchestrator =
        r#"{ "start_agent": "Writer", "initial_message": "Hello.", "turn_limit": 3, "termination": "DONE" }"#;
    files.insert("orchestrator.json".to_owned(), orchestrator.to_owned());
    files
}

fn text(items: &[syn::Item]) -> String {
    items.iter().map(|item| item.to_token_stream().to_string()).collect::<Vec<_>>().join("\n")
}

#[test]
fn c4_a_workflow_is_its_agents_and_a_type_of_its_own() {
    let items = expanded(&whole(), "pub \"workflows/Generator\", crate = my::onionskin");
    let types: Vec<_> = items
        .iter()
        .filter_map(|item| match item {
            syn::Item::Struct(item) => Some((item.ident.to_string(), item.vis.to_token_stream().to_string())),
            _ => None,
        })
        .collect();
    let public = |name: &str| (name.to_owned(), "pub".to_owned());
    assert_eq!(types, [public("Writer"), public("Reader"), public("Generator")]);
    let text = text(&items);
    for wanted in [
        "use my :: onionskin :: __private0 as __rt",
        ". agent :: < Writer > () . agent :: < Reader > () . initial_message (\"Hello.\")",
        "pub async fn begin ()",
        ". until (\"DONE\")",
        "__limits . turns =",
        ". compiled_words (0usize , __rt :: ToolWords :: new () . name (\"say\"))",
        ". description (\"Asks.\") . component (\"Big \\\"box\\\"\" , __rt :: UiMode :: Artifact)",
        "first_clash (& [(0usize , \"say\") , (1usize , < __Tool1 as __rt :: Tool > :: NAME)])",
        "include_bytes ! (\"workflows/Generator/orchestrator.json\")",
        "include_bytes ! (\"workflows/Generator/tools.json\")",
    ] {
        assert!(text.contains(wanted), "{wanted} is not in:\n{text}");
    }
    assert!(!text.contains("deprecated"), "{text}");
}

#[test]
fn c4_a_workflow_without_an_initial_message_cannot_begin_alone() {
    let mut files = whole();
    files.insert("orchestrator.json".to_owned(), r#"{ "start_agent": "Writer" }"#.to_owned());
    let text = text(&expanded(&files, "\"workflows/Generator\""));
    assert!(!text.contains("fn begin") && !text.contains("initial_message"), "{text}");
}

#[test]
fn c4_old_and_unused_files_are_warnings_of_the_compiler() {
    let mut files = whole();
    files.insert("tools.yaml".to_owned(), "agent_tools: {}\n".to_owned());
    files.insert("hooks.yml".to_owned(), "[]\n".to_owned());
    let text = text(&expanded(&files, "\"workflows/Generator\""));
    for words in [
        "workflows/Generator/tools.json:1:1: `tools.json` is used, and `tools.yaml` beside it is not: remove one of them",
        "workflows/Generator/hooks.yml:1:1: YAML is the old form of this file: `onionskin migrate` writes `hooks.json`",
    ] {
        assert!(text.contains(&format!("# [deprecated (note = {words:?})]")), "{words} is not in:\n{text}");
    }
}

#[test]
fn c4_an_invocation_names_one_folder() {
    let wrong = |text: &str| Invocation::workflow.parse_str(text).map(|_| ()).unwrap_err().to_string();
    assert!(wrong("Generator").contains("the path of a workflow's folder"));
    assert!(wrong("[\"a\", \"b\"]").contains("names one folder"));
    assert!(wrong("\"a\" crate = x").contains("a comma is missing"));
    assert!(wrong("\"a\", crate = x, crate = y").contains("given twice"));
    assert!(wrong("\"a\", turn_limit = 3").contains("belongs in the files of the workflow"));
}

#[test]
fn c4_the_workflow_and_an_agent_are_two_types() {
    let mut files = whole();
    files.insert("agents.json".to_owned(), r#"{ "generator": { "instruction": "Write." } }"#.to_owned());
    files.insert("orchestrator.json".to_owned(), r#"{ "start_agent": "generator" }"#.to_owned());
    files.insert("tools.json".to_owned(), "{}".to_owned());
    let said = errors(&files);
    assert!(
        said.contains("the workflow is the type `Generator` already; give this agent another name"),
        "{said}"
    );
    assert!(said.contains("workflows/Generator/agents.json:1:3"), "{said}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn long_c4_any_workflow_is_expanded_or_is_a_mistake(
        which in proptest::prelude::any::<proptest::sample::Index>(), changes in changes(),
    ) {
        let (mut all, _) = read(&fs::read_to_string(page("mistakes")).unwrap());
        let names: Vec<String> = all.keys().cloned().collect();
        let file = all.get_mut(which.get(&names)).unwrap();
        *file = changed(file, &changes);
        proptest::prop_assert!(!expanded(&all, "\"workflows/Generator\"").is_empty());
    }
}
