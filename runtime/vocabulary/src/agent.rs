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
                /// The main part of the system prompt: text with [places](crate::prompt::PromptText) such as `{name}`, any expression that is text, or a function of the [`RunContext`](crate::RunContext). The only required field.
                instruction => Instructions,
                /// `role: ".."`
                /// The agent's role, as part of its prompt ([`PromptPart`](crate::prompt::PromptPart)); text or a function, as all texts of the prompt.
                role => Role,
                /// `expected_output: ".."`
                /// What the answer should be like, as part of its prompt.
                expected_output => ExpectedOutput,
                /// `additional_context: ".."`
                /// Text behind the other instructions of its prompt.
                additional_context => AdditionalContext,
                /// `system_message: ".."`
                /// A text in place of the whole prompt, and of `instruction`.
                system_message => SystemMessage,
            }
            /// A part of the prompt that is `true` or `false`.
            agent Flag {
                /// `markdown: true`
                /// The prompt asks for answers in Markdown.
                markdown => Markdown,
                /// `add_datetime_to_context: true`
                /// The prompt says the date and the time, in UTC.
                add_datetime_to_context => DateTime,
                /// `add_location_to_context: true`
                /// The prompt says where the user is; the builder or the request gives it: `Prompt::new().text(PromptPart::Location, "..")`.
                add_location_to_context => Location,
                /// `add_name_to_context: true`
                /// The prompt says the agent's name.
                add_name_to_context => Name,
                /// `add_session_state_to_context: true`
                /// The prompt shows the agent's state and the values of the session's, as JSON, but for those under `onionskin`, where ready-made hooks keep theirs.
                add_session_state_to_context => SessionState,
            }
            /// A field with a form of its own.
            agent Part {
                /// `name: ".."`
                /// The name that people and parents see: letters, digits, `_` and `-`. Default: the name of the type.
                name => Name,
                /// `servers: [name, ..]`
                /// Servers of tools: MCP servers, configured in `.mcp.json` or with `.server(..)` (feature `mcp`), and sources of your own, given with `.server(..)`.
                servers => Servers,
                /// `tools: { server: [glob, ..] }`
                /// Patterns that select from the tools of a server; without an entry all.
                tools => Tools,
                /// `function_tools: [path, ..]`
                /// Tools: `#[tool]` functions, types that implement [`Tool`](crate::Tool) and `Default`.
                function_tools => FunctionTools,
                /// `toolboxes: [Kb, archive: Kb]`
                /// Types of [toolboxes](macro@crate::toolbox), with a prefix if there are several of a type; the builder gets their objects with `.toolbox(..)`.
                toolboxes => Toolboxes,
                /// `agents: [path, ..]`
                /// Child agents: tools called `agent__Name`.
                agents => Agents,
                /// `tool_hooks: [hook, ..]`
                /// Hooks, outermost first: `path`, `path(values)`, either with `for [..]` or `except [..]`; `..` is the place of those that are added at run time.
                tool_hooks => ToolHooks,
                /// `input_guardrails: [guardrail, ..]`
                /// Guardrails on the arguments of all calls, in their order, inside all hooks: `path`, `path(values)`, either with `for [..]` or `except [..]` ([`guardrail`](macro@crate::guardrail)).
                input_guardrails => InputGuardrails,
                /// `output_guardrails: [guardrail, ..]`
                /// Guardrails on the results of all calls: of functions, servers, children and built-in tools.
                output_guardrails => OutputGuardrails,
                /// `run_hooks: [hook, ..]`
                /// Hooks around each run, in their order: `path`, `path(values)` ([`run_hook`](macro@crate::run_hook)).
                run_hooks => RunHooks,
                /// `turn_hooks: [hook, ..]`
                /// Hooks around each turn, in their order: `path`, `path(values)` ([`turn_hook`](macro@crate::turn_hook)).
                turn_hooks => TurnHooks,
                /// `message_hooks: [hook, ..]`
                /// Hooks on its messages, in their order: `path`, `path(values)` ([`message_hook`](macro@crate::message_hooks::message_hook)).
                message_hooks => MessageHooks,
                /// `runtime: [shell.execute, human.input, filesystem.read, skills.read]`
                /// Built-in tools (features `shell`, `human-input`, `filesystem`, `skills`).
                runtime => Runtime,
                /// `run: path`
                /// A function in place of the loop: `async fn(run: &AgentRun, input: String) -> Result<String, RunError>` ([`AgentRun`](crate::run::AgentRun)).
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
                /// The type of the input that parents give the agent, as its parameters; the agent gets it as JSON. Default: one text.
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
                /// `lock: strict`
                /// Refuses tools of MCP servers that differ from the [lock file](crate::declaration::AgentDeclaration::lock); default `report`, which only says so.
                lock => Lock,
                /// `history_source: none`
                /// What children start with: `none`, `child`, `orchestrator`, `messages` ([`HistorySource`](crate::declaration::HistorySource)).
                history_source => HistorySource,
                /// `history_merge_target: none`
                /// Where the conversations of children go: `none`, `child`, `orchestrator` ([`HistoryMergeTarget`](crate::declaration::HistoryMergeTarget)).
                history_merge_target => HistoryMergeTarget,
                /// `max_parallel: 3`
                /// The maximum number of concurrent tool calls of a run.
                max_parallel => MaxParallel,
                /// `child_timeout_sec: 120`
                /// The maximum time of a call of a child.
                child_timeout_sec => ChildTimeout,
                /// `max_display_instances: 20`
                /// How many runs of each child events mark as shown.
                max_display_instances => MaxDisplayInstances,
                /// `effect: once`
                /// Whether a failed call of the agent as a child may be repeated: `pure`, `idempotent`, `once` ([`Effect`](crate::Effect)).
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
                /// The share of the likeliest tokens that the model chooses from: `top_p: 0.9`.
                top_p => TopP,
                /// The largest number of tokens in an answer: `max_tokens: 1000`.
                max_tokens => MaxTokens,
                /// A number that makes answers repeatable, where the provider can: `seed: 7`.
                seed => Seed,
                /// Texts that end an answer: `stop_sequences: ["END"]`.
                stop_sequences => StopSequences,
                /// Whether the model must call tools in the first turn: `tool_choice: ToolChoice::Required`.
                tool_choice => ToolChoice,
                /// The schema that the text of an answer has to fit, a [`ResponseSchema`](crate::model::ResponseSchema).
                response_schema => ResponseSchema,
                /// Fields for the body of the provider's request, a map of JSON values.
                extra_body => ExtraBody,
            }
        }
    };
}

request_params!(words);

/// The value of a limit that nobody sets, as a literal for code and for documentation.
#[doc(hidden)]
#[macro_export]
macro_rules! limit_default {
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
}

/// Gives the limits to a macro, as [`agent_words`](crate::agent_words) gives the words of fields.
#[doc(hidden)]
#[macro_export]
macro_rules! limits {
    ($($with:tt)+) => {
        $($with)+! {
            /// The limits of a run.
            limits Limit {
                #[doc = concat!(" The largest number of model turns, ", $crate::limit_default!(turns), " without it: `turns: 10`.")]
                turns => Turns,
                /// The largest number of tool calls: `tool_calls: 50`.
                tool_calls => ToolCalls,
                /// The largest number of tokens read and written: `tokens: 100_000`.
                tokens => Tokens,
                /// The largest number of seconds from start to answer: `time_sec: 60`.
                time_sec => Time,
                #[doc = concat!(" How deep a run may be inside of others, ", $crate::limit_default!(depth), " without it: `depth: 3`.")]
                depth => Depth,
                #[doc = concat!(" How often one tool may ask the model to try again, ", $crate::limit_default!(max_retries), " without it: `max_retries: 2`.")]
                max_retries => MaxRetries,
                #[doc = concat!(" How often the model is asked again for an answer that does not fit its type, ", $crate::limit_default!(output_retries), " without it: `output_retries: 0`.")]
                output_retries => OutputRetries,
                #[doc = concat!(" For how many seconds the model may send nothing, ", $crate::limit_default!(model_timeout_sec), " without it, and a tenth of the time for a whole answer: `model_timeout_sec: 30`.")]
                model_timeout_sec => ModelTimeout,
                #[doc = concat!(" How often a model request is repeated after a transient error, ", $crate::limit_default!(model_retries), " without it: `model_retries: 5`.")]
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
            /// Where a child's conversation begins.
            history_source HistorySource {
                /// The child starts with its task only.
                none => None,
                /// The child starts with what its earlier calls in this session left.
                child => Child,
                /// The child starts with the conversation of its parent.
                orchestrator => Orchestrator,
                /// The child starts with the messages that its declaration has, or that `for_agent` of the builder sets.
                messages => Messages,
            }
            /// Where a child's conversation goes.
            history_merge_target HistoryMergeTarget {
                /// The conversation is dropped.
                none => None,
                /// The child's next call in this session can start with it.
                child => Child,
                /// It is appended to the conversation of the parent.
                orchestrator => Orchestrator,
            }
            /// What becomes of tools of servers that differ from the lock file.
            lock Lock {
                /// A warning and a notice say so, and the agent gets them.
                report => Report,
                /// The agent is not built, and gets no tool that a server adds or changes later.
                strict => Strict,
            }
            /// Whether a call in doubt may run again.
            effect Effect {
                /// It changes nothing, so a call in doubt may run again.
                pure => Pure,
                /// A call in doubt may run again, with the same idempotency key.
                idempotent => Idempotent,
                /// A call in doubt does not run again.
                once => Once,
            }
            /// What the filter of a hook names, beside paths.
            filter Calls {
                /// All tools of a server: `server(time)`.
                server => Server,
                /// All tools of a kind: `source(mcp)`.
                source => Source,
                /// The tool of that name, wherever it comes from: `tool(lookup)`.
                tool => Tool,
            }
            /// Kinds of tools.
            source ToolSource {
                /// Tools of MCP servers.
                mcp => Mcp,
                /// Tools of servers that are not MCP.
                server => Server,
                /// Functions.
                function => Function,
                /// Children.
                agent => Agent,
                /// Built-in tools.
                runtime => Runtime,
            }
        }
    };
}

agent_words!(words);

words! {
    /// The places of hooks around turns.
    turn_places TurnPlace {
        /// Before the model is asked.
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
    /// Where the component of a tool is shown.
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

    /// How it is written, and what it means.
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

/// The field of a card that has no counterpart in `agent!`: what kind of file it is.
pub const CARD_TYPE: &str = "type";

/// What the value of a setting is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// `true` or `false`.
    Boolean,
    /// A text.
    Text,
    /// A whole number from 1, and one for example.
    Count(&'static str),
    /// A time in seconds, and one for example.
    Seconds(&'static str),
    /// One of these words, and one for example.
    Word {
        /// The words.
        choice: Choice,
        /// One of them.
        example: &'static str,
    },
}

/// The words of which a setting takes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The words of [`Lock`].
    Lock,
    /// The words of [`HistorySource`].
    HistorySource,
    /// The words of [`HistoryMergeTarget`].
    HistoryMergeTarget,
    /// The words of [`Effect`].
    Effect,
}

impl Setting {
    /// What its value is.
    pub const fn kind(self) -> SettingKind {
        match self {
            Self::Default => SettingKind::Boolean,
            Self::Model => SettingKind::Text,
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
            Self::Lock => Lock::WORDS,
            Self::HistorySource => HistorySource::WORDS,
            Self::HistoryMergeTarget => HistoryMergeTarget::WORDS,
            Self::Effect => Effect::WORDS,
        }
    }

    /// The variant of the runtime's type of the same name that a word means.
    pub fn variant(self, word: &str) -> Option<&'static str> {
        match self {
            Self::Lock => Lock::from_word(word).map(Word::variant),
            Self::HistorySource => HistorySource::from_word(word).map(Word::variant),
            Self::HistoryMergeTarget => HistoryMergeTarget::from_word(word).map(Word::variant),
            Self::Effect => Effect::from_word(word).map(Word::variant),
        }
    }
}

impl Default for HistorySource {
    fn default() -> Self {
        Self::None
    }
}

impl Default for HistoryMergeTarget {
    fn default() -> Self {
        Self::None
    }
}

impl Default for Lock {
    fn default() -> Self {
        Self::Report
    }
}
