//! The coder mends the test of its project: as a user runs it, over several processes, and over a recorded conversation.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use onionskin::ScriptedModel;
use onionskin::models::Cassette;
use onionskin::question::{Answer, Question};
use onionskin::sessions::Sessions;
use onionskin::sqlite::Sqlite;

#[path = "../src/bin/coder/agent.rs"]
mod agent;

/// The exit code of the program in a folder, and what it prints.
fn coder(folder: &Path, more: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coder"));
    command.arg(folder).args(more).stdin(Stdio::null());
    let Output { status, stdout, stderr } = command.output().unwrap();
    let shown = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    (status.code().unwrap(), shown)
}

fn passes(project: &Path) -> bool {
    Command::new("sh").arg("test.sh").current_dir(project).stdout(Stdio::null()).status().unwrap().success()
}

#[tokio::test]
async fn a12_the_coder_asks_before_each_change_and_its_session_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    let (code, shown) = coder(folder.path(), &[]);
    assert!(
        code == 3 && shown.contains("open: Coder: shell.execute {\"command\":\"sh test.sh\"}"),
        "{shown}"
    );
    assert!(!shown.contains("got  filesystem"), "{shown}");
    // Nobody answers, and nothing is lost.
    assert_eq!(coder(folder.path(), &[]).0, 3);
    assert!(!passes(&project));

    let (code, shown) = coder(folder.path(), &["--yes"]);
    assert_eq!(code, 0, "{shown}");
    for part in [
        "delivery of 5000: expected 0, got 490",
        "allowed: Coder: filesystem.edit",
        "all tests pass",
        "--- answer ---\nA delivery of exactly 5000 cents was charged",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(shown.matches("allowed: ").count(), 3, "{shown}");
    assert!(passes(&project));

    let sessions = Sessions::new(Sqlite::open(folder.path().join("sessions.db")).await.unwrap());
    let session = sessions.read("mend-the-test").await.unwrap();
    assert_eq!((session.content.history().len(), session.paused.is_none()), (12, true));
    let (code, shown) = coder(folder.path(), &["--yes"]);
    assert!(code == 1 && shown.contains("the test is mended already"), "{shown}");
    // As if the program had been killed then.
    sessions.rewind("mend-the-test", 3).await.unwrap();
    let (code, shown) = coder(folder.path(), &["--yes"]);
    assert!(code == 0 && shown.contains("all tests pass"), "{shown}");
}

/// Others can write into the folder for temporary files.
#[test]
fn a12_the_coder_works_in_a_folder_of_its_own() {
    let temporary = tempfile::tempdir().unwrap();
    let program = Command::new(env!("CARGO_BIN_EXE_coder"))
        .env("TMPDIR", temporary.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let planned = temporary.path().join(format!("onionskin-coder-{}", program.id()));
    assert_eq!(program.wait_with_output().unwrap().status.code(), Some(3));
    assert!(!planned.exists());
    let made: Vec<_> = fs::read_dir(temporary.path()).unwrap().map(|made| made.unwrap().path()).collect();
    let [made] = &made[..] else { panic!("{made:?}") };
    assert_eq!(fs::metadata(made).unwrap().permissions().mode() & 0o777, 0o700);

    let theirs = temporary.path().join("theirs");
    fs::create_dir_all(theirs.join("project")).unwrap();
    fs::write(theirs.join("project/test.sh"), "touch ../ran\n").unwrap();
    let (code, shown) = coder(&theirs, &["--yes"]);
    assert!(code == 1 && shown.contains("has other files, and no `sessions.db`"), "{shown}");
    assert!(!theirs.join("ran").exists());
    assert_eq!(coder(made, &["--yes"]).0, 0);
}

/// A start can be ended in the middle.
#[test]
fn a12_the_coder_makes_its_project_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    let in_the_way = folder.path().join("project.new/test.sh");
    fs::create_dir_all(&in_the_way).unwrap();
    assert!(agent::make_project(&project).is_err());
    assert!(!project.exists());
    fs::remove_dir(in_the_way).unwrap();
    agent::make_project(&project).unwrap();
    assert!(project.join("shop.sh").exists() && !passes(&project));
}

/// Its stored answers would run commands. Only the superuser can give a folder away.
#[test]
fn a12_the_coder_refuses_a_folder_of_another_user() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(coder(folder.path(), &[]).0, 3);
    let file = folder.path().join("sessions.db");
    if std::os::unix::fs::chown(&file, Some(65_534), None).is_ok() {
        let (code, shown) = coder(folder.path(), &["--yes"]);
        assert!(code == 1 && shown.contains("belongs to another user"), "{shown}");
    }
}

/// Recorded from the script, because the tests have no key. `ONIONSKIN_RECORD=1` records it anew.
#[tokio::test]
async fn a12_the_coder_mends_the_test_over_a_recorded_conversation() {
    async fn allow(_: Question) -> Option<Answer> {
        Some(Answer::allow())
    }

    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    agent::make_project(&project).unwrap();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded/coder.yaml");
    std::env::set_current_dir(&project).unwrap();
    let model = if std::env::var_os("ONIONSKIN_RECORD").is_some() {
        agent::script(None)
    } else {
        ScriptedModel::new()
    };
    Cassette::new(model, recorded)
        .run(async |model| {
            let coder = agent::Coder::builder().model(model).budget(agent::budget()).answerer(allow);
            let output = coder.build().await?.run(agent::TASK).await?;
            assert!(output.text.ends_with("all tests pass."), "{}", output.text);
            Ok::<_, Box<dyn std::error::Error>>(())
        })
        .await
        .unwrap();
    assert!(passes(&project));
    assert!(fs::read_to_string(project.join("shop.sh")).unwrap().contains("-ge 5000"));
}
