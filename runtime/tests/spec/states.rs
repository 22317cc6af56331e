//! T8: the state of a tool value fills what is bound, in a direct call and in an agent alike.

use onionskin::spec::SpecError;
use onionskin::{
    Args, DynTool, ScriptedModel, ScriptedTurn, Secret, ToolContext, ToolOutput, ToolResult, ToolSpec, agent,
    guardrail, tool, tool_hook, toolbox,
};
use serde_json::json;

#[tool_hook]
fn signed(#[bind("user.name", default = "no name".into())] name: String, output: &mut ToolOutput) {
    output.push_text(format!(", hook {name}"));
}

#[guardrail(output)]
fn sealed(#[bind("user.name", default = "no name".into())] name: String, output: &mut ToolOutput) {
    output.push_text(format!(", guardrail {name}"));
}

/// Greets.
#[tool(hooks = [signed], output_guardrails = [sealed])]
async fn declared(#[bind("user.name", default = "no name".into())] name: String) -> String {
    format!("tool {name}")
}

/// Greets.
#[tool]
fn plain(#[bind("user.name", default = "no name".into())] name: String) -> String {
    format!("tool {name}")
}

/// Greets.
#[tool(blocking)]
fn off_thread(#[bind("user.name", default = "no name".into())] name: String) -> String {
    format!("tool {name}")
}

struct Greeter;

#[toolbox]
impl Greeter {
    /// Greets.
    #[tool]
    fn method(&self, #[bind("user.name", default = "no name".into())] name: String) -> String {
        format!("tool {name}")
    }
}

/// Greets.
#[tool]
fn argument(name: String) -> String {
    format!("tool {name}")
}

fn bound(mut spec: ToolSpec) -> Result<ToolSpec, SpecError> {
    spec.bind("name", "user.name", None)?;
    Ok(spec)
}

/// What a call gives for a name.
type Said = fn(&str) -> String;

/// Every kind of a tool that has something bound.
fn all() -> Vec<(ToolSpec, Said)> {
    let tool: Said = |name| format!("tool {name}");
    let mut added = plain::spec().hook(signed::new());
    added.add_output_guardrails(sealed::new());
    let whole: Said = |name| format!("tool {name}, guardrail {name}, hook {name}");
    vec![
        (plain::spec(), tool),
        (off_thread::spec(), tool),
        (ToolSpec::from_toolbox(Greeter).remove("method").unwrap(), tool),
        (bound(argument::spec()).unwrap(), tool),
        (declared::spec(), whole),
        (added, whole),
    ]
}

#[tool_hook]
fn agent_hook(#[bind("user.name", default = "no name".into())] name: String, output: &mut ToolOutput) {
    output.push_text(format!(", agent's hook {name}"));
}

agent! { Host { instruction: "Greet.", tool_hooks: [agent_hook] } }

/// What an agent with the tool says of a call, in a session whose state has this name.
async fn call_text(spec: &ToolSpec, name: Option<&str>) -> String {
    let call = ScriptedTurn::call(spec.name(), json!({}));
    let model = ScriptedModel::turns([call, ScriptedTurn::say("{last}")]);
    let host = Host::builder().model(model).tool(spec.clone()).build().await.unwrap();
    let session = host.session();
    if let Some(name) = name {
        session.state().set("user.name", name);
    }
    host.request("Greet.").session(&session).run().await.unwrap().text
}

async fn called(spec: &ToolSpec) -> String {
    spec.exec("{}").await.output().unwrap().to_text().into_owned()
}

#[tokio::test]
async fn t8_the_state_of_a_value_means_the_same_in_an_agent_and_in_a_direct_call() {
    for (spec, said) in all() {
        spec.state().set("user.name", "Ada");
        assert_eq!(called(&spec).await, said("Ada"), "{}", spec.name());
        assert_eq!(call_text(&spec, None).await, said("Ada") + ", agent's hook no name", "{}", spec.name());
        // A hook of the agent decides by the session, whatever a tool value has.
        assert_eq!(
            call_text(&spec, Some("Bob")).await,
            said("Ada") + ", agent's hook Bob",
            "{}",
            spec.name()
        );
    }
}

#[tokio::test]
async fn t8_what_the_state_of_a_value_lacks_is_asked_of_the_session() {
    for (spec, said) in all() {
        if !spec.bindings().is_empty() {
            continue;
        }
        spec.state().set("user.age", 36);
        assert_eq!(
            call_text(&spec, Some("Bob")).await,
            said("Bob") + ", agent's hook Bob",
            "{}",
            spec.name()
        );
    }
}

#[tokio::test]
async fn t8_a_change_of_the_state_of_a_value_is_seen_by_the_next_call_of_an_agent() {
    let spec = plain::spec();
    let call = || ScriptedTurn::call("plain", json!({}));
    let model =
        ScriptedModel::turns([call(), ScriptedTurn::say("{last}"), call(), ScriptedTurn::say("{last}")]);
    let state = spec.state().clone();
    let host = Host::builder().model(model).tool(spec).build().await.unwrap();
    for name in ["Ada", "Bob"] {
        state.set("user.name", name);
        let text = host.run("Greet.").await.unwrap().text;
        assert_eq!(text, format!("tool {name}, agent's hook no name"));
    }
}

/// Tells a secret.
#[tool]
fn leaks(#[bind("api.key")] key: Secret<String>) -> String {
    format!("the key is {}", key.expose())
}

#[tokio::test]
async fn t8_a_secret_of_the_state_of_a_value_is_masked_in_an_agent_too() {
    let spec = leaks::spec();
    spec.state().set_secret("api.key", Secret::new("hunter2-hunter2".to_owned()));
    assert_eq!(called(&spec).await, "the key is [secret]");
    assert_eq!(call_text(&spec, None).await, "the key is [secret], agent's hook no name");
}

#[tokio::test]
async fn t8_a_value_within_a_value_is_asked_first() {
    let inner = plain::spec();
    let outer = ToolSpec::from_dyn(std::sync::Arc::new(inner) as std::sync::Arc<dyn DynTool>);
    outer.state().set("user.name", "Outer");
    assert_eq!(called(&outer).await, "tool Outer");
    let inner = plain::spec();
    inner.state().set("user.name", "Inner");
    let outer = ToolSpec::from_dyn(std::sync::Arc::new(inner) as std::sync::Arc<dyn DynTool>);
    outer.state().set("user.name", "Outer");
    assert_eq!(called(&outer).await, "tool Inner");
    assert_eq!(call_text(&outer, None).await, "tool Inner, agent's hook no name");
}

#[tool_hook]
async fn aside(args: &mut Args, next: impl onionskin::Next, cx: &ToolContext) -> ToolResult {
    let _ = cx;
    let mut copy = args.clone();
    let (one, _) = tokio::join!(next.run(args), next.run(&mut copy));
    one
}

#[tokio::test]
async fn t8_calls_side_by_side_see_the_state_of_the_value() {
    let spec = off_thread::spec().hook(aside::new());
    spec.state().set("user.name", "Ada");
    assert_eq!(call_text(&spec, None).await, "tool Ada, agent's hook no name");
}
