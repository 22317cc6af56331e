//! What the environment decides. A test sets no variable of its own process: each starts this program again, for one test.

use std::path::Path;
use std::process::{Command, Output};

use onionskin::model::{ModelDelta, ModelResponse, ToolCallDelta};
use onionskin::models::{Cassette, CassetteError};
use onionskin::{ScriptedModel, ScriptedTurn};

use super::support::{Prepared, answer, ask, call, text};

/// The variable with the file for the test of the other process.
const FILE: &str = "CASSETTE_FILE";
/// A key in the environment of the other process.
const KEY: &str = "sk-0123456789-abcdefghij";

/// Runs one test of this program in another process.
fn run(test: &str, file: &Path, record: Option<&str>) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("environment::{test}"), "--nocapture"]);
    command.env_remove("ONIONSKIN_RECORD").env(FILE, file).env("SHOP_API_KEY", KEY);
    if let Some(record) = record {
        command.env("ONIONSKIN_RECORD", record);
    }
    command.output().unwrap()
}

#[tokio::test]
async fn o3_in_the_other_process_a_hello_is_recorded() {
    let Some(file) = std::env::var_os(FILE) else { return };
    let cassette = Cassette::new(ScriptedModel::turns([ScriptedTurn::say("Hello.")]), file);
    let result = cassette.run(async |model| {
        assert_eq!(answer(&model, &ask("Hi.")).await.1.unwrap().text, "Hello.");
        Ok::<_, CassetteError>(())
    });
    if let Err(error) = result.await {
        panic!("{error}");
    }
}

#[test]
fn o3_a_variable_of_the_environment_records_anew() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hello.yaml");
    let run = |record| {
        let output = run("o3_in_the_other_process_a_hello_is_recorded", &file, record);
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (ok, text) = run(None);
    assert!(!ok && text.contains("run the test once with ONIONSKIN_RECORD=1"), "{text}");
    let (ok, text) = run(Some("yes"));
    assert!(!ok && text.contains("ONIONSKIN_RECORD is `yes`: write 1"), "{text}");
    assert!(!file.exists());
    let (ok, text) = run(Some("1"));
    assert!(ok && file.exists(), "{text}");
    for replays in [None, Some("0"), Some("")] {
        let (ok, text) = run(replays);
        assert!(ok, "{text}");
    }
}

#[tokio::test]
async fn o3_in_the_other_process_a_model_writes_a_key() {
    let Some(file) = std::env::var_os(FILE) else { return };
    let (start, rest) = KEY.split_at(9);
    let mut answered = ModelResponse::text(format!("The key is {KEY}."));
    answered.tool_calls.push(onionskin::model::ToolCall::new(
        "a",
        "add_one",
        format!("{{\"x\": \"{KEY}\"}}"),
    ));
    let pieces = vec![
        text("The key is "),
        text(start),
        call("a", "{\"x\": \""),
        text(rest),
        call("a", KEY),
        text("."),
        call("a", "\"}"),
    ];
    // A key where a provider has ids and names.
    let (id, name) = (format!("id-{KEY}"), format!("shop_{KEY}"));
    let called = onionskin::model::ToolCall::new(&*id, &*name, "{}");
    let named = ModelResponse::tool_calls([called]);
    let piece = ModelDelta::ToolCall(ToolCallDelta::new(id, name, "{}"));
    let failed = onionskin::model::ModelError::status(401, format!("no such key: {KEY}"), None);
    let results = [(pieces, Ok(answered)), (vec![text(KEY)], Err(failed)), (vec![piece], Ok(named))];
    let recorded = Cassette::record(Prepared::new(results), file).run(async |model| {
        let _ = answer(&model, &ask("one")).await;
        let _ = answer(&model, &ask("two")).await;
        let _ = answer(&model, &ask("three")).await;
        Ok::<_, CassetteError>(())
    });
    recorded.await.unwrap();
}

#[test]
fn o3_keys_of_the_environment_are_not_in_answers_and_errors_of_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key.yaml");
    let output = run("o3_in_the_other_process_a_model_writes_a_key", &file, None);
    assert!(output.status.success(), "{output:?}");
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.contains("The key is [") && written.contains("no such key: ["), "{written}");
    for part in [KEY, &KEY[..9], &KEY[9..]] {
        assert!(!written.contains(part), "{part}:\n{written}");
    }
}
