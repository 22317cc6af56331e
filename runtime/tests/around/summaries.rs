//! A9: the ready-made turn hook that replaces the oldest messages by a summary.

use std::future::pending;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use onionskin::content::Resource;
use onionskin::declaration::Limits;
use onionskin::event::EventKind;
use onionskin::journal::MemoryJournal;
use onionskin::model::{
    History, Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall, Usage,
};
use onionskin::prompt::{Prompt, PromptPart};
use onionskin::run::SavedSession;
use onionskin::turn_hooks::{
    SessionSummary, SummaryError, SummaryFailure, SummaryOptions, TurnRequest, summarize,
};
use onionskin::{
    AgentHandle, AgentTool, CancellationToken, RunError, Secret, Session, agent, tool, turn_hook, turn_hooks,
};
use proptest::prelude::*;

use crate::trimming::conversation;

const SUMMARY: &str = "<summary_of_earlier_messages>";

/// What a [`Talker`] does with requests for a summary.
#[derive(Clone, Copy, PartialEq)]
enum Summaries {
    Numbered,
    Fail,
    Cut,
    Hang,
}

/// Answers with the number of the request, and calls a tool if the request says so.
struct Talker {
    summaries: Summaries,
    requests: Mutex<Vec<ModelRequest>>,
    dropped: AtomicBool,
    /// Whether the next answer after results of tools fails.
    fails_once: AtomicBool,
}

impl Talker {
    fn new(summaries: Summaries) -> Arc<Self> {
        Arc::new(Self {
            summaries,
            requests: Mutex::default(),
            dropped: AtomicBool::default(),
            fails_once: AtomicBool::default(),
        })
    }

    /// What it was asked to summarize, one text for each request.
    fn summarized(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests
            .iter()
            .filter(|request| is_summary(request))
            .map(|request| request.messages[0].to_text().into_owned())
            .collect()
    }

    /// The messages of the other requests, as texts.
    fn main_requests(&self) -> Vec<Vec<String>> {
        let requests = self.requests.lock().unwrap();
        let asked = requests.iter().filter(|request| !is_summary(request));
        asked
            .map(|request| request.messages.iter().map(|message| message.to_text().into_owned()).collect())
            .collect()
    }
}

fn is_summary(request: &ModelRequest) -> bool {
    request.system.as_deref().is_some_and(|system| system.starts_with("Summarize"))
}

struct Drops<'t>(&'t AtomicBool);

impl Drop for Drops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Model for Talker {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let number = {
            let mut requests = self.requests.lock().unwrap();
            requests.push(request.clone());
            requests.iter().filter(|other| is_summary(other) == is_summary(request)).count()
        };
        let mut response = if is_summary(request) {
            match self.summaries {
                Summaries::Numbered => ModelResponse::text(format!("Summary {number}.")),
                Summaries::Fail => return Err(ModelError::setup("out of ink")),
                Summaries::Cut => {
                    let mut answer = ModelResponse::text("Half a summ");
                    answer.stop = onionskin::model::StopReason::Length;
                    answer
                }
                Summaries::Hang => {
                    let _drops = Drops(&self.dropped);
                    pending().await
                }
            }
        } else {
            ModelResponse::text(format!("Answer {number}. {}", "x".repeat(30)))
        };
        let newest = request.messages.last().unwrap();
        if matches!(newest, Message::Tool { .. }) && self.fails_once.swap(false, Ordering::SeqCst) {
            return Err(ModelError::setup("broken"));
        }
        if matches!(newest, Message::User { .. }) && !is_summary(request) {
            let text = newest.to_text();
            let input = format!(r#"{{"input": "Look up. {}"}}"#, "y".repeat(200));
            let call = |number, tool, input: &str| ToolCall::new(format!("c{number}"), tool, input);
            if text.contains("Look up") {
                response = ModelResponse::tool_calls([0, 1].map(|number| call(number, "look_up", "{}")));
            } else if text.contains("Ask all") {
                let tools = ["agent__Clerk", "agent__Clerk", "thread"].into_iter().enumerate();
                response = ModelResponse::tool_calls(tools.map(|(number, tool)| call(number, tool, &input)));
            }
        }
        deltas(ModelDelta::Text(response.text.clone()));
        response.usage = Usage::new(100, 10);
        Ok(response)
    }
}

/// Looks something up.
#[tool]
fn look_up() -> String {
    "found ".repeat(10)
}

/// Each message has about 15 tokens here.
fn options() -> SummaryOptions {
    SummaryOptions::above(60).keep(31)
}

agent! {
    Clerk {
        description: "Knows things.",
        instruction: "Answer.",
        function_tools: [look_up], turn_hooks: [turn_hooks::summarize(options())] }
    Plain { instruction: "Answer.", function_tools: [look_up] }
    Lead {
        instruction: "Answer.",
        additional_context: "Lead.",
        agents: [Clerk],
        add_session_state_to_context: true,
        turn_hooks: [summarize(options())],
    }
}

async fn clerk(model: &Arc<Talker>) -> AgentHandle {
    Clerk::builder().model(Arc::clone(model)).build().await.unwrap()
}

fn input(number: usize) -> String {
    format!("Question {number}. {}", "y".repeat(29))
}

/// Asks these questions in a session.
async fn ask_all(clerk: &AgentHandle, session: &Session, questions: RangeInclusive<usize>) {
    for number in questions {
        clerk.request(input(number)).session(session).run().await.unwrap();
    }
}

/// A conversation with this number of questions.
fn talk(questions: usize) -> History {
    (0..questions).flat_map(|number| [Message::user(input(number)), Message::assistant("Yes.")]).collect()
}

agent! {
    Prompted {
        instruction: "Answer.",
        add_session_summary_to_context: true,
        turn_hooks: [turn_hooks::summarize(options())],
    }
}

#[tokio::test]
async fn a11_the_summary_of_the_session_is_in_the_prompt_and_not_in_the_messages_too() {
    let model = Talker::new(Summaries::Numbered);
    let prompt = Prompt::new().source(PromptPart::SessionSummary, SessionSummary);
    let prompted = Prompted::builder().model(Arc::clone(&model)).prompt(prompt).build().await.unwrap();
    let session = prompted.session();
    let mut requests = Vec::new();
    for number in 1..=6 {
        ask_all(&prompted, &session, number..=number).await;
        let asked = model.requests.lock().unwrap();
        let newest = asked.iter().rfind(|request| !is_summary(request)).unwrap();
        let system = newest.system.clone().unwrap();
        let in_prompt = system.strip_prefix("Answer.\n\n<session_summary>\n");
        let in_prompt = in_prompt.map(|text| text.trim_end_matches("\n</session_summary>").to_owned());
        let first = newest.messages[0].to_text();
        requests.push((model_summaries(&asked), in_prompt, first.contains(SUMMARY)));
        assert!(first.contains("Question"), "{first}");
    }
    // A turn that makes a summary has it in its messages, and later turns have it in the prompt.
    let mut made = 0;
    for (summaries, in_prompt, in_messages) in requests {
        let earlier = (made > 0).then(|| format!("Summary {made}."));
        assert_eq!((in_prompt, in_messages), (earlier, summaries > made));
        made = summaries;
    }
    assert!(made >= 2);
    // Another session has none.
    assert_eq!(prompted.system_prompt().await.unwrap().unwrap(), "Answer.");
}

fn model_summaries(requests: &[ModelRequest]) -> usize {
    requests.iter().filter(|request| is_summary(request)).count()
}

#[tokio::test]
async fn a9_each_old_message_is_summarized_once_and_the_newest_stay() {
    let model = Talker::new(Summaries::Numbered);
    let clerk = clerk(&model).await;
    let session = clerk.session();
    ask_all(&clerk, &session, 1..=5).await;
    assert_eq!(session.history().len(), 10, "the history stays whole");
    let summarized = model.summarized();
    assert_eq!(summarized.len(), 3, "{summarized:#?}");
    assert!(summarized[0].starts_with("<messages>\n{\"user\":\"Question 1."), "{summarized:#?}");
    assert!(
        summarized[1].starts_with("<summary>\nSummary 1.\n</summary>\n\n<messages>\n"),
        "{summarized:#?}"
    );
    for number in 1..=5 {
        let question = format!("Question {number}.");
        let times = summarized.iter().filter(|text| text.contains(&question)).count();
        assert!(times <= 1 && (times == 1) == (number < 5), "{question} {times}: {summarized:#?}");
    }
    let asked = model.main_requests();
    for texts in &asked[..2] {
        assert!(!texts[0].contains(SUMMARY));
    }
    assert!(asked[2][0].starts_with(&format!("{SUMMARY}\nSummary 1.\n</")), "{asked:#?}");
    assert!(asked[4][0].starts_with(&format!("{SUMMARY}\nSummary 3.\n</")), "{asked:#?}");
    assert!(asked[4].last().unwrap().contains("Question 5."));
}

#[tokio::test]
async fn a9_a_restored_session_has_its_summary() {
    let model = Talker::new(Summaries::Numbered);
    let first = clerk(&model).await;
    let session = first.session();
    session.state().set_secret("card", Secret::new("4711-0815".to_owned()));
    first.request(format!("My card is 4711-0815. {}", input(1))).session(&session).run().await.unwrap();
    ask_all(&first, &session, 2..=3).await;
    let summarized = model.summarized();
    assert!(summarized[0].contains("My card is") && !summarized[0].contains("4711"), "{summarized:?}");
    let saved = serde_json::to_string(&session.save()).unwrap();

    let later = Talker::new(Summaries::Numbered);
    let second = clerk(&later).await;
    let session = second.session();
    session.restore(SavedSession::from_json(&saved).unwrap()).unwrap();
    second.request("Short?").session(&session).run().await.unwrap();
    assert_eq!(later.summarized(), Vec::<String>::new());
    let newest = format!("Summary {}.", summarized.len());
    assert!(later.main_requests()[0][0].contains(&newest), "{:?}", later.main_requests());
}

#[tokio::test]
async fn a9_another_history_does_not_meet_the_summary() {
    let model = Talker::new(Summaries::Numbered);
    let clerk = clerk(&model).await;
    let session = clerk.session();
    ask_all(&clerk, &session, 1..=3).await;
    session
        .set_history(
            (0..4).flat_map(|_| [Message::user("Other."), Message::assistant("Yes.")]).collect::<History>(),
        )
        .unwrap();
    clerk.request("Short?").session(&session).run().await.unwrap();
    let asked = model.main_requests();
    assert!(asked.last().unwrap().iter().all(|text| !text.contains("Summary 1.")), "{asked:#?}");
}

#[tokio::test]
async fn a9_a_question_is_shown_while_its_answer_is_asked_for_again() {
    let model = Talker::new(Summaries::Numbered);
    let hook = summarize::new(SummaryOptions::above(40).keep(20));
    let agent = Plain::builder().model(Arc::clone(&model)).turn_hook(hook).build().await.unwrap();
    let session = agent.session();
    session.set_history(talk(2)).unwrap();
    // No answer fits.
    let ended = agent.request(input(7)).session(&session).run_as::<Vec<i64>>().await;
    assert!(matches!(ended, Err(RunError::WrongAnswer { .. })), "{ended:?}");
    let asked = model.main_requests();
    assert_eq!(asked.len(), 3);
    for texts in &asked {
        assert!(texts[0].starts_with(SUMMARY) && texts[0].ends_with(&input(7)), "{asked:#?}");
    }
}

#[tokio::test]
async fn a9_an_attached_text_is_summarized_by_its_length() {
    let model = Talker::new(Summaries::Numbered);
    let clerk = clerk(&model).await;
    let session = clerk.session();
    let notes = Resource::text("file:///notes.md", "One line.");
    let old = [Message::user_content(["Short.".into(), notes.into()]), Message::assistant("Yes.")];
    session.set_history(History::from_iter(old)).unwrap();
    clerk.request("Go.").session(&session).run().await.unwrap();
    assert_eq!(model.summarized(), Vec::<String>::new());
}

#[tokio::test]
async fn a9_a_replay_does_not_ask_for_the_summary_again() {
    let model = Talker::new(Summaries::Numbered);
    let clerk =
        Clerk::builder().model(Arc::clone(&model)).journal(MemoryJournal::default()).build().await.unwrap();
    let mut texts = Vec::new();
    for _ in 0..2 {
        let session = clerk.session();
        session.set_history(talk(4)).unwrap();
        let output = clerk.request("Look up.").session(&session).run_id("7").run().await.unwrap();
        texts.push((output.text, output.usage));
    }
    assert_eq!(texts[0], texts[1]);
    // The results of the calls are long, so the second turn has a summary too.
    assert_eq!((model.summarized().len(), model.main_requests().len()), (2, 2));
}

#[tokio::test]
async fn a9_a_run_that_failed_after_its_summary_goes_on_with_it() {
    let model = Talker::new(Summaries::Numbered);
    model.fails_once.store(true, Ordering::SeqCst);
    let clerk =
        Clerk::builder().model(Arc::clone(&model)).journal(MemoryJournal::default()).build().await.unwrap();
    let before = clerk.session();
    ask_all(&clerk, &before, 1..=3).await;
    let (saved, summaries) = (before.save(), model.summarized().len());
    assert_eq!(summaries, 1);
    for attempt in 1..=2 {
        let session = clerk.session();
        session.restore(saved.clone()).unwrap();
        let output =
            clerk.request(format!("Look up. {}", input(4))).session(&session).run_id("7").run().await;
        assert_eq!(output.is_ok(), attempt == 2, "{output:?}");
        // The run extended the earlier summary, in its first turn and in its second.
        assert_eq!(model.summarized().len(), summaries + 2);
    }
}

#[tokio::test]
async fn a9_a_summary_counts_into_the_usage_and_the_limits_and_is_not_shown() {
    let model = Talker::new(Summaries::Numbered);
    let agent = clerk(&model).await;
    let session = agent.session();
    session.set_history(talk(4)).unwrap();
    let mut stream = agent.request("Go.").session(&session).stream();
    let (mut text, mut usage) = (String::new(), Usage::default());
    while let Some(event) = stream.next().await {
        match event.kind {
            EventKind::TextDelta { text: delta, .. } => text.push_str(&delta),
            EventKind::TurnFinished { usage: of_turn, .. } => usage += of_turn,
            _ => {}
        }
    }
    let output = stream.output().await.unwrap();
    assert_eq!((&text, output.turns), (&output.text, 1));
    assert_eq!((output.usage, usage), (Usage::new(200, 20), Usage::new(200, 20)));

    // A turn that calls, then one that needs a summary.
    let mut limits = Limits::default();
    limits.tokens = Some(215);
    let agent =
        Clerk::builder().model(Talker::new(Summaries::Numbered)).limits(limits).build().await.unwrap();
    let session = agent.session();
    session.set_history(talk(4)).unwrap();
    let error = agent.request("Look up.").session(&session).run().await.unwrap_err();
    assert!(matches!(error, RunError::Limit { .. }), "{error}");
}

#[tokio::test]
async fn a9_a_summary_ends_with_its_run() {
    let model = Talker::new(Summaries::Hang);
    let clerk = clerk(&model).await;
    let token = CancellationToken::new();
    let session = clerk.session();
    session
        .set_history(History::from_iter([Message::user("z".repeat(400)), Message::assistant("Yes.")]))
        .unwrap();
    let run = clerk.request("Go.").session(&session).cancellation(token.clone()).run();
    let cancel = async {
        while model.summarized().is_empty() {
            tokio::task::yield_now().await;
        }
        token.cancel();
    };
    let (ended, ()) = tokio::join!(run, cancel);
    assert!(matches!(ended, Err(RunError::Cancelled { .. })), "{ended:?}");
    assert!(model.dropped.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a9_a_failed_summary_ends_the_run_or_falls_back() {
    for (summaries, failure) in [
        (Summaries::Fail, SummaryFailure::EndRun),
        (Summaries::Cut, SummaryFailure::EndRun),
        (Summaries::Fail, SummaryFailure::Cut),
        (Summaries::Fail, SummaryFailure::SendAll),
    ] {
        let model = Talker::new(summaries);
        let hook = summarize::new(options().on_failure(failure));
        let agent = Plain::builder().model(Arc::clone(&model)).turn_hook(hook).build().await.unwrap();
        let session = agent.session();
        let old = [Message::user("z".repeat(400)), Message::assistant("Yes.")];
        session.set_history(History::from_iter(old)).unwrap();
        let ended = agent.request("Go.").session(&session).run().await;
        match failure {
            SummaryFailure::EndRun => {
                let Err(RunError::TurnHook { source, .. }) = ended else { panic!("{ended:?}") };
                let error = source.downcast_ref::<SummaryError>().unwrap();
                assert!(
                    matches!(
                        (error, summaries),
                        (SummaryError::Model(_), Summaries::Fail)
                            | (SummaryError::NotWhole { .. }, Summaries::Cut)
                    ),
                    "{error}"
                );
            }
            SummaryFailure::Cut => {
                ended.unwrap();
                assert_eq!(model.main_requests(), [["Go."]]);
            }
            _ => {
                ended.unwrap();
                assert_eq!(model.main_requests()[0].len(), 3);
            }
        }
    }
}

agent! {
    Keeps { instruction: "Answer.", turn_hooks: [summarize(SummaryOptions::above(100).keep(100))] }
    Nothing { instruction: "Answer.", turn_hooks: [summarize(SummaryOptions::above(0))] }
}

#[tokio::test]
async fn a9_a_summary_of_nothing_is_an_error_before_the_first_turn() {
    let model = Talker::new(Summaries::Numbered);
    let error = Keeps::builder().model(Arc::clone(&model)).build().await.unwrap_err().to_string();
    assert!(error.contains("`keep(100)` of `SummaryOptions` is not below `above(100)`"), "{error}");
    let error = Nothing::builder().model(model).build().await.unwrap_err().to_string();
    assert!(error.contains("`SummaryOptions::above(0)`"), "{error}");
}

#[tokio::test]
async fn a9_another_model_and_instruction_write_the_summary_in_pieces() {
    let (model, small) = (Talker::new(Summaries::Numbered), Talker::new(Summaries::Numbered));
    let options = options().model(Arc::clone(&small)).instruction("Summarize in verse.");
    let agent =
        Plain::builder().model(Arc::clone(&model)).turn_hook(summarize::new(options)).build().await.unwrap();
    let session = agent.session();
    session.set_history(talk(10)).unwrap();
    agent.request("Go.").session(&session).run().await.unwrap();
    assert_eq!((model.summarized().len(), model.main_requests().len()), (0, 1));
    // More than one request should have is summarized in several.
    let pieces = small.summarized();
    assert!(pieces.len() > 2 && pieces[1].starts_with("<summary>\nSummary 1."), "{pieces:#?}");
    assert!(pieces.iter().all(|piece| piece.len() < 600), "{pieces:#?}");
    assert_eq!(small.requests.lock().unwrap()[0].system.as_deref(), Some("Summarize in verse."));
    assert!(model.main_requests()[0][0].contains(&format!("Summary {}.", pieces.len())));
}

#[tokio::test]
async fn a9_parents_children_and_agent_tools_have_summaries_of_their_own() {
    let model = Talker::new(Summaries::Numbered);
    let threads = AgentTool::new(&clerk(&model).await).name("thread");
    let lead = Lead::builder().model(Arc::clone(&model)).tool(threads).build().await.unwrap();
    let session = lead.session();
    lead.request(format!("Ask all. {}", input(1))).session(&session).run().await.unwrap();
    // Each of the five conversations is above the limit.
    let summarized = model.summarized();
    assert_eq!(summarized.len(), 4, "{summarized:#?}");
    let summaries = session.state().get("onionskin.summaries").unwrap();
    let of: Vec<_> = summaries.as_object().unwrap().keys().cloned().collect();
    assert_eq!(of, ["Clerk[1]", "Clerk[2]", "Lead"]);
    // The prompt shows the values of the session, without the summaries.
    session.state().set("city", "Rome");
    lead.request("Short?").session(&session).run().await.unwrap();
    let requests = model.requests.lock().unwrap();
    let system = requests.last().unwrap().system.as_deref().unwrap();
    assert!(system.contains("Rome") && !system.contains("Summary 1."), "{system}");
}

/// Asks two questions at once, and drops a third.
#[turn_hook(before_llm_call)]
async fn asks(request: &mut TurnRequest) -> Result<(), ModelError> {
    let ask = |text: &str| request.ask_model(ModelRequest::new([Message::user(text)]));
    let (first, second) = tokio::try_join!(ask("One?"), ask("Two?"))?;
    drop(ask("Three?"));
    request.set_system(format!("{} {}", first.text, second.text));
    Ok(())
}

#[tokio::test]
async fn a9_a_turn_hook_asks_the_model_beside_the_conversation() {
    let model = Talker::new(Summaries::Numbered);
    let agent = Plain::builder().model(Arc::clone(&model)).turn_hook(asks::new()).build().await.unwrap();
    assert_eq!(agent.run("Go.").await.unwrap().usage, Usage::new(300, 30));
    let requests = model.requests.lock().unwrap().clone();
    let steps: Vec<_> =
        requests.iter().map(|request| (&*request.agent, request.step().to_string())).collect();
    let expected = ["turn 1/aside", "turn 1/aside#2", "turn 1/model"];
    assert_eq!(steps, expected.map(|step| ("Plain", step.to_owned())));
    assert!(requests[2].system.as_deref().unwrap().starts_with("Answer 1."));
    // A request outside of a run has no model.
    let request = TurnRequest::new(ModelRequest::new([Message::user("Go.")]));
    let error = request.ask_model(ModelRequest::new([Message::user("Hm?")])).await.unwrap_err();
    assert!(matches!(error, ModelError::Setup(_)), "{error}");
}

proptest! {
    #[test]
    fn a9_a_summary_never_splits_a_call_from_its_result(
        letters in prop::collection::vec((prop::sample::select(vec!['u', 'a', 'c']), 0_usize..80), 0..30),
        above in 1_usize..300,
        inputs in prop::collection::vec(prop::sample::select(vec!["Go.", "Look up.", "Tell me more, and more, and more."]), 1..5),
        failure in prop::sample::select(vec![SummaryFailure::Cut, SummaryFailure::SendAll]),
        fails in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let model = Talker::new(if fails { Summaries::Fail } else { Summaries::Numbered });
            let hook = summarize::new(SummaryOptions::above(above).keep(above / 2).on_failure(failure));
            let agent = Plain::builder().model(Arc::clone(&model)).turn_hook(hook).build().await.unwrap();
            let session = agent.session();
            session.set_history(conversation(&letters)).unwrap();
            for input in &inputs {
                // What splits a call is an error.
                agent.request(*input).session(&session).run().await.unwrap();
                prop_assert_eq!(TurnRequest::new(ModelRequest::new([])).set_messages(session.history()), Ok(()));
            }
            let requests = model.requests.lock().unwrap();
            for request in requests.iter().filter(|request| !is_summary(request)) {
                let shown = &request.messages;
                prop_assert_eq!(TurnRequest::new(ModelRequest::new([])).set_messages(shown.clone()), Ok(()));
                let of_user = |message: &Message| matches!(message, Message::User { .. });
                if shown[0].to_text().contains(SUMMARY) {
                    prop_assert!(of_user(&shown[0]));
                }
                // The input of the run is always there.
                let newest = shown.iter().rfind(|message| of_user(message)).unwrap().to_text();
                prop_assert!(inputs.iter().any(|input| newest.ends_with(input)), "{newest}");
            }
            Ok(())
        })?;
    }
}
