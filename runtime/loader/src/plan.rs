//! From a card to the declaration of its agent.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use onionskin_cards::{
    ApprovalRule, Called, Card, Child, Deck, Filter, Hook, HookItem, Item, Kind, Need, Origin, Problem,
    ServerPatterns, Spanned, Text, Toolbox,
};
use onionskin_core::__private0::header_of_session;
use onionskin_core::__private0::outline::Needed;
use onionskin_core::__private0::settings::Settings;
use onionskin_core::__private0::with_settings;
use onionskin_core::declaration::{AgentDeclaration, CallFilter, DynAgent, RunFn};
use onionskin_core::definition::ToolWords;
use onionskin_core::prompt::{Prompt, PromptText};
use onionskin_core::servers::RunHeader;
use onionskin_vocabulary::BuiltIn;
use onionskin_vocabulary::agent::{Setting, TextField};
use onionskin_vocabulary::placeholders::{TextPiece, split};
use serde_json::Value;

use crate::address::{refused_headers, refused_item, refused_name};
use crate::builtin::{self, Method};
use crate::error::{MistakeKind, Mistakes};
use crate::filter::{Test, call_filter, unnamed_changes};
use crate::find::Finder;
use crate::pure;
use crate::registered_item::{AddHook, AddTool, AddToolbox, RegisteredItem, RegisteredState};
use crate::settings;
use crate::tools::{ToolNames, method_name, prefix, tool_words};

/// The agent of a card, with what the card names, before its children are made.
#[derive(Default)]
pub(crate) struct Plan {
    card: Arc<Card>,
    prompt: Prompt,
    /// Tools, with what a workflow says of them.
    tools: Vec<(AddTool, Option<ToolWords>)>,
    toolboxes: Vec<(AddToolbox, Option<String>)>,
    hooks: Vec<PlannedHook>,
    approval: Vec<(PlannedRule, CallFilter)>,
    /// Headers of calls, each with its server.
    headers: Vec<(String, RunHeader)>,
    /// What is declared without values: built-in tools, and types.
    methods: Vec<Method>,
    settings: Settings,
    pub(crate) children: Vec<PlannedChild>,
    run: Option<RunFn>,
    state: Option<RegisteredState>,
}

/// A hook or a guardrail, or the place of those that are added at run time.
enum PlannedHook {
    Hook { add: Arc<AddHook>, values: Vec<Value>, filter: Option<CallFilter> },
    Rest,
}

/// When calls need approval.
enum PlannedRule {
    Always,
    Because(String),
    Function(Needed),
}

/// A child of a card.
pub(crate) enum PlannedChild {
    /// The card of this name.
    Card(String),
    Program(DynAgent),
}

impl Plan {
    /// Plans the agent of a card of a deck.
    ///
    /// # Errors
    /// Returns the mistakes in what the card names.
    pub(crate) fn new(card: &Arc<Card>, deck: &Deck, finder: &Finder<'_>) -> Result<Self, Mistakes> {
        let plan = Self { card: Arc::clone(card), ..Self::default() };
        let (mistakes, names) = (Mistakes::default(), ToolNames::default());
        let planner = Planner { finder, deck, card, mistakes, names, plan };
        let Planner { mistakes, plan, .. } = planner.plan();
        if mistakes.is_empty() { Ok(plan) } else { Err(mistakes) }
    }

    /// The agent. It is declared anew each time that it is built.
    pub(crate) fn agent(self: &Arc<Self>, children: Vec<DynAgent>) -> DynAgent {
        let plan = Arc::clone(self);
        let mut agent = DynAgent::new(&*self.card.name.value, move || plan.declare(&children));
        if let Some(state) = &self.state {
            agent = (state.with_state)(agent);
        }
        if let Some(run) = self.run {
            agent = agent.with_run(run);
        }
        agent
    }

    fn declare(&self, children: &[DynAgent]) -> AgentDeclaration {
        let card = &self.card;
        let mut agent = children.iter().fold(AgentDeclaration::new(), AgentDeclaration::dyn_child);
        if let Some(Text::Template(text)) = card.text(TextField::Description) {
            agent = agent.description(&*text.value);
        }
        agent = agent.prompt(self.prompt.clone());
        for server in &card.servers {
            let filter = card.tools.iter().find(|(name, _)| name.value == server.value);
            agent = agent.server(&*server.value, filter.map(texts).as_deref());
        }
        for entry @ (server, _) in &card.resources {
            agent = agent.server_resources(&*server.value, &texts(entry));
        }
        for entry @ (server, _) in &card.prompts {
            agent = agent.server_prompts(&*server.value, &texts(entry));
        }
        for (server, header) in &self.headers {
            agent = agent.server_header(&**server, header.clone());
        }
        for (add, words) in &self.tools {
            agent = match words {
                Some(words) => agent.worded(words.clone(), |agent| add(agent)),
                None => add(agent),
            };
        }
        for (add, prefix) in &self.toolboxes {
            agent = add(agent, prefix.as_deref());
        }
        for hook in &self.hooks {
            agent = match hook {
                PlannedHook::Hook { add, values, filter } => add(agent, values, filter.clone()),
                PlannedHook::Rest => agent.dynamic_hooks(),
            };
        }
        for (rule, on) in &self.approval {
            let on = Some(on.clone());
            agent = match rule {
                PlannedRule::Always => agent.approval(on),
                PlannedRule::Because(reason) => agent.approval_because(reason, on),
                PlannedRule::Function(rule) => agent.approval_rule(Arc::clone(rule), on),
            };
        }
        agent = self.methods.iter().fold(agent, |agent, method| method(agent));
        agent = with_settings(agent, self.settings.clone());
        match &card.until {
            Some(until) => agent.until(&*until.value),
            None => agent,
        }
    }
}

fn texts((_, patterns): &ServerPatterns) -> Vec<&str> {
    patterns.iter().map(|pattern| &*pattern.value).collect()
}

/// Finds what a card names, and the mistakes in it.
struct Planner<'p> {
    finder: &'p Finder<'p>,
    deck: &'p Deck,
    card: &'p Card,
    mistakes: Mistakes,
    /// The names of the tools that are planned.
    names: ToolNames,
    plan: Plan,
}

impl Planner<'_> {
    fn plan(mut self) -> Self {
        if self.card.source.origin == Origin::Address {
            self.refuse();
            if !self.mistakes.is_empty() {
                return self;
            }
        }
        self.texts();
        self.tools();
        self.children();
        self.hooks();
        self.approval();
        self.types();
        self.settings();
        self
    }

    /// The mistakes of a card of an address.
    fn refuse(&mut self) {
        let card = self.card;
        let items = card.needs().into_iter().filter_map(|need| refused_item(&need)).collect::<Vec<_>>();
        let agents = card.agents.iter().filter(|agent| agent.value.contains("::"));
        let names = card.runtime.iter().chain(agents).map(refused_name);
        let headers = card.headers.iter().map(|(server, _)| refused_headers(server));
        for problem in items.into_iter().chain(names).chain(headers) {
            self.mistakes.add(&card.source, MistakeKind::Address, problem);
        }
    }

    fn mistake(&mut self, kind: MistakeKind, message: String, span: &Range<usize>) {
        self.mistakes.add(&self.card.source, kind, Problem { message, span: span.clone() });
    }

    /// The item that the card names, or `None` and a mistake.
    fn item(&mut self, item: &Spanned<Item>, kind: Kind) -> Option<RegisteredItem> {
        self.find(&Need { item, kind, with: None })
    }

    fn find(&mut self, need: &Need<'_>) -> Option<RegisteredItem> {
        let found = self.finder.find(self.card, need);
        found.map_err(|(kind, problem)| self.mistakes.add(&self.card.source, kind, problem)).ok()
    }

    fn texts(&mut self) {
        let mut prompt = Prompt::new();
        let card = self.card;
        for (field, text) in &card.texts {
            match (field, text) {
                (TextField::Description, Text::Template(_)) => {}
                (field, Text::Template(text)) => prompt = prompt.text((*field).into(), &text.value),
                (field, Text::Function(item)) => {
                    if let Some(RegisteredItem::Text(add)) = self.item(item, Kind::Text) {
                        prompt = add(prompt, (*field).into());
                    }
                }
            }
        }
        self.plan.prompt = card.flags.iter().fold(prompt, |prompt, (flag, on)| {
            let part = (*flag).into();
            if on.value { prompt.include(part) } else { prompt.leave_out(part) }
        });
    }

    fn tools(&mut self) {
        let card = self.card;
        if let Some(first) = card.servers.first() {
            self.built_in(builtin::servers(), &first.span);
        }
        for (server, headers) in &card.headers {
            for (name, value) in headers {
                if let Some(path) = first_place(&value.value).filter(|_| self.finder.is_without_rust()) {
                    let message = format!(
                        "`{{{path}}}` is a secret that a program sets: write the headers of `{}` in `.mcp.json`, with a variable of the environment such as `${{TOKEN}}`",
                        server.value
                    );
                    let place = card.source.place_of(&path, &value.span);
                    self.mistake(MistakeKind::WithoutRust, message, &place);
                    continue;
                }
                match header_of_session(&name.value, &value.value) {
                    Ok(header) => self.plan.headers.push((server.value.clone(), header)),
                    Err(path) => {
                        let message = format!(
                            "`{{{path}}}` is a field of the state, which only compiled code can read: compile the card with `agent!`, or \
                             write `{{session_state.{path}}}` and set this secret with `set_secret`"
                        );
                        self.mistake(
                            MistakeKind::WrongKind,
                            message,
                            &card.source.place_of(&path, &value.span),
                        );
                    }
                }
            }
        }
        for tool in &card.function_tools {
            if let Some(RegisteredItem::Tool { name, add, .. }) = self.item(tool, Kind::Tool) {
                let new_name = card.tool_use(&tool.value).and_then(|used| used.name.as_ref());
                self.name_once(new_name.map_or(&*name, |name| &name.value), tool);
                self.plan.tools.push((add, tool_words(card, &tool.value)));
            }
        }
        for tool in &card.runtime {
            match BuiltIn::from_word(&tool.value) {
                Some(known) => {
                    self.name_once(known.word(), tool);
                    self.built_in(builtin::tool(known), &tool.span);
                }
                None => self.mistake(MistakeKind::Format, BuiltIn::unknown(&tool.value), &tool.span),
            }
        }
        for toolbox in &card.toolboxes {
            if let Some(RegisteredItem::Toolbox { add, tools, .. }) = self.item(&toolbox.item, Kind::Toolbox)
            {
                for tool in tools.iter().copied().flatten() {
                    self.name_once(&method_name(toolbox, tool), &toolbox.item);
                }
                self.plan.toolboxes.push((add, prefix(toolbox)));
            }
        }
    }

    /// Adds the name of a tool, and a mistake if an earlier tool has it.
    fn name_once(&mut self, name: &str, item: &Spanned<impl ToString>) {
        if let Some(message) = self.names.add(name, &item.value.to_string()) {
            self.mistake(MistakeKind::Cards, message, &item.span);
        }
    }

    fn built_in(&mut self, method: Result<Method, builtin::Missing>, span: &Range<usize>) {
        match method {
            Ok(method) => self.plan.methods.push(method),
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
                    Ok(agent) => self.plan.children.push(PlannedChild::Program(agent.clone())),
                    Err((kind, problem)) => self.mistakes.add(&self.card.source, kind, problem),
                },
            }
        }
    }

    fn hooks(&mut self) {
        let card = self.card;
        for item in &card.tool_hooks {
            match item {
                HookItem::Rest(_) => self.plan.hooks.push(PlannedHook::Rest),
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

    fn approval(&mut self) {
        let card = self.card;
        for approval in card.approval.iter().flatten() {
            let rule = match &approval.rule {
                ApprovalRule::Always => PlannedRule::Always,
                ApprovalRule::Because(reason) => PlannedRule::Because(reason.value.clone()),
                ApprovalRule::Function(item) => {
                    let Some(RegisteredItem::Rule(rule)) = self.item(item, Kind::ApprovalRule) else {
                        continue;
                    };
                    PlannedRule::Function(rule)
                }
            };
            let on = call_filter(card, &approval.filter, |name| self.tests(name));
            self.plan.approval.push((rule, on));
        }
        if self.finder.asks_before_changes && card.approval.as_ref().is_none_or(|entries| !entries.is_empty())
        {
            let changes = unnamed_changes(card, |name| self.tests(name));
            self.plan.approval.push((PlannedRule::Always, changes));
        }
    }

    fn filtered(&mut self, hook: &Hook, kind: Kind, filter: Option<&Filter>) {
        let item = self.finder.item(self.card, &hook.item.value, kind);
        if item.as_ref().and_then(|item| item.hook(kind)).is_some_and(|hook| hook.is_for_pure) {
            for problem in pure::mistakes(self.card, hook, filter, self.finder) {
                self.mistakes.add(&self.card.source, MistakeKind::WrongValue, problem);
            }
        }
        let filter = filter.map(|filter| call_filter(self.card, filter, |name| self.tests(name)));
        self.hook(hook, kind, filter);
    }

    fn hook(&mut self, hook: &Hook, kind: Kind, filter: Option<CallFilter>) {
        let entry = self.find(&Need { item: &hook.item, kind, with: Some(&hook.with) });
        if let Some(found) = entry.as_ref().and_then(|entry| entry.hook(kind)) {
            let values = hook.with.iter().map(|value| value.value.clone()).collect();
            self.plan.hooks.push(PlannedHook::Hook { add: Arc::clone(&found.add), values, filter });
        }
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
                let Some(RegisteredItem::Tool { name, .. }) = self.finder.item(card, tool, Kind::Tool) else {
                    return vec![unknown()];
                };
                let new_name = card.tool_use(tool).and_then(|used| used.name.as_ref());
                vec![Test::Function(new_name.map_or(name, |name| name.value.as_str().into()))]
            }
            Called::Toolbox(item) => {
                let toolboxes = card.toolboxes.iter().filter(|toolbox| toolbox.item.value == *item);
                let test = |toolbox: &Toolbox| {
                    let found = self.finder.item(card, item, Kind::Toolbox);
                    let Some(RegisteredItem::Toolbox { is_of, .. }) = found else { return unknown() };
                    Test::Toolbox(is_of, prefix(toolbox))
                };
                toolboxes.map(test).collect()
            }
            Called::Child(child) => {
                let declared = card.agents.iter().find(|agent| agent.value == child);
                if let Child::Program(_) = self.deck.child(child)
                    && let Some(Ok(agent)) = declared.map(|agent| self.finder.agent(agent))
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
            && let Some(RegisteredItem::Strategy(run)) = self.item(item, Kind::Strategy)
        {
            self.plan.run = Some(run);
        }
        if let Some(item) = &card.state
            && let Some(RegisteredItem::Type(ty)) = self.item(item, Kind::Type)
        {
            match ty.state {
                Some(state) => {
                    if !state.is_recorded {
                        self.unshown_fields(item);
                    }
                    self.plan.methods.extend(&state.methods);
                    self.plan.state = Some(state);
                }
                None => self.unfit_type(item, "state"),
            }
        }
        for (field, item) in [("input", &card.input), ("output", &card.output)] {
            let Some(item) = item else { continue };
            let Some(RegisteredItem::Type(ty)) = self.item(item, Kind::Type) else { continue };
            match if field == "input" { ty.input } else { ty.output } {
                Some(method) => self.plan.methods.push(method),
                None => self.unfit_type(item, field),
            }
        }
    }

    /// The places of texts for fields of a state that is registered without them.
    fn unshown_fields(&mut self, state: &Spanned<Item>) {
        let card = self.card;
        for (_, text) in card.texts.iter().filter(|(field, _)| *field != TextField::Description) {
            let Text::Template(text) = text else { continue };
            let places = PromptText::from(text.value.as_str());
            // Each once.
            let places: BTreeSet<_> =
                places.placeholders().filter(|place| !place.starts_with("session_state.")).collect();
            for place in places {
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
        self.plan.settings = settings;
        if card.setting(Setting::Model).is_some() {
            self.plan.methods.push(builtin::model);
        }
    }
}

/// The first place for a secret in the value of a header.
fn first_place(value: &str) -> Option<String> {
    split(value).into_iter().find_map(|piece| match piece {
        TextPiece::Placeholder(path) => Some(path),
        TextPiece::Words(_) => None,
    })
}
