//! Checks the names of tools of MCP servers against the package's lock file.
//!
//! A server that the file does not have is not a mistake: it can be one that the program configures in code, or a source of its own, which
//! `onionskin mcp lock` does not know. A name that is near one in the file is not a mistake either, because `git` and `github` are near each
//! other and two servers. The build of the agent reports a server that is not configured, with the nearest name.

use std::rc::Rc;

use proc_macro2::Span;

use super::model::{AgentModel, Target};
use super::parse::Agent;
use crate::diag::Errors;
use crate::lock_file::{COMMAND, LockFile, NAME, of_package};
use crate::suggest;

/// Only this many tools of a server are listed in a message.
const LISTED: usize = 8;

/// The lock file, if an agent has servers and the package has the file. A file that cannot be used is one error, at the first server.
pub(super) fn of_agents(agents: &[Agent], errors: &mut Errors) -> Option<Rc<LockFile>> {
    let server = agents.iter().find_map(|agent| agent.fields.servers.first())?;
    of_package()?.map_err(|reason| errors.push(server.span, reason)).ok()
}

/// Reports the tools of an agent that its servers do not have in the file.
pub(super) fn check(agent: &mut AgentModel<'_>, file: &LockFile, errors: &mut Errors) {
    for server in &agent.servers {
        let Some(tools) = file.servers.get(&server.name.text) else { continue };
        for pattern in server.patterns.into_iter().flatten() {
            if !tools.iter().any(|tool| matches(&pattern.text, tool)) {
                errors.push(pattern.span, not_matched(&pattern.text, &server.name.text, tools));
            }
        }
    }
    for target in
        agent.hooks.iter().filter_map(|hook| hook.filter.as_ref()).flat_map(|filter| &filter.targets)
    {
        match target {
            Target::Remote(name, span) => check_name(agent, name, *span, file, errors),
            // A tool whose name is not an identifier of Rust is written so too.
            Target::Added(name) => check_name(agent, &name.text, name.span, file, errors),
            _ => {}
        }
    }
    agent.lock_file = (!agent.servers.is_empty()).then(|| file.path.to_string_lossy().into_owned());
}

/// Reports the name of a tool, `server__tool`, that its server does not have.
fn check_name(agent: &AgentModel<'_>, name: &str, span: Span, file: &LockFile, errors: &mut Errors) {
    let of_server = |server: &str| name.strip_prefix(server)?.strip_prefix("__");
    // `a` and `a__b` can both be servers.
    let servers = agent.servers.iter().map(|server| server.name.text.as_str());
    let mut servers: Vec<_> = servers.filter(|server| of_server(server).is_some()).collect();
    servers.sort_by_key(|server| server.len());
    let Some(server) = servers.last() else { return };
    let is_there = |server: &&str| match file.servers.get(*server) {
        Some(tools) => tools.iter().any(|tool| of_server(server) == Some(tool)),
        None => true,
    };
    if servers.iter().any(is_there) {
        return;
    }
    let tools: Vec<_> = file.servers[*server].iter().map(|tool| format!("{server}__{tool}")).collect();
    errors.push(span, not_there(name, server, &tools));
}

fn not_matched(pattern: &str, server: &str, tools: &[String]) -> String {
    if !pattern.contains(['*', '?']) {
        return not_there(pattern, server, tools);
    }
    format!("no tool of the server `{server}` in `{NAME}` matches `{pattern}`; {}", hint(&all(tools)))
}

fn not_there(name: &str, server: &str, tools: &[String]) -> String {
    let near = suggest::nearest(name, tools.iter().map(String::as_str));
    let near = near.map_or_else(|| all(tools), |near| format!("did you mean `{}`?", near.escape_debug()));
    format!("`{name}` is not a tool of the server `{server}` in `{NAME}`; {}", hint(&near))
}

fn hint(words: &str) -> String {
    let end = if words.ends_with('?') { "" } else { "." };
    format!("{words}{end} If the server has changed, run `{COMMAND}`")
}

/// The names of the tools.
fn all(tools: &[String]) -> String {
    if tools.is_empty() {
        return "it has no tools there".to_owned();
    }
    let names = tools.iter().take(LISTED).map(|tool| format!("`{}`", tool.escape_debug()));
    let more = tools.len().checked_sub(LISTED).filter(|more| *more > 0);
    let more = more.map(|more| format!("{more} more"));
    format!("it has {}", names.chain(more).collect::<Vec<_>>().join(", "))
}

/// Whether a pattern takes a name, as in the runtime's `ToolFilter`: `*` is any text, `?` one character.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut of) = (0, 0);
    // The last `*`, and how much of the name it takes so far.
    let mut star: Option<(usize, usize)> = None;
    while of < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, of));
                at += 1;
            }
            Some(c) if *c == '?' || *c == name[of] => {
                at += 1;
                of += 1;
            }
            _ => match &mut star {
                Some((begin, taken)) => {
                    *taken += 1;
                    (at, of) = (*begin + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wildmatch::WildMatch;

    use super::{all, matches};

    proptest! {
        #[test]
        fn a3_a_glob_takes_what_the_runtimes_takes(pattern in "[ab*?]{0,6}", name in "[ab]{0,7}") {
            prop_assert_eq!(matches(&pattern, &name), WildMatch::new(&pattern).matches(&name));
        }
    }

    /// The examples of the runtime's `ToolFilter`, and more.
    #[test]
    fn a3_a_pattern_takes_what_the_runtime_takes() {
        for (pattern, name, taken) in [
            ("get_*", "get_time", true),
            ("get_*", "get_", true),
            ("get_*", "forget_time", false),
            ("conver?", "convert", true),
            ("conver?", "converts", false),
            ("conver?", "conver", false),
            ("exact", "exact", true),
            ("exact", "exactly", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("*a*b*", "xxaxbxabx", true),
            ("*ab", "aab", true),
            ("a**?c", "abc", true),
            ("a**?c", "ac", false),
            ("?", "ü", true),
        ] {
            assert_eq!(matches(pattern, name), taken, "{pattern} {name}");
        }
    }

    #[test]
    fn a3_a_message_lists_a_few_tools() {
        let tools: Vec<_> = (0..10).map(|nth| format!("t{nth}")).collect();
        assert!(all(&tools).ends_with("`t7`, 2 more"), "{}", all(&tools));
        assert_eq!(all(&[]), "it has no tools there");
    }
}
