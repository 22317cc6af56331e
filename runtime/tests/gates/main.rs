//! What a call through an onion may cost: heap allocations and bytes of future, both exact and the same on
//! every machine. Instructions are counted in `bench/`.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests say what they expect")]
#![allow(clippy::needless_pass_by_value, clippy::unused_async, reason = "tests say what they expect")]

#[path = "../shared/answers.rs"]
mod answers;
mod turns;

use std::sync::Arc;

use allocation_counter::measure;
use onionskin::run::ToolCaller;
use onionskin::{
    Args, Hook, Next, ScriptedModel, ScriptedTurn, Tool, ToolContext, ToolResult, agent, tool, tool_hook,
};
use tokio::runtime::{Builder, Runtime};

/// Adds one.
#[tool]
async fn add_one(x: i64) -> i64 {
    x + 1
}

/// Says hello.
#[tool]
async fn greet(name: &str) -> String {
    format!("hello {name}")
}

#[tool_hook]
async fn pass(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

#[tool_hook]
async fn pass_with_context(_ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

/// A hook as a person writes it by hand: through `async fn call`.
#[derive(Default)]
struct ByHand;

impl Hook for ByHand {
    type Made = onionskin::made::ByDefault;

    async fn call<N: Next>(&self, _: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

// A list has each hook once, and each of these is the same hook.
use self::{
    ByHand as Again, pass as p1, pass as p2, pass as p3, pass as p4, pass as p5, pass as p6, pass as p7,
    pass as p8,
};
use self::{
    pass_with_context as c1, pass_with_context as c2, pass_with_context as c3, pass_with_context as c4,
    pass_with_context as c5, pass_with_context as c6, pass_with_context as c7, pass_with_context as c8,
};

agent! {
    Bare { instruction: "Add.", function_tools: [add_one, greet] }
    One { instruction: "Add.", function_tools: [add_one], tool_hooks: [pass] }
    Two { instruction: "Add.", function_tools: [add_one], tool_hooks: [p1, p2] }
    OneByHand { instruction: "Add.", function_tools: [add_one], tool_hooks: [ByHand] }
    TwoByHand { instruction: "Add.", function_tools: [add_one], tool_hooks: [ByHand, Again] }
    Eight {
        instruction: "Add.",
        function_tools: [add_one],
        tool_hooks: [p1, p2, p3, p4, p5, p6, p7, p8],
    }
    Sixteen {
        instruction: "Add.",
        function_tools: [add_one],
        tool_hooks: [
            p1, c1, p2, c2, p3, c3, p4, c4,
            p5, c5, p6, c6, p7, c7, p8, c8,
        ],
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

/// The allocations of one call after others: context, arguments over shared text, the call, its result.
macro_rules! allocations {
    ($agent:ident, $tool:literal, $text:literal) => {{
        let (runtime, tools, text) = (runtime(), ToolCaller::<$agent>::new(), Arc::<str>::from($text));
        let call = || {
            runtime.block_on(async {
                let cx = tools.context($tool).unwrap();
                tools.call(&cx, &mut Args::from(Arc::clone(&text))).await.unwrap();
            });
        };
        call();
        measure(call).count_total
    }};
}

#[test]
fn a_call_allocates_what_its_result_needs() {
    // One: the text of the result, which the direct call's `serde_json::to_string` allocates as well.
    assert_eq!(allocations!(Bare, "add_one", r#"{"x": 41}"#), 1);
    // One: the function's own `String`, handed on as the result. The argument is borrowed from the text.
    assert_eq!(allocations!(Bare, "greet", r#"{"name": "Ann"}"#), 1);
    // Three: escaped text is written out anew (serde_json's buffer and the string made of it), then as above.
    assert_eq!(allocations!(Bare, "greet", r#"{"name": "\u0041nn"}"#), 3);
}

#[test]
fn the_direct_call_allocates_the_same() {
    #[derive(serde::Deserialize)]
    struct Arguments {
        x: i64,
    }
    let runtime = runtime();
    let direct = || {
        runtime.block_on(async {
            let args: Arguments = serde_json::from_str(r#"{"x": 41}"#).unwrap();
            serde_json::to_string(&add_one(args.x).await).unwrap();
        });
    };
    direct();
    assert_eq!(allocations!(Bare, "add_one", r#"{"x": 41}"#), measure(direct).count_total);
}

#[test]
fn h8_declared_hooks_allocate_nothing() {
    let bare = allocations!(Bare, "add_one", r#"{"x": 41}"#);
    assert_eq!(allocations!(One, "add_one", r#"{"x": 41}"#), bare);
    assert_eq!(allocations!(Eight, "add_one", r#"{"x": 41}"#), bare);
    assert_eq!(allocations!(Sixteen, "add_one", r#"{"x": 41}"#), bare);
    assert_eq!(allocations!(TwoByHand, "add_one", r#"{"x": 41}"#), bare);
}

/// The bytes of a call's future.
macro_rules! bytes {
    ($agent:ident) => {{
        let tools = ToolCaller::<$agent>::new();
        let cx = tools.context("add_one").unwrap();
        let mut args = Args::default();
        size_of_val(&tools.call(&cx, &mut args))
    }};
}

/// The bytes that the hook's own future adds to the one inside it, measured where nothing else is
/// between: a `next` of the same size whose `run` gives the inner future as it is.
fn own_bytes() -> usize {
    #[derive(Clone, Copy)]
    #[expect(dead_code, reason = "as large as the runtime's own, which holds a context")]
    struct Plain<'a, N>(&'a N, &'a ToolContext);
    #[derive(Clone, Copy)]
    struct End<'a>(&'a (), &'a ToolContext);

    impl Next for End<'_> {
        async fn run(self, args: &mut Args) -> ToolResult {
            let held = (self.0, self.1);
            std::future::ready(()).await;
            let ((), _) = held;
            Err(args.text().to_string().into())
        }
    }

    impl<N: Next + Sync> Next for Plain<'_, N> {
        fn run(self, args: &mut Args) -> impl Future<Output = ToolResult> + Send {
            pass(args, *self.0)
        }
    }

    let cx = ToolContext::detached("add_one");
    let mut args = Args::default();
    let end = End(&(), &cx);
    let first = Plain(&end, &cx);
    let second = Plain(&first, &cx);
    let one = size_of_val(&pass(&mut args, first));
    let two = size_of_val(&pass(&mut args, second));
    two - one
}

#[test]
fn h8_a_layer_adds_few_bytes_to_its_hooks_future() {
    let direct = bytes!(Two) - bytes!(One);
    assert!(direct <= own_bytes() + 16, "{direct} bytes a layer, {} of them the hook's own", own_bytes());
    let by_hand = bytes!(TwoByHand) - bytes!(OneByHand);
    assert!(by_hand <= own_bytes() + 40, "{by_hand} bytes a layer, {} of them the hook's own", own_bytes());
}

#[test]
fn h8_the_future_of_a_call_can_be_sent() {
    fn sent<T: Send>(_: &T) {}
    let tools = ToolCaller::<Sixteen>::new();
    let cx = tools.context("add_one").unwrap();
    let mut args = Args::default();
    sent(&tools.call(&cx, &mut args));
}

macro_rules! wide {
    (tools: $($tool:ident)*; hooks: $($hook:ident)*) => {
        $(
            /// Adds one.
            #[tool]
            async fn $tool(x: i64) -> i64 {
                x + 1
            }
        )*

        use self::{$(pass as $hook),*};

        agent! {
            Wide { instruction: "Add.", function_tools: [$($tool),*], tool_hooks: [$($hook),*] }
        }
    };
}

wide! {
    tools:
        t00 t01 t02 t03 t04 t05 t06 t07 t08 t09 t10 t11 t12 t13 t14 t15 t16 t17 t18 t19
        t20 t21 t22 t23 t24 t25 t26 t27 t28 t29 t30 t31 t32 t33 t34 t35 t36 t37 t38 t39
        t40 t41 t42 t43 t44 t45 t46 t47 t48 t49 t50 t51 t52 t53 t54 t55 t56 t57 t58 t59
        t60 t61 t62 t63 t64 t65 t66 t67 t68 t69 t70 t71 t72 t73 t74 t75 t76 t77 t78 t79
        t80 t81 t82 t83 t84 t85 t86 t87 t88 t89 t90 t91 t92 t93 t94 t95 t96 t97 t98 t99;
    hooks:
        h000 h001 h002 h003 h004 h005 h006 h007 h008 h009 h010 h011 h012 h013 h014 h015
        h016 h017 h018 h019 h020 h021 h022 h023 h024 h025 h026 h027 h028 h029 h030 h031
        h032 h033 h034 h035 h036 h037 h038 h039 h040 h041 h042 h043 h044 h045 h046 h047
        h048 h049 h050 h051 h052 h053 h054 h055 h056 h057 h058 h059 h060 h061 h062 h063
        h064 h065 h066 h067 h068 h069 h070 h071 h072 h073 h074 h075 h076 h077 h078 h079
        h080 h081 h082 h083 h084 h085 h086 h087 h088 h089 h090 h091 h092 h093 h094 h095
        h096 h097 h098 h099 h100 h101 h102 h103 h104 h105 h106 h107 h108 h109 h110 h111
        h112 h113 h114 h115 h116 h117 h118 h119 h120 h121 h122 h123 h124 h125 h126 h127
}

/// That this compiles is the test: 128 layers are far beyond what the default recursion limit takes in one.
#[tokio::test]
async fn h8_an_agent_can_have_128_hooks_and_100_tools() {
    let tools = ToolCaller::<Wide>::new();
    let cx = tools.context("t99").unwrap();
    let output = tools.call(&cx, &mut Args::from(r#"{"x": 41}"#)).await.unwrap();
    assert_eq!(output.to_text(), "42");
}

/// Where to look.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Place {
    /// The street and the number.
    street: String,
    city: Option<String>,
}

macro_rules! documented {
    ($($tool:ident)*) => {
        $(
            /// Searches a catalogue.
            #[tool]
            fn $tool(
                /// What to look for.
                words: Vec<String>,
                /// Where to look.
                place: Option<Place>,
                /// How many records to give.
                #[arg(default = 10, range(1..=50))]
                limit: u8,
            ) -> Vec<String> {
                let _ = place;
                words.into_iter().take(limit.into()).collect()
            }
        )*

        agent! { Library { instruction: "Search.", function_tools: [$($tool),*] } }

        /// The parts of all schemas, as a listing reads them.
        fn list() -> usize {
            [$($tool {}.definition().input_schema.as_object().unwrap().len()),*].into_iter().sum()
        }

        /// The schemas as a listing shares them.
        fn shared() -> Vec<Arc<serde_json::Value>> {
            vec![$(Arc::clone(&$tool {}.definition().input_schema)),*]
        }
    };
}

documented! {
    d00 d01 d02 d03 d04 d05 d06 d07 d08 d09 d10 d11 d12 d13 d14 d15 d16 d17 d18 d19
    d20 d21 d22 d23 d24 d25 d26 d27 d28 d29 d30 d31 d32 d33 d34 d35 d36 d37 d38 d39
    d40 d41 d42 d43 d44 d45 d46 d47 d48 d49 d50 d51 d52 d53 d54 d55 d56 d57 d58 d59
    d60 d61 d62 d63 d64 d65 d66 d67 d68 d69 d70 d71 d72 d73 d74 d75 d76 d77 d78 d79
    d80 d81 d82 d83 d84 d85 d86 d87 d88 d89 d90 d91 d92 d93 d94 d95 d96 d97 d98 d99
}

/// `bench/callgrind.sh` counts the instructions of the first listing in a release build; here are its allocations, and the
/// time where this is one.
#[test]
fn t3_schemas_of_100_tools_are_built_once() {
    let begin = std::time::Instant::now();
    let mut parts = 0;
    let first = measure(|| parts = list()).count_total;
    let time = begin.elapsed();
    assert_eq!(parts, 400, "type, properties, required and additionalProperties of each");
    println!("the first listing: {first} allocations, {time:?}");
    assert!(first <= 100 * 140, "{first} allocations for 100 tools");
    if !cfg!(debug_assertions) {
        assert!(time < std::time::Duration::from_millis(2), "{time:?}");
    }
    assert_eq!(measure(|| parts = list()).count_total, 0, "the second listing");
    for (one, other) in shared().iter().zip(&shared()) {
        assert!(Arc::ptr_eq(one, other));
    }
}

/// Their definitions for the model are made when the agent is built, and shared by all turns of all runs.
#[tokio::test]
async fn a7_the_declarations_of_100_tools_are_made_once_for_all_turns() {
    let call = ScriptedTurn::call("d00", serde_json::json!({ "words": ["tea"] }));
    let model = Arc::new(ScriptedModel::turns([call, ScriptedTurn::say("{last}")]));
    let library = Library::builder().model(Arc::clone(&model)).build().await.unwrap();
    library.run("tea").await.unwrap();
    library.run("tea").await.unwrap();
    let requests = model.requests();
    assert_eq!((requests.len(), requests[0].tools.len()), (4, 100));
    for request in &requests {
        assert!(Arc::ptr_eq(&request.tools, &requests[0].tools));
    }
    for (declared, schema) in requests[0].tools.iter().zip(shared()) {
        assert!(Arc::ptr_eq(&declared.input_schema, &schema), "{}", declared.name);
    }
}
