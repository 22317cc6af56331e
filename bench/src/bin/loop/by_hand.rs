//! The loop as a person writes it for one program: messages in a list, calls one after the other.

use std::rc::Rc;

use serde::Deserialize;

use super::answers::{ANSWER, ARGUMENTS, INPUT, Ids, Shape, TOOL, add_one, think};
use super::{Loop, Prepared};

pub(crate) const LOOP: Loop = Loop { name: "by_hand", about: "a loop by hand", make };

struct Call {
    id: String,
    name: String,
    arguments: String,
}

struct Answer {
    text: String,
    calls: Vec<Call>,
}

#[expect(dead_code, reason = "a provider would read all of it")]
enum Message {
    User(String),
    Assistant { text: String, calls: Vec<Call> },
    Tool(Vec<Outcome>),
}

#[expect(dead_code, reason = "a provider would read all of it")]
struct Outcome {
    call_id: String,
    content: Vec<String>,
    is_error: bool,
}

#[derive(Deserialize)]
struct AddOne {
    x: i64,
}

struct Model {
    shape: Shape,
    ids: Ids,
}

impl Model {
    async fn respond(&self, messages: &[Message]) -> Answer {
        think(self.shape).await;
        match self.ids.turn((messages.len() - 1) / 2) {
            Some(ids) => {
                let call =
                    |id: &String| Call { id: id.clone(), name: TOOL.into(), arguments: ARGUMENTS.into() };
                Answer { text: String::new(), calls: ids.iter().map(call).collect() }
            }
            None => Answer { text: ANSWER.into(), calls: Vec::new() },
        }
    }
}

async fn call(call: &Call) -> Result<String, String> {
    match call.name.as_str() {
        TOOL => {
            let args: AddOne = serde_json::from_str(&call.arguments).map_err(|error| error.to_string())?;
            serde_json::to_string(&add_one(args.x).await).map_err(|error| error.to_string())
        }
        name => Err(format!("no tool is called {name}")),
    }
}

async fn run(model: &Model) -> String {
    let mut messages = vec![Message::User(INPUT.into())];
    loop {
        let answer = model.respond(&messages).await;
        if answer.calls.is_empty() {
            return answer.text;
        }
        let mut outcomes = Vec::with_capacity(answer.calls.len());
        for wanted in &answer.calls {
            let result = call(wanted).await;
            let is_error = result.is_err();
            let (Ok(text) | Err(text)) = result;
            outcomes.push(Outcome { call_id: wanted.id.clone(), content: vec![text], is_error });
        }
        messages.push(Message::Assistant { text: answer.text, calls: answer.calls });
        messages.push(Message::Tool(outcomes));
    }
}

fn make(shape: Shape) -> Prepared {
    let model = Rc::new(Model { shape, ids: Ids::new(shape) });
    Rc::new(move || {
        let model = Rc::clone(&model);
        Box::pin(async move { assert_eq!(run(&model).await, ANSWER) })
    })
}
