//! Workflow folders that a program reads at run time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use onionskin_cards::{Deck, Item, ItemFacts, Kind, Workflow, workflow_files};
use onionskin_core::App;
use onionskin_core::declaration::{AppBuilder, DynAgent};
use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::MessagePlace;

use crate::cache::Cache;
use crate::error::{LoadError, MistakeKind, Mistakes};
use crate::find::Finder;
use crate::loaded::LoadedCards;
use crate::loader::CardLoader;
use crate::registered_item::RegisteredItem;
use crate::script;

/// The agents of a workflow folder, and how it begins: [`CardLoader::load_workflow`] makes it.
#[derive(Debug, Clone)]
pub struct LoadedWorkflow {
    name: String,
    cards: LoadedCards,
    initial_message: Option<Arc<str>>,
    warnings: Vec<String>,
}

impl CardLoader {
    /// Loads a workflow folder: `orchestrator.json`, `agents.json`, `tools.json` and `hooks.json`, or `workflow.json` with all of it. Its agents
    /// are those that the compiler makes of the same folder with `workflow!`. Items of the files in `tools` are registered under the path of
    /// the file, which begins at the base folder as that of the workflow does.
    ///
    /// ```
    /// use onionskin::loader::{CardLoader, Registry};
    /// use onionskin::{ScriptedModel, ScriptedTurn, tool};
    /// use serde_json::json;
    ///
    /// /// Says a text back.
    /// #[tool]
    /// fn echo(text: String) -> String {
    ///     text
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = tempfile::tempdir()?;
    /// let greeter = folder.path().join("workflows/Greeter");
    /// std::fs::create_dir_all(&greeter)?;
    /// std::fs::write(greeter.join("orchestrator.json"), r#"{ "start_agent": "Host", "initial_message": "Good morning." }"#)?;
    /// std::fs::write(greeter.join("agents.json"), r#"{ "Host": { "instruction": "Greet." } }"#)?;
    /// std::fs::write(
    ///     greeter.join("tools.json"),
    ///     r#"{ "agent_tools": { "Host": [{ "path": "workflows.Greeter.tools.echo_all.echo", "name": "say" }] } }"#,
    /// )?;
    ///
    /// let registry = Registry::new().file("workflows/Greeter/tools/echo_all.rs", |items| items.tool::<echo>());
    /// let workflow = CardLoader::new(registry).base(folder.path()).load_workflow("workflows/Greeter")?;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::call("say", json!({ "text": "Hello." })), ScriptedTurn::say("{input} {last}")]);
    /// assert_eq!(workflow.builder().model(model).begin().await?.text, "Good morning. Hello.");
    /// # Ok(())
    /// # })
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns all mistakes of all files, with the words and places that the compiler's errors have.
    pub fn load_workflow(&self, folder: impl AsRef<Path>) -> Result<LoadedWorkflow, LoadError> {
        self.load_changed_workflow(folder.as_ref(), &mut Cache::default())
    }

    /// As [`Self::load_workflow`]. The cache gets the files that were looked at.
    pub(crate) fn load_changed_workflow(
        &self,
        folder: &Path,
        cache: &mut Cache,
    ) -> Result<LoadedWorkflow, LoadError> {
        let base = self.base_folder();
        // Before they are read, so that a change in between is seen next time.
        cache.renew_stamps();
        for file in workflow_files(&base.join(folder)) {
            cache.stamp(file.as_os_str());
        }
        let mut mistakes = Mistakes::default();
        let workflow = match Workflow::read(&base, folder) {
            Ok(workflow) => workflow,
            Err(error) => {
                mistakes.add_deck(&error);
                return Err(mistakes.into_error().unwrap_or_default());
            }
        };
        let (deck, finder) = (&workflow.deck, self.finder(&base));
        cache.plan(deck, &finder, &mut mistakes);
        if mistakes.is_empty() {
            for problem in workflow.wrong_items(|item| item_facts(&finder, deck, item)) {
                mistakes.add(&workflow.source, MistakeKind::WrongKind, problem);
            }
        }
        if let Some(error) = mistakes.once().into_error() {
            return Err(error);
        }
        let cards = LoadedCards::new(deck, cache.agents(deck));
        Ok(LoadedWorkflow {
            warnings: workflow.warning_lines().chain(cards.warnings()).collect(),
            cards,
            name: workflow.name,
            initial_message: workflow.initial_message.map(|message| message.value.into()),
        })
    }
}

impl LoadedWorkflow {
    /// The name of the workflow: that of its folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its agents, in the order of `agents.json`.
    pub fn agents(&self) -> &[DynAgent] {
        self.cards.agents()
    }

    /// The names of the servers that its agents use, each once.
    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.cards.servers()
    }

    /// As [`LoadedCards::agents_with`].
    pub fn agents_with<'s>(&'s self, server: &'s str) -> impl Iterator<Item = &'s str> {
        self.cards.agents_with(server)
    }

    /// As [`LoadedCards::names_item`].
    #[doc(hidden)]
    pub fn names_item(&self, path: &str) -> bool {
        self.cards.names_item(path)
    }

    /// As [`LoadedCards::only`].
    #[must_use]
    pub fn only(self, agent: &str) -> Self {
        Self { cards: self.cards.only(agent), ..self }
    }

    /// As [`LoadedCards::without_servers`].
    #[must_use]
    pub fn without_servers(self) -> Self {
        Self { cards: self.cards.without_servers(), ..self }
    }

    /// The agent of this name.
    pub fn agent(&self, name: &str) -> Option<&DynAgent> {
        self.cards.agent(name)
    }

    /// The message that it begins with if the program gives none.
    pub fn initial_message(&self) -> Option<&str> {
        self.initial_message.as_deref()
    }

    /// What is old or has no effect, and what is perhaps not meant, each with its file: `workflows/Generator/tools.yaml:1:1: ..`. `workflow!` gives the same as warnings of
    /// the compiler.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Begins to build its agents: give them a model, states, services and servers, then `.build().await`.
    pub fn builder(&self) -> AppBuilder {
        self.add_to(App::builder())
    }

    /// Adds its agents and its initial message to an app.
    pub fn add_to(&self, app: AppBuilder) -> AppBuilder {
        let app = self.cards.add_to(app);
        match &self.initial_message {
            Some(message) => app.initial_message(Arc::clone(message)),
            None => app,
        }
    }
}

/// What the registry shows of an item.
fn item_facts(finder: &Finder<'_>, deck: &Deck, item: &Item) -> Option<ItemFacts> {
    let Item::File { file, name } = item else { return None };
    // All agents are in one folder.
    let card = deck.cards.first()?;
    let path = card.beside(file);
    if item.is_script() {
        let hook = finder.item(card, item, Kind::MessageHook);
        let place = hook.as_ref().and_then(message_place);
        return Some(ItemFacts { others: script::others(&path, name), has_component: false, place });
    }
    let items = finder.items_of(&path)?;
    let others = items.iter().filter(|(other, entry)| *other != name && entry.kind().is_tool_or_hook());
    let (has_component, place) = match items.get(name)? {
        // It is code of the program.
        RegisteredItem::Tool { definition: Some(definition), .. } => {
            let has_component = || definition().component().is_some();
            (catch_unwind(AssertUnwindSafe(has_component)).unwrap_or_default(), None)
        }
        entry @ RegisteredItem::Hook(_) => (false, message_place(entry)),
        RegisteredItem::Tool { definition: None, .. }
        | RegisteredItem::Toolbox { .. }
        | RegisteredItem::Text(_)
        | RegisteredItem::Strategy(_)
        | RegisteredItem::Rule(_)
        | RegisteredItem::Type(_)
        | RegisteredItem::Agent(_) => (false, None),
    };
    Some(ItemFacts { others: others.map(|(other, _)| other.clone()).collect(), has_component, place })
}

/// The place of a hook on messages, if it has one place.
fn message_place(entry: &RegisteredItem) -> Option<MessagePlace> {
    MessagePlace::from_word(entry.hook(Kind::MessageHook)?.place?)
}
