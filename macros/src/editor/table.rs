//! The meaning of each macro's words to an editor.

use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::{Setting, SettingKind};
use proc_macro2::{Delimiter, TokenTree};

use super::is_punct;
use super::probe::{Probes, between_commas, inside};

/// The form of a key's value.
#[derive(Clone, Copy)]
pub(super) enum ValueForm {
    /// An expression.
    Value,
    Type,
    /// A path of a tool or a hook.
    Entry,
    /// Paths in brackets, each with values in parentheses, and with a filter in `agent!`.
    Entries,
    /// Types in brackets, each with a prefix in `agent!`.
    Types,
    /// A word of a module of `keys`.
    Word(&'static str),
    /// Words with dots, in brackets.
    Dotted(&'static str),
    /// Further keys, in parentheses or in braces.
    Keys(&'static str),
    /// Examples of calls, whose words are the tool's own.
    Nothing,
}

/// The form of the value of a key, given the module of `keys` that has the key.
pub(super) fn shape(module: &str, key: &str) -> ValueForm {
    match (module, key) {
        ("agent", "function_tools" | "tool_hooks" | "run_hooks" | "turn_hooks" | "message_hooks")
        | (_, "hooks" | "input_guardrails" | "output_guardrails") => ValueForm::Entries,
        ("agent", "toolboxes" | "agents") | ("toolbox", "parts") => ValueForm::Types,
        ("agent", "runtime") => ValueForm::Dotted("runtime"),
        ("agent", "request_params") => ValueForm::Keys("request_params"),
        ("agent", "limits") => ValueForm::Keys("limits"),
        ("agent", key) if let Some(module) = words(key) => ValueForm::Word(module),
        (_, "effect") => ValueForm::Word("effect"),
        (_, "state" | "crate") => ValueForm::Type,
        ("tool_hook", "tool") => ValueForm::Entry,
        ("tool", "annotations") => ValueForm::Keys("annotations"),
        ("tool", "cache") => ValueForm::Keys("cache"),
        ("tool", "examples")
        | ("agent", "servers" | "tools" | "resources" | "prompts" | "headers")
        | (_, "type_name" | "part") => ValueForm::Nothing,
        _ => ValueForm::Value,
    }
}

/// The module of the words of which a setting of an agent takes one.
fn words(key: &str) -> Option<&'static str> {
    let setting = Setting::from_word(key)?;
    matches!(setting.kind(), SettingKind::Word { .. }).then(|| setting.word())
}

impl Probes {
    /// `key`, `key = value`, `key: value`, `key(..)`, as many as there are.
    pub(super) fn options(&mut self, module: &str, parts: &[Vec<TokenTree>]) {
        for part in parts {
            self.option(module, part);
        }
        // The place of the next option.
        self.no_key(module);
    }

    fn option(&mut self, module: &str, part: &[TokenTree]) {
        let [key @ TokenTree::Ident(word), rest @ ..] = part else { return };
        self.key(module, key);
        let shape = shape(module, word.to_string().trim_start_matches("r#"));
        match rest {
            [mark, value @ ..] if is_punct(mark, '=') || is_punct(mark, ':') => self.shaped(shape, value),
            [TokenTree::Group(_), ..] => self.shaped(shape, rest),
            _ => {}
        }
    }

    fn shaped(&mut self, shape: ValueForm, value: &[TokenTree]) {
        let listed = || between_commas(inside(value, Delimiter::Bracket).unwrap_or_default());
        match shape {
            ValueForm::Value => self.value(value),
            ValueForm::Type => self.ty(value),
            ValueForm::Entry => self.entry(value),
            ValueForm::Entries => listed().iter().for_each(|entry| self.filtered(behind_cfgs(entry))),
            ValueForm::Types => listed().iter().for_each(|entry| self.ty(behind_prefix(behind_cfgs(entry)))),
            ValueForm::Word(module) => match value {
                [word @ TokenTree::Ident(_), ..] => self.key(module, word),
                _ => self.no_key(module),
            },
            ValueForm::Dotted(module) => listed().iter().for_each(|words| self.dotted(module, words)),
            ValueForm::Keys(module) => {
                let keys = inside(value, Delimiter::Parenthesis).or_else(|| inside(value, Delimiter::Brace));
                self.options(module, &between_commas(keys.unwrap_or_default()));
            }
            ValueForm::Nothing => {}
        }
    }

    /// An entry, and what its filter names.
    fn filtered(&mut self, entry: &[TokenTree]) {
        let is_filter =
            |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == "for" || word == "except");
        let end = entry.iter().position(is_filter).unwrap_or(entry.len());
        // `..` is the place of hooks that are added later.
        if !entry.first().is_some_and(|first| is_punct(first, '.')) {
            self.configured(&entry[..end]);
        }
        let Some(targets) = entry.get(end + 1..) else { return };
        for target in between_commas(inside(targets, Delimiter::Bracket).unwrap_or_default()) {
            match &target[..] {
                [TokenTree::Ident(word), TokenTree::Group(named)] => {
                    self.key("filter", &target[0]);
                    if let (true, Some(source)) = (word == "source", named.stream().into_iter().next()) {
                        self.key("source", &source);
                    }
                }
                [TokenTree::Ident(_), dot, ..] if is_punct(dot, '.') => self.dotted("runtime", &target),
                _ => self.entry(&target),
            }
        }
    }
}

/// Removes the `#[cfg]`s of an entry.
fn behind_cfgs(mut entry: &[TokenTree]) -> &[TokenTree] {
    while let [mark, TokenTree::Group(_), rest @ ..] = entry
        && is_punct(mark, '#')
    {
        entry = rest;
    }
    entry
}

/// Removes the prefix of a toolbox: `attic: Stock`.
fn behind_prefix(entry: &[TokenTree]) -> &[TokenTree] {
    match entry {
        [TokenTree::Ident(_), mark, next, ..] if is_punct(mark, ':') && !is_punct(next, ':') => &entry[2..],
        _ => entry,
    }
}
