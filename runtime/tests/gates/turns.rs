//! What the turns of a run may cost: heap allocations, the fake model's own included. They do not depend on how long the
//! conversation is. `bench/` measures the same beside a loop by hand.

use allocation_counter::measure;
use onionskin::model::{
    History, Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall,
};
use onionskin::{AgentHandle, Session, agent};

use super::{add_one, runtime};

use crate::answers::answers;

agent! { Adder { instruction: "Add.", function_tools: [add_one], limits: { turns: 2_000 } } }

/// Calls the tool in each turn, then answers. What it knows of a conversation is how many messages there are behind those
/// that were there before.
struct Fake {
    turns: usize,
    calls: usize,
}

impl Model for Fake {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let per_run = 2 * self.turns + 2;
        let turn = (request.messages.len() % per_run) / 2;
        if turn == self.turns {
            deltas(ModelDelta::Text("done".to_owned()));
            return Ok(ModelResponse::text("done"));
        }
        let call = |number| {
            let id = format!("call_{}_{number}", request.messages.len());
            ToolCall::new(id, "add_one", r#"{"x": 41}"#)
        };
        Ok(ModelResponse::tool_calls((0..self.calls).map(call)))
    }
}

/// What a fake model allocates for a call: the text of the id, and three shared texts.
const OF_THE_MODEL: u64 = 4;

struct Runs {
    runtime: tokio::runtime::Runtime,
    agent: AgentHandle,
}

impl Runs {
    fn new(turns: usize, calls: usize) -> Self {
        let runtime = runtime();
        let model = Fake { turns, calls };
        let agent = runtime.block_on(Adder::builder().model(model).build()).unwrap();
        let runs = Self { runtime, agent };
        // What is made once for all runs.
        runs.allocations(&runs.agent.session());
        runs
    }

    fn allocations(&self, session: &Session) -> u64 {
        let run = || {
            let output = self.runtime.block_on(self.agent.request("go").session(session).run()).unwrap();
            assert_eq!(output.text, "done");
        };
        measure(run).count_total
    }
}

/// The allocations of a run of so many turns, in a new session.
fn run_allocations(turns: usize, calls: usize) -> u64 {
    let runs = Runs::new(turns, calls);
    runs.allocations(&runs.agent.session())
}

/// The allocations of one more turn behind so many.
fn turn_allocations(turn: usize, calls: usize) -> u64 {
    run_allocations(turn + 1, calls) - run_allocations(turn, calls)
}

#[test]
fn a7_a_turn_of_one_call_makes_at_most_25_allocations_and_each_further_call_at_most_8() {
    let (one, five) = (turn_allocations(10, 1), turn_allocations(10, 5));
    assert!(one <= 25, "{one} allocations in a turn of one call");
    let further = five - one;
    assert!(further <= 4 * 8, "{further} allocations for four further calls");
    println!(
        "a turn of one call: {one}; four further calls: {further}; of the model, a call: {OF_THE_MODEL}"
    );
}

#[test]
fn a7_a_turn_allocates_the_same_however_long_the_conversation_is() {
    // Neither of them is one in which a list grows.
    for calls in [1, 4] {
        assert_eq!(turn_allocations(10, calls), turn_allocations(1000, calls), "{calls} calls");
    }
}

#[test]
fn t8_a_session_with_a_secret_looks_at_new_messages_only() {
    let run_allocations = |turns| {
        let runs = Runs::new(turns, 1);
        let session = runs.agent.session();
        session.state().set_secret("key", onionskin::Secret::new("a-key-of-no-use".to_owned()));
        runs.allocations(&session)
    };
    let turn_allocations = |turn| run_allocations(turn + 1) - run_allocations(turn);
    let (early, late) = (turn_allocations(10), turn_allocations(1000));
    assert!(late <= early + early / 5, "turn 10: {early} allocations, turn 1,000: {late}");
}

#[test]
fn a12_a_run_allocates_the_same_however_long_its_session_is() {
    let runs = Runs::new(1, 1);
    let session = runs.agent.session();
    let runs: Vec<_> = (0..500).map(|_| runs.allocations(&session)).collect();
    // Four messages a run, 64 in a chunk: both runs begin at the same place in theirs.
    assert_eq!(session.history().len(), 2000);
    assert_eq!(runs[10], runs[490]);
}

#[test]
fn a12_snapshots_of_a_long_history_allocate_nothing() {
    let runs = Runs::new(500, 4);
    let session = runs.agent.session();
    runs.allocations(&session);
    let mut history = History::new();
    assert_eq!(measure(|| history = session.history()).count_total, 0);
    assert_eq!(history.len(), 1002);
    let mut request = ModelRequest::new([Message::user("")]).with_agent("a");
    request.messages = history;
    assert_eq!(measure(|| drop(request.clone())).count_total, 0);
}

#[test]
fn a8_text_that_streams_to_nobody_is_not_kept() {
    /// Writes its answer in so many pieces.
    fn writes(pieces: usize) -> impl Model {
        answers(move |_, deltas| {
            (0..pieces).for_each(|_| deltas(ModelDelta::Text(String::new())));
            Ok(ModelResponse::text("done"))
        })
    }

    let of_pieces = |pieces| {
        let runtime = runtime();
        let agent = runtime.block_on(Adder::builder().model(writes(pieces)).build()).unwrap();
        let run = || drop(runtime.block_on(agent.run("go")).unwrap());
        run();
        measure(run).count_total
    };
    assert_eq!(of_pieces(1), of_pieces(5000));
}
