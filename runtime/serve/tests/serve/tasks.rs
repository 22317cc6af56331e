//! Calls that go on as tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use onionskin::journal::MemoryJournal;
use onionskin::question::AskError;
use onionskin::serve::Server;
use onionskin::{AgentHandle, Progress, Provided, ScriptedModel, ScriptedTurn, ToolContext, agent, tool};
use serde_json::{Value, json};

use crate::lines::{Lines, call, texts};
use crate::site::{Site, tokens};

const TASKS: &str = "io.modelcontextprotocol/tasks";

/// What the tools have done, and whether the truck is there.
#[derive(Default)]
struct Yard {
    loaded: AtomicU32,
    has_truck: AtomicBool,
    left: AtomicU32,
}

/// Loads crates.
#[tool(effect = once)]
fn load(yard: Provided<Yard>) -> String {
    yard.loaded.fetch_add(1, Ordering::SeqCst);
    "loaded".to_owned()
}

/// Counts the end of a wait, however it ends.
struct Left(Provided<Yard>);

impl Drop for Left {
    fn drop(&mut self) {
        self.0.left.fetch_add(1, Ordering::SeqCst);
    }
}

/// Waits for the truck.
#[tool]
async fn await_truck(progress: Progress, yard: Provided<Yard>) -> String {
    progress.report(1.0, None, Some("looking down the road".to_owned()));
    let left = Left(yard);
    while !left.0.has_truck.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    "the truck is here".to_owned()
}

/// Waits for the truck, and asks two people.
#[tool(asks)]
async fn plan(cx: &ToolContext, yard: Provided<Yard>) -> Result<String, AskError> {
    while !yard.has_truck.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let (driver, hour): (String, u8) =
        tokio::try_join!(cx.ask_as("driver", "Who drives?"), cx.ask_as("hour", "At what hour?"))?;
    let seal: String = cx.ask_as("seal", format!("{driver}, which seal?")).await?;
    Ok(format!("{driver} at {hour}, seal {seal}"))
}

/// Fails late.
#[tool]
async fn fail_late() -> Result<String, &'static str> {
    tokio::time::sleep(Duration::from_millis(150)).await;
    Err("no road")
}

agent! {
    Depot { instruction: "Load.", function_tools: [load, await_truck, plan, fail_late] }
}

async fn depot(yard: &Arc<Yard>, journal: Option<&Arc<MemoryJournal>>) -> AgentHandle {
    let turns = [
        ScriptedTurn::call("load", json!({})),
        ScriptedTurn::call("await_truck", json!({})),
        ScriptedTurn::say("Off."),
    ];
    let depot = Depot::builder().model(ScriptedModel::turns(turns)).provide_shared(Arc::clone(yard));
    match journal {
        Some(journal) => depot.journal(Arc::clone(journal)).build().await.unwrap(),
        None => depot.build().await.unwrap(),
    }
}

async fn server(agent: &AgentHandle) -> Server {
    let server =
        Server::builder("depot", "1.2.3").task_after(Duration::from_millis(50)).tools_of(agent).agent(agent);
    server.build().await.unwrap()
}

fn client(server: &Server) -> Lines {
    let mut client = Lines::connect(server);
    client.capabilities = json!({ "elicitation": {}, "extensions": { TASKS: {} } });
    client
}

/// The id of the task that an answer announces.
fn id(answer: &Value) -> String {
    assert_eq!(answer["result"]["resultType"], "task", "{answer}");
    assert_eq!(answer["result"]["status"], "working", "{answer}");
    answer["result"]["taskId"].as_str().unwrap().to_owned()
}

async fn get(client: &mut Lines, id: &str) -> Value {
    client.request_new("tasks/get", json!({ "taskId": id })).await
}

/// The state of a task once it has this status.
async fn until(client: &mut Lines, id: &str, status: &str) -> Value {
    for _ in 0..500 {
        let state = get(client, id).await;
        if state["result"]["status"] == status {
            return state["result"].clone();
        }
        assert!(
            ["working", "input_required"].contains(&state["result"]["status"].as_str().unwrap_or_default()),
            "expected {status}: {state}"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the task did not become {status}");
}

#[tokio::test]
async fn o2_a_long_call_becomes_a_task() {
    let yard: Arc<Yard> = Arc::default();
    let depot = depot(&yard, None).await;
    let server = server(&depot).await;
    let mut client = client(&server);
    assert_eq!(
        texts(&client.request_new("tools/call", call("load", json!({}))).await),
        ["loaded"],
        "a short call"
    );
    let id = id(&client.request_new("tools/call", call("await_truck", json!({}))).await);
    let working = until(&mut client, &id, "working").await;
    assert!(working["ttlMs"].is_u64() && working["pollIntervalMs"].is_u64(), "{working}");
    yard.has_truck.store(true, Ordering::SeqCst);
    let ended = until(&mut client, &id, "completed").await;
    assert_eq!(ended["result"]["content"][0]["text"], "the truck is here", "{ended}");
    assert!(ended["ttlMs"].as_u64().unwrap() < working["ttlMs"].as_u64().unwrap(), "{ended}");

    let failing = self::id(&client.request_new("tools/call", call("fail_late", json!({}))).await);
    let ended = until(&mut client, &failing, "completed").await;
    assert_eq!(ended["result"]["isError"], true, "the error of a tool is a result: {ended}");
    let mut other = Lines::connect(&server);
    let refused = get(&mut other, &id).await;
    assert_eq!(refused["error"]["code"], -32021, "a client without tasks: {refused}");
    let plain = other.request_new("tools/call", call("await_truck", json!({}))).await;
    assert_eq!(texts(&plain), ["the truck is here"]);
    assert_eq!(get(&mut client, "0123456789abcdef").await["error"]["code"], -32602);
}

#[tokio::test]
async fn o2_a_task_is_cancelled_and_goes_on_without_its_connection() {
    let yard: Arc<Yard> = Arc::default();
    let depot = depot(&yard, None).await;
    let server = server(&depot).await;
    let mut first = client(&server);
    let id = id(&first.request_new("tools/call", call("await_truck", json!({}))).await);
    drop(first);
    let mut client = client(&server);
    until(&mut client, &id, "working").await;
    assert_eq!(yard.left.load(Ordering::SeqCst), 0);
    let ack = client.request_new("tasks/cancel", json!({ "taskId": id })).await;
    assert_eq!(ack["result"], json!({ "resultType": "complete" }), "{ack}");
    until(&mut client, &id, "cancelled").await;
    for _ in 0..200 {
        if yard.left.load(Ordering::SeqCst) == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(yard.left.load(Ordering::SeqCst), 1, "the tool has ended");
    let again = client.request_new("tasks/cancel", json!({ "taskId": id })).await;
    assert_eq!(again["result"], json!({ "resultType": "complete" }), "{again}");
}

#[tokio::test]
async fn u3_a_task_asks_its_client() {
    let yard: Arc<Yard> = Arc::default();
    let depot = depot(&yard, None).await;
    let server = server(&depot).await;
    let mut client = client(&server);
    let id = id(&client.request_new("tools/call", call("plan", json!({}))).await);
    yard.has_truck.store(true, Ordering::SeqCst);
    let mut asked = Vec::new();
    loop {
        let state = get(&mut client, &id).await["result"].clone();
        match state["status"].as_str().unwrap() {
            "working" => tokio::time::sleep(Duration::from_millis(10)).await,
            "input_required" => {
                let (name, request) = state["inputRequests"].as_object().unwrap().iter().next().unwrap();
                let message = request["params"]["message"].as_str().unwrap().to_owned();
                let answer = match message.as_str() {
                    "Who drives?" => json!("Ada"),
                    // It does not fit, and the client is asked again.
                    "At what hour?" => json!("noon"),
                    again if again.starts_with("At what hour?\n(") && again.contains("an integer") => {
                        json!(12)
                    }
                    "Ada, which seal?" => json!("red"),
                    other => panic!("{other}"),
                };
                assert!(!asked.contains(name), "a name is used once: {asked:?}, {state}");
                asked.push(name.clone());
                let response = json!({ "action": "accept", "content": { "answer": answer } });
                let params = json!({ "taskId": id, "inputResponses": { name: response, "nobody": {} } });
                let ack = client.request_new("tasks/update", params).await;
                assert_eq!(ack["result"], json!({ "resultType": "complete" }), "{ack}");
            }
            "completed" => {
                assert_eq!(state["result"]["content"][0]["text"], "Ada at 12, seal red", "{state}");
                break;
            }
            other => panic!("{other}: {state}"),
        }
    }
    assert_eq!(asked.len(), 4, "{asked:?}");
}

#[tokio::test]
async fn o2_a_task_goes_on_after_a_restart() {
    let journal = Arc::new(MemoryJournal::default());
    let (first, second): (Arc<Yard>, Arc<Yard>) = Default::default();
    let task = {
        let depot = depot(&first, Some(&journal)).await;
        let server = server(&depot).await;
        let mut client = client(&server);
        let task = id(&client.request_new("tools/call", call("Depot", json!({ "input": "Load." }))).await);
        until(&mut client, &task, "working").await;
        task
    };
    for _ in 0..1000 {
        if first.left.load(Ordering::SeqCst) == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(
        (first.loaded.load(Ordering::SeqCst), first.left.load(Ordering::SeqCst)),
        (1, 1),
        "the server ended"
    );

    second.has_truck.store(true, Ordering::SeqCst);
    let depot = depot(&second, Some(&journal)).await;
    let server = server(&depot).await;
    let mut client = client(&server);
    let ended = until(&mut client, &task, "completed").await;
    assert_eq!(ended["result"]["content"][0]["text"], "Off.", "{ended}");
    assert_eq!(second.loaded.load(Ordering::SeqCst), 0, "crates are loaded once");
}

#[tokio::test]
async fn o2_a_cancelled_task_stays_cancelled_after_a_restart() {
    let journal = Arc::new(MemoryJournal::default());
    let (first, second): (Arc<Yard>, Arc<Yard>) = Default::default();
    let task = {
        let depot = depot(&first, Some(&journal)).await;
        let server = server(&depot).await;
        let mut client = client(&server);
        let task = id(&client.request_new("tools/call", call("await_truck", json!({}))).await);
        client.request_new("tasks/cancel", json!({ "taskId": task })).await;
        task
    };
    second.has_truck.store(true, Ordering::SeqCst);
    let depot = depot(&second, Some(&journal)).await;
    let server = server(&depot).await;
    let mut client = client(&server);
    until(&mut client, &task, "cancelled").await;
    assert_eq!(second.left.load(Ordering::SeqCst), 0, "the tool did not run again");
}

/// A request of a user over HTTP.
fn request(method: &str, user: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": crate::lines::NEW,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "extensions": { TASKS: {} } },
    });
    let name = ["name", "taskId"].iter().find_map(|key| params[*key].as_str().map(str::to_owned)).unwrap();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {}\r\nMcp-Method: {method}\r\n\
         Mcp-Name: {name}\r\nAuthorization: Bearer {user}-token\r\nContent-Length: {}\r\n\r\n{body}",
        crate::lines::NEW,
        body.len()
    )
}

/// The id of the task in an answer over HTTP.
fn id_in(answer: &str) -> &str {
    let id = answer.split("\"taskId\":\"").nth(1).unwrap_or_else(|| panic!("{answer}"));
    id.split('"').next().unwrap()
}

#[tokio::test]
async fn o2_a_task_ends_between_two_turns_with_its_server_and_goes_on_in_the_next_one() {
    let journal = Arc::new(MemoryJournal::default());
    let (first, second): (Arc<Yard>, Arc<Yard>) = Default::default();
    let task = {
        let depot = depot(&first, Some(&journal)).await;
        let mut site = Site::with(&server(&depot).await, Arc::default(), tokens).await;
        let called = request("tools/call", "ada", call("Depot", json!({ "input": "Load." })));
        let (_, answer) = site.answer(&called).await;
        site.end.take().unwrap().send(()).unwrap();
        first.has_truck.store(true, Ordering::SeqCst);
        tokio::time::timeout(Duration::from_secs(5), &mut site.ended).await.unwrap().unwrap();
        id_in(&answer).to_owned()
    };
    assert_eq!(first.left.load(Ordering::SeqCst), 1, "the call of the tool ended");
    let depot = depot(&second, Some(&journal)).await;
    let site = Site::with(&server(&depot).await, Arc::default(), tokens).await;
    let mut answer = String::new();
    for _ in 0..1000 {
        (_, answer) = site.answer(&request("tasks/get", "ada", json!({ "taskId": task }))).await;
        if answer.contains("\"status\":\"completed\"") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(answer.contains("\"status\":\"completed\""), "{answer}");
    let again = (second.loaded.load(Ordering::SeqCst), second.left.load(Ordering::SeqCst));
    assert_eq!(again, (0, 0), "no call runs twice");
}

#[tokio::test]
async fn o2_a_task_belongs_to_its_user() {
    let yard: Arc<Yard> = Arc::default();
    let journal = Arc::new(MemoryJournal::default());
    let depot = depot(&yard, Some(&journal)).await;
    let server = server(&depot).await;
    let site = Site::with(&server, Arc::default(), tokens).await;
    let (_, answer) = site.answer(&request("tools/call", "ada", call("await_truck", json!({})))).await;
    let id = id_in(&answer);
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let params = json!({ "taskId": id, "inputResponses": {} });
        let (_, answer) = site.answer(&request(method, "bob", params)).await;
        assert!(answer.contains("-32602"), "{method}: {answer}");
    }
    let (_, answer) = site.answer(&request("tasks/get", "ada", json!({ "taskId": id }))).await;
    assert!(answer.contains("\"status\":\"working\""), "{answer}");
}
