//! The ready hooks in cards, compiled and loaded.

use onionskin::hooks::cards::{redact, timeout};
use onionskin::loader::{CardLoader, LoadError, Registry};
use onionskin::{App, RunError, ScriptedModel, ScriptedTurn, agent};
use serde_json::json;

agent!(card = "tests/cards/clerk.md");

#[expect(unreachable_pub, reason = "the file is one of the card, too")]
mod tools {
    include!("../cards/tools.rs");
}

const RESULT: &str = r#"{"sum":11,"pin":"[redacted]"}"#;

fn model() -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::call("add_one", json!({ "x": 41 })), ScriptedTurn::say("{last}")])
}

fn loader() -> CardLoader {
    let registry = Registry::new().file("tests/cards/tools.rs", |items| items.tool::<tools::add_one>());
    CardLoader::new(registry).base(env!("CARGO_MANIFEST_DIR"))
}

#[tokio::test(start_paused = true)]
async fn h9_a_card_with_ready_hooks_is_the_same_agent_compiled_and_loaded() {
    assert_eq!(Clerk::builder().model(model()).run("?").await.unwrap().text, RESULT);
    let cards = loader().load(["tests/cards/clerk.md"]).unwrap();
    let app = cards.add_to(App::builder()).model(model()).build().await.unwrap();
    assert_eq!(app.run("?").await.unwrap().text, RESULT);
}

agent!(card = "tests/cards/careful.md");

#[expect(unreachable_pub, reason = "the file is one of the card, too")]
mod careful {
    include!("../cards/careful.rs");
}

#[tokio::test]
async fn h9_a_card_requires_approval_by_a_condition() {
    let adds = |x: i64| {
        ScriptedModel::turns([ScriptedTurn::call("add_two", json!({ "x": x })), ScriptedTurn::say("{last}")])
    };
    let registry = Registry::new().file("tests/cards/careful.rs", |items| items.tool::<careful::add_two>());
    let cards =
        CardLoader::new(registry).base(env!("CARGO_MANIFEST_DIR")).load(["tests/cards/careful.md"]).unwrap();
    let app = cards.add_to(App::builder()).model(adds(101)).build().await.unwrap();
    for result in [Careful::builder().model(adds(101)).run("?").await, app.run("?").await] {
        let Err(RunError::Paused(paused)) = result else { panic!("it pauses") };
        assert_eq!(paused.questions()[0].text(), Some("x > 100"));
    }
    assert_eq!(Careful::builder().model(adds(40)).run("?").await.unwrap().text, "42");
}

/// The mistakes of a card with this line for a hook.
fn mistakes(field: &str, line: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let card = format!("instruction: Add.\nservers: [bank]\n{field}:\n  - {line}\n");
    std::fs::write(folder.path().join("a.yaml"), card).unwrap();
    let loaded = CardLoader::new(Registry::new()).base(folder.path()).load(["a.yaml"]);
    loaded.err().iter().flat_map(LoadError::mistakes).map(ToString::to_string).collect()
}

#[test]
fn h9_a_value_of_a_card_that_does_nothing_is_a_mistake_at_its_place() {
    for (hook, with, column, message) in [
        (
            "timeout",
            "-1",
            0,
            "`seconds` of `::onionskin::hooks::timeout` must be a whole number from 0 to 4294967295",
        ),
        ("timeout", "0", 0, "a `timeout` of zero fails every call: set a longer one, or remove the hook"),
        (
            "rate_limit",
            "0, 60",
            0,
            "a rate limit of 0 permits lets no call pass: remove the tool, or allow some permits",
        ),
        (
            "rate_limit",
            "60, 0",
            4,
            "a rate limit per time of zero limits nothing: remove the limit, or set a time",
        ),
        (
            "circuit_breaker",
            "0, 0",
            0,
            "a circuit that opens after 0 failures lets no call pass: allow at least 1",
        ),
        (
            "circuit_breaker",
            "5, 0",
            3,
            "a circuit that is open for no time refuses nothing: remove it, or set a time",
        ),
        ("concurrency", "0", 0, "with a `concurrency` of 0, every call waits for ever: allow at least 1"),
        (
            "clamp_argument",
            "x, 10, 0",
            3,
            "the range of `clamp_argument` from 10 to 0 is empty: write the smaller number first",
        ),
        ("redact", "\"\"", 0, "a field to redact has no name: remove it, or name it"),
        ("cache_results", "0, 0", 0, "`cache_results` of 0 results keeps nothing: remove the hook"),
        ("cache_results", "10, 0", 4, "`cache_results` for no time keeps nothing: remove the hook"),
        ("spill", "0", 0, "`spill(0)` leaves nothing readable of a result: write at least 256"),
        (
            "require_approval",
            "cents == 1000",
            0,
            "the condition `cents == 1000` of `require_approval` has none of `>`, `>=`, `<`, `<=` and `~`: write an argument and a bound, as in \
             `order.cents > 1000`, or an argument and a pattern, as in `path ~ ^/etc/`",
        ),
        ("retry", "1", 0, "a `retry` of fewer than 2 attempts repeats nothing: allow at least 2"),
    ] {
        let line = format!("{{ hook: \"::onionskin::hooks::{hook}\", with: [{with}] }}");
        let column = line.find("with: [").unwrap() + "with: [".len() + column + 5;
        assert_eq!(mistakes("tool_hooks", &line), [format!("a.yaml:4:{column}: {message}")]);
    }
}

#[test]
fn h9_other_ready_hooks_and_guardrails_refuse_values_that_do_nothing_too() {
    for (field, item, message) in [
        ("turn_hooks", "turn_hooks::last_inputs", "`last_inputs` of 0 leaves no message"),
        ("turn_hooks", "turn_hooks::last_tokens", "`last_tokens` of 0 leaves no message"),
        ("turn_hooks", "turn_hooks::summarize_above", "`summarize_above` of 0 leaves nothing to summarize"),
        ("run_hooks", "guardrails::max_input", "a `max_input` of 0 refuses every input"),
        ("run_hooks", "guardrails::max_answer", "a `max_answer` of 0 refuses every answer"),
        ("input_guardrails", "guardrails::max_args", "a `max_args` of 0 refuses every text"),
        ("output_guardrails", "guardrails::max_output", "a `max_output` of 0 withholds every result"),
    ] {
        let key = if field.ends_with("guardrails") { "guardrail" } else { "hook" };
        let line = |value: u32| format!("{{ {key}: \"::onionskin::{item}\", with: [{value}] }}");
        assert_eq!(mistakes(field, &line(1)), [""; 0]);
        let mistakes = mistakes(field, &line(0));
        assert!(mistakes.len() == 1 && mistakes[0].contains(&format!(": {message}: ")), "{mistakes:?}");
    }
}

#[test]
fn h9_redact_in_a_card_takes_names_with_commas_between_them_only() {
    let redact = |fields: &str| {
        mistakes("tool_hooks", &format!("{{ hook: \"::onionskin::hooks::redact\", with: ['{fields}'] }}"))
    };
    for fields in ["password", "password, token", "card-number,@id,größe_2"] {
        assert_eq!(redact(fields), [""; 0], "{fields}");
    }
    for (fields, name) in [
        ("password token", "password token"),
        ("pin, sk-[a-z]+", "sk-[a-z]+"),
        ("password;token", "password;token"),
        ("user.password", "user.password"),
    ] {
        let line = format!(
            "a.yaml:4:50: `redact` takes names of fields, with commas between them, and no patterns or paths, and `{name}` is no such \
             name: write `password, token`"
        );
        assert_eq!(redact(fields), [line]);
    }
}

#[test]
fn h9_a_compiled_card_does_not_build_with_a_value_that_does_nothing() {
    std::panic::catch_unwind(|| timeout::from((0,))).unwrap_err();
    std::panic::catch_unwind(|| redact::from(("password token".to_owned(),))).unwrap_err();
}

#[test]
fn h9_missing_values_of_a_ready_hook_are_named() {
    for (hook, names) in [
        ("timeout", "seconds"),
        ("rate_limit", "permits, seconds"),
        ("circuit_breaker", "failures, seconds"),
        ("concurrency", "calls"),
        ("require_approval", "condition"),
        ("clamp_argument", "argument, from, to"),
        ("redact", "fields"),
        ("cache_results", "results, seconds"),
        ("spill", "bytes"),
    ] {
        let mistakes = mistakes("tool_hooks", &format!("\"::onionskin::hooks::{hook}\""));
        assert!(
            mistakes.len() == 1 && mistakes[0].ends_with(&format!(": `with: [{names}]`")),
            "{mistakes:?}"
        );
    }
}
