//! A folder in which the program is run.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A folder that is removed at the end.
pub(crate) struct Folder(TempDir);

/// What a run of the program gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) words: String,
}

/// A card whose agent adds numbers with a script.
pub(crate) const ADDER: (&str, &str) = (
    "cards/adder.md",
    "---\ndescription: Adds numbers.\nfunction_tools: [tools.rhai:add_one]\n---\nDo sums.\n",
);

pub(crate) const TOOLS: (&str, &str) = (
    "cards/tools.rhai",
    "/// Adds one to a number.\n/// Args:\n///     x (int): The number.\nfn add_one(x) {\n    x + 1\n}\n",
);

/// What a model would do with it.
pub(crate) const SCRIPT: (&str, &str) = (
    "script.yaml",
    "adder:\n  - say: Let me see.\n    calls: [{ tool: add_one, args: { x: 41 } }]\n  - say: \"It is {last}.\"\n",
);

/// Asks the [asker](Folder::asker) to paint.
pub(crate) const PAINT: [&str; 6] =
    ["run", "--card", "cards/asker.md", "--model", "script:script.yaml", "Paint."];

impl Folder {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    /// An agent that takes these turns, and can ask questions. `fields` are of its card.
    pub(crate) fn asker(fields: &str, turns: &str) -> Self {
        Self::new(&[
            ("cards/asker.md", &format!("---\nruntime: [human.input]\n{fields}---\nAsk.\n")),
            ("script.yaml", &format!("asker:\n{turns}")),
        ])
    }

    /// The adder, with its script.
    pub(crate) fn adder() -> Self {
        Self::new(&[ADDER, TOOLS, SCRIPT])
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onionskin"));
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        for key in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ONIONSKIN_MODEL", "ONIONSKIN_BASE_URL"] {
            command.env_remove(key);
        }
        // The settings of the person who runs the tests are not read.
        command.env("XDG_CONFIG_HOME", self.path("home"));
        command.env("XDG_STATE_HOME", self.path(".state"));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::new(self.command(arguments).output().unwrap())
    }

    /// Runs the program with this text on its standard input.
    pub(crate) fn pipe(&self, input: &[u8], arguments: &[&str]) -> Ran {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = command.spawn().unwrap();
        program.stdin.take().unwrap().write_all(input).unwrap();
        Ran::new(program.wait_with_output().unwrap())
    }
}

impl Ran {
    pub(crate) fn new(Output { status, stdout, stderr }: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: status.code().unwrap(), out: text(stdout), words: text(stderr) }
    }

    /// Holds the run to have failed, with words that have all these parts, and without a result.
    pub(crate) fn failed(&self, parts: &[&str]) {
        assert_eq!((self.code, &*self.out), (2, ""), "{self:?}");
        for part in parts {
            assert!(self.words.contains(part), "{part}: {}", self.words);
        }
    }
}
