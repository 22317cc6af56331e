//! Agents of the program as cards.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use onionskin_cards::{Called, Card, Filter, Hook, HookItem, Item, Spanned, Target, Text, Toolbox};
use onionskin_core::__private0::outline::{FilterWord, Filtered, HookType, Origin, Outline};
use onionskin_core::declaration::{DynAgent, HistoryMergeTarget, HistorySource, Limits};
use onionskin_core::model::{RequestParams, ToolChoice};
use onionskin_core::prompt::{PromptOutline, PromptPart};
use onionskin_core::{Agent, Effect, ToolDefinition};
use serde_json::{Value, json};

use crate::entry::Entry;
use crate::loaded::{CardText, free_file};
use crate::registry::Registry;

/// Why an agent cannot be written as a card: nothing of it is left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// A part of the agent is code, which no card holds.
    #[error("the agent `{agent}` cannot be a card: {part} is code; {advice}")]
    #[non_exhaustive]
    Code {
        /// The agent.
        agent: String,
        /// The part, such as `` `instruction` `` or ``the value of the hook `retry` ``.
        part: String,
        /// What to do.
        advice: &'static str,
    },
    /// The registry does not have an item of the agent, so a card has no name for it.
    #[error(
        "the agent `{agent}` cannot be a card: the registry does not have `{item}` of its `{field}`; call `.{method}::<{item}>()` of its items"
    )]
    #[non_exhaustive]
    Unregistered {
        /// The agent.
        agent: String,
        /// The tool, the hook or the type.
        item: String,
        /// The field.
        field: &'static str,
        /// The method that registers it.
        method: &'static str,
    },
    /// A workflow says more of the agent than a card can: other words for its tools, or a text that ends its runs.
    #[error(
        "the agent `{agent}` cannot be a card: its workflow has other words for its tools, or a `termination`; keep the folder"
    )]
    #[non_exhaustive]
    Workflow {
        /// The agent.
        agent: String,
    },
    /// Two agents have this name, so a card cannot name one of them as a child.
    #[error(
        "two agents beneath this one are called `{agent}`, and cards name agents by their names; give one of them another `name`"
    )]
    #[non_exhaustive]
    TwoAgents {
        /// The name.
        agent: String,
    },
    /// Code of the program panicked while it declared the agent.
    #[error("the agent `{agent}` cannot be a card: its declaration panicked: {reason}")]
    #[non_exhaustive]
    Panicked {
        /// The agent.
        agent: String,
        /// The text of the panic.
        reason: String,
    },
}

impl Registry {
    /// Writes an agent of `agent!`, and the agents beneath it, as cards that name the items of this registry. They belong into the base folder of
    /// the loader. Loading them gives agents of the same declaration, and [`LoadedCards::dump`](crate::LoadedCards::dump) of those gives the same
    /// texts. An agent that is registered itself is named by its path, and not written.
    ///
    /// A declaration knows types and settings, but no values and no code. So hooks with values, texts that functions give or that show the fields
    /// of a state, a `run`, typed hooks, and filters by methods of toolboxes are errors, and so is each agent that is declared by hand.
    ///
    /// ```
    /// use onionskin::loader::{CardLoader, DumpError, Registry};
    /// use onionskin::{agent, hooks, tool};
    ///
    /// /// Adds one.
    /// #[tool]
    /// fn add_one(x: i64) -> i64 {
    ///     x + 1
    /// }
    ///
    /// agent! {
    ///     Adder { instruction: "Add.", function_tools: [add_one], tool_hooks: [hooks::log for [add_one]], limits: { turns: 3 } }
    ///     Careful { instruction: "Add.", tool_hooks: [hooks::retry(3)] }
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new().file("tools.rs", |items| items.tool::<add_one>());
    /// let cards = registry.dump::<Adder>()?;
    /// assert_eq!(cards[0].file, "Adder.md");
    /// assert_eq!(
    ///     cards[0].text,
    ///     "---\nname: \"Adder\"\nfunction_tools: \n  - \"tools.rs:add_one\"\ntool_hooks: \n  \
    ///      - { hook: \"::onionskin::hooks::log\", for: [\"add_one\"] }\nlimits: \n  turns: 3\n---\nAdd.\n"
    /// );
    ///
    /// let error = registry.dump::<Careful>().unwrap_err();
    /// assert!(matches!(error, DumpError::Code { .. }));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error that names what a card cannot have, or what is not registered.
    pub fn dump<A: Agent>(&self) -> Result<Vec<CardText>, DumpError> {
        let (mut cards, mut taken) = (Vec::new(), HashSet::new());
        let mut open = vec![DynAgent::of::<A>()];
        let mut seen = open.clone();
        while let Some(agent) = open.pop() {
            let outline = Outline::of(&agent)
                .map_err(|reason| DumpError::Panicked { agent: agent.name().to_owned(), reason })?;
            let mut children = Vec::new();
            let card = Dump { registry: self, outline: &outline, children: &mut children }.card()?;
            let file = free_file(&format!("{}.md", agent.name()), &mut taken);
            cards.push(CardText { file, text: card.to_markdown() });
            for child in children {
                if !seen.contains(&child) {
                    if seen.iter().any(|other| other.name() == child.name()) {
                        return Err(DumpError::TwoAgents { agent: child.name().to_owned() });
                    }
                    seen.push(child.clone());
                    open.push(child);
                }
            }
        }
        Ok(cards)
    }

    /// The name of the first item that fits, as a card in the base folder writes it.
    fn name_of(&self, fits: impl Fn(&Entry) -> bool) -> Option<Item> {
        for (file, items) in &self.files {
            if let Some((name, _)) = items.iter().find(|(_, entry)| fits(entry)) {
                return Some(Item::File { file: file.replace('\\', "/"), name: name.clone() });
            }
        }
        let (path, _) = self.paths.iter().find(|(_, entry)| fits(entry))?;
        let root = if path.starts_with("crate") { "" } else { "::" };
        Some(Item::Path(format!("{root}{path}")))
    }
}

/// An agent that becomes a card.
struct Dump<'d> {
    registry: &'d Registry,
    outline: &'d Outline,
    /// The children that become cards too.
    children: &'d mut Vec<DynAgent>,
}

impl Dump<'_> {
    fn card(mut self) -> Result<Card, DumpError> {
        let outline = self.outline;
        match outline.origin {
            Origin::Macro => {}
            Origin::Workflow => return Err(DumpError::Workflow { agent: outline.name.to_string() }),
            Origin::Hand => {
                return Err(self.code("its declaration".to_owned(), "write it with `agent!`, or as a card"));
            }
        }
        if outline.runs_itself {
            return Err(
                self.code("`run`".to_owned(), "a card names a registered strategy: write the field yourself")
            );
        }
        let mut card = Card::named(&outline.name);
        card.description = outline.description.as_deref().map(written);
        self.prompt(&mut card)?;
        card.servers = outline.servers.iter().map(|(name, _)| spanned(name.to_string())).collect();
        for (server, patterns) in &outline.servers {
            if let Some(patterns) = patterns {
                card.tools
                    .push((spanned(server.to_string()), patterns.iter().cloned().map(spanned).collect()));
            }
        }
        card.runtime = outline.built_in.iter().map(|tool| spanned(tool.to_string())).collect();
        for (_, tool) in &outline.tools {
            card.function_tools.push(spanned(self.tool(tool)?));
        }
        for (ty, prefix) in &outline.toolboxes {
            let fits = |entry: &Entry| matches!(entry, Entry::Toolbox { id, .. } if *id == ty.id);
            let item = self.item(fits, ty, "toolboxes", "toolbox")?;
            let prefix = prefix.as_ref().map(|prefix| spanned(prefix.to_string()));
            card.toolboxes.push(Toolbox { prefix, item: spanned(item) });
        }
        self.agents(&mut card);
        self.hooks(&mut card)?;
        self.types(&mut card)?;
        settings(outline, &mut card);
        Ok(card)
    }

    fn code(&self, part: String, advice: &'static str) -> DumpError {
        DumpError::Code { agent: self.outline.name.to_string(), part, advice }
    }

    fn prompt(&self, card: &mut Card) -> Result<(), DumpError> {
        for (part, said) in &self.outline.prompt {
            let (field, text) = match part {
                PromptPart::Instructions => ("instruction", &mut card.instruction),
                PromptPart::Role => ("role", &mut card.role),
                PromptPart::ExpectedOutput => ("expected_output", &mut card.expected_output),
                PromptPart::AdditionalContext => ("additional_context", &mut card.additional_context),
                PromptPart::SystemMessage => ("system_message", &mut card.system_message),
                other => {
                    let flag = match other {
                        PromptPart::Markdown => "markdown",
                        PromptPart::DateTime => "add_datetime_to_context",
                        PromptPart::Location => "add_location_to_context",
                        PromptPart::Name => "add_name_to_context",
                        PromptPart::SessionState => "add_session_state_to_context",
                        other => return Err(self.code(format!("the part {other:?} of its prompt"), PROMPT)),
                    };
                    match said {
                        PromptOutline::Included => card.flags.push(spanned(flag)),
                        _ => return Err(self.code(format!("`{flag}`"), PROMPT)),
                    }
                    continue;
                }
            };
            match said {
                PromptOutline::Text(words) => *text = Some(written(words)),
                _ => return Err(self.code(format!("`{field}`"), PROMPT)),
            }
        }
        Ok(())
    }

    fn tool(&self, tool: &ToolDefinition) -> Result<Item, DumpError> {
        // The schema of a tool of `#[tool]` is made once, and shared by all copies of its definition.
        let is_it = |entry: &Entry| match entry {
            Entry::Tool { name, definition: Some(definition), .. } if *name == tool.name => {
                Arc::ptr_eq(&definition().input_schema, &tool.input_schema)
            }
            _ => false,
        };
        self.registry.name_of(is_it).ok_or_else(|| self.unregistered(&tool.name, "function_tools", "tool"))
    }

    fn item(
        &self,
        fits: impl Fn(&Entry) -> bool,
        ty: &HookType,
        field: &'static str,
        method: &'static str,
    ) -> Result<Item, DumpError> {
        self.registry.name_of(fits).ok_or_else(|| self.unregistered(last(ty.name), field, method))
    }

    fn unregistered(&self, item: &str, field: &'static str, method: &'static str) -> DumpError {
        DumpError::Unregistered { agent: self.outline.name.to_string(), item: item.to_owned(), field, method }
    }

    fn agents(&mut self, card: &mut Card) {
        for child in &self.outline.children {
            let is_it = |entry: &Entry| matches!(entry, Entry::Agent(agent) if agent == child);
            let path = match self.registry.name_of(is_it) {
                Some(Item::Path(path)) => Some(path),
                _ => None,
            };
            if path.is_none() {
                self.children.push(child.clone());
            }
            card.agents.push(spanned(path.unwrap_or_else(|| child.name().to_owned())));
        }
    }

    fn hooks(&self, card: &mut Card) -> Result<(), DumpError> {
        for (index, (ty, filter)) in self.outline.hooks.iter().enumerate() {
            if index == self.outline.seam && index > 0 {
                card.tool_hooks.push(HookItem::Rest(spanned(())));
            }
            let filter = filter.map(|filter| self.filter(ty, filter, card)).transpose()?;
            card.tool_hooks.push(HookItem::Hook(self.hook(ty, "tool_hooks", "tool_hook")?, filter));
        }
        let count = self.outline.hooks.len();
        if count > 0 && self.outline.seam == count {
            card.tool_hooks.push(HookItem::Rest(spanned(())));
        }
        let around = &self.outline.around;
        for ty in &around.run {
            card.run_hooks.push(self.hook(ty, "run_hooks", "run_hook")?);
        }
        for ty in &around.turn {
            card.turn_hooks.push((None, self.hook(ty, "turn_hooks", "turn_hook")?));
        }
        for ty in &around.message {
            card.message_hooks.push(self.hook(ty, "message_hooks", "message_hook")?);
        }
        Ok(())
    }

    fn hook(&self, ty: &HookType, field: &'static str, method: &'static str) -> Result<Hook, DumpError> {
        if ty.has_values {
            let part = format!("the value of the hook `{}`", last(ty.name));
            return Err(self.code(part, "a card has it in `with`: write the card yourself"));
        }
        let fits = |entry: &Entry| matches!(entry, Entry::Hook { hook, .. } if hook.id == Some(ty.id));
        Ok(Hook { item: spanned(self.item(fits, ty, field, method)?), with: Vec::new() })
    }

    fn filter(&self, ty: &HookType, filter: Filtered, card: &Card) -> Result<Filter, DumpError> {
        let code = |what: &str| {
            let part = format!("the {what} of the hook `{}`", last(ty.name));
            self.code(part, "a card filters by tools, toolboxes, children, servers and sources")
        };
        let mut targets = Vec::new();
        for word in filter.words.ok_or_else(|| code("tool"))? {
            let name = |called: Option<Called<'_>>| {
                called.map(|called| word_for(card, called)).ok_or_else(|| code("filter"))
            };
            targets.push(spanned(match *word {
                FilterWord::Function(index) => {
                    let at = self.outline.tools.iter().position(|(known, _)| *known == index);
                    let tool = at.and_then(|at| card.function_tools.get(at));
                    name(tool.map(|tool| Called::Tool(&tool.value)))?
                }
                FilterWord::Child(index) => {
                    name(card.agents.get(index).map(|child| Called::Child(&child.value)))?
                }
                FilterWord::Toolbox(index) => {
                    name(card.toolboxes.get(index).map(|toolbox| Called::Toolbox(&toolbox.item.value)))?
                }
                FilterWord::Method(_) => return Err(code("filter")),
                FilterWord::Server(server) => Target::Server(server.to_owned()),
                FilterWord::Source(source) => Target::Source(source.to_owned()),
                FilterWord::Added(tool) => Target::tool(tool).ok_or_else(|| code("filter"))?,
                FilterWord::Named(tool) => Target::Name(tool.to_owned()),
            }));
        }
        Ok(Filter { except: filter.except, targets })
    }

    fn types(&self, card: &mut Card) -> Result<(), DumpError> {
        let item = |ty: &Option<HookType>, field: &'static str| -> Result<Option<Spanned<Item>>, DumpError> {
            let Some(ty) = ty else { return Ok(None) };
            let fits = |entry: &Entry| match entry {
                Entry::Type(known) if known.id == Some(ty.id) => match field {
                    "state" => known.state.is_some(),
                    "input" => known.input.is_some(),
                    _ => known.output.is_some(),
                },
                _ => false,
            };
            self.item(fits, ty, field, field).map(|item| Some(spanned(item)))
        };
        card.state = item(&self.outline.state, "state")?;
        card.input = item(&self.outline.input, "input")?;
        card.output = item(&self.outline.output, "output")?;
        Ok(())
    }
}

const PROMPT: &str = "a card has texts with places such as `{name}`, and `{ function: prompts.rs:greeting }`: write the field yourself";

/// The settings that differ from their defaults.
fn settings(outline: &Outline, card: &mut Card) {
    card.default = outline.is_default.then(|| spanned(true));
    card.model = outline.model.as_ref().map(|model| spanned(model.to_string()));
    card.request_params = params(&outline.params);
    card.limits = limits(&outline.limits);
    let source = match outline.history_source {
        HistorySource::Child => Some("child"),
        HistorySource::Orchestrator => Some("orchestrator"),
        HistorySource::Messages => Some("messages"),
        _ => None,
    };
    card.history_source = source.map(spanned);
    let target = match outline.history_merge_target {
        HistoryMergeTarget::Child => Some("child"),
        HistoryMergeTarget::Orchestrator => Some("orchestrator"),
        _ => None,
    };
    card.history_merge_target = target.map(spanned);
    let effect = match outline.effect {
        Effect::Pure => Some("pure"),
        Effect::Idempotent => Some("idempotent"),
        _ => None,
    };
    card.effect = effect.map(spanned);
    let count = |count: usize| spanned(u64::try_from(count).unwrap_or(u64::MAX));
    card.max_parallel = outline.max_parallel.map(count);
    card.max_display_instances = outline.max_display_instances.map(count);
    card.child_timeout_sec = outline.child_timeout.map(|time| spanned(time.as_secs_f64()));
}

type Settings = Vec<(Spanned<&'static str>, Spanned<Value>)>;

fn params(params: &RequestParams) -> Settings {
    let choice = match &params.tool_choice {
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Tool(name) => json!(**name),
        _ => Value::Null,
    };
    let schema = params.response_schema.as_ref();
    given([
        ("temperature", json!(params.temperature)),
        ("top_p", json!(params.top_p)),
        ("max_tokens", json!(params.max_tokens)),
        ("seed", json!(params.seed)),
        (
            "stop_sequences",
            if params.stop_sequences.is_empty() { Value::Null } else { json!(params.stop_sequences) },
        ),
        ("tool_choice", choice),
        ("response_schema", schema.map_or(Value::Null, |schema| json!(schema))),
        ("extra_body", if params.extra_body.is_empty() { Value::Null } else { json!(params.extra_body) }),
    ])
}

fn limits(limits: &Limits) -> Settings {
    let usual = Limits::default();
    let whole = |given: u32, usual: u32| if given == usual { Value::Null } else { json!(given) };
    let seconds = |time: Duration| json!(time.as_secs_f64());
    let model_timeout =
        if limits.model_timeout == usual.model_timeout { Value::Null } else { seconds(limits.model_timeout) };
    given([
        ("turns", whole(limits.turns, usual.turns)),
        ("tool_calls", json!(limits.tool_calls)),
        ("tokens", json!(limits.tokens)),
        ("time_sec", limits.time.map_or(Value::Null, seconds)),
        ("depth", whole(limits.depth, usual.depth)),
        ("max_retries", whole(limits.max_retries, usual.max_retries)),
        ("output_retries", whole(limits.output_retries, usual.output_retries)),
        ("model_timeout_sec", model_timeout),
        ("model_retries", whole(limits.model_retries, usual.model_retries)),
    ])
}

/// The settings that are there.
fn given<const N: usize>(settings: [(&'static str, Value); N]) -> Settings {
    let there = settings.into_iter().filter(|(_, value)| !value.is_null());
    there.map(|(key, value)| (spanned(key), spanned(value))).collect()
}

fn written(text: &str) -> Text {
    Text::Written(spanned(text.to_owned()))
}

/// The word for an item in a filter: the last part of its name, or the item as its list has it if others are called so too.
fn word_for(card: &Card, called: Called<'_>) -> Target {
    let last = match called {
        Called::Tool(item) | Called::Toolbox(item) => item.last_name(),
        Called::Child(child) => last(child),
    };
    match (card.called(last).as_slice(), called) {
        ([_], _) => Target::Name(last.to_owned()),
        (_, Called::Child(child)) if !child.contains("::") => Target::Tool(format!("agent__{child}")),
        _ => Target::Name(called.full_word()),
    }
}

/// A value that no file has.
fn spanned<T>(value: T) -> Spanned<T> {
    Spanned::new(value, 0..0)
}

/// The last part of a type's name.
fn last(name: &str) -> &str {
    let path = name.split('<').next().unwrap_or(name);
    path.rsplit("::").next().unwrap_or(path)
}
