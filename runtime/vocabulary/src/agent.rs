//! The words of an agent: its fields, and the words in their values. Editors and the tables of the
//! documentation show the rows.

#![allow(rustdoc::broken_intra_doc_links, reason = "the links are for the crate that shows a row")]

use std::fmt;

use crate::words::{Word, words};

/// Gives the fields of an agent to a macro: lists of rows `/// form`, `/// meaning`, `word => Variant`.
#[doc(hidden)]
#[macro_export]
macro_rules! agent_fields {
    ($with:ident) => {
        $with! {
            /// A text of the prompt.
            agent TextField {
                /// `description: ".."`
                /// The text by which parents choose the agent, and the first part of its prompt.
                description => Description,
                /// `instruction: ".."`
                /// The main part of the system prompt: text with [places](crate::prompt::PromptText) such as `{name}`, any expression that is text, or a function of the [`RunContext`](crate::RunContext). It is the only required field.
                instruction => Instructions,
                /// `role: ".."`
                /// The agent's role, a part of its prompt ([`PromptPart`](crate::prompt::PromptPart)): text or a function, like all texts of the prompt.
                role => Role,
                /// `expected_output: ".."`
                /// A description of the answer, a part of its prompt.
                expected_output => ExpectedOutput,
                /// `additional_context: ".."`
                /// Text after the other instructions of its prompt.
                additional_context => AdditionalContext,
                /// `system_message: ".."`
                /// A text that replaces the whole prompt, including `instruction`.
                system_message => SystemMessage,
            }
            /// A part of the prompt that is `true` or `false`.
            agent Flag {
                /// `markdown: true`
                /// The prompt asks for answers in Markdown.
                markdown => Markdown,
                /// `add_datetime_to_context: true`
                /// The prompt has the date and the time, in UTC.
                add_datetime_to_context => DateTime,
                /// `add_location_to_context: true`
                /// The prompt has the user's location, which the builder or the request sets: `Prompt::new().text(PromptPart::Location, "..")`.
                add_location_to_context => Location,
                /// `add_name_to_context: true`
                /// The prompt has the agent's name.
                add_name_to_context => Name,
                /// `add_memories_to_context: true`
                /// The prompt has what is known of the run's user, from a source that the builder sets: `Prompt::new().source(PromptPart::Memories, ..)`.
                add_memories_to_context => Memories,
                /// `add_culture_to_context: true`
                /// The prompt has what all agents know, from a source for `PromptPart::Culture`.
                add_culture_to_context => Culture,
                /// `add_session_summary_to_context: true`
                /// The prompt has a summary of the session, from a source for `PromptPart::SessionSummary`.
                add_session_summary_to_context => SessionSummary,
                /// `add_learnings_to_context: true`
                /// The prompt has what the agent learned, from a source for `PromptPart::Learnings`.
                add_learnings_to_context => Learnings,
                /// `search_knowledge: true`
                /// The prompt has passages of a knowledge base, from a source for `PromptPart::Knowledge`.
                search_knowledge => Knowledge,
                /// `add_session_state_to_context: true`
                /// The prompt has the agent's state and the session's state as JSON, except the values under `onionskin`, which belong to ready-made hooks.
                add_session_state_to_context => SessionState,
            }
            /// A field with a form of its own.
            agent Part {
                /// `name: ".."`
                /// The name that people and parents see: letters, digits, `_`, `-` and single blanks. Default: the name of the type.
                name => Name,
                /// `servers: [name, ..]`
                /// Servers of tools: MCP servers from `.mcp.json` or `.server(..)` (feature `mcp`), and your own sources from `.server(..)`.
                servers => Servers,
                /// `tools: { server: [glob, ..] }`
                /// Patterns that select tools of a server. A server without an entry provides all its tools.
                tools => Tools,
                /// `resources: { server: ["file:///guide/*", ..] }`
                /// Patterns for the URIs of the resources of a server that the agent reads, with the tools `server__list_resources` and `server__read_resource`.
                resources => Resources,
                /// `prompts: { server: [review, "plan_*", ..] }`
                /// Patterns for the names of the prompts of a server that the agent gets, with the tools `server__list_prompts` and `server__get_prompt`.
                prompts => Prompts,
                /// `headers: { server: { Authorization: "Bearer {user.token}" } }`
                /// Headers of the calls to a server that is reached by address (feature `mcp-http`). A place is a `Secret` of the agent's state, or one of the session's state: `{session_state.token}`.
                headers => Headers,
                /// `function_tools: [path, ..]`
                /// Tools: `#[tool]` functions, and types that implement [`Tool`](crate::Tool) and `Default`.
                function_tools => FunctionTools,
                /// `toolboxes: [Kb, archive: Kb]`
                /// Types of [toolboxes](macro@crate::toolbox), with a prefix if a type occurs more than once; `.toolbox(..)` of the builder sets their objects.
                toolboxes => Toolboxes,
                /// `agents: [path, ..]`
                /// Child agents: tools called `agent__Name`.
                agents => Agents,
                /// `tool_hooks: [hook, ..]`
                /// Hooks, outermost first: `path`, `path(values)`, either with `for [..]` or `except [..]`; `..` is the place of the hooks that are added at run time.
                tool_hooks => ToolHooks,
                /// `input_guardrails: [guardrail, ..]`
                /// Guardrails on the arguments of all calls, in this order, inside all hooks: `path`, `path(values)`, either with `for [..]` or `except [..]` ([`guardrail`](macro@crate::guardrail)).
                input_guardrails => InputGuardrails,
                /// `output_guardrails: [guardrail, ..]`
                /// Guardrails on the results of all calls: of functions, servers, children and built-in tools.
                output_guardrails => OutputGuardrails,
                /// `approval: [shell.execute, filesystem.*, server(git), add_one, is_large for [pay]]`
                /// The calls that need [approval](crate::approval), as in the filter of a hook; `rule for [..]` asks a function of the arguments, as `#[tool(approval = rule)]` does, and `".." for [..]` gives a reason.
                approval => Approval,
                /// `run_hooks: [hook, ..]`
                /// Hooks around each run, in this order: `path`, `path(values)` ([`run_hook`](macro@crate::run_hook)).
                run_hooks => RunHooks,
                /// `turn_hooks: [hook, ..]`
                /// Hooks around each turn, in this order: `path`, `path(values)` ([`turn_hook`](macro@crate::turn_hook)).
                turn_hooks => TurnHooks,
                /// `message_hooks: [hook, ..]`
                /// Hooks on its messages, in this order: `path`, `path(values)` ([`message_hook`](macro@crate::message_hook)).
                message_hooks => MessageHooks,
                /// `runtime: [shell.execute, human.input, filesystem.read, skills.read]`
                /// Built-in tools (features `shell`, `human-input`, `filesystem`, `skills`).
                runtime => Runtime,
                /// `run: path`
                /// A function that replaces the loop: `async fn(run: &AgentRun, input: String) -> Result<String, RunError>` ([`AgentRun`](crate::run::AgentRun)).
                run => Run,
                /// `request_params: { .. }`
                #[doc = concat!(" ", $crate::request_params!($crate::listed), ".")]
                request_params => RequestParams,
                /// `limits: { .. }`
                #[doc = concat!(" ", $crate::limits!($crate::listed), ": see [`Limits`](crate::declaration::Limits).")]
                limits => Limits,
                /// `state: Type`
                /// The type of the session's state, [`State`](crate::State) in tools and hooks.
                state => State,
                /// `input: Type`
                /// The type of the agent's input. Its fields are the parameters that parents set, and the agent gets it as JSON. Default: one text.
                input => Input,
                /// `output: Type`
                /// The type of the answers ([`TypedAgent`](crate::declaration::TypedAgent)), with `Deserialize` and `JsonSchema`. Default: text.
                output => Output,
            }
            /// A field with one value: a word, a number, a text.
            agent Setting {
                /// `default: true`
                /// The entry agent of an [`App`](crate::App).
                default => Default,
                /// `model: ".."`
                /// The name of the model.
                model => Model,
                /// `parser_model: ".."`
                /// The name of a model that reads the answer of the type `output` out of the text of the agent's model, which then answers with text. `.parser_model(..)` of the builder sets another model to ask.
                parser_model => ParserModel,
                /// `parser_model_prompt: ".."`
                /// The system prompt of that model.
                parser_model_prompt => ParserModelPrompt,
                /// `prompt_order: by_change`
                /// Puts the parts of the system prompt that change most often behind the others, so that providers cache more of it. Default: `standard`, the order of [`PromptPart`](crate::prompt::PromptPart).
                prompt_order => PromptOrder,
                /// `lock: strict`
                /// Refuses tools of MCP servers that differ from the [lock file](crate::declaration::AgentDeclaration::lock). Default: `report`, which only reports them.
                lock => Lock,
                /// `history_source: none`
                /// The conversation that children start with: `none`, `child`, `orchestrator`, `messages` ([`HistorySource`](crate::declaration::HistorySource)).
                history_source => HistorySource,
                /// `history_merge_target: none`
                /// Where the conversations of children go: `none`, `child`, `orchestrator` ([`HistoryMergeTarget`](crate::declaration::HistoryMergeTarget)).
                history_merge_target => HistoryMergeTarget,
                /// `max_parallel: 3`
                /// The maximum number of concurrent tool calls of a run.
                max_parallel => MaxParallel,
                /// `child_timeout_sec: 120`
                /// The maximum duration of a call of a child, in seconds.
                child_timeout_sec => ChildTimeout,
                /// `max_display_instances: 20`
                /// The number of runs of each child that events mark as shown.
                max_display_instances => MaxDisplayInstances,
                /// `effect: once`
                /// Whether a failed call of the agent as a child can be repeated: `pure`, `idempotent`, `once` ([`Effect`](crate::Effect)).
                effect => Effect,
            }
        }
    };
}

agent_fields!(words);

/// Gives the parameters of requests to a macro, as [`agent_words`](crate::agent_words) gives the words of fields.
#[doc(hidden)]
#[macro_export]
macro_rules! request_params {
    ($($with:tt)+) => {
        $($with)+! {
            /// The parameters of a request to a model.
            request_params RequestParam {
                /// How much the model varies its answers: `temperature: 0.2`.
                temperature => Temperature,
                /// The probability mass of the tokens that the model chooses from: `top_p: 0.9`.
                top_p => TopP,
                /// The maximum number of tokens in an answer: `max_tokens: 1000`.
                max_tokens => MaxTokens,
                /// A number that makes answers repeatable, for providers that take one: `seed: 7`.
                seed => Seed,
                /// How much a model thinks before it answers: `reasoning_effort: low`.
                reasoning_effort => ReasoningEffort,
                /// How long answers are: `verbosity: low`.
                verbosity => Verbosity,
                /// How fast and at what price the provider answers: `service_tier: flex`.
                service_tier => ServiceTier,
                /// Whether the model may call several tools in one turn: `parallel_tool_calls: false`.
                parallel_tool_calls => ParallelToolCalls,
                /// Texts that end an answer: `stop_sequences: ["END"]`.
                stop_sequences => StopSequences,
                /// Whether the model must call tools in the first turn: `tool_choice: ToolChoice::Required`.
                tool_choice => ToolChoice,
                /// The schema of the answer's text, a [`ResponseSchema`](crate::model::ResponseSchema).
                response_schema => ResponseSchema,
                /// Additional fields of the provider's request body, a map of JSON values.
                extra_body => ExtraBody,
            }
        }
    };
}

request_params!(words);

/// The default of a setting or a limit, as a literal for code and for documentation.
#[doc(hidden)]
#[macro_export]
macro_rules! setting_default {
    (turns) => {
        50
    };
    (depth) => {
        16
    };
    (max_retries) => {
        3
    };
    (output_retries) => {
        2
    };
    (model_timeout_sec) => {
        300
    };
    (model_retries) => {
        2
    };
    (max_display_instances) => {
        20
    };
}

/// Gives the limits to a macro, as [`agent_words`](crate::agent_words) gives the words of fields.
#[doc(hidden)]
#[macro_export]
macro_rules! limits {
    ($($with:tt)+) => {
        $($with)+! {
            /// The limits of a run.
            limits Limit {
                #[doc = concat!(" The maximum number of model turns: `turns: 10`. Default: ", $crate::setting_default!(turns), ".")]
                turns => Turns,
                /// The maximum number of tool calls: `tool_calls: 50`.
                tool_calls => ToolCalls,
                /// The maximum number of input and output tokens: `tokens: 100_000`.
                tokens => Tokens,
                /// The maximum number of seconds from start to answer: `time_sec: 60`.
                time_sec => Time,
                #[doc = concat!(" The maximum depth of nested runs: `depth: 3`. Default: ", $crate::setting_default!(depth), ".")]
                depth => Depth,
                #[doc = concat!(" The maximum number of times that a tool asks the model to try again: `max_retries: 2`. Default: ", $crate::setting_default!(max_retries), ".")]
                max_retries => MaxRetries,
                #[doc = concat!(" The maximum number of new requests for an answer that does not match its type: `output_retries: 0`. Default: ", $crate::setting_default!(output_retries), ".")]
                output_retries => OutputRetries,
                #[doc = concat!(" The maximum number of seconds without data from the model, and a tenth of the time for a whole answer: `model_timeout_sec: 30`. Default: ", $crate::setting_default!(model_timeout_sec), ".")]
                model_timeout_sec => ModelTimeout,
                #[doc = concat!(" The maximum number of repeats of a model request after a transient error: `model_retries: 5`. Default: ", $crate::setting_default!(model_retries), ".")]
                model_retries => ModelRetries,
            }
        }
    };
}

limits!(words);

/// The words of a list, for a row: `` `a`, `b` ``.
#[doc(hidden)]
#[macro_export]
macro_rules! listed {
    ($(#[doc = $about:literal])+ $module:ident $name:ident {
        $(#[doc = $first_doc:expr])+ $first:ident => $first_variant:ident,
        $($(#[doc = $doc:expr])+ $word:ident => $variant:ident,)*
    }) => { concat!("`", stringify!($first), "`" $(, ", `", stringify!($word), "`")*) };
}

/// Gives the words in the values of fields to a macro, as [`agent_fields`](crate::agent_fields) gives the fields.
#[doc(hidden)]
#[macro_export]
macro_rules! agent_words {
    ($with:ident) => {
        $with! {
            /// The conversation that a child starts with.
            history_source HistorySource {
                /// The child starts with its task only.
                none => None,
                /// The child starts with the conversation of its earlier calls in this session.
                child => Child,
                /// The child starts with the conversation of its parent.
                orchestrator => Orchestrator,
                /// The child starts with the messages of its declaration, or with those that `for_agent` of the builder sets.
                messages => Messages,
            }
            /// The destination of a child's conversation.
            history_merge_target HistoryMergeTarget {
                /// The conversation is dropped.
                none => None,
                /// It is stored for the child's next call in this session.
                child => Child,
                /// It is appended to the conversation of the parent.
                orchestrator => Orchestrator,
            }
            /// The order of the parts of a system prompt.
            prompt_order PromptOrder {
                /// The order of the variants of `PromptPart`, which is the order of Agno's prompt.
                standard => Standard,
                /// Parts that never change first, then those that change with each run, then those that change with each turn; otherwise as `standard`.
                by_change => ByChange,
            }
            /// The handling of server tools that differ from the lock file.
            lock Lock {
                /// A warning and a notice report them, and the agent gets them.
                report => Report,
                /// The build fails, and the agent gets no tool that a server adds or changes later.
                strict => Strict,
            }
            /// Whether a call with an unknown outcome can run again.
            effect Effect {
                /// The tool changes nothing, so such a call can run again.
                pure => Pure,
                /// Such a call can run again, with the same idempotency key.
                idempotent => Idempotent,
                /// Such a call does not run again.
                once => Once,
            }
            /// How much a model thinks before it answers. Each model takes some of these words.
            reasoning_effort ReasoningEffort {
                /// The model does not think.
                none => None,
                /// As little as possible.
                minimal => Minimal,
                /// Little.
                low => Low,
                /// The middle.
                medium => Medium,
                /// Much.
                high => High,
                /// More than `high`.
                xhigh => XHigh,
                /// As much as possible.
                max => Max,
            }
            /// How long the answers of a model are.
            verbosity Verbosity {
                /// Short answers.
                low => Low,
                /// The middle.
                medium => Medium,
                /// Long answers.
                high => High,
            }
            /// How fast and at what price a provider answers.
            service_tier ServiceTier {
                /// The tier of the account's settings at the provider.
                auto => Auto,
                /// The usual tier, also if the account has a better one.
                standard => Standard,
                /// Cheaper and slower, and refused when the provider is busy.
                flex => Flex,
                /// Faster and more expensive.
                priority => Priority,
            }
            /// What the filter of a hook can name, in addition to paths.
            filter Calls {
                /// All tools of a server: `server(time)`.
                server => Server,
                /// All tools of a kind: `source(mcp)`.
                source => Source,
                /// The tool of this name from any source: `tool(lookup)`.
                tool => Tool,
            }
            /// Kinds of tools.
            source ToolSource {
                /// Tools of MCP servers.
                mcp => Mcp,
                /// Tools of servers that do not use MCP.
                server => Server,
                /// Tools that are functions.
                function => Function,
                /// Child agents.
                agent => Agent,
                /// Built-in tools.
                runtime => Runtime,
            }
        }
    };
}

agent_words!(words);

macro_rules! default_words {
    ($($name:ident::$word:ident)*) => {$(
        impl Default for $name {
            fn default() -> Self {
                Self::$word
            }
        }
    )*};
}

default_words! { HistorySource::None HistoryMergeTarget::None PromptOrder::Standard Lock::Report }

words! {
    /// The places of hooks around turns.
    turn_places TurnPlace {
        /// Before a request to the model.
        before_llm_call => BeforeLlmCall,
        /// After the answer of the model.
        after_llm_call => AfterLlmCall,
        /// Before a call of the model runs.
        before_tool_call => BeforeToolCall,
        /// After a call of the model ran.
        after_tool_call => AfterToolCall,
        /// At the end of a turn.
        after_turn_complete => AfterTurnComplete,
    }
    /// The places of hooks on messages.
    message_places MessagePlace {
        /// Before a message is sent.
        process_message_before_send => BeforeSend,
        /// First in each turn.
        update_agent_state => UpdateState,
        /// The newest message of a turn.
        process_last_received_message => LastReceived,
        /// All messages of a turn.
        process_all_messages_before_reply => BeforeReply,
    }
    /// The location of a tool's component.
    ui_modes UiMode {
        /// In the conversation.
        inline => Inline,
        /// Beside the conversation.
        artifact => Artifact,
    }
}

/// A field of an agent, in `agent!` and in a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// A text of the prompt.
    Text(TextField),
    /// A part of the prompt that is `true` or `false`.
    Flag(Flag),
    /// A field with a form of its own.
    Part(Part),
    /// A field with one value.
    Setting(Setting),
}

impl Field {
    /// All fields.
    pub fn all() -> impl Iterator<Item = Self> {
        let texts = TextField::ALL.iter().copied().map(Self::Text);
        let flags = Flag::ALL.iter().copied().map(Self::Flag);
        let parts = Part::ALL.iter().copied().map(Self::Part);
        texts.chain(flags).chain(parts).chain(Setting::ALL.iter().copied().map(Self::Setting))
    }

    /// The names of all fields.
    pub fn words() -> Vec<&'static str> {
        Self::all().map(Self::word).collect()
    }

    /// The name of the field.
    pub fn word(self) -> &'static str {
        match self {
            Self::Text(text) => text.word(),
            Self::Flag(flag) => flag.word(),
            Self::Part(part) => part.word(),
            Self::Setting(setting) => setting.word(),
        }
    }

    /// Its syntax, and its meaning.
    pub fn row(self) -> &'static [&'static str] {
        match self {
            Self::Text(text) => text.row(),
            Self::Flag(flag) => flag.row(),
            Self::Part(part) => part.row(),
            Self::Setting(setting) => setting.row(),
        }
    }

    /// The field of this name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::all().find(|field| field.word() == word)
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The field of a card that `agent!` does not have: the kind of the file.
pub const CARD_TYPE: &str = "type";

/// The kind of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// `true` or `false`.
    Boolean,
    /// A text.
    Text,
    /// A whole number from 1, with an example.
    Count(&'static str),
    /// A duration in seconds, with an example.
    Seconds(&'static str),
    /// One of these words, with an example.
    Word {
        /// The words.
        choice: Choice,
        /// One of them.
        example: &'static str,
    },
}

/// The words that a setting or a request parameter accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The words of [`PromptOrder`].
    PromptOrder,
    /// The words of [`Lock`].
    Lock,
    /// The words of [`HistorySource`].
    HistorySource,
    /// The words of [`HistoryMergeTarget`].
    HistoryMergeTarget,
    /// The words of [`Effect`].
    Effect,
    /// The words of [`ReasoningEffort`].
    ReasoningEffort,
    /// The words of [`Verbosity`].
    Verbosity,
    /// The words of [`ServiceTier`].
    ServiceTier,
}

impl Setting {
    /// The kind of its value.
    pub const fn kind(self) -> SettingKind {
        match self {
            Self::Default => SettingKind::Boolean,
            Self::Model | Self::ParserModel | Self::ParserModelPrompt => SettingKind::Text,
            Self::PromptOrder => SettingKind::Word { choice: Choice::PromptOrder, example: "by_change" },
            Self::Lock => SettingKind::Word { choice: Choice::Lock, example: "strict" },
            Self::HistorySource => SettingKind::Word { choice: Choice::HistorySource, example: "none" },
            Self::HistoryMergeTarget => {
                SettingKind::Word { choice: Choice::HistoryMergeTarget, example: "none" }
            }
            Self::Effect => SettingKind::Word { choice: Choice::Effect, example: "once" },
            Self::MaxParallel => SettingKind::Count("4"),
            Self::MaxDisplayInstances => SettingKind::Count("20"),
            Self::ChildTimeout => SettingKind::Seconds("120"),
        }
    }
}

impl Setting {
    /// The method of a declaration that sets it.
    pub fn method(self) -> &'static str {
        match self {
            Self::Default => "default_agent",
            Self::ChildTimeout => "child_timeout",
            Self::Model
            | Self::ParserModel
            | Self::ParserModelPrompt
            | Self::PromptOrder
            | Self::Lock
            | Self::HistorySource
            | Self::HistoryMergeTarget
            | Self::MaxParallel
            | Self::MaxDisplayInstances
            | Self::Effect => self.word(),
        }
    }
}

impl Choice {
    /// The words.
    pub const fn words(self) -> &'static [&'static str] {
        match self {
            Self::PromptOrder => PromptOrder::WORDS,
            Self::Lock => Lock::WORDS,
            Self::HistorySource => HistorySource::WORDS,
            Self::HistoryMergeTarget => HistoryMergeTarget::WORDS,
            Self::Effect => Effect::WORDS,
            Self::ReasoningEffort => ReasoningEffort::WORDS,
            Self::Verbosity => Verbosity::WORDS,
            Self::ServiceTier => ServiceTier::WORDS,
        }
    }

    /// The variant for a word, in the runtime's type of the same name.
    pub fn variant(self, word: &str) -> Option<&'static str> {
        match self {
            Self::PromptOrder => PromptOrder::from_word(word).map(Word::variant),
            Self::Lock => Lock::from_word(word).map(Word::variant),
            Self::HistorySource => HistorySource::from_word(word).map(Word::variant),
            Self::HistoryMergeTarget => HistoryMergeTarget::from_word(word).map(Word::variant),
            Self::Effect => Effect::from_word(word).map(Word::variant),
            Self::ReasoningEffort => ReasoningEffort::from_word(word).map(Word::variant),
            Self::Verbosity => Verbosity::from_word(word).map(Word::variant),
            Self::ServiceTier => ServiceTier::from_word(word).map(Word::variant),
        }
    }
}
