//! What the macros write, written by hand: the contract between the macros and the runtime.
#![allow(
    missing_docs,
    non_camel_case_types,
    clippy::all,
    clippy::pedantic,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::unused_async,
    reason = "this is what macros write, and they allow it there"
)]

use onionskin::__private0 as rt;
use onionskin::{Args, Next, ToolCaller, ToolContext, ToolResult};

// ---- #[tool] ------------------------------------------------------------------------------------

/// Adds one.
async fn add_one(x: i64) -> i64 {
    x + 1
}

struct add_one {}

const _: () = {
    static PARAMS: [rt::Param; 1] = [rt::Param {
        description: "the number",
        ..rt::Param::new("x", rt::schema_of::<i64>, rt::optional::<i64>)
    }];
    static TOOL: rt::StaticTool = rt::StaticTool {
        name: "add_one",
        description: "Adds one.",
        params: &PARAMS,
        output_schema: || {
            use rt::ladder::*;
            let kind = rt::Kind::<i64>::new();
            let kind = (&&&&kind).split_by().value(&kind);
            (&&&kind).described_by().schema(&kind)
        },
        ..rt::StaticTool::EMPTY
    };
    static DEFINITION: rt::OnceLock<rt::ToolDefinition> = rt::OnceLock::new();

    fn definition() -> &'static rt::ToolDefinition {
        DEFINITION.get_or_init(|| TOOL.define())
    }

    pub struct Arguments {
        pub x: i64,
    }

    impl Default for add_one {
        fn default() -> Self {
            Self {}
        }
    }

    impl rt::Tool for add_one {
        const NAME: &'static str = "add_one";
        type State = ();

        fn definition(&self) -> &rt::ToolDefinition {
            definition()
        }

        async fn run<'a>(&'a self, _cx: &'a rt::ToolContext, args: &'a mut rt::Args) -> rt::ToolResult {
            let (x,) = {
                let mut slots = rt::Slots::split(definition(), &PARAMS, args);
                let x = slots.take::<i64>(0);
                match (x,) {
                    (Some(x),) if slots.is_sound() => (x,),
                    _ => return Err(slots.refuse()),
                }
            };
            let returned = add_one(x).await;
            {
                use rt::ladder::*;
                let kind = rt::Kind::of(&returned);
                let value = (&&&&kind).split_by().split(returned)?;
                let kind = rt::Kind::of(&value);
                (&&kind).form().finish(value)
            }
        }
    }

    impl rt::TypedTool for add_one {
        type Args = Arguments;
        type Output = i64;

        fn decode(&self, args: &mut rt::Args) -> Result<Arguments, rt::Exit> {
            let mut slots = rt::Slots::split(definition(), &PARAMS, args);
            let x = slots.take::<i64>(0);
            match (x,) {
                (Some(x),) if slots.is_sound() => Ok(Arguments { x }),
                _ => Err(slots.refuse()),
            }
        }

        async fn invoke<'a>(&'a self, _cx: &'a rt::ToolContext, args: Arguments) -> rt::ToolResult<i64> {
            Ok(add_one(args.x).await)
        }

        fn encode(returned: i64) -> rt::ToolResult {
            use rt::ladder::*;
            let kind = rt::Kind::of(&returned);
            let value = (&&&&kind).split_by().split(returned)?;
            let kind = rt::Kind::of(&value);
            (&&kind).form().finish(value)
        }
    }
};

// ---- #[tool_hook], around -----------------------------------------------------------------------

async fn audit(_ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let mut result = next.run(args).await?;
    result.push_text("[audit]");
    Ok(result)
}

struct audit {}

const _: () = {
    impl rt::Hook for audit {
        type State = ();
        type Config = rt::Config<()>;
        fn configure((): ()) -> Self {
            Self {}
        }
        type Ring<R: rt::Ring> = R;
        fn ring<R: rt::Ring>(_: &rt::Arc<Self>, rest: R) -> R {
            rest
        }
        fn call<'a, 'b, N: rt::Next>(
            &'a self,
            cx: &'a rt::ToolContext,
            args: &'b mut rt::Args,
            next: N,
        ) -> impl Future<Output = rt::ToolResult> + Send {
            audit(cx, args, next)
        }
    }
};

// ---- #[tool_hook(tool = add_one)] ---------------------------------------------------------------

async fn clamp(
    mut args: onionskin::ArgsOf<add_one>,
    next: impl onionskin::TypedNext<add_one>,
) -> ToolResult<i64> {
    args.x = args.x.min(10);
    next.run(args).await
}

struct clamp {}

const _: () = {
    impl rt::Hook for clamp {
        type State = ();
        type Config = rt::Config<()>;
        fn configure((): ()) -> Self {
            Self {}
        }
        type Ring<R: rt::Ring> = rt::TypedLayer<Self, R>;
        const TYPED: bool = true;
        fn ring<R: rt::Ring>(hook: &rt::Arc<Self>, rest: R) -> Self::Ring<R> {
            rt::TypedLayer::new(rt::Arc::clone(hook), rest)
        }
        fn call<'a, 'b, N: rt::Next>(
            &'a self,
            _: &'a rt::ToolContext,
            args: &'b mut rt::Args,
            next: N,
        ) -> impl Future<Output = rt::ToolResult> + Send {
            next.run(args)
        }
    }
    impl rt::TypedHook for clamp {
        type Tool = add_one;
        fn call_typed<'a, N: rt::TypedNext<add_one>>(
            &'a self,
            _cx: &'a rt::ToolContext,
            args: onionskin::ArgsOf<add_one>,
            next: N,
        ) -> impl Future<Output = rt::ToolResult<onionskin::OutputOf<add_one>>> + Send {
            clamp(args, next)
        }
    }
};

// ---- agent! -------------------------------------------------------------------------------------

pub struct Adder {}

const _: () = {
    type Tool0 = add_one;
    type Hook0 = audit;
    type Hook1 = clamp;
    // One error for what is no hook, or has other values than these: none.
    type Known0 = <rt::Known<{ rt::takes(0, <Hook0 as rt::Hook>::TAKES) }> as rt::Is>::Type<Hook0>;
    type Known1 = <rt::Known<{ rt::takes(0, <Hook1 as rt::Hook>::TAKES) }> as rt::Is>::Type<Hook1>;
    type TypedRing = <Known0 as rt::Hook>::Ring<<Known1 as rt::Hook>::Ring<rt::EndRing>>;

    pub struct Core {
        ring: TypedRing,
        tool_0: Tool0,
    }

    impl rt::Call for Core {
        fn call<'a, 'b>(
            &'a self,
            cx: &'a rt::ToolContext,
            args: &'b mut rt::Args,
        ) -> impl Future<Output = rt::ToolResult> + Send {
            rt::call_tool(cx, move || async move {
                match cx.slot() {
                    0 => rt::Tool::run_in(&self.tool_0, &self.ring, cx, args).await,
                    _ => rt::call_dynamic(cx, args).await,
                }
            })
        }
    }

    impl rt::Core for Core {
        fn definitions(&self) -> Vec<(usize, rt::ToolDefinition)> {
            vec![(0, rt::Tool::definition(&self.tool_0).clone())]
        }
    }

    pub struct Layer0 {
        hook: rt::Arc<Hook0>,
        inner: rt::Arc<Core>,
    }

    impl rt::Call for Layer0 {
        fn call<'a, 'b>(
            &'a self,
            cx: &'a rt::ToolContext,
            args: &'b mut rt::Args,
        ) -> impl Future<Output = rt::ToolResult> + Send {
            rt::Hook::call(&*self.hook, cx, args, rt::InnerNext::new(&*self.inner, cx))
        }
    }

    impl rt::Compiled for Adder {
        type Core = Core;
        type Entry = rt::Seam<Layer0>;

        fn compose(hooks: rt::RuntimeHooks) -> (rt::Arc<Core>, Self::Entry) {
            let with: rt::Values<Known0> = ();
            let hook_0 = rt::Arc::new(<Hook0 as rt::Hook>::configure(with));
            let with: rt::Values<Known1> = ();
            let hook_1 = rt::Arc::new(<Hook1 as rt::Hook>::configure(with));
            let ring = rt::EndRing;
            let ring = rt::Hook::ring(&hook_1, ring);
            let ring = rt::Hook::ring(&hook_0, ring);
            let core = rt::Arc::new(Core { ring, tool_0: Default::default() });
            let layer = Layer0 { hook: hook_0, inner: rt::Arc::clone(&core) };
            (core, rt::Seam::new(hooks, layer))
        }
    }

    impl onionskin::Agent for Adder {
        const NAME: &'static str = "adder";
        type State = ();

        fn declare() -> onionskin::AgentDeclaration {
            onionskin::AgentDeclaration::new("adder").instruction("Add.").onion(|hooks| {
                let (core, entry) = <Adder as rt::Compiled>::compose(hooks);
                rt::Onion::new(&core, entry)
            })
        }
    }
};

#[tokio::test]
async fn a_call_goes_through_hooks_and_ring_to_the_function() {
    let tools = ToolCaller::<Adder>::new();
    let cx = tools.context("add_one").unwrap();
    let output = tools.call(&cx, &mut Args::from(r#"{"x": 41}"#)).await.unwrap();
    assert_eq!(output.to_text(), "11[audit]");
    let error = tools.call(&cx, &mut Args::from(r#"{"y": 41, "x": "no"}"#)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Invalid arguments for `add_one`; it did not run:\n- `y`: unknown argument; it takes `x`\n- `x`: expected an \
         integer, found the string \"no\""
    );
}

#[tokio::test]
async fn an_agent_runs_the_loop() {
    use onionskin::{AgentBuilder, Script, ScriptedTurn};
    let script = Script::turns([
        ScriptedTurn::call("add_one", serde_json::json!({"x": 3})).and_call("add_two", serde_json::json!({})),
        ScriptedTurn::say("It is {last}."),
    ]);
    let output = AgentBuilder::<Adder>::default().model(script).run("3 + 1?").await.unwrap();
    assert!(output.text.starts_with("It is 4[audit]"), "{}", output.text);
    assert_eq!(output.tool_calls.len(), 2);
}
