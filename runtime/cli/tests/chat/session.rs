//! What a new user does first, in a shell: a project, a change of its card, `check`, and `chat`.

use std::path::Path;

use crate::screen::Terminal;

/// The whole session as the screen shows it. `model` is what names the model in the command. Its `variables` are those of the shell.
pub(crate) fn session(
    onionskin: &Path,
    facade: &Path,
    folder: &Path,
    model: &str,
    variables: &[(&str, &str)],
) -> String {
    let inherited = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{inherited}", onionskin.parent().unwrap().display());
    let own = [("PS1", "$ "), ("ENV", ""), ("NO_COLOR", "1"), ("PATH", &path)];
    let variables = [&own, variables, &[("ONIONSKIN", facade.to_str().unwrap())]].concat();
    let mut shell = Terminal::new("sh", folder, (110, 100), &variables, &["-i"]);
    let mut commands = 0;
    let mut runs = |command: &str| {
        // Each command before has its prompt, and this one has a prompt of its own.
        commands += 1;
        shell.until("the shell", |shown| {
            let prompts = shown.lines().filter(|line| line.starts_with('$')).count();
            prompts == commands && shown.trim_end().lines().last() == Some("$")
        });
        shell.types(&format!("{command}\r"));
    };
    runs("onionskin new demo --path $ONIONSKIN");
    runs("cd demo");
    runs(
        "sed 's/^description: .*/descripton: Counts for me./' cards/helper.md > edited; mv edited cards/helper.md",
    );
    runs("onionskin check");
    runs("sed 's/^descripton/description/' cards/helper.md > edited; mv edited cards/helper.md");
    runs("onionskin check; cat cards/helper.md");
    runs(&format!("onionskin chat --card cards/helper.md {model}"));
    shell.until_prompt("");
    shell.types("/tools\r");
    shell.until_shows("add_one  Adds one to a number.");
    shell.until_prompt("");
    shell.types("What is 41 + 1?\r");
    shell.until_shows("It is 42.\n");
    shell.until_prompt("");
    shell.types("\u{4}");
    runs("exit");
    let shown = shell.until_shows("$ exit");
    assert_eq!(shell.code(), 0);
    without_numbers(&shown)
}

/// The text with the same times and counts of tokens in each session.
fn without_numbers(shown: &str) -> String {
    let mut text = String::new();
    for line in shown.lines() {
        let parts = line.split(" · ").map(|part| match part.split_once(' ') {
            Some((number, rest)) if part != line && number.parse::<f64>().is_ok() => format!("N {rest}"),
            _ => part.to_owned(),
        });
        text.push_str(&parts.collect::<Vec<_>>().join(" · "));
        text.push('\n');
    }
    text
}
