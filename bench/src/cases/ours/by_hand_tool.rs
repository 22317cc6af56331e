use onionskin::__private0 as rt;
async fn add_one_fn(x: i64) -> i64 {
    x + 1
}
#[allow(non_camel_case_types)]
pub struct add_one {}
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

