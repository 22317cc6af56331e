//! The items of a file or a module, as a program registers them.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use onionskin_cards::Kind;
use onionskin_core::__private0::{is_of_toolbox, short_name};
use onionskin_core::declaration::{AgentDeclaration, CallFilter, DynAgent, RunFn};
use onionskin_core::forms::{NeedsApproval, TypedAnswer, TypedInput, Works};
use onionskin_core::guardrails::{InputGuardrail, OutputGuardrail};
use onionskin_core::made::MadeBy;
use onionskin_core::message_hooks::MessageHook;
use onionskin_core::prompt::PromptSource;
use onionskin_core::run_hooks::{BoxError, RunHook};
use onionskin_core::turn_hooks::TurnHook;
use onionskin_core::typed::RawHook;
use onionskin_core::{Agent, Args, Hook, RunContext, Toolbox};
use onionskin_hooks::cards::CardHook;
use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::TurnPlace;
use serde_json::Value;

use crate::registered_item::{RegisteredHook, RegisteredItem, RegisteredType};
use crate::registered_tool::RegisteredTool;
use crate::state::StateParts;
use crate::values::{HookValues, Unfit};

/// Writes the two methods that register a kind of hook. A row has the kind, its place and what adds it to a declaration, then the beginning of
/// each method, in Rust because the compiler quotes it.
macro_rules! hooks {
    ($(
        $(#[doc = $doc:literal])+
        register($kind:expr, $place:expr, $add:expr) {
            pub fn $method:ident $($generics:tt)+
        } {
            pub fn $method_with:ident $($generics_with:tt)+
        }
    )+) => {$(
        $(#[doc = $doc])+
        pub fn $method $($generics)+ (&mut self) -> &mut Self {
            let (names, make) = (<H::Made as MadeBy<H>>::NAMES, <H::Made as MadeBy<H>>::configure);
            self.add_hook(short_name::<H>(), $kind, hook_entry(names, make, $place, $add))
        }

        #[doc = concat!("As [`Self::", stringify!($method), "`], made of other values than those of lists: `", stringify!($method_with),
            "(\"at_most\", |(most,): (u32,)| AtMost::new(most))`.")]
        pub fn $method_with $($generics_with)+ (
            &mut self,
            name: &str,
            make: impl Fn(V) -> H + Send + Sync + 'static,
        ) -> &mut Self {
            self.add_hook(name, $kind, hook_entry(&[], make, $place, $add))
        }
    )+};
}

/// The items of a file or a module: [`Registry::file`](crate::Registry::file) and [`Registry::module`](crate::Registry::module) give it.
///
/// An item has the name of its type, without the path: `add_one`. [`Self::called`] gives the item before it another name. A later item
/// replaces an earlier one of the same name.
#[derive(Default)]
pub struct Items {
    pub(crate) entries: BTreeMap<String, RegisteredItem>,
    last: String,
}

impl Items {
    /// Registers a tool: `function_tools: [tools.rs:add_one]`.
    pub fn tool<T: RegisteredTool>(&mut self) -> &mut Self {
        self.add(
            short_name::<T>(),
            RegisteredItem::Tool {
                name: T::NAME.into(),
                add: Arc::new(|agent| agent.tool(T::default())),
                definition: Some(|| T::default().definition().clone()),
            },
        )
    }

    /// Registers a toolbox: `toolboxes: [kb.rs:Kb]`. The program provides the object, as for a toolbox of `agent!`:
    /// [`AppBuilder::toolbox`](onionskin_core::declaration::AppBuilder::toolbox).
    pub fn toolbox<T: Toolbox>(&mut self) -> &mut Self {
        let add = |agent: AgentDeclaration, prefix: Option<&str>| agent.toolbox::<T>(prefix);
        self.add(
            short_name::<T>(),
            RegisteredItem::Toolbox {
                add,
                is_of: is_of_toolbox::<T>,
                tools: T::TOOLS,
                id: TypeId::of::<T>(),
            },
        )
    }

    hooks! {
        /// Registers a hook around tool calls: `tool_hooks: [hooks.rs:audit]`. A card gives it values if it takes some: `with: [3]`.
        register(Kind::ToolHook, None, |agent, hook, filter| match filter {
            Some(filter) => agent.filtered_hook(hook, filter),
            None => agent.hook(hook),
        }) {
            pub fn tool_hook<H: RawHook + Hook<Made: MadeBy<H, State: Works, Values: HookValues>>>
        } {
            pub fn tool_hook_with<V: HookValues, H: RawHook + Hook<Made: MadeBy<H, State: Works>>>
        }
        /// Registers a guardrail on arguments: `input_guardrails: [guardrails.rs:check]`. A card gives it values if it takes some.
        /// A type can be registered as a guardrail on results, and as a hook around runs, too.
        register(Kind::InputGuardrail, None, AgentDeclaration::input_guardrail) {
            pub fn input_guardrail<H: InputGuardrail<Made: MadeBy<H, State: Works, Values: HookValues>>>
        } {
            pub fn input_guardrail_with<V: HookValues, H: InputGuardrail<Made: MadeBy<H, State: Works>>>
        }
        /// Registers a guardrail on results: `output_guardrails: [guardrails.rs:check]`.
        register(Kind::OutputGuardrail, None, AgentDeclaration::output_guardrail) {
            pub fn output_guardrail<H: OutputGuardrail<Made: MadeBy<H, State: Works, Values: HookValues>>>
        } {
            pub fn output_guardrail_with<V: HookValues, H: OutputGuardrail<Made: MadeBy<H, State: Works>>>
        }
        /// Registers a hook around runs: `run_hooks: [hooks.rs:check]`.
        register(Kind::RunHook, None, |agent, hook, _| agent.run_hook(hook)) {
            pub fn run_hook<H: RunHook<Made: MadeBy<H, State: Works, Values: HookValues>>>
        } {
            pub fn run_hook_with<V: HookValues, H: RunHook<Made: MadeBy<H, State: Works>>>
        }
        /// Registers a hook around turns: `turn_hooks: [hooks.rs:trim]`.
        register(Kind::TurnHook(H::PLACE.and_then(TurnPlace::from_word)), H::PLACE, |agent, hook, _| agent.turn_hook(hook)) {
            pub fn turn_hook<H: TurnHook<Made: MadeBy<H, State: Works, Values: HookValues>>>
        } {
            pub fn turn_hook_with<V: HookValues, H: TurnHook<Made: MadeBy<H, State: Works>>>
        }
        /// Registers a hook on messages: `message_hooks: [hooks.rs:redact]`.
        register(Kind::MessageHook, H::PLACE, |agent, hook, _| agent.message_hook(hook)) {
            pub fn message_hook<H: MessageHook<Made: MadeBy<H, State: Works, Values: HookValues>>>
        } {
            pub fn message_hook_with<V: HookValues, H: MessageHook<Made: MadeBy<H, State: Works>>>
        }
    }

    /// As [`Self::tool_hook`], for a ready hook that says which values it takes from cards.
    pub(crate) fn card_hook<H>(&mut self) -> &mut Self
    where
        H: CardHook<Values: HookValues> + RawHook + Hook<Made: MadeBy<H, State: Works, Values: HookValues>>,
    {
        self.tool_hook::<H>().change_hook(|hook| {
            for ((name, _), card_name) in hook.takes.iter_mut().zip(H::NAMES) {
                (*card_name).clone_into(name);
            }
            hook.check_use = |values| H::check(H::Values::read(values)?);
        })
    }

    /// Adds the check of the values of the hook before it.
    pub(crate) fn checked(&mut self, check: fn(&[Value]) -> Result<(), Unfit>) -> &mut Self {
        self.change_hook(|hook| hook.check_use = check)
    }

    /// The hook before it acts on tools with `effect = pure` only.
    pub(crate) fn for_pure(&mut self) -> &mut Self {
        self.change_hook(|hook| hook.is_for_pure = true)
    }

    fn change_hook(&mut self, change: impl Fn(&mut RegisteredHook)) -> &mut Self {
        if let Some(RegisteredItem::Hook(uses)) = self.entries.get_mut(&self.last) {
            for (_, hook) in uses {
                change(hook);
            }
        }
        self
    }

    /// Registers a text of the prompt that is computed in each turn: `instruction: { function: prompts.rs:greeting }`.
    pub fn text(&mut self, name: &str, source: impl PromptSource) -> &mut Self {
        let source = Arc::new(source);
        self.add(
            name,
            RegisteredItem::Text(Arc::new(move |prompt, part| {
                prompt.source(part, Shared(Arc::clone(&source)))
            })),
        )
    }

    /// Registers a function that runs an agent in place of the loop, `run: strategy.rs:plan`:
    /// `strategy("plan", |run, input| Box::pin(plan(run, input)))`.
    pub fn strategy(&mut self, name: &str, run: RunFn) -> &mut Self {
        self.add(name, RegisteredItem::Strategy(run))
    }

    /// Registers a rule for approval, `approval: [{ rule: rules.rs:is_large, for: [pay] }]`: `rule("is_large", is_large)`.
    pub fn rule<R: NeedsApproval>(
        &mut self,
        name: &str,
        rule: impl Fn(&Args) -> R + Send + Sync + 'static,
    ) -> &mut Self {
        self.add(name, RegisteredItem::Rule(Arc::new(move |args| rule(args).needed())))
    }

    /// Registers a type of state: `state: state.rs:Ledger`. What the runtime may do with it beyond calls of tools,
    /// [`Self::state_with`] says.
    pub fn state<S: Clone + Send + Sync + 'static>(&mut self) -> &mut Self {
        self.state_with::<S>(|state| state)
    }

    /// As [`Self::state`], for a state that a journal records, that texts of the prompt show (`Greet {guest}.`), or that holds secrets:
    /// `state_with::<Visit>(StateParts::recorded)`. `agent!` sees by itself which of them a type can do.
    pub fn state_with<S: Clone + Send + Sync + 'static>(
        &mut self,
        parts: impl FnOnce(StateParts<S>) -> StateParts<S>,
    ) -> &mut Self {
        let state = parts(StateParts::new()).into_entry();
        self.add_type::<S>(|entry| entry.state = Some(state))
    }

    /// Registers a type of the input that parents give: `input: types.rs:Question`.
    pub fn input<T: TypedInput>(&mut self) -> &mut Self {
        self.add_type::<T>(|entry| entry.input = Some(AgentDeclaration::input::<T>))
    }

    /// Registers a type of answers: `output: types.rs:Report`.
    pub fn output<T: TypedAnswer>(&mut self) -> &mut Self {
        self.add_type::<T>(|entry| entry.output = Some(AgentDeclaration::output::<T>))
    }

    /// Registers an agent of the program, which cards name as a child by its path: `agents: ["crate::agents::Helper"]`.
    pub fn agent<A: Agent>(&mut self) -> &mut Self {
        self.add(short_name::<A>(), RegisteredItem::Agent(DynAgent::from_type::<A>()))
    }

    /// Gives the item before it another name.
    pub fn called(&mut self, name: &str) -> &mut Self {
        match self.entries.remove(&self.last) {
            Some(entry) => self.add(name, entry),
            None => self,
        }
    }

    fn add(&mut self, name: &str, entry: RegisteredItem) -> &mut Self {
        name.clone_into(&mut self.last);
        self.entries.insert(name.to_owned(), entry);
        self
    }

    /// A type can be a hook and a guardrail of several kinds.
    fn add_hook(&mut self, name: &str, kind: Kind, hook: RegisteredHook) -> &mut Self {
        let known = self.entries.remove(name);
        let mut uses = if let Some(RegisteredItem::Hook(uses)) = known { uses } else { Vec::new() };
        uses.retain(|(known, other)| *known != kind && other.id == hook.id);
        uses.push((kind, hook));
        self.add(name, RegisteredItem::Hook(uses))
    }

    /// A type has several uses.
    fn add_type<T: 'static>(&mut self, change: impl FnOnce(&mut RegisteredType)) -> &mut Self {
        let name = short_name::<T>();
        let known = self.entries.remove(name);
        let mut entry =
            if let Some(RegisteredItem::Type(entry)) = known { entry } else { RegisteredType::default() };
        entry.id = Some(TypeId::of::<T>());
        change(&mut entry);
        self.add(name, RegisteredItem::Type(entry))
    }
}

/// A hook with values `V`.
fn hook_entry<V: HookValues, H: 'static>(
    names: &[&str],
    make: impl Fn(V) -> H + Send + Sync + 'static,
    place: Option<&'static str>,
    add: fn(AgentDeclaration, H, Option<CallFilter>) -> AgentDeclaration,
) -> RegisteredHook {
    let name =
        |at: usize| names.get(at).map_or_else(|| format!("value {}", at + 1), |name| (*name).to_owned());
    let takes = V::kinds().into_iter().enumerate().map(|(at, kind)| (name(at), kind)).collect();
    let add = move |agent: AgentDeclaration, values: &[Value], filter| match V::read(values) {
        Ok(values) => add(agent, make(values), filter),
        // The loader has read them before. The panic is the error of building the agent.
        Err((at, reason)) => panic!("value {} of a hook was read when the card was loaded: {reason}", at + 1),
    };
    RegisteredHook {
        id: Some(TypeId::of::<H>()),
        takes,
        check: |values| V::read(values).map(|_| ()),
        check_use: |_| Ok(()),
        is_for_pure: false,
        place,
        add: Arc::new(add),
    }
}

/// A source that several declarations use.
struct Shared<S>(Arc<S>);

impl<S: PromptSource> PromptSource for Shared<S> {
    fn text(&self, run: &RunContext) -> impl Future<Output = Result<Option<String>, BoxError>> + Send {
        self.0.text(run)
    }
}
