//! From a card to the steps that declare its agent.

use std::collections::HashSet;
use std::sync::Arc;

use onionskin_cards::{
    Called, Card, Child, Deck, Filter, Hook, HookItem, Item, Kind, Need, Origin, Problem, Spanned, Text,
    Toolbox,
};
use onionskin_core::__private0::with_settings;
use onionskin_core::declaration::{AgentDeclaration, CallFilter, DynAgent, RunFn};
use onionskin_core::prompt::{Prompt, PromptText};
use onionskin_vocabulary::BuiltIn;
use onionskin_vocabulary::agent::{Setting, TextField};
use serde_json::Value;

use crate::address::{refused_item, refused_name};
use crate::builtin;
use crate::entry::{Entry, StateEntry, Step};
use crate::error::{MistakeKind, Mistakes};
use crate::filter::{Test, call_filter};
use crate::find::Finder;
use crate::settings;
use crate::tool_words::{given_name, worded};

/// The agent of a card, before its children are made.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    pub(crate) children: Vec<PlannedChild>,
    pub(crate) run: Option<RunFn>,
    pub(crate) state: Option<StateEntry>,
}

/// A child of a card.
pub(crate) enum PlannedChild {
    /// The card of this name.
    Card(String),
    Program(DynAgent),
}

/// Reads a card. Its mistakes are added to the others.
pub(crate) struct Planner<'p> {
    pub(crate) finder: &'p Finder<'p>,
    pub(crate) deck: &'p Deck,
    pub(crate) card: &'p Card,
    pub(crate) mistakes: &'p mut Mistakes,
    pub(crate) plan: Plan,
}

impl Planner<'_> {
    pub(crate) fn plan(mut self) -> Plan {
        if self.card.source.origin == Origin::Address {
            self.refuse();
            if !self.mistakes.is_empty() {
                return self.plan;
            }
        }
        for need in self.card.needs() {
            if let Some((kind, problem)) = self.finder.mistake(self.card, &need) {
                self.mistakes.add(&self.card.source, kind, problem);
            }
        }
        self.texts();
        self.tools();
        self.children();
        self.hooks();
        self.types();
        self.settings();
        self.plan
    }

    /// The mistakes of a card of an address.
    fn refuse(&mut self) {
        let card = self.card;
        let items = card.needs().into_iter().filter_map(|need| refused_item(&need)).collect::<Vec<_>>();
        let agents = card.agents.iter().filter(|agent| agent.value.contains("::"));
        let names = card.runtime.iter().chain(agents).map(refused_name);
        for problem in items.into_iter().chain(names) {
            self.mistakes.add(&card.source, MistakeKind::Address, problem);
        }
    }

    fn step(&mut self, step: impl Fn(AgentDeclaration) -> AgentDeclaration + Send + Sync + 'static) {
        self.plan.steps.push(Arc::new(step));
    }

    fn mistake(&mut self, kind: MistakeKind, message: String, span: &std::ops::Range<usize>) {
        self.mistakes.add(&self.card.source, kind, Problem { message, span: span.clone() });
    }

    fn item(&self, item: &Spanned<Item>, kind: Kind) -> Option<Entry> {
        self.finder.item(self.card, &item.value, kind)
    }

    fn texts(&mut self) {
        let card = self.card;
        let mut prompt = Prompt::new();
        for (field, text) in &card.texts {
            match (field, text) {
                (TextField::Description, Text::Written(text)) => {
                    let text = text.value.clone();
                    self.step(move |agent| agent.description(text.clone()));
                }
                (field, Text::Written(text)) => prompt = prompt.text((*field).into(), &text.value),
                (field, Text::Function(item)) => {
                    if let Some(Entry::Text(add)) = self.item(item, Kind::Text) {
                        prompt = add(prompt, (*field).into());
                    }
                }
            }
        }
        for flag in &card.flags {
            prompt = prompt.include(flag.value.into());
        }
        self.step(move |agent| agent.prompt(prompt.clone()));
    }

    fn tools(&mut self) {
        let card = self.card;
        for server in &card.servers {
            let name: Arc<str> = server.value.as_str().into();
            let filter = card.tools.iter().find(|(of, _)| of.value == server.value);
            let patterns: Option<Vec<String>> =
                filter.map(|(_, patterns)| patterns.iter().map(|pattern| pattern.value.clone()).collect());
            self.step(move |agent| {
                let patterns: Option<Vec<&str>> =
                    patterns.as_ref().map(|patterns| patterns.iter().map(String::as_str).collect());
                agent.server(Arc::clone(&name), patterns.as_deref())
            });
        }
        if let Some(first) = card.servers.first() {
            self.built_in(builtin::servers(), &first.span);
        }
        for tool in &card.function_tools {
            if let Some(Entry::Tool { step, .. }) = self.item(tool, Kind::Tool) {
                self.plan.steps.push(worded(card, &tool.value, step));
            }
        }
        for tool in &card.runtime {
            match BuiltIn::from_word(&tool.value) {
                Some(known) => self.built_in(builtin::tool(known), &tool.span),
                None => self.mistake(MistakeKind::Format, BuiltIn::unknown(&tool.value), &tool.span),
            }
        }
        for toolbox in &card.toolboxes {
            if let Some(Entry::Toolbox { step, .. }) = self.item(&toolbox.item, Kind::Toolbox) {
                let prefix = toolbox.prefix.as_ref().map(|prefix| prefix.value.clone());
                self.step(move |agent| step(agent, prefix.as_deref()));
            }
        }
    }

    fn built_in(&mut self, step: Result<builtin::Plain, builtin::Missing>, span: &std::ops::Range<usize>) {
        match step {
            Ok(step) => self.step(step),
            Err((feature, message)) => self.mistake(MistakeKind::MissingFeature(feature), message, span),
        }
    }

    fn children(&mut self) {
        for child in &self.card.agents {
            match self.deck.child(&child.value) {
                Child::Card(_) => self.plan.children.push(PlannedChild::Card(child.value.clone())),
                // The deck has reported a plain name already.
                Child::Program(path) if !path.contains("::") => {}
                Child::Program(_) => match self.finder.agent(child) {
                    Ok(Entry::Agent(agent)) => self.plan.children.push(PlannedChild::Program(agent.clone())),
                    Ok(_) => {}
                    Err((kind, problem)) => self.mistakes.add(&self.card.source, kind, problem),
                },
            }
        }
    }

    fn hooks(&mut self) {
        let card = self.card;
        for item in &card.tool_hooks {
            match item {
                HookItem::Rest(_) => self.step(AgentDeclaration::dynamic_hooks),
                HookItem::Hook(hook, filter) => self.filtered(hook, Kind::ToolHook, filter.as_ref()),
            }
        }
        for (guardrail, filter) in &card.input_guardrails {
            self.filtered(guardrail, Kind::InputGuardrail, filter.as_ref());
        }
        for (guardrail, filter) in &card.output_guardrails {
            self.filtered(guardrail, Kind::OutputGuardrail, filter.as_ref());
        }
        for hook in &card.run_hooks {
            self.hook(hook, Kind::RunHook, None);
        }
        for (place, hook) in &card.turn_hooks {
            self.hook(hook, Kind::TurnHook(place.as_ref().map(|place| place.value)), None);
        }
        for hook in &card.message_hooks {
            self.hook(hook, Kind::MessageHook, None);
        }
    }

    fn filtered(&mut self, hook: &Hook, kind: Kind, filter: Option<&Filter>) {
        let filter = filter.map(|filter| call_filter(self.card, filter, |name| self.tests(name)));
        self.hook(hook, kind, filter);
    }

    fn hook(&mut self, hook: &Hook, kind: Kind, filter: Option<CallFilter>) {
        let Some(add) =
            self.item(&hook.item, kind).and_then(|entry| Some(Arc::clone(&entry.hook(kind)?.add)))
        else {
            return;
        };
        let values: Vec<Value> = hook.with.iter().map(|value| value.value.clone()).collect();
        self.step(move |agent| add(agent, &values, filter.clone()));
    }

    /// The tools, toolboxes and children that a filter names.
    fn tests(&self, name: &str) -> Vec<Test> {
        self.card.called(name).into_iter().flat_map(|called| self.tests_of(called, name)).collect()
    }

    fn tests_of(&self, called: Called<'_>, name: &str) -> Vec<Test> {
        let card = self.card;
        // Of an item that is not found a mistake was reported.
        let unknown = || Test::Named(name.to_owned());
        match called {
            Called::Tool(tool) => {
                let Some(Entry::Tool { name, .. }) = self.finder.item(card, tool, Kind::Tool) else {
                    return vec![unknown()];
                };
                vec![Test::Function(given_name(card, tool).unwrap_or(name))]
            }
            Called::Toolbox(item) => {
                let toolboxes = card.toolboxes.iter().filter(|toolbox| toolbox.item.value == *item);
                let test = |toolbox: &Toolbox| {
                    let Some(Entry::Toolbox { is_of, .. }) = self.item(&toolbox.item, Kind::Toolbox) else {
                        return unknown();
                    };
                    Test::Toolbox(is_of, toolbox.prefix.as_ref().map(|prefix| prefix.value.clone()))
                };
                toolboxes.map(test).collect()
            }
            Called::Child(child) => {
                let declared = card.agents.iter().find(|agent| agent.value == child);
                if let Child::Program(_) = self.deck.child(child)
                    && let Some(Ok(Entry::Agent(agent))) = declared.map(|agent| self.finder.agent(agent))
                {
                    return vec![Test::Child(agent.name().to_owned())];
                }
                vec![Test::Child(name.to_owned())]
            }
        }
    }

    fn types(&mut self) {
        let card = self.card;
        if let Some(item) = &card.run
            && let Some(Entry::Strategy(run)) = self.item(item, Kind::Strategy)
        {
            self.plan.run = Some(run);
        }
        if let Some(item) = &card.state
            && let Some(Entry::Type(ty)) = self.item(item, Kind::Type)
        {
            match ty.state {
                Some(state) => {
                    if !state.is_recorded {
                        self.unshown_fields(item);
                    }
                    for step in &state.steps {
                        self.step(*step);
                    }
                    self.plan.state = Some(state);
                }
                None => self.unfit_type(item, "state"),
            }
        }
        for (field, item) in [("input", &card.input), ("output", &card.output)] {
            let Some(item) = item else { continue };
            let Some(Entry::Type(ty)) = self.item(item, Kind::Type) else { continue };
            match if field == "input" { ty.input } else { ty.output } {
                Some(step) => self.step(step),
                None => self.unfit_type(item, field),
            }
        }
    }

    /// The places of texts for fields of a state that is registered without them.
    fn unshown_fields(&mut self, state: &Spanned<Item>) {
        let card = self.card;
        for (_, text) in card.texts.iter().filter(|(field, _)| *field != TextField::Description) {
            let Text::Written(text) = text else { continue };
            let places = PromptText::from(text.value.as_str());
            let mut seen = HashSet::new();
            for place in places.places().filter(|place| !place.starts_with("session_state.")) {
                if !seen.insert(place) {
                    continue;
                }
                let message = format!(
                    "`{{{place}}}` shows a field of the state, and `{}` is registered without its fields: register it with \
                     `state_with::<..>(StateParts::recorded)`, or write `{{{{{place}}}}}` for the text",
                    state.value
                );
                let span = card.source.place_of(place, &text.span);
                self.mistakes.add(&card.source, MistakeKind::WrongKind, Problem { message, span });
            }
        }
    }

    /// The type is registered for another use.
    fn unfit_type(&mut self, item: &Spanned<Item>, field: &str) {
        let need = Need { item, kind: Kind::Type, with: None };
        self.mistakes.add(&self.card.source, MistakeKind::WrongKind, need.another_use(field));
    }

    fn settings(&mut self) {
        let card = self.card;
        let (settings, problems) = settings::read(card);
        for problem in problems {
            self.mistakes.add(&card.source, MistakeKind::Format, problem);
        }
        self.step(move |agent| with_settings(agent, settings.clone()));
        if card.setting(Setting::Model).is_some() {
            self.step(builtin::model);
        }
        if let Some(until) = &card.until {
            let until = until.value.clone();
            self.step(move |agent| agent.until(until.as_str()));
        }
    }
}
