//! Requests that differ from the recorded ones.

use onionskin::model::{ModelRequest, ToolDeclaration};
use onionskin::models::{CassetteError, Difference};
use onionskin::{ScriptedModel, ScriptedTurn, ToolDefinition};
use serde_json::json;

use super::support::{Clerk, answer, ask, record, replay_error, script};

fn tool(name: &str, about: &str) -> ToolDeclaration {
    let schema =
        json!({ "type": "object", "properties": { "x": { "type": "integer", "description": about } } });
    ToolDeclaration::new(name, &ToolDefinition::new(name, "Adds.").with_input_schema(schema))
}

fn request() -> ModelRequest {
    ask("What is 41 + 1?")
        .with_system("Do sums.\nBe brief.\nBe kind.")
        .with_tools([tool("add_one", "A number."), tool("halve", "A number.")])
}

/// The differences between [`request`], which is recorded, and this request.
async fn differences(requested: &ModelRequest) -> (Vec<Difference>, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("differs.yaml");
    record(ScriptedModel::turns([ScriptedTurn::say("42.")]), &file, async |model| {
        answer(&model, &request()).await.1?;
        Ok(())
    })
    .await;
    let error = replay_error(&file, async |model| {
        answer(&model, requested).await.1?;
        Ok(())
    })
    .await;
    let text = error.to_string();
    let CassetteError::Different { entry: 1, differences, .. } = error else { panic!("{text}") };
    (differences, text)
}

#[tokio::test]
async fn o3_a_difference_has_its_path_and_both_values() {
    let mut params = request();
    params.params.temperature = Some(0.5);
    let mut longer = request();
    longer.messages.push(onionskin::model::Message::assistant("Yes."));
    let cases = [
        (
            ask("What is 41 + 2?")
                .with_system("Do sums.\nBe brief.\nBe kind.")
                .with_tools(request().tools.to_vec()),
            "messages[0].content[0].text",
            Some("What is 41 + 1?"),
            Some("What is 41 + 2?"),
        ),
        (
            request().with_tools([tool("add_one", "An integer."), tool("halve", "A number.")]),
            "tools[add_one].input_schema.properties.x.description",
            Some("A number."),
            Some("An integer."),
        ),
        (
            request().with_tools([tool("add_one", "A number.")]),
            "tools",
            Some("add_one, halve"),
            Some("add_one"),
        ),
        (
            request().with_tools([tool("halve", "A number."), tool("add_one", "A number.")]),
            "tools",
            Some("add_one, halve"),
            Some("halve, add_one"),
        ),
        (
            request().with_system("Do sums.\nBe long.\nBe kind."),
            "system",
            Some("Be brief."),
            Some("Be long."),
        ),
        (
            request().with_system("Do sums.\nBe brief.\n Be kind."),
            "system",
            Some("Be kind."),
            Some(" Be kind."),
        ),
        (
            request().with_system("Do sums.\nBe brief.\nBe kind.\n"),
            "system",
            Some("\"Be kind.\""),
            Some("\"Be kind.\\n\""),
        ),
        (request().with_system("Do sums."), "system", Some("\"Do sums.\\n\""), Some("\"Do sums.\"")),
        (request().with_model("large"), "model", None, Some("large")),
        (request().with_agent("other"), "agent", Some("agent"), Some("other")),
        (params, "params", None, Some(r#"{"temperature":0.5}"#)),
        (longer, "messages[1]", None, Some(r#"{"role":"assistant","text":"Yes."}"#)),
    ];
    for (requested, path, recorded, now) in cases {
        let (differences, text) = differences(&requested).await;
        let [difference] = &differences[..] else { panic!("{text}") };
        let Difference { path: of, recorded: one, requested: other, .. } = difference;
        assert_eq!((&**of, one.as_deref(), other.as_deref()), (path, recorded, now), "{text}");
        assert!(text.contains(path) && text.contains("ONIONSKIN_RECORD=1"), "{text}");
    }
}

#[tokio::test]
async fn o3_the_message_of_a_difference_is_short_and_names_the_line() {
    let (_, text) = differences(&request().with_system("Do sums.\nBe long.\nBe kind.")).await;
    assert!(text.contains("  system, line 2\n    recorded:  Be brief.\n    requested: Be long."), "{text}");
    let long = |end: &str| ask(&format!("{}{end}", "word ".repeat(1000)));
    let (_, text) = differences(&long("a")).await;
    assert!(text.len() < 1500, "{text}");
    let many: Vec<_> = (0..20).map(|message| onionskin::model::Message::user(message.to_string())).collect();
    let (all, text) = differences(&ModelRequest::new(many)).await;
    assert!(all.len() > 20 && text.contains("more\nIf the change"), "{text}");
}

#[tokio::test]
async fn o3_a_test_that_returns_the_error_shows_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let missing = replay_error(&folder.path().join("none.yaml"), async |_| panic!("no test runs")).await;
    assert_eq!(format!("{missing:?}"), missing.to_string());
}

#[tokio::test]
async fn o3_the_nearest_entry_is_the_one_that_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("clerk.yaml");
    record(script(), &file, async |model| {
        Clerk::builder().model(model).run("What is 41 + 1?").await?;
        Ok(())
    })
    .await;
    let written = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, written.replace("text: \"42\"", "text: \"43\"")).unwrap();
    let error = replay_error(&file, async |model| {
        Clerk::builder().model(model).run("What is 41 + 1?").await?;
        Ok(())
    })
    .await;
    let text = error.to_string();
    let CassetteError::Different { entry: 2, differences, .. } = error else { panic!("{text}") };
    assert_eq!(differences.len(), 1, "{text}");
    assert_eq!(differences[0].path, "messages[2].results[0].content[0].text");
}

#[tokio::test]
async fn o3_entries_that_are_not_played_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("three.yaml");
    let says = ScriptedModel::turns([ScriptedTurn::say("Yes.")]);
    record(says, &file, async |model| {
        for text in ["one", "two", "three"] {
            answer(&model, &ask(text)).await.1?;
        }
        Ok(())
    })
    .await;
    let error = replay_error(&file, async |model| {
        answer(&model, &ask("two")).await.1?;
        Ok(())
    })
    .await;
    let text = error.to_string();
    let CassetteError::Unplayed { entries, .. } = error else { panic!("{text}") };
    assert_eq!(entries, [1, 3]);
    assert!(text.contains(": 1, 3. "), "{text}");

    let error = replay_error(&file, async |model| {
        for text in ["one", "two", "three", "four"] {
            answer(&model, &ask(text)).await.1?;
        }
        Ok(())
    })
    .await;
    assert!(matches!(error, CassetteError::Exhausted { entries: 3, .. }), "{error}");
}
