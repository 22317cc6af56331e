//! `human.input`: the model asks the user.
#![allow(missing_docs, clippy::unwrap_used)]

use onionskin::declaration::AgentDeclaration;
use onionskin::question::{Answer, AnswerError, Paused, Question, QuestionKind};
use onionskin::{Agent, AgentHandle, RunError, ScriptedModel, ScriptedTurn, ToolContext, agent, tool};
use serde_json::{Value, json};

agent! {
    Baker { instruction: "Bake.", runtime: [human.input] }
    Plain { instruction: "Bake." }
}

async fn baker(args: Value) -> AgentHandle {
    let model = ScriptedModel::turns([ScriptedTurn::call("human_input", args), ScriptedTurn::say("{last}")]);
    Baker::builder().model(model).build().await.unwrap()
}

async fn paused(agent: &AgentHandle) -> Paused {
    match agent.run("go").await {
        Err(RunError::Paused(paused)) => paused,
        other => panic!("it does not pause: {other:?}"),
    }
}

#[tokio::test]
async fn a6_the_model_asks_the_user_and_the_run_pauses() {
    let asks = json!({ "question": "Which cake?" });
    let agent = baker(asks.clone()).await;
    let first = paused(&agent).await;
    let [question] = first.questions() else { panic!("{first:?}") };
    assert_eq!((question.kind(), question.text()), (&QuestionKind::Question, Some("Which cake?")));
    assert_eq!(
        (question.tool_name(), question.answer_schema()),
        ("human.input", &json!({ "type": "string" }))
    );
    let plum = Answer::value("plum").unwrap();
    assert_eq!(agent.resume(&first).answer(question.key(), plum).run().await.unwrap().text, "plum");
    let agent = baker(asks).await;
    let first = paused(&agent).await;
    let key = first.questions()[0].key();
    let declined = agent.resume(&first).answer(key, Answer::declined("I am busy")).run().await;
    assert_eq!(declined.unwrap().text, "the question was declined: I am busy");
}

#[tokio::test]
async fn a6_an_answer_is_one_of_the_choices() {
    let baker = baker(json!({ "question": "Which cake?", "choices": ["apple", "plum"] })).await;
    let first = paused(&baker).await;
    let key = first.questions()[0].key();
    let wrong = baker.resume(&first).answer(key, Answer::value("cherry").unwrap()).run().await.unwrap_err();
    assert!(matches!(&wrong, RunError::Answer { source: AnswerError::Invalid { .. }, .. }), "{wrong}");
    assert!(wrong.to_string().contains("apple"), "{wrong}");
    let plum = baker.resume(&first).answer(key, Answer::value("plum").unwrap()).run().await.unwrap();
    assert_eq!(plum.text, "plum");
}

#[tokio::test]
async fn a6_wrong_arguments_of_the_model_reach_no_user() {
    let answerer = |_: Question| async { panic!("the user is asked") };
    // What the user sees has a bound in each program, whatever it makes of a question.
    let (long, choice) = ("?".repeat(4_001), "a".repeat(401));
    for wrong in [
        json!({}),
        json!({ "question": "" }),
        json!({ "question": "Which?", "choices": ["one"] }),
        json!({ "question": long }),
        json!({ "question": "Which?", "choices": ["one", choice] }),
    ] {
        let output = baker(wrong.clone()).await.request("go").answerer(answerer).run().await.unwrap();
        assert!(output.tool_calls[0].to_text().contains("human.input"), "{wrong}: {}", output.text);
    }
}

#[tokio::test]
async fn a6_only_agents_that_name_it_have_it() {
    let model = || ScriptedModel::turns([ScriptedTurn::call("human_input", json!({ "question": "?" }))]);
    let plain = Plain::builder().model(model()).build().await.unwrap();
    assert!(plain.run("go").await.is_err());
    assert_eq!(plain.tool_names().unwrap(), [""; 0]);
    let by_hand = ByHand::builder().model(ScriptedModel::new()).build().await.unwrap();
    assert_eq!(by_hand.tool_names().unwrap(), ["human.input"]);
}

struct ByHand;

impl Agent for ByHand {
    const NAME: &'static str = "ByHand";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().instruction("Bake.").runtime_tool(onionskin::builtin::human())
    }
}

#[tokio::test]
async fn t7_a_tool_asks_with_a_schema_of_its_own_and_a_wrong_one_is_its_error() {
    /// Asks the question that it gets.
    #[tool(asks)]
    async fn asks(cx: &ToolContext, schema: String) -> Result<String, String> {
        let schema = serde_json::from_str(&schema).unwrap();
        cx.ask_json("Well?", schema).await.map(|answer| answer.to_string()).map_err(|error| error.to_string())
    }

    agent! { Asker { instruction: "Ask.", function_tools: [asks] } }

    let asker = async |schema: Value| {
        let call = ScriptedTurn::call("asks", json!({ "schema": schema.to_string() }));
        let model = ScriptedModel::turns([call, ScriptedTurn::say("{last}")]);
        Asker::builder().model(model).build().await.unwrap()
    };
    let agent = asker(json!({ "type": "integer", "minimum": 3 })).await;
    let first = paused(&agent).await;
    let key = first.questions()[0].key();
    assert!(agent.resume(&first).answer(key, json!(2)).run().await.is_err());
    assert_eq!(agent.resume(&first).answer(key, json!(3)).run().await.unwrap().text, "3");
    let text = asker(json!({ "type": "intger" })).await.run("go").await.unwrap().text;
    assert!(
        text.contains("the schema of the answer that `asks` asks for is wrong") && text.contains("intger"),
        "{text}"
    );
}
