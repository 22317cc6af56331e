//! Hooks for single tools of a server.

use onionskin::{Args, BuildError, Next, ScriptedModel, ScriptedTurn, ToolResult, agent, tool_hook};
use serde_json::json;

use super::fixture::{Log, server};

#[tool_hook]
async fn signed(args: &mut Args, next: impl Next) -> ToolResult {
    let mut output = next.run(args).await?;
    output.push_text(" signed");
    Ok(output)
}

agent! {
    Signer { instruction: "Sign.", servers: [fix], tool_hooks: [signed for [fix__get_echo]] }
    Other { instruction: "Sign.", servers: [fix], tool_hooks: [signed except [fix__get_echo]] }
    Misspelt { instruction: "Sign.", servers: [fix], tool_hooks: [signed for [fix__get_eco]] }
}

async fn said<A: onionskin::Agent>(log: &str) -> String {
    let turns = [ScriptedTurn::call("fix__get_echo", json!({"text": "ho"})), ScriptedTurn::say("{last}")];
    let builder = A::builder();
    let agent =
        builder.model(ScriptedModel::turns(turns)).server("fix", server("plain", &Log::new(log))).build();
    let agent = agent.await.unwrap();
    let output = agent.run("Go.").await.unwrap();
    agent.shutdown().await;
    output.text
}

#[tokio::test]
async fn h5_a_filter_names_a_single_tool_of_a_server() {
    assert_eq!(said::<Signer>("single").await, "ho signed");
    assert_eq!(said::<Other>("others").await, "ho");
}

#[tokio::test]
async fn h5_a_filter_that_names_no_tool_of_the_server_is_an_error_when_the_agent_is_built() {
    let builder =
        Misspelt::builder().model(ScriptedModel::turns([])).server("fix", server("plain", &Log::new("none")));
    let Err(error) = builder.build().await else { panic!("it was built") };
    assert!(
        matches!(error, BuildError::FilterNamesNoTool { ref tool, .. } if tool == "fix__get_eco"),
        "{error:?}"
    );
    assert!(error.to_string().ends_with("does not have; did you mean `fix__get_echo`?"), "{error}");
}
