//! Answers of a type: asked for in the model's own form or as a call, read, asked for again.

use std::collections::BTreeMap;
use std::sync::Arc;

use onionskin::declaration::Limits;
use onionskin::event::EventKind;
use onionskin::journal::MemoryJournal;
use onionskin::model::{Message, Model, ModelResponse, RequestOption, ToolChoice};
use onionskin::prompt::{Prompt, PromptPart};
use onionskin::run::{AgentRun, Limit, TypedRunStream};
use onionskin::run_hooks::RunAnswer;
use onionskin::{
    AgentHandle, RunError, ScriptedModel, ScriptedTurn, Secret, ToolContext, ToolResult, agent, run_hook,
    tool, tool_hook, turn_hook,
};
use serde_json::{Value, json};

/// A report of the weather.
#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Report {
    /// The city.
    city: String,
    degrees: i64,
    #[serde(default)]
    notes: Vec<String>,
    wind: Option<u32>,
}

fn paris() -> Report {
    Report { city: "Paris".to_owned(), degrees: 21, notes: Vec::new(), wind: None }
}

const PARIS: &str = r#"{"city": "Paris", "degrees": 21}"#;
const WRONG: &str = r#"{"city": "Paris", "degrees": "warm"}"#;

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

agent! {
    Desk { instruction: "Report.", function_tools: [add_one] }
    Strict { instruction: "Report.", limits: { output_retries: 0 } }
}

fn script(turns: impl IntoIterator<Item = ScriptedTurn>) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::turns(turns))
}

async fn desk(model: impl Model) -> AgentHandle {
    Desk::builder().model(model).build().await.unwrap()
}

/// The script of a model without structured output.
fn script_by_call(turns: impl IntoIterator<Item = ScriptedTurn>) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::turns(turns).without([RequestOption::ResponseSchema]))
}

fn script_of(native: bool, turns: impl IntoIterator<Item = ScriptedTurn>) -> Arc<ScriptedModel> {
    if native { script(turns) } else { script_by_call(turns) }
}

fn say(text: &str) -> ScriptedTurn {
    ScriptedTurn::say(text)
}

fn answers(args: Value) -> ScriptedTurn {
    ScriptedTurn::call("final_answer", args)
}

fn right() -> Value {
    json!({ "city": "Paris", "degrees": 21 })
}

fn wrong() -> Value {
    json!({ "city": "Paris", "degrees": "warm" })
}

// ---- in the model's own form ----------------------------------------------------------------------

#[tokio::test]
async fn a8_an_answer_has_a_type() {
    let model = script([say(PARIS)]);
    let run = desk(Arc::clone(&model)).await.run_as::<Report>("Paris?").await.unwrap();
    assert_eq!(run.answer, paris());
    assert_eq!(run.output.text, PARIS);
    let asked = &model.requests()[0];
    let schema = asked.params.response_schema.as_ref().unwrap();
    assert_eq!((schema.name(), schema.description()), ("Report", Some("A report of the weather.")));
    // In OpenAI's strict rules: all are required, what may be missing may be `null`.
    assert_eq!(schema.schema()["required"], json!(["city", "degrees", "notes", "wind"]));
    assert_eq!(schema.schema()["additionalProperties"], false);
    assert_eq!(asked.tools.len(), 1, "the answer is no tool");
}

#[tokio::test]
async fn a8_an_answer_is_read_as_arguments_are() {
    let same = [
        "```json\n{\"city\": \"Paris\", \"degrees\": 21}\n```",
        r#"{"city": "Paris", "degrees": 21, "notes": null, "wind": null}"#,
        r#"{"city": "Paris", "degrees": "21"}"#,
        r#"{"city": "Paris", "degrees": 21,}"#,
    ];
    for text in same {
        let run = desk(script([say(text)])).await.run_as::<Report>("Paris?").await;
        assert_eq!(run.unwrap_or_else(|error| panic!("{text}: {error}")).answer, paris(), "{text}");
    }
}

#[tokio::test]
async fn a8_a_wrong_answer_is_asked_for_again_with_its_problems() {
    let model = script([say(WRONG), say("It is warm."), say(PARIS)]);
    let run = desk(Arc::clone(&model)).await.run_as::<Report>("Paris?").await.unwrap();
    assert_eq!((run.answer, run.output.turns), (paris(), 3));
    let asked = model.requests();
    let last = |at: usize| asked[at].messages.last().unwrap().to_text().into_owned();
    assert_eq!(
        last(1),
        "Invalid answer of the type `Report`:\n- `degrees`: expected an integer, found the string \"warm\"\nAnswer again, with JSON that fits."
    );
    assert!(last(2).contains("not one JSON object"), "{}", last(2));
    // A script counts words: 4, 3 and 4.
    assert_eq!(run.output.usage.output_tokens, 11, "the usage counts all turns");
}

#[tokio::test]
async fn a8_an_answer_that_never_fits_is_an_error_with_its_last_problems() {
    let model = script([say(WRONG), say(WRONG), say("{}"), say(PARIS)]);
    let error = desk(Arc::clone(&model)).await.run_as::<Report>("Paris?").await.unwrap_err();
    let RunError::WrongAnswer { agent, output, answers, problems, .. } = &error else { panic!("{error}") };
    assert_eq!((&**agent, &**output, *answers), ("Desk", "Report", 3));
    assert_eq!(problems, "`city`: missing; expected a string\n- `degrees`: missing; expected an integer");
    assert_eq!(model.requests().len(), 3);
    assert!(
        error.to_string().starts_with("the agent `Desk` gave no answer of the type `Report`: 3 did not fit")
    );

    let model = script([say(WRONG), say(PARIS)]);
    let strict = Strict::builder().model(Arc::clone(&model)).build().await.unwrap();
    let error = strict.run_as::<Report>("Paris?").await.unwrap_err();
    assert!(matches!(error, RunError::WrongAnswer { answers: 1, .. }));
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn a8_a_turn_that_asks_again_counts_for_the_limits() {
    let mut limits = Limits::default();
    limits.turns = 2;
    let desk = Desk::builder().model(script([say(WRONG), say(WRONG), say(PARIS)])).limits(limits);
    let error = desk.build().await.unwrap().run_as::<Report>("Paris?").await.unwrap_err();
    assert!(matches!(error, RunError::Limit { limit: Limit::Turns(2), .. }), "{error}");
}

#[tokio::test]
async fn a8_tools_run_before_the_answer() {
    let calls = ScriptedTurn::call("add_one", json!({ "x": 20 }));
    let model = script([calls, say(r#"{"city": "Paris", "degrees": {last}}"#)]);
    let run = desk(Arc::clone(&model)).await.run_as::<Report>("Paris?").await.unwrap();
    assert_eq!((run.answer, run.output.tool_calls.len()), (paris(), 1));
    assert!(model.requests().iter().all(|request| request.params.response_schema.is_some()));
}

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct Tree {
    name: String,
    children: Vec<Tree>,
}

#[tokio::test]
async fn a8_an_answer_need_not_be_an_object() {
    async fn answer<T: onionskin::forms::TypedAnswer>(text: &str) -> T {
        desk(script([say(text)]))
            .await
            .run_as::<T>("?")
            .await
            .unwrap_or_else(|error| panic!("{text}: {error}"))
            .answer
    }
    assert_eq!(answer::<Vec<u32>>(r#"{"result": [1, 2]}"#).await, [1, 2]);
    assert_eq!(answer::<Vec<u32>>("[1, 2]").await, [1, 2], "also without the object");
    assert_eq!(answer::<String>(r#"{"result": "so"}"#).await, "so");
    assert!(answer::<bool>(r#"{"result": true}"#).await);
    assert_eq!(answer::<Option<u8>>(r#"{"result": null}"#).await, None);
    assert_eq!(answer::<()>(r#"{"result": null}"#).await, ());
    assert_eq!(answer::<u128>(r#"{"result": 340282366920938463463374607431768211455}"#).await, u128::MAX);
    let circle = Shape::Circle { radius: 1.5 };
    assert_eq!(answer::<Shape>(r#"{"result": {"kind": "circle", "radius": 1.5}}"#).await, circle);
    assert_eq!(answer::<Shape>(r#"{"kind": "square", "side": 2}"#).await, Shape::Square { side: 2.0 });
    let leaf = |name: &str| Tree { name: name.to_owned(), children: Vec::new() };
    let tree = r#"{"name": "a", "children": [{"name": "b", "children": []}]}"#;
    assert_eq!(answer::<Tree>(tree).await, Tree { children: vec![leaf("b")], ..leaf("a") });
    assert_eq!(answer::<Value>(r#"{"result": {"x": 1}}"#).await, json!({ "x": 1 }));
}

#[tokio::test]
async fn a8_the_text_of_the_output_is_the_answer_without_the_object_around_it() {
    let run = desk(script([say(r#"{"result": [1, 2]}"#)])).await.run_as::<Vec<u32>>("?").await.unwrap();
    assert_eq!(run.output.text, "[1, 2]");
}

#[tokio::test]
async fn a8_a_type_without_a_strict_form_is_asked_for_as_a_call() {
    let model = script([answers(json!({ "Paris": 21 }))]);
    let run = desk(Arc::clone(&model)).await.run_as::<BTreeMap<String, i64>>("?").await.unwrap();
    assert_eq!(run.answer["Paris"], 21);
    assert_eq!(model.requests()[0].params.response_schema, None);
}

/// Accepts even numbers only, which its schema does not say.
#[derive(Debug, PartialEq)]
struct Even(u64);

impl<'de> serde::Deserialize<'de> for Even {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u64::deserialize(deserializer)?;
        if number % 2 == 0 { Ok(Self(number)) } else { Err(serde::de::Error::custom("it is odd")) }
    }
}

impl schemars::JsonSchema for Even {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Even".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        u64::json_schema(generator)
    }
}

#[tokio::test]
async fn a8_the_type_itself_may_refuse_an_answer() {
    let model = script([say(r#"{"result": 3}"#), say(r#"{"result": 4}"#)]);
    let run = desk(Arc::clone(&model)).await.run_as::<Even>("?").await.unwrap();
    assert_eq!(run.answer, Even(4));
    let asked = model.requests()[1].messages.last().unwrap().to_text().into_owned();
    assert!(asked.contains("- it is odd\n"), "{asked}");
}

/// Its schema panics.
#[derive(Debug, serde::Deserialize)]
struct Broken;

impl schemars::JsonSchema for Broken {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Broken".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        panic!("no schema today")
    }
}

#[tokio::test]
async fn a8_a_panic_of_a_types_schema_is_an_error_of_the_run() {
    let error = desk(script([])).await.run_as::<Broken>("?").await.unwrap_err();
    let RunError::Agent { reason, .. } = &error else { panic!("{error}") };
    assert!(reason.contains("no schema today"), "{reason}");
}

// ---- as a call ------------------------------------------------------------------------------------

#[tokio::test]
async fn a8_a_model_without_structured_output_calls_a_final_tool() {
    let model = script_by_call([answers(right())]);
    let desk = desk(Arc::clone(&model)).await;
    let session = desk.session();
    let run = desk.request("Paris?").session(&session).run_as::<Report>().await.unwrap();
    assert_eq!((&run.answer, run.output.turns), (&paris(), 1));
    assert!(run.output.tool_calls.is_empty(), "no tool of the agent was called");
    let asked = &model.requests()[0];
    let names: Vec<_> = asked.tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["final_answer", "add_one"]);
    assert!(asked.tools[0].description.ends_with("A report of the weather."));
    assert_eq!(asked.params.tool_choice, ToolChoice::Required);
    assert!(asked.system.as_deref().unwrap().contains("<output_schema>"), "{:?}", asked.system);
    // No call is without its result.
    let kept: Vec<_> = session.history().iter().map(|message| message.to_text().into_owned()).collect();
    assert_eq!(kept, ["Paris?", "", "The answer is taken."]);
}

#[tokio::test]
async fn a8_a_model_that_cannot_be_forced_is_not() {
    let options = [RequestOption::ResponseSchema, RequestOption::ToolChoice];
    let model = Arc::new(ScriptedModel::turns([answers(right())]).without(options));
    let desk = desk(Arc::clone(&model)).await;
    assert_eq!(desk.run_as::<Report>("Paris?").await.unwrap().answer, paris());
    assert_eq!(model.requests()[0].params.tool_choice, ToolChoice::Auto);
}

#[tokio::test]
async fn a8_a_wrong_call_is_answered_with_its_problems() {
    let model = script_by_call([answers(wrong()), answers(right())]);
    let run = desk(Arc::clone(&model)).await.run_as::<Report>("Paris?").await.unwrap();
    assert_eq!(run.answer, paris());
    let Some(Message::Tool { results, .. }) = model.requests()[1].messages.last().cloned() else { panic!() };
    assert!(results[0].is_error);
    assert!(
        model.requests()[1].messages.last().unwrap().to_text().contains("`degrees`: expected an integer")
    );
}

#[tokio::test]
async fn a8_text_in_place_of_the_call_is_read_or_asked_for_as_a_call() {
    let model = script_by_call([say("It is warm."), say(PARIS)]);
    let run = desk(Arc::clone(&model)).await.run_as::<Report>("Paris?").await.unwrap();
    assert_eq!(run.answer, paris());
    let asked = model.requests()[1].messages.last().unwrap().to_text().into_owned();
    assert!(asked.ends_with("Give your answer as a call of the tool `final_answer`."), "{asked}");
}

#[tokio::test]
async fn a8_calls_beside_the_answer_do_not_run() {
    let both = answers(right()).and_call("add_one", json!({ "x": 1 }));
    let model = script_by_call([both]);
    let desk = desk(Arc::clone(&model)).await;
    let session = desk.session();
    let run = desk.request("Paris?").session(&session).run_as::<Report>().await.unwrap();
    assert!(run.output.tool_calls.is_empty());
    let Some(Message::Tool { results, .. }) = session.history().last().cloned() else { panic!() };
    let texts: Vec<_> =
        results.iter().map(|result| &result.content[0]).map(|block| format!("{block:?}")).collect();
    assert!(texts[0].contains("taken") && texts[1].contains("Not run"), "{texts:?}");
}

#[tokio::test]
async fn a8_calls_beside_a_wrong_answer_run() {
    let both = answers(wrong()).and_call("add_one", json!({ "x": 1 }));
    let model = script_by_call([both, answers(right())]);
    let run = desk(Arc::clone(&model)).await.run_as::<Report>("Paris?").await.unwrap();
    assert_eq!(run.output.tool_calls.len(), 1);
    let Some(Message::Tool { results, .. }) = model.requests()[1].messages.last().cloned() else { panic!() };
    let names: Vec<_> = results.iter().map(|result| (&*result.name, result.is_error)).collect();
    assert_eq!(names, [("final_answer", true), ("add_one", false)]);
}

#[tokio::test]
async fn a8_of_two_answers_the_first_that_fits_counts() {
    let three = answers(wrong())
        .and_call("final_answer", right())
        .and_call("final_answer", json!({ "city": "Rome", "degrees": 30 }));
    let run = desk(script_by_call([three])).await.run_as::<Report>("Paris?").await.unwrap();
    assert_eq!(run.answer, paris());
}

#[tokio::test]
async fn a8_a_call_that_never_fits_is_an_error() {
    let model = script_by_call([answers(wrong()), answers(wrong()), answers(wrong()), answers(right())]);
    let desk = desk(Arc::clone(&model)).await;
    let session = desk.session();
    let error = desk.request("Paris?").session(&session).run_as::<Report>().await.unwrap_err();
    assert!(matches!(error, RunError::WrongAnswer { answers: 3, .. }), "{error}");
    // The last call has a result, too: the session can go on.
    assert!(matches!(session.history().last(), Some(Message::Tool { .. })));
}

/// Not the final answer.
#[tool]
fn final_answer(x: i64) -> i64 {
    x
}

agent! {
    Clash { instruction: "Report.", function_tools: [final_answer] }
}

#[tokio::test]
async fn a8_the_name_of_the_final_tool_is_no_other_tools_name() {
    let calls = ScriptedTurn::call("final_answer", json!({ "x": 1 }));
    let model = script_by_call([calls, ScriptedTurn::call("final_answer_2", right())]);
    let clash = Clash::builder().model(model).build().await.unwrap();
    let run = clash.run_as::<Report>("Paris?").await.unwrap();
    assert_eq!((run.answer, &*run.output.tool_calls[0].tool), (paris(), "final_answer"));
}

#[tool_hook]
async fn refuses(ctx: &ToolContext, args: &mut onionskin::Args, next: impl onionskin::Next) -> ToolResult {
    let _ = (ctx, args, next);
    Err(onionskin::Exit::abort("no call may pass"))
}

#[tokio::test]
async fn a8_the_final_call_passes_no_hook() {
    let model = script_by_call([answers(right())]);
    let desk = Desk::builder().model(model).hook(refuses::new()).build().await.unwrap();
    assert_eq!(desk.run_as::<Report>("Paris?").await.unwrap().answer, paris());
}

#[tokio::test]
async fn a8_the_prompt_can_leave_out_the_form_of_the_answer() {
    let model = script_by_call([answers(right())]);
    let desk = desk(Arc::clone(&model)).await;
    let prompt = Prompt::new().leave_out(PromptPart::OutputSchema);
    desk.request("Paris?").prompt(prompt).run_as::<Report>().await.unwrap();
    assert_eq!(model.requests()[0].system.as_deref(), Some("Report."));
}

/// The problems of an answer are those of an answer, and not of arguments.
#[tokio::test]
async fn a8_the_words_about_a_wrong_answer_speak_of_the_answer() {
    for (wrong, told) in [
        ("Paris it is", "the answer cannot be used: not one JSON object"),
        (r#"{"city": "Paris", "degrees": 21, "wnd": 3}"#, "`wnd`: unknown key"),
    ] {
        let model = script([say(wrong), say(PARIS)]);
        assert_eq!(desk(Arc::clone(&model)).await.run_as::<Report>("Paris?").await.unwrap().answer, paris());
        let asked = model.requests()[1].messages.last().unwrap().to_text().into_owned();
        assert!(asked.contains(told) && !asked.contains("argument"), "{asked}");
    }
}

// ---- streamed, recorded, hooked -------------------------------------------------------------------

#[tokio::test]
async fn a8_a_streamed_run_gives_the_same_answer() {
    let desk = desk(script([say(WRONG), say(PARIS)])).await;
    let mut run = desk.request("Paris?").stream_as::<Report>();
    let (mut pieces, mut notices) = (String::new(), Vec::new());
    while let Some(event) = run.next().await {
        match event.kind {
            EventKind::TextDelta { text, .. } => pieces.push_str(&text),
            EventKind::Notice { text, .. } => notices.push(text),
            _ => {}
        }
    }
    assert_eq!(pieces, format!("{WRONG}{PARIS}"));
    assert!(notices[0].starts_with("the answer does not fit and is asked for again"), "{notices:?}");
    let run = run.output().await.unwrap();
    assert_eq!((run.answer, run.output.turns), (paris(), 2));
}

#[tokio::test]
async fn a8_a_streamed_run_shows_the_answer_so_far() {
    let desk = desk(script([say(WRONG), say(PARIS)])).await;
    let mut run = desk.request("Paris?").stream_as::<Report>();
    let mut partial: Vec<Value> = Vec::new();
    while run.next().await.is_some() {
        partial.extend(run.partial());
    }
    partial.dedup();
    let cities: Vec<_> = partial.iter().filter_map(|partial| partial["city"].as_str()).collect();
    assert!(cities.iter().all(|city| "Paris".starts_with(city)), "{cities:?}");
    // The second answer begins anew.
    assert_eq!(partial.iter().filter(|partial| **partial == json!({})).count(), 2, "{partial:?}");
    assert!(partial.contains(&json!({ "city": "Paris", "degrees": "warm" })), "{partial:?}");
    assert_eq!(partial.last(), Some(&json!({ "city": "Paris", "degrees": 21 })));
    assert_eq!(run.output().await.unwrap().answer, paris());
}

#[tokio::test]
async fn a8_what_is_no_object_is_shown_so_far_without_the_object_around_it() {
    let desk = desk(script([say(r#"{"result": ["ebb", "tide"]}"#)])).await;
    let mut run = desk.request("Paris?").stream_as::<Vec<String>>();
    let mut partial = Vec::new();
    while run.next().await.is_some() {
        partial.extend(run.partial());
    }
    assert!(partial.iter().all(Value::is_array), "{partial:?}");
    assert_eq!(partial.last(), Some(&json!(["ebb", "tide"])));
}

/// The answers so far that a run shows, each once.
async fn partials<T>(run: &mut TypedRunStream<T>) -> Vec<Value> {
    let mut partials = Vec::new();
    while run.next().await.is_some() {
        partials.extend(run.partial());
    }
    partials.dedup();
    partials
}

#[tokio::test]
async fn a8_an_answer_that_is_a_call_is_shown_so_far() {
    let mut wrong_first = answers(wrong());
    "Let me see: ".clone_into(&mut wrong_first.say);
    let script =
        script_by_call([wrong_first, ScriptedTurn::call("add_one", json!({ "x": 1 })), answers(right())]);
    let desk = desk(Arc::clone(&script)).await;
    let mut run = desk.request("Paris?").stream_as::<Report>();
    let shown = [
        json!({}),
        json!({ "city": "Paris" }),
        json!({ "city": "Paris", "degrees": "warm" }),
        json!({}),
        json!({ "city": "Paris" }),
        json!({ "city": "Paris", "degrees": 21 }),
    ];
    let mut partials = partials(&mut run).await;
    partials.retain(|partial| partial["city"] != "");
    assert_eq!(partials, shown, "a call of another tool is not the answer");
    assert_eq!(run.output().await.unwrap().answer, paris());
}

#[tokio::test]
async fn a8_a_call_that_is_the_answer_is_shown_so_far_without_the_object_around_it() {
    let script = script_by_call([answers(json!({ "result": ["ebb", "tide"] }))]);
    let desk = desk(Arc::clone(&script)).await;
    let mut run = desk.request("Paris?").stream_as::<Vec<String>>();
    let partials = partials(&mut run).await;
    assert!(partials.len() > 1 && partials.iter().all(Value::is_array), "{partials:?}");
    assert_eq!(partials.last(), Some(&json!(["ebb", "tide"])));
}

#[tokio::test]
async fn a8_of_two_calls_that_are_the_answer_the_first_is_shown_so_far() {
    let script =
        script_by_call([answers(right()).and_call("final_answer", json!({ "city": "Rome", "degrees": 9 }))]);
    let desk = desk(Arc::clone(&script)).await;
    let mut run = desk.request("Paris?").stream_as::<Report>();
    assert_eq!(partials(&mut run).await.last(), Some(&json!({ "city": "Paris", "degrees": 21 })));
    assert_eq!(run.output().await.unwrap().answer, paris());
}

#[tokio::test]
async fn a8_an_answer_so_far_has_all_digits_of_its_numbers() {
    let most = u128::MAX.to_string();
    let text = format!(r#"{{"result": {most}}}"#);
    let desk = desk(script([say(&text)])).await;
    let mut run = desk.request("How many?").stream_as::<u128>();
    assert_eq!(partials(&mut run).await, [Value::from(most)]);
    assert_eq!(run.output().await.unwrap().answer, u128::MAX);
}

#[tokio::test]
async fn a8_pieces_of_a_call_say_whether_it_is_the_answer() {
    let script = script_by_call([ScriptedTurn::call("add_one", json!({ "x": 1 })), answers(right())]);
    let desk = desk(Arc::clone(&script)).await;
    let mut run = desk.request("Paris?").stream_as::<Report>();
    let (mut pieces, mut begun) = (Vec::new(), Vec::new());
    while let Some(event) = run.next().await {
        match event.kind {
            EventKind::ToolCallDelta { tool, is_answer, .. } => pieces.push((tool.to_string(), is_answer)),
            EventKind::ToolStarted { tool, .. } => begun.push(tool.to_string()),
            _ => {}
        }
    }
    pieces.dedup();
    assert_eq!(pieces, [("add_one".to_owned(), false), ("final_answer".to_owned(), true)]);
    assert_eq!(begun, ["add_one"]);
}

#[tokio::test]
async fn a8_a_replay_gives_the_same_answer_without_the_model() {
    for native in [true, false] {
        let turns = if native { [say(WRONG), say(PARIS)] } else { [answers(wrong()), answers(right())] };
        let script = script_of(native, turns);
        let builder = Desk::builder().journal(MemoryJournal::default());
        let desk = builder.model(Arc::clone(&script)).build().await.unwrap();
        for _ in 0..2 {
            let run = desk.request("Paris?").run_id("one").run_as::<Report>().await.unwrap();
            assert_eq!((run.answer, run.output.turns), (paris(), 2));
        }
        assert_eq!(script.requests().len(), 2);
        // Another type is another question.
        let error = desk.request("Paris?").run_id("one").run_as::<Tree>().await.unwrap_err();
        assert!(matches!(error, RunError::Journal { .. }), "{error}");
    }
}

#[tokio::test]
async fn a8_a_session_goes_on_after_an_answer_of_a_type() {
    for native in [true, false] {
        let first = if native { say(PARIS) } else { answers(right()) };
        let script = script_of(native, [first, say("Yes.")]);
        let desk = desk(Arc::clone(&script)).await;
        let session = desk.session();
        desk.request("Paris?").session(&session).run_as::<Report>().await.unwrap();
        let output = desk.request("Sure?").session(&session).run().await.unwrap();
        assert_eq!(output.text, "Yes.");
        assert_eq!(script.requests()[1].params.response_schema, None);
        assert_eq!(script.requests()[1].tools.len(), 1);
    }
}

#[run_hook(post)]
fn warmer(answer: &mut RunAnswer) -> Result<(), onionskin::run_hooks::BoxError> {
    let mut report: Report = answer.read()?;
    report.degrees += 1;
    answer.set_json(&report)?;
    Ok(())
}

#[run_hook(post)]
fn speaks(answer: &mut RunAnswer) {
    answer.set_text("It is warm.");
}

#[tokio::test]
async fn a8_a_run_hook_changes_an_answer_of_a_type_and_it_is_checked_again() {
    let desk = |model| Desk::builder().model(model);
    let warm = desk(script([say(PARIS)])).run_hook(warmer::new()).build().await.unwrap();
    assert_eq!(warm.run_as::<Report>("Paris?").await.unwrap().answer.degrees, 22);
    let speaks = desk(script([say(PARIS), say(PARIS)])).run_hook(speaks::new()).build().await.unwrap();
    let error = speaks.run_as::<Report>("Paris?").await.unwrap_err();
    assert!(matches!(error, RunError::WrongAnswer { answers: 1, .. }), "{error}");
}

#[turn_hook(before_llm_call)]
fn answers_itself(request: &onionskin::turn_hooks::TurnRequest) -> Option<ModelResponse> {
    (request.turn() == 1).then(|| ModelResponse::text("no JSON"))
}

#[tokio::test]
async fn a8_turn_hooks_see_the_turns_and_not_the_final_tool() {
    for native in [true, false] {
        let answer = if native { say(PARIS) } else { answers(right()) };
        // The script counts the answer of the hook as its first turn.
        let script = script_of(native, [say(""), answer]);
        let desk = Desk::builder().turn_hook(answers_itself::new()).model(script);
        let run = desk.build().await.unwrap().run_as::<Report>("Paris?").await.unwrap();
        assert_eq!((run.answer, run.output.turns), (paris(), 2));
    }
}

/// Ends the run.
#[tool(stop_after)]
fn close(text: String) -> String {
    text
}

agent! {
    Closer { instruction: "Close.", function_tools: [close] }
}

#[tokio::test]
async fn a8_the_answer_of_a_tool_that_ends_the_run_has_to_fit() {
    let close = |text: &str| ScriptedTurn::call("close", json!({ "text": text }));
    let closer = |turn| Closer::builder().model(script([turn])).build();
    let run = closer(close(PARIS)).await.unwrap().run_as::<Report>("Paris?").await.unwrap();
    assert_eq!(run.answer, paris());
    let error = closer(close("closed")).await.unwrap().run_as::<Report>("Paris?").await.unwrap_err();
    assert!(matches!(error, RunError::WrongAnswer { .. }), "{error}");
}

/// Writes its answer itself.
async fn write(run: &AgentRun, input: String) -> Result<String, RunError> {
    match &*input {
        "model" => run.converse(input).await,
        text => Ok(text.to_owned()),
    }
}

agent! { Own { instruction: "Write.", run: write } }

#[tokio::test]
async fn a8_the_answer_of_a_loop_by_hand_has_to_fit() {
    let own = || Own::builder().model(script([say(WRONG), say(PARIS)])).build();
    assert_eq!(own().await.unwrap().run_as::<Report>("model").await.unwrap().answer, paris());
    assert_eq!(own().await.unwrap().run_as::<Report>(PARIS).await.unwrap().answer, paris());
    let error = own().await.unwrap().run_as::<Report>("text").await.unwrap_err();
    assert!(matches!(error, RunError::WrongAnswer { .. }), "{error}");
}

#[tokio::test]
async fn s1_a_secret_in_a_wrong_answer_is_in_no_error_and_in_no_request() {
    let secret = Secret::new("hunter2-token".to_owned());
    let said = r#"{"city": "Paris", "degrees": "hunter2-token"}"#;
    let model = script([say(said), say(said), say(said)]);
    let desk = Desk::builder().model(Arc::clone(&model)).conceal(&secret).build().await.unwrap();
    let error = desk.run_as::<Report>("Paris?").await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    assert!(!format!("{:?}", model.requests()).contains("hunter2"));
}

// ---- declared -------------------------------------------------------------------------------------

mod declared {
    use onionskin::model::ResponseSchema;
    use onionskin::{AgentTool, BuildError, ToolSpec};

    use super::*;

    /// What to look up.
    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    pub(crate) struct Question {
        city: String,
        days: Option<u8>,
    }

    agent! {
        Reporter { instruction: "Report.", output: Report }
        Counter { instruction: "Count.", output: Vec<u32> }
        Forecaster {
            description: "Tells the weather.",
            instruction: "Answer the question.",
            input: Question,
            output: Report,
        }
        Lister { description: "Lists.", instruction: "List.", input: Vec<String>, output: Vec<u32> }
        Editor { instruction: "Ask.", agents: [Forecaster, Lister] }
        Twice {
            instruction: "Report.",
            output: Report,
            request_params: { response_schema: ResponseSchema::from_type::<Report>() },
        }
    }

    #[tokio::test]
    async fn a8_an_agent_declares_the_type_of_its_answers() {
        let reporter =
            Reporter::builder().model(script([say(WRONG), say(PARIS)])).build_typed().await.unwrap();
        let report: Report = reporter.run("Paris?").await.unwrap().answer;
        assert_eq!(report, paris());

        let output = Reporter::builder().model(script([say(PARIS)])).run("Paris?").await.unwrap();
        assert_eq!(output.text, PARIS, "without the type, the answer is its JSON");

        let run = Counter::builder().model(script([say("[1, 2]")])).run_typed("To two.").await.unwrap();
        assert_eq!((run.answer, &*run.output.text), (vec![1, 2], "[1, 2]"));
    }

    #[test]
    fn a8_a_synchronous_program_gets_the_type_too() {
        let model = script([say(PARIS)]);
        assert_eq!(Reporter::builder().model(model).run_typed_blocking("Paris?").unwrap().answer, paris());
    }

    #[tokio::test]
    async fn a8_each_way_to_run_an_agent_with_a_type_asks_for_it() {
        let again = || [say(PARIS), say(PARIS), say(PARIS)];
        let model = script(again());
        let reporter = Reporter::builder().model(Arc::clone(&model)).build_typed().await.unwrap();
        let session = reporter.session();
        let run = reporter.request("Paris?").session(&session).user("ada").run().await.unwrap();
        assert_eq!(run.answer, paris());
        let mut stream = reporter.request("Paris?").session(&session).stream();
        while stream.next().await.is_some() {}
        assert_eq!(stream.output().await.unwrap().answer, paris());
        assert_eq!(
            reporter.clone().into_handle().request("?").session(&session).run().await.unwrap().text,
            PARIS
        );
        assert_eq!(model.requests().len(), 3);
        assert!(model.requests().iter().all(|request| request.params.response_schema.is_some()));
    }

    #[tokio::test]
    async fn a8_another_type_of_a_request_replaces_the_agents() {
        let reporter = Reporter::builder().model(script([say("[3]")])).build().await.unwrap();
        assert_eq!(reporter.run_as::<Vec<u32>>("?").await.unwrap().answer, [3]);
    }

    #[tokio::test]
    async fn a8_two_forms_of_one_answer_are_refused_when_the_agent_is_built() {
        let error = Twice::builder().model(script([])).build().await.unwrap_err();
        assert!(
            matches!(&error, BuildError::Contradiction { agent, mistake, .. } if agent == "Twice" && mistake.contains("`response_schema`")),
            "{error}"
        );
    }

    #[tokio::test]
    async fn l2_a_declared_child_has_a_typed_input_and_output() {
        let asks = ScriptedTurn::call("agent__Forecaster", json!({ "city": "Paris", "days": "2" }));
        let model = Arc::new(
            ScriptedModel::new()
                .agent("Editor", [asks, say("{last}")])
                .agent("Forecaster", [say(WRONG), say(PARIS)]),
        );
        let editor = Editor::builder().model(Arc::clone(&model)).build().await.unwrap();
        let tools = editor.tool_definitions().unwrap();
        let forecaster = tools.iter().find(|tool| &*tool.name == "agent__Forecaster").unwrap();
        assert_eq!(forecaster.input_schema["properties"]["city"]["type"], "string");
        assert_eq!(forecaster.input_schema["required"], json!(["city"]));
        assert_eq!(forecaster.output_schema.as_ref().unwrap()["properties"]["degrees"]["type"], "integer");

        let output = editor.run("Weather?").await.unwrap();
        assert_eq!(output.text, PARIS);
        let call = &output.tool_calls[0];
        assert_eq!(*call.structured_content().unwrap(), json!({ "city": "Paris", "degrees": 21 }));
        let asked = model.requests().into_iter().find(|request| &*request.agent == "Forecaster").unwrap();
        let question: Question = serde_json::from_str(&asked.messages.last().unwrap().to_text()).unwrap();
        assert_eq!(question, Question { city: "Paris".to_owned(), days: Some(2) });
    }

    #[tokio::test]
    async fn l2_wrong_input_of_a_child_is_refused_as_arguments_are() {
        let asks = ScriptedTurn::call("agent__Forecaster", json!({ "town": "Paris" }));
        let model =
            ScriptedModel::new().agent("Editor", [asks, say("{last}")]).agent("Forecaster", [say(PARIS)]);
        let output = Editor::builder().model(model).run("Weather?").await.unwrap();
        assert!(output.text.contains("`city`: missing; expected a string"), "{}", output.text);
    }

    #[tokio::test]
    async fn l2_a_child_without_a_fitting_answer_is_a_tool_error() {
        let asks = ScriptedTurn::call("agent__Forecaster", json!({ "city": "Paris" }));
        let model = ScriptedModel::new()
            .agent("Editor", [asks, say("{last}")])
            .agent("Forecaster", [say(WRONG), say(WRONG), say(WRONG)]);
        let output = Editor::builder().model(model).run("Weather?").await.unwrap();
        assert!(output.text.contains("gave no answer of the type `Report`"), "{}", output.text);
    }

    #[tokio::test]
    async fn l2_what_is_no_object_goes_in_and_out_of_a_child_too() {
        let asks = ScriptedTurn::call("agent__Lister", json!({ "input": ["a", "b"] }));
        let model = Arc::new(
            ScriptedModel::new().agent("Editor", [asks, say("{last}")]).agent("Lister", [say("[1, 2]")]),
        );
        let output = Editor::builder().model(Arc::clone(&model)).run("List.").await.unwrap();
        assert_eq!(output.text, "[1, 2]");
        assert_eq!(*output.tool_calls[0].structured_content().unwrap(), json!({ "result": [1, 2] }));
        let asked = model.requests().into_iter().find(|request| &*request.agent == "Lister").unwrap();
        assert_eq!(asked.messages.last().unwrap().to_text(), r#"["a","b"]"#);
    }

    #[tokio::test]
    async fn l2_an_agent_tool_takes_the_declared_types() {
        let forecaster = Forecaster::builder().model(script([say(PARIS)])).build().await.unwrap();
        let tool = AgentTool::new(&forecaster).spec();
        assert_eq!(tool.definition().input_schema["required"], json!(["city"]));
        assert!(tool.definition().output_schema.is_some());
        assert_eq!(
            onionskin::call!(tool, city = "Paris").await.unwrap(),
            json!({ "city": "Paris", "degrees": 21 })
        );
        let error =
            onionskin::call!(ToolSpec::from(AgentTool::new(&forecaster)), town = "Paris").await.unwrap_err();
        assert!(error.to_string().contains("`city`: missing"), "{error}");
    }
}

/// Looks up the wind.
#[tool(approval)]
fn wind(city: String) -> String {
    format!("{city}: 3")
}

agent! {
    Careful { instruction: "Report.", function_tools: [wind], output: Report }
}

#[tokio::test]
async fn a8_a_paused_run_is_resumed_to_its_answer() {
    let asks = ScriptedTurn::call("wind", json!({ "city": "Paris" }));
    for native in [true, false] {
        let answer = if native { say(PARIS) } else { answers(right()) };
        let script = script_of(native, [asks.clone(), answer]);
        let careful = Careful::builder().model(Arc::clone(&script)).build_typed().await.unwrap();
        let Err(RunError::Paused(paused)) = careful.run("Paris?").await else { panic!("it pauses") };
        let (key, yes) = (paused.questions()[0].key(), onionskin::question::Answer::allow);
        // Each way goes on from the same records, as a process of its own reads them.
        let stored = || {
            serde_json::from_value::<onionskin::question::Paused>(serde_json::to_value(&paused).unwrap())
                .unwrap()
        };
        let run = careful
            .clone()
            .into_handle()
            .resume(&stored())
            .answer(key, yes())
            .run_as::<Report>()
            .await
            .unwrap();
        let typed = careful.resume(&stored()).answer(key, yes()).run().await.unwrap();
        assert_eq!(run.answer, typed.answer);
        let mut stream = careful.resume(&stored()).answer(key, yes()).stream();
        let partials = partials(&mut stream).await;
        assert_eq!(partials.last(), Some(&right()), "{partials:?}");
        assert_eq!(stream.output().await.unwrap().answer, paris());
        assert_eq!((run.answer, &*run.output.tool_calls[0].to_text()), (paris(), "Paris: 3"));
        assert_eq!(script.requests().len(), 4, "the first turn is not asked for again");
    }
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
enum Verdict {
    Paid { cents: u32 },
    Refused { reason: String },
    Unsure,
}

/// Ends with a payment.
#[tool(stop_after)]
fn pay(cents: u32) -> Verdict {
    Verdict::Paid { cents }
}

/// Ends without a payment.
#[tool(stop_after)]
fn refuse(reason: String) -> Verdict {
    if reason.is_empty() { Verdict::Unsure } else { Verdict::Refused { reason } }
}

agent! {
    Cashier { instruction: "Pay, or refuse.", function_tools: [pay, refuse], output: Verdict }
    Talker { instruction: "Say it.", function_tools: [close], output: String }
}

#[tokio::test]
async fn a8_a_call_of_an_output_function_is_the_answer() {
    let verdict = async |turn: ScriptedTurn| {
        let cashier = Cashier::builder().model(script([turn])).build_typed().await.unwrap();
        cashier.run("Pay?").await.unwrap().answer
    };
    let paid = ScriptedTurn::call("pay", json!({ "cents": 5 }));
    assert_eq!(verdict(paid).await, Verdict::Paid { cents: 5 });
    let refused = ScriptedTurn::call("refuse", json!({ "reason": "no" }));
    assert_eq!(verdict(refused).await, Verdict::Refused { reason: "no".to_owned() });
    assert_eq!(verdict(ScriptedTurn::call("refuse", json!({ "reason": "" }))).await, Verdict::Unsure);
    assert_eq!(verdict(say(r#"{"result": "Unsure"}"#)).await, Verdict::Unsure, "the model can answer itself");
}

#[tokio::test]
async fn a8_the_text_of_an_output_function_is_an_answer_that_is_text() {
    for text in ["closed", "12", "null", "say \"no\""] {
        let turn = ScriptedTurn::call("close", json!({ "text": text }));
        let run = Talker::builder().model(script([turn])).run_typed("Close.").await.unwrap();
        assert_eq!(run.answer, text);
    }
}
