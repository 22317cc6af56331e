//! What an agent asks of the answers of its model: the choice of tools, the form, and fields for the provider.

use std::borrow::Cow;
use std::sync::Arc;

use onionskin::declaration::AgentDeclaration;
use onionskin::model::{
    BoxModel, Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestOption,
    RequestParams, ResponseSchema, ResponseSchemaError, ToolChoice, ToolChoiceError,
};
use onionskin::run::AgentRun;
use onionskin::{
    Agent, Args, BuildError, RunError, ScriptedModel, ScriptedTurn, Secret, ToolContext, ToolDefinition,
    ToolResult, agent, tool,
};
use serde_json::json;

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn weather() -> ResponseSchema {
    let schema = json!({ "type": "object", "properties": { "degrees": { "type": "integer" } } });
    ResponseSchema::new("weather", schema).unwrap().with_description("The weather.")
}

agent! {
    Forced { instruction: "Add.", function_tools: [add_one], request_params: { tool_choice: ToolChoice::Required } }
    Named { instruction: "Add.", function_tools: [add_one], request_params: { tool_choice: ToolChoice::tool("add_one") } }
    Silent { instruction: "Add.", function_tools: [add_one], request_params: { tool_choice: ToolChoice::None } }
    Typo { instruction: "Add.", function_tools: [add_one], request_params: { tool_choice: ToolChoice::tool("add_on") } }
    Toolless { instruction: "Add.", request_params: { tool_choice: ToolChoice::Required } }
    Formed {
        instruction: "Tell.",
        request_params: {
            response_schema: weather(),
            extra_body: serde_json::Map::from_iter([("effort".to_owned(), json!("hunter2-token"))]),
        },
    }
}

fn adds() -> [ScriptedTurn; 3] {
    let call = || ScriptedTurn::call("add_one", json!({ "x": 1 }));
    [call(), call(), ScriptedTurn::say("{last}")]
}

/// The choices of the requests of one run.
async fn choices<A: Agent<State = ()>>() -> Vec<ToolChoice> {
    let model = Arc::new(ScriptedModel::turns(adds()));
    A::builder().model(Arc::clone(&model)).run("go").await.unwrap();
    model.requests().into_iter().map(|request| request.params.tool_choice).collect()
}

#[tokio::test]
async fn o3_a_forced_call_is_forced_in_the_first_turn_only() {
    assert_eq!(choices::<Forced>().await, [ToolChoice::Required, ToolChoice::Auto, ToolChoice::Auto]);
    assert_eq!(choices::<Named>().await, [ToolChoice::tool("add_one"), ToolChoice::Auto, ToolChoice::Auto]);
    assert_eq!(choices::<Silent>().await, [ToolChoice::None, ToolChoice::None, ToolChoice::None]);
}

#[tokio::test]
async fn o3_each_run_of_a_session_begins_with_the_forced_call() {
    let script = [adds(), adds()].concat();
    let model = Arc::new(ScriptedModel::turns(script));
    let agent = Forced::builder().model(Arc::clone(&model)).build().await.unwrap();
    let session = agent.session();
    for _ in 0..2 {
        agent.request("go").session(&session).run().await.unwrap();
    }
    let forced = |request: &ModelRequest| request.params.tool_choice == ToolChoice::Required;
    let forced: Vec<_> = model.requests().iter().map(forced).collect();
    assert_eq!(forced, [true, false, false, true, false, false]);
}

async fn refused<A: Agent<State = ()>>(model: impl Model) -> ModelError {
    match A::builder().model(model).build().await.unwrap_err() {
        BuildError::RequestParams { source, agent, .. } => {
            assert_eq!(agent, A::NAME);
            *source
        }
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn o3_a_choice_of_a_tool_that_the_agent_lacks_is_refused_when_it_is_built() {
    let error = refused::<Typo>(ScriptedModel::turns(adds())).await;
    assert!(
        matches!(&error, ModelError::ToolChoice(ToolChoiceError::UnknownTool { tool, .. }) if tool == "add_on")
    );
    assert!(
        error
            .to_string()
            .ends_with("names the tool `add_on`, which is not among the tools; did you mean `add_one`?")
    );
    let error = refused::<Toolless>(ScriptedModel::turns(adds())).await;
    assert_eq!(error, ModelError::ToolChoice(ToolChoiceError::NoTools));
}

/// Supports no option.
fn plain() -> ScriptedModel {
    ScriptedModel::turns(adds()).without([
        RequestOption::ToolChoice,
        RequestOption::ResponseSchema,
        RequestOption::ExtraBody,
        RequestOption::StopSequences,
    ])
}

#[tokio::test]
async fn o3_an_option_that_the_model_does_not_support_is_refused_when_the_agent_is_built() {
    for error in [refused::<Forced>(plain()).await, refused::<Formed>(plain()).await] {
        assert!(matches!(error, ModelError::Unsupported { .. }), "{error}");
        assert!(!error.is_transient());
    }
    let error = refused::<Silent>(plain()).await.to_string();
    assert!(error.starts_with("the model does not support `tool_choice`"), "{error}");
}

#[tokio::test]
async fn o3_a_schema_and_fields_for_the_provider_reach_the_model_without_secrets() {
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("{}")]));
    let agent = Formed::builder().model(Arc::clone(&model)).conceal(&Secret::<String>::from("hunter2-token"));
    agent.run("go").await.unwrap();
    let params = &model.requests()[0].params;
    let schema = params.response_schema.as_ref().unwrap();
    assert_eq!((schema.name(), schema.description()), ("weather", Some("The weather.")));
    assert_eq!(schema.schema()["properties"]["degrees"]["type"], "integer");
    assert!(params.extra_body.contains_key("effort"));
    assert!(!format!("{params:?}").contains("hunter2"), "{params:?}");
    let options: Vec<_> = params.options().collect();
    assert_eq!(options, [RequestOption::ResponseSchema, RequestOption::ExtraBody]);
}

agent! {
    Leaking {
        instruction: "Tell.",
        request_params: {
            stop_sequences: vec!["until hunter2-token".to_owned(), "END".to_owned()],
            response_schema: ResponseSchema::new("of-hunter2-token", json!({ "type": "object" })).unwrap(),
            extra_body: serde_json::Map::from_iter([
                ("x-hunter2-token".to_owned(), json!(1)),
                ("deep".to_owned(), json!([{ "hunter2-token": "of hunter2-token" }])),
            ]),
        },
    }
}

#[tokio::test]
async fn o3_no_text_of_the_request_params_shows_a_secret_to_the_model() {
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("{}")]));
    let agent =
        Leaking::builder().model(Arc::clone(&model)).conceal(&Secret::<String>::from("hunter2-token"));
    agent.run("go").await.unwrap();
    let params = &model.requests()[0].params;
    assert!(!format!("{params:?}").contains("hunter2"), "{params:?}");
    assert_eq!(params.stop_sequences, ["until [secret]", "END"]);
    assert_eq!(params.response_schema.as_ref().unwrap().name(), "of-_secret_");
    assert_eq!(params.extra_body["x-[secret]"], 1);
    assert_eq!(params.extra_body["deep"], json!([{ "[secret]": "of [secret]" }]));
}

/// A model whose description of itself panics.
struct Boastful;

impl Model for Boastful {
    async fn respond(
        &self,
        _: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        Ok(ModelResponse::text("never"))
    }

    fn provider(&self) -> Cow<'static, str> {
        panic!("no provider")
    }

    fn supports(&self, option: RequestOption) -> bool {
        panic!("what is {option}?")
    }
}

#[tokio::test]
async fn o3_a_model_that_panics_does_not_take_the_build_down() {
    let error = Forced::builder().model(Boastful).build().await.unwrap_err();
    let BuildError::Panicked { agent, reason, .. } = &error else { panic!("{error}") };
    assert_eq!((agent.as_str(), reason.as_str()), ("Forced", "what is tool_choice?"));
    assert_eq!(
        error.to_string(),
        "`supports` of the model of the agent `Forced` panicked: what is tool_choice?"
    );
    let shown = format!("{:?}", BoxModel::new(Boastful));
    assert!(shown.starts_with("BoxModel(") && shown.contains("Boastful"), "{shown}");
}

/// A loop that sets the options of each turn itself.
struct ByHand;

impl Agent for ByHand {
    const NAME: &'static str = "by_hand";
    type State = ();

    fn declare() -> AgentDeclaration {
        let mut params = RequestParams::default();
        params.tool_choice = ToolChoice::Required;
        AgentDeclaration::new().instruction("Add.").tool(AddOne).request_params(params)
    }

    async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
        run.append(Message::user(input))?;
        run.ask().without_tools().await?;
        run.append(Message::user("More."))?;
        run.ask().tool_choice(ToolChoice::None).response_schema(weather()).await?;
        run.append(Message::user("More."))?;
        let mut params = RequestParams::default();
        params.tool_choice = ToolChoice::tool("add_one");
        run.ask().request_params(params).await?;
        run.append(Message::user("More."))?;
        run.ask().without_tools().tool_choice(ToolChoice::tool("add_one")).await?;
        Ok("unreachable".to_owned())
    }
}

/// Tools by hand, one with a dot in its name.
struct AddOne;
struct MathAdd;

macro_rules! adds_one {
    ($tool:ident, $name:literal) => {
        tool_by_hand! {
            $tool $name, ToolDefinition::new($name, "Adds one.");

            async fn run(&self, _: &ToolContext, _: &mut Args) -> ToolResult {
                Ok("2".into())
            }
        }
    };
}

adds_one!(AddOne, "add_one");
adds_one!(MathAdd, "math.add");

#[tokio::test]
async fn o3_a_loop_by_hand_sets_the_options_of_one_turn() {
    let says = std::iter::repeat_n(ScriptedTurn::say("so"), 4);
    let model = Arc::new(ScriptedModel::turns(says));
    let error = ByHand::builder().model(Arc::clone(&model)).run("go").await.unwrap_err();
    let source = match error {
        RunError::Model { source, .. } => source,
        other => panic!("{other}"),
    };
    assert!(matches!(source, ModelError::ToolChoice(ToolChoiceError::UnknownTool { .. })), "{source}");
    let requests = model.requests();
    let choices: Vec<_> = requests.iter().map(|request| request.params.tool_choice.clone()).collect();
    assert_eq!(choices, [ToolChoice::Auto, ToolChoice::None, ToolChoice::tool("add_one")]);
    let schemas: Vec<_> = requests.iter().map(|request| request.params.response_schema.is_some()).collect();
    assert_eq!(schemas, [false, true, false]);
}

/// Chooses a tool whose name has a dot, which the model sees as `_`.
struct Dotted;

impl Agent for Dotted {
    const NAME: &'static str = "dotted";
    type State = ();

    fn declare() -> AgentDeclaration {
        let mut params = RequestParams::default();
        params.tool_choice = ToolChoice::tool("math.add");
        AgentDeclaration::new().instruction("Add.").tool(MathAdd).request_params(params)
    }
}

#[tokio::test]
async fn o3_the_model_gets_the_chosen_tool_by_the_name_that_it_knows() {
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("so")]));
    Dotted::builder().model(Arc::clone(&model)).run("go").await.unwrap();
    assert_eq!(model.requests()[0].params.tool_choice, ToolChoice::tool("math_add"));
}

#[test]
fn o3_a_response_schema_has_a_name_that_providers_take_and_is_that_of_an_object() {
    let object = || json!({ "type": "object" });
    for name in ["", "a b", "a.b", &"a".repeat(65)] {
        let error = ResponseSchema::new(name, object()).unwrap_err();
        assert!(matches!(&error, ResponseSchemaError::Name { name: wrong, .. } if wrong == name), "{error}");
    }
    for schema in [json!({ "type": "array" }), json!(true), json!({ "properties": {} })] {
        let error = ResponseSchema::new("weather", schema).unwrap_err();
        assert!(matches!(error, ResponseSchemaError::NoObject { .. }), "{error}");
    }
    let text = serde_json::to_string(&weather()).unwrap();
    assert_eq!(serde_json::from_str::<ResponseSchema>(&text).unwrap(), weather());
    let wrong = text.replace("\"object\"", "\"array\"");
    let error = serde_json::from_str::<ResponseSchema>(&wrong).unwrap_err().to_string();
    assert!(error.contains("is not that of an object"), "{error}");
}

#[test]
fn o5_parameters_without_new_options_are_written_as_before() {
    let text = serde_json::to_string(&RequestParams::default()).unwrap();
    assert_eq!(
        text,
        r#"{"temperature":null,"top_p":null,"max_tokens":null,"seed":null,"stop_sequences":[]}"#
    );
}
