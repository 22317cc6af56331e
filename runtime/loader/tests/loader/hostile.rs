//! Any card is loaded, or its mistakes have places.

use onionskin::App;
use onionskin::ScriptedModel;
use onionskin::loader::{CardLoader, Registry};
use proptest::prelude::*;

use super::folder;
use super::parts::{add_one, at_most, mark};

const DESK: &str = "---
role: A clerk.
servers: []
function_tools: [tools.rs:add_one]
agents: [office]
tool_hooks:
  - { hook: hooks.rs:mark, with: [x], for: [add_one, office] }
  - ..
  - { hook: \"::onionskin::hooks::retry\", with: [3], except: [source(mcp)] }
turn_hooks:
  before_llm_call: { hook: hooks.rs:at_most, with: [3] }
default: true
request_params: { temperature: 1, max_tokens: 100, stop_sequences: [END], extra_body: { a: [1] } }
limits: { turns: 3, time_sec: 2.5 }
history_source: child
max_parallel: 2
child_timeout_sec: 1.5
effect: once
---
Answer {well}.
";

const OFFICE: &str = "description: Works.\ninstruction: Work.\n";

fn registry() -> Registry {
    Registry::new()
        .file("tools.rs", |items| items.tool::<add_one>())
        .file("hooks.rs", |items| items.tool_hook::<mark>().turn_hook::<at_most>())
}

/// Loads a card, and builds its agents if it has no mistakes.
fn any(card: &str) -> Result<(), TestCaseError> {
    let folder = folder(&[("desk.md", card), ("office.yaml", OFFICE)]);
    match CardLoader::new(registry()).base(folder.path()).load(["."]) {
        Ok(cards) => {
            let app = cards.add_to(App::builder()).model(ScriptedModel::turns([])).build();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            if let Err(error) = runtime.block_on(app) {
                prop_assert!(!error.to_string().contains("panicked"), "{}", error);
            }
        }
        Err(error) => {
            prop_assert!(!error.mistakes().is_empty() && !error.to_string().is_empty());
            prop_assert!(error.mistakes().iter().all(|mistake| mistake.line > 0 && mistake.column > 0));
        }
    }
    Ok(())
}

#[test]
fn c3_the_card_of_these_tests_is_loaded() {
    let folder = folder(&[("desk.md", DESK), ("office.yaml", OFFICE)]);
    let cards = CardLoader::new(registry()).base(folder.path()).load(["."]).unwrap();
    assert_eq!(cards.agents().len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn c3_any_change_of_a_card_is_loaded_or_is_a_mistake(
        field in 0..DESK.lines().count(), at in 0_usize..80, text in "[a-z0-9:\\.\"'\\[\\]{}#, \\\\$(_*é-]{0,12}",
    ) {
        let mut lines: Vec<String> = DESK.lines().map(str::to_owned).collect();
        let line = &mut lines[field];
        let at = (0..=at.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap();
        line.insert_str(at, &text);
        any(&lines.join("\n"))?;
    }

    #[test]
    fn c3_any_text_is_loaded_or_is_a_mistake(text: String) {
        any(&text)?;
        any(&format!("---\n{text}\n---\nAnswer."))?;
    }
}
