//! Ours: `#[tool]`, `#[tool_hook]` and `agent!`, called through [`ToolCaller`].

use std::sync::Arc;

use onionskin::__private0 as rt;
use onionskin::{Args, Next, ToolCaller, ToolContext, ToolResult};

use super::{Case, TEXT, calls};

async fn add_one_fn(x: i64) -> i64 {
    x + 1
}
#[allow(non_camel_case_types)]
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
    impl Default for add_one {
        fn default() -> Self {
            Self {}
        }
    }

    impl rt::Tool for add_one {
        const NAME: &'static str = "add_one";

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
            let returned = add_one_fn(x).await;
            {
                use rt::ladder::*;
                let kind = rt::Kind::of(&returned);
                let value = (&&&&kind).split_by().split(returned)?;
                let kind = rt::Kind::of(&value);
                (&&kind).form().finish(value)
            }
        }
    }
};

async fn pass_fn(_ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}
struct Pass;
impl rt::Configure<()> for Pass {
    fn configure((): ()) -> Self {
        Self {}
    }
}
impl rt::Hook for Pass {
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
        pass_fn(cx, args, next)
    }
}

pub struct Core {
    ring: rt::EndRing,
    tool_0: add_one,
}
impl rt::Call for Core {
    fn call<'a, 'b>(
        &'a self,
        cx: &'a rt::ToolContext,
        args: &'b mut rt::Args,
    ) -> impl Future<Output = rt::ToolResult> + Send {
        async move {
            match cx.slot() {
                0 => rt::call_tool(cx, || rt::Ring::call(&self.ring, &self.tool_0, cx, args)).await,
                _ => rt::call_dynamic(cx, args).await,
            }
        }
    }
}
impl rt::Core for Core {
    fn definitions(&self) -> Vec<rt::ToolDefinition> {
        vec![rt::Tool::definition(&self.tool_0).clone()]
    }
}
pub struct Layer<C> {
    hook: rt::Arc<Pass>,
    inner: C,
}
impl<C: rt::Call> rt::Call for Layer<C> {
    fn call<'a, 'b>(
        &'a self,
        cx: &'a rt::ToolContext,
        args: &'b mut rt::Args,
    ) -> impl Future<Output = rt::ToolResult> + Send {
        rt::Hook::call(&*self.hook, cx, args, rt::InnerNext::new(&self.inner, cx))
    }
}
pub struct ArcCall(Arc<Core>);
impl rt::Call for ArcCall {
    fn call<'a, 'b>(
        &'a self,
        cx: &'a rt::ToolContext,
        args: &'b mut rt::Args,
    ) -> impl Future<Output = rt::ToolResult> + Send {
        self.0.call(cx, args)
    }
}
macro_rules! layers { ($($x:tt)+) => { layers_!($($x)+) } }
macro_rules! layers_ { () => { ArcCall }; ($a:tt $($x:tt)*) => { Layer<layers_!($($x)*)> } }
macro_rules! mk { ($core:ident) => { ArcCall(Arc::clone(&$core)) }; ($core:ident $a:tt $($x:tt)*) => { Layer { hook: Arc::new(Pass), inner: mk!($core $($x)*) } } }
macro_rules! agent { ($name:ident $($x:tt)*) => {
    pub struct $name {}
    impl rt::Compiled for $name {
        type Core = Core;
        type Entry = rt::Seam<layers!($($x)*)>;
        fn compose(hooks: rt::RuntimeHooks) -> (rt::Arc<Core>, Self::Entry) {
            let core = rt::Arc::new(Core { ring: rt::EndRing, tool_0: Default::default() });
            let layer = mk!(core $($x)*);
            (core, rt::Seam::new(hooks, layer))
        }
    }
}}
pub struct H0;
impl rt::Compiled for H0 {
    type Core = Core;
    type Entry = rt::Seam<ArcCall>;
    fn compose(hooks: rt::RuntimeHooks) -> (rt::Arc<Core>, Self::Entry) {
        let core = rt::Arc::new(Core { ring: rt::EndRing, tool_0: Default::default() });
        let layer = ArcCall(Arc::clone(&core));
        (core, rt::Seam::new(hooks, layer))
    }
}
agent!(H1 a);
agent!(H3 a a a);
agent!(H8 a a a a a a a a);

struct Bench<A: rt::Compiled> {
    tools: ToolCaller<A>,
    text: Arc<str>,
}
impl<A: rt::Compiled> Bench<A> {
    fn new() -> Self {
        Self { tools: ToolCaller::new(), text: TEXT.into() }
    }
    async fn call(&self) -> ToolResult {
        let cx = self.tools.context("add_one")?;
        self.tools.call(&cx, &mut Args::from(Arc::clone(&self.text))).await
    }
}
pub(crate) fn cases() -> Vec<Case> {
    vec![
        calls!("ours_0", "ours, no hook", Bench::<H0>::new(), |it| it.call()),
        calls!("ours_1", "ours, 1", Bench::<H1>::new(), |it| it.call()),
        calls!("ours_3", "ours, 3 hooks", Bench::<H3>::new(), |it| it.call()),
        calls!("ours_8", "ours, 8 hooks", Bench::<H8>::new(), |it| it.call()),
        calls!("ours_cx", "context only", Bench::<H0>::new(), |it| async { it.tools.context("add_one") }),
    ]
}
