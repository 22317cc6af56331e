//! Paths and files that try to lead out, to block, or to fill the memory.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::time::Instant;

use super::listings::pipe;
use super::*;

/// Calls of each tool for a path.
fn calls(path: &str) -> [(&'static str, Value); 5] {
    [
        ("read", json!({ "path": path })),
        ("write", json!({ "path": path, "text": "evil" })),
        ("edit", json!({ "path": path, "old": "secret", "new": "evil" })),
        ("list", json!({ "path": path })),
        ("search", json!({ "path": path, "pattern": "secret" })),
    ]
}

#[tokio::test]
async fn a6_no_path_leads_out() {
    let place = Place::new().with("inner/file", "");
    fs::create_dir(place.outside("out")).unwrap();
    fs::write(place.outside("out/file"), "secret").unwrap();
    symlink("../out/file", place.path("file")).unwrap();
    symlink("../out", place.path("folder")).unwrap();
    symlink(place.outside("out"), place.path("absolute")).unwrap();
    symlink("../../out/file", place.path("inner/up")).unwrap();
    symlink("chain2", place.path("chain1")).unwrap();
    symlink("inner/../../out/file", place.path("chain2")).unwrap();
    symlink("loop", place.path("loop")).unwrap();
    let outside = place.outside("out/file").to_string_lossy().into_owned();
    let through_root =
        format!("../root/../{}/out/file", place.all.path().file_name().unwrap().to_str().unwrap());
    for path in [
        "..",
        "../",
        "../out",
        "../out/file",
        "inner/../../out/file",
        "inner/../..",
        "/",
        "/etc/passwd",
        &outside,
        "//etc/passwd",
        "file",
        "folder",
        "folder/file",
        "folder/new/file",
        "absolute/file",
        "inner/up",
        "chain1",
        "loop",
        "loop/x",
        &through_root,
        "/proc/self/cwd/x",
        "folder/../root/inner/file",
        "./../out/file",
        "inner/./.././../out/file",
        "..\\out",
        "~/x",
        "file/.",
        "file/..",
    ] {
        for (tool, args) in calls(path) {
            // These are names of new files.
            if tool == "write" && ["..\\out", "~/x"].contains(&path) {
                continue;
            }
            let text = failure(place.call(tool, args).await);
            let shows_root = text.contains(&*place.all.path().to_string_lossy());
            assert!(
                !shows_root || path.contains(&*place.all.path().to_string_lossy()),
                "{tool} {path}: {text}"
            );
            assert!(!text.contains("evil") && text.contains('`'), "{tool} {path}: {text}");
        }
    }
    assert_eq!(fs::read_to_string(place.outside("out/file")).unwrap(), "secret");
    assert_eq!(fs::read_dir(place.outside("out")).unwrap().count(), 1);
    assert_eq!(fs::read_dir(place.all.path()).unwrap().count(), 2);
    for tool in ["list", "search"] {
        let text = place.ok(tool, json!({ "depth": 16, "pattern": "secret" }).take(tool)).await;
        assert!(!text.contains("out/file") && !text.contains(": secret"), "{text}");
    }
    assert_eq!(
        place.error("read", json!({ "path": "../out/file" })).await,
        "the path `../out/file` leads out of the root folder, by `..` or by a link: use a file within it"
    );
    assert_eq!(
        place.error("read", json!({ "path": "/etc/passwd" })).await,
        "the path `/etc/passwd` is absolute: give it relative to the root folder, such as `notes/today.md`"
    );
}

/// The arguments that a tool has.
trait Take {
    fn take(self, tool: &str) -> Value;
}

impl Take for Value {
    fn take(self, tool: &str) -> Value {
        if tool == "list" { json!({ "depth": self["depth"] }) } else { json!({ "pattern": self["pattern"] }) }
    }
}

#[tokio::test]
async fn a6_a_path_of_any_form_gets_an_answer() {
    let place = Place::new().with("file", "secret");
    let long = "x".repeat(5_000);
    let name = "y".repeat(300);
    let deep = "d/".repeat(2_040);
    for path in ["", ".", "./", "./.", "file/", "file/x", "nul\0", &long, &name, &deep, "\n", " "] {
        for (tool, args) in calls(path) {
            let result = place.call(tool, args).await;
            let text = result.map_or_else(|error| error.to_string(), |output| output.to_text().into_owned());
            assert!(text.len() < 600 && !text.is_empty(), "{tool} {path:?}: {text}");
        }
    }
    for (path, text) in [
        ("", "the path is empty: name a file or a folder, or `.` for the root folder"),
        (".", "`.` is a folder: name a file in it"),
        ("nul\0", "the path `\"nul\\u0000\"` contains the character NUL: no file has such a name"),
        (&*long, "the path has 5000 bytes, and at most 4096 are possible: use shorter names"),
        ("file/x", "a part of the path `file/x` is a file: list the folder that contains it"),
    ] {
        assert_eq!(place.error("read", json!({ "path": path })).await, text);
    }
    assert_eq!(place.text("file"), "secret");
}

#[tokio::test]
async fn a6_pipes_sockets_and_devices_are_refused_without_waiting() {
    let place = Place::new();
    pipe(&place.path("pipe"));
    let _socket = UnixListener::bind(place.path("socket")).unwrap();
    // Only root can make a device.
    let mut special = vec![("pipe", "pipe"), ("socket", "socket")];
    for (name, numbers) in [("zero", ["1", "5"]), ("terminal", ["5", "0"])] {
        let mut mknod = std::process::Command::new("mknod");
        let made = mknod.arg(place.path(name)).arg("c").args(numbers).stderr(std::process::Stdio::null());
        if made.status().is_ok_and(|status| status.success()) {
            special.push((name, "device"));
        }
    }
    let started = Instant::now();
    for (path, kind) in special {
        for (tool, args) in calls(path) {
            let text = place.error(tool, args).await;
            if tool == "list" {
                assert!(text.contains("is not a folder"), "{text}");
            } else {
                assert_eq!(
                    text,
                    format!("`{path}` is a {kind}, which is neither a file nor a folder: use another path")
                );
            }
        }
    }
    assert_eq!(place.ok("search", json!({ "pattern": "x" })).await, "(no results)");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a6_a_huge_file_fills_no_memory() {
    let place = Place::new();
    let huge = fs::File::create(place.path("huge")).unwrap();
    huge.set_len(10 * 1024 * 1024 * 1024).unwrap();
    drop(huge);
    let text_first = fs::File::create(place.path("text")).unwrap();
    std::io::Write::write_all(&mut &text_first, "line\n".repeat(50_000).as_bytes()).unwrap();
    text_first.set_len(10 * 1024 * 1024 * 1024).unwrap();
    drop(text_first);
    let started = Instant::now();
    let text = place.error("read", json!({ "path": "huge" })).await;
    assert!(text.starts_with("`huge` is not text in UTF-8 (see its byte 0)"), "{text}");
    let page = place.ok("read", json!({ "path": "text", "lines": 2 })).await;
    assert!(page.starts_with("line\nline\n"), "{page}");
    let text = place.error("read", json!({ "path": "text", "from": 1_000_000 })).await;
    assert!(text.contains("see its byte 250000"), "{text}");
    for path in ["huge", "text"] {
        let text = place.error("edit", json!({ "path": path, "old": "line", "new": "x" })).await;
        assert!(text.contains("has more than 10485760 bytes"), "{text}");
    }
    assert_eq!(place.ok("search", json!({ "pattern": "line" })).await, "(no results)");
    assert_eq!(place.ok("list", json!({})).await, "huge\ntext");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert_eq!(place.names(), ["huge", "text"]);
}

#[tokio::test]
async fn a6_very_deep_folders_are_searched_to_a_bound() {
    let place = Place::new();
    let mut path = place.path("");
    for _ in 0..300 {
        path.push("d");
    }
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("file"), "hit\n").unwrap();
    let found = blocks(&place.call("search", json!({ "pattern": "hit" })).await.unwrap());
    assert_eq!(found, ["(no results)", "[Not searched: 1 folders deeper than 64 levels.]"]);
    let deep = "d/".repeat(300);
    assert_eq!(
        place.ok("search", json!({ "pattern": "hit", "path": deep })).await,
        format!("{deep}file:1: hit")
    );
    assert_eq!(place.ok("list", json!({ "depth": 16 })).await.lines().count(), 16);
    assert_eq!(place.ok("read", json!({ "path": format!("{deep}file") })).await, "hit\n");
    // Deeper than the longest path.
    let half = "d/".repeat(1_500);
    fs::create_dir_all(place.path(format!("far/{half}"))).unwrap();
    fs::create_dir_all(place.path(format!("near/{half}"))).unwrap();
    fs::rename(place.path("near"), place.path(format!("far/{half}more"))).unwrap();
    for (tool, args) in [("search", json!({ "pattern": "hit" })), ("list", json!({ "depth": 16 }))] {
        let text = place.ok(tool, args).await;
        assert!(text.contains("deeper than 64 levels") || text.starts_with("d/"), "{text}");
    }
    let rest = format!("far/{}", "d/".repeat(1_000));
    assert_eq!(place.ok("list", json!({ "path": rest, "depth": 2 })).await, format!("{rest}d/\n{rest}d/d/"));
    assert!(std::process::Command::new("rm").arg("-rf").arg(place.path("far")).status().unwrap().success());
}

#[tokio::test]
async fn a6_the_case_of_a_name_counts_as_the_system_has_it() {
    let place = Place::new().with("A.txt", "upper");
    let is_other = !place.path("a.txt").exists();
    place.ok("write", json!({ "path": "a.txt", "text": "lower" })).await;
    assert_eq!(place.text("A.txt"), if is_other { "upper" } else { "lower" });
}

#[tokio::test]
async fn a6_a_root_folder_that_is_gone_is_an_error_of_the_call() {
    let place = Place::new().with("f", "");
    fs::rename(place.path(""), place.outside("moved")).unwrap();
    place.ok("write", json!({ "path": "g", "text": "found" })).await;
    assert_eq!(fs::read_to_string(place.outside("moved/g")).unwrap(), "found");
    fs::remove_dir_all(place.outside("moved")).unwrap();
    assert_eq!(place.ok("list", json!({})).await, "(no entries)");
    for (tool, args) in calls("f") {
        place.error(tool, args).await;
    }
}
