//! Calls of one tool: how many a second, how long the slowest take, and the processor time that each takes the server.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Failure;
use crate::http::Connection;
use crate::lines::{Lines, id};
use crate::messages::{Generation, Request, has};
use crate::process::{Process, ServerKind, Transport, fastmcp_python};

/// The rounds of each server, in turns; their median counts.
const ROUNDS: usize = 21;
/// The time of a round.
const ROUND: Duration = Duration::from_millis(500);
/// The requests in progress: each has a connection of its own over HTTP, and all share one pipe.
const IN_PROGRESS: usize = 8;

/// What a round of a server costs.
#[derive(Clone, Copy)]
struct Cost {
    calls_a_second: f64,
    /// In milliseconds.
    p99: f64,
    /// The server's processor time for a call, in microseconds.
    processor: f64,
}

/// The client of one server.
enum Client {
    Http(Vec<Connection>),
    Stdio(Lines),
}

impl Client {
    async fn begin(
        process: &mut Process,
        transport: Transport,
        generation: Generation,
    ) -> Result<Self, Failure> {
        Ok(match transport {
            Transport::Stdio => Self::Stdio(Lines::begin(process, generation).await?),
            Transport::Http => {
                let mut connections = Vec::new();
                for _ in 0..IN_PROGRESS {
                    connections.push(Connection::begin(&process.address, generation).await?);
                }
                Self::Http(connections)
            }
        })
    }

    /// Calls until the time is over. Returns how long each call took.
    async fn calls(&mut self, generation: Generation, time: Duration) -> Result<Vec<Duration>, Failure> {
        let request = add_one(generation);
        let end = Instant::now() + time;
        match self {
            Self::Stdio(lines) => calls_of_lines(lines, request, end).await,
            Self::Http(connections) => {
                let tasks = connections.iter_mut().map(|connection| {
                    let request = request.clone();
                    async move {
                        let mut times = Vec::new();
                        while Instant::now() < end {
                            times.push(call(connection, request.clone(), times.len() as u64).await?);
                        }
                        Ok::<_, Failure>(times)
                    }
                });
                Ok(futures_util::future::try_join_all(tasks).await?.concat())
            }
        }
    }
}

fn add_one(generation: Generation) -> Request {
    Request::call(generation, "add_one", json!({ "x": 41 }))
}

async fn call(connection: &mut Connection, mut request: Request, number: u64) -> Result<Duration, Failure> {
    request.set_id(number);
    let start = Instant::now();
    check(connection.request(&request).await?)?;
    Ok(start.elapsed())
}

fn check(answer: &[u8]) -> Result<(), Failure> {
    if has(answer, r#""text":"42""#) { Ok(()) } else { Err(String::from_utf8_lossy(answer).into()) }
}

async fn calls_of_lines(
    lines: &mut Lines,
    mut request: Request,
    end: Instant,
) -> Result<Vec<Duration>, Failure> {
    let (mut open, mut times) = (HashMap::new(), Vec::new());
    for number in 0.. {
        let is_over = Instant::now() >= end;
        while open.len() >= IN_PROGRESS || is_over && !open.is_empty() {
            let answer = lines.read().await?;
            check(answer)?;
            let start: Instant =
                id(answer).and_then(|id| open.remove(&id)).ok_or("an answer to no request")?;
            times.push(start.elapsed());
        }
        if is_over {
            break;
        }
        open.insert(request.set_id(number), Instant::now());
        lines.send(&request.body).await?;
    }
    Ok(times)
}

/// Compares all servers, transports and generations.
pub(crate) async fn compare() -> Result<(), Failure> {
    println!(
        "| transport | protocol | server | calls/s | x rmcp | p99 ms | x rmcp | server's us a call | x rmcp |"
    );
    println!("|---|---|---|---:|---:|---:|---:|---:|---:|");
    for transport in [Transport::Http, Transport::Stdio] {
        for generation in [Generation::Stateless, Generation::Sessions] {
            servers(transport, generation).await?;
        }
    }
    Ok(())
}

async fn servers(transport: Transport, generation: Generation) -> Result<(), Failure> {
    let mut kinds = vec![ServerKind::Rmcp, ServerKind::Ours];
    if fastmcp_python().exists() {
        kinds.push(ServerKind::FastMcp);
    }
    let mut running = Vec::new();
    for kind in kinds {
        let mut process = Process::start(kind, transport, 1).await?;
        let mut client = Client::begin(&mut process, transport, generation).await?;
        client.calls(generation, ROUND).await?;
        running.push((kind, process, client, Vec::new()));
    }
    for _ in 0..ROUNDS {
        for (_, process, client, costs) in &mut running {
            let (before, start) = (process.processor_time()?, Instant::now());
            let mut times = client.calls(generation, ROUND).await?;
            let seconds = start.elapsed().as_secs_f64();
            let processor = (process.processor_time()? - before) as f64 / 1e3;
            times.sort();
            let calls = times.len() as f64;
            costs.push(Cost {
                calls_a_second: calls / seconds,
                p99: times[times.len() * 99 / 100].as_secs_f64() * 1e3,
                processor: processor / calls,
            });
        }
    }
    let theirs = running[0].3.clone();
    for (kind, _, _, costs) in &running {
        let column = |value: fn(&Cost) -> f64| {
            let ratios = costs.iter().zip(&theirs).map(|(ours, theirs)| value(ours) / value(theirs));
            (median(costs.iter().map(value)), median(ratios))
        };
        let (calls, p99, processor) =
            (column(|cost| cost.calls_a_second), column(|cost| cost.p99), column(|cost| cost.processor));
        println!(
            "| {} | {} | {} | {:.0} | {:.2} | {:.2} | {:.2} | {:.1} | {:.2} |",
            transport.name(),
            generation.version(),
            kind.name(),
            calls.0,
            calls.1,
            p99.0,
            p99.1,
            processor.0,
            processor.1,
        );
    }
    Ok(())
}

/// The median of values.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Calls a server that runs already, over HTTP.
pub(crate) async fn drive(address: &str, count: usize) -> Result<(), Failure> {
    let mut connection = Connection::begin(address, Generation::Stateless).await?;
    let request = add_one(Generation::Stateless);
    for number in 0..count {
        call(&mut connection, request.clone(), number as u64).await?;
    }
    Ok(())
}
