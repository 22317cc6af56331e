//! What the macros write, written by hand: the contract between the macros and the runtime.
#![allow(missing_docs, non_camel_case_types, reason = "this is what macros write, and they allow it there")]
#![allow(clippy::all, clippy::pedantic, unreachable_pub, reason = "they allow it there")]
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

use onionskin::__private0 as rt;
use onionskin::run::ToolCaller;
use onionskin::{Agent, Args, Next, ToolContext, ToolResult};

// ---- #[tool] ------------------------------------------------------------------------------------

/// Adds one.
async fn add_one(x: i64) -> i64 {
    x + 1
}

struct add_one {}

const _: () = {
    static PARAMS: &[rt::Param] = &[rt::Param { description: "the number", ..rt::Param::new::<i64>("x") }];
    static DEFINITION: rt::Defined = rt::Defined::new(rt::StaticTool {
        name: "add_one",
        description: "Adds one.",
        params: PARAMS,
        output_schema: rt::schema_by(<add_one as rt::Function<Veil>>::returned),
        ..rt::StaticTool::EMPTY
    });

    impl Default for add_one {
        fn default() -> Self {
            Self {}
        }
    }

    impl add_one {
        #[inline]
        fn spec() -> rt::ToolSpec {
            rt::ToolSpec::from_function(
                <Self as Default>::default(),
                "async fn add_one(x: i64) -> i64 {\n    x + 1\n}",
            )
        }
    }

    pub struct Arguments {
        pub x: i64,
    }

    struct Veil;

    impl<V> rt::Veiled for add_one
    where
        Veil: rt::Same<As = V>,
    {
        type Veil = V;
    }

    impl rt::Function<Veil> for add_one {
        const NAME: &'static str = "add_one";
        type State = ();
        type Args = Arguments;
        type Output = i64;

        fn defined() -> &'static rt::Defined {
            &DEFINITION
        }

        fn read(args: &mut rt::Args) -> Result<Arguments, rt::Exit> {
            match rt::read::<(i64, ())>(&DEFINITION, args, &mut [None], (None, ())) {
                Ok((x, ())) => Ok(Arguments { x }),
                Err(exit) => Err(exit),
            }
        }

        fn call<'a>(
            &'a self,
            _cx: &'a rt::ToolContext,
            Arguments { x }: Arguments,
        ) -> Result<impl Future<Output = i64> + Send + 'a, rt::Exit> {
            Ok(add_one(x))
        }

        fn returned() -> impl rt::Returned<i64> {
            use rt::ladder::*;
            let kind = rt::Kind::<i64>::new();
            let split = (&&&&&kind).split_by();
            let form = (&&&&&split.value).form();
            <_ as rt::ErrorText>::is_readable(&split.error);
            <_ as rt::ToolReturn>::is_readable(&form.asked);
            <_ as rt::ShownToModel>::is_shown(&form.shown);
            split.and(form)
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
    #[allow(dead_code)]
    impl audit {
        const fn new() -> Self {
            Self {}
        }
    }

    impl Default for audit {
        fn default() -> Self {
            Self {}
        }
    }

    impl rt::Hook for audit {
        type Made = rt::ByDefault;
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
    mut args: onionskin::typed::ArgsOf<add_one>,
    next: impl onionskin::typed::TypedNext<add_one>,
) -> ToolResult<i64> {
    args.x = args.x.min(10);
    next.run(args).await
}

struct clamp {}

const _: () = {
    #[allow(dead_code)]
    impl clamp {
        const fn new() -> Self {
            Self {}
        }
    }

    impl Default for clamp {
        fn default() -> Self {
            Self {}
        }
    }

    impl rt::MadeBy<clamp> for clamp {
        type State = ();
        type Values = ();
        const TYPED: bool = true;
        fn configure((): ()) -> clamp {
            clamp::new()
        }
    }
    impl rt::HookMadeBy<clamp> for clamp {
        type Ring<R: rt::Ring> = rt::TypedLayer<clamp, R>;
        fn ring<R: rt::Ring>(hook: &rt::Arc<clamp>, rest: R) -> Self::Ring<R> {
            rt::TypedLayer::new(rt::Arc::clone(hook), rest)
        }
    }
    impl rt::Hook for clamp {
        type Made = Self;
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
        fn reading() -> rt::Reading {
            use rt::ladder::*;
            let kind = rt::Kind::<<add_one as rt::TypedTool>::Rereads>::new();
            let split = (&&&&&kind).split_by();
            let reading = (&&&split.value).reading();
            <_ as rt::ReadAgain>::is_read(&reading.asked);
            let () = <<add_one as rt::TypedTool>::Rewrites as rt::ArgumentsWrittenAgain>::ARE;
            split.reader(&kind, reading)
        }
        fn call_typed<'a, N: rt::TypedNext<add_one>>(
            &'a self,
            _cx: &'a rt::ToolContext,
            args: onionskin::typed::ArgsOf<add_one>,
            next: N,
        ) -> impl Future<Output = rt::ToolResult<onionskin::typed::OutputOf<add_one>>> + Send {
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
    // One error for a type that is not a hook, or takes values.
    const fn named0() -> bool {
        <Hook0 as rt::NamedInLists<{ <<Hook0 as rt::Hook>::Made as rt::MadeBy<Hook0>>::TAKES.is_some() }>>::HOLDS
            && <Hook0 as rt::HasEachValue<
                rt::Values<Hook0>,
                { rt::value_count(<<Hook0 as rt::Hook>::Made as rt::MadeBy<Hook0>>::TAKES) },
                0,
                { rt::has_each(0, <<Hook0 as rt::Hook>::Made as rt::MadeBy<Hook0>>::TAKES) },
            >>::HOLDS
    }
    const fn named1() -> bool {
        <Hook1 as rt::NamedInLists<{ <<Hook1 as rt::Hook>::Made as rt::MadeBy<Hook1>>::TAKES.is_some() }>>::HOLDS
            && <Hook1 as rt::HasEachValue<
                rt::Values<Hook1>,
                { rt::value_count(<<Hook1 as rt::Hook>::Made as rt::MadeBy<Hook1>>::TAKES) },
                0,
                { rt::has_each(0, <<Hook1 as rt::Hook>::Made as rt::MadeBy<Hook1>>::TAKES) },
            >>::HOLDS
    }
    type Known0 = <rt::Known<{ named0() }> as rt::Is>::Type<Hook0>;
    type Known1 = <rt::Known<{ named1() }> as rt::Is>::Type<Hook1>;
    type TypedRing = rt::RingOf<Known0, rt::RingOf<Known1, rt::EndRing>>;

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
            rt::call_tool(cx, args, async move |args| match cx.tool_index() {
                0 => rt::run_in(&self.tool_0, &self.ring, cx, args).await,
                _ => rt::call_dynamic(cx, args).await,
            })
        }
    }

    impl rt::Core for Core {
        fn definitions(&self) -> rt::Definitions {
            vec![(0, rt::defined::<Tool0>(&self.tool_0))]
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
            let hook_0 = rt::Arc::new(<<Hook0 as rt::Hook>::Made as rt::MadeBy<Hook0>>::configure(with));
            let with: rt::Values<Known1> = ();
            let hook_1 = rt::Arc::new(<<Hook1 as rt::Hook>::Made as rt::MadeBy<Hook1>>::configure(with));
            let ring = rt::EndRing;
            let ring = <<Hook1 as rt::Hook>::Made as rt::HookMadeBy<Hook1>>::ring(&hook_1, ring);
            let ring = <<Hook0 as rt::Hook>::Made as rt::HookMadeBy<Hook0>>::ring(&hook_0, ring);
            let core = rt::Arc::new(Core { ring, tool_0: Default::default() });
            let layer = Layer0 { hook: hook_0, inner: rt::Arc::clone(&core) };
            (core, rt::Seam::new(hooks, layer))
        }
    }

    impl Agent for Adder {
        const NAME: &'static str = "adder";
        type State = ();

        fn declare() -> onionskin::declaration::AgentDeclaration {
            onionskin::declaration::AgentDeclaration::new().instruction("Add.").onion(|hooks| {
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
async fn a_tool_is_a_value() {
    let spec = add_one::spec();
    assert_eq!(spec.signature(), "add_one(x)");
    assert!(spec.code().contains("x + 1"));
    assert_eq!(onionskin::call!(spec, x = 41).await.unwrap(), 42);
}

#[tokio::test]
async fn an_agent_runs_the_loop() {
    use onionskin::{ScriptedModel, ScriptedTurn};
    let script = ScriptedModel::turns([
        ScriptedTurn::call("add_one", serde_json::json!({"x": 3}))
            .and_call_unknown("add_two", serde_json::json!({})),
        ScriptedTurn::say("It is {last}."),
    ]);
    let output = Adder::builder().model(script).run("3 + 1?").await.unwrap();
    assert!(output.text.starts_with("It is 4[audit]"), "{}", output.text);
    assert_eq!(output.tool_calls.len(), 2);
}
