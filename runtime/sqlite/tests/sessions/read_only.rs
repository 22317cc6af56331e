//! A12: files and folders that cannot be written. Permissions mean nothing to the user root, so the test runs as another user.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use onionskin::sessions::SessionStoreError;
use onionskin::sqlite::Sqlite;

use crate::shared::{close, message, texts, write};

/// The folder of the process without the rights of root.
const FOLDER: &str = "ONIONSKIN_READ_ONLY";
const NOBODY: u32 = 65_534;

fn permit(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

async fn check(folder: &Path) {
    let file = folder.join("sessions.db");
    let store = Sqlite::open(&file).await.unwrap();
    write(&store, "s", &[message("one")]).await.unwrap();
    close(store, &file).await;
    let is_read_only = async |file: &Path| {
        let error = Sqlite::open(file).await.unwrap_err();
        assert!(matches!(&error, SessionStoreError::ReadOnly { .. }), "{error:?}");
        assert!(error.to_string().contains(".db"), "{error}");
    };
    permit(&file, 0o444);
    is_read_only(&file).await;
    permit(&file, 0o644);
    permit(folder, 0o555);
    is_read_only(&file).await;
    is_read_only(&folder.join("new.db")).await;
    permit(folder, 0o755);
    let store = Sqlite::open(&file).await.unwrap();
    assert_eq!(texts(&store, "s").await.unwrap(), ["one"]);
    write(&store, "s", &[message("two")]).await.unwrap();
}

#[tokio::test]
async fn a12_what_cannot_be_written_is_an_error_by_type() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return check(Path::new(&folder)).await;
    }
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("folder");
    fs::create_dir(&folder).unwrap();
    if chown(&folder, Some(NOBODY), Some(NOBODY)).is_err() {
        // Not root.
        return check(&folder).await;
    }
    permit(outer.path(), 0o755);
    let program = outer.path().join("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    permit(&program, 0o755);
    let test = "read_only::a12_what_cannot_be_written_is_an_error_by_type";
    let output = Command::new(&program)
        .args([test, "--exact", "--nocapture"])
        .env(FOLDER, &folder)
        .current_dir(&folder)
        .uid(NOBODY)
        .gid(NOBODY)
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && shown.contains("1 passed"), "{shown}");
}
