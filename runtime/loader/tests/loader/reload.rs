//! Cards that change while the program runs.

use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use onionskin::declaration::DynAgent;
use onionskin::loader::{CardLoader, MistakeKind, Registry, ReloadError, WatchedCards};
use onionskin::servers::{BoxError, ProviderRequest, ToolProvider, ToolServer};
use onionskin::{
    AgentHandle, App, BoxFuture, DynTool, Provided, ScriptedModel, ScriptedTurn, ToolSpec, tool,
};
use serde_json::json;
use tokio::sync::Notify;

use super::folder;

const FIRST: &str = "---\ndefault: true\n---\nFirst.\n";

/// Cards of a folder. The model answers each input in the same words.
async fn watch(folder: &Path) -> WatchedCards {
    CardLoader::new(Registry::new())
        .base(folder)
        .watch(["."], |cards| {
            cards.add_to(App::builder()).model(ScriptedModel::turns([ScriptedTurn::say("{input}")]))
        })
        .start()
        .await
        .unwrap()
}

async fn prompt(app: &App) -> String {
    app.entry().system_prompt().await.unwrap().unwrap()
}

fn age(file: &Path, seconds: u64) {
    let file = File::options().append(true).open(file).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
}

#[tokio::test]
async fn c3_the_next_run_sees_a_changed_card_and_a_new_one() {
    let folder = folder(&[("a.md", FIRST)]);
    let cards = watch(folder.path()).await;
    assert_eq!(cards.run("Hello.").await.unwrap().text, "Hello.");
    let first = cards.app().await;
    assert_eq!(prompt(&first).await, "First.");
    assert!(Arc::ptr_eq(&first, &cards.app().await), "nothing has changed");

    // The same size, and perhaps the same time.
    fs::write(folder.path().join("a.md"), FIRST.replace("First", "Third")).unwrap();
    let second = cards.app().await;
    assert_eq!(prompt(&second).await, "Third.");
    assert_eq!(prompt(&first).await, "First.", "an app that was given stays as it is");

    fs::write(folder.path().join("b.yaml"), "instruction: B.\n").unwrap();
    assert_eq!(cards.app().await.agents().collect::<Vec<_>>(), ["a", "b"]);
    fs::remove_file(folder.path().join("b.yaml")).unwrap();
    assert_eq!(cards.app().await.agents().collect::<Vec<_>>(), ["a"]);
}

#[tokio::test]
async fn c3_a_file_that_is_written_again_without_a_change_loads_nothing() {
    let folder = folder(&[("a.md", FIRST)]);
    let file = folder.path().join("a.md");
    age(&file, 60);
    let cards = watch(folder.path()).await;
    let first = cards.app().await;
    fs::write(&file, FIRST).unwrap();
    assert!(Arc::ptr_eq(&first, &cards.app().await));
    age(&file, 30);
    assert!(Arc::ptr_eq(&first, &cards.app().await));
    fs::write(&file, FIRST.replace("First", "Third")).unwrap();
    age(&file, 20);
    assert_eq!(prompt(&*cards.app().await).await, "Third.");
}

#[tokio::test]
async fn c3_a_broken_card_keeps_the_last_good_one_and_is_reported_once() {
    let folder = folder(&[("a.md", FIRST)]);
    let reports: Arc<Mutex<Vec<String>>> = Arc::default();
    let noted = Arc::clone(&reports);
    let cards = CardLoader::new(Registry::new())
        .base(folder.path())
        .watch(["a.md"], |cards| cards.add_to(App::builder()).model(ScriptedModel::turns([])))
        .on_problem(move |problem| noted.lock().unwrap().push(problem.to_string()))
        .start()
        .await
        .unwrap();
    let first = cards.app().await;
    assert!(cards.problem().is_none());

    fs::write(folder.path().join("a.md"), "---\nmodle: x\n---\nSecond.\n").unwrap();
    for _ in 0..2 {
        assert!(Arc::ptr_eq(&first, &cards.app().await));
    }
    let problem = cards.problem().unwrap();
    let ReloadError::Load(error) = &*problem else { panic!("{problem}") };
    assert_eq!(error.mistakes()[0].kind, MistakeKind::Format);
    assert_eq!(error.mistakes()[0].to_string(), "a.md:2:1: unknown field `modle`; did you mean `model`?");
    assert_eq!(*reports.lock().unwrap(), [problem.to_string()]);

    // A card that is read and cannot be built is a problem too.
    fs::write(folder.path().join("a.md"), "---\nstate: a.rs:S\n---\nSecond.\n").unwrap();
    assert!(Arc::ptr_eq(&first, &cards.app().await));
    fs::remove_file(folder.path().join("a.md")).unwrap();
    assert!(Arc::ptr_eq(&first, &cards.app().await));
    assert_eq!(reports.lock().unwrap().len(), 3);

    fs::write(folder.path().join("a.md"), "---\n---\nSecond.\n").unwrap();
    assert_eq!(prompt(&*cards.app().await).await, "Second.");
    assert!(cards.problem().is_none());
}

/// The prices of a shop.
struct Prices(u32);

/// Tells the price of a lamp.
#[tool]
fn price(prices: Provided<Prices>) -> u32 {
    prices.0
}

#[tokio::test]
async fn c3_a_card_may_leave_out_what_the_program_gives() {
    let folder = folder(&[("a.md", "---\nfunction_tools: [tools.rs:price]\n---\nSell.\n")]);
    let registry = Registry::new().file("tools.rs", |items| items.tool::<price>());
    let cards = CardLoader::new(registry)
        .base(folder.path())
        .watch(["a.md"], |cards| {
            let model =
                ScriptedModel::turns([ScriptedTurn::call("price", json!({})), ScriptedTurn::say("{last}")]);
            cards.add_to(App::builder()).provide(Prices(7)).state(3_u32).model(model)
        })
        .start()
        .await
        .unwrap();
    assert_eq!(cards.run("A lamp?").await.unwrap().text, "7");

    fs::write(folder.path().join("a.md"), "---\n---\nRest.\n").unwrap();
    let app = cards.app().await;
    assert!(cards.problem().is_none(), "{:?}", cards.problem());
    assert_eq!(prompt(&app).await, "Rest.");
    let asked = app.entry().request("Well?").provide(Prices(8)).run().await;
    assert!(
        asked.unwrap_err().to_string().contains("tool `price`"),
        "the tool is gone, and the service is no mistake"
    );

    // What a card takes and the program does not give is a problem still.
    let registry = Registry::new().file("tools.rs", |items| items.tool::<price>());
    fs::write(folder.path().join("a.md"), "---\nfunction_tools: [tools.rs:price]\n---\nSell.\n").unwrap();
    let cards = CardLoader::new(registry).base(folder.path()).load(["a.md"]).unwrap();
    let error = cards.add_to(App::builder()).model(ScriptedModel::new()).build().await.unwrap_err();
    assert!(error.to_string().contains("takes the service"), "{error}");
}

#[tokio::test]
async fn c3_a_session_goes_on_with_the_agent_of_a_later_app() {
    let folder = folder(&[("a.md", FIRST)]);
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("One."), ScriptedTurn::say("Two.")]));
    let given = Arc::clone(&model);
    let cards = CardLoader::new(Registry::new())
        .base(folder.path())
        .watch(["a.md"], move |cards| cards.add_to(App::builder()).model(Arc::clone(&given)))
        .start()
        .await
        .unwrap();
    let session = cards.app().await.entry().session();
    cards.app().await.entry().request("First?").session(&session).run().await.unwrap();
    fs::write(folder.path().join("a.md"), "---\n---\nSecond.\n").unwrap();
    let output = cards.app().await.entry().request("And then?").session(&session).run().await.unwrap();
    assert_eq!(output.text, "Two.");
    let asked = serde_json::to_string(&model.requests()).unwrap();
    assert!(asked.contains("Second.") && asked.matches("First?").count() == 2, "{asked}");
}

#[tokio::test]
async fn c3_a_panic_of_the_function_that_makes_the_app_is_an_error_of_the_start() {
    let folder = folder(&[("a.md", FIRST)]);
    let started = CardLoader::new(Registry::new())
        .base(folder.path())
        .watch(["a.md"], |_| panic!("no model"))
        .start()
        .await;
    let Err(ReloadError::Panicked(text)) = started else { panic!("an error") };
    assert_eq!(text, "no model");
}

#[tokio::test]
async fn c3_an_app_that_cannot_be_built_keeps_the_last_one_until_it_is_loaded_again() {
    let folder = folder(&[("a.md", FIRST)]);
    let builds = AtomicUsize::new(0);
    let cards = CardLoader::new(Registry::new())
        .base(folder.path())
        .watch(["a.md"], move |cards| {
            let app = cards.add_to(App::builder());
            // The second time, the program forgets the model.
            if builds.fetch_add(1, Ordering::Relaxed) == 1 {
                app
            } else {
                app.model(ScriptedModel::turns([]))
            }
        })
        .start()
        .await
        .unwrap();
    fs::write(folder.path().join("a.md"), "---\n---\nSecond.\n").unwrap();
    assert_eq!(prompt(&*cards.app().await).await, "First.");
    assert!(matches!(&*cards.problem().unwrap(), ReloadError::Build(_)));
    assert_eq!(prompt(&*cards.app().await).await, "First.");
    assert_eq!(prompt(&*cards.reload().await).await, "Second.");
    assert!(cards.problem().is_none());
}

/// Says that it runs, and waits.
#[tool]
async fn wait(gate: Provided<Gate>) -> &'static str {
    gate.begun.notify_one();
    gate.go.notified().await;
    "waited"
}

#[derive(Default)]
struct Gate {
    begun: Notify,
    go: Notify,
}

#[tokio::test]
async fn c3_a_run_in_flight_keeps_its_agents() {
    let card = "function_tools: [tools.rs:wait]\ninstruction: Wait.\n";
    let folder = folder(&[("a.yaml", card)]);
    let gate = Arc::new(Gate::default());
    let provided = Arc::clone(&gate);
    let cards = CardLoader::new(Registry::new().file("tools.rs", |items| items.tool::<wait>()))
        .base(folder.path())
        .watch(["a.yaml"], move |cards| {
            let turns = [ScriptedTurn::call("wait", json!({})), ScriptedTurn::say("{last}")];
            let app = cards.add_to(App::builder()).model(ScriptedModel::turns(turns));
            app.provide_shared(Arc::clone(&provided))
        })
        .start()
        .await
        .unwrap();
    let change = async {
        gate.begun.notified().await;
        fs::write(folder.path().join("a.yaml"), card.replace("Wait", "Rest")).unwrap();
        let app = cards.app().await;
        assert_eq!(prompt(&app).await, "Rest.");
        gate.go.notify_one();
    };
    let (output, ()) = tokio::join!(cards.run("Go."), change);
    assert_eq!(output.unwrap().text, "waited");
}

#[tokio::test]
async fn c3_cards_that_are_broken_at_the_start_are_an_error() {
    let folder = folder(&[]);
    let watch = CardLoader::new(Registry::new()).base(folder.path());
    let error = watch.watch(["a.md"], |cards| cards.add_to(App::builder())).start().await.unwrap_err();
    assert!(matches!(error, ReloadError::Load(_)), "{error}");
}

/// A card that is changed without a change of its size and its time is not looked into: only what was read tells.
fn change_unseen(file: &Path, from: &str, to: &str) {
    let time = fs::metadata(file).unwrap().modified().unwrap();
    let text = fs::read_to_string(file).unwrap();
    assert_eq!(from.len(), to.len());
    fs::write(file, text.replace(from, to)).unwrap();
    File::options().append(true).open(file).unwrap().set_modified(time).unwrap();
}

#[tokio::test]
async fn c3_a_change_of_one_card_reads_that_card_alone() {
    let folder = folder(&[]);
    let file = |at: usize| folder.path().join(format!("a{at}.md"));
    for at in 0..100 {
        let child = if at % 10 == 9 { String::new() } else { format!("agents: [a{}]\n", at + 1) };
        fs::write(file(at), format!("---\ndescription: D.\n{child}default: {}\n---\nFirst.\n", at == 0))
            .unwrap();
        age(&file(at), 60);
    }
    let loaded: Arc<Mutex<Vec<Vec<DynAgent>>>> = Arc::default();
    let noted = Arc::clone(&loaded);
    let cards = CardLoader::new(Registry::new())
        .base(folder.path())
        .watch(["."], move |cards| {
            noted.lock().unwrap().push(cards.agents().to_vec());
            cards.add_to(App::builder()).model(ScriptedModel::turns([]))
        })
        .start()
        .await
        .unwrap();
    for at in (0..100).filter(|at| *at != 25) {
        change_unseen(&file(at), "First", "modle");
    }
    fs::write(file(25), "---\ndescription: D.\n---\nSecond.\n").unwrap();
    let app = cards.app().await;
    assert!(cards.problem().is_none(), "{:?}", cards.problem());
    let agent = |app: &App, name: &str| AgentHandle::clone(app.agent(name).unwrap());
    assert!(agent(&app, "a25").system_prompt().await.unwrap().unwrap().ends_with("Second."));
    assert!(agent(&app, "a24").system_prompt().await.unwrap().unwrap().ends_with("First."));

    let loaded = std::mem::take(&mut *loaded.lock().unwrap());
    let [before, after] = &loaded[..] else { panic!("{} times", loaded.len()) };
    let changed: Vec<&str> = before
        .iter()
        .zip(after)
        .filter(|(before, after)| before != after)
        .map(|(_, agent)| agent.name())
        .collect();
    assert_eq!(changed, ["a20", "a21", "a22", "a23", "a24", "a25"], "the card and those that reach it");
    // What was not read is read when all is loaded again.
    let app = cards.reload().await;
    assert!(agent(&app, "a24").system_prompt().await.unwrap().unwrap().ends_with("modle."));
}

/// A server that waits before it starts, but for the first time.
#[derive(Clone, Default)]
struct Slow(Arc<Gate>, Arc<AtomicUsize>);

impl ToolServer for Slow {
    fn start(&self) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async {
            if self.1.fetch_add(1, Ordering::Relaxed) > 0 {
                self.0.begun.notify_one();
                self.0.go.notified().await;
            }
            Ok(())
        })
    }

    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        let tool =
            ToolSpec::from_fn(&request.tool_name("noon"), "The hour of noon.", |(): (), _| async { Ok(12) });
        Ok(Arc::new(vec![Arc::new(tool) as Arc<dyn DynTool>]))
    }
}

#[tokio::test]
async fn c3_a_change_is_loaded_to_its_end_though_its_call_gives_up() {
    let card = "---\nservers: [slow]\n---\nFirst.\n";
    let folder = folder(&[("a.md", card)]);
    let slow = Slow::default();
    let server = slow.clone();
    let cards = CardLoader::new(Registry::new())
        .base(folder.path())
        .watch(["a.md"], move |cards| {
            cards.add_to(App::builder()).model(ScriptedModel::turns([])).server("slow", server.clone())
        })
        .start()
        .await
        .unwrap();
    fs::write(folder.path().join("a.md"), card.replace("First", "Second")).unwrap();
    let short = Duration::from_millis(50);
    assert!(tokio::time::timeout(short, cards.app()).await.is_err(), "the call that found the change waits");
    slow.0.begun.notified().await;
    for _ in 0..3 {
        let app = tokio::time::timeout(short, cards.app()).await.expect("other calls do not wait");
        assert_eq!(prompt(&app).await, "First.");
    }
    slow.0.go.notify_one();
    while prompt(&*cards.app().await).await == "First." {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(prompt(&*cards.app().await).await, "Second.");
    assert_eq!(slow.1.load(Ordering::Relaxed), 2, "the server was started once for the change");
}

#[tokio::test]
async fn c3_code_of_the_program_that_panics_is_a_problem_and_the_last_agents_stay() {
    let folder = folder(&[("a.md", FIRST)]);
    let builds = AtomicUsize::new(0);
    let reports = Arc::new(AtomicUsize::new(0));
    let noted = Arc::clone(&reports);
    let cards = CardLoader::new(Registry::new())
        .base(folder.path())
        .watch(["a.md"], move |cards| {
            assert!(builds.fetch_add(1, Ordering::Relaxed) != 1, "the second time");
            cards.add_to(App::builder()).model(ScriptedModel::turns([]))
        })
        .on_problem(move |_| {
            noted.fetch_add(1, Ordering::Relaxed);
        })
        .start()
        .await
        .unwrap();
    fs::write(folder.path().join("a.md"), "---\n---\nSecond.\n").unwrap();
    for _ in 0..2 {
        assert_eq!(prompt(&*cards.app().await).await, "First.");
    }
    let problem = cards.problem().unwrap();
    assert!(matches!(&*problem, ReloadError::Panicked(reason) if reason == "the second time"), "{problem}");
    assert_eq!(reports.load(Ordering::Relaxed), 1);
    assert_eq!(prompt(&*cards.reload().await).await, "Second.");
}

/// The function that makes the app waits for another task of the only async thread.
#[tokio::test]
async fn c3_the_first_load_holds_no_async_thread() {
    let folder = folder(&[("a.md", FIRST)]);
    let (sender, receiver) = std::sync::mpsc::channel();
    let receiver = Mutex::new(receiver);
    let watch = CardLoader::new(Registry::new()).base(folder.path()).watch(["."], move |cards| {
        receiver.lock().unwrap().recv_timeout(Duration::from_secs(30)).expect("the other task does not run");
        cards.add_to(App::builder()).model(ScriptedModel::turns([ScriptedTurn::say("{input}")]))
    });
    let (watched, ()) = tokio::join!(watch.start(), async { sender.send(()).unwrap() });
    assert_eq!(prompt(&watched.unwrap().app().await.clone()).await, "First.");
}
