//! Cards as the text of a written `agent!`.

use std::fmt::Display;
use std::ops::Range;

use heck::ToUpperCamelCase;
use onionskin_cards::{
    Approval, ApprovalRule, Called, Card, Child, Deck, Filter, Hook, HookItem, Item, Problem, Spanned,
    Target, Text,
};
use onionskin_vocabulary::Word;
use onionskin_vocabulary::agent::{RequestParam, SettingKind, TextField};
use onionskin_vocabulary::server_data::PatternField;
use onionskin_vocabulary::settings::{Number, TOOL_CHOICES, Unit, ValueKind};
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use serde_json::Value;

use crate::agent::{UNTIL, WORDS};

/// The text, and the place of each of its lines: a card's index, and bytes of the card.
#[derive(Default)]
pub(super) struct CardText {
    /// Each line begins with [`LINE`].
    text: String,
    places: Vec<(usize, Range<usize>)>,
}

/// How the text names things.
pub(super) struct Names<'n> {
    /// `pub`, `pub(crate)` or nothing.
    pub(super) vis: String,
    /// The path of the runtime, if the invocation gives one.
    pub(super) crate_path: Option<&'n str>,
    /// The path of an item, if it can be used.
    pub(super) path: &'n dyn Fn(&Card, &Item) -> String,
}

/// The name of the type of an agent: `PmoOrchestrator` for `PMO-orchestrator`.
pub(crate) fn type_name(name: &str) -> String {
    name.to_upper_camel_case()
}

impl CardText {
    /// All cards of a deck.
    pub(super) fn new(deck: &Deck, names: &Names<'_>) -> (Self, Vec<(usize, Problem)>) {
        let mut written = Self::default();
        let mut problems = Vec::new();
        for index in 0..deck.cards.len() {
            let mut writer = Writer { written: &mut written, deck, index, names, problems: &mut problems };
            writer.card();
        }
        (written, problems)
    }

    /// The number of lines.
    pub(super) fn lines(&self) -> usize {
        self.places.len()
    }

    /// The place of a line, which is counted from 0.
    pub(super) fn place(&self, line: usize) -> (usize, Range<usize>) {
        self.places.get(line).cloned().unwrap_or_default()
    }

    /// The tokens, each at the place that its line gets.
    pub(super) fn tokens(&self, place: &dyn Fn(usize) -> Span) -> TokenStream {
        match self.text.parse::<TokenStream>() {
            Ok(tokens) => at(tokens, &mut 0, place),
            // A card can have names that Rust does not, such as one with `²`.
            Err(error) => {
                let message = format!("a name in these cards is not one of Rust: {error}");
                quote::quote_spanned!(place(0)=> ::core::compile_error! { #message })
            }
        }
    }
}

/// The word at the beginning of each line, which is taken out again.
const LINE: &str = "__line";

/// Puts tokens at the places of their lines. `lines`: how many have begun.
fn at(tokens: TokenStream, lines: &mut usize, place: &dyn Fn(usize) -> Span) -> TokenStream {
    let mut moved = TokenStream::new();
    for token in tokens {
        if matches!(&token, TokenTree::Ident(word) if word == LINE) {
            *lines += 1;
            continue;
        }
        let span = place(lines.saturating_sub(1));
        let mut token = match token {
            TokenTree::Group(group) => {
                TokenTree::Group(Group::new(group.delimiter(), at(group.stream(), lines, place)))
            }
            token => token,
        };
        token.set_span(span);
        moved.extend([token]);
    }
    moved
}

const LIST: [&str; 2] = ["[", "]"];
const TABLE: [&str; 2] = ["{", "}"];

struct Writer<'w> {
    written: &'w mut CardText,
    deck: &'w Deck,
    index: usize,
    names: &'w Names<'w>,
    problems: &'w mut Vec<(usize, Problem)>,
}

impl<'w> Writer<'w> {
    fn card(&mut self) {
        let card = &self.deck.cards[self.index];
        let name = &card.name;
        let at = &name.span;
        let ty = type_name(&name.value);
        if syn::parse_str::<syn::Ident>(&ty).is_err() {
            // Without the field, the name is that of the file.
            let is_of_file = at.is_empty();
            let why = match (ty.as_str(), is_of_file) {
                ("Self", true) => "is a word of Rust: add a `name: ..` that is another word",
                ("Self", false) => "is a word of Rust: write another name",
                (_, true) => "cannot be the name of one: add a `name: ..` that begins with a letter",
                (_, false) => "cannot be the name of one: begin it with a letter",
            };
            self.problem(at, format!("the agent becomes a type of the program, and `{ty}` {why}"));
            return;
        }
        self.line(at, format_args!("#[doc = {:?}]", documentation(card)));
        self.line(at, format_args!("{} {ty} {{", self.names.vis));
        if ty != name.value {
            self.line(at, format_args!("name: {:?},", name.value));
        }
        self.fields(card);
        if let Some(path) = self.names.crate_path {
            self.line(at, format_args!("crate: {path},"));
        }
        self.line(at, "}");
    }

    fn fields(&mut self, card: &'w Card) {
        // A new field is written here, or in the method for it.
        let Card {
            path: _,
            source: _,
            name: _,
            texts,
            flags,
            servers,
            tools: _,
            resources: _,
            prompts: _,
            headers: _,
            function_tools,
            tool_uses: _,
            toolboxes: _,
            agents,
            tool_hooks,
            input_guardrails,
            output_guardrails,
            approval,
            run_hooks,
            turn_hooks,
            message_hooks,
            runtime,
            until,
            run,
            settings,
            request_params,
            limits,
            state,
            input,
            output,
        } = card;
        for (field, text) in texts {
            self.text(field.word(), text);
        }
        for (flag, on) in flags {
            self.line(&on.span, format_args!("{flag}: {},", on.value));
        }
        self.list("servers", servers, |_, server| quoted(server));
        for field in PatternField::ALL {
            self.patterns(field, card);
        }
        self.headers(card);
        self.list("function_tools", function_tools, |writer, tool| writer.path(&tool.value));
        self.words(card);
        self.toolboxes(card);
        self.list("agents", agents, |writer, child| writer.child(&child.value));
        let tool_hooks = tool_hooks.iter().map(|item| match item {
            HookItem::Hook(hook, filter) => (&hook.item.span, Some((hook, filter.as_ref()))),
            HookItem::Rest(place) => (&place.span, None),
        });
        self.hooks("tool_hooks", card, tool_hooks);
        for (field, guardrails) in
            [("input_guardrails", input_guardrails), ("output_guardrails", output_guardrails)]
        {
            let each =
                guardrails.iter().map(|(hook, filter)| (&hook.item.span, Some((hook, filter.as_ref()))));
            self.hooks(field, card, each);
        }
        let entries = approval.iter().flatten().map(|entry| (&entry.span, entry));
        self.block("approval", LIST, entries, |writer, place, Approval { rule, filter, .. }| {
            match rule {
                ApprovalRule::Always => {
                    for target in &filter.targets {
                        writer.target(card, target);
                    }
                    return;
                }
                ApprovalRule::Because(reason) => {
                    writer.line(&reason.span, format_args!("{:?}", reason.value));
                }
                ApprovalRule::Function(item) => writer.line(&item.span, writer.path(&item.value)),
            }
            writer.filter(card, place, filter);
            writer.line(place, ",");
        });
        let all = |hook: &'w Hook| (&hook.item.span, Some((hook, None)));
        self.hooks("run_hooks", card, run_hooks.iter().map(all));
        self.hooks("turn_hooks", card, turn_hooks.iter().map(|(_, hook)| all(hook)));
        self.hooks("message_hooks", card, message_hooks.iter().map(all));
        self.list("runtime", runtime, |_, tool| tool.value.clone());
        self.value(UNTIL, until.as_ref(), |text| format!("{text:?}"));
        for (field, item) in [("run", run), ("state", state), ("input", input), ("output", output)] {
            self.value(field, item.as_ref(), |item| (self.names.path)(card, item));
        }
        for (setting, value) in settings {
            self.value(setting.word(), Some(value), |value| match (setting.kind(), value.as_str()) {
                (SettingKind::Word { .. }, Some(word)) => word.to_owned(),
                (
                    SettingKind::Boolean
                    | SettingKind::Text
                    | SettingKind::Count(_)
                    | SettingKind::Seconds(_)
                    | SettingKind::Word { .. },
                    _,
                ) => value.to_string(),
            });
        }
        self.table("request_params", request_params, param);
        self.table("limits", limits, |_, value| value.to_string());
    }

    fn text(&mut self, field: &str, text: &Text) {
        match text {
            Text::Template(text) => self.line(&text.span, format_args!("{field}: {:?},", text.value)),
            Text::Function(item) => {
                let path = self.path(&item.value);
                self.line(&item.span, format_args!("{field}: {path},"));
            }
        }
    }

    fn value<T>(&mut self, field: &str, value: Option<&Spanned<T>>, written: impl FnOnce(&T) -> String) {
        if let Some(value) = value {
            let written = written(&value.value);
            self.line(&value.span, format_args!("{field}: {written},"));
        }
    }

    fn list<T>(&mut self, field: &str, items: &[Spanned<T>], written: impl Fn(&Self, &Spanned<T>) -> String) {
        let items = items.iter().map(|item| (&item.span, item));
        self.block(field, LIST, items, |writer, place, item| {
            let written = written(writer, item);
            writer.line(place, format_args!("{written},"));
        });
    }

    /// A field with items in brackets, each with its place.
    fn block<'i, T>(
        &mut self,
        field: &str,
        [open, close]: [&str; 2],
        items: impl Iterator<Item = (&'i Range<usize>, T)>,
        write: impl Fn(&mut Self, &Range<usize>, T),
    ) {
        let mut items = items.peekable();
        let Some((first, _)) = items.peek() else { return };
        let first = *first;
        self.line(first, format_args!("{field}: {open}"));
        for (place, item) in items {
            write(self, place, item);
        }
        self.line(first, format_args!("{close},"));
    }

    /// What a workflow says of tools.
    fn words(&mut self, card: &Card) {
        for (index, tool) in card.function_tools.iter().enumerate() {
            let Some(used) = card.tool_use(&tool.value).filter(|used| used.says_more()) else { continue };
            let text = |text: &Option<Spanned<String>>| text.as_ref().map(|text| format!("{:?}", text.value));
            let name = text(&used.name);
            let mut calls = String::new();
            for (method, text) in [("name", &name), ("description", &text(&used.description))] {
                if let Some(text) = text {
                    calls.push_str(&format!(".{method}({text})"));
                }
            }
            if let (Some(component), Some(mode)) = (text(&used.component), &used.mode) {
                calls.push_str(&format!(".component({component}, __rt::UiMode::{})", mode.value.variant()));
            }
            let name = name.unwrap_or_else(|| "\"\"".to_owned());
            self.line(&used.item.span, format_args!("{WORDS}: [({index}, {name}, ({calls}))],"));
        }
    }

    fn patterns(&mut self, field: PatternField, card: &Card) {
        let entries = card.patterns(field).iter();
        let entries = entries.map(|(server, patterns)| (&server.span, (server, patterns)));
        self.block(field.part().word(), TABLE, entries, |writer, place, (server, patterns)| {
            writer.line(place, format_args!("{:?}: [", server.value));
            for pattern in patterns {
                writer.line(&pattern.span, format_args!("{:?},", pattern.value));
            }
            writer.line(place, "],");
        });
    }

    fn headers(&mut self, card: &Card) {
        let headers = card.headers.iter().map(|(server, headers)| (&server.span, (server, headers)));
        self.block("headers", TABLE, headers, |writer, place, (server, headers)| {
            writer.line(place, format_args!("{:?}: {{", server.value));
            for (name, value) in headers {
                writer.line(&name.span, format_args!("{:?}:", name.value));
                writer.line(&value.span, format_args!("{:?},", value.value));
            }
            writer.line(place, "},");
        });
    }

    fn toolboxes(&mut self, card: &Card) {
        let toolboxes = card.toolboxes.iter().map(|toolbox| (&toolbox.item.span, toolbox));
        self.block("toolboxes", LIST, toolboxes, |writer, place, toolbox| {
            let path = writer.path(&toolbox.item.value);
            match &toolbox.prefix {
                Some(prefix) => writer.line(&prefix.span, format_args!("{}: {path},", prefix.value)),
                None => writer.line(place, format_args!("{path},")),
            }
        });
    }

    /// Hooks or guardrails with their filters; `None` is the place of the hooks that are added at run time.
    fn hooks<'h>(
        &mut self,
        field: &str,
        card: &Card,
        hooks: impl Iterator<Item = (&'h Range<usize>, Option<(&'h Hook, Option<&'h Filter>)>)>,
    ) {
        self.block(field, LIST, hooks, |writer, place, hook| {
            let Some((hook, filter)) = hook else { return writer.line(place, "..,") };
            writer.hook(card, hook);
            if let Some(filter) = filter {
                writer.filter(card, place, filter);
            }
            writer.line(place, ",");
        });
    }

    fn hook(&mut self, card: &Card, hook: &Hook) {
        let path = self.path(&hook.item.value);
        if hook.with.is_empty() {
            self.line(&hook.item.span, path);
            return;
        }
        self.line(&hook.item.span, format_args!("{path}("));
        for value in &hook.with {
            let (line, _) = card.source.line_and_column(value.span.start);
            match argument(&value.value, line) {
                Some(written) => self.line(&value.span, format_args!("{written},")),
                None => {
                    let message =
                        "a value of a hook is a number, a text, `true`, `false`, or a list of these";
                    self.problem(&value.span, message.to_owned());
                }
            }
        }
        self.line(&hook.item.span, ")");
    }

    fn filter(&mut self, card: &Card, at: &Range<usize>, filter: &Filter) {
        self.line(at, if filter.except { "except [" } else { "for [" });
        for target in &filter.targets {
            self.target(card, target);
        }
        self.line(at, "]");
    }

    fn target(&mut self, card: &Card, target: &Spanned<Target>) {
        let written = match &target.value {
            Target::Name(name) => self.call(card, name),
            Target::Server(server) => format!("server({server:?})"),
            Target::Source(source) => format!("source({source})"),
            Target::Tool(tool) => format!("tool({tool:?})"),
            Target::Everywhere => "everywhere".to_owned(),
        };
        self.line(&target.span, format_args!("{written},"));
    }

    /// A tool, a child or a toolbox of the agent, by the last part of its name.
    fn call(&self, card: &Card, name: &str) -> String {
        match card.called(name).first() {
            Some(Called::Tool(item) | Called::Toolbox(item)) => self.path(item),
            Some(Called::Child(child)) => self.child(child),
            None => name.to_owned(),
        }
    }

    fn child(&self, name: &str) -> String {
        match self.deck.child(name) {
            Child::Card(index) => type_name(&self.deck.cards[index].name.value),
            Child::Program(path) => path.to_owned(),
        }
    }

    fn table<W: Word>(
        &mut self,
        field: &str,
        entries: &[(Spanned<W>, Spanned<Value>)],
        written: impl Fn(W, &Value) -> String,
    ) {
        let entries = entries.iter().map(|(key, value)| (&key.span, (key, value)));
        self.block(field, TABLE, entries, |writer, _, (key, value)| {
            let written = written(key.value, &value.value);
            writer.line(&value.span, format_args!("{}: {written},", key.value));
        });
    }

    fn path(&self, item: &Item) -> String {
        (self.names.path)(&self.deck.cards[self.index], item)
    }

    fn line(&mut self, place: &Range<usize>, line: impl Display) {
        use std::fmt::Write as _;
        _ = writeln!(self.written.text, "{LINE} {line}");
        self.written.places.push((self.index, place.clone()));
    }

    fn problem(&mut self, place: &Range<usize>, message: String) {
        self.problems.push((self.index, Problem { message, span: place.clone() }));
    }
}

/// The documentation of the agent's type.
fn documentation(card: &Card) -> String {
    match card.text(TextField::Description) {
        Some(Text::Template(description)) => description.value.clone(),
        Some(Text::Function(_)) | None => format!("The agent of the card `{}`.", card.source.name),
    }
}

fn quoted(word: &Spanned<String>) -> String {
    format!("{:?}", word.value)
}

/// The value of a hook's configuration, in this line of its card.
fn argument(value: &Value, line: usize) -> Option<String> {
    Some(match value {
        Value::String(text) => format!("<_ as __rt::TextInCard<{line}>>::from_text({text:?})"),
        Value::Array(items) => {
            let items = items.iter().map(|item| argument(item, line)).collect::<Option<Vec<_>>>()?.join(", ");
            format!("::core::iter::Iterator::collect(::core::iter::IntoIterator::into_iter([{items}]))")
        }
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Null | Value::Object(_) => return None,
    })
}

/// The value of a request parameter.
fn param(param: RequestParam, value: &Value) -> String {
    let json = |value: &Value| format!("__rt::json({:?})", value.to_string());
    match (param.kind(), value.as_str()) {
        (ValueKind::Number(Number { unit: Unit::Fraction, .. }), _) => {
            value.as_f64().map_or_else(String::new, |number| format!("{number:?}"))
        }
        (ValueKind::ToolChoice, Some(choice)) if !TOOL_CHOICES.contains(&choice) => {
            json(&serde_json::json!({ "tool": choice }))
        }
        (ValueKind::Word(_), Some(word)) => word.to_owned(),
        (ValueKind::Map | ValueKind::ToolChoice | ValueKind::Word(_), _) => json(value),
        (ValueKind::Number(_) | ValueKind::Texts | ValueKind::Boolean, _) => value.to_string(),
    }
}
