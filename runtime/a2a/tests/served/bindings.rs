//! What both bindings have.

use serde_json::{Value, json};

use crate::client::{answer, both, message, reply, state, words};
use crate::serve_asker;

#[tokio::test]
async fn o6_a_card_names_the_agent_its_skills_and_both_interfaces() {
    let url = serve_asker().await;
    let client = &both(&url)[0];
    let path = format!("{url}/.well-known/agent-card.json");
    let response = client.http.get(&path).send().await.unwrap();
    let tag = response.headers()["etag"].clone();
    let card: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    assert_eq!((&card["name"], &card["version"]), (&json!("Asker"), &json!("1.0.0")));
    assert_eq!(card["description"], "Asks for a colour, then names it.");
    let interfaces = card["supportedInterfaces"].as_array().unwrap();
    let found: Vec<_> =
        interfaces.iter().map(|one| (one["url"].as_str().unwrap(), &one["protocolBinding"])).collect();
    let expected = [(format!("{url}/a2a"), "JSONRPC"), (format!("{url}/a2a/rest"), "HTTP+JSON")];
    for ((url, binding), (expected_url, expected)) in found.into_iter().zip(expected) {
        assert_eq!((url, binding), (&*expected_url, &json!(expected)));
    }
    assert_eq!(card["capabilities"], json!({ "streaming": true, "pushNotifications": false }));
    assert_eq!((&card["skills"][0]["id"], &card["skills"][0]["tags"]), (&json!("Asker"), &json!(["Asker"])));
    let again = client.http.get(&path).header("if-none-match", tag).send().await.unwrap();
    assert_eq!(again.status(), 304);
}

#[tokio::test]
async fn o6_a_question_makes_a_task_that_waits_and_a_message_answers_it() {
    let url = serve_asker().await;
    for client in both(&url) {
        let asked = client.send(message("Paint it")).await.unwrap();
        assert_eq!(state(&asked), "INPUT_REQUIRED");
        let question = &asked["status"]["message"];
        assert_eq!(
            (&question["role"], &question["parts"][0]["text"]),
            (&json!("ROLE_AGENT"), &json!("Which colour?"))
        );
        let data = &question["parts"][1]["data"]["questions"][0];
        assert_eq!(
            (&data["kind"], &data["tool"], &data["schema"]["type"]),
            (&json!("question"), &json!("choose"), &json!("string"))
        );
        assert_eq!(client.get(&asked).await.unwrap()["status"], asked["status"]);

        // The context is known by the task.
        let done = client.send(reply(&asked, "red")).await.unwrap();
        assert_eq!((state(&done), answer(&done)), ("COMPLETED", "You chose red."));
        assert_eq!((&done["id"], &done["contextId"]), (&asked["id"], &asked["contextId"]));
        let roles: Vec<_> =
            done["history"].as_array().unwrap().iter().map(|message| &message["role"]).collect();
        assert_eq!(roles, ["ROLE_USER", "ROLE_AGENT", "ROLE_USER"]);
        let none = client.get_with(&done, Some(0)).await.unwrap();
        assert!(none.get("history").is_none(), "{none}");
        let newest = client.get_with(&done, Some(1)).await.unwrap();
        assert_eq!(newest["history"].as_array().unwrap().len(), 1);
        assert_eq!(newest["history"][0]["parts"][0]["text"], "red");
        assert_eq!(client.get_with(&done, Some(-1)).await.unwrap_err().1, "INVALID_PARAMS");
    }
}

#[tokio::test]
async fn o6_a_value_answers_a_question_by_its_key() {
    let url = serve_asker().await;
    for client in both(&url) {
        let asked = client.send(message("Paint it")).await.unwrap();
        let key = asked["status"]["message"]["parts"][1]["data"]["questions"][0]["key"].as_str().unwrap();
        let mut answers = reply(&asked, "");
        answers["parts"] = json!([{ "data": { "answers": { (key): "blue" } } }]);
        assert_eq!(answer(&client.send(answers).await.unwrap()), "You chose blue.");
    }
}

#[tokio::test]
async fn o6_an_approval_shows_the_call_and_a_wrong_answer_asks_again() {
    let url = serve_asker().await;
    for client in both(&url) {
        let asked = client.send(message("pay")).await.unwrap();
        let question = &asked["status"]["message"]["parts"];
        assert!(question[0]["text"].as_str().unwrap().contains(r#"pay {"cents":5}"#), "{question}");
        assert_eq!(
            (&question[1]["data"]["questions"][0]["kind"], &question[1]["data"]["questions"][0]["arguments"]),
            (&json!("approval"), &json!({ "cents": 5 }))
        );

        let again = client.send(reply(&asked, "perhaps")).await.unwrap();
        assert_eq!(state(&again), "INPUT_REQUIRED");
        let parts = &again["status"]["message"]["parts"];
        assert!(parts[0]["text"].as_str().unwrap().starts_with("Write y, a or n."), "{parts}");
        assert_eq!(parts[2]["data"], question[1]["data"]);
        let mut wrong = reply(&asked, "");
        wrong["parts"] = json!([{ "data": { "answers": { "nothing": true } } }]);
        let again = client.send(wrong).await.unwrap();
        let text = again["status"]["message"]["parts"][0]["text"].as_str().unwrap();
        assert!(text.contains("no open question `nothing`"), "{text}");
        let streamed = client.stream(reply(&asked, "perhaps")).await.unwrap().all().await;
        assert_eq!(words(&streamed), ["task:INPUT_REQUIRED"]);

        let mut yes = reply(&asked, "");
        yes["parts"] = json!([{ "data": true }]);
        assert_eq!(answer(&client.send(yes).await.unwrap()), "You chose paid 5.");
    }
}

#[tokio::test]
async fn o6_a_stream_has_the_task_then_pieces_then_the_end() {
    let url = serve_asker().await;
    for client in both(&url) {
        let events = client.stream(message("stream three words")).await.unwrap().all().await;
        let kinds = words(&events);
        assert_eq!(kinds[..2], ["task:SUBMITTED", "status:WORKING"]);
        assert_eq!(kinds.last().unwrap(), "status:COMPLETED");
        let pieces: Vec<_> = events.iter().filter(|event| event["artifactUpdate"].is_object()).collect();
        assert_eq!(pieces.len(), kinds.len() - 3, "{kinds:?}");
        let text = |event: &&Value| {
            event["artifactUpdate"]["artifact"]["parts"][0]["text"].as_str().unwrap().to_owned()
        };
        assert_eq!(pieces.iter().map(text).collect::<String>(), "one two three");
        assert!(pieces.len() > 1, "{events:?}");
        assert!(pieces[0]["artifactUpdate"].get("append").is_none(), "{events:?}");
        assert!(pieces[1..].iter().all(|piece| piece["artifactUpdate"]["append"] == true), "{events:?}");
        // The task has the pieces as one part.
        let task = client.get(&events[0]["task"]).await.unwrap();
        assert_eq!(task["artifacts"][0]["parts"], json!([{ "text": "one two three" }]));

        let asked = client.stream(message("Paint it")).await.unwrap().all().await;
        assert_eq!(words(&asked), ["task:SUBMITTED", "status:WORKING", "status:INPUT_REQUIRED"]);
        let answered = client.stream(reply(&asked[0]["task"], "red")).await.unwrap().all().await;
        let kinds = words(&answered);
        assert_eq!((&*kinds[0], &**kinds.last().unwrap()), ("task:WORKING", "status:COMPLETED"));
    }
}

#[tokio::test]
async fn o6_a_subscription_begins_with_the_task_and_ends_with_it() {
    let url = serve_asker().await;
    for client in both(&url) {
        let task = client.begin("stream").await;
        let events = client.subscribe(&task).await.unwrap().all().await;
        let kinds = words(&events);
        assert!(kinds[0].starts_with("task:"), "{kinds:?}");
        assert_eq!(kinds.last().unwrap(), "status:COMPLETED");
        assert_eq!(client.subscribe(&task).await.err().unwrap().1, "UNSUPPORTED_OPERATION");

        let asked = client.send(message("Paint it")).await.unwrap();
        assert_eq!(words(&client.subscribe(&asked).await.unwrap().all().await), ["task:INPUT_REQUIRED"]);
    }
}

#[tokio::test]
async fn o6_push_notifications_and_unknown_tasks_are_refused_by_name() {
    let url = serve_asker().await;
    for (client, not_found) in both(&url).into_iter().zip([200, 404]) {
        let task = client.send(message("count")).await.unwrap();
        assert_eq!(client.push(&task).await.unwrap_err().1, "PUSH_NOTIFICATION_NOT_SUPPORTED");
        let config = json!({ "taskPushNotificationConfig": { "url": "http://127.0.0.1:1/" } });
        let refused = client.send_with(message("count"), config).await.unwrap_err();
        assert_eq!(refused.1, "PUSH_NOTIFICATION_NOT_SUPPORTED");
        let unknown = json!({ "id": "unknown" });
        let expected = (not_found, "TASK_NOT_FOUND".to_owned());
        assert_eq!(client.get(&unknown).await.unwrap_err(), expected);
        assert_eq!(client.cancel(&unknown).await.unwrap_err(), expected);
        assert_eq!(client.subscribe(&unknown).await.err().unwrap(), expected);
        assert_eq!(client.send(reply(&unknown, "red")).await.unwrap_err(), expected);
    }
}
