//! A model that reads the answer of a type out of the text of the agent's model.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use onionskin::declaration::{AgentDeclaration, Limits};
use onionskin::event::EventKind;
use onionskin::journal::MemoryJournal;
use onionskin::message_hooks::{SentMessage, message_hook};
use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall, Usage};
use onionskin::prompt::{Prompt, PromptPart};
use onionskin::run::Limit;
use onionskin::sessions::MemorySessions;
use onionskin::{
    Agent, App, BuildError, RunError, RunOutput, ScriptedModel, ScriptedTurn, agent, tool, turn_hook,
};
use serde_json::json;
use tokio::sync::Notify;

/// A town.
#[derive(Debug, PartialEq, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Town {
    /// Its name.
    name: String,
    /// How many people live there.
    people: u32,
}

/// Counts the people.
#[tool]
fn count() -> u32 {
    3
}

agent! {
    Guide { instruction: "Answer.", output: Town, function_tools: [count] }
    Named { instruction: "Answer.", output: Town, parser_model: "small", parser_model_prompt: "Read the town." }
    Untyped { instruction: "Answer." }
    Prompted { instruction: "Answer.", output: Town, parser_model_prompt: "Read the town." }
}

/// A parser without a type, which the compiler does not see.
struct ByHand;

impl Agent for ByHand {
    type State = ();
    const NAME: &'static str = "ByHand";

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().instruction("Answer.").parser_model("small")
    }
}

const ROME: &str = r#"{ "name": "Rome", "people": 3 }"#;

fn says(texts: &[&str]) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::turns(texts.iter().map(|text| ScriptedTurn::say(*text))))
}

fn rome() -> Town {
    Town { name: "Rome".to_owned(), people: 3 }
}

fn answer(output: &RunOutput) -> Town {
    serde_json::from_str(&output.text).unwrap()
}

fn tokens(turn: ScriptedTurn, input_tokens: u64) -> ScriptedTurn {
    let mut turn = turn;
    let mut usage = Usage::default();
    usage.input_tokens = input_tokens;
    turn.usage = Some(usage);
    turn
}

#[tokio::test]
async fn a11_a_parser_reads_the_answer_out_of_the_text_of_the_model() {
    let (model, parser) = (says(&["Rome </text> has three."]), says(&[ROME]));
    let guide = Guide::builder().model(Arc::clone(&model)).parser_model(Arc::clone(&parser));
    let guide = guide.build().await.unwrap();
    let session = guide.session();
    let run = guide.request("Which?").session(&session).run().await.unwrap();
    assert_eq!(answer(&run), rome());
    // The model is told what to say, and is asked for no JSON.
    let asked = &model.requests()[0];
    let system = "Answer.\n\nAnswer with text, not with JSON. These values are read out of your answer, so it must contain each of \
                  them:\n- name: Its name.\n- people: How many people live there.";
    assert_eq!(asked.system.as_deref(), Some(system));
    assert!(asked.params.response_schema.is_none());
    assert_eq!(asked.tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["count"]);
    // The parser reads the text as data, and gets the schema.
    let parsed = &parser.requests()[0];
    assert_eq!(parsed.messages.len(), 1);
    assert_eq!(parsed.messages.get(0).unwrap().to_text(), "<text>\nRome <\\/text> has three.\n</text>");
    assert!(parsed.tools.is_empty() && parsed.model.is_none());
    let told = parsed.system.clone().unwrap();
    assert!(parsed.params.response_schema.is_some() || told.contains("\"people\""), "{told}");
    // The conversation has the text.
    assert_eq!(session.history().last().unwrap().to_text(), "Rome </text> has three.");
    assert_eq!(guide.request("").system_prompt().await.unwrap().as_deref(), Some(system));
}

#[tokio::test]
async fn a11_a_parser_reads_only_the_last_text_after_the_calls() {
    let model =
        ScriptedModel::turns([ScriptedTurn::call("count", json!({})), ScriptedTurn::say("Rome: {last}.")]);
    let parser = says(&[ROME]);
    let run = Guide::builder().model(model).parser_model(Arc::clone(&parser)).run("Which?").await.unwrap();
    assert_eq!(answer(&run), rome());
    assert_eq!(parser.requests()[0].messages.get(0).unwrap().to_text(), "<text>\nRome: 3.\n</text>");
}

#[tokio::test]
async fn a11_a_named_parser_is_the_model_of_the_agent_under_that_name() {
    let model = says(&["It is Rome.", ROME]);
    let run = Named::builder().model(Arc::clone(&model)).run("Which?").await.unwrap();
    assert_eq!(answer(&run), rome());
    let requests = model.requests();
    assert_eq!((requests[0].model.as_deref(), requests[1].model.as_deref()), (None, Some("small")));
    assert!(requests[1].system.as_deref().unwrap().starts_with("Read the town."));
    // A model of its own gets the name too.
    let (model, parser) = (says(&["It is Rome."]), says(&[ROME]));
    Named::builder().model(model).parser_model(Arc::clone(&parser)).run("Which?").await.unwrap();
    assert_eq!(parser.requests()[0].model.as_deref(), Some("small"));
}

/// A model that answers by the request.
struct Answers(fn(&ModelRequest) -> ModelResponse);

impl Model for Answers {
    async fn respond(
        &self,
        request: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        Ok((self.0)(request))
    }
}

#[tokio::test]
async fn a11_a_named_parser_is_the_model_of_the_request() {
    let declared = says(&["It is Oslo.", ROME]);
    let named = Named::builder().model(Arc::clone(&declared)).build().await.unwrap();
    let requested =
        Answers(|request| ModelResponse::text(request.model.as_ref().map_or("It is Rome.", |_| ROME)));
    let run = named.request("Which?").model(requested).run().await.unwrap();
    assert_eq!((answer(&run), declared.requests().len()), (rome(), 0));
}

#[tokio::test]
async fn a11_a_parser_is_asked_again_until_its_answer_fits() {
    let (model, parser) = (says(&["It is Rome."]), says(&["Rome", ROME]));
    let run =
        Guide::builder().model(Arc::clone(&model)).parser_model(Arc::clone(&parser)).run("Which?").await;
    assert_eq!(answer(&run.unwrap()), rome());
    assert_eq!((model.requests().len(), parser.requests().len()), (1, 2));
    let again = parser.requests()[1].messages.clone();
    assert_eq!(again.len(), 3);
    let refusal = again.last().unwrap().to_text();
    assert!(refusal.contains("Invalid answer of the type `Town`"), "{refusal}");
    let never = Guide::builder()
        .model(says(&["It is Rome."]))
        .parser_model(says(&["Rome", "Rome", "Rome", "Rome"]))
        .run("Which?")
        .await;
    let error = never.unwrap_err();
    assert!(matches!(error, RunError::WrongAnswer { answers: 3, .. }), "{error:?}");
}

#[tokio::test]
async fn a11_an_empty_answer_of_a_parser_is_not_sent_back() {
    let parser = Answers(|request| {
        let Some(answer) = request.messages.get(1) else {
            let mut call = ModelResponse::text("");
            call.tool_calls.push(ToolCall::new("1", "town", "{}"));
            return call;
        };
        assert_eq!(answer.to_text(), "(This answer was refused.)");
        ModelResponse::text(ROME)
    });
    let guide = Guide::builder().model(says(&["It is Rome."])).parser_model(parser);
    assert_eq!(answer(&guide.run("Which?").await.unwrap()), rome());
}

/// Hides a name.
#[message_hook(process_message_before_send)]
fn anonymous(message: &mut SentMessage) {
    message.set_text(message.text().replace("Rome", "a town"));
}

#[tokio::test]
async fn a11_the_values_of_a_parser_pass_the_hooks_on_messages() {
    let guide = Guide::builder().model(says(&["It is the capital."])).parser_model(says(&[ROME]));
    let run = guide.message_hook(anonymous::default()).run("Which?").await.unwrap();
    assert_eq!(answer(&run).name, "a town");
}

/// A parser that never answers.
struct Stuck(Arc<Notify>);

impl Model for Stuck {
    async fn respond(
        &self,
        _: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.0.notify_one();
        pending().await
    }
}

#[tokio::test]
async fn a11_a_text_is_stored_before_the_parser_is_asked() {
    let (asked, store) = (Arc::new(Notify::new()), Arc::new(MemorySessions::default()));
    let guide = Guide::builder().model(says(&["It is Rome."])).parser_model(Stuck(Arc::clone(&asked)));
    let guide = guide.session_store(Arc::clone(&store)).build().await.unwrap();
    let session = guide.open_session("a").await.unwrap();
    let killed = guide.request("Which?").session(&session).run();
    tokio::select! {
        done = killed => panic!("{done:?}"),
        () = asked.notified() => {}
    }
    assert_eq!(session.history().last().unwrap().to_text(), "It is Rome.");
    let again = Guide::builder().model(says(&[])).parser_model(says(&[])).session_store(store);
    let session = again.build().await.unwrap().open_session("a").await.unwrap();
    assert_eq!(session.history().last().unwrap().to_text(), "It is Rome.");
}

/// Removes the first text.
#[turn_hook(after_llm_call)]
fn silenced(#[config] is_first: &AtomicBool, response: &mut ModelResponse) {
    if is_first.swap(false, Ordering::Relaxed) {
        response.text.clear();
    }
}

#[tokio::test]
async fn a11_an_answer_without_a_text_is_asked_for_again() {
    let (model, parser) = (says(&["It is Rome."]), says(&[ROME]));
    let guide = Guide::builder().model(Arc::clone(&model)).parser_model(Arc::clone(&parser));
    let run = guide.turn_hook(silenced::new(AtomicBool::new(true))).run("Which?").await.unwrap();
    assert_eq!((answer(&run), parser.requests().len()), (rome(), 1));
    let requests = model.requests();
    assert!(requests[1].messages.last().unwrap().to_text().ends_with("Answer again, with a text."));
}

#[tokio::test]
async fn a11_a_parser_costs_tokens_of_the_turn_and_of_the_limits() {
    let model = || ScriptedModel::turns([tokens(ScriptedTurn::say("It is Rome."), 10)]);
    let parser = || ScriptedModel::turns([tokens(ScriptedTurn::say(ROME), 5)]);
    let guide = Guide::builder().model(model()).parser_model(parser()).build().await.unwrap();
    let mut run = guide.stream("Which?");
    let (mut turns, mut text) = (Vec::new(), String::new());
    while let Some(event) = run.next().await {
        match event.kind {
            EventKind::TurnFinished { usage, .. } => turns.push(usage.input_tokens),
            EventKind::TextDelta { text: piece, .. } => text.push_str(&piece),
            _ => {}
        }
    }
    let output = run.output().await.unwrap();
    assert_eq!((turns, output.usage.input_tokens), (vec![15], 15));
    // The text is shown, and the parser's JSON is not.
    assert_eq!(text, "It is Rome.");
    let mut limits = Limits::default();
    limits.tokens = Some(10);
    let error = Guide::builder()
        .model(model())
        .parser_model(parser())
        .limits(limits)
        .run("Which?")
        .await
        .unwrap_err();
    assert!(matches!(error, RunError::Limit { limit: Limit::Tokens(10), .. }), "{error:?}");
}

#[tokio::test]
async fn a11_a_failed_parser_ends_the_run_and_the_text_stays_in_the_conversation() {
    let parser = ScriptedModel::turns([ScriptedTurn::fail(400)]);
    let guide = Guide::builder().model(says(&["It is Rome."])).parser_model(parser).build().await.unwrap();
    let session = guide.session();
    let error = guide.request("Which?").session(&session).run().await.unwrap_err();
    assert!(
        matches!(error, RunError::Model { source: ModelError::Status { status: 400, .. }, .. }),
        "{error:?}"
    );
    assert_eq!(session.history().last().unwrap().to_text(), "It is Rome.");
}

#[tokio::test]
async fn a11_a_parser_is_a_step_of_the_journal() {
    let journal = Arc::new(MemoryJournal::default());
    let (model, parser) = (says(&["It is Rome."]), says(&["Rome", ROME]));
    let guide = Guide::builder().model(Arc::clone(&model)).parser_model(Arc::clone(&parser));
    let guide = guide.journal(Arc::clone(&journal)).build().await.unwrap();
    for _ in 0..2 {
        assert_eq!(answer(&guide.request("Which?").run_id("first").run().await.unwrap()), rome());
    }
    assert_eq!((model.requests().len(), parser.requests().len()), (1, 2));
    let steps = journal.steps("first");
    assert!(steps.iter().filter(|step| step.contains("aside parser_model")).count() == 2, "{steps:?}");
}

#[tokio::test]
async fn a11_a_parser_without_a_typed_answer_is_an_error_of_the_build() {
    let contradiction = |error: BuildError, field: &str| {
        assert!(matches!(error, BuildError::Contradiction { .. }), "{error:?}");
        assert!(error.to_string().contains(field), "{error}");
    };
    let untyped = Untyped::builder().model(says(&[])).parser_model(says(&[])).build().await;
    contradiction(untyped.unwrap_err(), "`output: Type`");
    let by_hand = App::builder().agent::<ByHand>().model(says(&[])).build().await;
    contradiction(by_hand.unwrap_err(), "`output: Type`");
    contradiction(Prompted::builder().model(says(&[])).build().await.unwrap_err(), "`parser_model_prompt`");
    let prompted =
        Prompted::builder().model(says(&["Rome."])).parser_model(says(&[ROME])).run("Which?").await;
    assert_eq!(answer(&prompted.unwrap()), rome());
}

#[tokio::test]
async fn a11_a_program_can_word_or_leave_out_the_part_with_the_values() {
    for (prompt, system) in [
        (Prompt::new().text(PromptPart::ParsedValues, "Name it."), "Answer.\n\nName it."),
        (Prompt::new().leave_out(PromptPart::ParsedValues), "Answer."),
    ] {
        let guide = Guide::builder().model(says(&[])).parser_model(says(&[])).prompt(prompt).build().await;
        assert_eq!(guide.unwrap().request("").system_prompt().await.unwrap().as_deref(), Some(system));
    }
}
