//! The fields of a configuration that take tools of a server away, or that let some of its tools run without approval.
//!
//! Other programs have such fields under names of their own. People rely on them, so all known ones are obeyed, and an unknown field
//! whose name speaks of such a rule is an error.

use std::collections::BTreeMap;

use onionskin_core::definition::wire_name;
use onionskin_core::servers::ToolFilter;
use onionskin_core::text::{list, similar};
use onionskin_vocabulary::server_data::READERS;
use serde::Deserialize;
use serde_json::Value;

/// What a field says. Its name is compared without `_`, `-` and case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// The tools that are offered.
    Only,
    /// The tools that are not offered.
    Never,
    /// The tools that run without approval. All others need one.
    Unasked,
    /// Whether the server is off.
    Disabled,
    /// Whether the server is on.
    Enabled,
}

/// The known fields: of Cherry Studio, Codex, Copilot, Cline, Cursor, Gemini CLI, Kiro, `LangChain`, Roo, VS Code, Windsurf and others.
pub(super) const RULES: [(&str, Rule); 25] = [
    ("tools", Rule::Only),
    ("enabledTools", Rule::Only),
    ("includeTools", Rule::Only),
    ("includedTools", Rule::Only),
    ("allowTools", Rule::Only),
    ("allowedTools", Rule::Only),
    ("availableTools", Rule::Only),
    ("disabledTools", Rule::Never),
    ("excludeTools", Rule::Never),
    ("excludedTools", Rule::Never),
    ("disallowedTools", Rule::Never),
    ("denyTools", Rule::Never),
    ("deniedTools", Rule::Never),
    ("blockedTools", Rule::Never),
    ("suppressedTools", Rule::Never),
    ("autoApprove", Rule::Unasked),
    ("autoApproveTools", Rule::Unasked),
    ("autoApprovedTools", Rule::Unasked),
    ("autoAllow", Rule::Unasked),
    ("alwaysAllow", Rule::Unasked),
    ("trust", Rule::Unasked),
    ("disabled", Rule::Disabled),
    ("enabled", Rule::Enabled),
    ("isActive", Rule::Enabled),
    ("active", Rule::Enabled),
];

/// Parts of names that speak of a rule.
const SPEAKING: [&str; 22] = [
    "tool",
    "allow",
    "deny",
    "denied",
    "disab",
    "enab",
    "exclud",
    "includ",
    "block",
    "forbid",
    "approv",
    "permi",
    "restrict",
    "trust",
    "sandbox",
    "readonly",
    "whitelist",
    "filter",
    "suppress",
    "confirm",
    "autorun",
    "autostart",
];
/// Words of names that speak of a rule. Within another word they say something else: `only` in `commonly`.
const WORDS: [&str; 27] = [
    "access",
    "actions",
    "active",
    "ban",
    "banned",
    "capabilities",
    "except",
    "features",
    "functions",
    "hidden",
    "hide",
    "ignore",
    "ignored",
    "inactive",
    "never",
    "off",
    "omit",
    "only",
    "policies",
    "policy",
    "reject",
    "rule",
    "rules",
    "scopes",
    "select",
    "selected",
    "skip",
];
/// Values of a field with any name that switch something off.
const OFF: [&str; 9] =
    ["banned", "blocked", "denied", "disabled", "forbidden", "hidden", "inactive", "never", "off"];
/// Fields of Claude Code and of Codex that are no rules, though their names resemble names of rules.
const NO_RULES: [&str; 2] = ["alwaysLoad", "tool_timeout_sec"];

fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// The words of a name, in lower case: `isActive` has the words `is` and `active`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (after_lower && c.is_uppercase()) {
            words.push(String::new());
        }
        after_lower = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words
}

/// The rule of a field.
pub(super) fn rule(field: &str) -> Option<Rule> {
    let field = plain(field);
    RULES.iter().find(|(name, _)| plain(name) == field).map(|(_, rule)| *rule)
}

/// Whether an unknown field seems to be a rule: the reason for an error.
pub(super) fn refused(field: &str) -> Option<String> {
    let name = plain(field);
    if NO_RULES.iter().any(|harmless| plain(harmless) == name) {
        return None;
    }
    let near = similar(field, RULES.iter().map(|(name, _)| *name));
    let has_word = || words(field).iter().any(|word| WORDS.contains(&word.as_str()));
    if near.is_none() && !SPEAKING.iter().any(|word| name.contains(word)) && !has_word() {
        return None;
    }
    // A misspelt name has about the same length.
    Some(match near.filter(|near| near.len().abs_diff(field.len()) <= 2) {
        Some(near) => format!("unknown field; did you mean `{near}`?"),
        None => "unknown field that speaks of what is allowed, and that is not obeyed here; write `enabledTools`, \
                 `disabledTools` or `disabled`, or remove it"
            .to_owned(),
    })
}

/// Whether the value of an unknown field switches something off: the reason for an error.
pub(super) fn switches_off(value: &Value) -> Option<String> {
    let value = value.as_str().filter(|value| OFF.contains(&&*value.to_lowercase()))?;
    Some(format!(
        "unknown field that says `{value}`, which is not obeyed here; write `\"disabled\": true`, or remove it"
    ))
}

/// The path of the first field within a value that seems to be a rule, and the reason for an error.
pub(super) fn refused_within(value: &Value) -> Option<(String, String)> {
    match value {
        Value::Object(fields) => fields.iter().find_map(|(name, value)| match refused_or_known(name) {
            Some(reason) => Some((name.clone(), reason)),
            None => refused_within(value).map(|(path, reason)| (format!("{name}.{path}"), reason)),
        }),
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            refused_within(item).map(|(path, reason)| (format!("[{index}].{path}"), reason))
        }),
        _ => None,
    }
}

fn refused_or_known(field: &str) -> Option<String> {
    match rule(field) {
        Some(_) => Some("this field is read as a field of the server itself only; write it there".to_owned()),
        None => refused(field),
    }
}

/// The tools that a field names.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Tools {
    /// All, or none.
    All(bool),
    Names(Vec<String>),
    /// For each tool whether it is offered.
    Each(BTreeMap<String, Switch>),
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Switch {
    Is(bool),
    Settings(Settings),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    enabled: bool,
    #[serde(rename = "description")]
    _description: Option<String>,
}

impl Switch {
    fn is_on(&self) -> bool {
        match self {
            Self::Is(on) | Self::Settings(Settings { enabled: on, .. }) => *on,
        }
    }
}

/// The rules of one server.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolRules {
    only: Vec<Named>,
    never: Vec<Named>,
    unasked: Vec<Named>,
}

/// The tools of a field, and its name.
#[derive(Debug, Clone)]
struct Named {
    field: String,
    filter: ToolFilter,
}

impl ToolRules {
    /// Adds what a field says.
    ///
    /// # Errors
    /// Returns an error if the rule has no value of this form.
    pub(super) fn add(&mut self, rule: Rule, field: &str, tools: Tools) -> Result<(), ()> {
        let named = |names: Vec<String>| Named { field: field.to_owned(), filter: ToolFilter::new(names) };
        match (rule, tools) {
            (Rule::Only, Tools::Names(names)) => self.only.push(named(names)),
            (Rule::Never, Tools::Names(names)) => self.never.push(named(names)),
            (Rule::Unasked, Tools::Names(names)) => self.unasked.push(named(names)),
            (Rule::Unasked, Tools::All(true)) => self.unasked.push(named(vec!["*".to_owned()])),
            (Rule::Unasked, Tools::All(false)) => self.unasked.push(named(Vec::new())),
            (Rule::Only, Tools::Each(each)) => {
                let off = each.into_iter().filter(|(_, switch)| !switch.is_on());
                self.never.push(named(off.map(|(name, _)| name).collect()));
            }
            (Rule::Only | Rule::Never, Tools::All(_))
            | (Rule::Never | Rule::Unasked, Tools::Each(_))
            | (Rule::Disabled | Rule::Enabled, _) => return Err(()),
        }
        Ok(())
    }

    /// The field that removes the tool of this name; `None` if agents get the tool.
    pub(super) fn removed_by(&self, server: &str, tool: &str) -> Option<&str> {
        let only = self.only.iter().find(|named| !named.has(server, tool));
        let never = || self.never.iter().find(|named| named.has(server, tool));
        only.or_else(never).map(|named| &*named.field)
    }

    /// Whether each call of the tool needs approval: some field lists the tools that need none, and not this one.
    pub(super) fn asks(&self, server: &str, tool: &str) -> bool {
        self.unasked.iter().any(|named| !named.has(server, tool))
    }

    /// Messages for people: which tools need approval by these rules, and names that no tool has.
    pub(super) fn notices(&self, server: &str, tools: &[&str]) -> Vec<String> {
        let mut notices = Vec::new();
        for named in self.only.iter().chain(&self.never).chain(&self.unasked) {
            // The tools that read resources and prompts are ours, and known on each server.
            let all = tools.iter().copied().chain(READERS);
            let shown: Vec<_> = all.flat_map(|tool| names_of(server, tool)).collect();
            let unmatched = named.filter.unmatched(shown.iter().map(String::as_str));
            let unmatched = unmatched.into_iter().filter(|pattern| *pattern != "*");
            let unmatched: Vec<_> =
                unmatched.map(|name| format!("`{}`", super::visible::name(name))).collect();
            if !unmatched.is_empty() {
                notices.push(format!(
                    "the MCP server `{server}`: `{}` names tools that the server does not list: {}",
                    named.field,
                    list(unmatched)
                ));
            }
        }
        let names: Vec<_> = tools
            .iter()
            .filter(|tool| self.removed_by(server, tool).is_none() && self.asks(server, tool))
            .collect();
        if let Some(named) = self.unasked.first().filter(|_| !names.is_empty()) {
            notices.push(format!(
                "the MCP server `{server}`: `{}` does not list {} of its tools, so each of their calls needs approval",
                named.field,
                names.len()
            ));
        }
        notices
    }
}

impl Named {
    fn has(&self, server: &str, tool: &str) -> bool {
        names_of(server, tool).iter().any(|name| self.filter.takes(name))
    }
}

/// The names that people write for a tool: its own, the one of agents, and the one of some editors; each also as models, and lists for
/// people, have it.
fn names_of(server: &str, tool: &str) -> [String; 6] {
    let names = [tool.to_owned(), format!("{server}__{tool}"), format!("mcp__{server}__{tool}")];
    let [own, of_agents, of_editors] = names.each_ref().map(|name| wire_name(name).into_owned());
    let [tool, agents, editors] = names;
    [tool, agents, editors, own, of_agents, of_editors]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a4_names_are_known_in_each_spelling_and_unknown_ones_that_speak_of_rules_are_refused() {
        for name in ["disabledTools", "disabled_tools", "DisabledTools", "disabled-tools"] {
            assert_eq!(rule(name), Some(Rule::Never), "{name}");
        }
        assert_eq!((rule("auto_approve"), rule("timeout")), (Some(Rule::Unasked), None));
        for name in [
            "toolFilter",
            "permissions",
            "readOnly",
            "allowlist",
            "denyList",
            "dissabled",
            "sandboxEnabled",
            "only",
            "autoRun",
            "never_call",
            "scopes",
        ] {
            assert!(refused(name).is_some(), "{name}");
        }
        assert!(refused("disabeldTools").unwrap().contains("did you mean `disabledTools`?"));
        for name in [
            "description",
            "dev",
            "commonly",
            "startup_timeout_sec",
            "version",
            "inputs",
            "$schema",
            "icon",
            "headers",
            "note",
            "gallery",
            "alwaysLoad",
        ] {
            assert_eq!(refused(name), None, "{name}");
        }
        let options = serde_json::json!({"a": [{"toolFilter": {}}]});
        assert_eq!(refused_within(&options).unwrap().0, "a.[0].toolFilter");
    }

    #[test]
    fn a4_an_exclusion_wins_over_a_list_and_the_names_of_agents_count() {
        let mut rules = ToolRules::default();
        let names = |names: &[&str]| Tools::Names(names.iter().map(|name| (*name).to_owned()).collect());
        rules.add(Rule::Only, "enabledTools", names(&["get_*", "fix__put"])).unwrap();
        rules.add(Rule::Never, "disabledTools", names(&["mcp__fix__get_b"])).unwrap();
        let offered = ["get_a", "get_b", "put", "cut"].map(|tool| rules.removed_by("fix", tool));
        assert_eq!(offered, [None, Some("disabledTools"), None, Some("enabledTools")]);
        assert!(!rules.asks("fix", "get_a"));
        rules.add(Rule::Unasked, "autoApprove", names(&["get_a"])).unwrap();
        assert!(!rules.asks("fix", "get_a") && rules.asks("fix", "put"));
        let notices = rules.notices("fix", &["get_a", "get_c"]);
        assert!(
            notices[1]
                .contains("`disabledTools` names tools that the server does not list: `mcp__fix__get_b`"),
            "{notices:?}"
        );
        assert!(
            notices.last().unwrap().contains("`autoApprove` does not list 1 of its tools"),
            "{notices:?}"
        );
        assert!(rules.add(Rule::Never, "x", Tools::All(true)).is_err());
    }
}
