//! Our server under the mixture of a day: calls of both generations, calls that are cancelled, sessions that begin and end, questions that
//! nobody answers, and clients that vanish. Its memory must not grow.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;

use crate::Failure;
use crate::http::Connection;
use crate::lists::json_in;
use crate::messages::{Generation, Request, has};
use crate::process::{Process, ServerKind, Transport};

/// The pause of a client between two things that it does, so that others can use the machine.
const PAUSE: Duration = Duration::from_millis(2);
/// The growth in the second half that counts as none: what the allocator holds varies as much.
const MOST_GROWTH: f64 = 2e6;

/// What a client does again and again.
#[derive(Debug, Clone, Copy)]
enum Habit {
    /// Calls without sessions.
    Calls,
    /// A session with a few calls, which its client ends.
    Sessions,
    /// A call without a session whose client vanishes before the answer.
    Vanishes,
    /// A call in a session that its client cancels.
    Cancels,
    /// A question that is answered by a further request, and one that never is.
    Questions,
    /// A question in a session that nobody answers. The client vanishes, the call goes on until its time is over, and then the
    /// session ends.
    LeavesQuestions,
    /// Lists the tools.
    Lists,
}

const HABITS: [Habit; 7] = [
    Habit::Calls,
    Habit::Sessions,
    Habit::Vanishes,
    Habit::Cancels,
    Habit::Questions,
    Habit::LeavesQuestions,
    Habit::Lists,
];

/// # Errors
/// Returns an error if an answer is wrong, or if the memory grows.
pub(crate) async fn soak(minutes: usize) -> Result<(), Failure> {
    let mut process = Process::start(ServerKind::Soak, Transport::Http, 1).await?;
    let end = Instant::now() + Duration::from_secs(60 * minutes as u64);
    let counts = tokio::task::LocalSet::new();
    let (address, start) = (process.address.clone(), Instant::now());
    counts
        .run_until(async {
            let mut clients = JoinSet::new();
            for habit in HABITS {
                let address = address.clone();
                clients.spawn_local(async move {
                    (habit, repeat(habit, &address, end).await.map_err(|failure| failure.to_string()))
                });
            }
            // In minutes and bytes.
            let mut measured: Vec<(f64, f64)> = Vec::new();
            let mut minute = 0;
            loop {
                let next = start + Duration::from_secs(60 * minute);
                tokio::time::sleep_until(next.into()).await;
                if !process.is_running()? {
                    return Err("the server has ended".into());
                }
                let bytes = process.memory()? as f64;
                println!("minute {minute}: {:.2} MB, {} threads", bytes / 1e6, process.threads()?);
                measured.push((minute as f64, bytes));
                while let Some(ended) = clients.try_join_next() {
                    report(ended?)?;
                }
                if next >= end {
                    break;
                }
                minute += 1;
            }
            while let Some(ended) = clients.join_next().await {
                report(ended?)?;
            }
            let half = &measured[measured.len() / 2..];
            let growth = slope(half) * (half[half.len() - 1].0 - half[0].0);
            println!(
                "growth in the second half: {:.2} MB, at most {:.2} MB",
                growth / 1e6,
                MOST_GROWTH / 1e6
            );
            if growth > MOST_GROWTH { Err("the memory grows".into()) } else { Ok(()) }
        })
        .await
}

fn report((habit, count): (Habit, Result<usize, String>)) -> Result<(), Failure> {
    let count = count.map_err(|failure| format!("{habit:?}: {failure}"))?;
    println!("{habit:?}: {count} times");
    Ok(())
}

/// The slope of the line through points that has the least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |value: fn(&(f64, f64)) -> f64| points.iter().map(value).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let over: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    over / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}

/// Does it until the time is over. Returns how often.
async fn repeat(habit: Habit, address: &str, end: Instant) -> Result<usize, Failure> {
    let generation = match habit {
        Habit::Calls | Habit::Vanishes | Habit::Questions | Habit::Lists => Generation::Stateless,
        Habit::Sessions | Habit::Cancels | Habit::LeavesQuestions => Generation::Sessions,
    };
    let mut connection = Connection::connect(address, generation).await?;
    let mut count = 0;
    while Instant::now() < end {
        match habit {
            Habit::Calls => add_one(&mut connection, generation).await?,
            Habit::Sessions => {
                connection.initialize().await?;
                for _ in 0..3 {
                    add_one(&mut connection, generation).await?;
                }
                connection.end().await?;
            }
            Habit::Vanishes => {
                connection
                    .send_request(&Request::call(generation, "slow", json!({ "millis": 5000 })))
                    .await?;
                tokio::time::sleep(PAUSE).await;
                connection = Connection::connect(address, generation).await?;
            }
            Habit::Cancels => cancels(&mut connection, address).await?,
            Habit::Questions => questions(&mut connection, count).await?,
            Habit::LeavesQuestions => {
                connection.initialize().await?;
                connection
                    .send_request(&Request::call(generation, "order", json!({ "model": "boots" })))
                    .await?;
                tokio::time::sleep(PAUSE).await;
                let session = connection.session.take();
                connection = Connection::connect(address, generation).await?;
                // A hundred such sessions at a time.
                tokio::time::sleep(Duration::from_millis(20)).await;
                connection.session = session;
                if count % 2 == 0 {
                    connection.end().await?;
                }
            }
            Habit::Lists => {
                let request = Request::new(generation, "tools/list", json!({}));
                expect(connection.request(&request).await?, r#""name":"order""#)?;
            }
        }
        count += 1;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(count)
}

fn expect(answer: &[u8], text: &str) -> Result<(), Failure> {
    if has(answer, text) {
        Ok(())
    } else {
        Err(format!("no `{text}`: {}", String::from_utf8_lossy(answer)).into())
    }
}

async fn add_one(connection: &mut Connection, generation: Generation) -> Result<(), Failure> {
    let request = Request::call(generation, "add_one", json!({ "x": 41 }));
    expect(connection.request(&request).await?, r#""text":"42""#)
}

/// A cancelled call gets no answer, so its connection is closed.
async fn cancels(connection: &mut Connection, address: &str) -> Result<(), Failure> {
    connection.initialize().await?;
    let mut request = Request::call(Generation::Sessions, "slow", json!({ "millis": 5000 }));
    let id = request.set_id(1);
    connection.send_request(&request).await?;
    tokio::time::sleep(PAUSE).await;
    let mut other = Connection::connect(address, Generation::Sessions).await?;
    other.session.clone_from(&connection.session);
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
    other.notify(cancel.to_string().as_bytes()).await?;
    other.end().await?;
    *connection = Connection::connect(address, Generation::Sessions).await?;
    Ok(())
}

/// A server remembers each used state for an hour, so few are used.
async fn questions(connection: &mut Connection, count: usize) -> Result<(), Failure> {
    let generation = Generation::Stateless;
    let order = json!({ "name": "order", "arguments": { "model": "boots" } });
    let asked = json_in(connection.request(&Request::new(generation, "tools/call", order.clone())).await?)?;
    let state = asked["result"]["requestState"].as_str().ok_or_else(|| format!("no question: {asked}"))?;
    if count % 50 == 0 {
        let mut answered = order;
        answered["requestState"] = state.into();
        answered["inputResponses"] = json!({ "size": { "action": "accept", "content": { "answer": 43 } } });
        let request = Request::new(generation, "tools/call", answered);
        expect(connection.request(&request).await?, "boots in 43")?;
    }
    Ok(())
}
