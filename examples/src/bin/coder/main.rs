//! A coder that finds and mends a failing test, and asks before it changes anything.
//!
//! ```text
//! cargo run -p onionskin-examples --features coder --bin coder [-- [FOLDER] [--yes] [--git COMMAND]]
//! ```
//!
//! It makes a small project in FOLDER, or in a new temporary folder, and works there with the built-in tools for files and commands.
//! FOLDER is a new or an empty folder, or one of an earlier start. Name only a folder of yours: the session that is stored there says which
//! calls are allowed. Each command and each change needs your approval; `--yes` gives it. The session is stored in `SQLite`: where nobody
//! answers, the run waits in FOLDER, and the next start with the same folder continues it. After a start that was ended in the middle, the
//! task begins again. A budget bounds what the session costs. With `--git`, such as `--git mcp-server-git`, the project is a repository of
//! git, and the coder commits its change through this MCP server. A script plays the model's part.

mod agent;
mod folder;

use std::error::Error;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use onionskin::declaration::{AgentDeclaration, CallFilter};
use onionskin::mcp::ServerConfig;
use onionskin::model::{History, Message};
use onionskin::question::{Answer, Question, Terminal};
use onionskin::sqlite::Sqlite;
use onionskin::{AgentHandle, RunError};
use onionskin_examples::show::View;

use agent::{Coder, TASK, budget, make_project, script};
use folder::{SESSIONS, own_folder};

const USAGE: &str = "usage: coder [FOLDER] [--yes] [--git COMMAND]\nFOLDER is one of yours, because commands run there that its session allows";

/// The tool of the server for git that changes nothing, and those that need approval.
const DIFF: &str = "git_diff_unstaged";
const GIT: [&str; 3] = [DIFF, "git_add", "git_commit"];

#[derive(Default)]
struct Options {
    folder: Option<PathBuf>,
    yes: bool,
    git: Option<String>,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            match &*argument {
                "--yes" => options.yes = true,
                "--git" => options.git = Some(arguments.next().ok_or(USAGE)?),
                _ if argument.starts_with('-') || options.folder.is_some() => return Err(USAGE.to_owned()),
                _ => options.folder = Some(argument.into()),
            }
        }
        Ok(options)
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let done = match Options::read(std::env::args().skip(1)) {
        Ok(options) => work(options).await,
        Err(usage) => Err(usage.into()),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn work(options: Options) -> Result<ExitCode, Box<dyn Error>> {
    let folder = own_folder(options.folder.as_deref())?;
    // The file says that the folder is one of the coder, so it comes first.
    let store = Sqlite::open(folder.join(SESSIONS)).await?;
    let project = folder.join("project");
    make_project(&project)?;
    // The tools work in the working directory.
    std::env::set_current_dir(&project)?;
    let coder = coder(&options, &project, store).await?;

    let session = coder.open_session("mend-the-test").await?;
    let request = match session.paused() {
        Some(paused) => coder.resume(&paused),
        None if is_answered(&session.history()) => {
            return Err(format!("the test is mended already: remove {}", folder.display()).into());
        }
        None => {
            // An earlier start may have been ended in the middle. What it did stays done.
            session.set_history(History::new())?;
            coder.request(TASK)
        }
    };
    let mut run = request.session(&session).stream();
    let mut view = View::default();
    while let Some(event) = run.next().await {
        view.show(&event);
    }
    let ended = run.output().await;
    coder.shutdown().await;
    match ended {
        Ok(output) => {
            view.summary(&output);
            println!("the session is in {}", folder.display());
            Ok(ExitCode::SUCCESS)
        }
        Err(RunError::Paused(paused)) => {
            for question in paused.questions() {
                println!("open: {}", question.to_line());
            }
            println!("to continue: coder {} [--yes]", folder.display());
            Ok(ExitCode::from(3))
        }
        Err(error) => Err(error.into()),
    }
}

fn is_answered(history: &History) -> bool {
    history
        .last()
        .is_some_and(|last| matches!(last, Message::Assistant { .. }) && last.tool_calls().is_empty())
}

async fn coder(options: &Options, project: &Path, store: Sqlite) -> Result<AgentHandle, Box<dyn Error>> {
    let repository = options.git.as_ref().map(|_| project.to_string_lossy().into_owned());
    // What the session spent is in its file too.
    let builder = Coder::builder().model(script(repository.as_deref())).budget(budget());
    let builder = builder.budget_store(store.clone()).session_store(store);
    let builder = match (options.yes, io::stdin().is_terminal()) {
        (true, _) => builder.answerer(allow),
        (false, true) => builder.answerer(Terminal::default()),
        (false, false) => builder,
    };
    let builder = match (&options.git, repository) {
        (Some(command), Some(repository)) => {
            begin_repository(project)?;
            let server = ServerConfig::stdio(command).args(["--repository", &repository]);
            builder.server("git", server).for_agent("Coder", with_git)
        }
        _ => builder,
    };
    Ok(builder.build().await?)
}

fn with_git(coder: AgentDeclaration) -> AgentDeclaration {
    let changes =
        CallFilter::new(|call| call.server_name() == Some("git") && !call.tool_name().ends_with(DIFF));
    coder.server("git", Some(&GIT)).approval_because("it changes the repository", Some(changes))
}

/// Plays a person who allows everything, and shows what was asked.
async fn allow(question: Question) -> Option<Answer> {
    println!("allowed: {}", question.to_line());
    Some(Answer::allow())
}

/// Makes the project a repository, whose first commit has the mistake.
fn begin_repository(project: &Path) -> Result<(), Box<dyn Error>> {
    if project.join(".git").exists() {
        return Ok(());
    }
    for arguments in [
        &["init", "--quiet"][..],
        &["config", "user.name", "Coder"],
        &["config", "user.email", "coder@example.org"],
        &["add", "."],
        &["commit", "--quiet", "--message", "Begin a shop"],
    ] {
        let status = Command::new("git").args(arguments).current_dir(project).status()?;
        if !status.success() {
            return Err(format!("`git {}` failed", arguments.join(" ")).into());
        }
    }
    Ok(())
}
