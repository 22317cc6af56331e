//! T11: arguments are checked before an approver is asked: those of functions without parameters, and those of a tool by
//! hand that shows the definition of a function.

use std::sync::{Arc, LazyLock, Mutex};

use futures_util::future::BoxFuture;
use onionskin::approval::{Approval, ApprovalRequest, Approver};
use onionskin::{
    Args, DynTool, ErrorKind, Exit, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolResult,
    ToolSpec, tool, toolbox,
};
use serde::Deserialize;
use serde_json::json;

/// Allows all, and remembers the arguments.
#[derive(Clone, Default)]
struct Allows(Arc<Mutex<Vec<String>>>);

impl Approver for Allows {
    async fn approve(&self, request: ApprovalRequest) -> Approval {
        self.0.lock().unwrap().push(request.args().text().to_string());
        Approval::Allow
    }
}

/// Calls a tool that needs approval. The result, and for which arguments the approver was asked.
async fn approved(mut spec: ToolSpec, args: &str) -> (ToolResult<serde_json::Value>, Vec<String>) {
    let allows = Allows::default();
    spec.approval().approver(allows.clone());
    let result = spec.call(args).await;
    let asked = std::mem::take(&mut *allows.0.lock().unwrap());
    (result, asked)
}

/// Asserts that the arguments are refused and that the approver was not asked.
async fn refused(spec: ToolSpec, args: &str, words: &str) {
    let (name, (result, asked)) = (spec.name().to_owned(), approved(spec, args).await);
    let error = result.unwrap_err();
    assert_eq!(error.as_tool_error().map(ToolError::kind), Some(ErrorKind::Arguments), "{name}: {error}");
    assert!(error.to_string().contains(words), "{name}: {error}");
    assert!(asked.is_empty(), "{name}: {asked:?}");
}

/// Asserts that the arguments are accepted, and that the approver saw them.
async fn accepted(spec: ToolSpec, args: &str) {
    let (result, asked) = approved(spec, args).await;
    result.unwrap();
    assert_eq!(asked, [args]);
}

/// Rings.
#[tool]
fn ring() -> &'static str {
    "rung"
}

/// Rings.
#[tool(approval)]
async fn ring_if_allowed() -> &'static str {
    "rung"
}

fn sorry(_: &ToolContext, error: ToolError) -> ToolResult {
    Err(Exit::Tool(error))
}

/// Rings.
#[tool(on_error = sorry, blocking)]
fn ring_or_be_sorry() -> &'static str {
    "rung"
}

struct Bell;

#[toolbox]
impl Bell {
    /// Rings.
    #[tool]
    fn ring_it(&self) -> &'static str {
        "rung"
    }
}

#[tokio::test]
async fn t11_unknown_arguments_of_a_function_without_parameters_are_refused_before_the_approver_is_asked() {
    let of_bell = || Bell.tools()["ring_it"].clone();
    for spec in [ring::spec(), ring_if_allowed::spec(), ring_or_be_sorry::spec(), of_bell()] {
        refused(spec.clone(), r#"{"times": 2}"#, "`times`: unknown argument").await;
        refused(spec.clone(), "[]", "expected one JSON object").await;
        refused(ToolSpec::from_dyn(Arc::new(spec.clone())), r#"{"times": 2}"#, "`times`: unknown argument")
            .await;
        accepted(spec, "{}").await;
    }
}

/// An even number. Its schema does not say so.
#[derive(Debug, Clone, Copy, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "i64")]
#[schemars(with = "i64")]
struct Even(i64);

impl TryFrom<i64> for Even {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        if number % 2 == 0 { Ok(Self(number)) } else { Err("odd".to_owned()) }
    }
}

/// Pays.
#[tool]
fn pay(cents: Even, #[arg(default = 1)] times: i64) -> String {
    format!("paid {} {times} times", cents.0)
}

/// A tool by hand that shows a definition, and accepts what it gets.
macro_rules! shows {
    ($tool:ident, $name:literal, $definition:expr) => {
        struct $tool;

        impl Tool for $tool {
            const NAME: &'static str = $name;
            type State = ();

            fn definition(&self) -> &ToolDefinition {
                static SHOWN: LazyLock<ToolDefinition> = LazyLock::new(|| {
                    let mut definition: ToolDefinition = $definition;
                    definition.name = $name.into();
                    definition
                });
                &SHOWN
            }

            async fn run(&self, _: &ToolContext, args: &mut Args) -> ToolResult {
                Ok(ToolOutput::text(args.text().to_string()))
            }
        }
    };
}

shows!(ShowsPay, "shows_pay", Tool::definition(&pay::default()).clone());
shows!(ShowsRing, "shows_ring", Tool::definition(&ring::default()).clone());
shows!(WithReason, "with_reason", {
    let mut definition = Tool::definition(&pay::default()).clone();
    let mut schema = (*definition.input_schema).clone();
    schema["properties"]["reason"] = json!({ "type": "string" });
    definition.input_schema = schema.into();
    definition
});
shows!(WithReasonAlone, "with_reason_alone", {
    let schema = json!({ "type": "object", "properties": { "reason": { "type": "string" } } });
    Tool::definition(&pay::default()).clone().with_input_schema(schema)
});
shows!(ByHand, "by_hand", {
    let schema = json!({ "type": "object", "properties": { "cents": { "type": "integer" } } });
    ToolDefinition::new("by_hand", "Pays.").with_input_schema(schema)
});

/// Another tool, as a trait object by hand.
struct Wraps(Arc<dyn DynTool>);

impl DynTool for Wraps {
    fn definition(&self) -> &ToolDefinition {
        self.0.definition()
    }

    fn run_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        self.0.run_dyn(cx, args)
    }
}

#[tokio::test]
async fn t11_a_tool_by_hand_that_shows_the_definition_of_a_function_is_checked_by_the_schema_that_it_shows() {
    refused(ToolSpec::new(ShowsPay), r#"{"cents": "much"}"#, "`cents`: expected an integer").await;
    refused(ToolSpec::new(ShowsPay), r#"{"cents": 2, "many": 1}"#, "`many`: unknown argument").await;
    refused(ToolSpec::new(ShowsRing), r#"{"times": 2}"#, "`times`: unknown argument").await;
    let wraps = ToolSpec::from_dyn(Arc::new(Wraps(Arc::new(ring::default()))));
    refused(wraps, r#"{"times": 2}"#, "`times`: unknown argument").await;
    refused(ToolSpec::new(WithReason), r#"{"cents": 2, "reason": 3}"#, "`reason`: expected a string").await;
    refused(ToolSpec::new(WithReasonAlone), r#"{"reason": 3}"#, "`reason`: expected a string").await;
    accepted(ToolSpec::new(WithReason), r#"{"cents":2,"reason":"debts","times":1}"#).await;
    accepted(ToolSpec::new(WithReasonAlone), r#"{"reason":"debts"}"#).await;
    // The function would refuse an odd number, but the tool by hand does not read it as the function does.
    refused(pay::spec(), r#"{"cents": 3}"#, "odd").await;
    accepted(ToolSpec::new(ShowsPay), r#"{"cents":3,"times":1}"#).await;
    let (result, asked) = approved(ToolSpec::new(ShowsPay), r#"{"cents": "4", "times": null}"#).await;
    result.unwrap();
    assert_eq!(asked, [r#"{"cents":4,"times":1}"#]);
}

#[tokio::test]
async fn t11_a_tool_by_hand_with_a_definition_of_its_own_is_checked_by_its_schema() {
    refused(ToolSpec::new(ByHand), r#"{"cents": "much"}"#, "`cents`: expected an integer").await;
    accepted(ToolSpec::new(ByHand), r#"{"cents":3,"of":"the rest"}"#).await;
}
