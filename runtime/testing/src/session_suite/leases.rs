//! Cases about leases.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::probe::{Check, Probe, ensure, lease as long, messages, same};
use onionskin_tools::session_store::{SessionLease, SessionQuery, SessionStoreError};

/// The time of a lease that ends within a case.
const SHORT: Duration = Duration::from_millis(400);

/// How long a lease may last that should have ended.
const LATE: Duration = Duration::from_secs(5);

pub(super) async fn lease(probe: Probe) -> Check {
    let (a, b) = (long("s", "a"), long("s", "b"));
    same("the count of a new session", probe.acquire(&a).await?, 0)?;
    probe.acquire_held(&b).await?;
    probe.append_lost(&b, 0).await?;
    probe.append(&a, 0, &messages(["one"])?).await?;
    same("a renewal", probe.acquire(&a).await?, 1)?;
    probe.acquire_held(&b).await?;
    probe.append_lost(&b, 1).await?;
    // The release of another holder has no effect, and a lease on another session neither.
    probe.release(&b).await?;
    probe.acquire_held(&b).await?;
    same("another session", probe.acquire(&long("t", "b")).await?, 0)?;
    probe.append_lost(&b, 1).await?;
    probe.append(&a, 1, &messages(["two"])?).await?;
    probe.release(&a).await?;
    probe.append_lost(&a, 2).await?;
    same("a released session", probe.acquire(&b).await?, 2)?;
    probe.append(&b, 2, &messages(["three"])?).await?;
    probe.append_lost(&a, 3).await?;
    probe.release(&a).await?;
    probe.acquire_held(&a).await?;
    same("the number of records", probe.read("s", 0).await?.len(), 3)
}

/// A lease on a session without records is one too.
pub(super) async fn without_records(probe: Probe) -> Check {
    let (a, b) = (long("s", "a"), long("s", "b"));
    probe.acquire(&a).await?;
    same("records of a session without any", probe.read("s", 0).await?, Vec::new())?;
    same("the list", probe.list(&SessionQuery::default()).await?.sessions, Vec::new())?;
    probe.acquire_held(&b).await?;
    probe.release(&a).await?;
    same("a released session", probe.acquire(&b).await?, 0)?;
    probe.acquire_held(&a).await?;
    probe.append(&b, 0, &[]).await?;
    same("the list", probe.list(&SessionQuery::default()).await?.sessions, Vec::new())
}

/// Acquires a lease as soon as that of another holder has ended.
async fn acquire_after_end(probe: &Probe, lease: &SessionLease) -> Check<u64> {
    let start = Instant::now();
    loop {
        match probe.store().acquire(lease).await {
            Ok(count) => return Ok(count),
            Err(error) => {
                same("`acquire` of a held session", error, SessionStoreError::held(lease.session()))?;
            }
        }
        ensure(start.elapsed() < SHORT + LATE, || format!("a lease of {SHORT:?} did not end"))?;
        tokio::time::sleep(SHORT / 20).await;
    }
}

pub(super) async fn end(probe: Probe) -> Check {
    let (a, b) = (SessionLease::new("s", "a", SHORT), long("s", "b"));
    probe.acquire(&a).await?;
    probe.append(&a, 0, &messages(["one"])?).await?;
    let start = Instant::now();
    same("a session whose lease has ended", acquire_after_end(&probe, &b).await?, 1)?;
    ensure(start.elapsed() > SHORT / 2, || format!("a lease of {SHORT:?} ended too early"))?;
    probe.append_lost(&a, 1).await?;
    probe.acquire_held(&a).await?;
    // The late release of the former holder has no effect.
    probe.release(&a).await?;
    probe.append(&b, 1, &messages(["two"])?).await?;
    probe.release(&b).await?;
    // This one has ended at once, but nobody else has acquired it.
    let c = SessionLease::new("s", "c", Duration::ZERO);
    probe.acquire(&c).await?;
    probe.append(&c, 2, &messages(["three"])?).await?;
    same("the number of records", probe.acquire(&a).await?, 3)?;
    probe.append_lost(&c, 3).await
}

/// Appends renew a lease, also without records, and acquisitions do.
pub(super) async fn renewal(probe: Probe) -> Check {
    let (a, b) = (SessionLease::new("s", "a", SHORT), long("s", "b"));
    let mut renewed = Instant::now();
    probe.acquire(&a).await?;
    // Ten of each kind, so that the lease would end meanwhile.
    for step in 0..30 {
        tokio::time::sleep(SHORT / 8).await;
        let before = Instant::now();
        let result = match step / 10 {
            0 => probe.store().append(&a, step, &messages(["more"])?).await,
            1 => probe.store().append(&a, 10, &[]).await,
            _ => probe.store().acquire(&a).await.map(|_| ()),
        };
        // If the machine was too busy to renew the lease in time, the case says nothing about the store.
        match result {
            Ok(()) => renewed = before,
            Err(_) if renewed.elapsed() > SHORT / 2 => return Ok(()),
            Err(error) => {
                return Err(format!("a lease that was renewed {:?} ago: {error}", renewed.elapsed()));
            }
        }
        let held = probe.store().acquire(&b).await;
        if renewed.elapsed() > SHORT / 2 {
            return Ok(());
        }
        same("`acquire` of a renewed lease", held, Err(SessionStoreError::held("s")))?;
    }
    Ok(())
}

/// Of several holders at the same time, one gets the lease.
pub(super) async fn parallel(probe: Probe) -> Check {
    for round in 0..10 {
        let session = format!("session-{round}");
        let mut tasks = JoinSet::new();
        for holder in 0..16 {
            let (probe, lease) = (probe.clone(), long(&session, &format!("holder-{holder}")));
            tasks.spawn(async move { probe.store().acquire(&lease).await });
        }
        let mut succeeded = 0;
        while let Some(ended) = tasks.join_next().await {
            match ended.map_err(|error| error.to_string())? {
                Ok(_) => succeeded += 1,
                Err(error) => {
                    same("`acquire` of a held session", error, SessionStoreError::held(&session))?;
                }
            }
        }
        same("holders of one session", succeeded, 1)?;
    }
    Ok(())
}
