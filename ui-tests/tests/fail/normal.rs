//! What differs between machines and versions, taken out of what rustc says.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::project::{TMP, root};

/// A message of rustc about a program (its path from the folder of the workspace).
///
/// Paths of the case are from its package's folder. Of other files the line numbers are left out: `$WORKSPACE`, `$CARGO` (the
/// registry), `$TMP` (the packages of the cases) and `$RUST` (the standard library) are their folders.
pub(crate) fn normal(message: &Value, program: &str) -> String {
    let rendered = without_std_sources(message["rendered"].as_str().unwrap(), &std_labels(message));
    let package = root().join(program.split('/').next().unwrap());
    let here = format!("{}/", package.display());
    let case = program.split_once('/').unwrap().1;
    let (of_a_card, rendered) = card_mistake(&rendered, case);
    // How wide rustc made the column of the line numbers, and the widest that is left in it.
    let width = rendered
        .lines()
        .find_map(|line| line.trim_start().starts_with("--> ").then(|| line.len() - line.trim_start().len()));
    let mut lines: Vec<String> = of_a_card.lines().map(str::to_owned).collect();
    let shown_of_a_card = lines.len();
    let mut widest = 1;
    let mut elsewhere = false;
    for line in rendered.lines().filter(|line| !is_summary(line)) {
        let text = line.trim_start();
        let line = if let Some(path) = place(line) {
            let path = path.strip_prefix(&here).unwrap_or(path);
            elsewhere = !path.starts_with(case);
            let path = if elsewhere { without_place(&outside(path)) } else { path.to_owned() };
            format!("{}{}{path}", &line[..line.len() - text.len()], &text[..4])
        } else {
            let numbers = text.bytes().take_while(u8::is_ascii_digit).count();
            let is_source = numbers > 0 || text.starts_with('|') || text.starts_with('.');
            elsewhere &= is_source;
            if elsewhere && numbers > 0 {
                format!("{}{}{}", &line[..line.len() - text.len()], " ".repeat(numbers), &text[numbers..])
            } else {
                if is_source {
                    widest = widest.max(numbers);
                }
                line.replace(&here, "$DIR/").replace(&*root().to_string_lossy(), "$WORKSPACE")
            }
        };
        lines.push(others(&line));
    }
    let narrower = width.map_or(0, |width| width.saturating_sub(widest));
    let (message, lines) = lines.split_at(shown_of_a_card);
    let message = message.iter().map(String::as_str);
    let lines: Vec<_> = message.chain(narrow(lines, narrower)).map(str::trim_end).collect();
    let text = lines.join("\n");
    let text = text.trim_end();
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

/// A message that shows a place in a card, and what follows it. `case`: the path of the case.
fn card_mistake<'r>(rendered: &'r str, case: &str) -> (&'r str, &'r str) {
    let is_place = |line: &&str| line.trim_start().starts_with("--> ");
    let is_card =
        |line: &str| [".md:", ".yaml:"].iter().any(|ending| line.contains(ending)) || !line.contains(".rs");
    let Some(first) = rendered.lines().find(is_place).filter(|line| is_card(line)) else {
        return ("", rendered);
    };
    let behind = rendered.find(first).unwrap_or_default() + first.len();
    let place = rendered[behind..].lines().find(|line| is_place(line) && line.contains(case));
    let end = place.and_then(|place| rendered[behind..].find(place)).map_or(0, |at| behind + at);
    rendered.split_at(end)
}

/// What rustc says about the program as a whole.
fn is_summary(line: &str) -> bool {
    let summaries = [
        "error: aborting due to ",
        "error: could not compile `",
        "For more information about ",
        "Some errors have detailed explanations:",
    ];
    summaries.iter().any(|summary| line.starts_with(summary))
        || line.contains("the full type name has been written to")
        || line.contains("the full name for the type has been written to")
}

/// The path of a file of the standard library, from the folder of its sources.
fn in_std(path: &str) -> Option<&str> {
    let (before, path) = path.split_once("/library/")?;
    (before.starts_with("/rustc/") || before.ends_with("/rustlib/src/rust")).then_some(path)
}

/// The path behind the arrow of a place.
fn place(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("--> ").or_else(|| line.strip_prefix("::: "))
}

/// What rustc says at places of the standard library, and at what called a macro there.
fn std_labels(message: &Value) -> BTreeSet<&str> {
    let children = message["children"].as_array().into_iter().flatten();
    let spans =
        std::iter::once(message).chain(children).filter_map(|part| part["spans"].as_array()).flatten();
    let of_std = spans.filter(|span| span["file_name"].as_str().is_some_and(|path| in_std(path).is_some()));
    of_std.filter_map(|span| span["label"].as_str()).chain(["in this macro invocation"]).collect()
}

/// Leaves of each place of the standard library its file alone. With the component `rust-src`, rustc shows lines of that file
/// with the labels beside them, and without it, the labels as notes.
fn without_std_sources(rendered: &str, labels: &BTreeSet<&str>) -> String {
    let mut kept: Vec<String> = Vec::new();
    let mut in_std_source = false;
    for line in rendered.lines() {
        let text = line.trim_start();
        let arrow = &line[..line.len() - text.len()];
        if let Some(path) = place(line) {
            // A file that follows one of the standard library has either arrow.
            let line = if in_std_source { format!("{arrow}--> {path}") } else { line.to_owned() };
            in_std_source = in_std(path).is_some();
            if !in_std_source {
                kept.push(line);
                continue;
            }
            kept.pop_if(|last| last.trim() == "|");
            let line = format!("{arrow}--> {}", without_place(path));
            if kept.last() != Some(&line) {
                kept.push(line);
            }
            continue;
        }
        let is_source = text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().starts_with('|')
            || text == "...";
        let is_label = text.strip_prefix("= note: ").is_some_and(|note| labels.contains(note));
        if in_std_source && (is_source || is_label) {
            continue;
        }
        in_std_source = false;
        kept.push(line.to_owned());
    }
    kept.join("\n")
}

/// The path of a file that is not the case.
fn outside(path: &str) -> String {
    let root = root().to_string_lossy();
    if let Some(path) = in_std(path) {
        return format!("$RUST/{path}");
    }
    if let Some(path) = path.strip_prefix(TMP) {
        return format!("$TMP{path}");
    }
    if let Some(path) = path.strip_prefix(&*root) {
        return format!("$WORKSPACE{path}");
    }
    let Some((_, path)) = path.split_once("/registry/src/") else { return path.to_owned() };
    let mut parts = path.splitn(3, '/').skip(1);
    let (krate, path) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let name = krate.rsplit_once('-').map_or(krate, |(name, _)| name);
    format!("$CARGO/{name}-$VERSION/{path}")
}

/// `lib.rs:22:29` as `lib.rs`.
fn without_place(path: &str) -> String {
    path.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':').to_owned()
}

/// `and 12 others` as `and $N others`: with the features of a build, other crates' types join the list.
fn others(line: &str) -> String {
    let number = line.trim_start().strip_prefix("and ").and_then(|rest| rest.strip_suffix(" others"));
    match number {
        Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => line.replace(number, "$N"),
        _ => line.to_owned(),
    }
}

/// Moves what is beside the column of the line numbers to the left.
fn narrow(lines: &[String], by: usize) -> impl Iterator<Item = &str> {
    let mut beside = false;
    lines.iter().map(move |line| {
        beside = match line.trim_start() {
            text if text.starts_with("--> ") || text.starts_with('|') => true,
            // The first line of a heading; those that follow it are its own until the next source.
            _ if line.starts_with(|c: char| c.is_ascii_alphabetic()) => false,
            _ => beside,
        };
        let spaces = line.len() - line.trim_start().len();
        if beside { &line[by.min(spaces)..] } else { line.as_str() }
    })
}
