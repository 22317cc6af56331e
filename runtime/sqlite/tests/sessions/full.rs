//! A12: no space is left.

use onionskin::sessions::{SessionSelection, SessionStore as _, SessionStoreError};
use onionskin::sqlite::Sqlite;

use crate::shared::{lease, message, texts, write};

fn large() -> onionskin::sessions::SessionRecord {
    message(&"lamp ".repeat(100_000))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a12_a_full_store_says_so_loses_nothing_and_goes_on_with_space() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.db");
    let store = Sqlite::builder().max_size(2_000_000).open(&file).await.unwrap();
    write(&store, "small", &[message("first")]).await.unwrap();
    let lease = lease("large", "a");
    store.acquire(&lease).await.unwrap();
    let mut count = 0;
    let full = loop {
        match store.append(&lease, count, &[large()]).await {
            Ok(()) => count += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(&full, SessionStoreError::Full { .. }), "{full}");
    assert!(full.to_string().contains("sessions.db"), "{full}");
    assert!(count > 1);
    assert_eq!(store.acquire(&lease).await.unwrap(), count);
    assert_eq!(u64::try_from(texts(&store, "large").await.unwrap().len()).unwrap(), count);
    // Small ones still fit, also those that wait together with one that does not.
    let writes = (0..8).map(|number| {
        let (store, lease) = (store.clone(), lease.clone());
        tokio::spawn(async move {
            if number == 4 {
                store.append(&lease, count, &[large()]).await
            } else {
                write(&store, &format!("small-{number}"), &[message("one")]).await
            }
        })
    });
    for (number, written) in writes.collect::<Vec<_>>().into_iter().enumerate() {
        let written = written.await.unwrap();
        assert_eq!(written.is_err(), number == 4, "{number}: {written:?}");
        if let Err(error) = written {
            assert!(matches!(error, SessionStoreError::Full { .. }), "{error}");
        }
    }
    assert_eq!(texts(&store, "small-3").await.unwrap(), ["one"]);
    // With space it goes on.
    let larger = Sqlite::open(&file).await.unwrap();
    larger.append(&lease, count, &[large()]).await.unwrap();
    drop(larger);
    assert_eq!(store.delete(&SessionSelection::session("large")).await.unwrap(), 1);
    write(&store, "large", &[large()]).await.unwrap();
    assert_eq!(texts(&store, "small").await.unwrap(), ["first"]);
}
