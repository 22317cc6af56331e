//! Many tools: the time of their whole list, and of a call of the last one.

use std::time::Instant;

use serde_json::{Value, json};

use crate::Failure;
use crate::compare::median;
use crate::http::Connection;
use crate::messages::{Generation, Request, has};
use crate::process::{Process, ServerKind, Transport};

const ROUNDS: usize = 15;

/// What a round of a server costs, in milliseconds of its processor, and in bytes.
struct Cost {
    list: f64,
    bytes: usize,
    call: f64,
    time: f64,
}

pub(crate) async fn compare(tools: usize) -> Result<(), Failure> {
    println!(
        "| server | tools | pages | bytes | ms of the server's processor for the list | ms for the list | us for a call |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let mut running = Vec::new();
    for kind in [ServerKind::Rmcp, ServerKind::Ours] {
        let process = Process::start(kind, Transport::Http, tools).await?;
        let connection = Connection::begin(&process.address, Generation::Stateless).await?;
        running.push((kind, process, connection, Vec::new(), 0));
    }
    for _ in 0..ROUNDS {
        for (_, process, connection, costs, pages) in &mut running {
            let (before, start) = (process.processor_time()?, Instant::now());
            let (listed, bytes);
            (listed, *pages, bytes) = list(connection).await?;
            let (after, time) = (process.processor_time()?, start.elapsed().as_secs_f64() * 1e3);
            if listed != tools {
                return Err(format!("{listed} tools of {tools} are listed").into());
            }
            const CALLS: u32 = 20;
            for _ in 0..CALLS {
                let name = format!("add_one_{}", tools - 1);
                let request = Request::call(Generation::Stateless, &name, json!({ "x": 41 }));
                let answer = connection.request(&request).await?;
                if !has(answer, r#""text":"42""#) {
                    return Err(String::from_utf8_lossy(answer).into());
                }
            }
            let calls = process.processor_time()? - after;
            costs.push(Cost {
                list: (after - before) as f64 / 1e6,
                bytes,
                call: calls as f64 / 1e3 / f64::from(CALLS),
                time,
            });
        }
    }
    for (kind, _, _, costs, pages) in &running {
        let column = |value: fn(&Cost) -> f64| median(costs.iter().map(value));
        println!(
            "| {} | {tools} | {pages} | {} | {:.1} | {:.1} | {:.1} |",
            kind.name(),
            costs[0].bytes,
            column(|cost| cost.list),
            column(|cost| cost.time),
            column(|cost| cost.call),
        );
    }
    Ok(())
}

/// Lists all pages. Returns the number of tools, of pages and of bytes.
async fn list(connection: &mut Connection) -> Result<(usize, usize, usize), Failure> {
    let (mut tools, mut pages, mut bytes, mut params) = (0, 0, 0, json!({}));
    loop {
        let answer = connection.request(&Request::new(Generation::Stateless, "tools/list", params)).await?;
        (pages, bytes) = (pages + 1, bytes + answer.len());
        let answer = json_in(answer)?;
        tools += answer["result"]["tools"].as_array().map_or(0, Vec::len);
        match answer["result"]["nextCursor"].as_str() {
            Some(cursor) => params = json!({ "cursor": cursor }),
            None => return Ok((tools, pages, bytes)),
        }
    }
}

/// The message in an answer, which may be the last event of a stream.
pub(crate) fn json_in(answer: &[u8]) -> Result<Value, Failure> {
    let text = std::str::from_utf8(answer)?;
    let message = text.lines().filter_map(|line| line.strip_prefix("data:")).next_back().unwrap_or(text);
    Ok(serde_json::from_str(message)?)
}
