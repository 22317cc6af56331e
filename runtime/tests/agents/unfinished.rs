//! Answers that are not whole: how they end a run, and that the conversation stays one that providers take.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin::declaration::{AgentDeclaration, Limits};
use onionskin::event::EventKind;
use onionskin::model::{
    History, HistoryError, Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse,
    RequestOption, StopReason, ToolCall, ToolResultMessage,
};
use onionskin::run::{AgentRun, MisuseError, SavedSession, SavedSessionError};
use onionskin::turn_hooks::TurnRequest;
use onionskin::{Agent, BuildError, RunError, ScriptedModel, ScriptedTurn, State, agent, tool, turn_hook};
use serde_json::json;
use tokio::time::Instant;

/// Gives prepared answers, whatever it is asked.
#[derive(Clone, Default)]
struct Answers {
    left: Arc<Mutex<VecDeque<Result<ModelResponse, ModelError>>>>,
    asked: Arc<Mutex<Vec<History>>>,
}

impl Answers {
    fn new(answers: impl IntoIterator<Item = ModelResponse>) -> Self {
        Self::from_results(answers.into_iter().map(Ok))
    }

    fn from_results(answers: impl IntoIterator<Item = Result<ModelResponse, ModelError>>) -> Self {
        Self { left: Arc::new(Mutex::new(answers.into_iter().collect())), asked: Arc::default() }
    }

    fn histories(&self) -> Vec<History> {
        self.asked.lock().unwrap().clone()
    }
}

impl Model for Answers {
    async fn respond(
        &self,
        request: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.asked.lock().unwrap().push(request.messages.clone());
        self.left.lock().unwrap().pop_front().expect("an answer for each request")
    }

    fn supports(&self, option: RequestOption) -> bool {
        matches!(option, RequestOption::ResponseSchema)
    }
}

/// How often the tool ran.
#[derive(Clone, Default)]
struct Paid(Arc<Mutex<u32>>);

/// Pays.
#[tool]
fn pay(paid: State<Paid>, cents: u32) -> String {
    *paid.0.lock().unwrap() += cents;
    format!("paid {cents}")
}

/// Ends the run.
#[tool(stop_after)]
fn close() -> &'static str {
    "closed"
}

agent! {
    Clerk { name: "clerk", description: "Pays.", instruction: "Serve.", state: Paid, function_tools: [pay, close] }
    Head { name: "head", instruction: "Ask.", state: Paid, agents: [Clerk] }
}

fn said(text: &str, stop: StopReason) -> ModelResponse {
    let mut answer = ModelResponse::text(text);
    answer.stop = stop;
    answer
}

fn pays(stop: StopReason) -> ModelResponse {
    let mut answer = ModelResponse::tool_calls([ToolCall::new("call_1", "pay", r#"{"cents": 5}"#)]);
    answer.stop = stop;
    answer
}

const NOT_WHOLE: [StopReason; 4] =
    [StopReason::Length, StopReason::ContentFilter, StopReason::Refusal, StopReason::Incomplete];

#[tokio::test]
async fn o3_an_answer_that_is_not_whole_ends_the_run_with_its_text() {
    for stop in NOT_WHOLE {
        for text in ["The first half", ""] {
            let model = Answers::new([said(text, stop), said("Well.", StopReason::Done)]);
            let clerk = Clerk::builder().state(Paid::default()).model(model.clone()).build().await.unwrap();
            let session = clerk.session();
            let error = clerk.request("Tell me.").session(&session).run().await.unwrap_err();
            let RunError::Unfinished { stop: told, text: kept, .. } = &error else { panic!("{error}") };
            assert_eq!((*told, &**kept), (stop, text));
            assert!(error.to_string().contains(&stop.to_string()), "{error}");
            assert_eq!(error.to_string().contains("The first half"), !text.is_empty(), "{error}");
            // An empty message would make the provider refuse all that follows.
            assert_eq!(
                (session.history().len(), session.history().check()),
                (1 + usize::from(!text.is_empty()), Ok(()))
            );
            let output = clerk.request("And now?").session(&session).run().await.unwrap();
            assert_eq!((&*output.text, output.stop, model.histories().len()), ("Well.", StopReason::Done, 2));
        }
    }
}

#[tokio::test]
async fn o3_an_output_says_why_the_model_stopped() {
    let closes = ModelResponse::tool_calls([ToolCall::new("a", "close", "{}")]);
    let cases = [
        (said("Yes.", StopReason::Done), StopReason::Done),
        (said("Yes.", StopReason::Other), StopReason::Other),
        (closes, StopReason::ToolCalls),
    ];
    for (answer, stop) in cases {
        let clerk = Clerk::builder().state(Paid::default()).model(Answers::new([answer]));
        assert_eq!(clerk.run("Go.").await.unwrap().stop, stop);
    }
    // That of a child is not that of its parent.
    let model = Answers::new([
        ModelResponse::tool_calls([ToolCall::new("a", "agent__clerk", r#"{"input": "Go."}"#)]),
        said("Done.", StopReason::Done),
        said("It is done.", StopReason::Other),
    ]);
    let output = Head::builder().state(Paid::default()).model(model).run("Go.").await.unwrap();
    assert_eq!((output.stop, output.turns), (StopReason::Other, 2));
}

#[tokio::test]
async fn o3_calls_of_an_answer_that_is_not_whole_do_not_run() {
    for stop in NOT_WHOLE {
        let paid = Paid::default();
        let clerk =
            Clerk::builder().state(paid.clone()).model(Answers::new([pays(stop)])).build().await.unwrap();
        let session = clerk.session();
        let error = clerk.request("Pay.").session(&session).run().await.unwrap_err();
        assert!(matches!(error, RunError::Unfinished { stop: told, .. } if told == stop), "{error}");
        assert_eq!(*paid.0.lock().unwrap(), 0);
        let history = session.history();
        assert_eq!(history.check(), Ok(()));
        let Some(Message::Tool { results, .. }) = history.last() else { panic!("{history:?}") };
        assert!(results.len() == 1 && results[0].is_error, "{results:?}");
    }
}

#[tokio::test]
async fn a8_a_typed_answer_is_not_asked_for_again_after_a_refusal() {
    for stop in NOT_WHOLE {
        // The second text would fit, and so would the first: it may be cut behind a whole number.
        let model =
            Answers::new([said(r#"{"result": 4}"#, stop), said(r#"{"result": 42}"#, StopReason::Done)]);
        let clerk = Clerk::builder().state(Paid::default()).model(model.clone()).build().await.unwrap();
        let error = clerk.run_as::<u32>("How many?").await.unwrap_err();
        assert!(matches!(error, RunError::Unfinished { stop: told, .. } if told == stop), "{error}");
        assert_eq!(model.histories().len(), 1);
    }
    let clerk = Clerk::builder()
        .state(Paid::default())
        .model(Answers::new([said(r#"{"result": 42}"#, StopReason::Done)]));
    let run = clerk.build().await.unwrap().run_as::<u32>("How many?").await.unwrap();
    assert_eq!((run.answer, run.output.stop), (42, StopReason::Done));
}

#[tokio::test]
async fn a5_a_parent_reads_that_the_answer_of_its_child_is_not_whole() {
    let model = Answers::new([
        ModelResponse::tool_calls([ToolCall::new("a", "agent__clerk", r#"{"input": "Tell me."}"#)]),
        said("The first half", StopReason::Length),
        said("It was cut.", StopReason::Done),
    ]);
    let head = Head::builder().state(Paid::default()).model(model.clone()).build().await.unwrap();
    assert_eq!(head.run("Ask.").await.unwrap().text, "It was cut.");
    let read = model.histories().last().unwrap().last().unwrap().clone();
    let Message::Tool { results, .. } = &read else { panic!("{read:?}") };
    assert!(results[0].is_error, "{read:?}");
    assert!(read.to_text().contains("token limit") && read.to_text().contains("The first half"), "{read:?}");
}

struct Long;

impl Agent for Long {
    const NAME: &'static str = "long";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().instruction("Write.").until("THE END")
    }
}

#[tokio::test]
async fn a12_a_run_until_a_text_goes_on_after_a_cut_answer_and_not_after_a_refusal() {
    let model =
        Answers::new([said("Once", StopReason::Length), said("upon a time. THE END", StopReason::Done)]);
    assert_eq!(Long::builder().model(model).run("Go.").await.unwrap().text, "upon a time. THE END");
    for stop in [StopReason::Refusal, StopReason::ContentFilter, StopReason::Incomplete] {
        let error = Long::builder().model(Answers::new([said("No.", stop)])).run("Go.").await.unwrap_err();
        assert!(matches!(error, RunError::Unfinished { .. }), "{error}");
    }
}

/// Decides by itself.
async fn decide(run: &AgentRun, input: String) -> Result<String, RunError> {
    let empty = run.append(Message::user(" ")).unwrap_err();
    assert!(matches!(empty, RunError::Misuse { source: MisuseError::EmptyMessage, .. }), "{empty}");
    run.append(Message::user(input))?;
    let answer = run.ask().await?;
    Ok(format!("{}: {}", answer.stop, answer.text))
}

agent! { ByHand { instruction: "Write.", run: decide } }

#[tokio::test]
async fn a6_a_loop_by_hand_decides_about_an_answer_that_is_not_whole() {
    let output =
        ByHand::builder().model(Answers::new([said("Half", StopReason::Length)])).run("Go.").await.unwrap();
    assert_eq!(
        (&*output.text, output.stop),
        ("the answer reached the token limit: Half", StopReason::Length)
    );
}

#[tokio::test(start_paused = true)]
async fn o3_an_answer_without_what_it_announces_is_asked_for_again() {
    let faults = [
        said("", StopReason::Done),
        said(" \n", StopReason::Other),
        said("", StopReason::ToolCalls),
        said("I look it up.", StopReason::ToolCalls),
    ];
    for fault in faults {
        let model = Answers::new([fault.clone(), said("Well.", StopReason::Done)]);
        let output = Clerk::builder().state(Paid::default()).model(model).run("Go.").await.unwrap();
        assert_eq!((&*output.text, output.turns), ("Well.", 1));

        let model = Answers::new(vec![fault; 3]);
        let clerk = Clerk::builder().state(Paid::default()).model(model.clone()).build().await.unwrap();
        let session = clerk.session();
        let error = clerk.request("Go.").session(&session).run().await.unwrap_err();
        assert!(matches!(&error, RunError::Model { source: ModelError::Incomplete(_), .. }), "{error}");
        assert_eq!((model.histories().len(), session.history().check()), (3, Ok(())));
    }
}

#[tokio::test(start_paused = true)]
async fn o3_the_pause_that_a_provider_asks_for_is_bounded_and_said() {
    let long = Duration::from_secs(999_999_999_999);
    let slow = || Err(ModelError::status(429, "Slow down", Some(long)));
    let clerk = Clerk::builder()
        .state(Paid::default())
        .model(Answers::from_results([slow(), Ok(said("Now.", StopReason::Done))]));
    let clerk = clerk.build().await.unwrap();
    let began = Instant::now();
    let mut run = clerk.stream("Go.");
    let mut notices = Vec::new();
    while let Some(event) = run.next().await {
        if let EventKind::Notice { text, .. } = event.kind {
            notices.push(text);
        }
    }
    assert_eq!(run.output().await.unwrap().text, "Now.");
    assert!(began.elapsed() <= Duration::from_secs(61), "{:?}", began.elapsed());
    assert!(
        notices[0].contains("it asks to wait 999999999999s") && notices[0].ends_with("asking again in 60s"),
        "{notices:?}"
    );

    // The pauses are part of the run's time, and the error has the provider's words.
    let mut limits = Limits::default();
    limits.time = Some(Duration::from_secs(30));
    let clerk = Clerk::builder().state(Paid::default()).limits(limits).model(Answers::from_results([slow()]));
    let began = Instant::now();
    let error = clerk.run("Go.").await.unwrap_err();
    assert!(
        matches!(&error, RunError::Model { source: ModelError::Status { status: 429, .. }, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("Slow down (it asks to wait 999999999999s)"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn o3_a_provider_that_asks_for_no_pause_is_not_asked_again_at_once() {
    let busy = || Err(ModelError::status(429, "Slow down", Some(Duration::ZERO)));
    let gone = || Err(ModelError::unavailable("closed", Some(Duration::ZERO)));
    for refused in [[busy(), busy()], [gone(), gone()]] {
        let results = refused.into_iter().chain([Ok(said("Now.", StopReason::Done))]);
        let clerk = Clerk::builder().state(Paid::default()).model(Answers::from_results(results));
        let clerk = clerk.build().await.unwrap();
        let began = Instant::now();
        assert_eq!(clerk.run("Go.").await.unwrap().text, "Now.");
        assert!(began.elapsed() >= Duration::from_millis(1_500), "{:?}", began.elapsed());
    }
}

fn asks(id: &str) -> Message {
    ModelResponse::tool_calls([ToolCall::new(id, "pay", r#"{"cents": 5}"#)]).into()
}

fn tool_results(id: &str) -> Message {
    Message::tool([ToolResultMessage::new(id, "pay", ["paid 5".into()])])
}

/// Conversations that no provider takes, with the index of the wrong message.
fn refused() -> Vec<(Vec<Message>, usize)> {
    let hi = || Message::user("Hi.");
    vec![
        (vec![hi(), asks("a")], 1),
        (vec![hi(), asks("a"), hi()], 1),
        (vec![hi(), tool_results("a")], 1),
        (vec![hi(), asks("a"), tool_results("a"), tool_results("a")], 3),
        (vec![hi(), asks("a"), tool_results("a"), asks("a"), tool_results("a")], 3),
        (vec![hi(), Message::user(""), Message::assistant("Yes.")], 1),
        (vec![hi(), Message::assistant(" ")], 1),
    ]
}

#[tokio::test]
async fn a7_a_history_that_no_provider_takes_is_refused_wherever_it_is_set() {
    let built = || Clerk::builder().state(Paid::default()).model(Answers::default());
    let session = built().build().await.unwrap().session();
    for (messages, index) in refused() {
        let error = session.set_history(messages.clone()).unwrap_err();
        assert_eq!((error.index(), session.history().len()), (index, 0), "{error}");

        for (part, stored) in [
            ("history", json!({ "version": 1, "history": messages, "values": {}, "children": {} })),
            (
                "children.clerk",
                json!({ "version": 1, "history": [], "values": {}, "children": { "clerk": messages } }),
            ),
        ] {
            let error = SavedSession::from_json(&stored.to_string()).unwrap_err();
            let SavedSessionError::Unreadable { part: told, .. } = &error else { panic!("{error}") };
            assert_eq!(*told, format!("{part}[{index}]"));
        }

        let Err(error) = built().messages(messages.clone()).build().await else { panic!("it is built") };
        assert!(
            matches!(&error, BuildError::Messages { agent, source, .. } if agent == "clerk" && source.index() == index),
            "{error}"
        );
        let mut request = TurnRequest::new(ModelRequest::new([Message::user("Hi.")]));
        assert_eq!(request.set_messages(messages).unwrap_err().index(), index);
        assert_eq!(request.messages().len(), 1);
    }
}

/// Empties what the model reads.
#[turn_hook(before_llm_call)]
fn empties(request: &mut TurnRequest) -> Result<(), HistoryError> {
    request.set_messages([Message::user("")])
}

#[tokio::test]
async fn a7_an_empty_message_reaches_no_model() {
    let model = Answers::default();
    let clerk = Clerk::builder().state(Paid::default()).model(model.clone()).build().await.unwrap();
    let error = clerk.run(" ").await.unwrap_err();
    assert!(matches!(&error, RunError::NoInput { agent, .. } if &**agent == "clerk"), "{error}");

    let clerk = Clerk::builder().state(Paid::default()).model(model.clone()).turn_hook(empties::new());
    let error = clerk.run("Go.").await.unwrap_err();
    let RunError::TurnHook { source, .. } = &error else { panic!("{error}") };
    assert!(matches!(source.downcast_ref(), Some(HistoryError::Empty { index: 0, .. })), "{error}");
    assert_eq!(model.histories().len(), 0);
}

#[tokio::test]
async fn a12_a_script_is_played_at_the_same_place_after_many_turns() {
    let turns = (0..300).map(|number| ScriptedTurn::say(format!("Answer {number}.")));
    let clerk =
        Clerk::builder().state(Paid::default()).model(ScriptedModel::turns(turns)).build().await.unwrap();
    let session = clerk.session();
    for number in 0..300_u64 {
        let output = clerk.request("Go on.").session(&session).run().await.unwrap();
        assert_eq!(output.text, format!("Answer {number}."));
        assert_eq!((output.usage.input_tokens, output.usage.output_tokens), (4 * number + 2, 2));
    }
}
