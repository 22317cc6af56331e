//! What the tools for memories refuse, and what a model reads of a store that fails.

use std::sync::Arc;

use onionskin::memory::{
    Learnings, Memory, MemoryError, MemoryOwner, MemoryQuery, MemoryScope, MemoryStore, UserMemories,
    VolatileMemories,
};
use onionskin::prompt::{Prompt, PromptPart};
use onionskin::{BoxFuture, ScriptedModel, ScriptedTurn, agent};
use serde_json::json;

agent! {
    Host { instruction: "Greet.", toolboxes: [UserMemories] }
    Clerk { instruction: "Answer.", add_learnings_to_context: true }
}

/// A store whose errors name a place of the machine.
struct Failing;

fn fails<'a, T: Send + 'a>() -> BoxFuture<'a, Result<T, MemoryError>> {
    Box::pin(async { Err(MemoryError::storage("`/srv/desk.db` is damaged")) })
}

impl MemoryStore for Failing {
    fn add<'a>(&'a self, _: &'a MemoryScope, _: &'a str) -> BoxFuture<'a, Result<Memory, MemoryError>> {
        fails()
    }

    fn find<'a>(&'a self, _: &'a MemoryQuery) -> BoxFuture<'a, Result<Vec<Memory>, MemoryError>> {
        fails()
    }

    fn forget<'a>(&'a self, _: &'a MemoryScope, _: &'a str) -> BoxFuture<'a, Result<bool, MemoryError>> {
        fails()
    }

    fn forget_all<'a>(&'a self, _: &'a MemoryOwner) -> BoxFuture<'a, Result<usize, MemoryError>> {
        fails()
    }
}

/// The text that the model reads after these calls, and what the program knows of the error of the first one.
async fn called(memories: UserMemories, calls: Vec<ScriptedTurn>) -> (String, Vec<String>) {
    let model = ScriptedModel::turns(calls.into_iter().chain([ScriptedTurn::say("{last}")]));
    let host = Host::builder().model(model).toolbox(memories).build().await.unwrap();
    let output = host.request("Go.").user("ada").run().await.unwrap();
    (output.text.clone(), output.tool_calls[0].error_chain.clone())
}

fn remember(text: &str) -> ScriptedTurn {
    ScriptedTurn::call("remember", json!({ "text": text }))
}

#[tokio::test]
async fn a11_a_model_does_not_read_why_a_store_failed() {
    for call in [
        remember("She likes tea."),
        ScriptedTurn::call("find_memories", json!({ "words": "tea" })),
        ScriptedTurn::call("forget_memory", json!({ "id": "1" })),
    ] {
        let (text, chain) = called(UserMemories::new(Failing), vec![call]).await;
        assert!(text.contains("the memories cannot be read or written"), "{text}");
        assert!(!text.contains("/srv"), "{text}");
        // The program does.
        assert!(chain.iter().any(|cause| cause == "`/srv/desk.db` is damaged"), "{chain:?}");
    }
}

#[tokio::test]
async fn a11_the_tools_store_no_more_than_a_number_of_memories() {
    let store = Arc::new(VolatileMemories::default());
    let memories = || UserMemories::new(Arc::clone(&store)).max_stored(2);
    // A repeated call needs no place.
    let calls = vec![remember("one"), remember("two"), remember("one")];
    let (text, _) = called(memories(), calls).await;
    assert!(text.contains("\"text\":\"one\""), "{text}");
    let (text, _) = called(memories(), vec![remember("three")]).await;
    assert_eq!(text, MemoryError::full(2).to_string());
    let ada = MemoryScope::user("ada", "memory");
    let first = store.find(&MemoryQuery::list(ada.clone())).await.unwrap().remove(0);
    store.forget(&ada, &first.id).await.unwrap();
    called(memories(), vec![remember("three")]).await;
    let left = store.find(&MemoryQuery::list(ada)).await.unwrap();
    assert_eq!(left.iter().map(|memory| &*memory.text).collect::<Vec<_>>(), ["three", "one"]);
    // The learnings of an agent too.
    let learnings = Learnings::new(Arc::clone(&store)).with_tools().max_stored(1);
    let learn = |text: &str| ScriptedTurn::call("save_learning", json!({ "text": text }));
    let model = ScriptedModel::turns([learn("one"), learn("two"), ScriptedTurn::say("{last}")]);
    let prompt = Prompt::new().source(PromptPart::Learnings, learnings);
    let clerk = Clerk::builder().model(model).prompt(prompt).build().await.unwrap();
    let output = clerk.request("Go.").run().await.unwrap();
    assert_eq!(output.text, MemoryError::full(1).to_string());
    // A number of zero is a mistake of the program.
    let (_, chain) = called(UserMemories::new(store).max_stored(0), vec![remember("four")]).await;
    assert!(chain.iter().any(|cause| cause.contains("must not be zero")), "{chain:?}");
}

#[tokio::test]
async fn a11_a_search_that_is_too_long_is_refused_with_its_limits() {
    let words: Vec<_> = (0..100).map(|word| word.to_string()).collect();
    let call = ScriptedTurn::call("find_memories", json!({ "words": words.join(" ") }));
    let (text, _) = called(UserMemories::new(VolatileMemories::default()), vec![call]).await;
    assert!(text.contains("at most 64 different words and 1000 characters"), "{text}");
}
