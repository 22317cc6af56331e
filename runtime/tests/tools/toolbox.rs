//! `#[toolbox]`: methods as tools that share their object.
#![allow(clippy::non_minimal_cfg, reason = "conditions that always or never hold")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin::{
    Args, BuildError, Exit, Next, ScriptedModel, ScriptedTurn, State, ToolContext, ToolError, ToolOutput,
    ToolResult, Toolbox, agent, call, tool_hook, toolbox,
};
use serde_json::json;

#[tool_hook]
async fn mark(args: &mut Args, next: impl Next) -> ToolResult {
    let mut output = next.run(args).await?;
    output.push_text("[own]");
    Ok(output)
}

#[tool_hook]
async fn audit(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    assert_eq!((ctx.source(), ctx.server_name()), (onionskin::definition::ToolSource::Function, None));
    let mut output = next.run(args).await?;
    output.push_text(format!("[{}]", ctx.tool_name()));
    Ok(output)
}

fn calm(_: &ToolContext, error: ToolError) -> ToolResult {
    Ok(ToolOutput::text(format!("never mind: {error}")))
}

#[derive(Default)]
pub struct Kb {
    notes: Mutex<Vec<String>>,
    searches: AtomicU32,
}

#[toolbox(instructions = "Search first.", parts = [Admin])]
impl Kb {
    /// Keeps a note.
    #[tool(hooks = [mark])]
    fn add(
        &self,
        /// The note.
        text: String,
    ) -> usize {
        let mut notes = self.notes.lock().unwrap();
        notes.push(text);
        notes.len()
    }

    /// Finds notes.
    #[tool(name = "find", instructions = "Words, not sentences.")]
    async fn search(&self, word: &str, #[arg(default = 10)] limit: usize) -> Vec<String> {
        self.searches.fetch_add(1, Ordering::Relaxed);
        tokio::task::yield_now().await;
        self.notes.lock().unwrap().iter().filter(|note| note.contains(word)).take(limit).cloned().collect()
    }

    /// Adds two numbers.
    #[tool]
    fn sum(a: i64, b: i64) -> i64 {
        a + b
    }

    /// Counts on a thread of its own.
    #[tool(blocking)]
    fn count(&self, cx: &ToolContext, state: State<Settings>) -> String {
        std::thread::sleep(Duration::from_millis(1));
        format!("{} {} {}", cx.tool_name(), state.unit, self.notes.lock().unwrap().len())
    }

    /// Fails.
    #[tool(on_error = calm)]
    async fn fail(&self) -> Result<String, Exit> {
        Err(Exit::tool(format!("after {} notes", self.notes.lock().unwrap().len())))
    }

    #[cfg(any())]
    /// Not there.
    #[tool]
    fn absent(&self) -> Absent {}

    /// There, and so is a part of what it takes.
    #[cfg(all())]
    #[tool]
    async fn present(
        &self,
        #[cfg(any())] gone: Absent,
        #[cfg(all())] word: &str,
        /// How often.
        #[cfg(not(any()))]
        #[arg(default = 2)]
        times: usize,
        #[cfg(any())] state: State<Absent>,
        #[cfg(all())] cx: &ToolContext,
    ) -> String {
        format!("{}: {}", cx.tool_name(), word.repeat(times))
    }

    pub fn private(&self) -> usize {
        self.notes.lock().unwrap().len()
    }
}

#[cfg(any())]
#[toolbox(part = Admin)]
impl Kb {
    /// Not there.
    #[tool]
    fn clear(&self) -> Absent {}
}

#[cfg(all())]
#[toolbox(part = Admin)]
impl Kb {
    /// Forgets everything.
    #[tool]
    async fn clear(&self) {
        self.notes.lock().unwrap().clear();
    }
}

#[derive(Clone, Default)]
pub struct Settings {
    unit: &'static str,
}

agent! {
    Librarian {
        instruction: "Keep notes.",
        toolboxes: [Kb, archive: Kb],
        tool_hooks: [audit],
        state: Settings,
    }
}

fn results(output: &onionskin::RunOutput) -> Vec<String> {
    output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect()
}

#[tokio::test]
async fn t9_methods_are_tools_that_share_their_object() {
    let kb = Arc::new(Kb::default());
    let model = ScriptedModel::turns([
        ScriptedTurn::call("add", json!({ "text": "buy milk" })),
        ScriptedTurn::call("find", json!({ "word": "milk" })),
        ScriptedTurn::call("sum", json!({ "a": 1, "b": 2 })),
        ScriptedTurn::call("count", json!({})),
        ScriptedTurn::call("fail", json!({})),
        ScriptedTurn::call("archive_add", json!({ "text": "old" })),
        ScriptedTurn::call("present", json!({ "word": "a" })),
        ScriptedTurn::call("clear", json!({})),
        ScriptedTurn::say("done"),
    ]);
    let agent = Librarian::builder()
        .model(model)
        .state(Settings { unit: "notes" })
        .toolbox(Arc::clone(&kb))
        .toolbox_as("archive", Kb::default())
        .build()
        .await
        .unwrap();
    let output = agent.run("go").await.unwrap();
    assert_eq!(
        results(&output),
        [
            "1[own][add]",
            r#"["buy milk"][find]"#,
            "3[sum]",
            "count notes 1[count]",
            "never mind: after 1 notes[fail]",
            "1[own][archive_add]",
            "present: aa[present]",
            "done[clear]",
        ]
    );
    assert_eq!((kb.private(), kb.searches.load(Ordering::Relaxed)), (0, 1));
}

#[test]
fn t9_the_type_knows_its_tools_and_parts_add_up() {
    let names = Kb::tool_names();
    assert_eq!(names, ["add", "find", "sum", "count", "fail", "present", "clear"]);
    let tools = Kb::bound(&Arc::default());
    assert_eq!(tools.iter().map(|tool| &*tool.definition().name).collect::<Vec<_>>(), names);
    let schema = &tools[0].definition().input_schema;
    assert_eq!(schema["properties"]["text"]["description"], "The note.");
    assert_eq!(tools[1].definition().input_schema["required"], json!(["word"]));
    let present = tools.iter().find(|tool| *tool.definition().name == *"present").unwrap();
    let properties = present.definition().input_schema["properties"].as_object().unwrap();
    // The order of keys depends on what other crates turn on.
    let mut keys: Vec<_> = properties.keys().collect();
    keys.sort_unstable();
    assert_eq!(keys, ["times", "word"]);
    // The methods stay what they are.
    assert_eq!(Kb::default().add("x".to_owned()) + Kb::default().private(), 1);
}

#[tokio::test]
async fn t9_wrong_arguments_name_the_tool_and_it_does_not_run() {
    let kb = Kb::bound(&Arc::default());
    let cx = ToolContext::detached("add");
    let error = kb[0].run_dyn(&cx, &mut Args::from(r#"{"txt": 1}"#)).await.unwrap_err();
    let Exit::Tool(error) = error else { panic!("{error:?}") };
    assert!(error.to_string().contains("did you mean `text`"), "{error}");
}

#[tokio::test]
async fn t9_an_object_gives_its_tools_by_name_and_shares_itself_with_them() {
    let kb = Arc::new(Kb::default());
    let tools = kb.tools();
    assert_eq!(tools.keys().collect::<Vec<_>>(), ["add", "clear", "count", "fail", "find", "present", "sum"]);
    assert_eq!(call!(tools["add"], text = "buy milk").await.unwrap(), 1);
    assert_eq!(kb.add("sell milk".to_owned()), 2, "the program still has the object");
    let again = kb.tools();
    assert_eq!(call!(again["find"], word = "milk").await.unwrap(), json!(["buy milk", "sell milk"]));
    assert_eq!(call!(tools["clear"]).await.unwrap(), json!("done"));
    assert_eq!(kb.private(), 0, "a part's tools work on it too");

    // Without an `Arc` the tools own it.
    let tools = Kb::default().tools();
    assert_eq!(call!(tools["add"], text = "a").await.unwrap(), 1);
    assert_eq!(call!(tools["add"].clone(), text = "b").await.unwrap(), 2);
}

struct Shop;

#[toolbox]
impl Shop {
    /// Sells hammers.
    #[tool]
    fn tools(&self) -> &'static str {
        "hammers"
    }

    fn tool_names() -> u8 {
        1
    }
}

#[tokio::test]
async fn t9_methods_of_the_types_own_come_first() {
    assert_eq!((Shop.tools(), Shop::tool_names()), ("hammers", 1));
    let tools = onionskin::ToolSpec::from_toolbox(Shop);
    assert_eq!(call!(tools["tools"]).await.unwrap(), "hammers");
}

#[tokio::test]
async fn t9_a_toolbox_that_nobody_gave_is_named() {
    let error = Librarian::builder()
        .model(ScriptedModel::turns([ScriptedTurn::say("x")]))
        .state(Settings::default())
        .toolbox(Kb::default())
        .build()
        .await
        .unwrap_err();
    let BuildError::NoToolbox { toolbox, call, .. } = &error else { panic!("{error}") };
    assert_eq!((*toolbox, &**call), ("Kb", ".toolbox_as(\"archive\", ..)"));
}

/// What a pile is of.
trait Kind: Send + Sync + 'static {
    const NAME: &'static str;
}

struct Hay;

impl Kind for Hay {
    const NAME: &'static str = "hay";
}

struct Wood;

impl Kind for Wood {
    const NAME: &'static str = "wood";
}

struct Pile<K: Kind>(AtomicU32, std::marker::PhantomData<K>);

impl<K: Kind> Pile<K> {
    fn new(amount: u32) -> Self {
        Self(AtomicU32::new(amount), std::marker::PhantomData)
    }

    fn grow(&self, by: u32) -> String {
        format!("{} {}", self.0.fetch_add(by, Ordering::Relaxed) + by, K::NAME)
    }
}

#[toolbox]
impl Pile<Hay> {
    /// Adds hay.
    #[tool]
    fn add(&self, by: u32) -> String {
        self.grow(by)
    }
}

#[toolbox]
impl Pile<Wood> {
    /// Adds wood.
    #[tool(name = "add_wood")]
    fn add_(&self, by: u32) -> String {
        self.grow(by)
    }
}

agent! {
    Farmer {
        instruction: "Farm.",
        toolboxes: [Pile<Hay>, Pile<Wood>, barn: Pile<Hay>],
        tool_hooks: [audit for [Pile<Wood>::add_]],
    }
}

#[tokio::test]
async fn t9_concrete_types_of_a_generic_type_are_toolboxes_each() {
    let turn = ScriptedTurn::call("add", json!({ "by": 1 }))
        .and_call("add_wood", json!({ "by": 2 }))
        .and_call("barn_add", json!({ "by": 3 }));
    let farmer = Farmer::builder()
        .toolbox(Pile::<Hay>::new(10))
        .toolbox(Pile::<Wood>::new(20))
        .toolbox_as("barn", Pile::<Hay>::new(30))
        .model(ScriptedModel::turns([turn, ScriptedTurn::say("done")]));
    let output = farmer.run("go").await.unwrap();
    let texts: Vec<_> = output.tool_calls.iter().map(|call| call.to_text().to_string()).collect();
    assert_eq!(texts, ["11 hay", "22 wood[add_wood]", "33 hay"]);
    let wood = Pile::<Wood>::new(1).tools();
    assert_eq!(call!(wood["add_wood"], by = 1).await.unwrap(), "2 wood");
}
