//! The words that the macros know, each with the documentation that an editor shows for it.
//!
//! What the macros write for rust-analyzer names these constants with the user's own words. Nothing runs with them. A test of
//! the macros holds the names to their own tables. `crate`, which is an option everywhere, is a keyword and no name.

/// A word of a macro.
#[derive(Clone, Copy, Debug)]
pub struct Key;

/// A value of a type, in code that never runs: it lets an editor complete the fields of the type.
#[must_use]
pub fn of<T>() -> T {
    unreachable!("only editors read this")
}

macro_rules! keys {
    ($(#[doc = $of:literal] $module:ident { $(#[doc = $doc:literal] $key:ident)* })*) => {$(
        #[doc = $of]
        #[allow(non_upper_case_globals)]
        pub mod $module {
            use super::Key;

            $(#[doc = $doc] pub const $key: Key = Key;)*
        }
    )*};
}

keys! {
    /// The fields of `agent!`.
    agent {
        /// The system prompt, the only field that must be there: `instruction: "Do sums."`. A constant or `include_str!(..)` is possible.
        instruction
        /// The agent's name, else the type's: `name: "NY-Manager"`. Letters, digits, `_` and `-`.
        name
        /// What parents choose the agent by: `description: "Knows the weather."`. A child must have one.
        description
        /// The model that is asked by name: `model: "gpt-4o-mini"`.
        model
        /// Parameters of each request to the model: `request_params: { temperature: 0.2 }`.
        request_params
        /// The tools that the model can call, by the paths of their functions: `function_tools: [add_one, shop::search]`.
        function_tools
        /// The types of toolboxes, with a prefix where there are several of one type: `toolboxes: [Stock, attic: Stock]`.
        toolboxes
        /// MCP servers, by their names in the configuration: `servers: [time]`.
        servers
        /// Globs over the tools of servers: `tools: { time: [get_*] }`. A server without an entry has all its tools.
        tools
        /// Other agents that the model can call: `agents: [Researcher]`.
        agents
        /// Built-in tools: `runtime: [shell.execute]`.
        runtime
        /// Hooks around tool calls, outermost first: `tool_hooks: [audit for [add_one], .., retry(3)]`. Hooks that are added when the agent is built go where `..` is.
        tool_hooks
        /// The type of the agent's state: `state: Ledger`.
        state
        /// The limits of a run: `limits: { turns: 10, time_sec: 60 }`.
        limits
        /// How many tool calls of a run go on at once, else all: `max_parallel: 3`.
        max_parallel
        /// How many seconds a child may take, else as long as the run: `child_timeout_sec: 120`.
        child_timeout_sec
        /// What a child starts with: `none`, which is the default, `child`, `orchestrator` or `messages`.
        history_source
        /// Where a child's conversation goes afterwards: `none`, which is the default, `child` or `orchestrator`.
        history_merge_target
        /// Instances of a child beyond these have `shown: false` in `EventKind::RunStarted`: `max_display_instances: 20`, which is the default.
        max_display_instances
        /// Whether the agent may be asked again where it is a child and failed: `pure`, `idempotent`, or `once`, which is the default.
        effect
        /// Whether the agent is the entry of an `App`: `default: true`.
        default
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
        /// The largest number of seconds for one answer of the model, 300 without it: `model_timeout_sec: 30`.
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
        /// All tools of an MCP server: `server(time)`.
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
        /// Functions.
        function
        /// Children.
        agent
        /// Built-in tools.
        runtime
    }
    /// The options of `#[tool(..)]`.
    tool {
        /// The tool's name, else the function's: `name = "add_one"`.
        name
        /// A name for people: `title = "Add one"`.
        title
        /// What the tool does, else the function's doc comment: `description = "Adds one."`.
        description
        /// Text for the system prompt of agents that have the tool: `instructions = "Use it for sums."`.
        instructions
        /// Values for `_meta` of the exported tool: `meta = [("icon", "plus")]`.
        meta
        /// The schema of the result, else that of the return type: `output_schema = my_schema()`.
        output_schema
        /// A function that makes an answer of the function's error: `on_error = explain`.
        on_error
        /// How long one attempt of the function may take: `timeout = "30s"`, seconds, or a constant `Duration`.
        timeout
        /// The tool's own hooks, outermost first: `hooks = [audit, retry(3)]`.
        hooks
        /// Guardrails over the arguments: `input_guardrails = [no_secrets, max_length(80)]`.
        input_guardrails
        /// Guardrails over the output: `output_guardrails = [redact, max_length(80)]`.
        output_guardrails
        /// Calls wait for a person's approval: `approval` for all, or a function that decides: `approval = is_large`.
        approval
        /// Results of equal calls are kept: `cache`, `cache(ttl = "5m")`.
        cache
        /// Examples of calls for the model: `examples = [example(x = 1).output(2)]`.
        examples
        /// Hints for clients: `annotations(read_only, open_world = false)`.
        annotations
        /// Whether a call in doubt may run again: `effect = pure`, `idempotent` or `once`.
        effect
        /// The tool's result is the run's answer.
        stop_after
        /// The largest number of calls in a run: `max_calls = 3`.
        max_calls
        /// The function is not async and runs on a thread of its own.
        blocking
        /// Whether parameters are described by sections of the doc comment, which they are: `parse_docs = false`.
        parse_docs
        /// The name of the type beside the function, else the function's: `type_name = AddOne`.
        type_name
        /// The type of the agent's state, for `#[bind(..)]`: `state = Ledger`.
        state
        /// The model's arguments fit the schema exactly, where the provider can: all types are `Strict`.
        strict
    }
    /// The hints of `annotations(..)`.
    annotations {
        /// The tool changes nothing.
        read_only
        /// The tool may delete or overwrite.
        destructive
        /// A repeated call changes nothing more.
        idempotent
        /// The tool works on something outside of the program, such as the web.
        open_world
    }
    /// The options of `cache(..)`.
    cache {
        /// How long a result is kept: `ttl = "5m"`.
        ttl
        /// A function that makes the key of the call's arguments: `key = by_city`.
        key
        /// The largest number of results that are kept: `capacity = 100`.
        capacity
    }
    /// The options of `#[arg(..)]` on a parameter of a tool.
    arg {
        /// Stands in for a missing value: `default` alone for that of the type, or `default = 5`.
        default
        /// The name in the schema: `rename = "from"`.
        rename
        /// The limits of a number: `range(0..=9)`.
        range
        /// The limits of the length of a text or a list: `length(1..=80)`.
        length
        /// A regular expression that the text must match: `pattern = "^[a-z]+$"`.
        pattern
        /// An example for the schema: `example = 7`.
        example
        /// The model never sees the parameter; its default is used.
        skip
    }
    /// The options of `#[bind(..)]`, behind the key of a session's value.
    bind {
        /// Stands in for a missing value: `#[bind("shop.country", default = "NL")]`.
        default
    }
    /// The options of `#[tool_hook(..)]`.
    tool_hook {
        /// The hook goes around the call and takes `next`.
        around
        /// The hook comes before the call and may answer it.
        before
        /// The hook comes after the call and sees its result.
        after
        /// The tool whose typed arguments and result the hook takes: `tool = add_one`.
        tool
        /// The type of the agent's state, for `#[bind(..)]`: `state = Ledger`.
        state
        /// The name of the type beside the function, else the function's: `type_name = Audit`.
        type_name
    }
    /// The options of `#[guardrail(..)]`.
    guardrail {
        /// The guardrail looks at the arguments, before the tool runs.
        input
        /// The guardrail looks at the output.
        output
        /// The type of the agent's state, for `#[bind(..)]`: `state = Ledger`.
        state
        /// The name of the type beside the function, else the function's: `type_name = NoThirteen`.
        type_name
    }
    /// The options of `#[toolbox(..)]`.
    toolbox {
        /// Text for the system prompt of agents that have the toolbox: `instructions = "Search before you answer."`.
        instructions
        /// The name of a block whose tools the main block takes in: `part = Admin`.
        part
        /// The blocks that this one takes in: `parts = [Admin]`.
        parts
    }
}

/// The built-in tools.
pub mod runtime {
    use super::Key;

    /// Tools that work with the system's shell.
    #[derive(Clone, Copy, Debug)]
    pub struct Shell {
        /// Runs a program, with feature `shell`.
        pub execute: Key,
    }

    /// Tools that work with the system's shell: `shell.execute`.
    #[allow(non_upper_case_globals)]
    pub const shell: Shell = Shell { execute: Key };
}
