//! Parts that are written by hand work as the parts that core and the macros make.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::fs;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use onionskin_core::approval::{Approval, ApprovalRequest, Approver};
use onionskin_core::declaration::AgentDeclaration;
use onionskin_core::event::EventKind;
use onionskin_core::question::Answer;
use onionskin_core::spec::StateType;
use onionskin_core::{
    Agent, BuildError, RunError, RunOutput, ScriptedModel, ScriptedTurn, Session, ToolSpec,
};
use onionskin_third_party::{
    AuditTrail, Bank, Careful, Clerk, Contacts, Counted, Dictated, FileJournal, FindAccount, LetterBox,
    Memory, Metered, Payments, RateTable, Shelf, ToKnown, Transfer, clerk,
};
use serde_json::json;

const RATES: &str = "USD 108\nGBP 84";

fn bank() -> Bank {
    Bank { cents: 100_000, paid: Vec::new() }
}

/// A run of one dictation: what came of it, and the state after it.
async fn dictate(lines: &str) -> (RunOutput, Arc<Bank>) {
    let handle = clerk(bank(), RateTable::new(RATES), AuditTrail::default());
    let handle = handle.model(Dictated::default()).build().await.unwrap();
    let session = handle.session();
    let output = handle.request(lines).session(&session).run().await.unwrap();
    (output, state(&session))
}

fn state(session: &Session) -> Arc<Bank> {
    session.typed_state().unwrap()
}

#[tokio::test]
async fn o3_a_model_by_hand_is_asked_turn_by_turn() {
    let (output, _) = dictate("rates__usd {\"cents\": 100}\nrates__gbp {\"cents\": \"200\"}").await;
    assert_eq!(output.text, "100 euro cents are 108 usd cents\n200 euro cents are 168 gbp cents");
    assert_eq!((output.turns, output.tool_calls.len()), (3, 2));
    assert!(output.usage.input_tokens > 0, "{:?}", output.usage);
}

#[tokio::test]
async fn a4_a_source_by_hand_gives_tools_that_may_change_and_says_what_is_wrong_with_it() {
    let (table, trail) = (RateTable::new(RATES), AuditTrail::default());
    let rates = table.rates();
    let handle = clerk(bank(), table, trail).model(Dictated::default()).build().await.unwrap();
    assert_eq!(handle.tool_names().unwrap(), ["transfer", "rates__gbp", "rates__usd"]);
    rates.set("CHF", 93);
    let output = handle.run("rates__chf {\"cents\": 100}\nrates__chf {\"cent\": 100}").await.unwrap();
    assert!(output.text.starts_with("100 euro cents are 93 chf cents\n"), "{}", output.text);
    assert!(output.text.contains("`cent`: unknown argument; did you mean `cents`?"), "{}", output.text);
    handle.shutdown().await;

    let wrong = clerk(bank(), RateTable::new("USD 108\nGBP"), AuditTrail::default());
    let error = wrong.model(Dictated::default()).build().await.unwrap_err();
    assert!(matches!(error, BuildError::Server(_)), "{error:?}");
    assert!(error.to_string().contains("line 2 of the rates is `GBP`"), "{error}");
}

#[tokio::test]
async fn l1_a_tool_by_hand_has_its_stages_and_the_state() {
    let pay = "transfer {\"to\": \"landlord\", \"cents\": 45000}";
    let (output, bank) = dictate(&[pay, pay, pay].join("\n")).await;
    let texts: Vec<_> = output.tool_calls.iter().map(|call| call.to_text()).collect();
    assert!(texts[1].ends_with("10000 are left"), "{texts:?}");
    assert_eq!(texts[2], "the account does not hold that much (no money was moved)");
    assert_eq!(*bank, Bank { cents: 10_000, paid: vec![("landlord".to_owned(), 45_000); 2] });

    let refused =
        ToolSpec::new(Transfer).with_state(Bank::default()).call(json!({ "to": 7 })).await.unwrap_err();
    let text = refused.to_string();
    for part in ["`cents`: missing", "`to`: expected a string", "(no money was moved)"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn l1_guardrails_by_hand_refuse_rewrite_and_mask() {
    let lines = "transfer {\"to\": \"casino\", \"cents\": 5}\ntransfer {\"to\": \"  baker \", \"cents\": 5}";
    let (output, bank) = dictate(lines).await;
    assert_eq!(output.tool_calls[0].to_text(), "payments to `casino` are not allowed");
    assert_eq!(output.tool_calls[1].to_text(), "paid 5 cents to baker from account ****, 99995 are left");
    assert_eq!(bank.paid, [("baker".to_owned(), 5)]);
}

#[tokio::test]
async fn u2_an_approver_by_hand_sees_the_arguments() {
    let (output, bank) = dictate("transfer {\"to\": \"shipyard\", \"cents\": 60000}").await;
    let text = output.tool_calls[0].to_text();
    assert_eq!(text, "Tool execution was not approved: 60000 cents are more than 50000");
    assert!(bank.paid.is_empty());
}

#[tokio::test]
async fn h4_a_hook_by_hand_sees_calls_of_every_source() {
    let trail = AuditTrail::default();
    let handle = clerk(bank(), RateTable::new(RATES), trail.clone());
    let handle = handle.model(Dictated::default()).build().await.unwrap();
    let lines = "rates__usd {\"cents\": 1}\ntransfer {\"to\": \"baker\", \"cents\": 5}\ntransfer {\"to\": \"casino\", \"cents\": 5}";
    handle.run(lines).await.unwrap();
    assert_eq!(
        trail.lines(),
        [
            "clerk server rates__usd {\"cents\": 1}: done",
            "clerk function transfer {\"to\": \"baker\", \"cents\": 5}: done",
            "clerk function transfer {\"to\": \"casino\", \"cents\": 5}: Denied",
        ]
    );
}

/// An agent with the state of a clerk, or another one.
struct Keeper<S>(PhantomData<S>);

impl<S: Clone + Send + Sync + 'static> Agent for Keeper<S> {
    const NAME: &'static str = "keeper";
    type State = S;

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().instruction("Do what you are asked for.")
    }
}

/// [`Transfer`] inside of two wrappers.
fn metered() -> Metered {
    Metered::new(Arc::new(Metered::new(Arc::new(Transfer))))
}

#[tokio::test]
async fn t8_a_wrapper_by_hand_of_a_tool_with_another_state_is_refused_when_the_agent_is_built() {
    let spec = || ToolSpec::from_dyn(Arc::new(metered()));
    let keeper = Keeper::<()>::builder().model(Dictated::default());
    let error = keeper.tool(spec()).build().await.unwrap_err();
    let text = error.to_string();
    let BuildError::ToolState { agent, tool, takes, .. } = error else { panic!("{text}") };
    assert_eq!((&*agent, &*tool), ("keeper", "metered_metered_transfer"));
    assert_eq!(takes, StateType::new::<Bank>().name());

    let keeper = Keeper::<Bank>::builder().model(Dictated::default()).state(bank());
    let handle = keeper.tool(spec()).build().await.unwrap();
    let output = handle.run("metered_metered_transfer {\"to\": \"baker\", \"cents\": 5}").await.unwrap();
    assert!(output.text.ends_with("99995 are left"), "{}", output.text);
}

#[tokio::test]
async fn o3_a_wrapper_by_hand_of_a_model_is_the_model_with_a_count() {
    let model = Arc::new(Counted::new(Dictated::default()));
    let handle = clerk(bank(), RateTable::new(RATES), AuditTrail::default());
    let handle = handle.model(Arc::clone(&model)).build().await.unwrap();
    let output = handle.run("transfer {\"to\": \"baker\", \"cents\": 5}").await.unwrap();
    assert_eq!(model.tokens(), output.usage.total());
    assert!(model.tokens() > 0);
}

/// Counts what it is asked.
#[derive(Clone, Default)]
struct Requests(Arc<AtomicU32>);

impl Approver for Requests {
    async fn approve(&self, _: ApprovalRequest) -> Approval {
        self.0.fetch_add(1, Ordering::Relaxed);
        Approval::Allow
    }
}

#[tokio::test]
async fn t4_wrong_arguments_of_tools_by_hand_do_not_reach_the_approver() {
    let metered = metered();
    let wrapped = ToolSpec::from_dyn(Arc::new(metered.clone()));
    for tool in [ToolSpec::new(Transfer), wrapped.clone(), ToolSpec::from_dyn(Arc::new(wrapped))] {
        let asked = Requests::default();
        let mut tool = tool.with_state(bank());
        tool.approval().approver(asked.clone());
        let refused = tool.call(json!({ "to": 7 })).await.unwrap_err().to_string();
        for part in ["`cents`: missing", "`to`: expected a string"] {
            assert!(refused.contains(part), "{part}: {refused}");
        }
        assert_eq!(asked.0.load(Ordering::Relaxed), 0);
        tool.call(json!({ "to": "baker", "cents": 5 })).await.unwrap();
        assert_eq!(asked.0.load(Ordering::Relaxed), 1);
    }
    assert_eq!(metered.calls(), 2);
}

/// A file that is removed with the test.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[tokio::test]
async fn o5_a_journal_by_hand_keeps_a_run_across_programs() {
    let file = scratch("journal");
    let mut runs = Vec::new();
    for id in ["monday", "monday", "tuesday"] {
        let model = Arc::new(Dictated::default());
        let handle = clerk(bank(), RateTable::new(RATES), AuditTrail::default()).model(Arc::clone(&model));
        let handle = handle.journal(FileJournal::open(&file.0).unwrap()).build().await.unwrap();
        let session = handle.session();
        let request = handle.request("transfer {\"to\": \"baker\", \"cents\": 5}").session(&session);
        let output = request.run_id(id).run().await.unwrap();
        runs.push((output.text, model.requests(), state(&session).paid.len()));
    }
    let text = "paid 5 cents to baker from account ****, 99995 are left".to_owned();
    assert_eq!(runs, [(text.clone(), 2, 1), (text.clone(), 0, 1), (text, 2, 1)]);
}

/// The run whose steps the next tests look for, recorded in the file.
async fn record(file: &Path) -> RunOutput {
    let handle = clerk(bank(), RateTable::new(RATES), AuditTrail::default()).model(Dictated::default());
    let handle = handle.journal(FileJournal::open(file).unwrap()).build().await.unwrap();
    handle.request("transfer {\"to\": \"bäcker\", \"cents\": 5}").run_id("monday").run().await.unwrap()
}

fn scratch(name: &str) -> Scratch {
    Scratch(std::env::temp_dir().join(format!("onionskin-{name}-{}", std::process::id())))
}

#[tokio::test]
async fn o5_a_last_line_that_a_crash_cut_is_cut_off() {
    let file = scratch("cut-journal");
    let whole = record(&file.0).await;
    let bytes = fs::read(&file.0).unwrap();
    let last = bytes[..bytes.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    let steps = FileJournal::open(&file.0).unwrap().steps_of("monday");
    // Cut between the bytes of `ä` too.
    for end in last..bytes.len() {
        fs::write(&file.0, &bytes[..end]).unwrap();
        assert_eq!(FileJournal::open(&file.0).unwrap().steps_of("monday"), steps - 1, "{end}");
    }
    assert_eq!(record(&file.0).await.text, whole.text);
    assert_eq!(fs::read(&file.0).unwrap(), bytes, "the step is recorded again, in a line of its own");
}

#[tokio::test]
async fn o5_a_line_that_is_no_step_is_an_error_that_names_file_and_line() {
    let file = scratch("spoilt-journal");
    record(&file.0).await;
    let text = fs::read_to_string(&file.0).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let short = &lines[1][..9];
    fs::write(&file.0, [lines[0], short, lines[2], ""].join("\n")).unwrap();
    let error = FileJournal::open(&file.0).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: line 2 is not a step: ", file.0.display())), "{error}");
}

#[test]
fn o5_a_journal_that_is_open_is_not_opened_again() {
    let file = scratch("open-journal");
    let _open = FileJournal::open(&file.0).unwrap();
    let error = FileJournal::open(&file.0).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: another process may have it open", file.0.display())), "{error}");
}

/// The folder of the workspace. This file is a test of two crates, in two folders.
fn root() -> &'static Path {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.into_iter().find(|folder| folder.join("Cargo.lock").exists()).unwrap()
}

#[test]
fn only_public_items_of_core_are_named() {
    let src = root().join("examples/third_party/src");
    for entry in fs::read_dir(src).unwrap() {
        let path = entry.unwrap().path();
        let code = fs::read_to_string(&path).unwrap();
        for hidden in ["__private", "forms::", "checks::", "onionskin::"] {
            assert!(!code.contains(hidden), "{} names `{hidden}`", path.display());
        }
    }
}

mod declared {
    //! Parts by hand where macros name them.
    use super::{Arc, Bank, BuildError, Memory, Payments, Shelf, Transfer, bank, json, state};
    use onionskin_core::{
        Agent, Args, DynTool, ScriptedModel, ScriptedTurn, ToolContext, ToolDefinition, ToolOutput,
        ToolResult, ToolSpec, Toolbox, agent, call, tool, tool_hook,
    };
    use onionskin_third_party::NotTo;

    /// Pays.
    #[tool(crate = onionskin_core, input_guardrails = [NotTo("casino")])]
    fn pay(to: &str) -> String {
        format!("paid {to}")
    }

    #[tool_hook(crate = onionskin_core)]
    fn mark(output: &mut ToolOutput) {
        output.push_text(" (marked)");
    }

    agent! {
        Cashier {
            crate: onionskin_core,
            instruction: "Pay.",
            state: Bank,
            function_tools: [Transfer],
            tool_hooks: [Payments(1)],
        }

        Librarian {
            crate: onionskin_core,
            instruction: "File.",
            toolboxes: [Shelf<Memory>, archive: Shelf<Memory>],
            tool_hooks: [mark for [Shelf<Memory>::put]],
        }
    }

    fn pays() -> ScriptedTurn {
        ScriptedTurn::call("transfer", json!({ "to": "Ada", "cents": "5" }))
    }

    #[tokio::test]
    async fn h2_a_hook_by_hand_gets_its_value_from_agent_and_works_on_its_state() {
        let model = ScriptedModel::turns([pays(), pays(), ScriptedTurn::say("done")]);
        let cashier = Cashier::builder().state(bank()).model(model).build().await.unwrap();
        let session = cashier.session();
        let output = cashier.request("pay").session(&session).run().await.unwrap();
        let texts: Vec<_> = output.tool_calls.iter().map(|call| call.to_text().to_string()).collect();
        assert!(texts[0].starts_with("paid 5 cents to Ada"), "{texts:?}");
        assert_eq!(texts[1], "1 payments were made, and no more are allowed");
        let bank: Arc<Bank> = state(&session);
        assert_eq!(bank.paid.len(), 1);
    }

    #[tokio::test]
    async fn h2_a_guardrail_by_hand_gets_its_value_from_the_list_of_a_tool() {
        assert_eq!(call!(pay::spec(), to = " Ada").await.unwrap(), "paid Ada");
        let refused = call!(pay::spec(), to = "casino").await.unwrap_err();
        assert_eq!(refused.to_string(), "payments to `casino` are not allowed");
    }

    #[tokio::test]
    async fn t9_an_agent_names_a_type_of_a_generic_toolbox_with_a_prefix_and_in_filters() {
        let turn = ScriptedTurn::call("file_text", json!({ "name": "a", "text": "A" }))
            .and_call("archive_find_text", json!({ "name": "a" }))
            .and_call("find_text", json!({ "nam": "a" }));
        let librarian = Librarian::builder()
            .toolbox(Shelf::<Memory>::default())
            .toolbox_as("archive", Shelf::<Memory>::default())
            .model(ScriptedModel::turns([turn, ScriptedTurn::say("done")]));
        let output = librarian.build().await.unwrap().run("go").await.unwrap();
        let texts: Vec<_> = output.tool_calls.iter().map(|call| call.to_text().to_string()).collect();
        assert_eq!(texts[..2], ["filed (marked)", "no text is filed as `a`"]);
        assert!(texts[2].contains("`nam`: unknown argument; did you mean `name`?"), "{texts:?}");
    }

    /// A toolbox whose lists differ: which tools it lists and returns, and which methods it names.
    struct Torn<const LISTED: usize, const METHODS: usize, const BOUND: usize>;

    const NAMES: [&str; 3] = ["a", "b", "c"];

    impl<const LISTED: usize, const METHODS: usize, const BOUND: usize> Toolbox for Torn<LISTED, METHODS, BOUND> {
        const NAME: &'static str = "Torn";
        const TOOLS: &'static [&'static [&'static str]] = &[NAMES.split_at(LISTED).0];
        const METHODS: &'static [&'static [&'static str]] = &[NAMES.split_at(METHODS).0];
        type State = ();

        fn bound(_: &Arc<Self>) -> Vec<Arc<dyn DynTool>> {
            let tool = |name: &&str| {
                let definition = ToolDefinition::new(name, "Does.");
                let done = |_: Args, _: ToolContext| async { ToolResult::Ok(()) };
                Arc::new(ToolSpec::from_definition(definition, done)) as _
            };
            NAMES[..BOUND].iter().map(tool).collect()
        }
    }

    agent! {
        Unlisted { crate: onionskin_core, instruction: "Go.", toolboxes: [Torn<1, 1, 2>] }
        Unbound { crate: onionskin_core, instruction: "Go.", toolboxes: [Torn<2, 2, 1>] }
        Methods { crate: onionskin_core, instruction: "Go.", toolboxes: [Torn<2, 3, 2>] }
    }

    async fn torn<A: Agent, const L: usize, const M: usize, const B: usize>() -> String {
        let error =
            A::builder().toolbox(Torn::<L, M, B>).model(ScriptedModel::new()).build().await.unwrap_err();
        assert!(matches!(error, BuildError::ToolboxLists { .. }), "{error:?}");
        error.to_string()
    }

    #[tokio::test]
    async fn t9_a_toolbox_by_hand_that_disagrees_with_itself_is_a_build_error_that_names_the_tool() {
        let begin = "the lists of the toolbox `Torn` differ: ";
        assert_eq!(
            torn::<Unlisted, 1, 1, 2>().await,
            format!("{begin}`bound` returns the tool `b`, and `TOOLS` does not list it")
        );
        assert_eq!(
            torn::<Unbound, 2, 2, 1>().await,
            format!("{begin}`TOOLS` lists the tool `b`, and `bound` does not return it")
        );
        let text = torn::<Methods, 2, 3, 2>().await;
        assert!(text.starts_with(&format!("{begin}`METHODS` has another number of entries")), "{text}");
        let values = std::panic::catch_unwind(|| ToolSpec::from_toolbox(Torn::<1, 1, 2>));
        assert!(values.is_err());
    }
}

/// The traits that a third party implements, for a part of its own or for a wrapper of another one, with their files.
const TRAITS: [(&str, &str); 28] = [
    ("Tool", "tools/src/tool/mod.rs"),
    ("DynTool", "tools/src/tool/mod.rs"),
    ("Hook", "tools/src/onion/mod.rs"),
    ("InputGuardrail", "tools/src/policy/guardrail.rs"),
    ("OutputGuardrail", "tools/src/policy/guardrail.rs"),
    ("Model", "tools/src/model/mod.rs"),
    ("Journal", "tools/src/journal/mod.rs"),
    ("Approver", "tools/src/approval.rs"),
    ("ToolServer", "core/src/agent/parts/servers.rs"),
    ("ToolProvider", "core/src/agent/parts/servers.rs"),
    ("ToolServers", "core/src/agent/parts/servers.rs"),
    ("IntoToolServer", "core/src/agent/parts/servers.rs"),
    ("Agent", "core/src/agent/mod.rs"),
    ("Toolbox", "tools/src/tool/toolbox.rs"),
    ("Inject", "tools/src/context/inject.rs"),
    ("InjectInRun", "tools/src/context/inject_in_run.rs"),
    ("RunHook", "core/src/run_hook/hook.rs"),
    ("TurnHook", "core/src/turn_hook/hook.rs"),
    ("MessageHook", "core/src/message_hook/hook.rs"),
    ("Strict", "definitions/src/strict.rs"),
    ("StrictFields", "definitions/src/strict.rs"),
    ("VisitSecrets", "definitions/src/secret/visit.rs"),
    ("ToolForm", "definitions/src/export/request.rs"),
    ("Answerer", "tools/src/question/answerer.rs"),
    ("AnswerType", "tools/src/question/answer.rs"),
    ("Propagator", "tools/src/trace.rs"),
    ("PromptSource", "core/src/prompt/source.rs"),
    ("DeltaFilter", "core/src/run_hook/delta_filter.rs"),
];

#[test]
fn traits_of_core_have_no_hidden_items() {
    let runtime = root().join("runtime");
    for (name, file) in TRAITS {
        let code = fs::read_to_string(runtime.join(file)).unwrap();
        let heads = [": ", "<'a>: ", " {", ", "].map(|rest| format!("pub trait {name}{rest}"));
        let begin = heads.iter().find_map(|head| code.find(head)).unwrap_or_else(|| panic!("no `{name}`"));
        let (_, items) = code[begin..].split_once('{').unwrap();
        let items = match items.strip_prefix('}') {
            Some(_) => "",
            None => items.split_once("\n}\n").unwrap().0,
        };
        assert!(!items.contains("doc(hidden)"), "`{name}` has a hidden item");
    }
    // The macros of the traits whose rows are above, and of their trait objects.
    for file in ["core/src/places.rs", "tools/src/policy/guardrail.rs"] {
        let code = fs::read_to_string(runtime.join(file)).unwrap();
        assert!(!code.split("pub trait $list").next().unwrap().contains("doc(hidden)"), "{file}");
    }
}

/// One person and her account.
struct Knows(&'static str, &'static str);

impl Contacts for Knows {
    fn account_of(&self, name: &str) -> Option<String> {
        (name == self.0).then(|| self.1.to_owned())
    }
}

fn knows(name: &'static str, account: &'static str) -> Arc<dyn Contacts> {
    Arc::new(Knows(name, account))
}

#[tokio::test]
async fn t7_parts_by_hand_take_a_service_of_any_program() {
    let keeper = || {
        let mut transfer = ToolSpec::new(Transfer);
        transfer.add_input_guardrails(ToKnown);
        let keeper = Keeper::<Bank>::builder().model(Dictated::default()).state(bank());
        keeper.tool(ToolSpec::new(FindAccount)).tool(transfer)
    };
    let BuildError::Several(missing) = keeper().build().await.unwrap_err() else { panic!("two parts") };
    let parts = missing.iter().map(|error| match error {
        BuildError::NoService { part, service, .. } => {
            assert!(service.name().ends_with("Contacts"), "{error}");
            part.as_str()
        }
        other => panic!("{other}"),
    });
    assert_eq!(parts.collect::<Vec<_>>(), ["the tool `find_account`", "the tool `transfer`"]);

    let handle = keeper().provide_shared(knows("Ada", "DE01")).build().await.unwrap();
    let lines = "find_account {\"name\": \"Ada\"}\ntransfer {\"to\": \"Bob\", \"cents\": 5}";
    assert_eq!(handle.run(lines).await.unwrap().text, "DE01\n`Bob` is not in the contacts");
    let output = handle.request(lines).provide_shared(knows("Bob", "DE02")).run().await.unwrap();
    assert!(output.text.starts_with("nothing is known of `Ada`\npaid 5 cents to Bob"), "{}", output.text);

    let direct = ToolSpec::new(FindAccount).provide_shared(knows("Ada", "DE01"));
    assert_eq!(direct.call(json!({ "name": "Ada" })).await.unwrap(), "DE01");
}

#[tokio::test]
async fn a7_a_strategy_by_hand_plans_acts_and_reviews_with_the_parts_of_another_agent() {
    let pay = |cents| ScriptedTurn::call("transfer", json!({ "to": "baker", "cents": cents }));
    let turns = [
        ScriptedTurn::say("Pay twice."),
        pay(5).and_call("transfer", json!({ "to": "miller", "cents": 6 })),
        pay(7),
        ScriptedTurn::say("Paid."),
        ScriptedTurn::say("As planned."),
    ];
    let model = Arc::new(ScriptedModel::turns(turns));
    let bank = bank();
    let builder = <Careful<Clerk>>::builder().model(Arc::clone(&model)).state(bank.clone());
    let builder = builder.server("rates", RateTable::new(RATES)).tool(ToolSpec::new(Transfer));
    let mut stream = builder.stream("Pay the baker and the miller.").await.unwrap();
    let mut notices = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Notice { text, .. } = event.kind {
            notices.push(text);
        }
    }
    assert_eq!(notices, ["plans", "acts", "reviews"]);
    let output = stream.output().await.unwrap();
    assert_eq!((&*output.text, output.turns, output.tool_calls.len()), ("As planned.", 5, 3));
    let requests = model.requests();
    let offered: Vec<_> = requests.iter().map(|request| request.tools.len()).collect();
    assert_eq!((offered[0], offered[4]), (0, 0));
    assert!(offered[1..4].iter().all(|tools| *tools > 1), "{offered:?}");
    let systems: Vec<_> = requests.iter().map(|request| request.system.as_deref().unwrap()).collect();
    assert!(
        systems[0].contains("transfer") && systems[1].starts_with("Keeps an account.\n\nConvert amounts"),
        "{systems:?}"
    );
}

/// Makes payments.
struct Payer;

impl Agent for Payer {
    const NAME: &'static str = "Payer";
    type State = Bank;

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().instruction("Pay.")
    }
}

#[tokio::test]
async fn u3_an_answerer_by_hand_answers_and_leaves_questions_open() {
    let answers = Arc::new(LetterBox::default());
    answers.put("transfer", Answer::value("not for an approval").unwrap());
    answers.put("transfer", Answer::deny("not today"));
    let mut transfer = ToolSpec::new(Transfer);
    transfer.approval();
    let call = |cents: u32| ScriptedTurn::call("transfer", json!({ "to": "baker", "cents": cents }));
    let model = ScriptedModel::turns([call(5), call(6), ScriptedTurn::say("done")]);
    let handle = Payer::builder().state(bank()).tool(transfer).model(model).answerer(Arc::clone(&answers));
    let handle = handle.build().await.unwrap();
    let Err(RunError::Paused(paused)) = handle.run("go").await else { panic!("it pauses") };
    let [open] = &*answers.open() else { panic!("{:?}", answers.open()) };
    assert!(open.starts_with("may transfer run with {") && open.contains(r#""cents":6"#), "{open}");
    let output =
        handle.resume(&paused).answer(paused.questions()[0].key(), Answer::allow()).run().await.unwrap();
    let results: Vec<_> = output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect();
    assert_eq!(results[0], "Tool execution was not approved: not today");
    assert!(!results[1].contains("not approved"), "{results:?}");
}
