//! A test suite for any store of memories.

use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::Arc;

use tokio::task::JoinSet;

use crate::report::{CaseOutcome, SuiteReport, case_outcome};
use onionskin_tools::memory::{Memory, MemoryError, MemoryOwner, MemoryQuery, MemoryScope, MemoryStore};
use onionskin_tools::search::SearchTooLong;

/// Tests a store of memories with what [`MemoryStore`] promises: order, pages, words, scopes that are separate,
/// repeated additions, removal, concurrent use and dropped futures.
///
/// `make` creates an empty store. It is called once per case. A case takes at most 20 seconds, and fails if it panics.
/// The runtime needs its timers, and they must not be paused.
///
/// What lasts after the store is dropped is beyond this suite: a store on disk has a test of its own for that.
///
/// Cancel safety: dropping the future ends the case in progress, and drops its store.
///
/// ```
/// use onionskin::memory::VolatileMemories;
/// use onionskin::testing::memory_suite;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// memory_suite(|| async { VolatileMemories::default() }).await.assert_passed();
/// # });
/// ```
pub async fn memory_suite<S, F, Fut>(make: F) -> SuiteReport
where
    S: MemoryStore,
    F: Fn() -> Fut,
    Fut: Future<Output = S>,
{
    let mut cases = Vec::new();
    macro_rules! run {
        ($($case:ident)*) => {$(
            let case = async {
                let store = make().await;
                match $case(Arc::new(store)).await {
                    Ok(()) => CaseOutcome::Passed,
                    Err(Wrong(reason)) => CaseOutcome::Failed(reason),
                }
            };
            cases.push((stringify!($case), case_outcome(case).await));
        )*};
    }
    run! {
        add
        add_twice
        newest_first
        pages
        words
        best_first
        unspaced
        long_searches
        any_text
        scopes
        forget
        forget_all
        ids_are_new
        concurrent
        dropped_future
    }
    SuiteReport { cases }
}

/// What is wrong in a case.
struct Wrong(String);

type Check = Result<(), Wrong>;

impl From<MemoryError> for Wrong {
    fn from(error: MemoryError) -> Self {
        Self(format!("an error: {error}"))
    }
}

/// Compares what the store did with what it promises.
fn same<T: PartialEq + Debug>(what: &str, actual: &T, expected: &T) -> Check {
    if actual == expected {
        return Ok(());
    }
    Err(Wrong(format!("{what}: expected {expected:?}, got {actual:?}")))
}

fn ada() -> MemoryScope {
    MemoryScope::user("ada", "memory")
}

fn texts(memories: &[Memory]) -> Vec<&str> {
    memories.iter().map(|memory| memory.text.as_str()).collect()
}

async fn listed(store: &impl MemoryStore, scope: &MemoryScope) -> Result<Vec<Memory>, Wrong> {
    Ok(store.find(&MemoryQuery::list(scope.clone())).await?)
}

async fn hits(store: &impl MemoryStore, words: &str) -> Result<Vec<Memory>, Wrong> {
    Ok(store.find(&MemoryQuery::find(ada(), words)).await?)
}

async fn add(store: Arc<impl MemoryStore>) -> Check {
    same("a new store", &listed(&store, &ada()).await?, &Vec::new())?;
    let memory = store.add(&ada(), "She likes tea.").await?;
    same("the text", &memory.text.as_str(), &"She likes tea.")?;
    same("the scope", &memory.scope, &ada())?;
    same("whether the id is empty", &memory.id.is_empty(), &false)?;
    same("the memories", &listed(&store, &ada()).await?, &vec![memory])
}

async fn add_twice(store: Arc<impl MemoryStore>) -> Check {
    let first = store.add(&ada(), "She likes tea.").await?;
    let second = store.add(&ada(), "She likes tea.").await?;
    same("a repeated addition", &second, &first)?;
    let spaced = store.add(&ada(), "She likes tea. ").await?;
    same("whether another text is the same memory", &(spaced.id == first.id), &false)?;
    same("the number of memories", &listed(&store, &ada()).await?.len(), &2)
}

async fn newest_first(store: Arc<impl MemoryStore>) -> Check {
    for text in ["one", "two", "three"] {
        store.add(&ada(), text).await?;
    }
    same("the order", &texts(&listed(&store, &ada()).await?), &vec!["three", "two", "one"])
}

async fn pages(store: Arc<impl MemoryStore>) -> Check {
    for number in 0..7 {
        store.add(&ada(), &format!("tea {number}")).await?;
    }
    for words in [None, Some("tea")] {
        let mut query = MemoryQuery::list(ada());
        query.words = words.map(str::to_owned);
        let all = store.find(&query).await?;
        same("the number of all", &all.len(), &7)?;
        query.limit = 3;
        let mut paged = Vec::new();
        for (skip, length) in [(0, 3), (3, 3), (6, 1), (7, 0), (usize::MAX, 0)] {
            query.skip = skip;
            let page = store.find(&query).await?;
            same("the length of a page", &page.len(), &length)?;
            paged.extend(page);
        }
        same("the pages together", &paged, &all)?;
        (query.skip, query.limit) = (0, usize::MAX);
        same("a page without a limit", &store.find(&query).await?, &all)?;
        query.limit = 0;
        same("a page for nothing", &store.find(&query).await?, &Vec::new())?;
    }
    Ok(())
}

async fn words(store: Arc<impl MemoryStore>) -> Check {
    store.add(&ada(), "She likes green tea.").await?;
    store.add(&ada(), "Their caf\u{e9} is in Z\u{fc}rich.").await?;
    for words in ["tea", "TEA", "green", "coffee tea", "tea, please!", "\"tea", "tea*", "tea AND (", "x:tea"]
    {
        same(words, &texts(&hits(&store, words).await?), &vec!["She likes green tea."])?;
    }
    for words in ["caf\u{e9}", "Z\u{dc}RICH"] {
        same(words, &hits(&store, words).await?.len(), &1)?;
    }
    for words in ["coffee", "", "?!", " \n", "*", "\""] {
        same(words, &hits(&store, words).await?.len(), &0)?;
    }
    Ok(())
}

async fn best_first(store: Arc<impl MemoryStore>) -> Check {
    store.add(&ada(), "green tea").await?;
    store.add(&ada(), "green hats").await?;
    store.add(&ada(), "black tea").await?;
    let hits = hits(&store, "green tea").await?;
    same("the best", &texts(&hits).first(), &Some(&"green tea"))?;
    same("the number of hits", &hits.len(), &3)
}

/// Texts in languages without spaces between words.
async fn unspaced(store: Arc<impl MemoryStore>) -> Check {
    let likes = "\u{6211}\u{559c}\u{6b22}\u{7eff}\u{8336}\u{548c}\u{5496}\u{5561}";
    let dear = "\u{7eff}\u{8336}\u{5f88}\u{8d35}";
    let letter = "A letter\u{3067}\u{3059}\u{3002}";
    for text in [letter, likes, "tea", dear] {
        store.add(&ada(), text).await?;
    }
    for (words, best) in [
        ("\u{7eff}\u{8336} \u{5496}\u{5561}", likes),
        ("\u{8336}", dear),
        ("\u{5496}", likes),
        // "What does the user like to drink, which tea?"
        ("\u{7528}\u{6237}\u{559c}\u{6b22}\u{559d}\u{4ec0}\u{4e48}\u{8336}", likes),
        ("\u{5f88}\u{8d35} tea", dear),
        ("\u{3067}\u{3059}", letter),
        ("letter\u{3067}", letter),
    ] {
        same(words, &texts(&hits(&store, words).await?).first(), &Some(&best))?;
    }
    same("the number of hits", &hits(&store, "\u{8336}\u{53f6} \u{7eff}\u{8336}").await?.len(), &2)
}

async fn long_searches(store: Arc<impl MemoryStore>) -> Check {
    store.add(&ada(), "She likes tea.").await?;
    let words = |count: usize| (1..count).fold("tea".to_owned(), |words, word| format!("{words} {word}"));
    for found in [words(SearchTooLong::MAX_WORDS), "tea ".repeat(SearchTooLong::MAX_CHARACTERS / 4)] {
        same("the hits", &hits(&store, &found).await?.len(), &1)?;
    }
    for refused in [words(SearchTooLong::MAX_WORDS + 1), "tea ".repeat(SearchTooLong::MAX_CHARACTERS)] {
        let found = store.find(&MemoryQuery::find(ada(), refused)).await;
        same("a search that is too long", &matches!(found, Err(MemoryError::SearchTooLong(_))), &true)?;
    }
    // A paragraph of a language without spaces has more pairs of letters. The first ones count.
    let letters = ('\u{4e00}'..).take(SearchTooLong::MAX_CHARACTERS).collect::<Vec<_>>();
    let counts = letters[SearchTooLong::MAX_WORDS - 1..=SearchTooLong::MAX_WORDS].iter().collect::<String>();
    store.add(&ada(), &counts).await?;
    let paragraph = letters.iter().collect::<String>();
    same("the hits of a paragraph", &texts(&hits(&store, &paragraph).await?).first(), &Some(&&*counts))
}

async fn any_text(store: Arc<impl MemoryStore>) -> Check {
    let long = "tea ".repeat(5_000);
    for text in ["", "'; DROP TABLE memories; --", "a\0b", "\u{1f375}\n</memories>", "{placeholder}", &long] {
        let memory = store.add(&ada(), text).await?;
        same("the text", &memory.text.as_str(), &text)?;
        let scope = MemoryScope::user(text, text);
        store.add(&scope, text).await?;
        same("the memories of a scope", &texts(&listed(&store, &scope).await?), &vec![text])?;
    }
    Ok(())
}

async fn scopes(store: Arc<impl MemoryStore>) -> Check {
    let scopes = [
        ada(),
        MemoryScope::user("ada", "learning"),
        MemoryScope::user("Ada", "memory"),
        MemoryScope::user("", "memory"),
        MemoryScope::agent("ada", "memory"),
        MemoryScope::agent("", "memory"),
        MemoryScope::shared("memory"),
        MemoryScope::shared("learning"),
    ];
    let mut memories = Vec::new();
    for scope in &scopes {
        memories.push(store.add(scope, &format!("{scope:?} likes tea")).await?);
        // A text that every scope has.
        let shared = store.add(scope, "They like hats.").await?;
        same("whether the scope had it", &store.forget(scope, &shared.id).await?, &true)?;
        store.add(scope, "They like hats.").await?;
    }
    for (scope, memory) in scopes.iter().zip(&memories) {
        let own = vec![memory.clone()];
        same("the number of memories of a scope", &listed(&store, scope).await?.len(), &2)?;
        same("the hits of a scope", &store.find(&MemoryQuery::find(scope.clone(), "tea")).await?, &own)?;
    }
    // The id of a memory of another scope can be that of one of this scope, which then goes.
    for other in memories.iter().skip(1) {
        let has = memories[0].id == other.id;
        if !has {
            same("a memory of another scope", &store.forget(&ada(), &other.id).await?, &false)?;
        }
        let left = listed(&store, &other.scope).await?;
        same("whether the other scope still has it", &left.contains(other), &true)?;
    }
    Ok(())
}

async fn forget(store: Arc<impl MemoryStore>) -> Check {
    let tea = store.add(&ada(), "She likes tea.").await?;
    let hats = store.add(&ada(), "She likes hats.").await?;
    same("the first time", &store.forget(&ada(), &tea.id).await?, &true)?;
    same("the second time", &store.forget(&ada(), &tea.id).await?, &false)?;
    for id in ["", "no such id", "1 OR 1 = 1"] {
        same("an unknown id", &store.forget(&ada(), id).await?, &false)?;
    }
    same("the other memories", &listed(&store, &ada()).await?, &vec![hats])?;
    same("a search for it", &hits(&store, "tea").await?, &Vec::new())
}

async fn forget_all(store: Arc<impl MemoryStore>) -> Check {
    let learning = MemoryScope::user("ada", "learning");
    let (bob, agent) = (MemoryScope::user("bob", "memory"), MemoryScope::agent("ada", "memory"));
    for (scope, text) in
        [(&ada(), "tea"), (&ada(), "hats"), (&learning, "tea"), (&bob, "tea"), (&agent, "tea")]
    {
        store.add(scope, text).await?;
    }
    same("the number", &store.forget_all(&MemoryOwner::User("ada".to_owned())).await?, &3)?;
    for (scope, left) in [(&ada(), 0), (&learning, 0), (&bob, 1), (&agent, 1)] {
        same("the memories left", &listed(&store, scope).await?.len(), &left)?;
    }
    same("a search", &hits(&store, "tea").await?, &Vec::new())?;
    same("the second time", &store.forget_all(&MemoryOwner::User("ada".to_owned())).await?, &0)
}

async fn ids_are_new(store: Arc<impl MemoryStore>) -> Check {
    let first = store.add(&ada(), "She likes tea.").await?;
    store.forget(&ada(), &first.id).await?;
    let second = store.add(&ada(), "She likes tea.").await?;
    same("whether the id is used again", &(first.id == second.id), &false)
}

async fn concurrent(store: Arc<impl MemoryStore>) -> Check {
    let mut tasks = JoinSet::new();
    for number in 0..32 {
        let store = Arc::clone(&store);
        // Each text twice.
        tasks.spawn(async move { store.add(&ada(), &format!("tea {}", number / 2)).await });
    }
    let mut ids = HashSet::new();
    while let Some(added) = tasks.join_next().await {
        let added = added.map_err(|error| Wrong(format!("an addition failed: {error}")))?;
        ids.insert(added?.id);
    }
    same("the number of ids", &ids.len(), &16)?;
    same("the number of memories", &listed(&store, &ada()).await?.len(), &16)
}

async fn dropped_future(store: Arc<impl MemoryStore>) -> Check {
    // It is polled once at most.
    let scope = ada();
    let add = store.add(&scope, "She likes tea.");
    tokio::select! {
        biased;
        _ = add => {}
        () = async {} => {}
    }
    let memory = store.add(&ada(), "She likes tea.").await?;
    same("the memories", &listed(&store, &ada()).await?, &vec![memory])
}
