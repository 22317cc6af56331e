//! `filesystem.list` shows the entries of a folder.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use super::*;

#[tokio::test]
async fn a6_a_listing_is_sorted_and_marks_what_is_no_file() {
    let place = Place::new().with("b.txt", "").with("a/inner/deep.txt", "").with(".hidden", "");
    symlink("/etc", place.path("link")).unwrap();
    let _socket = UnixListener::bind(place.path("socket")).unwrap();
    pipe(&place.path("pipe"));
    let root = ".hidden\na/\nb.txt\nlink (link)\npipe (pipe)\nsocket (socket)";
    assert_eq!(place.ok("list", json!({})).await, root);
    assert_eq!(place.ok("list", json!({ "path": "./" })).await, root);
    assert_eq!(place.ok("list", json!({ "path": "./a/", "depth": 3 })).await, "a/inner/\na/inner/deep.txt");
    assert_eq!(place.ok("list", json!({ "path": "a/inner/.." })).await, "a/inner/../inner/");
    fs::create_dir(place.path("none")).unwrap();
    assert_eq!(place.ok("list", json!({ "path": "none" })).await, "(no entries)");
    let file = place.error("list", json!({ "path": "b.txt" })).await;
    assert_eq!(file, "`b.txt` is not a folder: list the folder that contains it");
}

#[tokio::test]
async fn a6_names_that_a_line_cannot_show_are_escaped_and_can_be_opened() {
    let names = ["line\nbreak", "tab\t", " space", "quote\"", "back\\slash", "\u{1b}[2J", "\u{202e}exe.txt"];
    let place = names.iter().fold(Place::new(), |place, name| place.with(name, name));
    fs::write(place.path(OsStr::from_bytes(b"caf\xe9")), "").unwrap();
    let listing = place.ok("list", json!({})).await;
    let lines: Vec<_> = listing.lines().collect();
    assert_eq!(lines.len(), names.len() + 1, "{listing}");
    assert!(lines.contains(&r#""caf\xe9" (not UTF-8: cannot be opened)"#), "{listing}");
    for line in lines.iter().filter(|line| !line.contains("UTF-8")) {
        let name: String = serde_json::from_str(line).unwrap();
        assert_eq!(place.ok("read", json!({ "path": name })).await, name);
    }
    let missing = place.error("read", json!({ "path": "no\nsuch\u{1b}" })).await;
    assert!(missing.starts_with(r#"`"no\nsuch\u001b"` does not exist"#), "{missing}");
}

#[tokio::test]
async fn a6_a_hundred_thousand_entries_come_in_pages() {
    let place = Place::new();
    fs::create_dir(place.path("many")).unwrap();
    for number in 0..100_000 {
        fs::File::create(place.path(format!("many/{number:06}"))).unwrap();
    }
    let first = blocks(&place.call("list", json!({ "path": "many" })).await.unwrap());
    assert_eq!(first[0].lines().count(), 1000);
    assert_eq!(first[1], "[There are more entries. Go on with `after` = many/000999.]");
    let args = json!({ "path": "many", "after": "many/000999" });
    assert!(place.ok("list", args).await.starts_with("many/001000\nmany/001001\n"));
    let last = blocks(&place.call("list", json!({ "path": "many", "after": "many/099000" })).await.unwrap());
    assert_eq!((last.len(), last[0].lines().count()), (1, 999));
    let found = place.ok("search", json!({ "files": "*99999" })).await;
    assert_eq!(found, "many/099999");
}

#[tokio::test]
async fn a6_pages_of_a_deep_listing_together_are_the_listing() {
    let mut place = Place::new();
    for file in ["a/x/1", "a/x/2", "a/y", "a.b", "b/1", "b/2/3/4", "c"] {
        place = place.with(file, "");
    }
    let whole = place.ok("list", json!({ "depth": 16 })).await;
    assert_eq!(whole, "a/\na/x/\na/x/1\na/x/2\na/y\na.b\nb/\nb/1\nb/2/\nb/2/3/\nb/2/3/4\nc");
    let tool = place.filesystem.clone().max_output(8).list_tool();
    let (mut all, mut after) = (Vec::new(), None::<String>);
    loop {
        let args = json!({ "depth": 16, "after": after });
        let page = blocks(&call(&tool, args).await.unwrap());
        all.extend(page[0].lines().map(str::to_owned));
        let Some(note) = page.get(1) else { break };
        after = Some(note.rsplit_once("= ").unwrap().1.trim_end_matches(".]").to_owned());
    }
    assert_eq!(all.join("\n"), whole);
    let wrong = place.error("list", json!({ "path": "a", "after": "b/1" })).await;
    assert_eq!(wrong, "`after` begins with `a/`, as the paths of this listing do");
}

pub(super) fn pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}
