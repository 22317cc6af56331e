//! Each field of a card means what it means in `agent!`.

use std::sync::Arc;

use onionskin::loader::{LoadedCards, Registry, StateParts};
use onionskin::prompt::{Prompt, PromptPart};
use onionskin::{App, RunContext, ScriptedModel, ScriptedTurn};
use serde_json::json;

use super::parts::{
    Helper, Kb, Question, Report, Visit, add_one, add_two, at_most, checked, greeting, guest, louder, mark,
    more, repeat, three_more,
};
use super::{load, run};

fn registry() -> Registry {
    Registry::new()
        .file("tools.rs", |items| {
            items
                .tool::<add_one>()
                .tool::<add_two>()
                .tool::<guest>()
                .toolbox::<Kb>()
                .state_with::<Visit>(StateParts::recorded)
                .input::<Question>()
                .output::<Report>()
                .text("greeting", greeting)
                .strategy("repeat", |run, input| Box::pin(repeat(run, input)))
        })
        .file("hooks.rs", |items| {
            items.tool_hook::<mark>().tool_hook::<more>().turn_hook::<at_most>().run_hook::<louder>();
            items.input_guardrail::<three_more>().output_guardrail::<checked>()
        })
        .module("crate::agents", |items| items.agent::<Helper>())
}

/// What the model was asked, without chance.
fn requests(model: &ScriptedModel) -> serde_json::Value {
    let mut requests = serde_json::to_value(model.requests()).unwrap();
    for request in requests.as_array_mut().unwrap() {
        for id in ["correlation_id", "run_id", "session_id", "run", "session", "id"] {
            request.as_object_mut().unwrap().remove(id);
        }
    }
    requests
}

const DESK: &str = r#"---
description: Answers people.
role: A clerk.
expected_output: One line.
additional_context: "{{kept}}"
markdown: true
function_tools: [tools.rs:add_one, "tools.rs:add_two"]
toolboxes: [{ archive: tools.rs:Kb }]
agents: [office, "crate::agents::Helper"]
tool_hooks:
  - { hook: hooks.rs:mark, with: [" a"], for: [add_one, Kb] }
  - ..
  - { hook: hooks.rs:mark, with: [" b"], except: [source(agent), add_one] }
  - { hook: hooks.rs:more, for: [add_two] }
input_guardrails: [{ guardrail: hooks.rs:three_more, for: [add_two] }]
output_guardrails: [{ guardrail: hooks.rs:checked, with: [" ok"], except: [Kb] }, "::onionskin::guardrails::RejectInjection"]
run_hooks: [hooks.rs:louder]
turn_hooks: { before_llm_call: { hook: hooks.rs:at_most, with: [77] } }
default: true
model: small
request_params: { temperature: 1, seed: 3, stop_sequences: [END], tool_choice: required, extra_body: { a: [1] } }
limits: { turns: 5, tool_calls: 9, time_sec: 60.5 }
history_source: child
history_merge_target: none
max_parallel: 1
child_timeout_sec: 10.5
max_display_instances: 3
effect: pure
lock: report
prompt_order: by_change
---
Answer "well" to {session_state.name}.
"#;

const OFFICE: &str = "name: office\ndescription: Works.\ninstruction: { function: \"tools.rs:greeting\" }\n";

mod dumped {
    use super::super::parts::{
        Helper, Kb, add_one, add_two, at_most, checked, greeting, louder, mark, more, three_more,
    };

    onionskin::agent! {
        /// Answers people.
        pub Desk {
            name: "desk",
            description: "Answers people.",
            instruction: "Answer \"well\" to {session_state.name}.",
            role: "A clerk.",
            expected_output: "One line.",
            additional_context: "{{kept}}",
            markdown: true,
            function_tools: [add_one, add_two],
            toolboxes: [archive: Kb],
            agents: [Office, Helper],
            tool_hooks: [
                mark(" a".to_owned()) for [add_one, Kb],
                ..,
                mark(" b".to_owned()) except [source(agent), add_one],
                more for [add_two],
            ],
            input_guardrails: [three_more for [add_two]],
            output_guardrails: [checked(" ok".to_owned()) except [Kb], onionskin::guardrails::RejectInjection],
            run_hooks: [louder],
            turn_hooks: [at_most(77)],
            default: true,
            model: "small",
            request_params: {
                temperature: 1.0, seed: 3, stop_sequences: ["END"],
                tool_choice: onionskin::model::ToolChoice::Required,
                extra_body: serde_json::from_str("{\"a\":[1]}").unwrap(),
            },
            limits: { turns: 5, tool_calls: 9, time_sec: 60.5 },
            history_source: child,
            history_merge_target: none,
            max_parallel: 1,
            child_timeout_sec: 10.5,
            max_display_instances: 3,
            effect: pure,
            lock: report,
            prompt_order: by_change,
        }
        /// Works.
        pub Office { name: "office", description: "Works.", instruction: greeting }
    }
}

fn script() -> Arc<ScriptedModel> {
    let calls = [
        ("add_one", json!({ "x": 1 })),
        ("add_two", json!({ "x": 1 })),
        ("archive_find", json!({ "word": "tea" })),
        ("agent__office", json!({ "input": "Well?" })),
        ("agent__Helper", json!({ "input": "Help!" })),
    ];
    let calls = calls.into_iter().fold(ScriptedTurn::say(""), |turn, (tool, args)| turn.and_call(tool, args));
    Arc::new(
        ScriptedModel::new()
            .agent("desk", [calls, ScriptedTurn::say("{last}")])
            .agent("office", [ScriptedTurn::say("Working.")])
            .agent("Helper", [ScriptedTurn::say("Helping.")]),
    )
}

#[test]
fn a11_a_card_with_a_part_that_ends_the_cache_has_a_warning_at_its_place() {
    let card = |more: &str| format!("---\nmarkdown: true\n{more}---\nHelp {{session_state.guest}}.\n");
    let warnings =
        |card: &str| load(registry(), &[("clerk.md", card)]).unwrap().warnings().collect::<Vec<_>>();
    let found = warnings(&card(""));
    assert_eq!(found.len(), 1, "{found:?}");
    let place = "clerk.md:4:1: in the prompt of `clerk`, `instruction` changes with each turn and stands before `markdown`";
    assert!(found[0].starts_with(place) && found[0].contains("write `prompt_order: by_change`"), "{found:?}");
    for order in ["prompt_order: by_change\n", "prompt_order: standard\n"] {
        assert_eq!(warnings(&card(order)), Vec::<String>::new());
    }
    // A function's text can be another one in each turn; the program's own text can be anything.
    let function = "instruction: { function: \"tools.rs:greeting\" }\nadditional_context: It is late.\n";
    assert!(warnings(&format!("---\n{function}---\n"))[0].starts_with("clerk.md:2:"));
    assert_eq!(
        warnings("---\nadd_session_state_to_context: true\n---\nAnswer {any} guest.\n"),
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn a11_a_card_has_parts_from_sources_that_the_program_sets() {
    let parts = [
        ("add_memories_to_context", PromptPart::Memories, "memories"),
        ("add_culture_to_context", PromptPart::Culture, "culture"),
        ("add_session_summary_to_context", PromptPart::SessionSummary, "session_summary"),
        ("add_learnings_to_context", PromptPart::Learnings, "learnings"),
        ("search_knowledge", PromptPart::Knowledge, "knowledge"),
    ];
    for (field, part, tag) in parts {
        let card = |value| format!("---\n{field}: {value}\n---\nAnswer.\n");
        let app = |card: &str| {
            let cards = load(registry(), &[("clerk.md", card)]).unwrap();
            cards.add_to(App::builder()).model(ScriptedModel::new())
        };
        let error = app(&card("true")).build().await.unwrap_err().to_string();
        assert!(error.contains(field), "{error}");
        let source = Prompt::new().source(part, |_: &RunContext| "All.");
        let on = app(&card("true")).for_agent("clerk", |agent| agent.prompt(source)).build().await.unwrap();
        let shown = on.agent("clerk").unwrap().system_prompt().await.unwrap().unwrap();
        assert_eq!(shown, format!("Answer.\n\n<{tag}>\nAll.\n</{tag}>"));
        let off = app(&card("false")).build().await.unwrap();
        assert_eq!(off.agent("clerk").unwrap().system_prompt().await.unwrap().unwrap(), "Answer.");
    }
}

#[tokio::test]
async fn c3_a_loaded_card_means_what_the_same_agent_means_in_rust() {
    let cards = load(registry(), &[("desk.md", DESK), ("office.yaml", OFFICE)]).unwrap();
    assert_eq!(cards.names().collect::<Vec<_>>(), ["desk", "office"]);
    assert_eq!(cards.default_agent().unwrap().name(), "desk");
    let hook = || mark::new(" dynamic".to_owned());
    let model = script();
    let app = cards
        .add_to(App::builder())
        .toolbox_as("archive", Kb)
        .for_agent("desk", move |agent| agent.hook(hook()))
        .model(Arc::clone(&model));
    let app = app.build().await.unwrap();
    let said = app.run("hello").await.unwrap().text;

    let dumped = script();
    let in_rust = App::builder().agent::<dumped::Desk>().agent::<dumped::Office>().toolbox_as("archive", Kb);
    let in_rust = in_rust
        .for_agent("desk", move |agent| agent.hook(hook()))
        .model(Arc::clone(&dumped))
        .build()
        .await
        .unwrap();
    assert_eq!(said, in_rust.run("hello").await.unwrap().text);
    let (asked, wanted) = (requests(&model), requests(&dumped));
    assert_eq!(serde_json::to_string_pretty(&asked).unwrap(), serde_json::to_string_pretty(&wanted).unwrap());

    assert!(asked[0].to_string().contains("HELLO"), "{asked}");
    assert_eq!(asked[0]["params"]["max_tokens"], 77);
    for result in [
        "2 ok dynamic a",
        "7 ok b dynamic",
        "a passage on tea b dynamic a",
        "Working. ok dynamic",
        "Helping. ok dynamic",
    ] {
        assert!(said.contains(result), "{result}: {said}");
    }
    let page = app.describe().unwrap().to_markdown();
    assert_eq!(page, in_rust.describe().unwrap().to_markdown());
}

#[test]
fn c3_loaded_cards_as_texts_are_loaded_as_the_same_agents() {
    let cards = load(registry(), &[("desk.md", DESK), ("office.yaml", OFFICE)]).unwrap();
    let dumped = cards.dump();
    let files: Vec<(&str, &str)> = dumped.iter().map(|card| (&*card.file, &*card.text)).collect();
    assert_eq!((files[0].0, files[1].0), ("desk.md", "office.md"));
    let again = load(registry(), &files).unwrap();
    assert_eq!(again.dump(), dumped);
    let describe = |cards: &LoadedCards| {
        let app =
            cards.add_to(App::builder()).toolbox_as("archive", Kb).model(ScriptedModel::turns([])).build();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(app).unwrap().describe().unwrap()
    };
    assert_eq!(describe(&cards), describe(&again));
}

#[tokio::test]
async fn c3_texts_of_a_loaded_card_show_the_state_and_tools_take_it() {
    let card = "state: tools.rs:Visit\nfunction_tools: [tools.rs:guest]\ninstruction: Greet {guest}.\n";
    let cards = load(registry(), &[("host.yaml", card)]).unwrap();
    let model =
        Arc::new(ScriptedModel::turns([ScriptedTurn::call("guest", json!({})), ScriptedTurn::say("{last}")]));
    let visit = Visit { guest: "Ada".to_owned() };
    let app = cards.add_to(App::builder()).state(visit).model(Arc::clone(&model)).build().await.unwrap();
    assert_eq!(app.run("Who?").await.unwrap().text, "Ada");
    assert!(requests(&model)[0].to_string().contains("Greet Ada."), "{}", requests(&model));
}

#[test]
fn c3_a_place_for_a_field_of_a_state_without_its_fields_is_a_mistake() {
    let plain = Registry::new().file("tools.rs", |items| items.state::<Visit>());
    let body = "---\nstate: tools.rs:Visit\nrole: \"A {{host}} \\u0061 for {guest}.\"\n---\nBe {{kind}}, {kind} or {kind} in {session_state.city}.\n";
    let error = load(plain, &[("host.md", body)]).unwrap_err();
    let said: Vec<_> = error.mistakes().iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("host.md:3:30: `{guest}` shows a field of the state"), "{said:?}");
    assert!(
        said[1].starts_with("host.md:5:14: `{kind}` shows a field of the state, and `tools.rs:Visit`"),
        "{said:?}"
    );
    assert!(
        said[1].ends_with("`state_with::<..>(StateParts::recorded)`, or write `{{kind}}` for the text"),
        "{said:?}"
    );

    // Without a state, values of the session fill places.
    load(Registry::new(), &[("host.md", "---\n---\nBe {kind}.\n")]).unwrap();
}

#[tokio::test]
async fn c3_a_loaded_card_has_typed_input_and_output_and_a_strategy() {
    let typed =
        "description: Reports.\ninput: tools.rs:Question\noutput: tools.rs:Report\ninstruction: Report.\n";
    let echo = "default: true\nrun: tools.rs:repeat\ninstruction: Repeat.\nagents: [typed]\n";
    let cards = load(registry(), &[("echo.yaml", echo), ("typed.yaml", typed)]).unwrap();
    assert_eq!(run(&cards, ScriptedModel::turns([]), "Ho").await.text, "HoHo");
    let model = ScriptedModel::turns([ScriptedTurn::say(r#"{"lines":["a"]}"#)]);
    let app = cards.add_to(App::builder()).model(model).build().await.unwrap();
    assert_eq!(app.agent("typed").unwrap().run("?").await.unwrap().text, r#"{"lines":["a"]}"#);
    let page = app.describe().unwrap().to_markdown();
    assert!(page.contains("about"), "{page}");
}

#[tokio::test]
async fn c3_equal_names_in_two_folders_are_two_items() {
    let registry = Registry::new()
        .file("a/tools.rs", |items| items.tool::<add_one>().called("add"))
        .file("./b/../b/tools.rs", |items| items.tool::<add_two>().called("add"));
    let card = |tools: &str| format!("function_tools: [{tools}]\ninstruction: Add.\n");
    let (a, b) = (card("tools.rs:add"), card("../b/tools.rs:add"));
    let cards =
        load(registry, &[("a/one.yaml", &a), ("b/two.yaml", &card("./tools.rs:add")), ("a/three.yaml", &b)])
            .unwrap();
    for (agent, tool, sum) in [("one", "add_one", "2"), ("two", "add_two", "3"), ("three", "add_two", "3")] {
        let model =
            ScriptedModel::turns([ScriptedTurn::call(tool, json!({ "x": 1 })), ScriptedTurn::say("{last}")]);
        let app = App::builder().dyn_agent(cards.agent(agent).unwrap()).model(model).build().await.unwrap();
        assert_eq!(app.run("?").await.unwrap().text, sum, "{agent}");
    }
}

#[tokio::test]
async fn c3_ready_hooks_are_registered_and_a_missing_tool_of_a_filter_fails_the_build() {
    let card = "instruction: Add.\nfunction_tools: [tools.rs:add_one]\ntool_hooks:\n  \
                - { hook: \"::onionskin::hooks::retry\", with: [3], for: [tool(late)] }\n  - onionskin::hooks::log\n";
    let cards = load(registry(), &[("a.yaml", card)]).unwrap();
    let error = cards.add_to(App::builder()).model(ScriptedModel::turns([])).build().await.unwrap_err();
    assert!(
        matches!(&error, onionskin::BuildError::FilterNamesNoTool { hook: "retry", tool, .. } if tool == "late"),
        "{error}"
    );
}

#[tokio::test]
async fn h5_a_filter_that_names_a_tool_without_its_owner_gets_its_name() {
    let card = "default: true\ninstruction: Add.\nagents: [helper]\ntool_hooks:\n  \
                - { hook: \"::onionskin::hooks::log\", for: [tool(helper)] }\n";
    let cards =
        load(registry(), &[("a.yaml", card), ("helper.yaml", "description: Helps.\ninstruction: Help.\n")]);
    let built = cards.unwrap().add_to(App::builder()).model(ScriptedModel::turns([])).build().await;
    let error = built.unwrap_err().to_string();
    assert!(error.ends_with("did you mean `agent__helper`?"), "{error}");
}

#[tokio::test]
async fn c3_a_card_summarizes_long_conversations() {
    let card = "instruction: Talk.\nturn_hooks: [{ hook: \"::onionskin::turn_hooks::summarize_above\", with: [20] }]\n";
    let cards = load(Registry::new(), &[("a.yaml", card)]).unwrap();
    let model = Arc::new(ScriptedModel::turns(["One.", "Two.", "Three."].map(ScriptedTurn::say)));
    let app = cards.add_to(App::builder()).model(Arc::clone(&model)).build().await.unwrap();
    let session = app.entry().session();
    for input in ["My name is Ada, and I live in Ys by the sea with many cats.", "Who am I?"] {
        app.entry().request(input).session(&session).run().await.unwrap();
    }
    let (asked, sent): (Vec<_>, Vec<_>) = model
        .requests()
        .into_iter()
        .partition(|request| request.system.as_ref().is_some_and(|system| system.starts_with("Summarize")));
    assert_eq!((asked.is_empty(), sent.len()), (false, 2), "{asked:?}");
    let shown = sent[1].messages.iter().next().unwrap().to_text().into_owned();
    assert!(shown.contains("<summary_of_earlier_messages>") && !shown.contains("cats"), "{shown}");
}
