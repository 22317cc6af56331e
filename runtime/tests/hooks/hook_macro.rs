//! `#[tool_hook]`: every form, every injected parameter.
use onionskin::__private0 as rt;
use onionskin::{Args, Next, ToolContext, ToolOutput, ToolResult, tool_hook};

#[tool_hook]
async fn audit(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    if ctx.tool_name() == "blocked" {
        return Ok(ToolOutput::text("blocked"));
    }
    let mut result = next.run(args).await?;
    result.push_text("[audit]");
    Ok(result)
}

#[tool_hook]
fn before(name: &str, args: &mut Args) -> ToolResult<()> {
    args.insert("seen", name).map_err(ToString::to_string)?;
    Ok(())
}

#[tool_hook]
async fn after(output: &mut ToolOutput, team: onionskin::run::Team) {
    let _ = team;
    output.push_text("!");
}

#[tool_hook]
async fn again(#[config] times: u32, args: &mut Args, next: impl Next) -> ToolResult {
    for _ in 1..times {
        let _ = next.run(args).await;
    }
    next.run(args).await
}

#[test]
fn forms_compile() {
    fn is_hook<H: onionskin::Hook>() {}
    is_hook::<audit>();
    is_hook::<before>();
    is_hook::<after>();
    is_hook::<again>();
    let _ = <again as rt::MadeBy<again>>::configure((3,));
}
