//! What is recorded of an agent that is a tool.

use std::sync::Arc;

use onionskin::{AgentTool, MemoryJournal, Script, ScriptedTurn};

use crate::support::{Boss, Helper, asks};

#[tokio::test]
async fn o5_a_recorded_run_asks_nobody_again() {
    let journal = Arc::new(MemoryJournal::default());
    let model = Arc::new(Script::turns([ScriptedTurn::say("re: {input}")]));
    let run = || async {
        let helper = Helper::builder().model(Arc::clone(&model)).build().await.unwrap();
        let boss = Boss::builder().model(asks("agent__helper", ["one", "two"])).tool(AgentTool::new(&helper));
        let boss = boss.journal(Arc::clone(&journal)).build().await.unwrap();
        boss.request("go").correlation_id("c-1").run().await.unwrap()
    };
    assert_eq!(run().await.text, run().await.text);
    assert_eq!(model.requests().len(), 2, "{:?}", journal.steps("c-1"));
}
