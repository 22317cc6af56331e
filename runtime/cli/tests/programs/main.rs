//! Programs of users. This is one of them if the environment names it, and their tests otherwise.
#![allow(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "tests say what they expect")]

use std::path::Path;
use std::process::{Command, ExitCode, Output};
use std::time::Duration;

use onionskin::budget::{Budget, BudgetScope};
use onionskin::cli::Program;
use onionskin::declaration::AppBuilder;
use onionskin::loader::Registry;
use onionskin::question::{Answer, Question};
use onionskin::sessions::SessionStoreError;
use onionskin::sqlite::Sqlite;
use onionskin::{Provided, ScriptedModel, ScriptedTurn, agent, tool};
use serde_json::json;

/// The variable that names the program to be.
const PROGRAM: &str = "ONIONSKIN_TEST_PROGRAM";

struct Prices(u32);

#[derive(Clone)]
struct Visits;

/// The price of a lamp.
#[tool]
fn price(prices: Provided<Prices>) -> u32 {
    prices.0
}

/// Sells a lamp.
#[tool(approval)]
fn sell() -> &'static str {
    "sold"
}

/// Blocks the thread that calls it.
#[tool]
fn block() {
    println!("blocked");
    std::thread::sleep(Duration::from_mins(1));
}

agent! {
    Blocker { instruction: "Block.", function_tools: [block] }
    Desk { instruction: "Sell.", function_tools: [price, sell], default: true }
    Clerk { instruction: "Take notes." }
}

fn model() -> ScriptedModel {
    ScriptedModel::new()
        .agent(
            "Desk",
            [
                ScriptedTurn::call("price", json!({})).and_call("sell", json!({})),
                ScriptedTurn::say("{last}, says the desk."),
            ],
        )
        .agent("Clerk", [ScriptedTurn::say("I note: {input}")])
        .agent("Seller", [ScriptedTurn::call("price", json!({})), ScriptedTurn::say("{input} {last}")])
}

/// The model of a card.
fn keeper() -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::say("Kept: {input}")])
}

fn program() -> Program {
    Program::new("desk", "1.2.3").agent::<Desk>().agent::<Clerk>()
}

async fn allowed(_: Question) -> Option<Answer> {
    Some(Answer::allow())
}

fn main() -> ExitCode {
    match std::env::var(PROGRAM).as_deref() {
        Ok("builds") => {
            program().setup(|app| app.provide(Prices(42)).model(model()).answerer(allowed)).main()
        }
        Ok("waits") => program()
            .setup(|app| async {
                tokio::task::yield_now().await;
                Ok::<_, std::io::Error>(app.provide(Prices(43)).model(model()).answerer(allowed))
            })
            .main(),
        Ok("fails") => program().setup(|_| Err(std::io::Error::other("no prices today"))).main(),
        Ok("panics") => program().setup(|_| -> AppBuilder { panic!("no luck") }).main(),
        Ok("blocks") => Program::new("blocker", "1.2.3")
            .agent::<Blocker>()
            .setup(|app| app.model(ScriptedModel::turns([ScriptedTurn::call("block", json!({}))])))
            .main(),
        Ok("registers") => program()
            .registry(Registry::new().file("Sale/tools/price.rs", |items| items.tool::<price>()))
            .setup(|app| app.provide(Prices(42)).model(model()))
            .main(),
        Ok("cards") => Program::new("cards", "1.2.3")
            .agent::<Clerk>()
            .registry(Registry::new().file("tools.rs", |items| items.tool::<price>()))
            .setup(|app| app.provide(Prices(42)).state(Visits).model(keeper()))
            .main(),
        Ok("gives") => Program::new("gives", "1.2.3")
            .agent::<Clerk>()
            .setup(|app| app.state(Visits).model(keeper()))
            .main(),
        Ok("stores") => program()
            .setup(|app| async {
                Ok::<_, SessionStoreError>(
                    app.model(model()).provide(Prices(42)).session_store(Sqlite::open("own.db").await?),
                )
            })
            .main(),
        Ok("limits") => program()
            .setup(|app| {
                let budget = Budget::new("trial", BudgetScope::User).calls(9);
                app.model(model()).provide(Prices(42)).budget(budget)
            })
            .main(),
        Ok("asks") => program().setup(|app| app.provide(Prices(42)).model(model())).main(),
        _ => {
            o1_a_program_sets_its_agents_up();
            o1_a_setup_that_fails_is_an_error_of_the_command();
            o1_a_setup_can_give_what_only_some_cards_use();
            o1_a_call_that_needs_approval_stays_open_without_a_person();
            o1_the_program_has_its_own_name_and_agents();
            a3_check_names_the_command_of_the_program();
            c4_the_registry_has_the_tools_of_a_workflow();
            a12_a_program_has_its_own_store_of_sessions();
            a13_a_run_is_for_the_user_of_the_option();
            #[cfg(unix)]
            o1_signals_end_a_program_that_a_tool_blocks();
            ExitCode::SUCCESS
        }
    }
}

fn run(program: &str, arguments: &[&str]) -> (i32, String, String) {
    run_in(Path::new("."), program, arguments)
}

/// The exit code, the result and the words of a program in a folder.
fn run_in(folder: &Path, program: &str, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(arguments).env(PROGRAM, program).current_dir(folder);
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

fn o1_a_program_sets_its_agents_up() {
    for (program, price) in [("builds", 42), ("waits", 43)] {
        let (code, out, words) = run(program, &["run", "A lamp, please."]);
        assert_eq!((code, &*out), (0, &*format!("{price}\nsold, says the desk.\n")), "{words}");
    }
    assert_eq!(run("builds", &["run", "--agent", "Clerk", "A lamp."]).1, "I note: A lamp.\n");
    // The arguments win.
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.yaml");
    std::fs::write(&script, "Desk: [{ say: Closed. }]\n").unwrap();
    let model = format!("script:{}", script.display());
    assert_eq!(run("builds", &["run", "--model", &model, "A lamp."]).1, "Closed.\n");
}

fn o1_a_setup_that_fails_is_an_error_of_the_command() {
    for (program, words) in [
        ("fails", "error: the program's `setup` failed: no prices today"),
        ("panics", "error: the program's `setup` panicked"),
    ] {
        for command in [&["run", "A lamp."][..], &["list"]] {
            let (code, out, said) = run(program, command);
            assert_eq!((code, &*out), (2, ""));
            assert!(said.contains(words), "{said}");
        }
    }
}

fn o1_a_setup_can_give_what_only_some_cards_use() {
    let folder = tempfile::tempdir().unwrap();
    let card = folder.path().join("keeper.yaml");
    std::fs::write(&card, "instruction: Keep notes.\n").unwrap();
    let (code, out, words) = run("cards", &["run", "--card", card.to_str().unwrap(), "A lamp."]);
    assert_eq!((code, &*out), (0, "Kept: A lamp.\n"), "{words}");
    // A registry is for cards, also where a command names none.
    let (code, out, words) = run("cards", &["run", "A lamp."]);
    assert_eq!((code, &*out), (0, "Kept: A lamp.\n"), "{words}");
    // Without a registry, what no agent uses is a mistake.
    let (code, out, words) = run("gives", &["run", "A lamp."]);
    assert_eq!((code, &*out), (2, ""));
    assert!(words.contains("`.state(..)` was called with a `programs::Visits`"), "{words}");
}

fn o1_a_call_that_needs_approval_stays_open_without_a_person() {
    let (code, out, words) = run("asks", &["run", "A lamp."]);
    assert_eq!((code, &*out), (2, ""));
    assert!(
        words.contains("this question was not answered:\n  Desk: sell {}: may this call run?"),
        "{words}"
    );
}

fn o1_the_program_has_its_own_name_and_agents() {
    assert_eq!(run("builds", &["--version"]).1, "desk 1.2.3\n");
    let (_, help, _) = run("builds", &["run", "--help"]);
    assert!(help.contains("Usage: desk run") && help.contains("  desk run --card"), "{help}");
    let (_, list, _) = run("builds", &["list"]);
    assert!(list.starts_with("Desk\n  price  function            The price of a lamp.\n"), "{list}");
    assert!(list.contains("\n\nClerk\n"), "{list}");
}

fn a3_check_names_the_command_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in [
        ("clock.yaml", "instruction: Tell the time.\nservers: [time]\ntools: { time: [get_tme] }\n"),
        ("onionskin-mcp.lock.json", r#"{"version": 1, "servers": {"time": {"tools": {}}}}"#),
    ] {
        std::fs::write(folder.path().join(file), text).unwrap();
    }
    // Its servers can be in code.
    let (code, out, words) = run_in(folder.path(), "cards", &["check", "clock.yaml"]);
    assert!(code == 1 && words.ends_with(": 1 problem\n"), "{out}{words}");
    assert!(out.contains("it has no tools there. If the server has changed, run `cards mcp lock`"), "{out}");
}

fn c4_the_registry_has_the_tools_of_a_workflow() {
    let folder = tempfile::tempdir().unwrap();
    let sale = folder.path().join("Sale");
    std::fs::create_dir_all(sale.join("tools")).unwrap();
    for (file, text) in [
        ("orchestrator.json", r#"{ "start_agent": "Seller", "initial_message": "How much?" }"#),
        ("agents.json", r#"{ "Seller": { "instruction": "Sell." } }"#),
        ("tools.json", r#"{ "agent_tools": { "Seller": [{ "path": "tools.price.price" }] } }"#),
        ("tools/price.rs", ""),
    ] {
        std::fs::write(sale.join(file), text).unwrap();
    }
    let run = |program, arguments: &[&str]| run_in(folder.path(), program, arguments);
    // The agents of the program are there too, and the start agent wins over the default of the program.
    let (code, out, words) = run("registers", &["run", "--workflow", "Sale"]);
    assert_eq!((code, &*out), (0, "How much? 42\n"), "{words}");
    let (_, out, _) = run("registers", &["run", "--workflow", "Sale", "--agent", "Clerk", "A lamp."]);
    assert_eq!(out, "I note: A lamp.\n");
    let (code, _, words) = run("builds", &["run", "--workflow", "Sale"]);
    assert_eq!(code, 2);
    assert!(words.contains("`tools/price.rs:price` is Rust"), "{words}");
}

fn a13_a_run_is_for_the_user_of_the_option() {
    let run =
        |arguments: &[&str]| run("limits", &[&["run", "--agent", "Clerk", "A lamp."], arguments].concat());
    let words = "error: each user has a budget `trial`: say for whom to run with `--user NAME`\n";
    assert_eq!(run(&[]), (2, String::new(), words.to_owned()));
    assert_eq!(run(&["--user", "ada"]), (0, "I note: A lamp.\n".to_owned(), String::new()));
    assert_eq!(run(&["--user", ""]).0, 2);
}

fn a12_a_program_has_its_own_store_of_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let run = |program, arguments: &[&str]| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(arguments).env(PROGRAM, program).env("XDG_STATE_HOME", folder.path().join("state"));
        let Output { status, stdout, stderr } = command.current_dir(folder.path()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (status.code().unwrap(), text(stdout), text(stderr))
    };
    let clerk = ["run", "--agent", "Clerk", "--session", "a", "A lamp."];
    let note = "note: the session `a` is new\n".to_owned();
    assert_eq!(run("stores", &clerk), (0, "I note: A lamp.\n".to_owned(), note));
    assert!(run("stores", &["sessions", "list"]).1.starts_with("a  20"));
    assert!(folder.path().join("own.db").exists() && !folder.path().join("state").exists());
    let words = "error: the program has a store of sessions of its own: remove `--sessions`\n";
    let two = ["--sessions", "other.db"];
    assert_eq!(run("stores", &[&clerk[..], &two].concat()), (2, String::new(), words.to_owned()));
    assert_eq!(run("stores", &[&["sessions", "list"], &two[..]].concat()).2, words);
    // A program without one has the file in the folder of states.
    assert_eq!(run("builds", &clerk).0, 0);
    assert!(folder.path().join("state/onionskin/desk/sessions").exists());
    assert!(run("builds", &["sessions", "show", "a"]).1.contains("\n2 agent\n  I note: A lamp.\n"));
}

#[cfg(unix)]
fn o1_signals_end_a_program_that_a_tool_blocks() {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::Stdio;
    use std::time::Instant;

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    const CHAT: &[&str] = &["chat"];
    const RUN: &[&str] = &["run", "Block."];
    // In a chat, the first Ctrl-C cancels a run.
    for (arguments, signals, code) in [
        (RUN, &[Signal::SIGINT][..], 130),
        (RUN, &[Signal::SIGTERM], 143),
        (CHAT, &[Signal::SIGTERM], 143),
        (CHAT, &[Signal::SIGINT, Signal::SIGINT], 130),
    ] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(arguments).env(PROGRAM, "blocks").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = command.spawn().unwrap();
        let mut input = program.stdin.take().unwrap();
        input.write_all(b"Block.\n").unwrap();
        let mut shown = BufReader::new(program.stdout.take().unwrap()).lines();
        assert!(shown.any(|line| line.unwrap().contains("blocked")));
        let begun = Instant::now();
        for signal in signals {
            kill(Pid::from_raw(program.id().try_into().unwrap()), *signal).unwrap();
            std::thread::sleep(Duration::from_millis(300));
        }
        assert_eq!(program.wait().unwrap().code(), Some(code), "{arguments:?} {signals:?}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{arguments:?} {signals:?}");
    }
}
