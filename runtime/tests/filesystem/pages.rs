//! `filesystem.read` shows the lines of a file, in pages.

use onionskin::content::ContentBlock;

use super::*;

#[tokio::test]
async fn a6_a_text_is_read_as_it_is() {
    let place = Place::new().with("a/b.txt", "one\r\ntwo\n\nfour").with("empty", "");
    assert_eq!(place.ok("read", json!({ "path": "a/b.txt" })).await, "one\r\ntwo\n\nfour");
    assert_eq!(place.ok("read", json!({ "path": "./a/../a//b.txt" })).await, "one\r\ntwo\n\nfour");
    assert_eq!(place.ok("read", json!({ "path": "empty" })).await, "(the file is empty)");
}

#[tokio::test]
async fn a6_a_page_says_where_to_go_on() {
    let lines: String = (1..=9).map(|line| format!("line {line}\n")).collect();
    let place = Place::new().with("long", &lines);
    let tool = place.filesystem.clone().max_output(20).read_tool();
    let first = blocks(&call(&tool, json!({ "path": "long" })).await.unwrap());
    assert_eq!(first, ["line 1\nline 2\n", "[These are lines 1 to 2. Go on with `from` = 3.]"]);
    let next = blocks(&call(&tool, json!({ "path": "long", "from": 3, "lines": 1 })).await.unwrap());
    assert_eq!(next, ["line 3\n", "[These are lines 3 to 3. Go on with `from` = 4.]"]);
    let last = blocks(&call(&tool, json!({ "path": "long", "from": 8 })).await.unwrap());
    assert_eq!(last, ["line 8\nline 9\n"]);
    let beyond = failure(call(&tool, json!({ "path": "long", "from": 10 })).await);
    assert_eq!(beyond, "`long` has 9 lines: `from` is at most 9");
}

#[tokio::test]
async fn a6_a_long_line_is_cut_and_the_next_one_can_be_read() {
    let place = Place::new().with("wide", format!("{}\nnext\n", "ä".repeat(100_000)));
    let page = blocks(&place.call("read", json!({ "path": "wide" })).await.unwrap());
    assert_eq!(page[0].len(), 64 * 1024);
    assert_eq!(page[1], "[This is the beginning of line 1, which is too long. Go on with `from` = 2.]");
    assert_eq!(place.ok("read", json!({ "path": "wide", "from": 2 })).await, "next\n");
}

#[tokio::test]
async fn a6_all_pages_together_are_the_file() {
    let text: String = (0..40_000).map(|line| format!("{line} ä€😀 {}\n", "x".repeat(line % 97))).collect();
    let place = Place::new().with("big", &text);
    let (mut all, mut from) = (String::new(), 1);
    loop {
        let page = blocks(&place.call("read", json!({ "path": "big", "from": from })).await.unwrap());
        all.push_str(&page[0]);
        let Some(note) = page.get(1) else { break };
        from = note.rsplit_once("= ").unwrap().1.trim_end_matches(".]").parse().unwrap();
    }
    assert!(all == text, "{} of {} bytes", all.len(), text.len());
}

#[tokio::test]
async fn a6_an_image_is_content_and_other_binary_files_are_errors() {
    let png = [&b"\x89PNG\r\n\x1a\n"[..], &vec![0; 70_000]].concat();
    let place = Place::new()
        .with("cat.png", &png)
        .with("large.png", [&png[..], &vec![1; 6 * 1024 * 1024]].concat())
        .with("program", b"\x7fELF\0\0\0")
        .with("latin1.txt", b"caf\xe9 au lait")
        .with("late", [&vec![b'a'; 200_000][..], b"\xff"].concat())
        .with("cut", [&vec![b'a'; 64 * 1024 - 1][..], "ä".as_bytes(), b"\xc3"].concat());
    let output = place.call("read", json!({ "path": "cat.png" })).await.unwrap();
    let [ContentBlock::Image(image)] = output.content() else { panic!("{output:?}") };
    assert_eq!(image.mime_type(), "image/png");
    let large = place.error("read", json!({ "path": "large.png" })).await;
    assert!(large.starts_with("`large.png` is an image of more than 5242880 bytes: "), "{large}");
    for (file, at) in [("program", 4), ("latin1.txt", 3), ("late", 200_000), ("cut", 65_537)] {
        let text = place.error("read", json!({ "path": file, "from": 2 })).await;
        assert!(text.starts_with(&format!("`{file}` is not text in UTF-8 (see its byte {at}): ")), "{text}");
    }
}

#[tokio::test]
async fn a6_no_piece_of_a_secret_is_read_however_pages_are_cut() {
    let secret = "sk-0123456789abcdef";
    let place = Place::new().with("env", format!("{}{secret}\nKEY={secret}\n", "x".repeat(50)));
    let cx = context("filesystem.read").build();
    cx.conceal(&Secret::new(secret.to_owned()));
    for most in 40..80 {
        let tool = place.filesystem.clone().max_output(most).read_tool();
        for from in [1, 2] {
            let args = json!({ "path": "env", "from": from });
            let text = call_in(&cx, &tool, args).await.unwrap().to_text().into_owned();
            assert!(!text.contains("sk-"), "{most} {from}: {text}");
        }
    }
    let search = place.search_tool();
    for pattern in ["KEY=", "sk-0", "0123"] {
        let text = call_in(&cx, &search, json!({ "pattern": pattern })).await.unwrap().to_text().into_owned();
        assert_eq!(text.contains("env:"), pattern == "KEY=", "{pattern}: {text}");
        assert!(!text.contains("sk-") && !text.contains("0123"), "{text}");
    }
}
