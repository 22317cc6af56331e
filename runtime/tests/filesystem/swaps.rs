//! Names that change what they are while the tools work.

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::listings::pipe;
use super::*;

/// Runs calls while a thread swaps files, and gives back the texts of their answers.
fn while_swapping(place: &Place, swap: impl Fn() + Sync, calls: &[(&str, Value)]) -> Vec<String> {
    let over = AtomicBool::new(false);
    let mut texts = Vec::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                swap();
            }
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for _ in 0..400 {
            for (tool, args) in calls {
                let result = runtime.block_on(place.call(tool, args.clone()));
                texts.push(result.map_or_else(failure_text, |output| output.to_text().into_owned()));
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    texts
}

fn failure_text(exit: Exit) -> String {
    failure(Err(exit))
}

/// Replaces a name by a new link, in one step.
fn relink(place: &Place, target: &Path, name: &str) {
    let new = place.outside("swap");
    symlink(target, &new).unwrap();
    fs::rename(&new, place.path(name)).unwrap();
}

#[test]
fn a6_a_folder_that_becomes_a_link_to_the_outside_leads_nowhere() {
    let place = Place::new().with("in/file", "inner").with("in/sub/file", "inner");
    fs::create_dir_all(place.outside("out/sub")).unwrap();
    for file in ["out/file", "out/sub/file"] {
        fs::write(place.outside(file), "secret").unwrap();
    }
    let (inside, outside) = (PathBuf::from("in"), place.outside("out"));
    relink(&place, &inside, "door");
    let swap = || {
        relink(&place, &outside, "door");
        relink(&place, &inside, "door");
    };
    let texts = while_swapping(
        &place,
        swap,
        &[
            ("read", json!({ "path": "door/file" })),
            ("read", json!({ "path": "door/sub/../sub/file" })),
            ("write", json!({ "path": "door/new", "text": "evil" })),
            ("write", json!({ "path": "door/made/new", "text": "evil" })),
            ("edit", json!({ "path": "door/sub/file", "old": "inner", "new": "outer" })),
            ("edit", json!({ "path": "door/sub/file", "old": "outer", "new": "inner" })),
            ("edit", json!({ "path": "door/sub/file", "old": "secret", "new": "evil" })),
            ("list", json!({ "path": "door" })),
            ("search", json!({ "pattern": "secret", "path": "door" })),
        ],
    );
    assert!(!texts.iter().any(|text| text.contains("secret")), "what is outside was read");
    assert!(texts.iter().any(|text| text == "inner") && texts.iter().any(|text| text.contains("leads out")));
    assert_outside(&place, &["file", "sub"]);
    assert_eq!(fs::read_to_string(place.outside("out/file")).unwrap(), "secret");
    assert_eq!(fs::read_to_string(place.outside("out/sub/file")).unwrap(), "secret");
    assert_eq!(fs::read_dir(place.outside("out/sub")).unwrap().count(), 1);
}

/// Puts the file back in the place of what it was exchanged for.
fn put_back(place: &Place) {
    let new = place.outside("swap");
    fs::write(&new, "inner").unwrap();
    fs::rename(&new, place.path("file")).unwrap();
}

#[test]
fn a6_a_file_that_becomes_a_link_to_the_outside_is_not_used() {
    let place = Place::new().with("file", "inner");
    fs::create_dir(place.outside("out")).unwrap();
    fs::write(place.outside("out/file"), "secret").unwrap();
    let outside = place.outside("out/file");
    let swap = || {
        relink(&place, &outside, "file");
        put_back(&place);
    };
    let texts = while_swapping(
        &place,
        swap,
        &[
            ("read", json!({ "path": "file" })),
            ("write", json!({ "path": "file", "text": "evil" })),
            ("edit", json!({ "path": "file", "old": "e", "new": "evil", "all": true })),
            ("search", json!({ "pattern": "secret" })),
        ],
    );
    assert!(!texts.iter().any(|text| text.contains("secret")), "what is outside was read");
    assert_outside(&place, &["file"]);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "secret");
}

#[test]
fn a6_a_file_that_becomes_a_pipe_does_not_block() {
    let place = Place::new().with("file", "inner");
    let swap = || {
        let new = place.outside("swap");
        pipe(&new);
        fs::rename(&new, place.path("file")).unwrap();
        put_back(&place);
    };
    let texts = while_swapping(
        &place,
        swap,
        &[
            ("read", json!({ "path": "file" })),
            ("edit", json!({ "path": "file", "old": "inner", "new": "inner " })),
            ("search", json!({ "pattern": "inner" })),
        ],
    );
    assert!(texts.iter().any(|text| text == "inner"));
}

/// No file was made outside.
fn assert_outside(place: &Place, expected: &[&str]) {
    let mut names: Vec<_> =
        fs::read_dir(place.outside("out")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, expected);
}
