//! `filesystem.search` finds lines in the files of a folder.

use std::os::unix::fs::symlink;
use std::time::Instant;

use super::*;

fn sources() -> Place {
    Place::new()
        .with("src/main.rs", "fn main() {}\n// TODO: more\n")
        .with("src/deep/lib.rs", "// todo\n")
        .with("notes.md", "TODO: less\n")
        .with(".git/HEAD", "TODO\n")
        .with("program", b"TODO\0")
}

#[tokio::test]
async fn a6_a_search_finds_lines_and_files() {
    let place = sources();
    symlink("src", place.path("link")).unwrap();
    let lines = place.ok("search", json!({ "pattern": "TODO" })).await;
    assert_eq!(lines, "notes.md:1: TODO: less\nsrc/main.rs:2: // TODO: more");
    let lines = place.ok("search", json!({ "pattern": "(?i)todo$", "path": "src" })).await;
    assert_eq!(lines, "src/deep/lib.rs:1: // todo");
    let lines = place.ok("search", json!({ "pattern": "TODO", "files": "*.md" })).await;
    assert_eq!(lines, "notes.md:1: TODO: less");
    assert_eq!(
        place.ok("search", json!({ "pattern": "main", "path": "src/main.rs" })).await,
        "src/main.rs:1: fn main() {}"
    );
    assert_eq!(place.ok("search", json!({ "files": "*.rs" })).await, "src/deep/lib.rs\nsrc/main.rs");
    assert_eq!(place.ok("search", json!({ "files": "src/*.rs" })).await, "src/main.rs");
    assert_eq!(place.ok("search", json!({ "files": "**/lib.rs", "path": "src" })).await, "src/deep/lib.rs");
    assert_eq!(place.ok("search", json!({ "pattern": "no such" })).await, "(no results)");
}

#[tokio::test]
async fn a6_a_search_that_says_nothing_or_nonsense_is_refused() {
    let place = sources();
    assert!(place.error("search", json!({})).await.starts_with("give `pattern` to find lines"));
    let text = place.error("search", json!({ "pattern": "a(" })).await;
    assert!(text.starts_with("`pattern` is not a regular expression that can be used: "), "{text}");
    let text = place.error("search", json!({ "pattern": "(a{1000}){1000}" })).await;
    assert!(text.starts_with("`pattern` is not a regular expression that can be used: "), "{text}");
    let text = place.error("search", json!({ "files": "a[" })).await;
    assert!(text.starts_with("`files` is not a pattern of names"), "{text}");
}

#[tokio::test]
async fn a6_a_search_is_bounded_and_says_so() {
    let place = Place::new()
        .with("many", "hit\n".repeat(10_000))
        .with("wide", format!("{}hit{}\n", "ä".repeat(5_000), "b".repeat(1_000_000)))
        .with("large", "hit\n".repeat(2_000_000));
    let found = blocks(&place.call("search", json!({ "pattern": "hit" })).await.unwrap());
    assert_eq!(found[0].lines().count(), 200);
    assert_eq!(
        found[1],
        "[There are more results: narrow `pattern`, `path` or `files`. Not searched: 1 files of more than 4194304 bytes.]"
    );
    let wide = blocks(&place.call("search", json!({ "pattern": "hit", "path": "wide" })).await.unwrap());
    assert!(wide[0].starts_with("wide:1: …ä") && wide[0].contains("hitb") && wide[0].len() < 400, "{wide:?}");
    assert_eq!(wide[1], "[Not searched: 1 files after the first 16384 bytes of long lines.]");
}

#[tokio::test]
async fn a6_no_pattern_takes_long() {
    let place = Place::new().with("a", format!("{}\n", "a".repeat(16_000)).repeat(250));
    for pattern in [r"(a*)*b", r"(a|aa)+$b", r"(\w{1,40}\s?){1,40}!", r"(?i)(a?){100}a{100}b"] {
        let started = Instant::now();
        let result = place.call("search", json!({ "pattern": pattern })).await;
        assert!(started.elapsed() < Duration::from_secs(28), "{pattern}: {:?} {result:?}", started.elapsed());
    }
}

/// A pattern of names is compared in linear time: a backtracking one would never end here.
#[tokio::test]
async fn a6_no_pattern_of_names_takes_long() {
    let place = Place::new().with(&format!("{}/f", "ab".repeat(100)), "");
    let stars = "*?".repeat(100);
    for files in [format!("{stars}/zz"), format!("{stars}zz"), "**/*a*b".repeat(100), "[a-b]*".repeat(150)] {
        for path in [None, Some("."), Some("ab")] {
            let path = path.map(|path| if path == "ab" { "ab".repeat(100) } else { path.to_owned() });
            let found = place.ok("search", json!({ "files": files, "path": path })).await;
            assert_eq!(found, "(no results)", "{files}");
        }
    }
    let text = place.error("search", json!({ "files": "*?".repeat(1000) })).await;
    assert_eq!(text, "`files` has more than 1000 bytes: write a shorter pattern");
}
