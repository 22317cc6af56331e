//! The program as a user runs it, with the server of `mcp-tests`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

#[path = "../../../ui-tests/src/clean_cargo.rs"]
mod clean_cargo;
#[path = "shared/login_site.rs"]
mod login_site;
#[path = "shared/processes.rs"]
mod processes;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use clean_cargo::clean_cargo;
use login_site::Site;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use processes::{runs, wait_until};
use serde_json::{Value, json};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_onionskin");
const LOCK_FILE: &str = "onionskin-mcp.lock.json";

/// The server of `mcp-tests`. Cargo builds the programs of a test's own package only. The example brings the features of tests' dependencies: all
/// tests of the workspace have them, and without them all crates would be built again.
static FIXTURE: LazyLock<PathBuf> = LazyLock::new(|| {
    let profile = Path::new(PROGRAM).parent().unwrap();
    let built = clean_cargo()
        .args("build --offline --quiet --workspace --bin fixture --example new_project".split(' '))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("CARGO_TARGET_DIR", profile.parent().unwrap())
        .status()
        .unwrap();
    assert!(built.success(), "the test server does not compile");
    profile.with_file_name("debug").join("fixture")
});

/// A folder with servers.
struct Folder(TempDir);

impl Folder {
    /// The servers, each with the words behind its program's name. `sleeps` is a server that says nothing.
    fn new(servers: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.configure(servers);
        folder
    }

    fn configure(&self, servers: &[(&str, &str)]) {
        let server = |(name, modes): &(&str, &str)| {
            let log = self.path("log");
            let server = match *modes {
                "sleeps" => json!({
                    "command": "sh",
                    "args": ["-c", format!("echo \"pid $$\" >> '{}'; exec sleep 600", log.display())],
                }),
                "" => json!({"command": "/no/such/program"}),
                modes => json!({
                    "command": &*FIXTURE,
                    "args": modes.split(' ').collect::<Vec<_>>(),
                    "env": {"FIXTURE_LOG": log, "SECRET": "hunter2-hunter2"},
                }),
            };
            ((*name).to_owned(), server)
        };
        let servers: serde_json::Map<_, _> = servers.iter().map(server).collect();
        fs::write(self.path(".mcp.json"), json!({"mcpServers": servers}).to_string()).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &str) -> Command {
        self.command_of(&arguments.split(' ').collect::<Vec<_>>())
    }

    fn command_of(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// The exit code, the result and the words beside it.
    fn run(&self, arguments: &str) -> (i32, String, String) {
        self.run_all(&arguments.split(' ').collect::<Vec<_>>())
    }

    /// As [`Self::run`], for arguments with spaces.
    fn run_all(&self, arguments: &[&str]) -> (i32, String, String) {
        let Output { status, stdout, stderr } = self.command_of(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (status.code().unwrap(), text(stdout), text(stderr))
    }

    /// The processes of the servers that were started.
    fn pids(&self) -> Vec<i32> {
        let log = fs::read_to_string(self.path("log")).unwrap_or_default();
        log.lines().filter_map(|line| line.strip_prefix("pid ")?.parse().ok()).collect()
    }

    fn locked(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.path(LOCK_FILE)).unwrap()).unwrap()
    }
}

#[test]
fn a3_a_disabled_server_is_passed_over_and_stays_in_the_file() {
    let folder = Folder::new(&[("fix", "plain"), ("off", "plain")]);
    assert_eq!(folder.run("mcp lock").0, 0);
    let text = fs::read_to_string(folder.path(".mcp.json")).unwrap();
    let mut file: Value = serde_json::from_str(&text).unwrap();
    file["mcpServers"]["off"] = json!({"command": "/no/such/program", "disabled": true});
    fs::write(folder.path(".mcp.json"), file.to_string()).unwrap();
    for command in ["mcp lock", "mcp lock --check", "mcp list"] {
        let (code, out, words) = folder.run(command);
        assert_eq!(code, 0, "{command}: {out}{words}");
        assert!(words.contains("`off` is disabled, and is passed over"), "{command}: {words}");
    }
    assert!(folder.locked()["servers"]["off"].is_object() && folder.locked()["servers"]["fix"].is_object());
    // Who names it wants it.
    let (code, _, words) = folder.run("mcp list off");
    assert!(code == 2 && words.contains("the server is disabled"), "{words}");
}

#[test]
fn a3_nothing_is_locked_through_a_link() {
    let folder = Folder::new(&[("fix", "plain")]);
    fs::write(folder.path("secret"), r#"{"version": 1, "servers": {}}"#).unwrap();
    std::os::unix::fs::symlink(folder.path("secret"), folder.path(LOCK_FILE)).unwrap();
    let (code, out, words) = folder.run("mcp lock");
    assert!(code == 2 && words.contains("it is a link; write to the file itself"), "{out}{words}");
    assert_eq!(fs::read_to_string(folder.path("secret")).unwrap(), r#"{"version": 1, "servers": {}}"#);
}

#[test]
fn a3_servers_are_locked_and_a_renamed_tool_is_a_difference() {
    let folder = Folder::new(&[("fix", "plain")]);
    let (code, out, words) = folder.run("mcp lock");
    assert_eq!((code, &*out), (0, "onionskin-mcp.lock.json: 1 server, 11 tools\n"), "{words}");
    assert!(
        words.contains("note: `check` looks in the file for the tools that cards name\n")
            && !words.contains("Cargo.toml"),
        "{words}"
    );
    let text = fs::read_to_string(folder.path(LOCK_FILE)).unwrap();
    assert!(text.ends_with("}\n") && !text.contains("hunter2") && !text.contains("command"), "{text}");
    assert_eq!(
        folder.run("mcp lock"),
        (0, "onionskin-mcp.lock.json: 1 server, 11 tools, unchanged\n".to_owned(), String::new())
    );
    assert_eq!(
        folder.run("mcp lock --check"),
        (0, "onionskin-mcp.lock.json: up to date\n".to_owned(), String::new())
    );

    folder.configure(&[("fix", "renamed"), ("other", "plain")]);
    let (code, out, words) = folder.run("mcp lock --check");
    assert_eq!(code, 1, "{words}");
    assert_eq!(
        out,
        "`other`: the server is not in the file\n`fix`: added `get_echoes`; removed `get_echo`\n"
    );
    assert!(words.contains("run `onionskin mcp lock` to update it"), "{words}");
    assert_eq!(fs::read_to_string(folder.path(LOCK_FILE)).unwrap(), text, "nothing is written");

    let (_, _, words) = folder.run("mcp lock --check fix");
    assert!(words.contains("run `onionskin mcp lock fix` to update it"), "{words}");

    let (code, out, _) = folder.run("mcp lock");
    let expected = "`other`: added\n`fix`: added `get_echoes`; removed `get_echo`\nonionskin-mcp.lock.json: 2 servers, 22 tools\n";
    assert_eq!((code, &*out), (0, expected));
    for pid in folder.pids() {
        wait_until("the end of a server", || !runs(pid));
    }
}

#[test]
fn a3_chosen_servers_are_locked_beside_the_others() {
    let folder = Folder::new(&[("a", "plain"), ("b", "plain"), ("wrong", "")]);
    assert_eq!(folder.run("mcp lock a").0, 0);
    folder.configure(&[("a", "renamed"), ("b", "plain"), ("wrong", "")]);
    assert_eq!(folder.run("mcp lock b").0, 0);
    assert!(folder.locked()["servers"]["a"]["tools"]["get_echo"].is_object());
    assert_eq!(folder.run("mcp lock --check b").0, 0);
    assert_eq!(folder.run("mcp lock --check a").0, 1);
    assert_eq!(folder.run("mcp lock a b --out other.json").0, 0);
    assert!(folder.path("other.json").exists());
}

#[test]
fn o1_check_starts_servers_and_compares_them_with_their_lock_file() {
    let folder = Folder::new(&[("fix", "plain")]);
    let card = |pattern: &str| format!("---\nservers: [fix]\ntools: {{ fix: [{pattern}] }}\n---\nEcho.\n");
    fs::create_dir(folder.path("cards")).unwrap();
    fs::write(folder.path("cards/echo.md"), card("get_echo")).unwrap();
    assert_eq!(folder.run("mcp lock").0, 0);
    let (code, out, words) = folder.run("check --servers");
    assert_eq!((code, &*out), (0, ""), "{words}");

    // The file and the server say the same, so it is said once, at its place.
    fs::write(folder.path("cards/echo.md"), card("get_ecko")).unwrap();
    let offline = folder.run("check");
    assert!(offline.0 == 1 && offline.1.contains("did you mean `get_echo`?"), "{offline:?}");
    assert!(offline.1.contains(" --> cards/echo.md:3:16\n"), "{offline:?}");
    let (code, out, _) = folder.run("check --servers");
    assert_eq!((code, &out), (1, &offline.1));
    // Only the server knows its tools without the file.
    let lock = fs::read(folder.path(LOCK_FILE)).unwrap();
    fs::remove_file(folder.path(LOCK_FILE)).unwrap();
    assert_eq!(folder.run("check").0, 0);
    fs::write(folder.path("cards/echo.md"), card("get_ecko, say")).unwrap();
    let (code, out, words) = folder.run("check --servers");
    assert!(code == 1 && words.ends_with(": 2 problems\n"), "{out}{words}");
    for part in [
        "error: `get_ecko` is not a tool of the server `fix` in `.mcp.json`; did you mean `get_echo`?\n --> cards/echo.md:3:16\n",
        "error: `say` is not a tool of the server `fix` in `.mcp.json`; ",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert!(!out.contains("If the server has changed"), "{out}");
    fs::write(folder.path(LOCK_FILE), lock).unwrap();

    // A new tool is a difference of the file, and no mistake of a card that names it.
    folder.configure(&[("fix", "renamed")]);
    fs::write(folder.path("cards/echo.md"), card("get_echoes")).unwrap();
    assert!(folder.run("check").1.contains("`get_echoes` is not a tool of the server `fix`"));
    let (code, out, words) = folder.run("check --servers");
    assert!(code == 1 && words.ends_with(": 1 problem\n"), "{out}{words}");
    let expected = "onionskin-mcp.lock.json: the servers differ from the file; run `onionskin mcp lock` to update it:\n`fix`: added `get_echoes`; removed `get_echo`\n";
    assert!(out.contains(expected), "{out}");
    for pid in folder.pids() {
        wait_until("the end of a server", || !runs(pid));
    }
}

#[test]
fn o1_check_starts_the_servers_of_several_configurations() {
    let folder = Folder::new(&[("fix", "plain")]);
    fs::rename(folder.path(".mcp.json"), folder.path("one.json")).unwrap();
    folder.configure(&[("other", "plain")]);
    fs::rename(folder.path(".mcp.json"), folder.path("two.json")).unwrap();
    fs::write(folder.path("echo.md"), "---\nservers: [fix, other]\n---\nEcho.\n").unwrap();
    let (code, out, words) = folder.run("check --servers echo.md one.json two.json");
    assert_eq!((code, &*out), (0, ""), "{words}");
}

#[test]
fn a3_lock_replaces_no_file_that_is_no_lock_file() {
    let folder = Folder::new(&[("fix", "plain")]);
    let config = fs::read_to_string(folder.path(".mcp.json")).unwrap();
    fs::write(folder.path("notes.txt"), "mine").unwrap();
    for file in ["notes.txt", ".mcp.json"] {
        let (code, out, words) = folder.run(&format!("mcp lock --out {file}"));
        assert_eq!((code, &*out), (2, ""), "{words}");
        let expected =
            format!("`{file}` is not a lock file, and is not replaced: name another file with `--out FILE`");
        assert!(words.contains(&expected), "{words}");
    }
    assert_eq!(fs::read_to_string(folder.path("notes.txt")).unwrap(), "mine");
    assert_eq!(fs::read_to_string(folder.path(".mcp.json")).unwrap(), config);
    // One that has the usual name was a lock file, before a merge for example.
    fs::write(folder.path(LOCK_FILE), "<<<<<<<").unwrap();
    assert_eq!(folder.run("mcp lock").0, 0);
}

#[test]
fn o1_agents_get_the_servers_of_the_configuration_that_is_named() {
    let folder = Folder::new(&[("fix", "plain")]);
    fs::write(folder.path("echo.md"), "---\nservers: [fix]\ntools: { fix: [get_*] }\n---\nEcho.\n").unwrap();
    fs::rename(folder.path(".mcp.json"), folder.path("servers.json")).unwrap();
    let (code, out, words) = folder.run("list --card echo.md --config servers.json");
    assert_eq!(code, 0, "{words}");
    assert!(out.contains("  fix__get_echo  mcp fix  Says it again."), "{out}");
    let (code, out, words) = folder.run("list --card echo.md");
    assert_eq!((code, &*out), (2, ""));
    assert!(words.contains("`fix`"), "{words}");
    for pid in folder.pids() {
        wait_until("the end of a server", || !runs(pid));
    }
}

#[test]
fn a3_every_mistake_says_what_to_do() {
    let folder = Folder::new(&[]);
    fs::remove_file(folder.path(".mcp.json")).unwrap();
    let fails = |arguments: &str, expected: &[&str]| {
        let (code, out, words) = folder.run(arguments);
        assert_eq!((code, &*out), (2, ""), "{arguments}: {words}");
        for part in expected {
            assert!(words.contains(part), "{arguments}: {part}: {words}");
        }
    };
    fails("mcp lock", &["error: there is no `.mcp.json`", "--config FILE"]);
    fs::write(folder.path(".mcp.json"), "{\n  x").unwrap();
    fails("mcp list", &[".mcp.json:2:3: "]);
    folder.configure(&[]);
    fails("mcp lock", &["`.mcp.json` has no servers"]);
    // All servers that fail, and no file.
    folder.configure(&[("gone", ""), ("broken", "exits")]);
    let both = [
        "the MCP server `gone` (`/no/such/program`) did not start",
        "the MCP server `broken`",
        "cannot find the database",
    ];
    fails("mcp lock", &both);
    fails("mcp list", &both);
    folder.configure(&[("fix", "plain"), ("gone", ""), ("broken", "exits")]);
    fails("mcp list fxi", &["`.mcp.json` has no server `fxi`; it has `broken`, `fix`, `gone`"]);
    assert!(!folder.path(LOCK_FILE).exists());
    fails("mcp lock --check fix", &["cannot read `onionskin-mcp.lock.json`", "run `onionskin mcp lock fix`"]);
    fs::write(folder.path(LOCK_FILE), r#"{"version": 9}"#).unwrap();
    fails("mcp lock --check fix", &["has version 9"]);
    fails("mcp lock fix", &["has version 9", "to rewrite the file"]);
    fails("mcp lock --check --out other.json", &["run `onionskin mcp lock --out other.json` to write it"]);
    fs::create_dir(folder.path("my servers")).unwrap();
    fs::rename(folder.path(".mcp.json"), folder.path("my servers/mcp.json")).unwrap();
    let (_, _, words) = folder.run_all(&["mcp", "lock", "--config", "my servers/mcp.json", "fix", "--check"]);
    assert!(
        words.contains("run `onionskin mcp lock --config 'my servers/mcp.json' fix` to rewrite the file"),
        "{words}"
    );
    // It exists, and cannot be looked at.
    fails(
        "mcp list --config onionskin-mcp.lock.json/mcp.json",
        &["cannot read `onionskin-mcp.lock.json/mcp.json`"],
    );
    folder.configure(&[("fix", "plain")]);
    fails("mcp lok", &["unrecognized subcommand 'lok'", "'lock'"]);
    fails("mcp lock fix --out no/such/folder/file", &["cannot write `no/such/folder/file`"]);
}

#[test]
fn a3_tools_are_listed_for_people_and_programs() {
    let folder = Folder::new(&[("fix", "hostile"), ("all", "plain")]);
    let (code, out, words) = folder.run("mcp list");
    assert_eq!(code, 0, "{words}");
    assert!(out.starts_with("all: 11 tools\n  blocks        Does so.\n"), "{out}");
    assert!(
        out.contains("\n\nfix: 12 tools\n") && out.contains("\n  get_echo      Says it again.\n"),
        "{out}"
    );
    assert!(out.contains("  shows         Takes [$SECRET].\n"), "{out}");
    assert!(!out.contains('\u{1b}') && !out.contains("hunter2"), "{out}");
    assert!(words.contains("note: the MCP server `fix`: the tool `loops` is left out"), "{words}");

    let (code, out, _) = folder.run("mcp list all --json");
    let list: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 0);
    assert_eq!(list["servers"].as_object().unwrap().len(), 1);
    let echo = &list["servers"]["all"]["tools"][5];
    assert_eq!((&echo["name"], &echo["description"]), (&json!("get_echo"), &json!("Says it again.")));
    assert!(echo["inputSchema"]["properties"]["text"].is_object() && echo["outputSchema"].is_object());
}

#[test]
fn a3_a_server_that_does_not_start_hides_no_other() {
    let folder = Folder::new(&[("dead", "plain"), ("fix", "plain")]);
    assert_eq!(folder.run("mcp lock").0, 0);
    folder.configure(&[("dead", ""), ("fix", "renamed"), ("new", "plain")]);
    let reason = "error: the MCP server `dead` (`/no/such/program`) did not start";
    let (code, out, words) = folder.run("mcp list");
    assert!(code == 2 && words.contains(reason), "{words}");
    assert!(out.contains("fix: 11 tools\n") && out.contains("new: 11 tools\n"), "{out}");
    let (code, out, words) = folder.run("mcp lock --check");
    assert!(code == 2 && words.contains(reason), "{words}");
    assert_eq!(out, "`new`: the server is not in the file\n`fix`: added `get_echoes`; removed `get_echo`\n");
    folder.configure(&[("dead", ""), ("fix", "plain")]);
    let (code, out, words) = folder.run("mcp lock --check");
    assert!(code == 2 && words.contains(reason), "{words}");
    assert_eq!(out, "onionskin-mcp.lock.json: up to date, except for servers that cannot be used\n");
    folder.configure(&[("dead", ""), ("fix", "renamed"), ("new", "plain")]);
    // It stays as it is in the file.
    let before = folder.locked()["servers"]["dead"].clone();
    let (code, out, words) = folder.run("mcp lock");
    assert!(code == 2 && words.contains(reason), "{words}");
    assert!(out.ends_with("onionskin-mcp.lock.json: 3 servers, 33 tools\n"), "{out}");
    assert!(before.is_object() && folder.locked()["servers"]["dead"] == before);
}

#[test]
fn a3_a_signal_leaves_no_process_behind() {
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let folder = Folder::new(&[("quick", "leaves-a-child"), ("slow", "sleeps")]);
        let mut program = folder.command("mcp lock").spawn().unwrap();
        wait_until("the servers", || folder.pids().len() == 3);
        kill(Pid::from_raw(program.id().try_into().unwrap()), signal).unwrap();
        assert_eq!(program.wait().unwrap().code(), Some(code));
        for pid in folder.pids() {
            wait_until("the end of a server", || !runs(pid));
        }
        assert!(!folder.path(LOCK_FILE).exists());
    }
}

#[test]
fn o1_the_help_is_short_and_has_examples() {
    let folder = Folder::new(&[]);
    let (code, help, _) = folder.run("mcp lock --help");
    assert_eq!(code, 0);
    for part in [
        "onionskin mcp lock --check",
        "Usage: onionskin mcp lock [OPTIONS] [SERVER]...",
        "or `.mcp.json`",
        "Exit code:",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
    assert!(help.lines().count() <= 45, "{help}");
    let (_, short, _) = folder.run("mcp lock -h");
    assert!(short.lines().count() < help.lines().count(), "{short}");
    assert!(folder.run("mcp --help").1.contains("list    Show what the servers offer"));
    assert_eq!(folder.run("--version").1, format!("onionskin {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a4_mcp_login_keeps_tokens_that_all_commands_use() {
    let folder = Folder::new(&[]);
    let site = login_site::start(Site::Login);
    let servers = json!({ "mcpServers": {
        "site": { "url": format!("http://{site}/mcp") },
        "time": { "command": "mcp-server-time" },
    } });
    fs::write(folder.path(".mcp.json"), servers.to_string()).unwrap();
    let states = folder.path("states");
    let command = |arguments: &str| {
        let mut command = folder.command(arguments);
        command.env("XDG_STATE_HOME", &states);
        command
    };
    let run = |arguments: &str| {
        let Output { status, stdout, stderr } = command(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (status.code().unwrap(), text(stdout), text(stderr))
    };
    let (code, _, words) = run("mcp list site");
    assert_eq!(code, 2);
    assert!(
        words.contains("it requires authorization (status 401)") && words.contains("mcp login"),
        "{words}"
    );
    let (code, _, words) = run("mcp login time");
    assert_eq!((code, words.trim_end()), (2, "error: `time` is a program of this machine, and has no login"));

    let mut login = command("mcp login site --no-browser");
    let mut login = login.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut words = BufReader::new(login.stderr.take().unwrap());
    let mut line = String::new();
    words.read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("note: open this address in a browser: ").unwrap();
    let address = url::Url::parse(address).unwrap();
    let of = |name: &str| address.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
    let back = url::Url::parse(&of("redirect_uri")).unwrap();
    let visit = |target: String| {
        let mut browser = TcpStream::connect(("127.0.0.1", back.port().unwrap())).unwrap();
        write!(browser, "GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").unwrap();
        let mut page = String::new();
        browser.read_to_string(&mut page).unwrap();
        page
    };
    assert!(visit("/favicon.ico".to_owned()).starts_with("HTTP/1.1 404"));
    assert!(visit(format!("{}?code=the-code&state=another", back.path())).starts_with("HTTP/1.1 400"));
    let page = visit(format!("{}?code=the-code&state={}", back.path(), of("state")));
    assert!(page.ends_with("You are logged in. You can close this page."), "{page}");
    let Output { status, stdout, .. } = login.wait_with_output().unwrap();
    assert_eq!(
        (status.code(), String::from_utf8(stdout).unwrap().trim_end()),
        (Some(0), "logged in to site: 1 tool")
    );

    assert_eq!(run("mcp list site").1, "site: 1 tool\n  read\n");
    assert_eq!(run("mcp logout site").1, "logged out of site\n");
    assert_eq!(run("mcp logout site").1, "there is no login to site\n");
    assert_eq!(run("mcp list site").0, 2);
}

/// A folder with one server that is reached by address, and a card whose agent calls its tool.
fn with_site(site: Site, more: &Value) -> Folder {
    let folder = Folder::new(&[]);
    let mut server = json!({ "url": format!("http://{}/mcp", login_site::start(site)) });
    server.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    fs::write(folder.path(".mcp.json"), json!({ "mcpServers": { "site": server } }).to_string()).unwrap();
    fs::write(folder.path("desk.md"), "---\nservers: [site]\n---\nRead.\n").unwrap();
    let script = "desk:\n  - calls: [{ tool: site__read, args: {} }]\n  - say: \"{last}\"\n";
    fs::write(folder.path("script.yaml"), script).unwrap();
    folder
}

impl Folder {
    /// As [`Self::run`], with states of its own.
    fn run_alone(&self, arguments: &str) -> (i32, String, String) {
        let output = self.command(arguments).env("XDG_STATE_HOME", self.path("states")).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }
}

#[test]
fn a4_a_server_that_requires_authorization_is_explained_in_words_of_the_command_line() {
    let closed = with_site(Site::Closed, &json!({}));
    let run = "run --card desk.md --model script:script.yaml Go.";
    for command in ["mcp list", run] {
        let (code, _, words) = closed.run_alone(command);
        assert_eq!(code, 2, "{words}");
        assert!(
            words.contains(
                "Add `headers` to `site` in `.mcp.json`; or, if people log in to it in the browser, run `onionskin mcp login site`."
            ) && !words.contains("ServerConfig"),
            "{words}"
        );
    }
    let header = with_site(Site::Closed, &json!({ "headers": { "Authorization": "Bearer no" } }));
    let (_, _, words) = header.run_alone("mcp list");
    assert!(words.contains("Check the header `Authorization` of `site` in `.mcp.json`."), "{words}");
    // A login that ends during a run.
    let (code, out, words) = with_site(Site::ClosedCalls, &json!({})).run_alone(run);
    assert!(
        code == 0 && out.contains("(status 401); the call did not run. Run `onionskin mcp login site`."),
        "{out}{words}"
    );
}

#[test]
fn a4_mcp_login_says_what_a_server_without_a_login_needs() {
    for (site, code, expected) in [
        (Site::Open, 0, "site answers without a login: 1 tool\n"),
        (Site::Closed, 2, "error: `site` describes no login: write `headers` for it in its configuration\n"),
        (
            Site::Unregistered,
            2,
            "error: the authorization server of `site` registers no programs: register one there, and name it with `--client-id`\n",
        ),
    ] {
        let folder = with_site(site, &json!({}));
        let (ended, out, words) = folder.run_alone("mcp login site --no-browser");
        assert_eq!((ended, &*format!("{out}{words}")), (code, expected), "{site:?}");
        assert_eq!(folder.run_alone("mcp logout site").1, "there is no login to site\n");
    }
}

#[test]
fn a4_headers_of_a_card_with_secrets_of_a_session_need_a_program() {
    let folder = with_site(Site::Open, &json!({}));
    let card = |value: &str| {
        let text =
            format!("---\nservers: [site]\nheaders:\n  site:\n    Authorization: \"{value}\"\n---\nRead.\n");
        fs::write(folder.path("desk.md"), text).unwrap();
    };
    card("Bearer {session_state.token}");
    let sentence = "`{session_state.token}` is a secret that a program sets: write the headers of `site` in `.mcp.json`, with a variable of the \
                    environment such as `${TOKEN}`";
    let (code, out, _) = folder.run_alone("check --json desk.md");
    let problems: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, problems[0]["message"].as_str()), (1, Some(sentence)), "{out}");
    assert_eq!((&problems[0]["line"], problems.as_array().unwrap().len()), (&5.into(), 1), "{out}");
    let (code, _, words) = folder.run_alone("run --card desk.md --model script:script.yaml Go.");
    assert!(code == 2 && words.contains(sentence) && !words.contains("oauth"), "{words}");
}
