//! The ready program runs the program of a package, if cards name items in Rust.

use std::process::Command;

use crate::folder::{Folder, Ran, TOOLS};

const CARD: (&str, &str) =
    ("desk/cards/adder.md", "---\nfunction_tools: [tools.rs:add_one]\n---\nDo sums.\n");

/// Shows how it was run, and fails.
const PROGRAM: (&str, &str) = (
    "desk/src/bin/clerk.rs",
    "fn main() {\n    let arguments: Vec<String> = std::env::args().skip(1).collect();\n    let here = std::env::current_dir().unwrap();\n    \
     let input = std::io::read_to_string(std::io::stdin()).unwrap();\n    \
     println!(\"{arguments:?} {} {input:?}\", here.join(\"desk\").is_dir());\n    std::process::exit(3);\n}\n",
);

fn package(section: &str) -> Folder {
    let manifest = format!("[package]\nname = \"desk\"\nedition = \"2024\"\n{section}\n[workspace]\n");
    Folder::new(&[CARD, ("desk/cards/tools.rs", ""), PROGRAM, ("desk/Cargo.toml", &manifest)])
}

const NAMED: &str = "[package.metadata.onionskin]\nprogram = \"clerk\"\n";

fn run(folder: &Folder, arguments: &[&str]) -> Ran {
    Ran::new(command(folder, arguments).output().unwrap())
}

fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = folder.command(arguments);
    command.env("CARGO", env!("CARGO")).env("CARGO_TARGET_DIR", folder.path("target"));
    command
}

#[test]
fn o1_cards_with_rust_are_run_by_the_program_of_their_package() {
    let folder = package(NAMED);
    folder.write("question.txt", "What is 41 + 1?");
    let arguments = ["run", "--card", "desk/cards/adder.md", "-"];
    let mut command = command(&folder, &arguments);
    let ran =
        Ran::new(command.stdin(std::fs::File::open(folder.path("question.txt")).unwrap()).output().unwrap());
    assert_eq!(ran.code, 3, "{ran:?}");
    assert_eq!(ran.out, format!("{arguments:?} true \"What is 41 + 1?\"\n"));
    let note = "note: `desk/cards/adder.md` names items in Rust, so this runs the program `clerk` of `desk/Cargo.toml`\n";
    assert!(ran.words.starts_with(note), "{}", ran.words);

    for command in ["chat", "list", "schema", "docs", "graph"] {
        let ran = run(&folder, &[command, "--card", "desk/cards"]);
        assert_eq!(ran.out, format!("{:?} true \"\"\n", [command, "--card", "desk/cards"]), "{ran:?}");
    }
}

#[test]
fn o1_check_starts_nothing_and_names_the_program() {
    let ran = run(&package(NAMED), &["check", "desk/cards"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("`tools.rs:add_one` is Rust: it needs a program of yours"), "{}", ran.out);
    let note = "note: the items in Rust are checked by the package's own program: cargo run --manifest-path desk/Cargo.toml --bin clerk -- check\n";
    assert!(ran.words.ends_with(note), "{}", ran.words);

    // The command can be pasted.
    let folder = package(NAMED);
    std::fs::rename(folder.path("desk"), folder.path("my desk")).unwrap();
    let ran = run(&folder, &["check", "my desk/cards"]);
    assert!(
        ran.words.contains("cargo run --manifest-path 'my desk/Cargo.toml' --bin clerk"),
        "{}",
        ran.words
    );
}

#[test]
fn o1_a_program_that_the_package_does_not_have_is_an_error() {
    for (section, reason) in [
        (
            "[package.metadata.onionskin]\nprogram = \"clark\"\n",
            "`package.metadata.onionskin` names the program `clark`, and the package has `clerk`",
        ),
        (
            "[package.metadata.onionskin]\nprogramm = \"clerk\"\n",
            "`package.metadata.onionskin`: unknown field `programm`",
        ),
        ("[package.metadata.onionskin]\n", "`package.metadata.onionskin`: missing field `program`"),
        ("[package.metadata]\nonionskin = \"clerk\"\n", "`package.metadata.onionskin`: invalid type: string"),
        ("edition = \"2024\"\n", "duplicate key"),
    ] {
        run(&package(section), &["list", "--card", "desk/cards"])
            .failed(&["error: `desk/Cargo.toml`: ", reason]);
    }
}

#[test]
fn o1_without_a_program_of_the_package_the_card_is_wrong() {
    let words = ["`tools.rs:add_one` is Rust: it needs a program of yours", "--> desk/cards/adder.md:2:18"];
    run(&package(""), &["list", "--card", "desk/cards"]).failed(&words);
    let folder = package(NAMED);
    // The program of a package does not run itself.
    let mut marked = command(&folder, &["list", "--card", "desk/cards"]);
    Ran::new(marked.env("ONIONSKIN_PACKAGE_PROGRAM", "clerk").output().unwrap()).failed(&words);
    // There is no cargo.
    let mut without = command(&folder, &["list", "--card", "desk/cards"]);
    Ran::new(without.env("CARGO", "no-such-cargo").output().unwrap()).failed(&words);
    // A script is run here.
    folder.write("desk/cards/adder.md", "---\nfunction_tools: [tools.rhai:add_one]\n---\nDo sums.\n");
    folder.write("desk/cards/tools.rhai", TOOLS.1);
    let ran = run(&folder, &["list", "--card", "desk/cards"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}
