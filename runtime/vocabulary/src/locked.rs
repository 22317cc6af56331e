//! The tools of servers in a lock file, and the errors for names that are not in it.

use wildmatch::WildMatch;

use crate::nearest::nearest;
use crate::server_data::PatternField;

/// The maximum number of a server's tools in a message.
const LISTED: usize = 8;

/// The tools of a server in a lock file.
#[derive(Debug, Clone, Copy)]
pub struct Locked<'f> {
    /// The server's own names for them: `get_time`, and not `time__get_time`.
    pub tools: &'f [String],
    /// The file's name in messages.
    pub file: &'f str,
    /// The command that rewrites the file. None if the server was asked, and no file is there to rewrite.
    pub update: Option<&'f str>,
}

impl Locked<'_> {
    /// The mistake of a pattern in `tools` that matches no tool of the server.
    pub fn pattern_mistake(&self, pattern: &str, server: &str) -> Option<String> {
        let glob = WildMatch::new(pattern);
        if self.tools.iter().any(|tool| glob.matches(tool)) {
            return None;
        }
        if !pattern.contains(['*', '?']) {
            return Some(self.not_there(pattern, server, self.tools));
        }
        let (file, hint) = (self.file, self.hint(&all(self.tools)));
        Some(format!("no tool of the server `{server}` in `{file}` matches `{pattern}`; {hint}"))
    }

    fn not_there(&self, name: &str, server: &str, tools: &[String]) -> String {
        let near = nearest(name, tools.iter().map(String::as_str));
        let near = near.map_or_else(|| all(tools), |near| format!("did you mean `{}`?", near.escape_debug()));
        let (file, hint) = (self.file, self.hint(&near));
        format!("`{name}` is not a tool of the server `{server}` in `{file}`; {hint}")
    }

    fn hint(&self, words: &str) -> String {
        let Some(update) = self.update else { return words.to_owned() };
        let end = if words.ends_with('?') { "" } else { "." };
        format!("{words}{end} If the server has changed, run `{update}`")
    }
}

/// The mistake of the name of a tool, `server__tool`, that its server does not have. `servers` are the agent's servers, `reads` returns whether
/// the agent has a field for one of them, and `locked` has the tools of the servers in a lock file. The tools of other servers are not known, so
/// their names are not mistakes.
pub fn tool_mistake<'s, 'f>(
    name: &str,
    servers: impl IntoIterator<Item = &'s str>,
    reads: impl Fn(PatternField, &str) -> bool,
    locked: impl Fn(&str) -> Option<Locked<'f>>,
) -> Option<String> {
    let of_server = |server: &str| name.strip_prefix(server)?.strip_prefix("__");
    // `a` and `a__b` can both be servers.
    let mut found = Vec::new();
    for server in servers {
        let Some(tool) = of_server(server) else { continue };
        let locked = locked(server)?;
        let mut tools: Vec<&str> = locked.tools.iter().map(String::as_str).collect();
        let (read, unread): (Vec<_>, Vec<_>) =
            PatternField::DATA.into_iter().partition(|field| reads(*field, server));
        for field in read {
            tools.extend(field.tools());
        }
        if tools.contains(&tool) {
            return None;
        }
        let by_field = unread.into_iter().find(|field| field.tools().contains(&tool));
        found.push((server, locked, tools, by_field));
    }
    let (server, locked, tools, by_field) = found.into_iter().max_by_key(|(server, ..)| server.len())?;
    if let Some(field) = by_field.map(PatternField::part) {
        return Some(format!("`{name}` needs the field `{field}`: add `{field}: {{ {server}: [..] }}`"));
    }
    let tools: Vec<_> = tools.iter().map(|tool| format!("{server}__{tool}")).collect();
    Some(locked.not_there(name, server, &tools))
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

#[cfg(test)]
mod tests {
    use super::{Locked, PatternField, all, tool_mistake};

    #[test]
    fn a3_a_message_lists_a_few_tools() {
        let tools: Vec<_> = (0..10).map(|nth| format!("t{nth}")).collect();
        assert!(all(&tools).ends_with("`t7`, 2 more"), "{}", all(&tools));
        assert_eq!(all(&[]), "it has no tools there");
    }

    #[test]
    fn a3_a_tool_is_one_of_any_server_that_its_name_begins_with() {
        let (a, a_b) = (["b__c".to_owned()], ["d".to_owned()]);
        let reads = |field, server: &str| field == PatternField::Resources && server == "a";
        let mistake = |name: &str, servers: &[&str], is_locked: fn(&str) -> bool| {
            tool_mistake(name, servers.iter().copied(), reads, |server| {
                let tools: &[String] = if server == "a" { &a } else { &a_b };
                is_locked(server).then_some(Locked { tools, file: "lock.json", update: Some("lock") })
            })
        };
        let both = ["a__b", "a"];
        assert_eq!(mistake("a__b__c", &both, |_| true), None);
        assert_eq!(mistake("a__b__d", &both, |_| true), None);
        assert_eq!(
            mistake("a__b__e", &both, |_| true).unwrap(),
            "`a__b__e` is not a tool of the server `a__b` in `lock.json`; did you mean `a__b__d`? If the server has changed, run `lock`"
        );
        // A server that is not locked can have the tool.
        assert_eq!(mistake("a__b__e", &both, |server| server == "a"), None);
        assert_eq!(mistake("e__f", &both, |_| true), None);
        // The fields of an agent give it tools.
        assert_eq!(mistake("a__read_resource", &both, |_| true), None);
        assert_eq!(
            mistake("a__read_resourc", &both, |_| true).unwrap(),
            "`a__read_resourc` is not a tool of the server `a` in `lock.json`; did you mean `a__read_resource`? If the server has changed, run `lock`"
        );
        assert_eq!(
            mistake("a__b__read_resource", &both, |_| true).unwrap(),
            "`a__b__read_resource` needs the field `resources`: add `resources: { a__b: [..] }`"
        );
        assert_eq!(
            mistake("a__get_prompt", &both, |_| true).unwrap(),
            "`a__get_prompt` needs the field `prompts`: add `prompts: { a: [..] }`"
        );
    }

    #[test]
    fn a3_a_star_takes_any_text_and_a_question_mark_one_character() {
        for (pattern, name, is_taken) in [
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
            let locked = Locked { tools: &[name.to_owned()], file: "lock.json", update: Some("lock") };
            assert_eq!(locked.pattern_mistake(pattern, "a").is_none(), is_taken, "{pattern} {name}");
        }
    }
}
