//! A9: functions as run hooks, and `run_hooks` of `agent!`.

use std::fmt;

use onionskin::event::EventKind;
use onionskin::run::{AgentInfo, InjectInRun, Team};
use onionskin::run_hooks::{
    BoxError, CheckTrigger, InputCheckError, OutputCheckError, RunAnswer, RunHook, RunInput,
};
use onionskin::{
    App, BuildError, CancellationToken, Provided, RunContext, RunError, ScriptedModel, ScriptedTurn, Secret,
    Session, SessionState, State, agent, made, run_hook,
};
use serde_json::json;

#[derive(Clone)]
struct User {
    name: String,
}

#[derive(Clone)]
struct Shop {
    user: User,
    runs: u32,
}

struct Clock(u8);

/// Changes the input in place, and waits meanwhile.
#[run_hook(pre)]
async fn trim(input: &mut RunInput) {
    tokio::task::yield_now().await;
    let text = input.text().trim().to_owned();
    input.set_text(text);
}

/// Refuses.
#[run_hook(pre)]
fn questions(run_input: &str) -> Result<(), InputCheckError> {
    if run_input.ends_with('?') {
        return Ok(());
    }
    Err(InputCheckError::new("this is not a question").with_trigger(CheckTrigger::ValidationFailed))
}

/// Takes everything that there is, in some order.
#[run_hook(pre, state = Shop)]
#[allow(clippy::too_many_arguments, reason = "each kind once")]
fn introduce(
    #[bind("shop.street")] street: String,
    clock: Provided<Clock>,
    #[config] greeting: &str,
    agent: &AgentInfo,
    ctx: &RunContext,
    input: String,
    shop: State<Shop>,
    #[bind(user.name)] name: &str,
    team: Team,
    session: &Session,
    session_state: &SessionState,
    token: CancellationToken,
    missing: Option<Provided<u64>>,
) -> String {
    shop.update(|shop| shop.runs += 1);
    assert_eq!((agent.name(), ctx.run_id().is_empty()), ("Clerk", false));
    assert!(team.parent().is_none() && session.history().is_empty() && !token.is_cancelled());
    assert!(missing.is_none() && session_state.get("shop.street").is_some());
    format!("{greeting} {name} of {street} at {}: {input}", clock.0)
}

/// Signs by a value that is not `Copy`.
#[run_hook(post)]
fn sign(answer: &str, #[config] mark: String, #[config] times: usize) -> Result<String, fmt::Error> {
    if mark.is_empty() { Err(fmt::Error) } else { Ok(format!("{answer}{}", mark.repeat(times))) }
}

/// Refuses.
#[run_hook(post)]
fn not_empty(output: &RunAnswer) -> Result<(), OutputCheckError> {
    if output.text().is_empty() { Err(OutputCheckError::new("there is no answer")) } else { Ok(()) }
}

/// Fails, and nothing comes of it.
#[run_hook(post, ignore_errors, type_name = Forgotten)]
async fn forgotten(answer: &mut RunAnswer) -> Result<(), String> {
    answer.set_text("changed");
    Err("the mail is down".to_owned())
}

/// A hook by hand, made by its default.
#[derive(Default)]
struct Exclaims;

impl RunHook for Exclaims {
    type Made = made::ByDefault;

    async fn after_run(&self, _: &RunContext, answer: &mut RunAnswer) -> Result<(), BoxError> {
        answer.set_text(format!("{}!", answer.text()));
        Ok(())
    }
}

/// A hook by hand, made of a value.
struct Repeats(usize);

impl From<(usize,)> for Repeats {
    fn from((times,): (usize,)) -> Self {
        Self(times)
    }
}

impl RunHook for Repeats {
    type Made = made::FromValues<(usize,)>;

    async fn after_run(&self, _: &RunContext, answer: &mut RunAnswer) -> Result<(), BoxError> {
        answer.set_text(answer.text().repeat(self.0));
        Ok(())
    }
}

agent! {
    Clerk {
        instruction: "Answer.",
        state: Shop,
        run_hooks: [
            trim,
            questions,
            introduce("Hello"),
            not_empty,
            sign("*".to_owned(), 2),
            Forgotten,
            #[cfg(test)] Exclaims,
            #[cfg(not(test))] missing_hook,
            Repeats(2),
        ],
    }

    Other { instruction: "Answer.", run_hooks: [trim], run: alone }
}

async fn alone(_: &onionskin::run::AgentRun, input: String) -> Result<String, RunError> {
    Ok(format!("<{input}>"))
}

fn shop() -> Shop {
    Shop { user: User { name: "Ada".to_owned() }, runs: 0 }
}

fn model() -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::say("{input}")])
}

#[tokio::test]
async fn a9_functions_are_run_hooks_and_get_what_they_name() {
    let clerk = Clerk::builder().model(model()).state(shop()).provide(Clock(9)).build().await.unwrap();
    let session = clerk.session();
    session.state().set("shop.street", json!("Ys"));
    let mut stream = clerk.request("  Open? ").session(&session).stream();
    let mut notices = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Notice { text, .. } = event.kind {
            notices.push(text);
        }
    }
    let text = stream.output().await.unwrap().text;
    assert_eq!(text, "Hello Ada of Ys at 9: Open?**!".repeat(2));
    assert_eq!(
        notices,
        ["the run hook `Forgotten` failed, and the run continues without it: the mail is down"]
    );
    assert_eq!(session.typed_state::<Shop>().unwrap().runs, 1);
}

#[tokio::test]
async fn a9_a_function_refuses_an_input_with_a_typed_error() {
    let clerk = Clerk::builder().model(model()).state(shop()).provide(Clock(9)).build().await.unwrap();
    let error = clerk.run("Open!").await.unwrap_err();
    let RunError::InputCheck { hook, source, .. } = &error else { panic!("{error}") };
    assert_eq!((*hook, source.trigger()), ("questions", CheckTrigger::ValidationFailed));
    // The key of the session is not there.
    let error = clerk.run("Open?").await.unwrap_err();
    assert!(matches!(error, RunError::RunHook { hook: "introduce", .. }), "{error}");
    assert!(
        error.to_string().contains("`shop.street` of the session's state, which is not there"),
        "{error}"
    );
}

#[tokio::test]
async fn a9_services_of_functions_are_checked_by_the_build() {
    let error = Clerk::builder().model(model()).state(shop()).build().await.unwrap_err();
    assert!(
        matches!(&error, BuildError::NoService { part, .. } if part == "the run hook `introduce`"),
        "{error}"
    );
}

#[tokio::test]
async fn a9_functions_are_added_at_run_time_and_run_around_loops_of_ones_own() {
    let hook = || sign::new("~".to_owned(), 1);
    let other = Other::builder().model(ScriptedModel::new()).run_hook(hook()).build().await.unwrap();
    assert_eq!(other.run(" x ").await.unwrap().text, "<x>~");
    let app = App::builder()
        .agent::<Other>()
        .model(ScriptedModel::new())
        .for_agent("Other", move |agent| agent.run_hook(hook()));
    assert_eq!(app.build().await.unwrap().run(" x ").await.unwrap().text, "<x>~");
}

/// A parameter of a type of one's own.
struct Asker(String);

impl<'a> InjectInRun<'a> for Asker {
    fn inject_in_run(run: &'a RunContext) -> Result<Self, BoxError> {
        Ok(Self(run.user().ok_or("who asks?")?.to_owned()))
    }
}

#[run_hook(pre)]
fn asks(input: &str, #[inject] asker: Asker) -> String {
    format!("{}: {input}", asker.0)
}

/// Takes a secret of the session.
#[run_hook(post)]
fn leaks(#[bind("key")] key: Secret<String>, answer: &str) -> String {
    format!("{answer} {}", key.expose())
}

agent! {
    Guide { instruction: "Answer.", run_hooks: [asks] }
    Leaky { instruction: "Answer.", run_hooks: [leaks] }
}

#[tokio::test]
async fn a9_a_type_of_ones_own_is_injected() {
    let guide = Guide::builder().model(model()).build().await.unwrap();
    assert_eq!(guide.request("x").user("Ada").run().await.unwrap().text, "Ada: x");
    let error = guide.run("x").await.unwrap_err();
    assert_eq!(error.to_string(), "the run hook `asks` of the agent `Guide` failed: who asks?");
}

#[tokio::test]
async fn a9_a_secret_in_an_answer_is_redacted() {
    let leaky = Leaky::builder().model(model()).build().await.unwrap();
    let session = leaky.session();
    session.state().set_secret("key", Secret::new("hunter2hunter2".to_owned()));
    let text = leaky.request("x").session(&session).run().await.unwrap().text;
    assert!(text.starts_with("x ") && !text.contains("hunter2"), "{text}");
}
