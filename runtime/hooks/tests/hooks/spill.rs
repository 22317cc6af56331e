//! The hook `spill` and its tool `read_spilled`.

use std::error::Error as _;
use std::fs;
use std::sync::Arc;

use onionskin::content::{ContentBlock, Media};
use onionskin::declaration::{AppBuilder, CallFilter};
use onionskin::hooks::{SpillFolder, read_spilled, spill};
use onionskin::journal::MemoryJournal;
use onionskin::loader::{CardLoader, Registry};
use onionskin::question::Answer;
use onionskin::run::ToolCaller;
use onionskin::{
    AgentHandle, AgentTool, App, Args, BuildError, ErrorKind, Exit, Hook as _, Provided, RunError,
    ScriptedModel, ScriptedTurn, Secret, ToolContext, ToolError, ToolOutput, ToolResult, ToolSpec, agent,
    testing, tool,
};
use serde_json::json;

use crate::inner::tool_error;

/// Many lines, with characters of two bytes across the borders of pages.
fn text() -> String {
    (0..4_000).map(|number| format!("é{number}\n")).collect::<Vec<_>>().concat()
}

/// Lists.
#[tool]
fn list() -> String {
    text()
}

/// Shows a secret.
#[tool]
fn show(ctx: &ToolContext) -> String {
    ctx.conceal(&Secret::new("the-secret-of-the-session".to_owned()));
    format!("{}the-secret-of-the-session{}", text(), text())
}

/// Fills more pages than one search reads.
#[tool]
fn fill() -> String {
    format!("{}the end", "a".repeat(16 << 20))
}

agent! {
    Clerk { instruction: "List.", function_tools: [list, show], tool_hooks: [spill(1_000)] }
    // A `ToolCaller` has the compiled tools only.
    Called { instruction: "List.", function_tools: [list, show, fill, read_spilled], tool_hooks: [spill(1_000)] }
    Filtered {
        instruction: "List.",
        description: "Lists.",
        function_tools: [list],
        tool_hooks: [spill(1_000) for [list], spill(100_000)],
    }
    Plain { instruction: "List.", description: "Lists.", function_tools: [list] }
    Boss { instruction: "Ask.", agents: [Middle], tool_hooks: [spill(1_000) for [everywhere]] }
    Middle { instruction: "Ask.", description: "Asks.", agents: [Plain, Filtered] }
}

fn caller() -> ToolCaller<Called> {
    ToolCaller::<Called>::new().provide(SpillFolder::temporary().unwrap())
}

async fn call(clerk: &ToolCaller<Called>, tool: &str, args: serde_json::Value) -> ToolResult<String> {
    let cx = clerk.context(tool).unwrap();
    clerk.call(&cx, &mut Args::from(args.to_string())).await.map(|output| output.to_text().into_owned())
}

/// The name of the file in a shortened result.
fn file_in(shown: &str) -> String {
    let (_, name) = shown.split_once("file `").unwrap();
    name.split_once('`').unwrap().0.to_owned()
}

fn names_in(folder: &SpillFolder) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[tokio::test]
async fn h9_a_long_result_is_shortened_and_its_pages_are_the_whole_text() {
    let clerk = caller();
    let shown = call(&clerk, "list", json!({})).await.unwrap();
    assert!(shown.len() < 1_200 && shown.starts_with("é0\né1\n") && shown.ends_with("é3999\n"), "{shown}");
    assert!(
        shown.contains(&format!("this result has {} bytes: read it with `read_spilled`", text().len())),
        "{shown}"
    );
    let (file, mut whole, mut page) = (file_in(&shown), String::new(), 1);
    let error = loop {
        match call(&clerk, "read_spilled", json!({ "file": file, "page": page })).await {
            Ok(read) => whole.push_str(read.split_once("]\n").unwrap().1),
            Err(exit) => break tool_error(Err(exit)),
        }
        page += 1;
    };
    assert!(page > 3 && whole == text());
    assert_eq!(
        (error.kind(), error.to_string()),
        (ErrorKind::Retry, format!("there is no page {page}: the pages are 1 to {}", page - 1))
    );
}

#[tokio::test]
async fn h9_a_text_in_a_stored_result_is_found_with_its_page() {
    let clerk = caller();
    let file = file_in(&call(&clerk, "list", json!({})).await.unwrap());
    let found = call(&clerk, "read_spilled", json!({ "file": file, "find": "é3999" })).await.unwrap();
    assert!(found.starts_with("page 4: ") && found.contains("é3998 é3999"), "{found}");
    let many = call(&clerk, "read_spilled", json!({ "file": file, "find": "é1" })).await.unwrap();
    assert!(
        many.lines().count() == 51 && many.ends_with("there are more places, the next one on page 1"),
        "{many}"
    );
    let none = call(&clerk, "read_spilled", json!({ "file": file, "find": "nobody" })).await.unwrap();
    assert_eq!(none, "the text is not on the pages 1 to 4");
    let later = json!({ "file": file, "find": "é1\n", "page": 2 });
    assert_eq!(call(&clerk, "read_spilled", later).await.unwrap(), "the text is not on the pages 2 to 4");
}

#[tokio::test]
async fn h9_a_search_reads_a_bounded_number_of_pages_and_says_where_to_go_on() {
    let clerk = caller();
    let file = file_in(&call(&clerk, "fill", json!({})).await.unwrap());
    let search = async |page: u32| {
        let args = json!({ "file": file, "find": "the end", "page": page });
        call(&clerk, "read_spilled", args).await.unwrap()
    };
    assert_eq!(search(1).await, "the pages 1 to 2048 were searched: go on at page 2049");
    assert!(search(2049).await.starts_with("page 2049: "));
    // It begins on a page that was searched.
    assert!(search(2).await.starts_with("page 2049: "));
}

#[tokio::test]
async fn h9_a_text_that_is_too_long_to_be_found_asks_for_a_shorter_one() {
    let clerk = caller();
    let file = file_in(&call(&clerk, "list", json!({})).await.unwrap());
    let search = async |bytes: usize| {
        call(&clerk, "read_spilled", json!({ "file": file, "find": "a".repeat(bytes) })).await
    };
    assert_eq!(search(1024).await.unwrap(), "the text is not on the pages 1 to 4");
    let error = tool_error(search(1025).await.map(Into::into));
    let text = "`find` has 1025 bytes, and may have 1024: search for a shorter part of the text";
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Retry, text));
}

#[tokio::test]
async fn h9_no_name_leads_out_of_the_stored_results() {
    let clerk = caller();
    call(&clerk, "list", json!({})).await.unwrap();
    for file in ["../../etc/passwd", "/etc/passwd", ".", ""] {
        let error = call(&clerk, "read_spilled", json!({ "file": file })).await.unwrap_err();
        assert!(error.to_string().starts_with(&format!("this run has no stored result `{file}`")), "{error}");
    }
}

#[tokio::test]
async fn h9_errors_are_shortened_too_and_blocks_that_are_no_text_stay() {
    let folder = SpillFolder::temporary().unwrap();
    let cx = testing::context("list").provide(folder.clone()).build();
    let through = async |answer: fn() -> ToolResult| {
        spill::new(300).call(&cx, &mut Args::default(), testing::next(move |_| answer())).await
    };
    let error = ToolError::new(text()).with_kind(ErrorKind::Remote).with_source("its cause");
    let inner = testing::next(|_| Err(error.clone().into()));
    let error = tool_error(spill::new(300).call(&cx, &mut Args::default(), inner).await);
    assert!(error.to_string().len() < 600 && error.source().is_some());
    assert_eq!((error.kind(), names_in(&folder)), (ErrorKind::Remote, vec![file_in(&error.to_string())]));

    let image = through(|| {
        let blocks = [
            ContentBlock::text(text()),
            ContentBlock::Image(Box::new(Media::new("AAAA", "image/png"))),
            text().into(),
        ];
        Ok(ToolOutput::blocks(blocks))
    });
    let image = image.await.unwrap();
    assert!(matches!(image.content(), [ContentBlock::Text(_), ContentBlock::Image(_)]), "{image:?}");
    assert_eq!(through(|| Ok("short".into())).await.unwrap().to_text(), "short");
    assert!(
        matches!(through(|| Err(Exit::stop(text()))).await, Err(Exit::Stop(stop)) if *stop.output().to_text() == text())
    );
    assert_eq!(names_in(&folder).len(), 2);
}

#[tokio::test]
async fn h9_another_tool_that_is_called_read_spilled_is_shortened() {
    let cx = testing::context("read_spilled").provide(SpillFolder::temporary().unwrap()).build();
    let inner = testing::next(|_| Ok(text().into()));
    let output = spill::new(300).call(&cx, &mut Args::default(), inner).await.unwrap();
    assert!(output.to_text().len() < 600);
}

async fn handle(folder: &SpillFolder, turns: impl IntoIterator<Item = ScriptedTurn>) -> AgentHandle {
    Clerk::builder().model(ScriptedModel::turns(turns)).provide(folder.clone()).build().await.unwrap()
}

#[tokio::test]
async fn h9_stored_results_belong_to_their_run_and_leave_with_it() {
    let folder = SpillFolder::temporary().unwrap();
    let list = || [ScriptedTurn::call("list", json!({})), ScriptedTurn::say("Done.")];
    let first = handle(&folder, list()).await.run("Go.").await.unwrap();
    let file = file_in(&first.tool_calls[0].to_text());
    assert_eq!(names_in(&folder), [&*file]);
    let read = [ScriptedTurn::call("read_spilled", json!({ "file": file })), ScriptedTurn::say("{last}")];
    let second = handle(&folder, read).await.run("Go.").await.unwrap();
    assert!(second.text.contains("this run has no stored result"), "{}", second.text);
    let third = handle(&folder, list()).await.run("Go.").await.unwrap();
    assert_eq!(names_in(&folder), [file_in(&third.tool_calls[0].to_text())]);
    let path = folder.path().to_owned();
    drop(folder);
    assert!(!path.exists());
}

#[tokio::test]
async fn h9_the_bytes_of_stored_results_are_bounded_and_the_oldest_leave() {
    let size = text().len() as u64;
    let folder = SpillFolder::temporary().unwrap().max_bytes(2 * size);
    let clerk = ToolCaller::<Called>::new().provide(folder.clone());
    let mut files = Vec::new();
    for _ in 0..3 {
        files.push(file_in(&call(&clerk, "list", json!({})).await.unwrap()));
    }
    assert_eq!(names_in(&folder).len(), 2);
    assert!(call(&clerk, "read_spilled", json!({ "file": files[0] })).await.is_err());
    assert!(call(&clerk, "read_spilled", json!({ "file": files[2] })).await.is_ok());

    let small = ToolCaller::<Called>::new().provide(SpillFolder::temporary().unwrap().max_bytes(10));
    let shown = call(&small, "list", json!({})).await.unwrap();
    assert!(shown.len() < 1_200 && shown.contains("and the rest is lost: file too large"), "{shown}");
}

#[tokio::test]
async fn h9_secrets_are_in_no_stored_result() {
    let folder = SpillFolder::temporary().unwrap();
    let clerk = ToolCaller::<Called>::new().provide(folder.clone());
    let shown = call(&clerk, "show", json!({})).await.unwrap();
    let stored = fs::read_to_string(folder.path().join(file_in(&shown))).unwrap();
    assert!(stored.len() > 2 * text().len() && !stored.contains("the-secret"));
}

#[test]
fn h9_a_result_that_is_dropped_while_it_is_written_leaves_no_file() {
    // One thread writes all files, one after the other.
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(1).build().unwrap();
    runtime.block_on(async {
        let folder = SpillFolder::temporary().unwrap();
        let clerk =
            handle(&folder, [ScriptedTurn::call("list", json!({})), ScriptedTurn::say("Done.")]).await;
        for polls in 1..20 {
            let mut run = Box::pin(async { clerk.run("Go.").await });
            for _ in 0..polls {
                if futures_util::poll!(&mut run).is_ready() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        let last = clerk.run("Go.").await.unwrap();
        assert_eq!(names_in(&folder), [file_in(&last.tool_calls[0].to_text())]);
    });
}

#[tokio::test]
async fn h9_spilling_without_a_folder_or_a_size_does_not_build() {
    let error = Clerk::builder().model(ScriptedModel::turns([])).build().await.unwrap_err();
    assert!(error.to_string().contains("takes the service `SpillFolder`, which was not provided"), "{error}");
    assert!(!matches!(error, BuildError::Panicked { .. }));
    std::panic::catch_unwind(|| spill::new(0)).unwrap_err();
}

#[tokio::test]
async fn o5_a_replay_shows_the_text_that_the_run_showed_and_stores_it_again() {
    let journal = Arc::new(MemoryJournal::default());
    let start = async |folder: &SpillFolder, run_id: &str| {
        let model =
            ScriptedModel::turns([ScriptedTurn::call("list", json!({})), ScriptedTurn::say("{last}")]);
        let clerk = Clerk::builder().model(model).provide(folder.clone()).journal(Arc::clone(&journal));
        clerk.build().await.unwrap().request("Go.").run_id(run_id).run().await.map(|output| output.text)
    };
    let folder = SpillFolder::temporary().unwrap();
    let shown = start(&folder, "order-7").await.unwrap();
    let file = file_in(&shown);
    // In the same process, another one, and one that can store nothing.
    assert_eq!(start(&folder, "order-7").await.unwrap(), shown);
    let (anew, small) = (SpillFolder::temporary().unwrap(), SpillFolder::temporary().unwrap().max_bytes(10));
    for other in [&anew, &small] {
        assert_eq!(start(other, "order-7").await.unwrap(), shown);
    }
    for folder in [&folder, &anew] {
        assert_eq!(fs::read_to_string(folder.path().join(&file)).unwrap(), text());
        assert_eq!(names_in(folder), [&*file]);
    }

    let lost = start(&small, "order-8").await.unwrap();
    assert!(lost.contains("and the rest is lost: file too large"), "{lost}");
    assert_eq!(start(&folder, "order-8").await.unwrap(), lost);
}

#[tokio::test]
async fn h9_a_result_of_a_paused_run_can_be_read_when_it_continues() {
    /// Names the stored file.
    #[tool(approval)]
    fn name(folder: Provided<SpillFolder>) -> String {
        names_in(&folder).concat()
    }

    agent! { Careful { instruction: "List.", function_tools: [list, name], tool_hooks: [spill(1_000) for [list]] } }

    let model = ScriptedModel::turns([
        ScriptedTurn::call("list", json!({})),
        ScriptedTurn::call("name", json!({})),
        ScriptedTurn::call("read_spilled", json!({ "file": "{last}" })),
        ScriptedTurn::say("{last}"),
    ]);
    let folder = SpillFolder::temporary().unwrap();
    let careful = Careful::builder().model(model).provide(folder).build().await.unwrap();
    let Err(RunError::Paused(paused)) = careful.run("Go.").await else { panic!("it pauses") };
    let key = paused.questions()[0].key();
    let output = careful.resume(&paused).answer(key, Answer::allow()).run().await.unwrap();
    assert!(output.text.starts_with("[page 1 of "), "{}", output.text);
}

/// The names of the tools of each agent.
fn tools(app: &App) -> Vec<(String, Vec<String>)> {
    let agents = app.describe().unwrap().agents.into_iter();
    agents.map(|agent| (agent.name, agent.tools.into_iter().map(|tool| tool.name).collect())).collect()
}

async fn built(app: AppBuilder) -> Result<App, BuildError> {
    app.model(ScriptedModel::turns([])).provide(SpillFolder::temporary().unwrap()).build().await
}

#[tokio::test]
async fn h9_the_hook_brings_its_tool_wherever_it_is_declared_and_whatever_its_filter_is() {
    let own = |name: &str| vec![(name.to_owned(), vec!["list".to_owned(), "read_spilled".to_owned()])];
    assert_eq!(tools(&built(App::builder().agent::<Filtered>()).await.unwrap()), own("Filtered"));
    let added = App::builder().agent::<Plain>().for_agent("Plain", |plain| plain.hook(spill::new(1_000)));
    assert_eq!(tools(&built(added).await.unwrap()), own("Plain"));
    let on_others = || CallFilter::new(|call| call.tool_name() == "other");
    let filtered = App::builder()
        .agent::<Plain>()
        .for_agent("Plain", move |plain| plain.filtered_hook(spill::new(1_000), on_others()));
    assert_eq!(tools(&built(filtered).await.unwrap()), own("Plain"));
    let Err(error) = App::builder()
        .agent::<Plain>()
        .model(ScriptedModel::turns([]))
        .provide(SpillFolder::temporary().unwrap())
        .build()
        .await
    else {
        panic!("nothing takes the folder")
    };
    assert!(matches!(error, BuildError::UnusedService { .. }), "{error}");

    let card = "type: agent\nname: Carded\ninstruction: List.\ntool_hooks:\n  - { hook: \"::onionskin::hooks::spill\", with: [1000] }\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("carded.yaml"), card).unwrap();
    let cards = CardLoader::new(Registry::new()).base(folder.path()).load(["carded.yaml"]).unwrap();
    let carded = tools(&built(cards.add_to(App::builder())).await.unwrap());
    assert_eq!(carded, [("Carded".to_owned(), vec!["read_spilled".to_owned()])]);
}

#[tokio::test]
async fn h9_agents_below_a_hook_for_everywhere_have_its_tool_once() {
    let app =
        App::builder().agent::<Boss>().agent::<Middle>().agent::<Plain>().agent::<Filtered>().entry("Boss");
    let mut all = tools(&built(app).await.unwrap());
    all.sort();
    let shown: Vec<_> = all.iter().map(|(name, tools)| format!("{name}: {}", tools.join(" "))).collect();
    assert_eq!(
        shown,
        [
            "Boss: agent__Middle read_spilled",
            "Filtered: list read_spilled",
            "Middle: agent__Plain agent__Filtered read_spilled",
            "Plain: list read_spilled",
        ]
    );
}

#[tokio::test]
async fn h9_an_agent_that_is_a_tool_value_gets_its_results_whole_because_it_cannot_read_files() {
    let plain = Plain::builder()
        .model(ScriptedModel::turns([ScriptedTurn::call("list", json!({})), ScriptedTurn::say("{last}")]));
    let plain = AgentTool::new(&plain.build().await.unwrap()).name("plain");
    let boss = Clerk::builder()
        .model(ScriptedModel::turns([
            ScriptedTurn::call("plain", json!({ "input": "Go." })),
            ScriptedTurn::say("Done."),
        ]))
        .provide(SpillFolder::temporary().unwrap())
        .hook_everywhere(spill::new(2_000))
        .tool(plain);
    let output = boss.run("Go.").await.unwrap();
    let calls: Vec<_> = output.tool_calls.iter().map(|call| (&*call.tool, call.to_text())).collect();
    let [("plain", plain), ("list", list)] = &calls[..] else { panic!("{calls:?}") };
    assert!(plain.contains("read_spilled") && *list == text(), "{plain}");
}

#[tokio::test]
async fn h9_another_tool_of_the_name_is_a_typed_error_of_the_build() {
    let error = built(App::builder().agent::<Called>()).await.unwrap_err();
    let BuildError::HookTool { agent, hook, tool, .. } = &error else { panic!("{error}") };
    assert_eq!((agent.as_str(), hook.as_str(), tool.as_str()), ("Called", "spill", "read_spilled"));
    let other = ToolSpec::from_fn("read_spilled", "Reads.", |(): (), _| async { Ok("read") });
    let folder = SpillFolder::temporary().unwrap();
    let clerk = Clerk::builder().model(ScriptedModel::turns([])).provide(folder).tool(other);
    assert!(matches!(clerk.build().await, Err(BuildError::HookTool { .. })));
}
