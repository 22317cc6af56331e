//! A store of memories in a file, on the public items of core.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

use onionskin_core::memory::{MemoryQuery, MemoryScope, MemoryStore};
use onionskin_testing::memory_suite;
use onionskin_third_party::FileMemories;

#[tokio::test]
async fn a11_a_store_of_a_stranger_does_what_stores_promise() {
    let (folder, files) = (tempfile::tempdir().unwrap(), AtomicU32::new(0));
    let report = memory_suite(|| async {
        let number = files.fetch_add(1, Ordering::Relaxed);
        FileMemories::open(folder.path().join(format!("{number}.json"))).unwrap()
    });
    report.await.assert_passed();
}

#[tokio::test]
async fn a11_a_store_in_a_file_has_its_memories_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.json");
    let ada = MemoryScope::user("ada", "memory");
    let first = FileMemories::open(&file).unwrap().add(&ada, "She likes tea.").await.unwrap();
    let store = FileMemories::open(&file).unwrap();
    assert_eq!(store.find(&MemoryQuery::list(ada.clone())).await.unwrap(), std::slice::from_ref(&first));
    // What is forgotten is in no file.
    assert!(store.forget(&ada, &first.id).await.unwrap());
    assert!(!fs::read_to_string(&file).unwrap().contains("tea"));
    let second = FileMemories::open(&file).unwrap().add(&ada, "She likes tea.").await.unwrap();
    assert_ne!(second.id, first.id);
    // A change that cannot be written is none.
    fs::remove_dir_all(folder.path()).unwrap();
    store.add(&ada, "She likes hats.").await.unwrap_err();
    assert!(store.find(&MemoryQuery::list(ada)).await.unwrap().is_empty());
    fs::create_dir_all(folder.path()).unwrap();
    fs::write(&file, "no JSON").unwrap();
    FileMemories::open(&file).unwrap_err();
}
