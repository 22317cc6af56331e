//! Answers of providers, changed at random: whatever comes, it ends, and what is not right is an error.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::cases::holds_together;
use super::server::{Wire, serve};
use super::{ALL, ask};

/// A change of the bytes of an answer. The numbers are reduced to places in it.
#[derive(Debug, Clone)]
enum Change {
    /// Ends it there, and the connection with it or not.
    Cut(usize, bool),
    /// Changes one byte.
    Byte(usize, u8),
    /// Takes out a line.
    Drop(usize),
    /// Says a line again at another place.
    Repeat(usize, usize),
    /// Exchanges two lines.
    Swap(usize, usize),
    /// Puts something in place of a number, a text or a literal of the JSON.
    Value(usize, &'static str),
    /// Says all from a line on many times.
    Many(usize, u16),
}

/// The bytes that a text said many times has at most.
const MOST: usize = 1 << 20;

const VALUES: [&str; 14] = [
    "4000000000",
    "-1",
    "99999999999999999999999999",
    "1e400",
    "0.5",
    "null",
    "true",
    "\"\"",
    "\"0\"",
    "[]",
    "{}",
    "[null]",
    "{\"index\":0}",
    "\"\\ud83d\"",
];

fn change() -> impl Strategy<Value = Change> {
    let at = any::<usize>;
    prop_oneof![
        (at(), any::<bool>()).prop_map(|(at, breaks)| Change::Cut(at, breaks)),
        (at(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        at().prop_map(Change::Drop),
        (at(), at()).prop_map(|(from, to)| Change::Repeat(from, to)),
        (at(), at()).prop_map(|(one, other)| Change::Swap(one, other)),
        (at(), prop::sample::select(&VALUES[..])).prop_map(|(at, value)| Change::Value(at, value)),
        (at(), 2_u16..300).prop_map(|(at, times)| Change::Many(at, times)),
    ]
}

impl Change {
    fn apply(&self, wire: &mut Wire) {
        let body = &mut wire.body;
        if body.is_empty() {
            return;
        }
        let lines = |body: &[u8]| -> Vec<Vec<u8>> {
            body.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
        };
        match *self {
            Self::Cut(at, breaks) => {
                body.truncate(at % body.len());
                wire.breaks = breaks;
            }
            Self::Byte(at, byte) => {
                let at = at % body.len();
                body[at] = byte;
            }
            Self::Drop(at) => {
                let mut lines = lines(body);
                lines.remove(at % lines.len());
                *body = lines.concat();
            }
            Self::Repeat(from, to) => {
                let mut lines = lines(body);
                let line = lines[from % lines.len()].clone();
                lines.insert(to % lines.len(), line);
                *body = lines.concat();
            }
            Self::Swap(one, other) => {
                let mut lines = lines(body);
                let count = lines.len();
                lines.swap(one % count, other % count);
                *body = lines.concat();
            }
            Self::Value(at, value) => {
                // The value behind a colon.
                let colons: Vec<_> = (0..body.len()).filter(|at| body[*at] == b':').collect();
                let Some(&colon) = colons.get(at % colons.len().max(1)) else { return };
                let end =
                    body[colon + 1..].iter().position(|byte| matches!(byte, b',' | b'}' | b']' | b'\n'));
                let end = end.map_or(body.len(), |end| colon + 1 + end);
                body.splice(colon + 1..end, value.bytes());
            }
            Self::Many(at, times) => {
                let lines = lines(body);
                let (before, again) = lines.split_at(at % lines.len());
                let again = again.concat();
                let times = usize::from(times).min(MOST / again.len());
                *body = [before.concat(), again.repeat(times)].concat();
            }
        }
    }
}

#[test]
fn long_changed_answers_of_providers_end_typed() {
    let texts: Vec<_> = ALL
        .iter()
        .flat_map(|protocol| protocol.cases().into_iter().map(|case| (*protocol, case)))
        .filter(|(_, case)| !case.is_endless())
        .collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let changes = (0..texts.len(), prop::collection::vec(change(), 1..5), prop::option::of(1_usize..40));
    let config = Config { failure_persistence: None, ..Config::default() };
    let ended = TestRunner::new(config).run(&changes, |(at, changes, pieces)| {
        let (protocol, case) = &texts[at];
        let mut wire = protocol.wire_of(case);
        wire.pieces = pieces;
        for change in &changes {
            change.apply(&mut wire);
        }
        let held = runtime.block_on(async {
            let (url, _) = serve(vec![wire.clone()]).await;
            match ask(&protocol.model(&url, case.stream)).await? {
                (Ok(answer), deltas) => holds_together(&answer, &deltas),
                (Err(_), _) => Ok(()),
            }
        });
        held.map_err(|fault| {
            let said = String::from_utf8_lossy(&wire.body).into_owned();
            TestCaseError::fail(format!("{}, {}: {fault}\n{said}", protocol.file, case.name))
        })
    });
    ended.unwrap_or_else(|error| panic!("{error}"));
}
