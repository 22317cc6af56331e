//! A scene: an agent with `add_one`, hooks as the file describes them, and a model that makes one call.

use std::sync::{Arc, Mutex};

use onionskin::declaration::AgentDeclaration;
use onionskin::event::CallOutcome;
use onionskin::{
    Agent, Args, Exit, Hook, Next, RunError, RunOutput, ScriptedModel, ScriptedTurn, State, ToolContext,
    ToolError, ToolOutput, ToolResult, agent, tool,
};
use serde_json::Value;

/// What happened, in order.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub fn push(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Adds one.
#[tool]
pub fn add_one(x: i64, log: State<Log>) -> i64 {
    log.push(format!("tool {x}"));
    x + 1
}

/// Fails.
#[tool]
pub fn boom(log: State<Log>) -> Result<(), String> {
    log.push("tool");
    Err("boom".to_owned())
}

/// Finds.
#[tool]
pub fn find(q: &str, log: State<Log>) -> String {
    log.push("tool");
    format!("results for {q}")
}

/// Asks for a larger number once.
#[tool]
pub fn picky(x: i64, log: State<Log>) -> Result<String, ToolError> {
    log.push(format!("tool {x}"));
    if x < 10 { Err(ToolError::retry("try bigger")) } else { Ok("ok".to_owned()) }
}

agent! {
    pub Scene {
        name: "scene",
        instruction: "Play.",
        state: Log,
        function_tools: [add_one, boom, find, picky],
    }
}

/// A hook as the file writes it.
pub struct Described {
    what: String,
    log: Log,
}

impl Described {
    pub fn new(what: &str, log: &Log) -> Self {
        Self { what: what.to_owned(), log: log.clone() }
    }
}

impl Hook for Described {
    type Made = onionskin::made::AtRunTime;

    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        match self.what.as_str() {
            "Mut: next({x:10})" | "Mut: return next(x=10)" => {
                let mut own = Args::from(r#"{"x":10}"#);
                next.run(&mut own).await
            }
            "args.x = 10; next(args)" => {
                args["x"] = 10.into();
                next.run(args).await
            }
            "Instead: return 'blocked'" => Ok(ToolOutput::text("blocked")),
            "raise ToolError('blocked')" => Err(Exit::denied("blocked")),
            "raise RuntimeError('hook boom')" => Err("hook boom".into()),
            "r = next(); return r + ' [audit]'" => {
                let result = next.run(args).await?;
                Ok(ToolOutput::text(format!("{} [audit]", result.to_text())))
            }
            "next(); return next()" => {
                next.run(args).await?;
                next.run(args).await
            }
            name if name.len() == 1 => {
                self.log.push(format!("{name}>"));
                let result = next.run(args).await?;
                self.log.push(format!("<{name}"));
                Ok(result)
            }
            other => panic!("the file has a hook that nothing here plays: {other}"),
        }
    }
}

/// What a scene gave.
pub struct Observed {
    pub log: Vec<String>,
    pub output: Result<RunOutput, RunError>,
}

impl Observed {
    pub fn text(&self) -> String {
        self.call().to_text().into_owned()
    }

    pub fn call(&self) -> &onionskin::run::ToolCallReport {
        let output = self.output.as_ref().expect("the run goes on");
        output.tool_calls.first().expect("there was a call")
    }

    pub fn is_error(&self) -> bool {
        matches!(self.call().outcome, Some(CallOutcome::Error(_)))
    }

    pub fn tool_ran(&self) -> bool {
        self.log.iter().any(|line| line.starts_with("tool"))
    }
}

/// Plays one call of `tool` and then an answer.
pub async fn play(tool: &str, args: Value, hooks: &[String]) -> Observed {
    play_turns(vec![ScriptedTurn::call(tool, args), ScriptedTurn::say("done")], hooks).await
}

pub async fn play_turns(turns: Vec<ScriptedTurn>, hooks: &[String]) -> Observed {
    let log = Log::default();
    let builder = Scene::builder().state(log.clone()).model(ScriptedModel::turns(turns));
    let builder = hooks.iter().fold(builder, |builder, hook| builder.hook(Described::new(hook, &log)));
    let output = builder.run("go").await;
    Observed { log: log.lines(), output }
}

/// Answers what it was built to answer.
pub struct SaysHi;

impl Agent for SaysHi {
    const NAME: &'static str = "Child-Agent";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().description("Says hi.")
    }

    async fn run(_: &onionskin::run::AgentRun, _: String) -> Result<String, RunError> {
        Ok("child says hi".to_owned())
    }
}
