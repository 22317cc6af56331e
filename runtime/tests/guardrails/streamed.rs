//! Personal data in the pieces of a stream.

use std::time::{Duration, Instant};

use onionskin::event::EventKind;
use onionskin::guardrails::{MaskPii, Pii, RejectPii};
use onionskin::run_hooks::DeltaFilter as _;
use onionskin::{RunError, ScriptedModel, ScriptedTurn, agent};
use proptest::prelude::*;

/// Parts of texts that are near each other in the forms of personal data.
const PARTS: [&str; 38] = [
    "ada@example.org",
    "ada",
    "@",
    "example",
    ".org",
    ".",
    " ",
    "  ",
    "\n",
    "-",
    "+44 20 7946 0018",
    "4111 1111 1111 1111",
    "41",
    "555-010-0199",
    "(",
    ")",
    "DE89 3704 0044 0532 0130 00",
    "DE89",
    "192.0.2.77",
    "::",
    "2001:db8::7",
    "call ",
    "123-45-6789",
    "ü",
    "€",
    "2026-11-22",
    "中文",
    "，",
    "“",
    ":",
    "+",
    "/",
    "1 2 3 4 5 6 7 8 9 ",
    "1",
    "012345678901234567890123456789",
    "gb82west12345698765432",
    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
    "----------------------------------------------------------------------------------------------------",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a9_a_text_in_pieces_is_masked_as_the_whole_text(
        parts in proptest::collection::vec(0..PARTS.len(), 0..24),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let text: String = parts.iter().map(|part| PARTS[*part]).collect();
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let mut cuts: Vec<usize> = cuts.iter().filter(|_| !starts.is_empty()).map(|cut| starts[cut.index(starts.len())]).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pii = Pii::new();
        let mut filter = pii.deltas();
        let mut shown: String = cuts.windows(2).map(|cut| filter.push(&text[cut[0]..cut[1]])).collect();
        shown.push_str(&filter.finish());
        prop_assert_eq!(shown, pii.mask(&text).into_owned(), "{:?} cut at {:?}", text, cuts);
    }
}

/// Text without spaces, and text of numbers.
const LONG: [&str; 7] =
    ["请联系我们的客服人员", "aGVsbG8gd29ybGQ0MTEx", "-", " ", "1 2 3 4 ", "1234567890", "a@b@c."];

#[test]
fn a9_a_text_without_spaces_is_shown_while_it_arrives() {
    for part in LONG {
        let text = part.repeat(3000 / part.len());
        let mut filter = Pii::new().deltas();
        let (mut shown, mut pushed) = (0, 0);
        for c in text.chars() {
            pushed += c.len_utf8();
            shown += filter.push(c.encode_utf8(&mut [0; 4])).len();
            assert!(pushed - shown < 600, "{part:?}: {shown} of {pushed}");
        }
        assert_eq!(shown + filter.finish().len(), text.len());
    }
    let mut filter = Pii::new().deltas();
    assert_eq!(filter.push("你好，"), "你好，");
    assert_eq!(filter.push("写信给，ada@example.org，谢"), "写信给，[email]，");
}

#[test]
fn a9_a_long_text_in_small_pieces_is_masked_in_time() {
    let begun = Instant::now();
    for part in LONG {
        let text = part.repeat(60_000 / part.len());
        let mut filter = Pii::new().deltas();
        let mut shown = String::new();
        for c in text.chars() {
            shown.push_str(&filter.push(c.encode_utf8(&mut [0; 4])));
        }
        shown.push_str(&filter.finish());
        assert_eq!(shown, Pii::new().mask(&text));
    }
    // Quadratic work would take minutes.
    assert!(begun.elapsed() < Duration::from_secs(50), "{:?}", begun.elapsed());
}

#[test]
fn a9_data_in_a_long_text_without_spaces_is_masked() {
    let pii = Pii::new();
    for (around, shown) in
        [("中".repeat(500), "中".repeat(500)), ("a".repeat(1000) + "/", "a".repeat(1000) + "/")]
    {
        let masked = pii.mask(&format!("{around}ada@example.org，{around}")).into_owned();
        assert!(masked.contains("[email]，") && masked.ends_with(&shown), "{masked}");
        assert!(!masked.contains("ada"), "{masked}");
    }
    let numbers = "1 2 3 4 ".repeat(100);
    let masked = pii.mask(&format!("{numbers}4111 1111 1111 1111 and")).into_owned();
    assert_eq!(masked, format!("{numbers}[card] and"));
}

agent! { Clerk { instruction: "Answer." } }

fn says(text: &str) -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::say(text)])
}

#[tokio::test]
async fn a9_a_streamed_run_shows_masked_text_only() {
    let model = says("Write to ada.lovelace@example.org, or call +44 20 7946 0018 today.");
    let clerk = Clerk::builder().model(model).run_hook(MaskPii::default()).build().await.unwrap();
    let mut stream = clerk.stream("Where?");
    let (mut shown, mut pieces) = (String::new(), 0);
    while let Some(event) = stream.next().await {
        let json = serde_json::to_string(&event).unwrap();
        assert!(!json.contains("example.org") && !json.contains("7946"), "{json}");
        if let EventKind::TextDelta { text, .. } = event.kind {
            shown.push_str(&text);
            pieces += 1;
        }
    }
    assert_eq!(shown, "Write to [email], or call [phone] today.");
    assert!(pieces > 1, "the text is shown while it arrives");
    assert_eq!(stream.output().await.unwrap().text, shown);
}

#[tokio::test]
async fn a9_a_refused_answer_was_not_shown_in_a_stream() {
    let clerk = Clerk::builder().model(says("It is 4111 1111 1111 1111.")).run_hook(RejectPii::default());
    let clerk = clerk.build().await.unwrap();
    let mut stream = clerk.stream("Which card?");
    while let Some(event) = stream.next().await {
        let json = serde_json::to_string(&event).unwrap();
        assert!(!json.contains("4111"), "{json}");
    }
    let error = stream.output().await.unwrap_err();
    assert!(matches!(&error, RunError::OutputCheck { .. }), "{error}");
    assert!(!format!("{error:?}").contains("4111"));
}
