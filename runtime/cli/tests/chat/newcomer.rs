//! A session with a scripted model.

use std::path::Path;

use crate::session::session;

#[test]
fn o1_a_new_user_makes_a_project_and_chats_with_its_card() {
    let folder = tempfile::tempdir().unwrap();
    let facade = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let onionskin = Path::new(env!("CARGO_BIN_EXE_onionskin"));
    let shown = session(onionskin, facade, folder.path(), "--model script:script.yaml", &[]);
    assert_eq!(shown, include_str!("session.txt"), "{shown}");
}
