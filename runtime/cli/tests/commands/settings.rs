//! The settings of files and of the environment.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

use crate::folder::{Folder, Ran};

const RUN: [&str; 4] = ["run", "--card", "cards/adder.md", "41 + 1?"];

#[test]
fn o1_the_nearest_place_of_a_setting_wins() {
    let folder = Folder::adder();
    folder.write("other.yaml", "adder:\n  - say: The other.\n");
    folder.run(&RUN).failed(&["the agent `adder` has no model"]);
    // The file of the user names files beside it.
    folder.write("home/onionskin/config.toml", "model = \"script:script.yaml\"\n");
    folder.run(&RUN).failed(&["home/onionskin/script.yaml"]);
    let mut at_home = folder.command(&RUN);
    folder.write("home/onionskin/config.toml", "model = \"script:~/script.yaml\"\n");
    let ran = Ran::new(at_home.env("HOME", folder.path("")).output().unwrap());
    assert_eq!(ran.out, "It is 42.\n", "{ran:?}");
    folder.write("onionskin.toml", "model = \"script:script.yaml\"\n");
    assert_eq!(folder.run(&RUN).out, "It is 42.\n");
    let with =
        |variable: &str| Ran::new(folder.command(&RUN).env("ONIONSKIN_MODEL", variable).output().unwrap());
    assert_eq!(with("script:other.yaml").out, "The other.\n");
    with("script:no.yaml").failed(&["no.yaml"]);
    // A variable of `.env` is one of the environment, and does not replace it.
    folder.write(".env", "ONIONSKIN_MODEL=script:other.yaml\nMY_KEY=hunter2\n");
    assert_eq!(folder.run(&RUN).out, "The other.\n");
    with("script:no.yaml").failed(&["no.yaml"]);
    let ran = folder.run(&[&RUN[..3], &["--model", "script:script.yaml", "41 + 1?"]].concat());
    assert_eq!(ran.out, "It is 42.\n");
    let ran = folder.run(&["config"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for part in [
        "model: script:other.yaml, from `.env`\n",
        "base_url: (not set; the variable is `ONIONSKIN_BASE_URL`)\n",
        ".env: `ONIONSKIN_MODEL`, `MY_KEY`\n",
        "home/onionskin/config.toml\n",
    ] {
        assert!(ran.out.contains(part), "{part}: {ran:?}");
    }
    assert!(!format!("{ran:?}").contains("hunter2"), "{ran:?}");
}

#[test]
fn o1_a_mistake_in_a_file_of_settings_shows_no_key() {
    let folder = Folder::adder();
    for (file, text, part) in [
        (
            "onionskin.toml",
            "\nmodle = \"x\"\n",
            "onionskin.toml:2: unknown field `modle`; did you mean `model`?",
        ),
        (
            "onionskin.toml",
            "api_key = \"hunter2\"\n",
            "a key itself belongs in the environment, or in `.env`",
        ),
        ("onionskin.toml", "model = hunter2\n", "onionskin.toml:1: "),
        ("onionskin.toml", "api_key_env = \"KEY\"\n", "without a `base_url`"),
        (
            "onionskin.toml",
            "base_url = \"http://x\"\napi_key_env = \"sk-hunter2\"\n",
            "is the name of a variable, such as",
        ),
        (
            "onionskin.toml",
            "base_url = \"http://x\"\napi_key_env = \"HOME\"\n",
            "chooses the key in `HOME`, which is not from `.env`",
        ),
        (
            ".env",
            "ONIONSKIN_BASE_URL=http://x\nONIONSKIN_API_KEY_ENV=HOME\n",
            "chooses the key in `HOME`, which is not from `.env`",
        ),
        (
            "onionskin.toml",
            "sessions = \"hunter2.db\"\n",
            "error: `sessions` in `onionskin.toml`: a folder cannot choose where your conversations are stored",
        ),
        (
            ".env",
            "ONIONSKIN_SESSIONS=hunter2.db\n",
            "error: `ONIONSKIN_SESSIONS` in `.env`: a folder cannot choose where your conversations are stored",
        ),
    ] {
        folder.write("onionskin.toml", "");
        folder.write(".env", "");
        folder.write(file, text);
        let ran = folder.run(&["config"]);
        ran.failed(&[part]);
        assert!(!ran.words.contains("hunter2"), "{ran:?}");
    }
}

#[test]
fn o1_the_key_of_one_address_is_not_sent_to_another() {
    let (folder, server) = (Folder::adder(), Recorder::start());
    let keyed = "base_url = \"http://127.0.0.1:1/v1\"\napi_key_env = \"MY_KEY\"\nmodel = \"qwen3\"\n";
    folder.write("home/onionskin/config.toml", keyed);
    folder.write("onionskin.toml", &format!("base_url = {:?}\n", server.url));
    folder.write(".env", "MY_KEY=hunter2\n");
    let ran = folder.run(&RUN);
    assert_eq!(ran.code, 2, "{ran:?}");
    let sent = server.take().concat();
    assert!(sent.starts_with("POST /v1/chat/completions") && !sent.contains("hunter2"), "{sent}");
    let ran = folder.run(&["config"]);
    assert!(ran.out.contains("api_key_env: (not set;") && ran.out.contains("model: qwen3, from "), "{ran:?}");
}

/// A server that records its requests and refuses each of them.
struct Recorder {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    fn start() -> Self {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", server.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in server.incoming() {
                let mut stream = stream.unwrap();
                let mut request = Vec::new();
                let mut part = [0; 4096];
                while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                    match stream.read(&mut part).unwrap_or(0) {
                        0 => break,
                        read => request.extend_from_slice(&part[..read]),
                    }
                }
                recorded.lock().unwrap().push(String::from_utf8_lossy(&request).into_owned());
                let _ = stream.write_all(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n");
            }
        });
        Self { url, requests }
    }

    /// The requests since the last call.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }
}

/// Runs the program with a key of the user's, and holds it to show and send nothing of it.
fn without_key(folder: &Folder, server: &Recorder, arguments: &[&str]) -> Ran {
    let ran = Ran::new(folder.command(arguments).env("OPENAI_API_KEY", "sk-hunter2").output().unwrap());
    let sent = server.take();
    assert!(!format!("{ran:?}{sent:?}").contains("hunter2"), "{ran:?} {sent:?}");
    ran
}

#[test]
fn o1_a_file_of_variables_takes_no_value_from_the_environment() {
    let (folder, server) = (Folder::adder(), Recorder::start());
    let url = &server.url;
    let named = format!("base_url = {url:?}\napi_key_env = \"MY\"\nmodel = \"gpt-4o-mini\"\n");
    let addressed = format!("base_url = {url:?}\n");
    for (line, settings, variables) in [
        (1, &*named, "MY=${OPENAI_API_KEY}\n".to_owned()),
        (1, &named, "MY=\"$OPENAI_API_KEY\"\n".to_owned()),
        (2, &named, "B='$OPENAI'\nMY=\"a\n${OPENAI_API_KEY}\n\"\n".to_owned()),
        (2, &named, "A='${OPENAI_API_KEY}'\nMY=${A}\n".to_owned()),
        (1, "", format!("ONIONSKIN_BASE_URL={url}/${{OPENAI_API_KEY}}\nONIONSKIN_MODEL=gpt-4o-mini\n")),
        (1, &addressed, "ONIONSKIN_MODEL=gpt-${OPENAI_API_KEY}\n".to_owned()),
        (1, &addressed, "ONIONSKIN_MODEL=gpt-'a'${OPENAI_API_KEY}\n".to_owned()),
        (1, &addressed, "ONIONSKIN_MODEL=gpt-\\'${OPENAI_API_KEY}\\'\n".to_owned()),
    ] {
        folder.write("onionskin.toml", settings);
        folder.write(".env", &variables);
        let ran = without_key(&folder, &server, &RUN);
        assert_eq!(ran.code, 2, "{variables}: {ran:?}");
        let place = format!("warning: .env:{line}: this sets nothing");
        assert!(ran.words.contains(&place) && ran.words.contains("in single quotes"), "{variables}: {ran:?}");
        without_key(&folder, &server, &["config"]);
    }
    // What it says literally is taken.
    folder.write("onionskin.toml", &named);
    folder.write(".env", "# costs $5\nMY='a$b${c}' # $1\n");
    let ran = folder.run(&RUN);
    assert!(!ran.words.contains("warning"), "{ran:?}");
    assert!(server.take().concat().contains("a$b${c}"));
}

#[test]
fn o1_a_link_to_a_file_of_variables_gives_the_folder_no_key() {
    let (folder, server) = (Folder::adder(), Recorder::start());
    let named = format!("base_url = {:?}\napi_key_env = \"MY\"\nmodel = \"gpt-4o-mini\"\n", server.url);
    folder.write("onionskin.toml", &named);
    folder.write("own/.env", "MY=sk-hunter2\n");
    std::os::unix::fs::symlink(folder.path("own/.env"), folder.path(".env")).unwrap();
    without_key(&folder, &server, &RUN)
        .failed(&["chooses the key in `MY`, which is not from `.env` (a link counts as yours)"]);
    folder.write("onionskin.toml", "model = \"script:script.yaml\"\n");
    assert_eq!(folder.run(&["config"]).out.lines().last(), Some(".env: `MY`"));
}

#[test]
fn o1_a_file_of_variables_does_not_move_the_files_of_the_user() {
    let (folder, server) = (Folder::adder(), Recorder::start());
    let settings =
        format!("base_url = {:?}\napi_key_env = \"OPENAI_API_KEY\"\nmodel = \"gpt-4o-mini\"\n", server.url);
    folder.write("evil/onionskin/config.toml", &settings);
    folder.write("evil/.config/onionskin/config.toml", &settings);
    let evil = folder.path("evil").display().to_string();
    let run = |arguments: &[&str]| {
        let mut command = folder.command(arguments);
        command.env_remove("XDG_CONFIG_HOME").env_remove("XDG_STATE_HOME").env_remove("HOME");
        Ran::new(command.env("OPENAI_API_KEY", "sk-hunter2").output().unwrap())
    };
    for name in ["XDG_CONFIG_HOME", "HOME", "XDG_STATE_HOME"] {
        folder.write(".env", &format!("{name}={evil}\n"));
        let ran = run(&RUN);
        assert!(ran.code == 2 && server.take().is_empty(), "{ran:?}");
        let ran = run(&["config"]);
        assert!(!ran.out.contains(&evil) && ran.out.ends_with(".env: no variables\n"), "{ran:?}");
        assert!(ran.words.starts_with("warning: `.env` cannot set ") && ran.words.contains(name), "{ran:?}");
    }
}

#[test]
fn o1_a_file_of_variables_does_not_choose_whom_the_program_trusts() {
    let (folder, server) = (Folder::adder(), Recorder::start());
    let proxy = server.url.strip_suffix("/v1").unwrap();
    // Nothing has this address; a proxy would get the request.
    let run = [
        "--model",
        "gpt-4o-mini",
        "--base-url",
        "http://models.invalid/v1",
        "--api-key-env",
        "OPENAI_API_KEY",
    ];
    let run = [&RUN[..3], &run, &["41 + 1?"]].concat();
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        folder.write(".env", &format!("{name}={proxy}\n"));
        let mut command = folder.command(&run);
        for proxy in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"] {
            command.env_remove(proxy);
        }
        let ran = Ran::new(command.env("OPENAI_API_KEY", "sk-hunter2").output().unwrap());
        assert!(ran.code == 2 && server.take().is_empty(), "{ran:?}");
        assert!(ran.words.contains(name), "{ran:?}");
    }
    let names = [
        "PATH",
        "Path",
        "https_proxy",
        "NO_PROXY",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "SSLKEYLOGFILE",
        "LD_PRELOAD",
        "DYLD_INSERT_LIBRARIES",
        "BASH_ENV",
        "ENV",
        "SHELL",
        "CARGO",
        "CARGO_HOME",
        "RUSTC_WRAPPER",
        "NODE_OPTIONS",
        "NODE_EXTRA_CA_CERTS",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "PYTHONPATH",
        "GIT_SSH_COMMAND",
        "OMLX_ENDPOINT",
        "GENAI_1_ENDPOINT",
        "VERTEX_LOCATION",
        "AWS_REGION",
    ];
    let lines: Vec<_> = names.iter().map(|name| format!("{name}=/evil\n")).collect();
    folder.write(".env", &format!("{}RUST_LOG=debug\nNODE_ENV=x\n", lines.concat()));
    let ran = folder.run(&["config"]);
    assert!(ran.out.ends_with("\n.env: `RUST_LOG`, `NODE_ENV`\n"), "{ran:?}");
    assert_eq!(ran.words.lines().count(), 1, "{ran:?}");
    for name in names {
        assert!(ran.words.contains(&format!("`{name}`")), "{name}: {ran:?}");
    }
}

#[test]
fn o1_a_key_of_the_user_needs_an_address_of_the_user() {
    let (folder, server) = (Folder::adder(), Recorder::start());
    let addressed = format!("base_url = {:?}\nmodel = \"gpt-4o-mini\"\n", server.url);
    let keyed = [&RUN[..3], &["--api-key-env", "OPENAI_API_KEY", "41 + 1?"]].concat();
    for (file, text, name) in [
        ("onionskin.toml", addressed.clone(), "`base_url` in `onionskin.toml`"),
        (
            ".env",
            format!("ONIONSKIN_BASE_URL={}\nONIONSKIN_MODEL=gpt-4o-mini\n", server.url),
            "`ONIONSKIN_BASE_URL` in `.env`",
        ),
    ] {
        folder.write("onionskin.toml", "");
        folder.write(file, &text);
        without_key(&folder, &server, &keyed).failed(&[name, "write `--base-url` too"]);
    }
    folder.write("onionskin.toml", "");
    folder.write(".env", "");
    let is_sent = |command: &mut Command| {
        command.env("OPENAI_API_KEY", "sk-hunter2").output().unwrap();
        server.take().concat().contains("Bearer sk-hunter2")
    };
    let flag = [&keyed[..3], &["--model", "gpt-4o-mini", "--base-url", &server.url], &keyed[3..]].concat();
    assert!(is_sent(&mut folder.command(&flag)));
    let mut command = folder.command(&keyed);
    command.env("ONIONSKIN_BASE_URL", &server.url).env("ONIONSKIN_MODEL", "gpt-4o-mini");
    assert!(is_sent(&mut command));
    folder.write("home/onionskin/config.toml", &addressed);
    assert!(is_sent(&mut folder.command(&keyed)));
}

#[test]
fn o1_a_line_of_another_program_in_a_file_of_variables_stops_nothing() {
    let folder = Folder::adder();
    let lines = [
        "A=b c",
        "JSON={\"a\": \"b\"}",
        "FOO-BAR=1",
        "A=it's",
        "export FOO",
        "BAR: hunter2",
        "A=\"hunter2",
        "=x",
        "A='a\0b'",
    ];
    for line in lines {
        folder.write(".env", &format!("\u{feff}# Of others.\n\nFIRST=1\n{line}\nMY_KEY='a\nb'\n\nONIONSKIN_MODEL=script:script.yaml\n"));
        let ran = folder.run(&RUN);
        assert_eq!((ran.code, &*ran.out), (0, "It is 42.\n"), "{line}: {ran:?}");
        let place = "warning: .env:4: this is not `NAME=value`, and sets nothing";
        assert!(ran.words.starts_with(place) && ran.words.lines().count() == 1, "{line}: {ran:?}");
        assert!(!ran.words.contains("hunter2"), "{ran:?}");
        let ran = folder.run(&["config"]);
        assert!(ran.out.ends_with("\n.env: `FIRST`, `MY_KEY`, `ONIONSKIN_MODEL`\n"), "{line}: {ran:?}");
    }
    folder.write(".env", &"A=b c\n".repeat(99));
    let words = folder.run(&["config"]).words;
    assert!(
        words.ends_with(" (98 more: 2, 3, 4, 5, 6, 7, 8, 9, 10, ..)\n") && words.lines().count() == 1,
        "{words}"
    );
    std::fs::remove_file(folder.path(".env")).unwrap();
    std::fs::create_dir(folder.path(".env")).unwrap();
    let ran = folder.run(&["new", "demo", "--cards"]);
    assert!(ran.code == 0 && ran.words.contains("warning: cannot read `.env`: it is not a file"), "{ran:?}");
}

#[test]
fn o1_a_message_about_a_setting_names_its_place() {
    let folder = Folder::adder();
    for (file, text, part) in [
        (
            "onionskin.toml",
            "model = \"\"\n",
            "`model` in `onionskin.toml` is empty: write a name, or remove it",
        ),
        (".env", "ONIONSKIN_MODEL=' '\n", "`ONIONSKIN_MODEL` in `.env` is empty"),
        (
            "onionskin.toml",
            "model = \"s.yaml\"\n",
            "`model` in `onionskin.toml`: `s.yaml` is a file: for a scripted model write `script:s.yaml`",
        ),
        ("onionskin.toml", "model = \"script:no.yaml\"\n", "error: `model` in `onionskin.toml`: "),
        ("onionskin.toml", "model = \"wibble\"\n", "error: `model` in `onionskin.toml`: "),
        (
            "onionskin.toml",
            "base_url = \"nonsense\"\n",
            "error: `base_url` in `onionskin.toml` is an address such as",
        ),
        (".env", "ONIONSKIN_BASE_URL=http://a:b@c/v1\n", "error: `ONIONSKIN_BASE_URL` in `.env` has a user"),
        (
            "onionskin.toml",
            "model = \"script:script.yaml\"\nservers = \"srv.json\"\n",
            "`servers` in `onionskin.toml`: ",
        ),
    ] {
        folder.write("onionskin.toml", "");
        folder.write(".env", "");
        folder.write(file, text);
        folder.run(&RUN).failed(&[part]);
        let ran = folder.run(&["check"]);
        let is_strict = ran.code == 1 && ran.out.contains(part.strip_prefix("error: ").unwrap_or(part));
        assert!(is_strict || text.contains("servers"), "{part}: {ran:?}");
    }
    folder.run(&["mcp", "list"]).failed(&["there is no `srv.json`", "`servers` in `onionskin.toml`: "]);
    folder.write("onionskin.toml", "");
    let ran = Ran::new(folder.command(&RUN).env("ONIONSKIN_MODEL", " ").output().unwrap());
    ran.failed(&["error: `ONIONSKIN_MODEL` in the environment is empty"]);
    folder.write(".env", "ONIONSKIN_MODEL=qwen3\nONIONSKIN_BASE_URL=http://127.0.0.1:1/v1\n");
    folder
        .run(&RUN)
        .failed(&["the model is `qwen3`, at the server `127.0.0.1:1` of `ONIONSKIN_BASE_URL` in `.env`"]);
    assert!(folder.run(&["config"]).out.starts_with("model: qwen3, from `.env`\n"));
}
