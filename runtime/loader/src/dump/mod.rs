//! Agents of the program as cards.

mod error;
mod hooks;
mod settings;

use std::collections::HashSet;
use std::sync::Arc;

use onionskin_cards::{Card, Item, Spanned, Text, Toolbox};
use onionskin_core::__private0::outline::{HookType, Origin, Outline};
use onionskin_core::declaration::DynAgent;
use onionskin_core::prompt::{PromptOutline, PromptPart};
use onionskin_core::{Agent, ToolDefinition};
use onionskin_vocabulary::agent::{Flag, TextField};
use onionskin_vocabulary::{READY_HOOKS, Word as _};

use crate::loaded::{CardText, free_file};
use crate::registered_item::{RegisteredItem, RegisteredType};
use crate::registry::Registry;
pub use error::DumpError;

impl Registry {
    /// Writes an agent of `agent!`, and the agents below it, as cards that name the items of this registry. They belong into the base folder of
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
        let mut open = vec![DynAgent::from_type::<A>()];
        let mut visited = open.clone();
        while let Some(agent) = open.pop() {
            let outline = Outline::new(&agent)
                .map_err(|reason| DumpError::Panicked { agent: agent.name().to_owned(), reason })?;
            let mut children = Vec::new();
            let card = Dump { registry: self, outline: &outline, children: &mut children }.card()?;
            let file = free_file(&format!("{}.md", agent.name()), &mut taken);
            cards.push(CardText { file, text: card.to_markdown() });
            for child in children {
                if !visited.contains(&child) {
                    if visited.iter().any(|other| other.name() == child.name()) {
                        return Err(DumpError::TwoAgents { agent: child.name().to_owned() });
                    }
                    visited.push(child.clone());
                    open.push(child);
                }
            }
        }
        Ok(cards)
    }

    /// The name of the first item that fits, as a card in the base folder writes it.
    fn name_of(&self, fits: impl Fn(&RegisteredItem) -> bool) -> Option<Item> {
        self.first(|_, entry| fits(entry))
    }

    /// The first item with this last name that `fits`. The ready hooks are not among them.
    fn called(&self, name: &str, fits: impl Fn(&RegisteredItem) -> bool) -> Option<Item> {
        let found = self.first(|known, entry| last(known) == name && fits(entry));
        found.filter(|item| !READY_HOOKS.contains(&&*item.to_string()))
    }

    fn first(&self, fits: impl Fn(&str, &RegisteredItem) -> bool) -> Option<Item> {
        for (file, items) in &self.files {
            if let Some((name, _)) = items.iter().find(|(name, entry)| fits(name, entry)) {
                return Some(Item::File { file: file.replace('\\', "/"), name: name.clone() });
            }
        }
        let (path, _) = self.paths.iter().find(|(path, entry)| fits(path, entry))?;
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
        let description = outline.description.as_deref().map(template);
        card.texts.extend(description.map(|text| (TextField::Description, text)));
        self.prompt(&mut card)?;
        card.servers = outline.servers.iter().map(|(name, _)| spanned(name.to_string())).collect();
        let of_server = |server: &str, patterns: &[String]| {
            (spanned(server.to_owned()), patterns.iter().cloned().map(spanned).collect())
        };
        let tools = outline.servers.iter();
        card.tools = tools.filter_map(|(name, patterns)| Some(of_server(name, patterns.as_ref()?))).collect();
        card.resources = outline.resources.iter().map(|(name, patterns)| of_server(name, patterns)).collect();
        card.prompts = outline.prompts.iter().map(|(name, patterns)| of_server(name, patterns)).collect();
        for (server, name, source) in &outline.headers {
            let Some(source) = source else {
                return Err(self.code(format!("the header `{name}`"), HEADER));
            };
            let header = (spanned(name.clone()), spanned(source.clone()));
            match card.headers.iter_mut().find(|(known, _)| *known.value == **server) {
                Some((_, headers)) => headers.push(header),
                None => card.headers.push((spanned(server.to_string()), vec![header])),
            }
        }
        card.runtime = outline.built_in.iter().map(|tool| spanned(tool.to_string())).collect();
        for (_, tool) in &outline.tools {
            card.function_tools.push(spanned(self.tool(tool)?));
        }
        for (ty, prefix) in &outline.toolboxes {
            let fits =
                |entry: &RegisteredItem| matches!(entry, RegisteredItem::Toolbox { id, .. } if *id == ty.id);
            let item = self.item(fits, ty, "toolboxes", "toolbox")?;
            let prefix = prefix.as_ref().map(|prefix| spanned(prefix.to_string()));
            card.toolboxes.push(Toolbox { prefix, item: spanned(item) });
        }
        self.agents(&mut card);
        self.hooks(&mut card)?;
        self.types(&mut card)?;
        self.settings(&mut card)?;
        Ok(card)
    }

    fn code(&self, part: String, advice: &'static str) -> DumpError {
        DumpError::Code { agent: self.outline.name.to_string(), part, advice }
    }

    fn prompt(&self, card: &mut Card) -> Result<(), DumpError> {
        for (part, said) in &self.outline.prompt {
            let text = TextField::ALL.iter().find(|text| PromptPart::from(**text) == *part);
            let flag = Flag::ALL.iter().find(|flag| PromptPart::from(**flag) == *part);
            match (text, flag, said) {
                (Some(field), _, PromptOutline::Text(words)) => card.texts.push((*field, template(words))),
                (_, Some(flag), PromptOutline::Included) => card.flags.push((*flag, spanned(true))),
                (_, Some(flag), PromptOutline::LeftOut) => card.flags.push((*flag, spanned(false))),
                (Some(field), ..) => return Err(self.code(format!("`{field}`"), PROMPT)),
                (_, Some(flag), _) => return Err(self.code(format!("`{flag}`"), PROMPT)),
                (None, None, _) => return Err(self.code(format!("the part {part:?} of its prompt"), PROMPT)),
            }
        }
        Ok(())
    }

    fn tool(&self, tool: &ToolDefinition) -> Result<Item, DumpError> {
        // The schema of a tool of `#[tool]` is made once, and shared by all copies of its definition.
        let is_it = |entry: &RegisteredItem| {
            matches!(entry, RegisteredItem::Tool { name, definition: Some(definition), .. }
                if *name == tool.name && Arc::ptr_eq(&definition().input_schema, &tool.input_schema))
        };
        self.registry.name_of(is_it).ok_or_else(|| self.unregistered(&tool.name, "function_tools", "tool"))
    }

    fn item(
        &self,
        fits: impl Fn(&RegisteredItem) -> bool,
        ty: &HookType,
        field: &'static str,
        method: &'static str,
    ) -> Result<Item, DumpError> {
        self.registry.name_of(fits).ok_or_else(|| self.unregistered(last(ty.name), field, method))
    }

    fn unregistered(&self, item: &str, field: &'static str, method: &'static str) -> DumpError {
        let (agent, item) = (self.outline.name.to_string(), item.to_owned());
        // A type can be the same one, registered for another field.
        let is_of_kind = |entry: &RegisteredItem| match entry {
            RegisteredItem::Tool { .. } => method == "tool",
            RegisteredItem::Toolbox { .. } => method == "toolbox",
            RegisteredItem::Hook(_) => method.ends_with("_hook") || method.ends_with("_guardrail"),
            RegisteredItem::Text(_)
            | RegisteredItem::Strategy(_)
            | RegisteredItem::Rule(_)
            | RegisteredItem::Type(_)
            | RegisteredItem::Agent(_) => false,
        };
        match self.registry.called(&item, is_of_kind) {
            Some(known) => DumpError::AnotherItem { agent, item, known: known.to_string(), field },
            None => DumpError::Unregistered { agent, item, field, method },
        }
    }

    fn agents(&mut self, card: &mut Card) {
        for child in &self.outline.children {
            let is_it =
                |entry: &RegisteredItem| matches!(entry, RegisteredItem::Agent(agent) if agent == child);
            let path = match self.registry.name_of(is_it) {
                Some(Item::Path(path)) => Some(path),
                Some(Item::File { .. }) | None => None,
            };
            if path.is_none() {
                self.children.push(child.clone());
            }
            card.agents.push(spanned(path.unwrap_or_else(|| child.name().to_owned())));
        }
    }

    fn types(&self, card: &mut Card) -> Result<(), DumpError> {
        let item = |ty: &Option<HookType>, field: &'static str, is_used: fn(&RegisteredType) -> bool| {
            let Some(ty) = ty else { return Ok(None) };
            let fits = |entry: &RegisteredItem| matches!(entry, RegisteredItem::Type(known) if known.id == Some(ty.id) && is_used(known));
            self.item(fits, ty, field, field).map(|item| Some(spanned(item)))
        };
        card.state = item(&self.outline.state, "state", |known| known.state.is_some())?;
        card.input = item(&self.outline.input, "input", |known| known.input.is_some())?;
        card.output = item(&self.outline.output, "output", |known| known.output.is_some())?;
        Ok(())
    }
}

const HEADER: &str = "a field of the state is compiled code, and a card that is loaded names secrets of the session's state: write the field yourself, with `{session_state.token}`";
const PROMPT: &str = "a text that shows fields of the state is code too when it is compiled; a card has `{name}` for that, and `{ function: prompts.rs:greeting }`: write the field yourself";

fn template(text: &str) -> Text {
    Text::Template(spanned(text.to_owned()))
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
