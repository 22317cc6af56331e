//! `filesystem.write` and `filesystem.edit` change files beneath the root.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use super::*;

#[tokio::test]
async fn a6_a_write_makes_folders_and_replaces_whole_files() {
    let place = Place::new();
    let made = place.ok("write", json!({ "path": "a/b/c.txt", "text": "long content" })).await;
    assert_eq!(made, "made `a/b/c.txt` (12 bytes)");
    let replaced = place.ok("write", json!({ "path": "a/b/c.txt", "text": "new" })).await;
    assert_eq!(
        (replaced.as_str(), place.text("a/b/c.txt").as_str()),
        ("replaced `a/b/c.txt` (3 bytes)", "new")
    );
    place.ok("write", json!({ "path": "a/b/c.txt", "text": "" })).await;
    assert_eq!(place.text("a/b/c.txt"), "");
    let left: Vec<_> = fs::read_dir(place.path("a/b")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[tokio::test]
async fn a6_the_mode_of_a_file_remains_and_a_read_only_one_is_refused() {
    let place = Place::new().with("run.sh", "#!/bin/sh\n").with("fixed", "old");
    let mode = |mode| fs::Permissions::from_mode(mode);
    let of = |name| fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o7777;
    fs::set_permissions(place.path("run.sh"), mode(0o4750)).unwrap();
    fs::set_permissions(place.path("fixed"), mode(0o444)).unwrap();
    place.ok("write", json!({ "path": "run.sh", "text": "#!/bin/sh\ntrue\n" })).await;
    // The new content does not get the rights of the file's owner.
    assert_eq!(of("run.sh"), 0o750);
    place.ok("edit", json!({ "path": "run.sh", "old": "true", "new": "false" })).await;
    assert_eq!(of("run.sh"), 0o750);
    for (tool, args) in [
        ("write", json!({ "path": "fixed", "text": "new" })),
        ("edit", json!({ "path": "fixed", "old": "old", "new": "new" })),
    ] {
        let text = place.error(tool, args).await;
        assert_eq!(text, "`fixed` is read-only: use another file, or ask the user to make it writable");
    }
    assert_eq!((place.text("fixed").as_str(), of("fixed")), ("old", 0o444));
    assert_eq!(place.names(), ["fixed", "run.sh"]);
}

#[tokio::test]
async fn a6_a_link_within_the_folder_is_written_through() {
    let place = Place::new().with("real/file", "old");
    symlink("real/file", place.path("link")).unwrap();
    symlink("no/such", place.path("dangling")).unwrap();
    place.ok("write", json!({ "path": "link", "text": "new" })).await;
    place.ok("edit", json!({ "path": "link", "old": "new", "new": "newer" })).await;
    assert!(fs::symlink_metadata(place.path("link")).unwrap().is_symlink());
    assert_eq!(place.text("real/file"), "newer");
    let text = place.error("write", json!({ "path": "dangling", "text": "x" })).await;
    assert!(text.starts_with("`dangling` is a link to a file that does not exist"), "{text}");
}

#[tokio::test]
async fn a6_an_edit_changes_exactly_one_place() {
    let place = Place::new().with("f", "a b\na c\n").with("crlf", "x\r\ny\r\n");
    assert_eq!(
        place.ok("edit", json!({ "path": "f", "old": "a c", "new": "a\nd" })).await,
        "edited `f` in line 2"
    );
    assert_eq!(place.text("f"), "a b\na\nd\n");
    let several = place.error("edit", json!({ "path": "f", "old": "a", "new": "z" })).await;
    assert_eq!(
        several,
        "`old` is at 2 places of `f` (lines 1, 2): add text around it until it is at one, or set `all`"
    );
    let none = place.error("edit", json!({ "path": "f", "old": "A", "new": "z" })).await;
    assert!(none.starts_with("`old` is at no place of `f`: read the file"), "{none}");
    assert_eq!(place.text("f"), "a b\na\nd\n");
    let all = place.ok("edit", json!({ "path": "f", "old": "a", "new": "z", "all": true })).await;
    assert_eq!(
        (all.as_str(), place.text("f").as_str()),
        ("edited `f` at 2 places (lines 1, 2)", "z b\nz\nd\n")
    );
    let line_ends = place.error("edit", json!({ "path": "crlf", "old": "x\ny", "new": "z" })).await;
    assert!(line_ends.contains("write \\r\\n in `old`"), "{line_ends}");
    for (old, new) in [("", "z"), ("b", "b")] {
        place.error("edit", json!({ "path": "f", "old": old, "new": new })).await;
    }
    let missing = place.error("edit", json!({ "path": "g", "old": "a", "new": "z" })).await;
    assert_eq!(missing, "`g` does not exist: list its folder to see the names");
    assert_eq!(place.names(), ["crlf", "f"]);
}

/// 10 MiB of one letter, each of which would become a kilobyte: the size is known before the text is made.
#[tokio::test]
async fn a6_an_edit_that_would_fill_the_memory_is_refused() {
    let most = 10 * 1024 * 1024;
    let place = Place::new().with("f", "a".repeat(most)).with("g", "a");
    let text =
        place.error("edit", json!({ "path": "f", "old": "a", "new": "b".repeat(1000), "all": true })).await;
    assert_eq!(
        text,
        "`f` would have 10485760000 bytes after this edit, and 10485760 is the most: make `new` shorter, or edit fewer places"
    );
    let text = place.error("edit", json!({ "path": "g", "old": "a", "new": "b".repeat(most + 1) })).await;
    assert!(text.starts_with("`g` would have 10485761 bytes after this edit"), "{text}");
    let done = place.ok("edit", json!({ "path": "f", "old": "aa", "new": "b", "all": true })).await;
    assert_eq!(done, format!("edited `f` at {} places (lines 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ..)", most / 2));
    place.ok("edit", json!({ "path": "g", "old": "a", "new": "b".repeat(most) })).await;
    assert_eq!(fs::metadata(place.path("g")).unwrap().len(), most as u64);
    assert_eq!(place.names(), ["f", "g"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a6_edits_at_once_lose_nothing() {
    let marks: String = (0..60).map(|number| format!("<{number}>\n")).collect();
    let place = Arc::new(Place::new().with("f", &marks));
    // Two names of the file, and a link.
    symlink("f", place.path("link")).unwrap();
    let edits = (0..60).map(|number| {
        let place = Arc::clone(&place);
        tokio::spawn(async move {
            let path = ["f", "./f", "link"][number % 3];
            let args =
                json!({ "path": path, "old": format!("<{number}>"), "new": format!("done {number}.") });
            place.ok("edit", args).await
        })
    });
    for edit in edits.collect::<Vec<_>>() {
        edit.await.unwrap();
    }
    let expected: String = (0..60).map(|number| format!("done {number}.\n")).collect();
    assert_eq!(place.text("f"), expected);
}

#[test]
fn a6_an_edit_never_brings_back_what_another_program_replaced() {
    let place = Place::new().with("f", "count 0\n");
    let (path, next) = (place.path("f"), place.outside("next"));
    let (over, done) = (AtomicBool::new(false), AtomicU32::new(0));
    let number = || fs::read_to_string(&path).unwrap()[6..].trim().parse::<u32>().unwrap();
    let last = thread::scope(|scope| {
        // Another program, which replaces the file as editors do. An edit changes the first letter only.
        let other = scope.spawn(|| {
            let mut last = 0;
            // On a busy machine it is so fast that no edit fits between.
            for count in
                (1..=100_000).take_while(|count| *count <= 1_000 || done.load(Ordering::Relaxed) == 0)
            {
                fs::write(&next, format!("count {count}\n")).unwrap();
                fs::rename(&next, &path).unwrap();
                let begun = std::time::Instant::now();
                while number() != count {
                    if begun.elapsed() > Duration::from_secs(5) {
                        over.store(true, Ordering::Relaxed);
                        panic!("{count} is lost");
                    }
                }
                last = count;
            }
            over.store(true, Ordering::Relaxed);
            last
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        while !over.load(Ordering::Relaxed) {
            for (old, new) in [("count", "Count"), ("Count", "count")] {
                let edit = place.call("edit", json!({ "path": "f", "old": old, "new": new }));
                done.fetch_add(u32::from(runtime.block_on(edit).is_ok()), Ordering::Relaxed);
            }
        }
        other.join().unwrap()
    });
    assert!(done.into_inner() > 0);
    assert_eq!((number(), place.names()), (last, vec!["f".to_owned()]));
}

#[tokio::test]
async fn a6_another_name_of_a_file_keeps_its_content() {
    let place = Place::new().with("inner", "old");
    fs::hard_link(place.path("inner"), place.outside("outer")).unwrap();
    place.ok("write", json!({ "path": "inner", "text": "new" })).await;
    assert_eq!(fs::read_to_string(place.outside("outer")).unwrap(), "old");
    assert_eq!(fs::metadata(place.path("inner")).unwrap().nlink(), 1);
}

#[tokio::test]
async fn a6_a_cancelled_write_leaves_the_old_file_or_the_new_one() {
    let place = Place::new().with("f", "old");
    let text = "x".repeat(30_000_000);
    for milliseconds in [0, 1, 5, 20, 40] {
        let tool = place.write_tool();
        let write = call(&tool, json!({ "path": "f", "text": text }));
        let _ = tokio::time::timeout(Duration::from_millis(milliseconds), write).await;
        let size = fs::metadata(place.path("f")).unwrap().len();
        assert!([3, 30_000_000].contains(&size), "{size}");
    }
    // The work of a dropped call ends by itself.
    for _ in 0..200 {
        if place.names() == ["f"] {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{:?}", place.names());
}
