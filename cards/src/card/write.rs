//! A card as text, from its fields.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Card, Filter, Hook, HookItem, Text};
use crate::source::Spanned;
use crate::target::Target;

impl Card {
    /// The card as Markdown with front matter. Reading it gives the same card, and what its author wrote in another order or in other words, such
    /// as comments, is gone. Each text is in quotes.
    pub fn to_markdown(&self) -> String {
        // A new field is written here, in `hooks` or in `settings`; what a workflow says is in no card.
        let Self {
            path: _,
            source: _,
            name,
            description,
            instruction,
            role,
            expected_output,
            additional_context,
            system_message,
            flags,
            servers,
            tools,
            function_tools,
            tool_uses: _,
            toolboxes,
            agents,
            tool_hooks: _,
            input_guardrails: _,
            output_guardrails: _,
            run_hooks: _,
            turn_hooks: _,
            message_hooks: _,
            runtime,
            until: _,
            default: _,
            run: _,
            model: _,
            request_params: _,
            limits: _,
            history_source: _,
            history_merge_target: _,
            max_parallel: _,
            child_timeout_sec: _,
            max_display_instances: _,
            effect: _,
            lock: _,
            state: _,
            input: _,
            output: _,
        } = self;
        let mut front = Front::default();
        front.field("name", &text(&name.value));
        front.text("description", description.as_ref());
        let body = instruction.as_ref().and_then(body);
        if body.is_none() {
            front.text("instruction", instruction.as_ref());
        }
        front.text("role", role.as_ref());
        front.text("expected_output", expected_output.as_ref());
        front.text("additional_context", additional_context.as_ref());
        front.text("system_message", system_message.as_ref());
        for flag in flags {
            front.field(flag.value, "true");
        }
        front.list("servers", servers.iter().map(|server| text(&server.value)));
        front.map("tools", tools.iter().map(|(server, patterns)| (text(&server.value), texts(patterns))));
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
        self.settings(&mut front);
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
        front.list("run_hooks", self.run_hooks.iter().map(|item| hook(item, None)));
        self.turn_hooks(front);
        front.list("message_hooks", self.message_hooks.iter().map(|item| hook(item, None)));
    }

    /// A list has hooks whose place is their own, and a map says it. A card with both has the map in `tool_hooks`, where it has no hooks around
    /// calls then. The order within a place is what counts.
    fn turn_hooks(&self, front: &mut Front) {
        let (mut own, mut places) = (Vec::new(), Vec::<(&str, Vec<String>)>::new());
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
        let places = places.into_iter().map(|(place, hooks)| (place.to_owned(), flow(&hooks)));
        if matches!(self.turn_hooks.first(), Some((None, _))) {
            front.list("turn_hooks", own.into_iter());
            front.map(field_of_places, places);
        } else {
            front.map(field_of_places, places);
            front.list("turn_hooks", own.into_iter());
        }
    }

    fn settings(&self, front: &mut Front) {
        if let Some(default) = &self.default {
            front.field("default", &default.value.to_string());
        }
        for (name, item) in
            [("run", &self.run), ("state", &self.state), ("input", &self.input), ("output", &self.output)]
        {
            if let Some(item) = item {
                front.field(name, &text(&item.value.to_string()));
            }
        }
        if let Some(model) = &self.model {
            front.field("model", &text(&model.value));
        }
        let values = |(key, value): &(Spanned<&'static str>, Spanned<Value>)| {
            (key.value.to_owned(), json(&value.value))
        };
        front.map("request_params", self.request_params.iter().map(values));
        front.map("limits", self.limits.iter().map(values));
        let words = [
            ("history_source", &self.history_source),
            ("history_merge_target", &self.history_merge_target),
            ("effect", &self.effect),
            ("lock", &self.lock),
        ];
        for (name, word) in words {
            if let Some(word) = word {
                front.field(name, word.value);
            }
        }
        for (name, count) in
            [("max_parallel", &self.max_parallel), ("max_display_instances", &self.max_display_instances)]
        {
            if let Some(count) = count {
                front.field(name, &count.value.to_string());
            }
        }
        if let Some(seconds) = &self.child_timeout_sec {
            front.field("child_timeout_sec", &seconds.value.to_string());
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

    fn text(&mut self, name: &str, given: Option<&Text>) {
        match given {
            Some(Text::Written(words)) => self.field(name, &text(&words.value)),
            Some(Text::Function(item)) => {
                self.field(name, &format!("{{ function: {} }}", text(&item.value.to_string())));
            }
            None => {}
        }
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
        Text::Written(words) => {
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
    if let Some(Filter { except, targets }) = filter {
        let targets: Vec<String> = targets.iter().map(|target| text(&target_text(&target.value))).collect();
        parts.push(format!("{}: {}", if *except { "except" } else { "for" }, flow(&targets)));
    }
    format!("{{ {} }}", parts.join(", "))
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
