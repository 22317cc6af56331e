//! Hooks written by a macro.
use crate::parts::are_hooks;
use onionskin::{Args, Next, ToolResult, tool_hook};

macro_rules! tagging {
    ($($name:ident $tag:literal $result:ty;)*) => {$(
        #[tool_hook]
        async fn $name(args: &mut Args, next: impl Next) -> $result {
            let mut output = next.run(args).await?;
            output.push_text($tag);
            Ok(output)
        }
    )*};
}

tagging! {
    first "[1]" ToolResult;
    second "[2]" onionskin::ToolResult;
}

macro_rules! whole {
    ($hook:item) => {
        #[tool_hook]
        $hook
    };
}

whole! { fn quiet() {} }

macro_rules! typed {
    ($args:ty, $context:ty) => {
        #[tool_hook]
        async fn through_types(ctx: $context, args: $args, next: impl Next) -> ToolResult {
            let _ = ctx;
            next.run(args).await
        }
    };
}

typed!(&mut Args, &onionskin::ToolContext);

pub(crate) fn main() {
    are_hooks!(first, second, quiet, through_types);
}
