//! The memory of open sessions (2025-11-25).

use serde_json::json;

use crate::Failure;
use crate::http::Connection;
use crate::messages::{Generation, Request};
use crate::process::{Process, ServerKind, Transport};

pub(crate) async fn compare(count: usize) -> Result<(), Failure> {
    println!(
        "| server | sessions | bytes a session | after a call in each | MB of the server before | open | ended | open again |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for kind in [ServerKind::Rmcp, ServerKind::Ours] {
        let process = Process::start(kind, Transport::Http, 1).await?;
        let mut connection = Connection::begin(&process.address, Generation::Sessions).await?;
        connection.end().await?;
        let before = process.memory()?;
        let sessions = open(&mut connection, count).await?;
        let fresh = process.memory()?;
        let call = Request::call(Generation::Sessions, "add_one", json!({ "x": 41 }));
        for session in &sessions {
            connection.session = Some(session.clone());
            connection.request(&call).await?;
        }
        let used = process.memory()?;
        end(&mut connection, sessions).await?;
        let ended = process.memory()?;
        let sessions = open(&mut connection, count).await?;
        let again = process.memory()?;
        end(&mut connection, sessions).await?;
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        println!(
            "| {} | {count} | {:.0} | {:.0} | {:.1} | {:.1} | {:.1} | {:.1} |",
            kind.name(),
            fresh.saturating_sub(before) as f64 / count as f64,
            used.saturating_sub(before) as f64 / count as f64,
            megabytes(before),
            megabytes(used),
            megabytes(ended),
            megabytes(again),
        );
    }
    Ok(())
}

async fn open(connection: &mut Connection, count: usize) -> Result<Vec<String>, Failure> {
    let mut sessions = Vec::new();
    for _ in 0..count {
        connection.initialize().await?;
        sessions.extend(connection.session.take());
    }
    Ok(sessions)
}

async fn end(connection: &mut Connection, sessions: Vec<String>) -> Result<(), Failure> {
    for session in sessions {
        connection.session = Some(session);
        connection.end().await?;
    }
    Ok(())
}
