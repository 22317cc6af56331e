//! Conversations in files.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::DESK;
use crate::folder::Folder;

/// An agent that counts its turns.
fn counter() -> Folder {
    let turns = [1, 2, 3, 4].map(|turn| format!("  - say: \"Turn {turn}: {{input}}\"")).join("\n");
    Folder::new(&[("cards/a.md", "---\n{}\n---\nCount.\n"), ("script.yaml", &format!("a:\n{turns}\n"))])
}

#[test]
fn o1_a_conversation_is_saved_and_goes_on_in_another_chat() {
    let folder = counter();
    let ran = folder.pipe(b"one\ntwo\n/save chat.json\n/save chat.json\nthree\n/save! chat.json\n", &DESK);
    assert!(
        ran.out.contains("4 messages saved to `chat.json`") && ran.out.contains("6 messages saved"),
        "{ran:?}"
    );
    assert_eq!(
        ran.words,
        "error: `chat.json` exists: write `/save! chat.json` to replace it, or name another file\n"
    );
    assert_eq!(fs::metadata(folder.path("chat.json")).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(folder.read("chat.json").starts_with("{\n  \"version\": 1,"), "{}", folder.read("chat.json"));

    let ran = folder.pipe(b"/load chat.json\nfour\n", &DESK);
    assert_eq!((ran.code, &*ran.words), (0, ""));
    assert!(ran.out.starts_with("6 messages loaded from `chat.json`\nTurn 4: four\n"), "{ran:?}");
}

#[test]
fn o1_a_file_that_cannot_be_written_says_so_and_loses_nothing() {
    let folder = counter();
    folder.write("kept", "kept");
    let ran = folder.pipe(b"one\n/save no/such.json\n/save! .\n/save\n/save kept\n", &DESK);
    for part in [
        "error: `no/such.json` was not written: ",
        "error: `.` was not written: it is a folder: name a file\n",
        "error: name a file: `/save chat.json`\n",
        "error: `kept` exists: ",
    ] {
        assert!(ran.words.contains(part), "{part}: {}", ran.words);
    }
    assert_eq!(folder.read("kept"), "kept");
    let files: Vec<_> =
        fs::read_dir(folder.path("")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(files.len(), 3, "{files:?}");
}

#[test]
fn o1_hostile_files_are_refused_with_their_place_and_the_conversation_stays() {
    let folder = counter();
    fs::write(folder.path("latin"), b"{\"version\": \xff}").unwrap();
    nix::unistd::mkfifo(&folder.path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let huge = fs::File::create(folder.path("huge")).unwrap();
    huge.set_len(65 << 20).unwrap();
    let history = |message: &str| {
        format!("{{\"version\":1,\"history\":[{message}],\"values\":{{}},\"children\":{{}}}}")
    };
    folder.write("cut", "{\n  \"version\": 1,\n  \"hist");
    folder.write("deep", &"[".repeat(100_000));
    folder.write("later", "{\"version\":9}");
    folder.write("other", "{\"name\":\"demo\"}");
    folder.write("field", &history("{\"role\":\"user\",\"mood\":\"\u{1b}[2J\"}"));
    folder.write("type", &history("7"));
    let mut lines = "one\n".to_owned();
    for file in
        ["latin", "pipe", "huge", "cut", "deep", "later", "other", "field", "type", "none", "/dev/zero"]
    {
        lines += &format!("/load {file}\n");
    }
    lines += "two\n";
    let ran = folder.pipe(lines.as_bytes(), &DESK);
    for part in [
        "`latin` was not loaded: it is not UTF-8 text, from byte 12 on\n",
        "`pipe` was not loaded: it is not a file\n",
        "`huge` was not loaded: it has more than 64 MiB\n",
        "`cut` was not loaded: the saved session is not JSON: ",
        "line 3",
        "`deep` was not loaded: the session has more than 256 levels",
        "`later` was not loaded: the saved session has version 9, and this program reads version 1",
        "`other` was not loaded: there is no `version`",
        "`field` was not loaded: ",
        "history[0]",
        "`none` was not loaded: No such file",
        "`/dev/zero` was not loaded: it is not a file\n",
    ] {
        assert!(ran.words.contains(part), "{part}: {}", ran.words);
    }
    assert!(!ran.words.contains('\u{1b}'), "{}", ran.words);
    // The conversation from before is still there.
    assert!(ran.out.contains("Turn 2: two\n"), "{ran:?}");
}
