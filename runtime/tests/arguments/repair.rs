//! Broken JSON: the listed repairs, and nothing that the model did not write.

use onionskin::{Args, tool};

/// Deletes everything.
#[tool]
async fn wipe() -> &'static str {
    "wiped"
}

/// Adds one.
#[tool]
async fn add_one(x: i64) -> i64 {
    x + 1
}

#[tokio::test]
async fn t11_words_in_a_fence_are_no_arguments() {
    for text in [
        "```delete```",
        "```5```",
        "```true```",
        "```null```",
        "```json```",
        "```\n```",
        "```json\n```",
        "``````",
        "```delete``` ",
        "```rm -rf```",
        "\"```delete```\"",
        "```\ndelete\n```",
        "```delete {}```",
        "{,}",
        "```{,}```",
        "x",
        "{} {}",
        "Here it is: {}",
        "{}\nDone.",
        "null",
        "[]",
        "5",
        "\"\"",
    ] {
        let error = wipe::spec().call(text).await.expect_err(text).to_string();
        assert!(error.contains("it did not run"), "{text}: {error}");
        assert!(Args::from(text).as_object().is_err(), "{text}");
    }
}

#[tokio::test]
async fn t11_no_text_at_all_is_an_empty_object() {
    for text in
        ["", "  \n", "{}", "```{}```", "```json\n{}\n```", "```json {}```", "```JSON\r\n{ }\r\n```", "\"{}\""]
    {
        assert_eq!(wipe::spec().call(text).await.expect(text), "wiped", "{text}");
    }
}

#[tokio::test]
async fn t11_an_object_in_a_fence_is_read() {
    for text in [
        "```json\n{\"x\": 41,}\n```",
        "```{\"x\":41}```",
        "```js\n{\"x\":41}\n```",
        "```json{\"x\":41}```",
        "\"```json\\n{\\\"x\\\":41}\\n```\"",
    ] {
        assert_eq!(add_one::spec().call(text).await.expect(text), 42, "{text}");
    }
    for text in
        ["```{\"x\":41}", "{\"x\":41}```", "```{\"x\":41,,}```", "```a b\n{\"x\":41}\n```", "{\"x\":,}"]
    {
        add_one::spec().call(text).await.expect_err(text);
    }
}
