//! Messages that `agent!` and cards share.

use crate::agent::{Field, Limit, Part, RequestParam, Setting};
use crate::nearest::nearest;
use crate::ready_hooks::ready_hook_at;
use crate::synonyms;
use crate::words::Word;

/// A setting whose name is empty.
pub fn empty_name(setting: Setting) -> String {
    format!("`{setting}` is empty: write a name, or remove it")
}

/// A part of the prompt in addition to a `system_message`.
pub const REPLACED_PROMPT: &str =
    "`system_message` replaces the whole prompt, so this has no effect: keep one of them";

/// The mistake of a `parser_model` without a type of the answer.
pub const PARSER_WITHOUT_OUTPUT: &str = "`parser_model` reads an answer of a type, and the agent has no `output`: write `output: Report`, or remove `parser_model`";

/// A second `..` in a list of hooks.
pub const SECOND_REST: &str = "`..` is in the list already; remove one of them";

/// A second entry for the same hook or guardrail.
pub const HOOK_TWICE: &str = "this is in the list twice, and would run twice; keep one";

/// `headers` in another form.
pub const HEADERS_OF_SERVERS: &str =
    "expected the headers of each server: `headers: { issues: { Authorization: \"Bearer {user.token}\" } }`";

/// The name of a header that is no word of Rust.
pub const QUOTED_HEADER: &str = "write a name with `-` as a string: `\"X-Api-Key\": \"{key}\"`";

/// A second default agent.
pub fn second_default(first: &str) -> String {
    format!("`{first}` is the default agent already; remove `default` from one of the two")
}

/// The number of words that an error lists.
const MAX_LISTED: usize = 10;

/// The error for an unknown word: the word that was meant, or all words, or the first of many.
pub fn unknown(what: &str, word: &str, candidates: &[&str]) -> String {
    let hint = match (nearest(word, candidates.iter().copied()), candidates) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, [only]) => format!("the only {what} is `{only}`"),
        (None, few) if few.len() <= MAX_LISTED => format!("there are: {}", few.join(", ")),
        (None, many) => {
            let (first, more) = many.split_at(MAX_LISTED);
            format!("there are: {} and {} more", first.join(", "), more.len())
        }
    };
    format!("unknown {what} `{word}`; {hint}")
}

/// The fields that most agents have.
const COMMON_FIELDS: [&str; MAX_LISTED] = [
    "description",
    "instruction",
    "model",
    "servers",
    "function_tools",
    "agents",
    "tool_hooks",
    "limits",
    "state",
    "output",
];

/// The error for an unknown field, with the field that its author most likely meant. `others` are the fields that only this kind
/// of file has.
pub fn unknown_field(name: &str, others: &[&'static str]) -> (String, Option<&'static str>) {
    if let Some(message) = synonyms::elsewhere(name) {
        return (message.to_owned(), None);
    }
    let tables = [(Part::RequestParams, RequestParam::WORDS), (Part::Limits, Limit::WORDS)];
    if let Some((table, _)) = tables.into_iter().find(|(_, entries)| entries.contains(&name)) {
        return (format!("`{name}` belongs in `{table}`: `{table}: {{ {name}: .. }}`"), None);
    }
    if let Some(write) = synonyms::fast_agent_advice(name) {
        return (format!("there is no field `{name}`: {write}"), None);
    }
    if let Some(ours) = synonyms::ours(name) {
        return (format!("there is no field `{name}`: it is called `{ours}`"), Some(ours));
    }
    if ready_hook_at(&format!("hooks::{name}")).is_some() {
        return (format!("`{name}` is a hook: add it to `tool_hooks`"), None);
    }
    // An error lists the first ones.
    let mut fields = COMMON_FIELDS.to_vec();
    fields.extend(Field::words().into_iter().filter(|field| !COMMON_FIELDS.contains(field)));
    fields.extend(others);
    let meant = nearest(name, fields.iter().copied());
    if let Some(near) = meant.and_then(|near| fields.iter().copied().find(|field| *field == near)) {
        return (unknown("field", name, &fields), Some(near));
    }
    match synonyms::near_ours(name) {
        Some(ours) => (format!("unknown field `{name}`; did you mean `{ours}`?"), Some(ours)),
        None => (unknown("field", name, &fields), None),
    }
}

/// The error for a value that must be `true` or `false`.
pub fn expected_boolean(name: &str) -> String {
    format!("`{name}` must be `true` or `false`")
}

/// The error for an unknown entry of `limits` or `request_params`.
pub fn unknown_entry<W: Word>(what: &str, name: &str) -> String {
    if synonyms::is_turns(name) { synonyms::TURNS.to_owned() } else { unknown(what, name, W::WORDS) }
}

#[cfg(test)]
mod tests {
    use super::unknown_field;
    use crate::agent::{Field, Limit, RequestParam};
    use crate::synonyms::{ELSEWHERE, FAST_AGENT, SYNONYMS};
    use crate::words::Word as _;

    #[test]
    fn c1_common_fields_are_fields() {
        for field in super::COMMON_FIELDS {
            assert!(Field::from_word(field).is_some(), "{field}");
        }
    }

    #[test]
    fn c1_names_of_other_frameworks_say_what_to_write() {
        let message = |name: &str| unknown_field(name, &[]).0;
        for (theirs, ours) in SYNONYMS {
            assert_eq!(message(theirs), format!("there is no field `{theirs}`: it is called `{ours}`"));
            assert!(Field::from_word(ours).is_some(), "{ours}");
        }
        for (theirs, write) in ELSEWHERE {
            assert_eq!(message(theirs), *write);
        }
        for (theirs, write) in FAST_AGENT {
            assert_eq!(message(theirs), format!("there is no field `{theirs}`: {write}"));
        }
        for (table, entries) in [("request_params", RequestParam::WORDS), ("limits", Limit::WORDS)] {
            for name in entries {
                let expected = format!("`{name}` belongs in `{table}`: `{table}: {{ {name}: .. }}`");
                assert_eq!(message(name), expected);
            }
        }
        assert_eq!(message("rate_limit"), "`rate_limit` is a hook: add it to `tool_hooks`");
        let (message, meant) = unknown_field("instructio", &[]);
        assert_eq!(
            (&*message, meant),
            ("unknown field `instructio`; did you mean `instruction`?", Some("instruction"))
        );
        // `prompt` is that of the agent.
        assert_eq!(
            ["resource", "prompt"].map(|name| unknown_field(name, &[]).1),
            [Some("resources"), Some("instruction")]
        );
    }
}
