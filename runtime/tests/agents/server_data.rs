//! Resources and prompts of sources of tools.

use std::sync::Arc;

use onionskin::declaration::AgentDeclaration;
use onionskin::run::AgentRun;
use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::{Agent, BuildError, DynTool, RunError, ScriptedModel, ToolSpec};

fn tool(request: &ProviderRequest<'_>, name: &str) -> Arc<dyn ToolProvider> {
    let patterns = request.filter().unmatched([]).join(" ");
    let tool = ToolSpec::from_fn(&request.tool_name(name), "Reads.", move |(): (), _| {
        let patterns = patterns.clone();
        async move { Ok(patterns) }
    });
    Arc::new(vec![Arc::new(tool) as Arc<dyn DynTool>])
}

/// A source with a tool and with resources.
struct Shelf;

impl ToolServer for Shelf {
    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(tool(request, "lend"))
    }

    fn resources(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        Ok(tool(request, "open"))
    }
}

macro_rules! agents {
    ($($agent:ident: $declaration:expr;)*) => {$(
        struct $agent;

        impl Agent for $agent {
            const NAME: &'static str = "librarian";
            type State = ();

            fn declare() -> AgentDeclaration {
                $declaration
            }

            async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
                let output = run.call_tool(&input, "{}").await;
                Ok(output.map_or_else(|exit| exit.to_string(), |output| output.to_text().into_owned()))
            }
        }
    )*};
}

agents! {
    Reader: AgentDeclaration::new().server("shelf", Some(&[])).server_resources("shelf", &["a:*", "b:*"]);
    Both: AgentDeclaration::new().server("shelf", None).server_resources("shelf", &["a:*"]);
    Prompted: AgentDeclaration::new().server("shelf", None).server_prompts("shelf", &["*"]);
    Empty: AgentDeclaration::new().server("shelf", None).server_resources("shelf", &["a:*"]).server_resources("shelf", &[]);
    Misspelt: AgentDeclaration::new().server("shelf", None).server_resources("shelv", &["a:*"]);
}

#[tokio::test]
async fn a4_the_tools_for_resources_are_not_filtered_as_the_tools_of_the_server() {
    let reader = Reader::builder().model(ScriptedModel::new()).server("shelf", Shelf).build().await.unwrap();
    assert_eq!(reader.tool_names().unwrap(), ["shelf__open"]);
    assert_eq!(reader.run("shelf__open").await.unwrap().text, "a:* b:*");
    let both = Both::builder().model(ScriptedModel::new()).server("shelf", Shelf).build().await.unwrap();
    assert_eq!(both.tool_names().unwrap(), ["shelf__open", "shelf__lend"]);
    assert_eq!(both.describe().unwrap().servers, ["shelf"]);
}

#[tokio::test]
async fn a4_resources_and_prompts_that_a_server_does_not_have_are_errors_of_the_build() {
    let build = Prompted::builder().model(ScriptedModel::new()).server("shelf", Shelf).build();
    let error = build.await.unwrap_err();
    assert!(matches!(error, BuildError::ServerPart { .. }));
    let expected = "the agent `librarian` cannot get prompts of the server `shelf`: it has no prompts";
    assert_eq!(error.to_string(), expected);
    let error =
        Empty::builder().model(ScriptedModel::new()).server("shelf", Shelf).build().await.unwrap_err();
    let expected = "the agent `librarian` cannot read resources of the server `shelf`: a pattern is missing, such as `*`";
    assert_eq!(error.to_string(), expected, "the last call counts");
    let error =
        Misspelt::builder().model(ScriptedModel::new()).server("shelf", Shelf).build().await.unwrap_err();
    let expected = "the agent `librarian` cannot read resources of the server `shelv`: the agent does not use this server: add it with `.server(..)`";
    assert_eq!(error.to_string(), expected);
}
