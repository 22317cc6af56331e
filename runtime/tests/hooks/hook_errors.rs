//! Hooks that fail with errors of their own, as guardrails and tools do.

use onionskin::run::ToolCaller;
use onionskin::{Args, ErrorKind, Exit, ToolOutput, ToolResult, agent, tool, tool_hook};

#[tool_hook]
fn named(args: &Args) -> Result<(), String> {
    if args.get("city").is_some() { Ok(()) } else { Err("name a city".to_owned()) }
}

#[tool_hook]
async fn answered(args: &Args) -> Result<Option<ToolOutput>, std::num::ParseIntError> {
    let text = args.get("city").and_then(|city| city.as_str()).unwrap_or_default();
    if text == "Rome" {
        return Ok(None);
    }
    let number: u32 = text.parse()?;
    Ok(Some(ToolOutput::text(format!("city {number}"))))
}

#[tool_hook]
fn checked(output: &mut ToolOutput) -> Result<(), &'static str> {
    if output.to_text().contains("rain") { Err("no rain, please") } else { Ok(()) }
}

#[tool_hook]
fn signed(output: ToolOutput) -> Result<ToolOutput, String> {
    let text = output.to_text();
    if text.contains("fog") {
        Err("no fog, please".to_owned())
    } else {
        Ok(ToolOutput::text(format!("{text}!")))
    }
}

#[tool_hook]
fn guarded(args: &Args) -> Result<(), Exit> {
    if args.get("city").and_then(|city| city.as_str()) == Some("Atlantis") {
        return Err(Exit::abort("no such place"));
    }
    Ok(())
}

/// The weather.
#[tool]
fn weather(city: Option<String>, sky: Option<String>) -> String {
    format!("{} in {}", sky.unwrap_or_else(|| "sun".to_owned()), city.unwrap_or_default())
}

agent! {
    Forecaster {
        instruction: "Tell the weather.",
        function_tools: [weather],
        tool_hooks: [guarded, named, answered, checked, signed],
    }
}

async fn called(args: &str) -> ToolResult {
    let tools = ToolCaller::<Forecaster>::new();
    let cx = tools.context("weather").unwrap();
    tools.call(&cx, &mut Args::from(args)).await
}

#[tokio::test]
async fn h2_hooks_return_errors_and_texts_as_guardrails_do() {
    assert_eq!(called(r#"{"city": "Rome"}"#).await.unwrap().to_text(), "sun in Rome!");
    assert_eq!(called(r#"{"city": "12"}"#).await.unwrap().to_text(), "city 12");
    for (args, text) in [
        ("{}", "name a city"),
        (r#"{"city": "Roma"}"#, "invalid digit found in string"),
        (r#"{"city": "Rome", "sky": "rain"}"#, "`weather` has run; its result is withheld: no rain, please"),
        (r#"{"city": "Rome", "sky": "fog"}"#, "`weather` has run; its result is withheld: no fog, please"),
    ] {
        let Err(Exit::Tool(error)) = called(args).await else { panic!("{args}: no tool error") };
        assert_eq!((error.to_text().as_ref(), error.kind()), (text, ErrorKind::Failed), "{args}");
    }
}

#[tokio::test]
async fn h6_an_abort_that_a_hook_returns_stays_an_abort() {
    let error = called(r#"{"city": "Atlantis"}"#).await.unwrap_err();
    assert!(matches!(error, Exit::Abort(_)), "{error}");
}
