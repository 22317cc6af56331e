//! Tools written as [Rhai](https://rhai.rs) scripts, [`from_code`] and [`ui_tool_from_code`], hooks around tool calls, [`hook_from_code`], and hooks on
//! messages, [`message_hook_from_code`].

// `docs` reads a function's schema from its comments. `calls` finds calls of functions that do not exist. `language` lists the
// functions of the language. `sandbox` makes the engine, `code` runs a function in it, and `tool`, `hook` and `message` are the forms of one. `waiting` has the functions that the task of a call answers, such
// as those of `ui`. `memory` counts the bytes that a
// script holds. `bounded` and `chars` replace functions of the language that would hold too much. `limits` are the limits of a
// call. `json` converts values in both directions. `env` holds the program's values and functions that the script sees.

#![forbid(unsafe_code)]

mod bounded;
mod call_error;
mod calls;
mod chars;
mod code;
mod docs;
mod env;
mod hook;
mod json;
mod language;
mod limits;
mod load_error;
mod lock;
mod memory;
mod message;
mod rule;
mod sandbox;
mod tool;
mod ui;
mod waiting;

use std::sync::Arc;

pub use env::{Env, HostFunction};
pub use hook::ScriptHook;
pub use limits::ScriptLimits;
pub use load_error::ScriptError;
pub use message::ScriptMessageHook;
use onionskin_core::ui::UiMode;
use onionskin_core::{ToolDefinition, ToolSpec};
pub use rule::ScriptRule;

/// A script for [`from_code`]: its text, its environment and its limits.
///
/// ```
/// use onionskin::rhai::{Script, ScriptLimits, from_code};
///
/// let text = r#"
///     fn twice(x) { 2 * x }
///
///     /// Adds one to a number, twice.
///     ///
///     /// # Arguments
///     /// * `x: int` - The number
///     fn add_two(x) { x + twice(1) }
/// "#;
/// let spec = from_code(Script::new(text).func_name("add_two").limits(ScriptLimits::default()))?;
/// assert_eq!(spec.name(), "add_two");
/// # Ok::<_, onionskin::rhai::ScriptError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a script does nothing until it is made a tool"]
pub struct Script {
    text: String,
    func_name: Option<String>,
    file: Option<String>,
    env: Env,
    limits: ScriptLimits,
}

impl Script {
    /// Makes a script of this text, with an empty environment and the default limits.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            func_name: None,
            file: None,
            env: Env::new(),
            limits: ScriptLimits::default(),
        }
    }

    /// Chooses the function that is the tool. It is needed if the script has several functions that are not `private`.
    pub fn func_name(mut self, name: impl Into<String>) -> Self {
        self.func_name = Some(name.into());
        self
    }

    /// Sets the name of the script's file, which descriptions of agents show with the function: `hooks.rhai:audit`.
    pub fn file(mut self, name: impl Into<String>) -> Self {
        self.file = Some(name.into());
        self
    }

    /// Sets the values and functions of the program that the script sees. It sees nothing else.
    pub fn env(mut self, env: Env) -> Self {
        self.env = env;
        self
    }

    /// Sets the limits of one call.
    pub fn limits(mut self, limits: ScriptLimits) -> Self {
        self.limits = limits;
        self
    }
}

impl From<&str> for Script {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Script {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// Makes a tool of a function in a [Rhai](https://rhai.rs/book/) script. The doc comment of the function gives the
/// description and the types of the parameters and of the result:
///
/// ```
/// use onionskin::{call, rhai};
///
/// let spec = rhai::from_code(
///     r#"
///     /// Add two numbers together.
///     ///
///     /// # Arguments
///     /// * `a: int` - First number
///     /// * `b: int = 1` - Second number
///     ///
///     /// # Returns
///     /// `int` - The sum of a and b
///     fn calculate_sum(a, b) {
///         a + b
///     }
///     "#,
/// )?;
/// assert_eq!(spec.name(), "calculate_sum");
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// assert_eq!(call!(spec, a = 40, b = 2).await.unwrap(), 42);
/// assert_eq!(call!(spec, a = 40).await.unwrap(), 41);
/// # });
/// # Ok::<_, onionskin::rhai::ScriptError>(())
/// ```
///
/// Types are `int`, `float`, `bool`, `string`, `array`, `map`, `any`, `[int]` or `array<int>`, `map<int>`, words such
/// as `"asc" | "desc"`, and any type with a `?` behind it, which makes the parameter optional (it is `()` if it is missing). A default is JSON.
/// Sections of other styles are read too: `Args:` with `a (int): ..` or `a (int, default 1): ..`, and `Returns:` with
/// `int: ..`. A parameter that is described without a type takes any value.
///
/// `throw "the reason"` ends the call with a tool error of this text.
///
/// A script can access only its [`Env`]: no files, no network, no clock. `eval`, `import`, `this` and `Fn` do not exist, so pass
/// a function as a closure, `|x| ..`, and not by its name. The script runs on a thread of its own, within [`ScriptLimits`]; a call that is dropped ends it.
///
/// # Errors
/// Returns an error with line and column if the script is wrong. Returns an error if it has several functions that are
/// not `private` and none is chosen with [`Script::func_name`], or if it lacks the chosen one.
pub fn from_code(code: impl Into<Script>) -> Result<ToolSpec, ScriptError> {
    let Script { text, func_name, env, limits, .. } = code.into();
    let script = tool::ScriptTool::load(&text, func_name.as_deref(), env, limits, None)?;
    Ok(ToolSpec::from_dyn(Arc::new(script)).with_code(text))
}

/// As [`from_code`], for a tool that shows a component to a person. The function may call `use_ui_tool(tool_id, workflow_name, payload)`, which shows the
/// component with the payload and returns the answer, as [`Ui::use_ui_tool`](onionskin_core::ui::Ui::use_ui_tool) does: a paused run starts the function again,
/// and earlier answers are returned at once. The time of the wait does not count.
///
/// ```
/// use onionskin::question::{Answer, Question, QuestionKind};
/// use onionskin::rhai;
/// use onionskin::ui::UiMode;
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
/// use serde_json::json;
///
/// agent! { Clerk { instruction: "Connect services." } }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let code = r#"
///     /// Requests an API key from the user.
///     ///
///     /// # Arguments
///     /// * `service: string` - The service
///     fn request_api_key(service) {
///         use_ui_tool("api_key_input", "Generator", #{ service: service })
///     }
/// "#;
/// let tool = rhai::ui_tool_from_code(code, "AgentAPIKeyInput", UiMode::Inline)?;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let call = ScriptedTurn::call("request_api_key", json!({ "service": "mail" }));
/// let model = ScriptedModel::turns([call, ScriptedTurn::say("{last}")]);
/// let clerk = Clerk::builder().model(model).tool(tool).answerer(|question: Question| async move {
///     let QuestionKind::Component(shown) = question.kind() else { return None };
///     assert_eq!((shown.component(), shown.payload()), ("AgentAPIKeyInput", &json!({ "service": "mail" })));
///     Answer::value("stored").ok()
/// });
/// assert_eq!(clerk.run("Connect my mail.").await?.text, "stored");
/// # Ok(())
/// # })
/// # }
/// ```
///
/// # Errors
/// As [`from_code`].
pub fn ui_tool_from_code(
    code: impl Into<Script>,
    component: impl Into<String>,
    mode: UiMode,
) -> Result<ToolSpec, ScriptError> {
    let Script { text, func_name, env, limits, .. } = code.into();
    let ui = Some((component.into(), mode));
    let script = tool::ScriptTool::load(&text, func_name.as_deref(), env, limits, ui)?;
    Ok(ToolSpec::from_dyn(Arc::new(script)).with_code(text))
}

/// Makes a hook around tool calls of a function in a Rhai script: `fn audit(ctx, args)`. `ctx` has `agent_name`, `server_name`, `tool_name`,
/// `tool_source`, `call_id` and `correlation_id`. `call_next(args)` runs the rest of the call inside of the hook, once, and returns the text of the
/// output. Its error is an exception, which the script can catch; a stop and an abort end the script.
///
/// What the function returns is the output of the call. If it is nothing, or the text of `call_next` without a change, the output stays whole, with
/// its images and its structured content. What the function throws refuses the call: the model reads the thrown text.
///
/// The script sees its [`Env`] only, and runs within its [`ScriptLimits`]; the time in `call_next` does not count. Add the hook with
/// [`AgentDeclaration::hook`](onionskin_core::declaration::AgentDeclaration::hook) or `.hook(..)` of a builder.
///
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn, agent, rhai, tool};
/// use serde_json::json;
///
/// /// Adds one.
/// #[tool]
/// fn add_one(x: i64) -> i64 {
///     x + 1
/// }
///
/// agent! { Clerk { instruction: "Do sums.", function_tools: [add_one] } }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let audit = rhai::hook_from_code(
///     r#"
///     fn audit(ctx, args) {
///         if ctx.tool_name == "add_one" && args.x > 10 {
///             args.x = 10;
///         }
///         call_next(args) + " [audit]"
///     }
///     "#,
/// )?;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::call("add_one", json!({ "x": 41 })), ScriptedTurn::say("{last}")]);
/// assert_eq!(Clerk::builder().model(model).hook(audit).run("41 + 1?").await?.text, "11 [audit]");
///
/// let error = rhai::hook_from_code("fn audit(ctx, args, call_next) { 1 }").err().unwrap();
/// assert!(error.to_string().starts_with("1:4: a hook takes two parameters"), "{error}");
/// # Ok(())
/// # })
/// # }
/// ```
///
/// # Errors
/// Returns an error with line and column if the script is wrong, or if the function has other parameters. Returns an error if it has several
/// functions that are not `private` and none is chosen with [`Script::func_name`], or if it lacks the chosen one.
pub fn hook_from_code(code: impl Into<Script>) -> Result<ScriptHook, ScriptError> {
    let Script { text, func_name, file, env, limits } = code.into();
    ScriptHook::load(&text, func_name.as_deref(), file, env, limits)
}

/// Makes a rule for approval of a function in a Rhai script: `fn is_large(args)`. A call needs approval if it returns `true` or a text, which is the
/// reason, and none if it returns `false` or nothing. If it fails, the call needs approval, and the reason says so.
///
/// The call waits for the rule on the thread of its run, so a rule has at most 200 ms.
///
/// ```
/// use onionskin::{Args, rhai};
///
/// let rule = rhai::approval_rule_from_code("fn is_large(args) { args.cents > 1000 }")?;
/// assert_eq!(rule.needed(&Args::from(r#"{"cents": 5}"#)), None);
/// assert_eq!(rule.needed(&Args::from(r#"{"cents": 5000}"#)), Some(None));
/// let reason = rule.needed(&Args::from("{}")).flatten().unwrap();
/// assert!(reason.starts_with("the rule `is_large` failed"), "{reason}");
/// # Ok::<_, onionskin::rhai::ScriptError>(())
/// ```
///
/// # Errors
/// As [`hook_from_code`].
pub fn approval_rule_from_code(code: impl Into<Script>) -> Result<ScriptRule, ScriptError> {
    let Script { text, func_name, env, limits, .. } = code.into();
    ScriptRule::load(&text, func_name.as_deref(), env, limits)
}

/// Makes a hook on messages of a function in a Rhai script. Its parameters say its place, one of those of
/// [`MessageHook`](onionskin_core::message_hooks::MessageHook):
///
/// | function | place | returns |
/// |---|---|---|
/// | `fn f(sender, message, recipient, silent)` | `process_message_before_send` | the text to send, or `false` to drop the message |
/// | `fn f(state, messages)` | `update_agent_state` | the state of the session: what is new or another value is set |
/// | `fn f(message)` | `process_last_received_message` | the text that the model reads |
/// | `fn f(messages)` | `process_all_messages_before_reply` | the messages that the model reads |
///
/// `message` is a text: the function is called for each text of a message, also for those of its attachments. `messages` is a list of maps, each with a `role`:
/// `user` with `content`, `assistant` with `text` and `tool_calls`, `tool` with `results`. `sender` and `recipient` are the names of agents, or `user`.
///
/// An error, also one that is thrown and a result of another kind, ends the run. The script sees its [`Env`] only, and runs within its [`ScriptLimits`].
/// Add the hook with [`AgentDeclaration::message_hook`](onionskin_core::declaration::AgentDeclaration::message_hook), or `.message_hook(..)` of a builder.
///
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn, agent, rhai};
///
/// agent! { Clerk { instruction: "Answer." } }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let redact = rhai::message_hook_from_code(
///     r#"
///     fn redact(sender, message, recipient, silent) {
///         message.replace("k-17", "[key]");
///         message
///     }
///     "#,
/// )?;
/// assert_eq!(redact.place(), "process_message_before_send");
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("You said: {input}")]);
/// assert_eq!(Clerk::builder().model(model).message_hook(redact).run("It is k-17.").await?.text, "You said: It is [key].");
/// # Ok(())
/// # })
/// # }
/// ```
///
/// # Errors
/// Returns an error with line and column if the script is wrong, or if the function has the parameters of no place. Returns an error if it has several
/// functions that are not `private` and none is chosen with [`Script::func_name`], or if it lacks the chosen one.
pub fn message_hook_from_code(code: impl Into<Script>) -> Result<ScriptMessageHook, ScriptError> {
    let Script { text, func_name, file, env, limits } = code.into();
    ScriptMessageHook::load(&text, func_name.as_deref(), file, env, limits)
}

/// The definition of a script's function as a tool.
fn definition(name: &str, docs: &docs::Docs) -> ToolDefinition {
    let definition = ToolDefinition::new(name, &docs.description).with_input_schema(docs.input_schema());
    match docs.output_schema() {
        Some(schema) => definition.with_output_schema(schema),
        None => definition,
    }
}
