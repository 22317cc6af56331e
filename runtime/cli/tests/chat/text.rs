//! The text of the agent in the rows of a terminal.

use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::{DESK, chat_in};

/// An agent that says these texts.
fn says(texts: &[&str]) -> Folder {
    let turns = texts.iter().map(|text| format!("  - say: {}\n", serde_json::Value::from(*text)));
    Folder::asker("", &turns.collect::<String>())
}

const PLAN: &str = "# The plan\n\nUse **two words**, `snake_case` and *more* of them, until the row is full.\n\n- The first item is longer than a row of forty.\n- [x] `b`\n\n```sh\nls *.rs **/*.md | grep a_b # and more than forty columns\n```\nDone **\u{1b}[31m**.";

/// The rows without the blanks at their ends.
fn without_blanks(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// What the screen shows of an answer.
fn answer(folder: &Folder, columns: u16, variables: &[(&str, &str)]) -> (String, String) {
    let mut chat = chat_in(folder, (columns, 40), variables);
    chat.enter_until("plan", "asker · ");
    let shown = chat.until_prompt("");
    chat.leave();
    let text = shown.split("you> plan\n").nth(1).unwrap().split("\nasker · ").next().unwrap();
    (without_blanks(text), chat.output())
}

#[test]
fn o1_markdown_is_shown_in_styles() {
    let folder = says(&[PLAN]);
    let (shown, written) = answer(&folder, 100, &[]);
    let wanted = "The plan\n\nUse two words, snake_case and more of them, until the row is full.\n\n• The first item is longer than a row of forty.\n• [x] b\n\nls *.rs **/*.md | grep a_b # and more than forty columns\nDone \\u{1b}[31m.";
    assert_eq!(shown, wanted);
    for styled in [
        "\u{1b}[0;1mThe plan",
        "\u{1b}[0;1mtwo words\u{1b}[0m",
        "\u{1b}[0;36msnake_case\u{1b}[0m",
        "\u{1b}[0;3mmore\u{1b}[0m",
    ] {
        assert!(written.contains(styled), "{styled:?}: {written:?}");
    }
    // In a narrow window words stay whole, and a line of code is not broken at its words.
    let (shown, _) = answer(&folder, 40, &[]);
    let wanted = "The plan\n\nUse two words, snake_case and more of\nthem, until the row is full.\n\n• The first item is longer than a row of\n  forty.\n• [x] b\n\nls *.rs **/*.md | grep a_b # and more than forty columns\nDone \\u{1b}[31m.";
    assert_eq!(shown, wanted);
}

#[test]
fn o1_markdown_stays_as_it_is_without_styles_and_without_a_terminal() {
    let folder = says(&[PLAN]);
    let plain = PLAN.replace('\u{1b}', "\\u{1b}");
    assert_eq!(answer(&folder, 100, &[("NO_COLOR", "1")]).0, plain);
    let ran = folder.pipe(b"plan\n", &DESK);
    assert!(ran.out.starts_with(&plain), "{ran:?}");
}

#[test]
fn o1_wide_and_combined_characters_stay_whole_at_the_end_of_a_row() {
    let text = "日本語日本語日本語日本語日本語日本語日本語 cafe\u{301} cafe\u{301} cafe\u{301} cafe\u{301} cafe\u{301} cafe\u{301} 👍🏽👍🏽";
    let folder = says(&[text]);
    for columns in [17, 40, 41, 100] {
        let (shown, _) = answer(&folder, columns, &[]);
        let letters = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(letters(&shown), letters(text), "{columns}");
        assert_eq!(shown.matches("cafe\u{301}").count(), 6, "{columns}: {shown}");
        assert!(shown.lines().all(|row| !row.starts_with('\u{301}')), "{columns}: {shown}");
    }
}

#[test]
fn o1_words_stay_whole_while_the_window_changes() {
    let words = "- One **two** three four five six seven eight nine ten eleven twelve.\n".repeat(3);
    let folder = says(&[1, 2, 3].map(|turn| format!("{words}End {turn}.")).each_ref().map(String::as_str));
    let mut chat = chat_in(&folder, (100, 40), &[]);
    for (turn, columns, wanted) in [
        (1, 100, "• One two three four five six seven eight nine ten eleven twelve.\n"),
        (2, 40, "• One two three four five six seven\n  eight nine ten eleven twelve.\n"),
        (3, 28, "• One two three four five\n  six seven eight nine ten\n  eleven twelve.\n"),
    ] {
        chat.until_prompt("");
        chat.resize(columns, 40);
        let shown = chat.enter_until("count", &format!("End {turn}."));
        assert_eq!(without_blanks(&shown).matches(wanted).count(), 3, "{columns}: {shown}");
    }
    chat.leave();
}

#[test]
fn o1_an_answer_of_1_mb_in_one_line_is_shown_whole_and_soon() {
    let text = "**many** `words` of a *line ".repeat(37_500);
    let folder = says(&[&text]);
    for columns in [40, 100] {
        let mut chat = chat_in(&folder, (columns, 20), &[]);
        chat.until_prompt("");
        let begun = Instant::now();
        chat.types_until("go\r", "asker · ");
        chat.until_prompt("");
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        assert_eq!(chat.output().matches("many").count(), 37_500);
        chat.leave();
    }
}
