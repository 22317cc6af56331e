//! The options of attributes. Each row has the syntax of an option and its effect; editors and the tables of
//! the documentation show the rows.

/// An option of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeOption {
    /// Its name.
    pub name: &'static str,
    /// Its forms, each in backticks.
    pub forms: &'static str,
    /// Its effect.
    pub does: &'static str,
}

/// Gives the options of all attributes to a macro: tables of rows `/// forms`, `/// meaning`, `name`.
#[doc(hidden)]
#[macro_export]
macro_rules! options {
    ($with:ident) => {
        $crate::options! { @shared $with [
            /// `crate = my_onionskin`
            /// The path of this crate, if another library re-exports it.
            crate
        ] [
            /// `state = Ledger`
            /// The agent's state, for `#[bind(..)]` of its fields.
            state
        ] [
            /// `type_name = Audit`
            /// Another name for the type beside the function.
            type_name
        ] }
    };
    // The rows of several attributes, and the tables.
    (@shared $with:ident [$($crate_path:tt)*] [$($state:tt)*] [$($type_name:tt)*]) => {
        $with! {
            /// The options of `#[tool(..)]`.
            tool {
                /// `name = "add_one"`
                /// The name that the model sees: letters, digits, `_` and `-`, at most 64 characters. Default: the function's name.
                name
                /// `title = "Add one"`
                /// A name for people.
                title
                /// `description = "Adds one."`
                /// Any constant text. It replaces the doc comment.
                description
                /// `instructions = "Use it for sums."`
                /// Text for the system prompt of agents that have the tool.
                instructions
                /// `meta = json!({ "icon": "plus" })`
                /// Data for clients, like MCP's `_meta`: any value that serialises as an object.
                meta
                /// `output_schema = my_schema()`
                /// The JSON Schema of the result (a `serde_json::Value`). It replaces the schema of the type.
                output_schema
                /// `on_error = explain`
                /// `fn(&ToolContext, ToolError) -> ToolResult`, or an `async fn` of them: handles tool errors, including invalid arguments. It does not run for a stop or an abort.
                on_error
                /// `timeout = 30`
                /// The maximum duration of one attempt: seconds, `"500ms"`, `"30s"`, `"2m"`, `"1h"`, or a constant `Duration`.
                timeout
                /// `hooks = [audit, retry(3)]`
                /// The tool's own raw hooks, outermost first, inside all hooks of the agent.
                hooks
                /// `input_guardrails = [no_secrets, max_length(80)]`
                /// Guardrails that check the arguments before the tool runs: [`guardrail`](macro@crate::guardrail).
                input_guardrails
                /// `output_guardrails = [redact, max_length(80)]`
                /// Guardrails that check the output before hooks and the model see it.
                output_guardrails
                /// `approval`, `approval = is_large`
                /// Every call needs approval, or each call for which `fn(&Args) -> bool` returns `true` (`-> Option<String>`: a reason): [`Approver`](crate::approval::Approver).
                approval
                /// `asks`
                /// The function can ask a person ([`ToolContext::ask`](crate::ToolContext::ask)), so runs with the tool can pause.
                asks
                /// `external`
                /// Calls run outside the program: the function has no body (`fn photo() -> String;`), and the run pauses, or its answerer returns the result.
                external
                /// `cache`, `cache(ttl = "60s", key = by_city, capacity = 100)`
                /// Results are stored for the same arguments, user and session: [`Cache`](crate::Cache).
                cache
                /// `examples = [example(x = 41).output(42).note("An easy one.")]`
                /// Examples of calls, checked against the schema: [`ToolExample`](crate::definition::ToolExample).
                examples
                /// `annotations(read_only, destructive = false, idempotent, open_world)`
                /// Hints, like MCP's.
                annotations
                /// `effect = pure`
                /// `pure`, `idempotent` or `once`: whether a hook, or a resumed run after a crash, can repeat a call. Without it, no hook repeats a call.
                effect
                /// `stop_after`
                /// The run ends with this tool's result.
                stop_after
                /// `max_calls = 3`
                /// The maximum number of calls of one run that start the tool. Refused calls and cache hits do not count.
                max_calls
                /// `blocking`
                /// The function (not `async`) runs on its own thread. Its `CancellationToken` is cancelled when its caller is dropped.
                blocking
                /// `parse_docs = false`
                /// The whole doc comment is the description.
                parse_docs
                /// `type_name = AddOne`
                /// Another name for the type beside the function.
                type_name
                /// `state = Ledger`
                /// The agent's state, for `#[bind(..)]` of its fields.
                state
                /// `strict`
                /// Every parameter fits OpenAI's strict rules, which the compiler checks ([`Strict`](trait@crate::Strict)). Exports are strict by default.
                strict
                $($crate_path)*
            }
            /// The hints of `annotations(..)`.
            annotations {
                /// `read_only`
                /// The tool changes nothing.
                read_only
                /// `destructive`
                /// The tool can destroy data.
                destructive
                /// `idempotent`
                /// A second call with the same arguments changes nothing else.
                idempotent
                /// `open_world`
                /// The tool interacts with systems outside the program.
                open_world
            }
            /// The options of `cache(..)`.
            cache {
                /// `ttl = "60s"`
                /// The lifetime of a result.
                ttl
                /// `key = by_city`
                /// A function that returns the key of a call.
                key
                /// `capacity = 100`
                /// The maximum number of results.
                capacity
            }
            /// The options of `#[arg(..)]`.
            arg {
                /// `default = 5`, `default`
                /// The value of a missing argument. `default` alone uses the `Default` of the type.
                default
                /// `rename = "from"`
                /// The name that the model sees.
                rename
                /// `range(0..=9)`
                /// The range of a number: `a..=b`, `a..b`, `a..`, `..=b`.
                range
                /// `length(1..=80)`
                /// The number of a text's characters, a list's items or a map's entries.
                length
                /// `pattern = "^[a-z]+$"`
                /// A regular expression (of the `regex-lite` crate) that matches somewhere in the text.
                pattern
                /// `example = "Oslo"`
                /// An example for the model.
                example
                /// `skip`
                /// The model does not see the parameter. Its value is the default.
                skip
            }
            /// The options of `#[bind(..)]`.
            bind {
                /// `default = "NL"`
                /// The value if the session's state has no such value: `#[bind("shop.country", default = "NL")]`.
                default
            }
            /// The options of `#[tool_hook(..)]`.
            tool_hook {
                /// `around`
                /// The hook takes the rest of the call. The compiler checks the form against the signature.
                around
                /// `before`
                /// The hook takes neither the rest of the call nor its result.
                before
                /// `after`
                /// The hook takes the result of the call.
                after
                /// `tool = add_one`
                /// The hook is a typed hook of this tool.
                tool
                $($state)* $($crate_path)* $($type_name)*
            }
            /// The options of `#[run_hook(..)]`.
            run_hook {
                /// `pre`
                /// The hook runs before the first turn, and gets the input.
                pre
                /// `post`
                /// The hook runs after the last turn, and gets the answer.
                post
                /// `ignore_errors`
                /// An error of the hook is an event, and the run continues with the text from before the hook.
                ignore_errors
                $($state)* $($crate_path)* $($type_name)*
            }
            /// The options of `#[turn_hook(..)]`.
            turn_hook {
                /// `before_llm_call`
                /// The hook runs before a request to the model, and gets the request.
                before_llm_call
                /// `after_llm_call`
                /// The hook gets the model's answer.
                after_llm_call
                /// `before_tool_call`
                /// The hook runs before a call of the model, and gets the call.
                before_tool_call
                /// `after_tool_call`
                /// The hook gets a call and its result.
                after_tool_call
                /// `after_turn_complete`
                /// The hook runs at the end of a turn, and gets its messages.
                after_turn_complete
                $($state)* $($crate_path)* $($type_name)*
            }
            /// The options of `#[message_hook(..)]`.
            message_hook {
                /// `process_message_before_send`
                /// The hook gets each message before it is sent, and can drop it.
                process_message_before_send
                /// `update_agent_state`
                /// The hook runs first in each turn, and changes the agent's state.
                update_agent_state
                /// `process_last_received_message`
                /// The hook gets the newest message in each turn.
                process_last_received_message
                /// `process_all_messages_before_reply`
                /// The hook gets all messages in each turn.
                process_all_messages_before_reply
                $($state)* $($crate_path)* $($type_name)*
            }
            /// The options of `#[guardrail(..)]`.
            guardrail {
                /// `input`
                /// The guardrail checks the arguments, before the tool runs.
                input
                /// `output`
                /// The guardrail checks the output.
                output
                $($state)* $($crate_path)* $($type_name)*
            }
            /// The options of `#[toolbox(..)]`.
            toolbox {
                /// `instructions = "Search before you answer."`
                /// Text for the system prompt of agents that have the toolbox.
                instructions
                /// `part = Admin`
                /// Creates a type of this name for the block. Another block of the toolbox names it in `parts`.
                part
                /// `parts = [Admin]`
                /// Adds the tools of these blocks to this block.
                parts
                $($crate_path)*
            }
            /// The options of the derives' own attributes.
            derive {
                $($crate_path)*
            }
        }
    };
}

macro_rules! lists {
    ($($(#[doc = $about:literal])+ $name:ident {
        $(#[doc = $forms:literal] #[doc = $does:literal] $key:ident)*
    })*) => {
        $(
            $(#[doc = $about])+
            pub const fn $name() -> &'static [AttributeOption] {
                &[$(AttributeOption { name: stringify!($key), forms: $forms, does: $does }),*]
            }
        )*

        /// The options of the attribute with this name.
        pub fn named(attribute: &str) -> Option<&'static [AttributeOption]> {
            [$((stringify!($name), $name())),*].into_iter().find(|(name, _)| *name == attribute).map(|(_, options)| options)
        }
    };
}

options!(lists);

impl AttributeOption {
    /// Its form with a value: the last such form.
    pub fn form(&self) -> &'static str {
        let forms = self.forms.split('`').skip(1).step_by(2);
        forms.filter(|form| form.contains(['=', '('])).last().unwrap_or(self.name)
    }
}
