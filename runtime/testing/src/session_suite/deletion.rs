//! Cases about deletion.

use super::probe::{Check, Probe, began, ids, lease, message, messages, query, record_at, same};
use onionskin_tools::session_store::{SessionQuery, SessionSelection, SessionStoreError};

async fn write(probe: &Probe, session: &str, user: Option<&str>) -> Check {
    probe.write(session, &[record_at(1, began(user))?, record_at(1, message("a lamp"))?]).await
}

pub(super) async fn session(probe: Probe) -> Check {
    for session in ["a", "b", "c"] {
        write(&probe, session, Some("ada")).await?;
    }
    same("deleted sessions", probe.delete(&SessionSelection::session("b")).await?, 1)?;
    same("deleted sessions", probe.delete(&SessionSelection::session("b")).await?, 0)?;
    same("the records of a deleted session", probe.read("b", 0).await?, Vec::new())?;
    same("the list", ids(&probe.list(&SessionQuery::default()).await?), vec!["c", "a"])?;
    let search = query(|query| query.text = Some("lamp".to_owned()));
    same("the sessions with a word", ids(&probe.list(&search).await?), vec!["c", "a"])?;
    same("the number of records", probe.read("a", 0).await?.len(), 2)?;
    // The id is free again.
    same("the count of a deleted session", probe.acquire(&lease("b", "x")).await?, 0)?;
    let records = messages(["a desk"])?;
    probe.append(&lease("b", "x"), 0, &records).await?;
    same("the records of a new session", probe.read("b", 0).await?, records)?;
    same("the sessions with a word", ids(&probe.list(&search).await?), vec!["c", "a"])
}

pub(super) async fn user(probe: Probe) -> Check {
    for (session, user) in
        [("a1", Some("ada")), ("a2", Some("ada")), ("b", Some("bob")), ("c", None), ("ada", Some("Ada"))]
    {
        write(&probe, session, user).await?;
    }
    same("deleted sessions", probe.delete(&SessionSelection::user("ada")).await?, 2)?;
    same("deleted sessions", probe.delete(&SessionSelection::user("ada")).await?, 0)?;
    same("deleted sessions", probe.delete(&SessionSelection::user("%")).await?, 0)?;
    same("the list", ids(&probe.list(&SessionQuery::default()).await?), vec!["c", "b", "ada"])?;
    let search = query(|query| query.text = Some("lamp".to_owned()));
    same("the sessions with a word", ids(&probe.list(&search).await?), vec!["c", "b", "ada"])
}

/// Whoever is in progress in a deleted session has lost it.
pub(super) async fn in_progress(probe: Probe) -> Check {
    let (a, b) = (lease("s", "a"), lease("s", "b"));
    probe.acquire(&a).await?;
    probe.append(&a, 0, &messages(["one"])?).await?;
    same("deleted sessions", probe.delete(&SessionSelection::session("s")).await?, 1)?;
    probe.append_lost(&a, 1).await?;
    probe.append_lost(&a, 0).await?;
    // A renewal does not bring it back.
    let renewed = probe.store().append(&a, 1, &[]).await;
    same("the renewal of a lost lease", renewed, Err(SessionStoreError::lost("s")))?;
    same("the count of a deleted session", probe.acquire(&b).await?, 0)?;
    probe.append(&b, 0, &messages(["two"])?).await?;
    probe.append_lost(&a, 1).await?;
    same("the records of the new session", probe.read("s", 0).await?, messages(["two"])?)
}
