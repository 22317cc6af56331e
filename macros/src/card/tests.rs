//! Cards and written declarations beside each other.

#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::path::Path;

use proc_macro2::TokenStream;
use proptest::prelude::*;
use quote::quote;
use tempfile::TempDir;

use super::expand::in_folder;
use super::invocation::Invocation;
use crate::agent;
use crate::folder::folder;
use crate::pages::{self, Case};

/// The expansion of an invocation, without the folder's own path.
fn expanded(folder: &TempDir, invocation: TokenStream) -> String {
    let invocation: Invocation = syn::parse2(invocation).unwrap();
    let base = format!("{}/", folder.path().display());
    in_folder(folder.path(), &invocation).to_string().replace(&base, "")
}

const DESK: &str = "---
description: Answers people.
role: A clerk.
markdown: true
servers: [time, \"server-git\"]
tools:
  time: [\"get_*\", \"a b\"]
  server-git: []
resources: { server-git: [\"git://*/main\", \"a'b\"], time: [\"*\"] }
prompts: { time: [plan_*] }
function_tools: [tools.rs:add_one, \"crate::math::add_two\"]
toolboxes: [tools.rs:Kb, { archive: \"crate::Kb\" }]
agents: [back-office, \"crate::Helper\"]
tool_hooks:
  - { hook: hooks.rs:audit, for: [add_one, server(time), back-office, shell.execute, time__get_time] }
  - ..
  - { hook: \"::onionskin::hooks::retry\", with: [3, -1.5, true, \"x\", [\"y\"]], except: [source(mcp), tool(late)] }
input_guardrails: [\"::onionskin::guardrails::MaskPii\", { guardrail: hooks.rs:short, with: [9], for: [server(time)] }]
output_guardrails:
  - { guardrail: hooks.rs:plain, except: [back-office] }
run_hooks: [hooks.rs:check]
turn_hooks:
  before_llm_call: hooks.rs:trim
message_hooks: [hooks.rs:redact]
runtime: [shell.execute]
default: true
model: gpt-5
request_params: { temperature: 1, max_tokens: 100, stop_sequences: [END], tool_choice: required, extra_body: { a: [1] } }
limits: { turns: 3, time_sec: 2.5 }
history_source: child
history_merge_target: none
max_parallel: 2
child_timeout_sec: 1.5
max_display_instances: 3
effect: once
lock: strict
state: tools.rs:Ledger
input: \"crate::Question\"
output: tools.rs:Report
---
Answer \"well\".

Be short.
";

const OFFICE: &str = "name: back-office\ndescription: Files things.\ninstruction: { function: \"crate::prompts::office\" }\nrun: tools.rs:plan\n";

const FILES: [(&str, &str); 4] = [
    ("desk.md", DESK),
    ("office.yaml", OFFICE),
    (
        "tools.rs",
        "#[tool] pub fn add_one(x: i64) -> i64 { x + 1 } pub struct Kb; pub struct Ledger; pub struct Report; pub async fn plan() {}",
    ),
    (
        "hooks.rs",
        "#[tool_hook] pub async fn audit() {} #[run_hook(pre)] pub fn check() {} #[turn_hook(before_llm_call)] pub fn trim() {}
         #[message_hook(before_send)] pub fn redact() {} #[guardrail(input)] pub fn short(#[config] most: u32) {}
         #[guardrail(output)] pub fn plain() {}",
    ),
];

#[test]
fn c2_a_card_expands_to_what_is_written_in_rust() {
    let folder = folder(&FILES);
    let by_cards =
        expanded(&folder, quote!(pub(crate) card = ["desk.md", "office.yaml"], crate = my::onionskin));
    let (in_rust, errors) = agent::declared(quote! {
        #[doc = "Answers people."]
        pub(crate) Desk {
            name: "desk",
            description: "Answers people.",
            instruction: "Answer \"well\".\n\nBe short.",
            role: "A clerk.",
            markdown: true,
            servers: ["time", "server-git"],
            tools: { "time": ["get_*", "a b"], "server-git": [] },
            resources: { "server-git": ["git://*/main", "a'b"], "time": ["*"] },
            prompts: { "time": ["plan_*"] },
            function_tools: [tools_rs::add_one, crate::math::add_two],
            toolboxes: [tools_rs::Kb, archive: crate::Kb],
            agents: [BackOffice, crate::Helper],
            tool_hooks: [
                hooks_rs::audit for [tools_rs::add_one, server("time"), BackOffice, shell.execute, time__get_time],
                ..,
                my::onionskin::hooks::retry(
                    3,
                    -1.5,
                    true,
                    <_ as __rt::TextInCard<17>>::from_text("x"),
                    ::core::iter::Iterator::collect(::core::iter::IntoIterator::into_iter([<_ as __rt::TextInCard<17>>::from_text("y")])),
                ) except [source(mcp), tool("late")],
            ],
            input_guardrails: [my::onionskin::guardrails::MaskPii, hooks_rs::short(9) for [server("time")]],
            output_guardrails: [hooks_rs::plain except [BackOffice]],
            run_hooks: [hooks_rs::check],
            turn_hooks: [hooks_rs::trim],
            message_hooks: [hooks_rs::redact],
            runtime: [shell.execute],
            default: true,
            model: "gpt-5",
            request_params: {
                temperature: 1.0,
                max_tokens: 100,
                stop_sequences: ["END"],
                tool_choice: __rt::json("\"required\""),
                extra_body: __rt::json("{\"a\":[1]}"),
            },
            limits: { turns: 3, time_sec: 2.5 },
            history_source: child,
            history_merge_target: none,
            max_parallel: 2,
            child_timeout_sec: 1.5,
            max_display_instances: 3,
            effect: once,
            lock: strict,
            state: tools_rs::Ledger,
            input: crate::Question,
            output: tools_rs::Report,
            crate: my::onionskin,
        }
        #[doc = "Files things."]
        pub(crate) BackOffice {
            name: "back-office",
            description: "Files things.",
            instruction: crate::prompts::office,
            run: tools_rs::plan,
            crate: my::onionskin,
        }
    });
    assert!(errors.is_empty(), "{}", errors.into_tokens());
    let in_rust: syn::File = syn::parse2(in_rust).unwrap();
    let (types, others): (Vec<_>, Vec<_>) =
        in_rust.items.into_iter().partition(|item| matches!(item, syn::Item::Struct(_)));
    let files = quote! {
        const _: &[&[::core::primitive::u8]] = &[::core::include_bytes!("desk.md"), ::core::include_bytes!("office.yaml")];
    };
    let whole = quote! {
        #[path = "tools.rs"]
        #[allow(unreachable_pub)]
        mod __tools_rs_f0eeac9e;
        #[path = "hooks.rs"]
        #[allow(unreachable_pub)]
        mod __hooks_rs_f0eeac9e;
        #(#types)*
        const _: () = {
            use __tools_rs_f0eeac9e as tools_rs;
            use __hooks_rs_f0eeac9e as hooks_rs;
            #(#others)*
        };
        #files
    };
    assert_eq!(by_cards, whole.to_string());
}

#[test]
fn c2_invocations_beside_each_other_may_name_the_same_file() {
    let card = |name: &str| format!("name: {name}\ninstruction: Add.\nfunction_tools: [tools.rs:add_one]\n");
    let (a, b) = (card("a"), card("b"));
    let folder = folder(&[("a.yaml", &a), ("b.yaml", &b), FILES[2]]);
    let names = |invocation: TokenStream| -> Vec<String> {
        let file: syn::File = syn::parse_str(&expanded(&folder, invocation)).unwrap();
        let named = file.items.into_iter().filter_map(|item| match item {
            syn::Item::Struct(item) => Some(item.ident.to_string()),
            syn::Item::Mod(item) => Some(item.ident.to_string()),
            syn::Item::Const(item) if item.ident == "_" => None,
            other => panic!("{}", quote!(#other)),
        });
        named.collect()
    };
    assert_eq!(names(quote!(card = "a.yaml")), ["__tools_rs_4a6378ee", "A"]);
    assert_eq!(names(quote!(card = ["b.yaml"])), ["__tools_rs_6acac80f", "B"]);
}

#[test]
fn c2_a_name_that_is_a_word_of_rust_needs_no_mark() {
    let card = "name: a\ninstruction: Add.\nfunction_tools: [./tools.rs:match, \"crate::r#type::loop\"]\n\
                tool_hooks: [{ hook: \"crate::audit\", for: [match, r#loop] }]\n";
    let folder = folder(&[("a.yaml", card), ("tools.rs", "#[tool]\npub fn r#match() -> i64 { 1 }\n")]);
    let expansion = expanded(&folder, quote!(card = "a.yaml"));
    assert_eq!(errors(&expansion), [""; 0]);
    for path in ["tools_rs :: r#match", "crate :: r#type :: r#loop"] {
        assert!(expansion.contains(path), "{path} is not in:\n{expansion}");
    }
}

/// The messages of the errors in an expansion.
fn errors(expansion: &str) -> Vec<String> {
    let tokens: TokenStream = expansion.parse().unwrap();
    let file: syn::File = syn::parse2(tokens).unwrap();
    let macros = file.items.into_iter().filter_map(|item| match item {
        syn::Item::Macro(item) if item.mac.path.segments.last()?.ident == "compile_error" => Some(item.mac),
        _ => None,
    });
    macros.map(|mac| mac.parse_body::<syn::LitStr>().unwrap().value()).collect()
}

/// The mistakes of the crate of cards.
fn mistakes() -> Vec<Case> {
    pages::cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/cards/tests/mistakes"))
}

#[test]
fn c2_each_mistake_of_a_card_is_a_compile_error_with_the_same_words_and_place() {
    let mistakes = mistakes();
    assert!(mistakes.len() > 160, "{}", mistakes.len());
    for Case { name, files, message, .. } in mistakes {
        let folder = folder(&[(&name, &files[&name])]);
        let found = errors(&expanded(&folder, quote!(card = #name)));
        let found = found.iter().map(|error| format!("error: {error}")).collect::<Vec<_>>().join("\n\n");
        assert_eq!(found.trim_end(), message, "{name}");
    }
}

#[test]
fn c2_a_thousand_missing_tools_are_mistakes_and_more_are_too_many() {
    let names = |count: usize, before: &str, behind: &str| -> String {
        (0..count).map(|at| [before, &format!("{at:04}"), behind, "\n"].concat()).collect()
    };
    let tools = names(1_000, "#[onionskin::tool] pub fn look_up_part_", "() {}");
    let card = |count: usize| {
        let list = names(count, "  - tools.rs:look_up_prat_", "");
        format!("name: a\ninstruction: Look.\nfunction_tools:\n{list}")
    };
    let of = |count: usize| {
        let folder = folder(&[("a.yaml", &card(count)), ("tools.rs", &tools)]);
        errors(&expanded(&folder, quote!(card = "a.yaml")))
    };
    let found = of(1_000);
    assert_eq!(found.len(), 21);
    assert!(
        found[0].starts_with("`tools.rs` has no `look_up_prat_0000`; did you mean `look_up_part_"),
        "{}",
        found[0]
    );
    assert!(found[19].starts_with("`tools.rs` has no `look_up_prat_0019`; did you mean"), "{}", found[19]);
    assert_eq!(found[20], "`a.yaml` has 980 more mistakes");
    let found = of(1_001);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("a list must have at most 1000 items here"), "{}", found[0]);
}

/// What is put into a card or a file of a workflow.
const PIECES: &[&str] = &[
    "{ guest }",
    "{guest.99999999999999999999}",
    "{r#type}",
    "fn main() { body }",
    "\"",
    "'",
    "\\",
    "\\u0000",
    "\0",
    "\u{feff}",
    "é²",
    "---\n",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ": ",
    ",",
    "#",
    "null",
    "true",
    "1e999",
    "-0",
    "99999999999999999999999",
    "crate::",
    "::",
    "r#",
    "self",
    "Self",
    "_",
    "..",
    "for: [",
    "with: [",
    "tools.rs:",
    ":add_one",
    "../",
    "/",
    "<u8>",
    "!",
    "&x",
    "*x",
    "|\n",
    "name: ",
    "state: ",
    "\n",
    "\t",
    " ",
];

/// A change of a text: at which of its characters, how many of them go, and what comes there.
type Change = (prop::sample::Index, usize, &'static str);

pub(crate) fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = (
        any::<prop::sample::Index>(),
        prop_oneof![Just(0_usize), 0..4_usize, 0..200_usize],
        prop::sample::select(PIECES),
    );
    prop::collection::vec(change, 1..6)
}

pub(crate) fn changed(text: &str, changes: &[Change]) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for (at, gone, piece) in changes {
        let at = at.index(text.len() + 1);
        let end = (at + gone).min(text.len());
        text.splice(at..end, piece.chars());
    }
    text.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn long_c2_any_card_is_expanded_or_is_a_mistake(
        which in any::<prop::sample::Index>(), changes in changes(), of_rust: bool,
    ) {
        let mut cards = vec![("desk.md".to_owned(), DESK.to_owned()), ("office.yaml".to_owned(), OFFICE.to_owned())];
        let mistakes = mistakes().into_iter().flat_map(|case| case.files);
        cards.extend(mistakes.filter(|(name, _)| !name.contains('/')));
        let (name, card) = which.get(&cards);
        let card = changed(card, if of_rust { &[] } else { &changes });
        let rust = changed(FILES[2].1, if of_rust { &changes } else { &[] });
        let mut files: Vec<_> = FILES.into_iter().filter(|(file, _)| file != name).collect();
        files.extend([(name.as_str(), card.as_str()), ("tools.rs", &rust)]);
        let other = if name == "office.yaml" { "desk.md" } else { "office.yaml" };
        let expansion = expanded(&folder(&files), quote!(card = [#name, #other]));
        let file: syn::File = syn::parse_str(&expansion).unwrap();
        prop_assert!(!file.items.is_empty());
    }
}
