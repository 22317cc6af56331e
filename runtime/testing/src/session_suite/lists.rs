//! Cases about lists and searches.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use super::probe::{Check, Probe, START, began, ensure, ids, message, query, record_at, same};
use onionskin_definitions::content::ContentBlock;
use onionskin_tools::model::{Message, ToolResultMessage};
use onionskin_tools::search::SearchTooLong;
use onionskin_tools::session_store::{Change, SessionInfo, SessionQuery, SessionRecord, SessionStoreError};

/// Writes a session with these messages, for a user, at a time.
async fn write(probe: &Probe, session: &str, user: Option<&str>, at: u64, texts: &[&str]) -> Check {
    let records: Check<Vec<_>> = texts.iter().map(|text| record_at(at, message(text))).collect();
    let records = [vec![record_at(at, began(user))?], records?].concat();
    probe.write(session, &records).await
}

fn text(words: &str) -> SessionQuery {
    query(|query| query.text = Some(words.to_owned()))
}

/// Searches, and compares the ids.
async fn finds(probe: &Probe, words: &str, expected: &[&str]) -> Check {
    let page = probe.list(&text(words)).await?;
    same(&format!("the sessions with {words:?}"), ids(&page), expected.to_vec())
}

pub(super) async fn list(probe: Probe) -> Check {
    write(&probe, "first", Some("ada"), 1_000, &["one", "two"]).await?;
    write(&probe, "second", None, 2_000, &[]).await?;
    let page = probe.list(&SessionQuery::default()).await?;
    same("the list", ids(&page), vec!["second", "first"])?;
    let at = |milliseconds| UNIX_EPOCH + Duration::from_millis(START + milliseconds);
    let first = SessionInfo::new("first", Some("ada".into()), at(1_000), at(1_000), 3);
    same("a session in a list", &page.sessions[1], &first)?;
    same("the cursor of the last page", page.next, None)?;
    // A later record moves the session to the top. A record of an earlier time does not move it back.
    probe.write("first", &[record_at(3_000, message("three"))?, record_at(500, message("four"))?]).await?;
    let page = probe.list(&SessionQuery::default()).await?;
    same("the list", ids(&page), vec!["first", "second"])?;
    let first = SessionInfo::new("first", Some("ada".into()), at(1_000), at(3_000), 5);
    same("a session in a list", &page.sessions[0], &first)
}

pub(super) async fn users(probe: Probe) -> Check {
    write(&probe, "a1", Some("ada"), 1, &[]).await?;
    write(&probe, "b1", Some("bob"), 2, &[]).await?;
    write(&probe, "a2", Some("ada"), 3, &[]).await?;
    write(&probe, "nobody", None, 4, &[]).await?;
    // The user of the first run that has one.
    write(&probe, "b1", Some("ada"), 5, &[]).await?;
    write(&probe, "nobody", Some("Ada"), 6, &[]).await?;
    let user = |user: &str| query(|query| query.user = Some(user.into()));
    for (name, expected) in
        [("ada", vec!["a2", "a1"]), ("bob", vec!["b1"]), ("Ada", vec!["nobody"]), ("", vec![]), ("%", vec![])]
    {
        same(&format!("the sessions of {name:?}"), ids(&probe.list(&user(name)).await?), expected)?;
    }
    let session = probe.listed(&user("bob")).await?;
    same("the user", session.user.as_deref(), Some("bob"))
}

pub(super) async fn times(probe: Probe) -> Check {
    for (session, at) in [("a", 1_000), ("b", 2_000), ("c", 3_000)] {
        write(&probe, session, Some("ada"), at, &["a lamp"]).await?;
    }
    let at = |microseconds| UNIX_EPOCH + Duration::from_millis(START) + Duration::from_micros(microseconds);
    for (since, until, expected) in [
        (None, None, vec!["c", "b", "a"]),
        (Some(2_000_000), None, vec!["c", "b"]),
        (Some(2_000_001), None, vec!["c"]),
        (None, Some(2_000_000), vec!["a"]),
        (None, Some(2_000_001), vec!["b", "a"]),
        (Some(1_000_000), Some(3_000_000), vec!["b", "a"]),
        (Some(3_000_000), Some(1_000_000), vec![]),
    ] {
        for text in [None, Some("lamp".to_owned())] {
            let query = query(|query| {
                (query.since, query.until, query.text) = (since.map(at), until.map(at), text);
            });
            same(&format!("the list with {query:?}"), ids(&probe.list(&query).await?), expected.clone())?;
        }
    }
    let before = query(|query| query.until = Some(UNIX_EPOCH - Duration::from_secs(1)));
    same("the list of the time before 1970", ids(&probe.list(&before).await?), vec![])
}

/// All pages of a query, one after the other.
async fn all_pages(probe: &Probe, mut query: SessionQuery) -> Check<Vec<Arc<str>>> {
    let mut listed = Vec::new();
    loop {
        let page = probe.list(&query).await?;
        let limit = query.limit.max(1);
        ensure(page.sessions.len() <= limit, || format!("a page of {} sessions", page.sessions.len()))?;
        let is_full = page.sessions.len() == limit;
        listed.extend(page.sessions.into_iter().map(|session| session.id));
        let Some(next) = page.next else { return Ok(listed) };
        ensure(is_full, || "a page that is not full has a next page".to_owned())?;
        query.cursor = Some(next);
    }
}

/// Writes 20 sessions, some of them at the same time, and returns their ids in the order of lists.
async fn write_twenty(probe: &Probe) -> Check<Vec<Arc<str>>> {
    let mut places = Vec::new();
    for number in 0..20_u64 {
        let (at, session) = (number * 7 % 5, format!("session {}", number * 13 % 20));
        write(probe, &session, Some("ada"), at, &["a red lamp"]).await?;
        places.push((at, session));
    }
    places.sort();
    Ok(places.into_iter().rev().map(|(_, session)| session.into()).collect())
}

async fn pages_of(probe: Probe, set: impl Fn(&mut SessionQuery)) -> Check {
    let expected = write_twenty(&probe).await?;
    for limit in [0, 1, 3, 10, 19, 20, 21, usize::MAX] {
        let query = query(|query| {
            query.limit = limit;
            set(query);
        });
        let listed = all_pages(&probe, query).await?;
        same(&format!("the pages of {limit}"), listed, expected.clone())?;
    }
    Ok(())
}

pub(super) async fn pages(probe: Probe) -> Check {
    pages_of(probe, |query| query.user = Some("ada".into())).await
}

pub(super) async fn search_pages(probe: Probe) -> Check {
    pages_of(probe, |query| query.text = Some("lamp".to_owned())).await
}

pub(super) async fn wrong_cursor(probe: Probe) -> Check {
    write(&probe, "a", None, 1, &[]).await?;
    for cursor in ["", "no cursor", "'; DROP TABLE sessions"] {
        let query = query(|query| query.cursor = Some(cursor.to_owned()));
        let listed = probe.store().list(&query).await;
        ensure(matches!(listed, Err(SessionStoreError::WrongCursor { .. })), || {
            format!("the cursor {cursor:?} gives {listed:?}")
        })?;
    }
    Ok(())
}

pub(super) async fn search(probe: Probe) -> Check {
    write(&probe, "lamps", None, 1, &["A red lamp, please.", "It is on its way."]).await?;
    write(&probe, "chairs", None, 2, &["A red chair.", "And a green table (of wood)."]).await?;
    let result = ToolResultMessage::new("call_1", "find", [ContentBlock::text("a purple sofa")]);
    let others = [
        Change::Message { message: Message::assistant("The LAMP is green.") },
        Change::Results { results: vec![result] },
        Change::Value { key: "orange".to_owned(), value: Some("violet".into()) },
    ];
    let others: Check<Vec<_>> = others.into_iter().map(|change| record_at(3, change)).collect();
    probe.write("others", &others?).await?;
    finds(&probe, "lamp", &["others", "lamps"]).await?;
    finds(&probe, "  LAMP ", &["others", "lamps"]).await?;
    finds(&probe, "red", &["chairs", "lamps"]).await?;
    finds(&probe, "lamp red", &["lamps"]).await?;
    finds(&probe, "wood", &["chairs"]).await?;
    // Both words are in the session, but not in one message.
    finds(&probe, "chair green", &[]).await?;
    finds(&probe, "desk", &[]).await?;
    finds(&probe, "lamp desk", &[]).await?;
    // Only messages of users and models.
    finds(&probe, "purple", &[]).await?;
    finds(&probe, "violet", &[]).await?;
    finds(&probe, "orange", &[]).await?;
    let session = probe.listed(&text("on way")).await?;
    ensure(session.excerpt.as_ref().is_some_and(|excerpt| excerpt.contains("on its way")), || {
        format!("the excerpt is {:?}", session.excerpt)
    })?;
    let all = probe.list(&text(" ")).await?;
    same("the list without words", ids(&all), vec!["others", "chairs", "lamps"])?;
    let user = query(|query| (query.user, query.text) = (Some("ada".into()), Some("lamp".to_owned())));
    same("the sessions of a user without any", ids(&probe.list(&user).await?), vec![])?;
    // An appended record is in the next search.
    probe.write("chairs", &[record_at(4, message("And a lamp."))?]).await?;
    finds(&probe, "lamp", &["chairs", "others", "lamps"]).await
}

pub(super) async fn other_letters(probe: Probe) -> Check {
    write(&probe, "german", None, 1, &["Grüße aus KÖLN, die Straße ist naß"]).await?;
    write(&probe, "russian", None, 2, &["Красная ЛАМПА"]).await?;
    write(&probe, "japanese", None, 3, &["東京タワーの赤いランプ"]).await?;
    write(&probe, "greek", None, 4, &["Η λάμπα"]).await?;
    for (words, session) in [
        ("köln", "german"),
        ("GRÜSSE aus", ""),
        ("straße", "german"),
        ("лампа", "russian"),
        ("красная", "russian"),
        ("東京", "japanese"),
        ("ランプ", "japanese"),
        ("東京 ランプ", "japanese"),
        ("京東", ""),
        ("λάμπα", "greek"),
    ] {
        let expected: Vec<_> = Some(session).filter(|session| !session.is_empty()).into_iter().collect();
        finds(&probe, words, &expected).await?;
    }
    Ok(())
}

/// Signs have no meaning in a search.
pub(super) async fn signs(probe: Probe) -> Check {
    write(&probe, "a", None, 1, &["Send an e-mail to ada@example.org: \"it's 3.5 kg\""]).await?;
    for words in ["e-mail", "ada@example.org", "it's", "3.5 kg", "\"it's", "send & kg", "send\0kg", "\u{1}kg"]
    {
        finds(&probe, words, &["a"]).await?;
    }
    for words in [
        "kg OR desk",
        "desk*",
        "NOT desk",
        "mail-e",
        "text:kg",
        "NEAR(send desk)",
        "(((desk",
        "\"desk",
        "'desk",
    ] {
        finds(&probe, words, &[]).await?;
    }
    let records = probe.read("a", 0).await?;
    same("the text of a search", records.iter().filter_map(SessionRecord::search_text).count(), 1)
}

pub(super) async fn long_searches(probe: Probe) -> Check {
    write(&probe, "a", None, 1, &["A red lamp."]).await?;
    let words = |count: usize| (0..count).map(|word| word.to_string()).collect::<Vec<_>>().join(" ");
    let long = |words: &str| words.repeat(SearchTooLong::MAX_CHARACTERS / words.len());
    finds(&probe, &long("lamp "), &["a"]).await?;
    finds(&probe, &words(SearchTooLong::MAX_WORDS), &[]).await?;
    for refused in [long("lamp ") + ".", words(SearchTooLong::MAX_WORDS + 1)] {
        let listed = probe.store().list(&text(&refused)).await;
        ensure(matches!(listed, Err(SessionStoreError::SearchTooLong(_))), || {
            format!("a search that is too long gives {listed:?}")
        })?;
    }
    Ok(())
}
