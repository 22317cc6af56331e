//! A card as text, from its fields.

use std::fmt::Write as _;

use onionskin_vocabulary::Word;
use onionskin_vocabulary::agent::{Setting, SettingKind, TextField, TurnPlace};
use onionskin_vocabulary::server_data::PatternField;
use serde_json::Value;

use super::{Approval, ApprovalRule, Card, Filter, Hook, HookItem, ServerPatterns, Text};
use crate::source::Spanned;
use crate::target::Target;

impl Card {
    /// The card as Markdown with front matter. Reading it gives the same card, and what its author wrote in another order or in other words, such
    /// as comments, is gone. Each text is in quotes.
    pub fn to_markdown(&self) -> String {
        // A new field is written here, or in `hooks`; what a workflow says is in no card.
        let Self {
            path: _,
            source: _,
            name,
            texts: _,
            flags,
            servers,
            tools: _,
            resources: _,
            prompts: _,
            headers,
            function_tools,
            tool_uses: _,
            toolboxes,
            agents,
            tool_hooks: _,
            input_guardrails: _,
            output_guardrails: _,
            approval: _,
            run_hooks: _,
            turn_hooks: _,
            message_hooks: _,
            runtime,
            until: _,
            run,
            settings: _,
            request_params,
            limits,
            state,
            input,
            output,
        } = self;
        let mut front = Front::default();
        front.field("name", &text(&name.value));
        let body = self.text(TextField::Instructions).and_then(body);
        for field in
            TextField::ALL.iter().filter(|field| **field != TextField::Instructions || body.is_none())
        {
            if let Some(text) = self.text(*field) {
                front.text(field.word(), text);
            }
        }
        for (flag, on) in flags {
            front.field(flag.word(), if on.value { "true" } else { "false" });
        }
        front.list("servers", servers.iter().map(|server| text(&server.value)));
        for field in PatternField::ALL {
            let written = |(server, patterns): &ServerPatterns| (text(&server.value), texts(patterns));
            front.map(field.part().word(), self.patterns(field).iter().map(written));
        }
        let of_server = |headers: &[(Spanned<String>, Spanned<String>)]| {
            let header = |(name, value): &(Spanned<String>, Spanned<String>)| {
                format!("{}: {}", text(&name.value), text(&value.value))
            };
            format!("{{ {} }}", headers.iter().map(header).collect::<Vec<_>>().join(", "))
        };
        front.map(
            "headers",
            headers.iter().map(|(server, headers)| (text(&server.value), of_server(headers))),
        );
        front.list("function_tools", function_tools.iter().map(|tool| text(&tool.value.to_string())));
        front.list(
            "toolboxes",
            toolboxes.iter().map(|toolbox| {
                let item = text(&toolbox.item.value.to_string());
                match &toolbox.prefix {
                    Some(prefix) => format!("{{ {}: {item} }}", text(&prefix.value)),
                    None => item,
                }
            }),
        );
        front.list("runtime", runtime.iter().map(|tool| text(&tool.value)));
        front.list("agents", agents.iter().map(|agent| text(&agent.value)));
        self.hooks(&mut front);
        for (name, item) in [("run", run), ("state", state), ("input", input), ("output", output)] {
            if let Some(item) = item {
                front.field(name, &text(&item.value.to_string()));
            }
        }
        for setting in Setting::ALL {
            let Some(Spanned { value, .. }) = self.setting(*setting) else { continue };
            let written = match (setting.kind(), value.as_str()) {
                (SettingKind::Word { .. }, Some(word)) => word.to_owned(),
                (SettingKind::Seconds(_), _) => {
                    value.as_f64().map_or_else(String::new, |time| time.to_string())
                }
                (
                    SettingKind::Boolean
                    | SettingKind::Text
                    | SettingKind::Count(_)
                    | SettingKind::Word { .. },
                    _,
                ) => json(value),
            };
            front.field(setting.word(), &written);
        }
        front.table("request_params", request_params);
        front.table("limits", limits);
        format!("---\n{}---\n{}", front.0, body.map(|body| format!("{body}\n")).unwrap_or_default())
    }

    fn hooks(&self, front: &mut Front) {
        front.list(
            "tool_hooks",
            self.tool_hooks.iter().map(|item| match item {
                HookItem::Rest(_) => "..".to_owned(),
                HookItem::Hook(item, filter) => hook(item, filter.as_ref()),
            }),
        );
        let guardrails =
            [("input_guardrails", &self.input_guardrails), ("output_guardrails", &self.output_guardrails)];
        for (field, guardrails) in guardrails {
            let written =
                guardrails.iter().map(|(item, filter)| filtered("guardrail", item, filter.as_ref()));
            front.list(field, written);
        }
        match &self.approval {
            // It says that nothing needs approval.
            Some(approval) if approval.is_empty() => front.field("approval", "[]"),
            Some(approval) => front.list("approval", approval.iter().map(needs_approval)),
            None => {}
        }
        front.list("run_hooks", self.run_hooks.iter().map(|item| hook(item, None)));
        self.turn_hooks(front);
        front.list("message_hooks", self.message_hooks.iter().map(|item| hook(item, None)));
    }

    /// A list has hooks whose place is their own, and a map says it. A card with both has the map in `tool_hooks`, where it has no hooks around
    /// calls then. The order within a place is what counts.
    fn turn_hooks(&self, front: &mut Front) {
        let (mut own, mut places) = (Vec::new(), Vec::<(TurnPlace, Vec<String>)>::new());
        for (place, item) in &self.turn_hooks {
            let item = hook(item, None);
            let Some(place) = place.as_ref().map(|place| place.value) else {
                own.push(item);
                continue;
            };
            match places.iter_mut().find(|(known, _)| *known == place) {
                Some((_, hooks)) => hooks.push(item),
                None => places.push((place, vec![item])),
            }
        }
        let field_of_places = if own.is_empty() { "turn_hooks" } else { "tool_hooks" };
        let places = places.into_iter().map(|(place, hooks)| (place.to_string(), flow(&hooks)));
        if matches!(self.turn_hooks.first(), Some((None, _))) {
            front.list("turn_hooks", own.into_iter());
            front.map(field_of_places, places);
        } else {
            front.map(field_of_places, places);
            front.list("turn_hooks", own.into_iter());
        }
    }
}

/// The lines between the marks.
#[derive(Default)]
struct Front(String);

impl Front {
    fn field(&mut self, name: &str, value: &str) {
        _ = writeln!(self.0, "{name}: {value}");
    }

    fn text(&mut self, name: &str, value: &Text) {
        match value {
            Text::Template(words) => self.field(name, &text(&words.value)),
            Text::Function(item) => {
                self.field(name, &format!("{{ function: {} }}", text(&item.value.to_string())));
            }
        }
    }

    fn table<W: Word>(&mut self, name: &str, entries: &[(Spanned<W>, Spanned<Value>)]) {
        let entry = |(key, value): &(Spanned<W>, Spanned<Value>)| (key.value.to_string(), json(&value.value));
        self.map(name, entries.iter().map(entry));
    }

    /// A list; nothing if it is empty.
    fn list(&mut self, name: &str, items: impl Iterator<Item = String>) {
        let items: Vec<String> = items.collect();
        if !items.is_empty() {
            self.field(name, "");
            for item in items {
                _ = writeln!(self.0, "  - {item}");
            }
        }
    }

    /// A map; nothing if it is empty.
    fn map(&mut self, name: &str, entries: impl Iterator<Item = (String, String)>) {
        let entries: Vec<(String, String)> = entries.collect();
        if !entries.is_empty() {
            self.field(name, "");
            for (key, value) in entries {
                _ = writeln!(self.0, "  {key}: {value}");
            }
        }
    }
}

/// The text below the fields, if the instruction can be there: the space around it is not read.
fn body(instruction: &Text) -> Option<&str> {
    match instruction {
        Text::Template(words) => {
            let words = words.value.as_str();
            (!words.is_empty() && words.trim() == words && !words.contains('\r')).then_some(words)
        }
        Text::Function(_) => None,
    }
}

fn hook(item: &Hook, filter: Option<&Filter>) -> String {
    filtered("hook", item, filter)
}

/// A hook or a guardrail; `word` says which.
fn filtered(word: &str, hook: &Hook, filter: Option<&Filter>) -> String {
    let item = text(&hook.item.value.to_string());
    if hook.with.is_empty() && filter.is_none() {
        return item;
    }
    let mut parts = vec![format!("{word}: {item}")];
    if !hook.with.is_empty() {
        let values: Vec<String> = hook.with.iter().map(|value| json(&value.value)).collect();
        parts.push(format!("with: {}", flow(&values)));
    }
    parts.extend(filter.map(filter_text));
    format!("{{ {} }}", parts.join(", "))
}

fn filter_text(Filter { except, targets }: &Filter) -> String {
    let targets: Vec<String> = targets.iter().map(|target| text(&target_text(&target.value))).collect();
    format!("{}: {}", if *except { "except" } else { "for" }, flow(&targets))
}

/// An entry of `approval`.
fn needs_approval(Approval { rule, filter, .. }: &Approval) -> String {
    let rule = match (rule, filter.targets.as_slice()) {
        (ApprovalRule::Always, [target]) if !filter.except => return text(&target_text(&target.value)),
        (ApprovalRule::Always, _) => "reason: \"\"".to_owned(),
        (ApprovalRule::Because(reason), _) => format!("reason: {}", text(&reason.value)),
        (ApprovalRule::Function(item), _) => format!("rule: {}", text(&item.value.to_string())),
    };
    format!("{{ {rule}, {} }}", filter_text(filter))
}

fn target_text(target: &Target) -> String {
    match target {
        Target::Name(name) => name.clone(),
        Target::Server(name) => format!("server({name})"),
        Target::Source(name) => format!("source({name})"),
        Target::Tool(name) => format!("tool({name})"),
        Target::Everywhere => "everywhere".to_owned(),
    }
}

fn texts(names: &[Spanned<String>]) -> String {
    flow(&names.iter().map(|name| text(&name.value)).collect::<Vec<_>>())
}

fn flow(items: &[String]) -> String {
    format!("[{}]", items.join(", "))
}

/// A text in quotes. A text of JSON is one of YAML.
fn text(words: &str) -> String {
    let mut written = Value::from(words).to_string();
    // Characters that end a line, or that YAML does not take as they are.
    if let Some(other) = written.find(is_escaped) {
        let rest = written.split_off(other);
        for c in rest.chars() {
            if is_escaped(c) {
                _ = write!(written, "\\U{:08X}", u32::from(c));
            } else {
                written.push(c);
            }
        }
    }
    written
}

/// What a text in quotes has as its number.
fn is_escaped(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// A value in the flow style, numbers without exponents.
fn json(value: &Value) -> String {
    match value {
        Value::String(words) => text(words),
        Value::Array(items) => flow(&items.iter().map(json).collect::<Vec<_>>()),
        Value::Object(entries) if entries.is_empty() => "{}".to_owned(),
        Value::Object(entries) => {
            let entries: Vec<String> =
                entries.iter().map(|(key, value)| format!("{}: {}", text(key), json(value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) if float.fract() == 0.0 => format!("{float:.1}"),
            Some(float) => float.to_string(),
            None => number.to_string(),
        },
        Value::Null | Value::Bool(_) => value.to_string(),
    }
}
