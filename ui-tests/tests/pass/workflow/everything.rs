//! A workflow under every lint that a careful crate turns on.
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic, unreachable_pub, unused_qualifications)]
#![deny(missing_debug_implementations, missing_copy_implementations, unused_results, single_use_lifetimes)]
#![forbid(unsafe_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]

use onionskin::question::{Answer, Question, QuestionKind};
use onionskin::{Agent, ScriptedModel, ScriptedTurn};
use serde_json::json;

onionskin::workflow!(pub "workflows/everything");

/// A tool of the program.
#[onionskin::tool]
pub(crate) fn outside() {}

pub(crate) fn main() {
    let call = |tool: &str| ScriptedTurn::call(tool, json!({ "text": "ho" }));
    let turns = [
        call("first"),
        ScriptedTurn::say("{last}, not yet"),
        call("second"),
        ScriptedTurn::call("ask", json!({})),
        ScriptedTurn::say("\"DONE\" {last}"),
    ];
    let person = |question: Question| async move {
        let QuestionKind::Component(shown) = question.kind() else { return None };
        assert_eq!((shown.component(), shown.workflow()), ("Box", "everything"));
        Answer::value("yes").ok()
    };
    let app = Everything::builder()
        .model(ScriptedModel::new().agent("boss-of-all", turns))
        .state(<BossOfAll as Agent>::State::default())
        .answerer(person);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let app = app.build().await.unwrap();
        let session = app.entry().session();
        let input = app.initial_message().unwrap();
        let output = app.entry().request(input).session(&session).run().await.unwrap();
        assert_eq!((&*output.text, output.turns), ("\"DONE\" yes", 5));
        let history = format!("{:?}", session.history());
        assert!(history.contains("HO, not yet") && history.contains("Text(\" [second]\")"), "{history}");
        let tools = app.agent("boss-of-all").unwrap().tool_definitions().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| (&*tool.name, &*tool.description)).collect();
        assert_eq!(
            names,
            [
                ("first", "The \"first\" one."),
                ("second", "Runs twice."),
                ("ask", "Asks."),
                ("agent__Worker", "Works."),
            ]
        );
        let tools = app.agent("Worker").unwrap().tool_names().unwrap();
        assert_eq!(tools, ["outside", "run"]);
    });
}
