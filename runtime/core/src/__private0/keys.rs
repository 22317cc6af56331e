//! The words that the macros know, each with the documentation that an editor shows for it.
//!
//! What the macros write for rust-analyzer names these constants with the user's own words. Nothing runs with them. Tests of
//! the macros hold the names and words to the macros' own tables. `crate`, which is an option everywhere, is a keyword and no
//! name.

/// A word of a macro.
#[derive(Clone, Copy, Debug)]
pub struct Key;

/// A value of a type, in code that never runs: it lets an editor complete the fields of the type.
#[must_use]
pub fn of<T>() -> T {
    unreachable!("only editors read this")
}

macro_rules! keys {
    ($(#[doc = $of:literal] $module:ident { $($(#[doc = $doc:literal])+ $key:ident)* })*) => {$(
        #[doc = $of]
        #[allow(non_upper_case_globals)]
        pub mod $module {
            use super::Key;

            $($(#[doc = $doc])+ pub const $key: Key = Key;)*
        }
    )*};
}

keys! {
    /// The fields of `agent!`.
    agent {
        /// `name: ".."`
        ///
        /// The name that people and parents see: letters, digits, `_` and `-`. Default: the name of the type.
        name
        /// `description: ".."`
        ///
        /// The text by which parents choose the agent, and the first part of its prompt.
        description
        /// `instruction: ".."`
        ///
        /// The main part of the system prompt: text with [places](crate::prompt::PromptText) such as `{name}`, any
        /// expression that is text, or a function of the [`RunContext`](crate::RunContext). The only required field.
        instruction
        /// `role: ".."`
        ///
        /// The agent's role, as part of its prompt ([`PromptPart`](crate::prompt::PromptPart)); text or a function, as
        /// all texts of the prompt.
        role
        /// `expected_output: ".."`
        ///
        /// What the answer should be like, as part of its prompt.
        expected_output
        /// `additional_context: ".."`
        ///
        /// Text behind the other instructions of its prompt.
        additional_context
        /// `system_message: ".."`
        ///
        /// A text in place of the whole prompt, and of `instruction`.
        system_message
        /// `markdown: true`
        ///
        /// The prompt asks for answers in Markdown.
        markdown
        /// `add_datetime_to_context: true`
        ///
        /// The prompt says the date and the time, in UTC.
        add_datetime_to_context
        /// `add_location_to_context: true`
        ///
        /// The prompt says where the user is; the builder or the request gives it:
        /// `Prompt::new().text(PromptPart::Location, "..")`.
        add_location_to_context
        /// `add_name_to_context: true`
        ///
        /// The prompt says the agent's name.
        add_name_to_context
        /// `add_session_state_to_context: true`
        ///
        /// The prompt shows the agent's state and the values of the session's, as JSON, but for those under
        /// `onionskin`, where ready-made hooks keep theirs.
        add_session_state_to_context
        /// `servers: [name, ..]`
        ///
        /// Servers of tools: MCP servers, configured in `.mcp.json` or with `.server(..)` (feature `mcp`), and sources
        /// of your own, given with `.server(..)`.
        servers
        /// `tools: { server: [glob, ..] }`
        ///
        /// Patterns that select from the tools of a server; without an entry all.
        tools
        /// `lock: strict`
        ///
        /// Refuses tools of MCP servers that differ from the [lock
        /// file](crate::declaration::AgentDeclaration::strict_lock); default `report`, which only says so.
        lock
        /// `function_tools: [path, ..]`
        ///
        /// Tools: `#[tool]` functions, types that implement [`Tool`](crate::Tool) and `Default`.
        function_tools
        /// `toolboxes: [Kb, archive: Kb]`
        ///
        /// Types of [toolboxes](macro@crate::toolbox), with a prefix if there are several of a type; the builder gets
        /// their objects with `.toolbox(..)`.
        toolboxes
        /// `agents: [path, ..]`
        ///
        /// Child agents: tools called `agent__Name`.
        agents
        /// `tool_hooks: [hook, ..]`
        ///
        /// Hooks, outermost first: `path`, `path(values)`, either with `for [..]` or `except [..]`; `..` is the place
        /// of those that are added at run time.
        tool_hooks
        /// `input_guardrails: [guardrail, ..]`
        ///
        /// Guardrails on the arguments of all calls, in their order, inside all hooks: `path`, `path(values)`, either
        /// with `for [..]` or `except [..]` ([`guardrail`](macro@crate::guardrail)).
        input_guardrails
        /// `output_guardrails: [guardrail, ..]`
        ///
        /// Guardrails on the results of all calls: of functions, servers, children and built-in tools.
        output_guardrails
        /// `run_hooks: [hook, ..]`
        ///
        /// Hooks around each run, in their order: `path`, `path(values)` ([`run_hook`](macro@crate::run_hook)).
        run_hooks
        /// `turn_hooks: [hook, ..]`
        ///
        /// Hooks around each turn, in their order: `path`, `path(values)` ([`turn_hook`](macro@crate::turn_hook)).
        turn_hooks
        /// `message_hooks: [hook, ..]`
        ///
        /// Hooks on its messages, in their order: `path`, `path(values)`
        /// ([`message_hook`](macro@crate::message_hooks::message_hook)).
        message_hooks
        /// `runtime: [shell.execute, human.input, filesystem.read, skills.read]`
        ///
        /// Built-in tools (features `shell`, `human-input`, `filesystem`, `skills`).
        runtime
        /// `default: true`
        ///
        /// The entry agent of an [`App`](crate::App).
        default
        /// `run: path`
        ///
        /// A function in place of the loop: `async fn(run: &AgentRun, input: String) -> Result<String, RunError>`
        /// ([`AgentRun`](crate::run::AgentRun)).
        run
        /// `model: ".."`
        ///
        /// The name of the model.
        model
        /// `request_params: { .. }`
        ///
        /// `temperature`, `top_p`, `max_tokens`, `seed`, `stop_sequences`, `tool_choice`, `response_schema`,
        /// `extra_body`.
        request_params
        /// `limits: { .. }`
        ///
        /// `turns`, `tool_calls`, `tokens`, `time_sec`, `depth`, `max_retries`, `output_retries`, `model_timeout_sec`,
        /// `model_retries`: see [`Limits`](crate::declaration::Limits).
        limits
        /// `history_source: none`
        ///
        /// What children start with: `none`, `child`, `orchestrator`, `messages`
        /// ([`HistorySource`](crate::declaration::HistorySource)).
        history_source
        /// `history_merge_target: none`
        ///
        /// Where the conversations of children go: `none`, `child`, `orchestrator`
        /// ([`HistoryMergeTarget`](crate::declaration::HistoryMergeTarget)).
        history_merge_target
        /// `max_parallel: 3`
        ///
        /// The maximum number of concurrent tool calls of a run.
        max_parallel
        /// `child_timeout_sec: 120`
        ///
        /// The maximum time of a call of a child.
        child_timeout_sec
        /// `max_display_instances: 20`
        ///
        /// How many runs of each child events mark as shown.
        max_display_instances
        /// `effect: once`
        ///
        /// Whether a failed call of the agent as a child may be repeated: `pure`, `idempotent`, `once`
        /// ([`Effect`](crate::Effect)).
        effect
        /// `state: Type`
        ///
        /// The type of the session's state, [`State`](crate::State) in tools and hooks.
        state
        /// `input: Type`
        ///
        /// The type of the input that parents give the agent, as its parameters; the agent gets it as JSON. Default:
        /// one text.
        input
        /// `output: Type`
        ///
        /// The type of the answers ([`TypedAgent`](crate::declaration::TypedAgent)), with `Deserialize` and
        /// `JsonSchema`. Default: text.
        output
    }
    /// The parameters of a request to a model.
    request_params {
        /// How much the model varies its answers: `temperature: 0.2`.
        temperature
        /// The share of the likeliest tokens that the model chooses from: `top_p: 0.9`.
        top_p
        /// The largest number of tokens in an answer: `max_tokens: 1000`.
        max_tokens
        /// A number that makes answers repeatable, where the provider can: `seed: 7`.
        seed
        /// Texts that end an answer: `stop_sequences: ["END"]`.
        stop_sequences
        /// Whether the model must call tools in the first turn: `tool_choice: ToolChoice::Required`.
        tool_choice
        /// The schema that the text of an answer has to fit, a [`ResponseSchema`](crate::model::ResponseSchema).
        response_schema
        /// Fields for the body of the provider's request, a map of JSON values.
        extra_body
    }
    /// The limits of a run.
    limits {
        /// The largest number of model turns, 50 without it: `turns: 10`.
        turns
        /// The largest number of tool calls: `tool_calls: 50`.
        tool_calls
        /// The largest number of tokens read and written: `tokens: 100_000`.
        tokens
        /// The largest number of seconds from start to answer: `time_sec: 60`.
        time_sec
        /// How deep a run may be inside of others, 16 without it: `depth: 3`.
        depth
        /// How often one tool may ask the model to try again, 3 without it: `max_retries: 2`.
        max_retries
        /// How often the model is asked again for an answer that does not fit its type, 2 without it: `output_retries: 0`.
        output_retries
        /// For how many seconds the model may send nothing, 300 without it, and a tenth of the time for a whole answer: `model_timeout_sec: 30`.
        model_timeout_sec
        /// How often a model request is repeated after a transient error, 2 without it: `model_retries: 5`.
        model_retries
    }
    /// Where a child's conversation begins.
    history_source {
        /// The child starts with its task only.
        none
        /// The child starts with what its earlier calls in this session left.
        child
        /// The child starts with the conversation of its parent.
        orchestrator
        /// The child starts with the messages of `.messages_for("Researcher", [..])` on the parent's builder.
        messages
    }
    /// Where a child's conversation goes.
    history_merge_target {
        /// The conversation is dropped.
        none
        /// The child's next call in this session can start with it.
        child
        /// It is appended to the conversation of the parent.
        orchestrator
    }
    /// What becomes of tools of servers that differ from the lock file.
    lock {
        /// A warning and a notice say so, and the agent gets them.
        report
        /// The agent is not built, and gets no tool that a server adds or changes later.
        strict
    }
    /// Whether a call in doubt may run again.
    effect {
        /// It changes nothing, so a call in doubt may run again.
        pure
        /// A call in doubt may run again, with the same idempotency key.
        idempotent
        /// A call in doubt does not run again.
        once
    }
    /// What the filter of a hook names, beside paths.
    filter {
        /// All tools of a server: `server(time)`.
        server
        /// All tools of a kind: `source(mcp)`.
        source
        /// The tool of that name, wherever it comes from: `tool(lookup)`.
        tool
    }
    /// Kinds of tools.
    source {
        /// Tools of MCP servers.
        mcp
        /// Tools of servers that are not MCP.
        server
        /// Functions.
        function
        /// Children.
        agent
        /// Built-in tools.
        runtime
    }
    /// The options of `#[tool(..)]`.
    tool {
        /// `name = "add_one"`
        ///
        /// The name that the model sees: letters, digits, `_`, `-`, at most 64; else the function's.
        name
        /// `title = "Add one"`
        ///
        /// A name for people.
        title
        /// `description = "Adds one."`
        ///
        /// Instead of the doc comment; any constant text.
        description
        /// `instructions = "Use it for sums."`
        ///
        /// Goes into the system prompt of agents that have the tool.
        instructions
        /// `meta = [("icon", "plus")]`
        ///
        /// Data for clients, as MCP's `_meta`; anything that serialises.
        meta
        /// `output_schema = my_schema()`
        ///
        /// The JSON Schema of the result (a `serde_json::Value`), instead of the type's.
        output_schema
        /// `on_error = explain`
        ///
        /// `fn(&ToolContext, ToolError) -> ToolResult`: answers tool errors, invalid arguments included; it does not
        /// run for a stop or an abort.
        on_error
        /// `timeout = 30`
        ///
        /// How long one attempt may take: seconds, `"500ms"`, `"30s"`, `"2m"`, `"1h"`, or a constant `Duration`.
        timeout
        /// `hooks = [audit, retry(3)]`
        ///
        /// The tool's own raw hooks, first outside; inside all hooks of the agent.
        hooks
        /// `input_guardrails = [no_secrets, max_length(80)]`
        ///
        /// Check the arguments before the tool runs: [`guardrail`](macro@crate::guardrail).
        input_guardrails
        /// `output_guardrails = [redact, max_length(80)]`
        ///
        /// Check the output before hooks and the model see it.
        output_guardrails
        /// `approval`, `approval = is_large`
        ///
        /// Every call needs approval, or those for which `fn(&Args) -> bool` returns `true` (`-> Option<String>`: a
        /// reason): [`Approver`](crate::approval::Approver).
        approval
        /// `asks`
        ///
        /// The function may ask a person ([`ToolContext::ask`](crate::ToolContext::ask)), so runs with the tool can
        /// pause.
        asks
        /// `external`
        ///
        /// The calls are done outside of the program: the function has no body (`fn photo() -> String;`), and the run
        /// pauses, or its answerer returns the result.
        external
        /// `cache`, `cache(ttl = "60s", key = by_city, capacity = 100)`
        ///
        /// Results are kept for the same arguments, user and session: [`Cache`](crate::Cache).
        cache
        /// `examples = [example(x = 41).output(42).note("An easy one.")]`
        ///
        /// Examples of calls, checked against the schema: [`ToolExample`](crate::definition::ToolExample).
        examples
        /// `annotations(read_only, destructive = false, idempotent, open_world)`
        ///
        /// Hints, as MCP's.
        annotations
        /// `effect = pure`
        ///
        /// `pure`, `idempotent` or `once`: whether a call may be repeated, by a hook or after a crash; no hook repeats
        /// a tool without it.
        effect
        /// `stop_after`
        ///
        /// The run ends with this tool's result.
        stop_after
        /// `max_calls = 3`
        ///
        /// How many calls of one run may start the tool; refused ones and cache hits do not count.
        max_calls
        /// `blocking`
        ///
        /// The function (not `async`) runs on a thread of its own; its `CancellationToken` is cancelled when its caller
        /// is gone.
        blocking
        /// `parse_docs = false`
        ///
        /// The doc comment is kept whole.
        parse_docs
        /// `type_name = AddOne`
        ///
        /// Another name for the type beside the function.
        type_name
        /// `state = Ledger`
        ///
        /// The agent's state, for `#[bind(..)]` of its fields.
        state
        /// `strict`
        ///
        /// Every parameter has a form in OpenAI's strict rules, which the compiler checks
        /// ([`Strict`](trait@crate::Strict)); exports are strict unless their options say otherwise.
        strict
    }
    /// The hints of `annotations(..)`.
    annotations {
        /// `read_only`
        ///
        /// The tool changes nothing.
        read_only
        /// `destructive`
        ///
        /// The tool may destroy something.
        destructive
        /// `idempotent`
        ///
        /// A second call with the same arguments changes nothing more.
        idempotent
        /// `open_world`
        ///
        /// The tool reaches things outside of the program.
        open_world
    }
    /// The options of `cache(..)`.
    cache {
        /// `ttl = "60s"`
        ///
        /// How long a result is kept.
        ttl
        /// `key = by_city`
        ///
        /// A function that makes the key of a call.
        key
        /// `capacity = 100`
        ///
        /// How many results are kept.
        capacity
    }
    /// The options of `#[arg(..)]` on a parameter of a tool.
    arg {
        /// `default = 5`, `default`
        ///
        /// The value of a missing argument; without a value the `Default` of the type.
        default
        /// `rename = "from"`
        ///
        /// The name that the model sees.
        rename
        /// `range(0..=9)`
        ///
        /// Limits of a number: `a..=b`, `a..b`, `a..`, `..=b`.
        range
        /// `length(1..=80)`
        ///
        /// Limits of a text's characters, a list's items, a map's entries.
        length
        /// `pattern = "^[a-z]+$"`
        ///
        /// A regular expression (of the `regex-lite` crate) that matches somewhere in the text.
        pattern
        /// `example = "Oslo"`
        ///
        /// An example for the model.
        example
        /// `skip`
        ///
        /// Not shown to the model; the value is the default.
        skip
    }
    /// The options of `#[bind(..)]`, behind the key of a session's value.
    bind {
        /// `default = "NL"`
        ///
        /// The value if the session's state has none: `#[bind("shop.country", default = "NL")]`.
        default
    }
    /// The options of `#[tool_hook(..)]`.
    tool_hook {
        /// `around`
        ///
        /// Names the form; the compiler checks it against the signature: the hook takes the rest of the call.
        around
        /// `before`
        ///
        /// The hook takes neither the rest of the call nor its result.
        before
        /// `after`
        ///
        /// The hook takes the result of the call.
        after
        /// `tool = add_one`
        ///
        /// Makes a typed hook of this tool.
        tool
        /// `state = Ledger`
        ///
        /// The agent's state, for `#[bind(..)]` of its fields.
        state
        /// `type_name = Audit`
        ///
        /// Another name for the type beside the function.
        type_name
    }
    /// The options of `#[run_hook(..)]`.
    run_hook {
        /// `pre`
        ///
        /// The hook runs before the first turn, and gets the input.
        pre
        /// `post`
        ///
        /// The hook runs after the last turn, and gets the answer.
        post
        /// `ignore_errors`
        ///
        /// An error of the hook is an event, and the run goes on with the text from before the hook.
        ignore_errors
        /// `state = Ledger`
        ///
        /// The agent's state, for `#[bind(..)]` of its fields.
        state
        /// `type_name = Audit`
        ///
        /// Another name for the type beside the function.
        type_name
    }
    /// The options of `#[turn_hook(..)]`.
    turn_hook {
        /// `before_llm_call`
        ///
        /// The hook runs before the model is asked, and gets the request.
        before_llm_call
        /// `after_llm_call`
        ///
        /// The hook gets the answer of the model.
        after_llm_call
        /// `before_tool_call`
        ///
        /// The hook runs before a call of the model, and gets the call.
        before_tool_call
        /// `after_tool_call`
        ///
        /// The hook gets a call and its result.
        after_tool_call
        /// `after_turn_complete`
        ///
        /// The hook runs at the end of a turn, and gets its messages.
        after_turn_complete
        /// `state = Ledger`
        ///
        /// The agent's state, for `#[bind(..)]` of its fields.
        state
        /// `type_name = Audit`
        ///
        /// Another name for the type beside the function.
        type_name
    }
    /// The options of `#[message_hook(..)]`.
    message_hook {
        /// `process_message_before_send`
        ///
        /// The hook gets each message before it is sent, and may drop it.
        process_message_before_send
        /// `update_agent_state`
        ///
        /// The hook runs first in each turn, and changes the agent's state.
        update_agent_state
        /// `process_last_received_message`
        ///
        /// The hook gets the newest message in each turn.
        process_last_received_message
        /// `process_all_messages_before_reply`
        ///
        /// The hook gets all messages in each turn.
        process_all_messages_before_reply
        /// `state = Ledger`
        ///
        /// The agent's state, for `#[bind(..)]` of its fields.
        state
        /// `type_name = Audit`
        ///
        /// Another name for the type beside the function.
        type_name
    }
    /// The options of `#[guardrail(..)]`.
    guardrail {
        /// `input`
        ///
        /// The guardrail checks the arguments, before the tool runs.
        input
        /// `output`
        ///
        /// The guardrail checks the output.
        output
        /// `state = Ledger`
        ///
        /// The agent's state, for `#[bind(..)]` of its fields.
        state
        /// `type_name = Audit`
        ///
        /// Another name for the type beside the function.
        type_name
    }
    /// The options of `#[toolbox(..)]`.
    toolbox {
        /// `instructions = "Search before you answer."`
        ///
        /// Goes into the system prompt of agents that have the toolbox.
        instructions
        /// `part = Admin`
        ///
        /// Makes a type of this name for the block, which another block of the toolbox names in `parts`.
        part
        /// `parts = [Admin]`
        ///
        /// Adds the tools of these blocks to those of this one.
        parts
    }
}

/// The built-in tools.
pub mod runtime {
    use super::Key;

    /// Tools that use the files of a folder.
    #[derive(Clone, Copy, Debug)]
    pub struct Filesystem {
        /// Reads a text file, with feature `filesystem`.
        pub read: Key,
        /// Writes a whole text file, with feature `filesystem`.
        pub write: Key,
        /// Lists a folder, with feature `filesystem`.
        pub list: Key,
        /// Replaces a text in a file, with feature `filesystem`.
        pub edit: Key,
        /// Finds lines in files, with feature `filesystem`.
        pub search: Key,
    }

    /// Tools that use the files of a folder: `filesystem.read` and others.
    #[allow(non_upper_case_globals)]
    pub const filesystem: Filesystem =
        Filesystem { read: Key, write: Key, list: Key, edit: Key, search: Key };

    /// Tools that ask the user.
    #[derive(Clone, Copy, Debug)]
    pub struct Human {
        /// Asks a question, with feature `human-input`.
        pub input: Key,
    }

    /// Tools that ask the user: `human.input`.
    #[allow(non_upper_case_globals)]
    pub const human: Human = Human { input: Key };

    /// Tools that work with the system's shell.
    #[derive(Clone, Copy, Debug)]
    pub struct Shell {
        /// Runs a program, with feature `shell`.
        pub execute: Key,
    }

    /// Tools that work with the system's shell: `shell.execute`.
    #[allow(non_upper_case_globals)]
    pub const shell: Shell = Shell { execute: Key };

    /// Tools that read skills.
    #[derive(Clone, Copy, Debug)]
    pub struct Skills {
        /// Reads the instructions of a skill, with feature `skills`.
        pub read: Key,
    }

    /// Tools that read skills: `skills.read`.
    #[allow(non_upper_case_globals)]
    pub const skills: Skills = Skills { read: Key };
}
