//! Files: what they look like, when they are written, mistakes in them.

use onionskin::content::{ContentBlock, Image, Media};
use onionskin::model::{Message, ModelRequest, ModelResponse, RequestParams};
use onionskin::models::{Cassette, CassetteError};
use onionskin::{RunOutput, ScriptedModel, ScriptedTurn};
use serde_json::json;

use super::support::{
    Clerk, Failure, Prepared, add_one, answer, ask, record, replay_error, script, streamed,
};

/// The file of a run of [`Clerk`].
const CLERK: &str = include_str!("../data/clerk.yaml");

#[tokio::test]
async fn o3_a_recorded_run_is_replayed_without_its_model() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new/clerk.yaml");
    let test = async |output: Result<RunOutput, onionskin::RunError>| {
        let output = output?;
        assert_eq!(output.text, "It is 42.");
        Ok::<_, Failure>(output.usage)
    };
    let recorded = Cassette::record(script(), &file)
        .run(async |model| test(Clerk::builder().model(model).run("What is 41 + 1?").await).await);
    let recorded = recorded.await.unwrap();
    // A script without turns has no answers.
    let replayed = Cassette::replay(ScriptedModel::new(), &file)
        .run(async |model| test(Clerk::builder().model(model).run("What is 41 + 1?").await).await);
    assert_eq!(replayed.await.unwrap(), recorded);
    assert_eq!(add_one(41), 42);
}

#[tokio::test]
async fn o3_a_recording_is_yaml_that_people_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("clerk.yaml");
    record(script(), &file, async |model| {
        Clerk::builder().model(model).run("What is 41 + 1?").await?;
        Ok(())
    })
    .await;
    let written = std::fs::read_to_string(&file).unwrap();
    assert_eq!(written, CLERK, "{written}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no other file is left");
}

#[tokio::test]
async fn o3_texts_of_all_kinds_are_replayed_as_they_were() {
    let texts = [
        "yes",
        "null",
        "1.0",
        "0x10",
        "1e3",
        "- a",
        "a: b",
        "# no",
        "",
        " ",
        "\n",
        "a\n",
        "\na\n\n",
        "  a\n b",
        "a\tb\n c ",
        "'\"\\",
        "\u{0}\u{7}\u{1b}[0m",
        "\u{85}\u{2028}\u{feff}",
        "{\"x\": \"a\u{2028}b\"}",
        "\"\u{2029}\"",
        "\u{feff}{\"x\": 1}",
        "\"\u{fffe}\u{ffff}",
        "\r\n",
        "a\r\nb",
        "{last}",
        "%",
        "@",
        "`",
        "|",
        ">",
        "~",
        "=",
        "<<",
        "2026-11-28",
        "12:30:00",
        "---",
        "...",
        "&a",
        "*a",
        "!a",
        "?",
        ":",
        "-",
        ",",
        "[",
        "{\"x\": 1}",
    ];
    let long = "word ".repeat(60);
    for text in texts.into_iter().chain([long.as_str()]) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("texts.yaml");
        let mut response = ModelResponse::text(text);
        response.provider_data = Some(json!({ text: [text, 1.0, -1, u64::MAX, 1e20] }));
        let mut request =
            ModelRequest::new([Message::user(text), Message::assistant(text)]).with_system(text);
        let mut params = RequestParams::default();
        params.temperature = Some(1.0);
        params.extra_body.insert(text.to_owned(), json!([text, null, {}]));
        request.params = params;
        let result = (Vec::new(), Ok(response));
        record(Prepared::new([result.clone()]), &file, async |model| {
            answer(&model, &request).await.1?;
            Ok(())
        })
        .await;
        let replayed = Cassette::replay(ScriptedModel::new(), &file)
            .run(async |model| Ok::<_, Failure>(answer(&model, &request).await));
        assert_eq!(replayed.await.unwrap(), result, "{text:?}");
    }
}

#[tokio::test]
async fn o3_a_conversation_that_grows_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.yaml");
    let turns = (0..30).map(|turn| ScriptedTurn::call("add_one", json!({ "x": turn })));
    let turns = turns.chain([ScriptedTurn::say("Done.")]);
    record(ScriptedModel::turns(turns), &file, async |model| {
        Clerk::builder().model(model).run("Count.").await?;
        Ok(())
    })
    .await;
    let written = std::fs::read_to_string(&file).unwrap();
    assert_eq!(written.matches("Do the sums").count(), 1);
    assert_eq!(written.matches("Count.").count(), 1);
    assert_eq!(written.matches("{\"x\":7}").count(), 1);
    assert_eq!(written.matches("continues: ").count(), 30);
}

#[tokio::test]
async fn o3_changed_and_removed_parts_of_a_conversation_are_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("changed.yaml");
    let image = Image(Media::new("iVBORw0KGgo=", "image/png"));
    let first = ask("Hi.").with_system("Be brief.").with_model("small");
    let mut second = ModelRequest::new([Message::user("Hi."), Message::assistant("Another text.")]);
    second.messages.push(Message::user_content([ContentBlock::text("This?"), image.into()]));
    let third = ModelRequest::new([Message::user("Something else.")]).with_agent("other");
    let requests = [first, second, third];
    let script = ScriptedModel::turns([ScriptedTurn::say("One."), ScriptedTurn::say("Two.")]);
    record(script, &file, async |model| {
        for request in &requests {
            answer(&model, request).await.1?;
        }
        Ok(())
    })
    .await;
    let replayed = Cassette::replay(ScriptedModel::new(), &file).run(async |model| {
        let mut texts = Vec::new();
        // In another order.
        for request in requests.iter().rev() {
            texts.push(answer(&model, request).await.1?.text);
        }
        Ok::<_, Failure>(texts)
    });
    assert_eq!(replayed.await.unwrap(), ["One.", "Two.", "One."]);
}

#[tokio::test]
async fn o3_a_failed_recording_leaves_the_earlier_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("clerk.yaml");
    std::fs::write(&file, "earlier").unwrap();
    let failed = Cassette::record(script(), &file).run(async |model| {
        Clerk::builder().model(model).run("What is 41 + 1?").await?;
        Err::<(), Failure>("the test failed".into())
    });
    assert_eq!(failed.await.unwrap_err().to_string(), "the test failed");

    // A model that cannot be asked leaves nothing to record, whatever the test makes of it.
    let failed = Cassette::record(
        Prepared::new([(vec![], Err(onionskin::model::ModelError::no_key("m", "KEY")))]),
        &file,
    )
    .run(async |model| {
        let _ = answer(&model, &ask("Hi.")).await;
        Ok::<_, CassetteError>(())
    });
    let error = failed.await.unwrap_err();
    assert!(matches!(error, CassetteError::NotAsked { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "earlier");

    let unwritable = Cassette::record(script(), file.join("below-a-file.yaml")).run(async |_| Ok(()));
    assert!(matches!(unwritable.await.unwrap_err(), CassetteError::Write { .. }));
}

#[tokio::test]
async fn o3_without_a_file_the_error_says_how_to_record() {
    let folder = tempfile::tempdir().unwrap();
    let error = replay_error(&folder.path().join("none.yaml"), async |_| panic!("no test runs")).await;
    assert!(matches!(error, CassetteError::NotRecorded { .. }), "{error}");
    assert!(error.to_string().contains("ONIONSKIN_RECORD=1"), "{error}");
    let error = replay_error(folder.path(), async |_| panic!("no test runs")).await;
    assert!(matches!(error, CassetteError::Read { .. }), "{error}");
}

#[tokio::test]
async fn o3_mistakes_in_a_recording_are_errors_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("streamed.yaml");
    let (pieces, response) = streamed();
    let results = [(pieces, Ok(response)), (vec![], Ok(ModelResponse::text("Done.")))];
    record(Prepared::new(results), &file, async |model| {
        let first = ask("Hi.");
        let mut second = first.clone();
        second.messages.push(answer(&model, &first).await.1?.into());
        answer(&model, &second).await.1?;
        Ok(())
    })
    .await;
    let written = std::fs::read_to_string(&file).unwrap();
    let cases = [
        ("version: 1", "version: 2", "its version is 2"),
        ("version: 1", "versio: 1", "versio"),
        ("entry: 2", "entry: 3", "entry 2: its number is 3"),
        ("continues: 1", "continues: 2", "entry 2: there is no entry 2 before it"),
        ("answer_of: 1", "answer_of: 7", "entry 2: there is no entry 7 before it"),
        ("text: Done.", "txt: Done.", "entry 2: its answer: `txt`"),
        ("text: [6, 6, 3]", "text: [6, 6, 4]", "entry 1: the sizes in `stream` do not add up to the text"),
        ("text: [6, 6, 3]", "text: [6, 6]", "entry 1: the sizes in `stream` do not add up to the text"),
        (
            "reasoning: [4, 5]",
            "reasoning: [4, x]",
            "entry 1: the sizes in `stream` do not add up to the reasoning",
        ),
        (
            "arguments: [8]",
            "arguments: [9]",
            "entry 1: the sizes in `stream` do not add up to the arguments of the call `b`",
        ),
        (
            "  answer:\n    text: Done.",
            "  cancelled: true\n  answer:\n    text: Done.",
            "entry 2: write one of",
        ),
        ("  answer:\n    text: Done.\n", "", "entry 2: write one of"),
        ("entries:", "entries: [", "line "),
    ];
    for (part, wrong, reason) in cases {
        assert!(written.contains(part), "`{part}` is not in:\n{written}");
        std::fs::write(&file, written.replacen(part, wrong, 1)).unwrap();
        let error = replay_error(&file, async |_| panic!("no test runs")).await;
        assert!(matches!(error, CassetteError::Content { .. }), "{wrong}: {error}");
        assert!(error.to_string().contains(reason), "{wrong}: {error}");
    }
}

#[tokio::test]
async fn o3_a_small_file_does_not_take_much_memory() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large.yaml");
    let text = "x".repeat(256 << 10);
    let repeated = |first: &str| {
        let continued =
            (2..=2_100).map(|entry| format!("- entry: {entry}\n  continues: 1\n  cancelled: true\n"));
        format!("- entry: 1\n  {first}\n  cancelled: true\n{}", continued.collect::<String>())
    };
    let entries = [
        repeated(&format!("messages: [{text}]")),
        repeated(&format!("request: {{system: {text}}}")),
        format!(
            "- entry: 1\n  answer: {{text: {text}}}\n- entry: 2\n  cancelled: true\n  messages:\n{}",
            "  - answer_of: 1\n".repeat(2_100)
        ),
    ];
    for entries in entries {
        std::fs::write(&file, format!("version: 1\nentries:\n{entries}")).unwrap();
        let error = replay_error(&file, async |_| panic!("no test runs")).await;
        assert!(matches!(error, CassetteError::Content { .. }), "{error}");
        assert!(error.to_string().contains("more than 512 MiB"), "{error}");
    }
}

#[tokio::test]
async fn o3_a_file_has_one_recording_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("clerk.yaml");
    record(script(), &file, async |_| {
        let second = Cassette::record(script(), folder.path().join("./clerk.yaml"));
        let error = second.run(async |_| panic!("no test runs")).await.map(|()| "").unwrap_err();
        assert!(matches!(error, CassetteError::Write { .. }), "{error}");
        assert!(error.to_string().contains("another recording of this file is not over"), "{error}");
        let other = folder.path().join("other.yaml");
        Cassette::record(script(), other).run(async |_| Ok::<_, Failure>(())).await
    })
    .await;
    record(script(), &file, async |_| Ok(())).await;
}
