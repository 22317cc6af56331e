//! The package has a lock file, with two tools of `locked_clock`; the server that runs has renamed one of them.

use crate::parts::pass as audit;
use onionskin::event::EventKind;
use onionskin::testing::FakeServer;
use onionskin::{ScriptedModel, ScriptedTurn, agent};
use serde_json::json;

agent! {
    Clock {
        description: "Tells the time.",
        instruction: "Tell the time.",
        servers: [locked_clock],
        tools: { locked_clock: [get_t*] },
        tool_hooks: [audit for [locked_clock__get_time]],
    }

    Everything {
        instruction: "Tell the time.",
        servers: [locked_clock],
        agents: [Clock],
    }
}

async fn notices(agent: &onionskin::AgentHandle) -> Vec<String> {
    let mut stream = agent.stream("What time is it?");
    let mut notices = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Notice { text, .. } = event.kind {
            notices.push(text);
        }
    }
    notices
}

pub(crate) fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let description = json!({"name": "get_time", "description": "Tells the time.", "inputSchema": {"type": "object"}});
        let server = FakeServer::new()
            .tool(description, |_| "noon".into())
            .tool(json!({"name": "get_mood", "description": "Tells its phase."}), |_| "full".into());
        let model = ScriptedModel::turns([ScriptedTurn::say("Noon."), ScriptedTurn::say("Noon.")]);
        let agent = Everything::builder().model(model).server("locked_clock", server.config()).build().await.unwrap();
        let [notice] = notices(&agent).await.try_into().unwrap();
        assert!(
            notice.starts_with("the MCP server `locked_clock`: added `get_mood`; removed `get_moon`, in comparison with"),
            "{notice}"
        );
        assert!(notices(&agent).await.is_empty(), "it is reported once");
        agent.shutdown().await;
    });
}
