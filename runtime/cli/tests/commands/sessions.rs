//! Stored sessions: `run --session`, and the commands `sessions`.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::folder::{Folder, Ran};
use crate::terminal::in_terminal;

/// An agent that counts its turns.
fn counter() -> Folder {
    let turns = [1, 2, 3, 4].map(|turn| format!("  - say: \"Turn {turn}: {{input}}\"\n")).concat();
    Folder::new(&[("cards/a.md", "---\n{}\n---\nCount.\n"), ("script.yaml", &format!("a:\n{turns}"))])
}

/// An agent that asks a question, and then works in the shell, which needs approval.
fn asker() -> Folder {
    let turns = r#"
  - calls: [{ tool: human_input, args: { question: Which colour? } }]
  - calls: [{ tool: shell_execute, args: { command: "echo painted >> done.txt" } }]
  - say: "I painted it."
  - say: "You said {input}"
"#;
    Folder::new(&[
        ("cards/a.md", "---\nruntime: [human.input, shell.execute]\n---\nAsk.\n"),
        ("script.yaml", &format!("a:{turns}")),
    ])
}

const MODEL: [&str; 3] = ["run", "--model", "script:script.yaml"];

/// The arguments of a run in a session.
fn arguments<'a>(id: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&MODEL[..], &["--session", id], more].concat()
}

fn run(folder: &Folder, id: &str, more: &[&str]) -> Ran {
    folder.run(&arguments(id, more))
}

fn sessions(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.run(&[&["sessions"], arguments].concat())
}

/// The file of sessions for the folder.
fn usual_file(folder: &Folder) -> PathBuf {
    let config = folder.run(&["config"]).out;
    let line = config.lines().find_map(|line| line.strip_prefix("sessions: ")).unwrap();
    PathBuf::from(
        line.split_once(" for this folder, (not set; the variable is `ONIONSKIN_SESSIONS`)").unwrap().0,
    )
}

#[test]
fn a12_a_run_continues_a_stored_session() {
    let folder = counter();
    let file = usual_file(&folder);
    let shown = file.display();
    let note = format!("note: the session `ticket-7` is new, in `{shown}`, the file for this folder\n");
    for (turn, input, words) in [(1, "one", &*note), (2, "two", "")] {
        let ran = run(&folder, "ticket-7", &[input]);
        assert_eq!((ran.code, &*ran.out, &*ran.words), (0, &*format!("Turn {turn}: {input}\n"), words));
    }
    assert_eq!(run(&folder, "ticket-8", &["three"]).out, "Turn 1: three\n");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    let shown = sessions(&folder, &["show", "ticket-7"]);
    let tokens = shown.out.lines().nth(1).unwrap();
    assert!(tokens.contains(" tokens read, "), "{shown:?}");
    let messages = "\n1 user\n  one\n\n2 agent\n  Turn 1: one\n\n3 user\n  two\n\n4 agent\n  Turn 2: two\n";
    assert_eq!(shown.out, format!("session: ticket-7\n{tokens}\n{messages}"));
    let json: Value = serde_json::from_str(&sessions(&folder, &["show", "ticket-7", "--json"]).out).unwrap();
    assert_eq!(json["content"]["history"][3]["text"], "Turn 2: two");
    assert!(json["paused"].is_null(), "{json}");
}

#[test]
fn a12_the_file_of_sessions_is_that_of_the_option_the_settings_or_the_folder() {
    let folder = counter();
    for (turn, file) in [(1, "one.db"), (2, "one.db"), (1, "two.db")] {
        let ran = run(&folder, "a", &["--sessions", file, "Hello."]);
        assert_eq!(ran.out, format!("Turn {turn}: Hello.\n"), "{ran:?}");
    }
    assert!(!folder.path(".state").exists());
    folder.write("home/onionskin/config.toml", "sessions = \"../../one.db\"\n");
    assert_eq!(run(&folder, "a", &["Hello."]).out, "Turn 3: Hello.\n");
    assert!(folder.run(&["config"]).out.contains("/home/onionskin/../../one.db, from `"));
    // A folder of somebody else has a session with the id that the user takes.
    folder.write("onionskin.toml", "sessions = \"two.db\"\n");
    run(&folder, "a", &["Hello."]).failed(&[
        "`sessions` in `onionskin.toml`: a folder cannot choose where your conversations are stored",
    ]);
    folder.write("onionskin.toml", "");

    folder
        .run(&[&MODEL[..], &["--sessions", "one.db", "Hello."]].concat())
        .failed(&["error: `--sessions` is for a stored session: add `--session ID`"]);
    sessions(&folder, &["list", "--sessions", "three.db"]).failed(&["there is no file `three.db`"]);
    folder.write("home/onionskin/config.toml", "sessions = \"../../script.yaml\"\n");
    let script = folder.read("script.yaml");
    run(&folder, "a", &["Hello."]).failed(&["`sessions` in `", "config.toml`: ", "use another path"]);
    assert_eq!(folder.read("script.yaml"), script);
    run(&folder, "", &["--sessions", "one.db", "Hello."]).failed(&["`` is not an id of a session"]);
}

#[test]
fn a12_a_file_of_sessions_that_others_can_open_is_warned_of() {
    let folder = counter();
    let run = || run(&folder, "a", &["--sessions", "s.db", "Hello."]).words;
    assert_eq!(run(), "note: the session `a` is new, in `s.db`\n");
    let set = |mode| fs::set_permissions(folder.path("s.db"), fs::Permissions::from_mode(mode)).unwrap();
    set(0o644);
    let words = "warning: all users of this machine can open `s.db` (mode 644), which has your conversations and what you allowed: `chmod 600 \
                 s.db` ends this\n";
    assert_eq!(
        (run(), sessions(&folder, &["list", "--sessions", "s.db"]).words),
        (words.into(), words.into())
    );
    set(0o660);
    assert_eq!(run(), "");
}

/// Its name on the screen can be that of another file.
#[cfg(target_os = "linux")]
#[test]
fn a12_the_file_of_sessions_can_have_any_name() {
    let folder = counter();
    let name = OsStr::from_bytes(b"s\xff.db");
    let option = |more: &[&str]| {
        let mut command = folder.command(more);
        Ran::new(command.arg("--sessions").arg(name).output().unwrap())
    };
    assert_eq!(option(&arguments("a", &["Hello."])).out, "Turn 1: Hello.\n");
    let mut command = folder.command(&arguments("a", &["Hello."]));
    assert_eq!(Ran::new(command.env("ONIONSKIN_SESSIONS", name).output().unwrap()).out, "Turn 2: Hello.\n");
    assert!(folder.path("").join(name).exists() && !folder.path("s\u{fffd}.db").exists());
    option(&["sessions", "show", "b"]).failed(&["error: there is no session `b` in `s\u{fffd}.db`\n"]);
    let mut command = folder.command(&["config"]);
    Ran::new(command.env("ONIONSKIN_MODEL", name).output().unwrap())
        .failed(&["`ONIONSKIN_MODEL` in the environment: the value is not UTF-8 text"]);

    // Each folder has its own file.
    for (at, part) in [b"\xfe", b"\xff"].into_iter().enumerate() {
        let here = folder.path("").join(OsStr::from_bytes(part));
        fs::create_dir(&here).unwrap();
        for file in ["cards", "script.yaml"] {
            std::os::unix::fs::symlink(folder.path(file), here.join(file)).unwrap();
        }
        let mut command = folder.command(&arguments("a", &["Hello."]));
        let ran = Ran::new(command.current_dir(here).output().unwrap());
        assert_eq!(ran.out, "Turn 1: Hello.\n", "{at}: {ran:?}");
    }
}

#[cfg(feature = "shell")]
#[test]
fn u2_a_run_that_waits_in_its_session_is_continued_by_the_answer_of_a_person() {
    let folder = asker();
    let paint = ["--card", "cards/a.md", "Paint it."];
    run(&folder, "a", &paint).failed(&[
        "error: the session `a` waits for answers:\n  a: Which colour?\nThe run is stored. To continue it, answer it in a terminal: `run \
         --session` without an input asks again\n",
    ]);
    // Nothing is lost by asking too early.
    let waits = "the input was not sent, because the session `a` waits for answers:\n  a: Which colour?\n";
    for _ in 0..2 {
        run(&folder, "a", &["And now?"]).failed(&[waits]);
        run(&folder, "a", &[]).failed(&["error: the session `a` waits for answers:\n  a: Which colour?\n"]);
    }
    let shown = sessions(&folder, &["show", "a"]);
    assert!(
        shown.out.contains("waits for answers to go on with the input `Paint it.`:\n  a: Which colour?\n"),
        "{shown:?}"
    );

    // The next question has its answer in another process.
    let (code, shown) =
        in_terminal(&folder, &[("decline> ", "red\n"), ("n [reason]> ", "\u{4}")], &arguments("a", &[]));
    assert_eq!(code, 2, "{shown}");
    assert!(shown.contains("shell.execute {\"command\":\"echo painted >> done.txt\"}"), "{shown}");
    let shell = run(&folder, "a", &[]);
    shell.failed(&["may this call run?", "asks again, or allow the calls with `--yes`"]);
    assert!(!folder.path("done.txt").exists());
    let ran = run(&folder, "a", &["--yes"]);
    assert_eq!((ran.code, &*ran.out), (0, "I painted it.\n"), "{ran:?}");
    assert_eq!(folder.read("done.txt"), "painted\n");
    let ran = run(&folder, "a", &["thanks"]);
    assert_eq!((ran.code, &*ran.out), (0, "You said thanks\n"), "{ran:?}");
    run(&folder, "a", &[]).failed(&["there is no input"]);
}

#[test]
fn a12_the_run_that_waits_is_one_of_its_agent_and_ends_with_a_return() {
    let folder = asker();
    folder.write("cards/b.md", "---\n{}\n---\nBe.\n");
    let run = |more: &[&str]| run(&folder, "a", &[&["--card", "cards"], more].concat());
    assert_eq!(run(&["--agent", "a", "Paint it."]).code, 2);
    run(&["--agent", "b"])
        .failed(&["the run that waits in the session `a` is one of the agent `a`: name it with `--agent`"]);
    assert_eq!(sessions(&folder, &["rewind", "a", "--to", "0"]).out, "a has 0 messages\n");
    run(&["--agent", "a"]).failed(&["there is no input"]);
}

#[test]
fn a12_a_session_whose_first_run_waits_is_not_new() {
    let folder = Folder::asker(
        "",
        "  - calls: [{ tool: human_input, args: { question: Which colour? } }]\n    usage: { input_tokens: 0, output_tokens: 0 }\n",
    );
    let words = "error: the session `a` waits for answers:\n";
    assert!(run(&folder, "a", &["Paint it."]).words.starts_with("note: the session `a` is new, in `"));
    let again = run(&folder, "a", &[]);
    assert!(again.words.starts_with(words), "{again:?}");
}

#[test]
fn a12_runs_of_a_session_are_for_its_user() {
    let folder = counter();
    run(&folder, "a", &["--user", "ada", "one"]);
    assert_eq!(run(&folder, "a", &["two"]).out, "Turn 2: two\n");
    let other = run(&folder, "a", &["--user", "bob", "three"]);
    let words = "error: the session `a` belongs to another user: continue it without `--user`\n";
    other.failed(&[words]);
    // Before an input is typed.
    let chat = ["chat", "--model", "script:script.yaml", "--session", "a", "--user", "bob"];
    folder.run(&chat).failed(&[words]);
    assert!(sessions(&folder, &["show", "a"]).out.contains("\nuser: ada\n"));
}

#[test]
fn a12_sessions_are_listed_by_user_words_time_and_page() {
    let folder = counter();
    let empty = sessions(&folder, &["list"]);
    let file = usual_file(&folder);
    let words =
        format!("note: there are no such sessions in `{}`, the file for this folder\n", file.display());
    assert_eq!((empty.code, &*empty.out, empty.words), (0, "", words));
    assert!(!folder.path(".state").exists(), "a list makes no file");
    for (id, user, input) in [
        ("first", "ada", "A red lamp."),
        ("second", "ada", "A blue lamp."),
        ("third\u{202e}", "bo", "A red chair."),
    ] {
        assert_eq!(run(&folder, id, &["--user", user, input]).code, 0);
    }
    let ids = |more: &[&str]| -> Vec<String> {
        let listed = sessions(&folder, &[&["list", "--json"], more].concat());
        let json: Value = serde_json::from_str(&listed.out).unwrap();
        let sessions = json["sessions"].as_array().unwrap();
        sessions.iter().map(|session| session["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&[]), ["third\u{202e}", "second", "first"]);
    assert_eq!(ids(&["--user", "ada"]), ["second", "first"]);
    assert_eq!(ids(&["--search", "RED lamp"]), ["first"]);
    assert_eq!(ids(&["--since", "1h"]).len(), 3);
    assert_eq!(ids(&["--since", "2999-01-01"]).len(), 0);

    let all = sessions(&folder, &["list", "--search", "red"]);
    assert!(
        all.out.starts_with("third\\u{202e}  bo   20") && all.out.contains("\n  A red chair.\n"),
        "{all:?}"
    );
    let page = sessions(&folder, &["list", "--limit", "2"]);
    assert_eq!(page.out.lines().count(), 2, "{page:?}");
    let next = page.words.strip_prefix("note: there are more, with `--after '").unwrap().trim_end();
    let next = next.strip_suffix("'`").unwrap();
    assert_eq!(ids(&["--limit", "2", "--after", next]), ["first"]);
    sessions(&folder, &["list", "--after", "there"])
        .failed(&["`--after` takes what `sessions list` printed"]);
    sessions(&folder, &["list", "--since", "yesterday"]).failed(&["how long ago it was"]);
}

#[test]
fn a12_a_session_is_forked_returned_exported_and_imported() {
    let folder = counter();
    for input in ["one", "two"] {
        run(&folder, "a", &[input]);
    }
    assert_eq!(sessions(&folder, &["fork", "a", "b", "--at", "2"]).out, "b has 2 messages\n");
    assert_eq!(sessions(&folder, &["fork", "a", "c"]).out, "c has 4 messages\n");
    assert_eq!(run(&folder, "b", &["other"]).out, "Turn 2: other\n");
    assert_eq!(sessions(&folder, &["rewind", "a", "--to", "2"]).out, "a has 2 messages\n");
    assert_eq!(run(&folder, "a", &["again"]).out, "Turn 2: again\n");

    assert_eq!(sessions(&folder, &["export", "c", "--out", "c.json"]).code, 0);
    assert_eq!(fs::metadata(folder.path("c.json")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(sessions(&folder, &["export", "c"]).out.trim_end(), folder.read("c.json"));
    let imported = sessions(&folder, &["import", "c.json", "d", "--sessions", "other.db"]);
    assert_eq!(imported.out, "d has 4 messages\n", "{imported:?}");
    assert_eq!(run(&folder, "d", &["--sessions", "other.db", "three"]).out, "Turn 3: three\n");

    nix::unistd::mkfifo(&folder.path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    fs::File::create(folder.path("huge")).unwrap().set_len((64 << 20) + 1).unwrap();
    for (arguments, words) in [
        (&["show", "z"][..], "error: there is no session `z` in `"),
        (&["fork", "a", "b"], "error: there is a session `b` already: "),
        (&["fork", "a", "z", "--at", "9"], "error: the session `a` cannot end after 9 messages: it has 4"),
        (&["rewind", "z", "--to", "0"], "error: there is no session `z` in `"),
        (&["export", "c", "--out", "c.json"], "error: `c.json` exists: name another file\n"),
        (&["import", "c.json", "a"], "error: there is a session `a` already: "),
        (
            &["import", "script.yaml", "z"],
            "error: `script.yaml`: this is not what `sessions export` writes: ",
        ),
        (&["import", "none.json", "z"], "error: `none.json`: "),
        (&["import", "pipe", "z"], "error: `pipe`: it is not a file\n"),
        (&["import", "/dev/zero", "z"], "error: `/dev/zero`: it is not a file\n"),
        (&["import", "huge", "z"], "error: `huge`: it has more than 64 MiB\n"),
        (&["delete", "z", "--yes"], "error: there is no session `z` in `"),
        (&["delete", "--user", "bo", "--yes"], "error: there is no session of the user `bo` in `"),
        (
            &["rewind", "c", "--to", "-1"],
            "write the number of messages, such as `4`; `sessions show` numbers them",
        ),
        (&["fork", "c", "z", "--at", "all"], "write the number of messages, such as `4`"),
        (&["list", "--limit", "0"], "write a number from 1 to 10000"),
        (&["list", "--sessions", "cards"], "error: `cards` is a folder: name a file\n"),
        (
            &["import", "c.json", "z", "--sessions", "none/s.db"],
            "error: there is no folder `none`: make it first\n",
        ),
    ] {
        sessions(&folder, arguments).failed(&[words]);
    }
}

fn delete<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["sessions", "delete", "--sessions", "s.db"], more].concat()
}

#[test]
fn a12_sessions_are_deleted_for_good_after_a_yes() {
    let folder = counter();
    for (id, user) in [("a", "ada"), ("b", "ada"), ("c", "bo")] {
        assert_eq!(run(&folder, id, &["--sessions", "s.db", "--user", user, "the violet word"]).code, 0);
    }
    let list = || sessions(&folder, &["list", "--sessions", "s.db"]).out.lines().count();
    folder.run(&delete(&["a"])).failed(&["deleting the session `a` is for good: add `--yes`"]);
    let (code, shown) = in_terminal(&folder, &[("y or n> ", "\n")], &delete(&["a"]));
    assert!(code == 2 && shown.contains("nothing was deleted"), "{shown}");
    assert_eq!(list(), 3);
    let (code, shown) = in_terminal(&folder, &[("y or n> ", "y\n")], &delete(&["--user", "ada"]));
    assert!(code == 0 && shown.contains("Delete all sessions of the user `ada` for good?"), "{shown}");
    assert!(shown.ends_with("2 sessions deleted\n"), "{shown}");
    assert_eq!(list(), 1);
    assert_eq!(folder.run(&delete(&["c", "--yes"])).out, "1 session deleted\n");
    for file in ["s.db", "s.db-wal"] {
        let bytes = fs::read(folder.path(file)).unwrap_or_default();
        assert!(!bytes.windows(6).any(|part| part == b"violet"), "{file}");
    }
    folder.run(&delete(&["a", "--user", "ada"])).failed(&["cannot be used with"]);
    folder.run(&delete(&[])).failed(&["required"]);
}

/// Begins a run that does not end before there is a file `go`.
#[cfg(feature = "shell")]
fn begin(folder: &Folder) -> Child {
    let mut command = folder.command(&arguments("a", &["--card", "cards/slow.md", "one"]));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while !folder.path("begun").exists() {
        assert!(begun.elapsed() < Duration::from_secs(30), "it does not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

#[cfg(feature = "shell")]
fn slow() -> Folder {
    Folder::new(&[
        ("cards/slow.md", "---\nruntime: [shell.execute]\napproval: []\n---\nWork.\n"),
        (
            "script.yaml",
            r#"
slow:
  - calls: [{ tool: shell_execute, args: { command: "touch begun; while [ ! -e go ]; do sleep 0.05; done" } }]
  - say: Done.
  - say: "I heard {input}"
"#,
        ),
    ])
}

#[cfg(feature = "shell")]
#[test]
fn a12_runs_of_two_processes_take_turns_in_a_session() {
    let folder = slow();
    let mut first = begin(&folder);
    sessions(&folder, &["rewind", "a", "--to", "0"])
        .failed(&["error: another run is in progress in the session `a`: wait until it ends\n"]);
    let mut command = folder.command(&arguments("a", &["two"]));
    let second = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    folder.write("go", "");
    let second = Ran::new(second.wait_with_output().unwrap());
    let mut out = String::new();
    first.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert!(first.wait().unwrap().success() && out == "Done.\n", "{out}");
    assert_eq!((second.code, &*second.out), (0, "I heard two\n"), "{second:?}");
}

/// Nothing new begins after a signal that ends the program, unless a question is open.
#[cfg(feature = "shell")]
#[test]
fn a12_a_signal_lets_a_run_begin_no_call() {
    let folder = slow();
    let script = folder.read("script.yaml").replace(
        "  - say: Done.\n",
        "  - calls: [{ tool: shell_execute, args: { command: \"touch late\" } }]\n  - say: Done.\n",
    );
    folder.write("script.yaml", &script);
    let mut first = begin(&folder);
    kill(Pid::from_raw(first.id().try_into().unwrap()), Signal::SIGTERM).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    folder.write("go", "");
    assert_eq!(first.wait().unwrap().code(), Some(143));
    assert!(!folder.path("late").exists());
}

/// Where nobody is asked, the question is open all the same.
#[cfg(feature = "shell")]
#[test]
fn u2_a_signal_lets_a_run_pause_whose_question_is_open() {
    let folder = slow();
    let calls = "calls: [{ tool: human_input, args: { question: Which colour? } }, ";
    folder.write("script.yaml", &folder.read("script.yaml").replacen("calls: [", calls, 1));
    folder.write("cards/slow.md", "---\nruntime: [human.input, shell.execute]\napproval: []\n---\nWork.\n");
    let mut first = begin(&folder);
    std::thread::sleep(Duration::from_millis(100));
    kill(Pid::from_raw(first.id().try_into().unwrap()), Signal::SIGTERM).unwrap();
    folder.write("go", "");
    assert_eq!(first.wait().unwrap().code(), Some(143));
    run(&folder, "a", &[]).failed(&["error: the session `a` waits for answers:\n  slow: Which colour?\n"]);
}

/// The next run need not wait until the lease of this one has ended.
#[cfg(feature = "shell")]
#[test]
fn a12_a_signal_ends_a_run_and_frees_its_session() {
    let folder = slow();
    let mut first = begin(&folder);
    kill(Pid::from_raw(first.id().try_into().unwrap()), Signal::SIGINT).unwrap();
    assert_eq!(first.wait().unwrap().code(), Some(130));
    // A run in progress would be another error.
    let rewound = sessions(&folder, &["rewind", "a", "--to", "1"]);
    assert_eq!((rewound.code, &*rewound.out), (0, "a has 1 message\n"), "{rewound:?}");
}

/// Begins a program in a terminal, and waits until it asks.
#[cfg(feature = "shell")]
fn started(folder: &Folder, arguments: &[&str], typed: &str) -> (Child, fs::File) {
    let ends = nix::pty::openpty(None, None).unwrap();
    // The program does not have the other end too.
    fcntl(&ends.master, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).unwrap();
    let (person, terminal) = (fs::File::from(ends.master), fs::File::from(ends.slave));
    let mut command = folder.command(arguments);
    command.stdin(terminal.try_clone().unwrap()).stdout(terminal.try_clone().unwrap()).stderr(terminal);
    let program = command.spawn().unwrap();
    drop(command);
    let mut shown = String::new();
    let read = |mut person: &fs::File| {
        let mut bytes = [0; 4096];
        let count = person.read(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes[..count]).into_owned()
    };
    while !typed.is_empty() && !shown.contains("you> ") {
        shown += &read(&person);
    }
    (&person).write_all(typed.as_bytes()).unwrap();
    while !shown.contains("decline> ") {
        shown += &read(&person);
    }
    (program, person)
}

/// A person whose terminal is closed meanwhile answers later.
#[cfg(feature = "shell")]
#[test]
fn u2_a_question_that_is_open_when_the_terminal_is_closed_stays_open() {
    let folder = asker();
    let card = ["--card", "cards/a.md"];
    let chat = [&["chat"], &MODEL[1..], &["--session", "chat"], &card].concat();
    for (id, arguments, typed) in
        [("run", arguments("run", &[&card[..], &["Paint it."]].concat()), ""), ("chat", chat, "Paint it.\r")]
    {
        let (mut program, person) = started(&folder, &arguments, typed);
        drop(person);
        assert_eq!(program.wait().unwrap().code(), Some(2));
        let words = format!("error: the session `{id}` waits for answers:\n  a: Which colour?\n");
        run(&folder, id, &card).failed(&[&words]);
    }
    let (mut program, person) =
        started(&folder, &arguments("signal", &[&card[..], &["Paint it."]].concat()), "");
    kill(Pid::from_raw(program.id().try_into().unwrap()), Signal::SIGHUP).unwrap();
    assert_eq!(program.wait().unwrap().code(), Some(129));
    drop(person);
    run(&folder, "signal", &card).failed(&["error: the session `signal` waits for answers:\n"]);
}

#[test]
fn a12_what_is_shown_of_a_session_controls_no_terminal() {
    let folder = Folder::new(&[
        ("cards/a.md", "---\n{}\n---\nBe.\n"),
        ("script.yaml", "a:\n  - say: \"red \\e[31m\\nand more\"\n"),
    ]);
    run(&folder, "a", &["--user", "a\u{1b}[2J", "in\u{202e}put"]);
    for arguments in [&["show", "a"][..], &["list", "--search", "red"]] {
        let shown = sessions(&folder, arguments).out;
        assert!(!shown.contains(['\u{1b}', '\u{202e}']) && shown.contains("red \\u{1b}[31m"), "{shown}");
    }
    let shown = sessions(&folder, &["show", "a"]).out;
    assert!(
        shown.ends_with("\n1 user\n  in\\u{202e}put\n\n2 agent\n  red \\u{1b}[31m\n  and more\n"),
        "{shown}"
    );
}
