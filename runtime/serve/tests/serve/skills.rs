//! Folders of skills.

use std::fs;

use onionskin::serve::{ServeError, Server};
use serde_json::json;

use crate::lines::Lines;

const CAKE: &str = "---\nname: plum-cake\ndescription: Bakes plum cakes.\n---\n\nStone the plums.\n";

#[tokio::test]
async fn o2_a_folder_of_skills_is_listed_and_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("plum-cake/tools")).unwrap();
    fs::write(folder.path().join("plum-cake/SKILL.md"), CAKE).unwrap();
    fs::write(folder.path().join("plum-cake/tools/oven.txt"), "200 degrees").unwrap();
    let server = Server::builder("bakery", "1.2.3").skills(folder.path()).build().await.unwrap();
    let mut client = Lines::initialized(&server, json!({})).await;
    let answer = client.request("skills/list", json!({})).await;
    let skill = &answer["result"]["skills"][0];
    assert_eq!(skill["uri"], "skill://plum-cake/SKILL.md", "{answer}");
    assert_eq!(skill["frontmatter"]["description"], "Bakes plum cakes.", "{answer}");
    let listed = client.request("resources/list", json!({})).await;
    assert_eq!(listed["result"]["resources"][0]["uri"], skill["uri"], "{listed}");
    for (uri, text) in
        [("skill://plum-cake/SKILL.md", CAKE), ("skill://plum-cake/tools/oven.txt", "200 degrees")]
    {
        let answer = client.request("resources/read", json!({ "uri": uri })).await;
        assert_eq!(answer["result"]["contents"][0]["text"], text, "{answer}");
        let gotten = client.request("skills/get", json!({ "uri": "skill://plum-cake/SKILL.md" })).await;
        assert!(gotten["result"]["skill"].to_string().contains(uri), "{gotten}");
    }
    let watched = client.request("resources/subscribe", json!({ "uri": skill["uri"] })).await;
    assert!(watched["result"].is_object(), "what is listed can be watched: {watched}");
    let inside = client.request("resources/directory/read", json!({ "uri": "skill://plum-cake" })).await;
    assert!(inside["result"].to_string().contains("tools"), "{inside}");
    let answer = client.request("skills/get", json!({ "uri": 7 })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    for uri in ["skill://plum-cake/../secret", "skill://plum-cake/none.txt", "skill:///etc/passwd"] {
        let answer = client.request("resources/read", json!({ "uri": uri })).await;
        assert!(answer["error"].is_object(), "{answer}");
    }
}

#[tokio::test]
async fn o2_a_folder_without_skills_is_an_error_of_the_build() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_owned(), folder.path().join("missing")] {
        let built = Server::builder("bakery", "1.2.3").skills(&path).build().await;
        let error = built.err().unwrap();
        assert!(matches!(error, ServeError::Skills { .. }), "{error}");
    }
    // A server without skills does not have the extension.
    let server = Server::builder("bakery", "1.2.3")
        .resource(onionskin::serve::Resource::text("bakery://rules", "Rules", "None."))
        .build()
        .await
        .unwrap();
    let mut client = Lines::initialized(&server, json!({})).await;
    for (method, params) in [("skills/list", json!({})), ("skills/get", json!({ "uri": 7 }))] {
        let answer = client.request(method, params).await;
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
}
