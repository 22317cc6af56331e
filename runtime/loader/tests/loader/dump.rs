//! Agents of `agent!` as cards.

use std::collections::BTreeSet;

use onionskin::declaration::{AgentDeclaration, AppBuilder};
use onionskin::guardrails::{MaskPii, RejectInjection};
use onionskin::loader::{CardLoader, CardText, DumpError, Registry, StateParts};
use onionskin::prompt::{Prompt, PromptPart};
use onionskin::typed::{ArgsOf, TypedNext};
use onionskin::{Agent, App, RunContext, ScriptedModel, ToolResult, agent, hooks, tool, tool_hook};
use serde_json::json;

use super::folder;
use super::parts::{
    Helper, Kb, Question, Report, Visit, add_one, add_two, at_most, greeting, guest, louder, mark, more,
    three_more,
};

/// Doubles a number, as a typed hook sees it.
#[tool_hook(tool = add_one)]
async fn doubled(mut args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<i64> {
    args.x *= 2;
    next.run(args).await
}

agent! {
    /// Answers people.
    pub(crate) Desk {
        name: "desk",
        description: "Answers people.",
        instruction: "Answer \"well\" to {session_state.name}.",
        role: "A clerk of {{kept}}: { braces } and \\n.",
        additional_context: "Two\nlines.",
        markdown: true,
        add_memories_to_context: true,
        add_culture_to_context: true,
        add_session_summary_to_context: true,
        add_learnings_to_context: true,
        search_knowledge: true,
        function_tools: [add_one, add_two],
        toolboxes: [archive: Kb],
        agents: [Office, Helper],
        tool_hooks: [more for [add_two, Kb, Office], .., hooks::log except [source(agent), tool("late")]],
        input_guardrails: [three_more for [add_two, Office]],
        output_guardrails: [MaskPii except [source(agent), tool("late")], RejectInjection],
        approval: [add_one, Office, "it is late" for [tool("late"), add_two]],
        run_hooks: [louder, MaskPii],
        default: true,
        model: "small",
        request_params: { temperature: 1.5, seed: 3, stop_sequences: ["END"], tool_choice: onionskin::model::ToolChoice::Required },
        limits: { turns: 5, tool_calls: 9, time_sec: 60.5 },
        history_source: child,
        max_parallel: 1,
        child_timeout_sec: 10.5,
        max_display_instances: 3,
        effect: pure,
        prompt_order: by_change,
    }
    /// Works.
    pub(crate) Office {
        name: "office", description: "Works.", instruction: "  Work.  ",
        input: Question, output: Report, tool_hooks: [hooks::log, .., more for [everywhere]],
    }
    pub(crate) Host { instruction: "Greet.", state: Visit, function_tools: [guest] }
    Valued { instruction: "A.", tool_hooks: [mark(" a".to_owned())] }
    Turned { instruction: "A.", turn_hooks: [at_most(3)] }
    Computed { instruction: greeting }
    Shown { instruction: "Greet {guest}.", state: Visit }
    Typed { instruction: "A.", function_tools: [add_one], tool_hooks: [doubled] }
    Planned { instruction: "A.", run: super::parts::repeat }
    Unknown { instruction: "A.", function_tools: [unlisted] }
    Above { instruction: "A.", agents: [Valued2] }
    Valued2 { description: "V.", instruction: "A.", tool_hooks: [mark(" a".to_owned())] }
}

/// A tool that is not registered.
#[tool]
fn unlisted() -> i64 {
    1
}

fn registry() -> Registry {
    Registry::new()
        .file("cards/tools.rs", |items| {
            items
                .tool::<add_one>()
                .tool::<add_two>()
                .called("plus_two")
                .tool::<guest>()
                .toolbox::<Kb>()
                .state_with::<Visit>(StateParts::recorded)
                .input::<Question>()
                .output::<Report>()
        })
        .module("crate::hooks", |items| {
            items.tool_hook::<mark>().tool_hook::<more>().turn_hook::<at_most>().run_hook::<louder>();
            items.input_guardrail::<three_more>()
        })
        .module("crate::agents", |items| items.agent::<Helper>())
}

/// The agents of dumped cards, and their cards again.
fn again(dumped: &[CardText]) -> (AppBuilder, Vec<CardText>) {
    let files: Vec<(&str, &str)> = dumped.iter().map(|card| (&*card.file, &*card.text)).collect();
    let folder = folder(&files);
    let cards = CardLoader::new(registry()).base(folder.path()).load(files.iter().map(|(file, _)| *file));
    let cards = cards.unwrap_or_else(|error| panic!("{error}"));
    (cards.add_to(App::builder()), cards.dump())
}

async fn page(app: AppBuilder) -> String {
    let app = app.model(ScriptedModel::turns([])).build().await.unwrap();
    let described = app.describe().unwrap();
    serde_json::to_string_pretty(
        &json!({ "agents": described, "prompt": app.entry().system_prompt().await.unwrap() }),
    )
    .unwrap()
}

/// Sets the sources of the agent's prompt.
fn informed(agent: AgentDeclaration) -> AgentDeclaration {
    let parts = [
        PromptPart::Memories,
        PromptPart::Culture,
        PromptPart::SessionSummary,
        PromptPart::Learnings,
        PromptPart::Knowledge,
    ];
    let set = |prompt: Prompt, part| prompt.source(part, move |_: &RunContext| format!("All {part}."));
    agent.prompt(parts.into_iter().fold(Prompt::new(), set))
}

#[tokio::test]
async fn c3_an_agent_in_rust_as_a_card_is_loaded_as_the_same_agent() {
    let dumped = registry().dump::<Desk>().unwrap();
    let files: Vec<&str> = dumped.iter().map(|card| &*card.file).collect();
    assert_eq!(files, ["desk.md", "office.md"], "the helper is registered");
    for part in [
        "\"cards/tools.rs:plus_two\"",
        "for: [\"plus_two\", \"Kb\", \"office\"]",
        "\"crate::agents::Helper\"",
        "  - ..\n",
        "input_guardrails: \n  - { guardrail: \"crate::hooks::three_more\", for: [\"plus_two\", \"office\"] }\n",
        "output_guardrails: \n  - { guardrail: \"::onionskin::guardrails::MaskPii\", except: [\"source(agent)\", \"tool(late)\"] }\n",
    ] {
        assert!(dumped[0].text.contains(part), "{part}: {}", dumped[0].text);
    }
    let (loaded, texts) = again(&dumped);
    assert_eq!(texts, dumped);
    let late = || onionskin::ToolSpec::from_fn("late", "Comes late.", |(): (), _| async { Ok(1) });
    let in_rust = App::builder().agent::<Desk>().agent::<Office>().toolbox_as("archive", Kb);
    let loaded = loaded.toolbox_as("archive", Kb);
    let (in_rust, loaded) = (
        in_rust.for_agent("desk", move |agent| informed(agent).tool_value(late())),
        loaded.for_agent("desk", move |agent| informed(agent).tool_value(late())),
    );
    assert_eq!(page(in_rust).await, page(loaded).await);
}

#[tokio::test]
async fn c3_an_agent_with_a_state_as_a_card_is_loaded_as_the_same_agent() {
    let dumped = registry().dump::<Host>().unwrap();
    let (loaded, texts) = again(&dumped);
    assert_eq!(texts, dumped);
    let visit = || Visit { guest: "Ada".to_owned() };
    assert_eq!(page(App::builder().agent::<Host>().state(visit())).await, page(loaded.state(visit())).await);
}

#[test]
fn c3_dumped_cards_have_different_files() {
    let files = [
        ("c/desk.md", "---\nname: A\n---\nA."),
        ("c/desk.yaml", "name: B\ninstruction: B.\n"),
        ("c/Desk.yml", "name: C\ninstruction: C.\n"),
        ("c/desk-2.md", "---\nname: D\n---\nD."),
    ];
    let folder = folder(&files);
    let dumped = CardLoader::new(Registry::new()).base(folder.path()).load(["c"]).unwrap().dump();
    let names: BTreeSet<String> = dumped.iter().map(|card| card.file.to_lowercase()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    let (loaded, texts) = again(&dumped);
    assert_eq!(
        texts.iter().map(|card| &card.text).collect::<Vec<_>>(),
        dumped.iter().map(|card| &card.text).collect::<Vec<_>>()
    );
    drop(loaded);
}

mod elsewhere {
    use super::agent;

    agent! {
        pub(super) Office { name: "office", description: "Rests.", instruction: "Rest." }
        pub(super) Manager { description: "Manages.", instruction: "Manage.", agents: [Office] }
    }
}

agent! { Twice { instruction: "A.", agents: [Office, elsewhere::Manager] } }

#[test]
fn c3_two_agents_of_one_name_below_a_dumped_one_are_an_error() {
    let error = registry().dump::<Twice>().unwrap_err();
    assert!(matches!(&error, DumpError::TwoAgents { agent, .. } if agent == "office"), "{error}");
}

fn refused<A: Agent>() -> (String, String) {
    match registry().dump::<A>().unwrap_err() {
        DumpError::Code { agent, part, .. } => (agent, part),
        DumpError::Unregistered { agent, item, field, .. } => (agent, format!("{item} of {field}")),
        other => panic!("{other}"),
    }
}

#[test]
fn c3_what_no_card_can_have_is_an_error_that_names_it() {
    for ((agent, part), (of, what)) in [
        (refused::<Valued>(), ("Valued", "the value of `mark`")),
        (refused::<Turned>(), ("Turned", "the value of `at_most`")),
        (refused::<Computed>(), ("Computed", "`instruction`")),
        (refused::<Shown>(), ("Shown", "`instruction`")),
        (refused::<Typed>(), ("Typed", "the tool of `doubled`")),
        (refused::<Planned>(), ("Planned", "`run`")),
        (refused::<Unknown>(), ("Unknown", "unlisted of function_tools")),
        (refused::<Above>(), ("Valued2", "the value of `mark`")),
    ] {
        assert_eq!((&*agent, &*part), (of, what));
    }
    let error = Registry::new().dump::<Host>().unwrap_err().to_string();
    assert!(
        error.contains("the registry does not have `guest` of its `function_tools`; call `.tool::<guest>()`"),
        "{error}"
    );
}

#[test]
fn c3_another_item_of_the_same_name_is_said_to_be_another_one() {
    mod again {
        use onionskin::tool;

        /// Adds one, in the file that is included a second time.
        #[tool]
        pub(super) fn unlisted() -> i64 {
            2
        }
    }
    let registry = Registry::new().file("cards/tools.rs", |items| items.tool::<again::unlisted>());
    let error = registry.dump::<Unknown>().unwrap_err();
    let DumpError::AnotherItem { item, known, .. } = &error else { panic!("{error}") };
    assert_eq!((&**item, &**known), ("unlisted", "cards/tools.rs:unlisted"));
    assert!(error.to_string().contains("name it by its path, `crate::..`"), "{error}");
    assert_eq!(format!("{error:?}"), error.to_string());
}

#[test]
fn c3_a_ready_hook_of_the_same_name_is_no_other_item() {
    mod own {
        use onionskin::{Args, Next, ToolResult, agent, tool_hook};

        #[tool_hook]
        pub(super) async fn log(args: &mut Args, next: impl Next) -> ToolResult {
            next.run(args).await
        }

        agent! { pub(super) Logged { instruction: "A.", tool_hooks: [log] } }
    }
    let error = Registry::new().dump::<own::Logged>().unwrap_err();
    assert!(matches!(&error, DumpError::Unregistered { item, .. } if item == "log"), "{error}");
}

#[test]
fn c3_a_tool_choice_that_a_card_reads_as_another_choice_is_an_error() {
    mod named {
        use onionskin::model::ToolChoice;
        use onionskin::{agent, tool};

        /// A tool that is called as a choice is.
        #[tool(name = "none")]
        fn nothing() -> i64 {
            0
        }

        agent! {
            pub(super) Chooser {
                instruction: "A.", function_tools: [nothing], request_params: { tool_choice: ToolChoice::tool("none") },
            }
        }

        pub(super) fn dumped() -> Result<Vec<super::CardText>, super::DumpError> {
            super::Registry::new().file("tools.rs", |items| items.tool::<nothing>()).dump::<Chooser>()
        }
    }
    let error = named::dumped().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent `Chooser` cannot be a card: in a card, `tool_choice: none` does not name the tool `none`; give the tool another name"
    );
}
