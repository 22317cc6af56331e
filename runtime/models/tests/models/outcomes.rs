//! What comes of requests: pieces, errors, cancelled requests, requests at the same time.

use std::time::Duration;

use onionskin::event::EventKind;
use onionskin::model::{Model as _, ModelError, ModelResponse};
use onionskin::models::{Cassette, CassetteError};
use onionskin::{RunError, ScriptedModel, ScriptedTurn, Secret, agent};
use serde_json::json;

use super::support::{
    Clerk, Failure, Prepared, answer, ask, call, record, replay_error, script, streamed, text,
};

#[tokio::test]
async fn o3_pieces_of_an_answer_are_replayed_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("streamed.yaml");
    let (pieces, response) = streamed();
    // Pieces that do not add up to the answer, and pieces before an error.
    let corrected = (vec![text("A "), text("draft"), call("c", "{}")], Ok(ModelResponse::text("Final.")));
    let broken = (vec![text("It is "), call("d", "{\"x\"")], Err(ModelError::transport("reset")));
    let results = [(pieces, Ok(response)), corrected, broken];
    let requests = ["one", "two", "three"].map(ask);
    record(Prepared::new(results.clone()), &file, async |model| {
        for (request, expected) in requests.iter().zip(&results) {
            assert_eq!(answer(&model, request).await, *expected);
        }
        Ok(())
    })
    .await;
    let replay = Cassette::replay(ScriptedModel::new(), &file).run(async |model| {
        for (request, expected) in requests.iter().zip(&results) {
            assert_eq!(answer(&model, request).await, *expected);
        }
        Ok::<_, CassetteError>(())
    });
    replay.await.unwrap();
    let written = std::fs::read_to_string(&file).unwrap();
    assert_eq!(written.matches("Wait:").count(), 1, "a text is there once:\n{written}");
}

#[tokio::test]
async fn o3_errors_of_a_provider_are_replayed() {
    let mut lasting = ModelError::status_that_lasts(429, "no credit");
    if let ModelError::Status { retry_after, .. } = &mut lasting {
        *retry_after = Some(Duration::from_millis(1500));
    }
    let errors = [
        ModelError::status(503, "busy\nvery", Some(Duration::from_secs(2))),
        lasting,
        ModelError::too_long("9 > 8"),
        ModelError::transport("reset"),
        ModelError::malformed("no JSON"),
        ModelError::incomplete("no text"),
        ModelError::timeout(Duration::from_secs(30)),
        ModelError::Unended(Duration::from_mins(5)),
    ];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("errors.yaml");
    let results = errors.each_ref().map(|error| (vec![], Err(error.clone())));
    record(Prepared::new(results), &file, async |model| {
        for error in &errors {
            assert_eq!(answer(&model, &ask("Hi.")).await.1.as_ref(), Err(error));
        }
        Ok(())
    })
    .await;
    let replay = Cassette::replay(ScriptedModel::new(), &file).run(async |model| {
        for error in &errors {
            assert_eq!(answer(&model, &ask("Hi.")).await.1.as_ref(), Err(error));
        }
        Ok::<_, CassetteError>(())
    });
    replay.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn o3_a_run_asks_again_in_a_replay_as_it_did() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("busy.yaml");
    let busy = || (vec![text("It ")], Err(ModelError::status(503, "busy", None)));
    let results = [busy(), busy(), (vec![text("It is 42.")], Ok(ModelResponse::text("It is 42.")))];
    record(Prepared::new(results), &file, async |model| {
        Clerk::builder().model(model).run("What is 41 + 1?").await?;
        Ok(())
    })
    .await;
    let replay = Cassette::replay(ScriptedModel::new(), &file).run(async |model| {
        let clerk = Clerk::builder().model(model).build().await?;
        let mut run = clerk.stream("What is 41 + 1?");
        let mut restarts = 0;
        while let Some(event) = run.next().await {
            restarts += usize::from(matches!(event.kind, EventKind::TurnRestarted { .. }));
        }
        Ok::<_, Failure>((restarts, run.output().await?.text))
    });
    assert_eq!(replay.await.unwrap(), (2, "It is 42.".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn o3_a_request_that_was_cancelled_is_never_answered() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("silent.yaml");
    record(Prepared::default(), &file, async |model| {
        let request = ask("Hi.");
        let asked = answer(&model, &request);
        assert!(tokio::time::timeout(Duration::from_secs(1), asked).await.is_err());
        Ok(())
    })
    .await;
    let replay = Cassette::replay(script(), &file).run(async |model| {
        let request = ask("Hi.");
        let asked = answer(&model, &request);
        assert!(tokio::time::timeout(Duration::from_secs(1), asked).await.is_err());
        Ok::<_, CassetteError>(())
    });
    replay.await.unwrap();
    assert!(std::fs::read_to_string(&file).unwrap().contains("cancelled: true"));
}

#[tokio::test]
async fn o3_a_request_that_runs_at_the_end_of_its_test_is_not_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("running.yaml");
    let recorded = Cassette::record(Prepared::default(), &file).run(async |model| {
        let asked = tokio::spawn(async move { answer(&model, &ask("Hi.")).await });
        tokio::task::yield_now().await;
        assert!(!asked.is_finished());
        Ok::<_, CassetteError>(())
    });
    let error = recorded.await.unwrap_err();
    assert!(matches!(&error, CassetteError::Unanswered { entries, .. } if *entries == [1]), "{error}");
    assert!(!file.exists());
}

#[tokio::test]
async fn o3_equal_requests_are_answered_in_recorded_order() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("equal.yaml");
    let says = |text: &str| (vec![], Ok(ModelResponse::text(text)));
    record(Prepared::new([says("one"), says("two"), says("other"), says("three")]), &file, async |model| {
        for text in ["same", "same", "another", "same"] {
            answer(&model, &ask(text)).await.1?;
        }
        Ok(())
    })
    .await;
    let replay = Cassette::replay(ScriptedModel::new(), &file).run(async |model| {
        let mut texts = Vec::new();
        for text in ["another", "same", "same", "same"] {
            texts.push(answer(&model, &ask(text)).await.1?.text);
        }
        Ok::<_, Failure>(texts)
    });
    assert_eq!(replay.await.unwrap(), ["other", "one", "two", "three"]);

    let error = replay_error(&file, async |model| {
        for _ in 0..4 {
            answer(&model, &ask("same")).await.1?;
        }
        Ok(())
    })
    .await;
    assert!(matches!(error, CassetteError::Repeated { entry: 1, recorded: 3, .. }), "{error}");
}

agent! {
    City { name: "city", description: "Knows a city.", instruction: "Answer." }
    Guide { name: "guide", instruction: "Ask for all cities.", agents: [City] }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn o3_children_in_parallel_get_the_answers_to_their_own_requests() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cities.yaml");
    let ask_all = (0..40).fold(ScriptedTurn::default(), |turn, city| {
        turn.and_call("agent__city", json!({ "input": format!("City {city}?") }))
    });
    let model = ScriptedModel::new()
        .agent("guide", [ask_all, ScriptedTurn::say("{last}")])
        .agent("city", [ScriptedTurn::say("Answer to {input}")]);
    let recorded = Cassette::record(model, &file)
        .run(async |model| Ok::<_, Failure>(Guide::builder().model_for_all(model).run("Go.").await?.text));
    let recorded = recorded.await.unwrap();
    assert!(recorded.contains("Answer to City 39?"), "{recorded}");
    for _ in 0..5 {
        let replayed = Cassette::replay(ScriptedModel::new(), &file).run(async |model| {
            Ok::<_, Failure>(Guide::builder().model_for_all(model).run("Go.").await?.text)
        });
        assert_eq!(replayed.await.unwrap(), recorded);
    }
}

#[tokio::test]
async fn o3_a_child_whose_request_was_not_recorded_ends_the_whole_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("child.yaml");
    let turns = [ScriptedTurn::call("agent__city", json!({ "input": "Rome?" })), ScriptedTurn::say("{last}")];
    let model = ScriptedModel::new().agent("guide", turns).agent("city", [ScriptedTurn::say("Warm.")]);
    record(model, &file, async |model| {
        Guide::builder().model_for_all(model).run("Go.").await?;
        Ok(())
    })
    .await;
    let written = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, written.replace("text: Rome?", "text: Paris?")).unwrap();
    let error = replay_error(&file, async |model| {
        let error = Guide::builder().model_for_all(model).run("Go.").await.unwrap_err();
        assert!(matches!(error, RunError::Model { source: ModelError::Script(_), .. }), "{error}");
        // The test's own result does not hide it.
        Ok(())
    })
    .await;
    assert!(error.to_string().contains("recorded:  Paris?\n    requested: Rome?"), "{error}");
}

#[tokio::test]
async fn o3_after_the_test_its_model_fails() {
    let folder = tempfile::tempdir().unwrap();
    let cassette = Cassette::record(script(), folder.path().join("escaped.yaml"));
    let model = cassette.run(async |model| Ok::<_, CassetteError>(model)).await.unwrap();
    let error = answer(&model, &ask("Hi.")).await.1.unwrap_err();
    assert!(error.to_string().contains("is over"), "{error}");
    assert!(model.check(None).is_ok());
}

agent! { Visitor { name: "visitor", instruction: "Greet." } }

#[tokio::test]
async fn o3_secrets_of_the_session_are_not_in_requests_of_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("visitor.yaml");
    let secret = Secret::new("hunter2-hunter2".to_owned());
    let model = || ScriptedModel::turns([ScriptedTurn::say("Hello.")]);
    record(model(), &file, async |model| {
        let visitor = Visitor::builder().model(model).conceal(&secret).build().await?;
        visitor.run("My password is hunter2-hunter2").await?;
        Ok(())
    })
    .await;
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(!written.contains("hunter2") && written.contains("My password is ["), "{written}");
    // The masked request is the same in a replay.
    let replay = Cassette::replay(model(), &file).run(async |model| {
        let visitor = Visitor::builder().model(model).conceal(&secret).build().await?;
        Ok::<_, Failure>(visitor.run("My password is hunter2-hunter2").await?.text)
    });
    assert_eq!(replay.await.unwrap(), "Hello.");
}
