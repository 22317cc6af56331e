//! Tools of every source that let a secret out, each in all the ways that it has. Beside every secret they let out a
//! marker that is none, in the same way.

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

use onionskin::content::ContentBlock;
use onionskin::{
    Args, Exit, Next, Progress, Secret, State, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput,
    ToolResult, agent, tool, tool_hook, toolbox,
};
use serde_json::json;

/// Where a secret comes from; each has its own, so that none is hidden because another way told of it.
pub(crate) const FIELD: &str = "field s3cr\"t/ü";
pub(crate) const KEY: &str = "session k\\ey-0123456789";
pub(crate) const TOOLBOX: &str = "toolbox?key=0123456789";
pub(crate) const BOUND: &str = "spec-bound\n\"0123456789\"";
pub(crate) const BY_HAND: &str = "by-hand+0123456789";
pub(crate) const SERVER: &str = "server/0123456789";
pub(crate) const OWN_HOOK: &str = "own-hook&0123456789";
/// Not a secret: a surface that shows this would show a secret too.
pub(crate) const MARKER: &str = "m\"arker/ü 987";

pub(crate) const SECRETS: [&str; 7] = [FIELD, KEY, TOOLBOX, BOUND, BY_HAND, SERVER, OWN_HOOK];

/// A text that holds a value in every form.
pub(crate) fn forms(value: &str) -> String {
    let json = json!(value).to_string();
    let mut all = format!("{value} {json} {} {value:?} ", json!(json));
    for before in ["", "u", "us"] {
        let _ = write!(all, "{} ", base64(&format!("{before}{value}!")));
    }
    for byte in value.bytes() {
        let _ = write!(all, "%{byte:02X}");
    }
    all.push(' ');
    for byte in value.bytes() {
        let _ = write!(all, "{byte:02x}");
    }
    all
}

fn base64(text: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = text.as_bytes().chunks(3);
    groups
        .flat_map(|group| {
            let bits = group
                .iter()
                .chain([&0; 3])
                .take(3)
                .fold(0_usize, |bits, byte| (bits << 8) | usize::from(*byte));
            [18, 12, 6, 0].map(|shift| char::from(DIGITS[(bits >> shift) & 63]))
        })
        .collect()
}

/// An error whose cause shows a value.
#[derive(Debug)]
struct Chain {
    #[expect(dead_code, reason = "`Debug` shows it")]
    shown: String,
}

impl std::fmt::Display for Chain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("it did not work")
    }
}

impl std::error::Error for Chain {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        static CAUSE: LazyLock<std::num::ParseIntError> = LazyLock::new(|| "x".parse::<u8>().unwrap_err());
        Some(&*CAUSE)
    }
}

/// Lets a value out in one of the ways that a tool has.
fn leak(cx: &ToolContext, progress: &Progress, how: &str, secret: &str) -> ToolResult {
    let all = format!("{} {}", forms(secret), forms(MARKER));
    progress.report(1.0, None, all.clone());
    cx.emit(json!({ "all": all, secret: [secret, MARKER] }))?;
    match how {
        "error" => Err(Exit::tool(all)),
        "cause" => Err(Exit::from(Chain { shown: all })),
        "whole" => Err(Exit::Tool(ToolError::new("failed").with_source(all))),
        "retry" => Err(Exit::retry(all)),
        "stop" => Err(Exit::stop(all)),
        "abort" => Err(Exit::abort(all)),
        "panic" => panic!("{all}"),
        "structured" => {
            let mut output =
                ToolOutput::structured(json!({ "all": all, "deep": [{ secret: secret, MARKER: MARKER }] }));
            output.push(ContentBlock::from(onionskin::content::Resource::text(
                format!("x:{secret}{MARKER}"),
                all,
            )));
            output.set_remote_meta(json!({ secret: MARKER }));
            Ok(output)
        }
        _ => Ok(all.into()),
    }
}

#[derive(Clone, Debug, onionskin::secret::VisitSecrets)]
pub(crate) struct Config {
    pub(crate) key: Secret<String>,
    pub(crate) deep: Arc<Deep>,
}

/// It does not list its secrets, and copies of the state share it.
#[derive(Debug)]
pub(crate) struct Deep {
    pub(crate) by_hand: Secret<String>,
    pub(crate) own_hook: Secret<Vec<u8>>,
}

/// Takes a field.
#[tool(state = Config)]
async fn field(
    cx: &ToolContext,
    progress: Progress,
    how: &str,
    #[bind(key)] key: &Secret<String>,
) -> ToolResult {
    leak(cx, &progress, how, key.expose())
}

/// Takes a key.
#[tool(blocking)]
fn keyed(
    cx: &ToolContext,
    progress: Progress,
    how: String,
    #[bind("api.key")] key: Secret<String>,
) -> ToolResult {
    leak(cx, &progress, &how, key.expose())
}

/// Writes what it sees into the log: arguments and result.
#[tool_hook]
pub(crate) async fn log_all(cx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let result = next.run(args).await;
    tracing::trace!(tool = cx.tool_name(), args = &*args.text(), ?result, "called");
    if let Err(Exit::Tool(error)) = &result {
        let cause = std::error::Error::source(error).map(|cause| format!("{cause} {cause:?}"));
        tracing::trace!(cause, "failed: {error}");
    }
    result
}

/// Has a hook of its own, which logs.
#[tool(state = Config, hooks = [log_all])]
async fn own_hook(
    cx: &ToolContext,
    progress: Progress,
    how: &str,
    #[bind(deep.own_hook)] key: &Secret<Vec<u8>>,
) -> ToolResult {
    leak(cx, &progress, how, &String::from_utf8_lossy(key.expose()))
}

/// Finds its secret in the state by itself, and says so.
#[derive(Default)]
pub(crate) struct ByHand;

static BY_HAND_TOOL: LazyLock<ToolDefinition> = LazyLock::new(|| {
    ToolDefinition::new(ByHand::NAME, "By hand.").with_input_schema(json!({
        "type": "object", "properties": { "how": { "type": "string" } }, "required": ["how"]
    }))
});

impl Tool for ByHand {
    const NAME: &'static str = "by_hand";
    type State = State<Config>;

    fn definition(&self) -> &ToolDefinition {
        &BY_HAND_TOOL
    }

    async fn run(&self, cx: &ToolContext, args: &mut Args) -> ToolResult {
        use onionskin::Inject as _;
        let state = State::<Config>::inject(cx)?;
        cx.conceal(&state.deep.by_hand);
        tracing::trace!(?state, ?cx, run = ?cx.run(), "the state");
        leak(
            cx,
            &Progress::inject(cx)?,
            args["how"].as_str().unwrap_or_default(),
            state.deep.by_hand.expose(),
        )
    }
}

pub(crate) struct Vault {
    pub(crate) key: Secret<String>,
}

#[toolbox]
impl Vault {
    /// Opens.
    #[tool]
    async fn open(&self, cx: &ToolContext, progress: Progress, how: &str) -> ToolResult {
        leak(cx, &progress, how, self.key.expose())
    }
}

agent! {
    pub(crate) Child {
        name: "child",
        description: "Asks.",
        instruction: "Ask.",
        function_tools: [keyed],
        tool_hooks: [log_all],
        state: Config,
    }
    pub(crate) Desk {
        name: "desk",
        instruction: "Answer.",
        function_tools: [field, keyed, own_hook, ByHand],
        toolboxes: [Vault],
        agents: [Child],
        servers: [fix],
        tool_hooks: [log_all],
        state: Config,
        limits: { turns: 60, max_retries: 60 },
    }
}
