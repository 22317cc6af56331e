//! A run names what of a request differs from the one before it, so that the provider's cache ends there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use onionskin::event::{EventKind, PrefixCause, PrefixChange};
use onionskin::journal::MemoryJournal;
use onionskin::message_hooks::message_hook;
use onionskin::model::{History, Message, ModelRequest};
use onionskin::prompt::{Prompt, PromptPart};
use onionskin::run::RunRequest;
use onionskin::turn_hooks::TurnRequest;
use onionskin::{
    AgentHandle, RunContext, ScriptedModel, ScriptedTurn, Secret, State, ToolContext, agent, tool, turn_hook,
};
use proptest::prelude::*;
use serde_json::json;

use crate::changing_server::{List, Shelf};

type Change = (PrefixChange, Option<PrefixCause>);

/// The changes that a run reports.
async fn changes(request: RunRequest) -> Vec<Change> {
    let mut stream = request.stream();
    let mut changes = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::PrefixChanged { change, cause, .. } = event.kind {
            changes.push((change, cause));
        }
    }
    stream.output().await.unwrap();
    changes
}

/// As text, because the variants have no constructors.
fn shown(changes: &[Change]) -> Vec<String> {
    let shown = |(change, cause): &Change| match cause {
        Some(cause) => format!("{change} {cause}"),
        None => change.to_string(),
    };
    changes.iter().map(shown).collect()
}

/// Does nothing.
#[tool]
fn look() -> &'static str {
    "fog"
}

/// Marks the text `fog` as a secret.
#[tool]
fn hide(cx: &ToolContext) {
    cx.conceal(&Secret::new("fog in town".to_owned()));
}

/// Counts.
#[tool]
fn count(counter: State<Counter>) {
    counter.update(|counter| counter.turns += 1);
}

#[derive(Clone, Default)]
struct Counter {
    turns: u32,
}

/// Leaves out the first messages of a long conversation.
#[turn_hook(before_llm_call)]
fn trim(request: &mut TurnRequest) -> Result<(), onionskin::model::HistoryError> {
    if request.messages().len() > 3 {
        let newest: Vec<_> = request.messages().iter().skip(1).cloned().collect();
        request.set_messages([vec![Message::user("Earlier: nothing.")], newest].concat())?;
    }
    Ok(())
}

/// Adds the number of the turn to the prompt.
#[turn_hook(before_llm_call)]
fn number(request: &mut TurnRequest) {
    request.set_system(format!("{} Turn {}.", request.system().unwrap_or_default(), request.turn()));
}

/// Offers tools in the first turn only.
#[turn_hook(before_llm_call)]
fn no_tools(request: &mut TurnRequest) {
    if request.turn() > 1 {
        request.without_tools();
    }
}

/// Reminds the model at the end of each request.
#[message_hook(process_all_messages_before_reply)]
fn remind(messages: &mut History) {
    if let Some(Message::Tool { .. }) = messages.last() {
        return;
    }
    let newest = messages.pop().map(|message| message.to_text().into_owned()).unwrap_or_default();
    messages.push(Message::user(format!("{newest} Be brief.")));
}

agent! {
    Plain { instruction: "Answer.", function_tools: [look, hide] }
    Counting { instruction: "Turn {turns}.", state: Counter, function_tools: [count] }
    Trimming { instruction: "Answer.", function_tools: [look], turn_hooks: [trim] }
    Numbering { instruction: "Answer.", function_tools: [look], turn_hooks: [number] }
    Toolless { instruction: "Answer.", function_tools: [look], turn_hooks: [no_tools] }
    Reminding { instruction: "Answer.", function_tools: [look], message_hooks: [remind] }
    Forced {
        instruction: "Answer.",
        function_tools: [look],
        request_params: { tool_choice: onionskin::model::ToolChoice::Required },
    }
    Librarian { instruction: "Answer.", servers: [shelf] }
}

/// Calls tools one after another, and then answers.
fn calls(tools: &[&str]) -> ScriptedModel {
    let turns = tools.iter().map(|tool| ScriptedTurn::call(*tool, json!({})));
    ScriptedModel::turns(turns.chain([ScriptedTurn::say("Fine."), ScriptedTurn::say("Fine.")]))
}

#[tokio::test]
async fn o3_a_run_that_only_appends_reports_no_change() {
    let plain = Plain::builder().model(calls(&["look", "look", "look"])).build().await.unwrap();
    let session = plain.session();
    assert_eq!(changes(plain.request("Go.").session(&session)).await, []);
    assert_eq!(changes(plain.request("Again.").session(&session)).await, []);
}

#[tokio::test]
async fn o3_a_run_names_the_part_of_the_prompt_that_changed() {
    let counting = Counting::builder().model(calls(&["count", "count"])).state(Counter::default());
    let counting = counting.build().await.unwrap();
    let part = "the part `Instructions` of the system prompt changed";
    assert_eq!(shown(&changes(counting.request("Go.")).await), [part, part]);

    let asked = AtomicU32::new(0);
    let memories = move |_: &RunContext| {
        // The third turn has none.
        Some(asked.fetch_add(1, Ordering::Relaxed)).filter(|asked| *asked != 2).map(|asked| asked.to_string())
    };
    let prompt = Prompt::new().source(PromptPart::Memories, memories).text(PromptPart::Knowledge, "All.");
    let plain = Plain::builder().model(calls(&["look", "look"])).prompt(prompt).build().await.unwrap();
    let change = changes(plain.request("Go.")).await;
    assert_eq!(shown(&change)[0], "the part `Memories` of the system prompt changed");
    assert_eq!(change.len(), 2);
    let json = serde_json::to_value(&change[0].0).unwrap();
    assert_eq!(json, json!({ "kind": "system_prompt", "part": "Memories" }));
}

#[tokio::test]
async fn o3_a_run_names_the_kind_of_hook_that_changed_a_request() {
    let trimming = Trimming::builder().model(calls(&["look", "look"])).build().await.unwrap();
    assert_eq!(shown(&changes(trimming.request("Go.")).await), ["message 0 changed by a turn hook"]);

    let numbering = Numbering::builder().model(calls(&["look"])).build().await.unwrap();
    assert_eq!(shown(&changes(numbering.request("Go.")).await), ["the system prompt changed by a turn hook"]);

    let toolless = Toolless::builder().model(calls(&["look"])).build().await.unwrap();
    assert_eq!(
        shown(&changes(toolless.request("Go.")).await),
        ["the tool `look` is no longer offered by a turn hook"]
    );

    let reminding = Reminding::builder().model(calls(&["look"])).build().await.unwrap();
    assert_eq!(shown(&changes(reminding.request("Go.")).await), ["message 0 changed by a message hook"]);
}

#[tokio::test]
async fn o3_a_run_names_a_parameter_that_providers_read_before_the_messages() {
    let forced = Forced::builder().model(calls(&["look", "look"])).build().await.unwrap();
    assert_eq!(shown(&changes(forced.request("Go.")).await), ["the parameter `tool_choice` changed"]);
}

#[tokio::test]
async fn o3_a_run_names_a_message_that_a_new_secret_masks() {
    let plain = Plain::builder().model(calls(&["look", "hide", "look"])).build().await.unwrap();
    let found = changes(plain.request("Is there fog in town?")).await;
    assert_eq!(shown(&found), ["message 0 changed because of a new secret"]);
}

#[tokio::test]
async fn o3_the_first_request_of_a_run_is_compared_with_the_last_one_of_the_session() {
    let prompt = Prompt::new().source(PromptPart::Location, |run: &RunContext| run.user().map(str::to_owned));
    let plain = Plain::builder().model(calls(&["look"])).prompt(prompt).build().await.unwrap();
    let session = plain.session();
    let ask = |user: &str| plain.request("Where?").session(&session).user(user);
    assert_eq!(changes(ask("Rome")).await, []);
    let part = ["the part `Location` of the system prompt changed"];
    assert_eq!(shown(&changes(ask("Bern")).await), part);

    let other = Plain::builder().model(calls(&[])).build().await.unwrap();
    let session = other.session();
    assert_eq!(changes(other.request("Go.").session(&session)).await, []);
    session.set_history([Message::user("Hello."), Message::assistant("Hello.")]).unwrap();
    let found = changes(other.request("Go.").session(&session)).await;
    assert_eq!(shown(&found), ["message 0 changed"]);
    let another_model = other.request("Go.").session(&session).model(Named);
    assert_eq!(shown(&changes(another_model).await), ["another model is asked"]);
}

/// A model of another provider.
struct Named;

impl onionskin::model::Model for Named {
    async fn respond(
        &self,
        _: &ModelRequest,
        _: &mut (dyn FnMut(onionskin::model::ModelDelta) + Send),
    ) -> Result<onionskin::model::ModelResponse, onionskin::model::ModelError> {
        Ok(onionskin::model::ModelResponse::text("Fine."))
    }

    fn provider(&self) -> std::borrow::Cow<'static, str> {
        "another".into()
    }
}

#[tokio::test]
async fn o5_a_replay_reports_no_change() {
    let trimming = Trimming::builder().model(calls(&["look", "look"])).journal(MemoryJournal::default());
    let trimming = trimming.build().await.unwrap();
    assert_eq!(changes(trimming.request("Go.").run_id("one")).await.len(), 1);
    assert_eq!(changes(trimming.request("Go.").run_id("one")).await, []);
}

fn listed(names: &[&'static str]) -> List {
    names.iter().map(|name| (*name, "Looks.".to_owned())).collect()
}

async fn librarian(first: List, next: Vec<List>) -> (AgentHandle, Arc<ScriptedModel>) {
    let model = Arc::new(calls(&vec!["shelf__a"; next.len()]));
    let shelf = Shelf::new(first, next);
    let agent = Librarian::builder().model(Arc::clone(&model)).server("shelf", shelf).build().await.unwrap();
    (agent, model)
}

#[tokio::test]
async fn o3_a_run_names_the_tool_of_a_server_that_changed() {
    let mut changed = listed(&["a", "b"]);
    changed[1].1 = "Looks again.".to_owned();
    for (next, expected) in [
        (listed(&["new", "a", "b"]), None),
        (listed(&["b", "a"]), None),
        (listed(&["a"]), Some("the tool `shelf__b` is no longer offered")),
        (changed, Some("the definition of the tool `shelf__b` changed")),
    ] {
        let (librarian, _) = librarian(listed(&["a", "b"]), vec![next]).await;
        assert_eq!(shown(&changes(librarian.request("Go.")).await), Vec::from_iter(expected));
    }
}

/// A list with some of the tools in some order, each with one of two descriptions. `a` is always there.
fn any_list() -> impl Strategy<Value = List> {
    let tools = proptest::sample::subsequence(vec!["b", "c", "d", "e"], 0..=4).prop_shuffle();
    (tools, any::<u8>(), 0..5_usize).prop_map(|(mut tools, marks, place)| {
        tools.insert(place.min(tools.len()), "a");
        let described = |name: &'static str| {
            let is_marked = name != "a" && marks >> (name.as_bytes()[0] - b'a') & 1 == 1;
            (name, if is_marked { "Looks again." } else { "Looks." }.to_owned())
        };
        tools.into_iter().map(described).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Tools are appended and never inserted, whatever a server does with its list, and the first one that is removed or changed is named.
    #[test]
    fn o3_each_change_of_a_servers_list_appends_or_is_named(
        lists in proptest::collection::vec(any_list(), 2..6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (found, requests) = runtime.block_on(async {
            let (librarian, model) = librarian(lists[0].clone(), lists[1..].to_vec()).await;
            (changes(librarian.request("Go.")).await, model.requests())
        });
        let mut found = found.into_iter();
        for pair in requests.windows(2) {
            let [before, later] = [&pair[0].tools, &pair[1].tools];
            let lost = before.iter().enumerate().find(|(at, tool)| later.get(*at) != Some(tool));
            let Some((_, lost)) = lost else { continue };
            let same = later.iter().find(|tool| tool.name == lost.name);
            let expected = match same {
                None => format!("the tool `{}` is no longer offered", lost.name),
                Some(_) => format!("the definition of the tool `{}` changed", lost.name),
            };
            prop_assert_eq!(shown(&Vec::from_iter(found.next())), [expected]);
            // The tools that stay keep their order.
            let stay = |one: &[onionskin::model::ToolDeclaration], other: &[onionskin::model::ToolDeclaration]| {
                let stays = one.iter().filter(|tool| other.iter().any(|known| known.name == tool.name));
                stays.map(|tool| tool.name.to_string()).collect::<Vec<_>>()
            };
            prop_assert_eq!(stay(before, later), stay(later, before));
        }
        prop_assert_eq!(found.next(), None);
    }
}
