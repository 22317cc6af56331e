//! The operations of an OpenAPI document as tools, with a server on this machine.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::sync::{Arc, Mutex};

use onionskin_core::declaration::AgentDeclaration;
use onionskin_core::definition::ToolSource;
use onionskin_core::event::CallOutcome;
use onionskin_core::secret::Secret;
use onionskin_core::{Agent, AgentHandle, Effect, ErrorKind, RunOutput};
use onionskin_third_party::{Dictated, OpenApi, OpenApiError};
use reqwest::Url;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

const DOCUMENT: &str = include_str!("../library.openapi.json");
const KEY: &str = "key-of-the-library";

struct Librarian;

impl Agent for Librarian {
    const NAME: &'static str = "librarian";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().instruction("Find books.").server("library", None)
    }
}

/// The requests that a server got: the first line, the key, and the body.
type Requests = Arc<Mutex<Vec<String>>>;

/// Answers each request with its first line, its key and its body; one for the book `lost` with a status.
async fn library() -> (Url, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1/", listener.local_addr().unwrap()).parse().unwrap();
    let requests = Requests::default();
    let seen = Arc::clone(&requests);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let seen = Arc::clone(&seen);
            tokio::spawn(async move {
                let mut text = String::new();
                loop {
                    let mut part = [0; 4096];
                    let read = stream.read(&mut part).await.unwrap();
                    text.push_str(std::str::from_utf8(&part[..read]).unwrap());
                    let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                    let field =
                        |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("none");
                    let length: usize = field("content-length: ").parse().unwrap_or(0);
                    if body.len() < length {
                        continue;
                    }
                    let line = head.lines().next().unwrap().trim_end_matches(" HTTP/1.1");
                    let told = format!("{line} {} {body}", field("x-api-key: "));
                    seen.lock().unwrap().push(told.clone());
                    let status = if line.ends_with("/lost") { "404 Not Found" } else { "200 OK" };
                    let length = told.len();
                    let answer = format!(
                        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{told}"
                    );
                    stream.write_all(answer.as_bytes()).await.unwrap();
                    return;
                }
            });
        }
    });
    (base, requests)
}

async fn librarian(base: Url) -> AgentHandle {
    let api = OpenApi::read("library.openapi.json", DOCUMENT, base).unwrap();
    let api = api.api_key(Secret::new(KEY.to_owned())).admins(["root"]);
    Librarian::builder().model(Dictated::default()).server("library", api).build().await.unwrap()
}

async fn ask(librarian: &AgentHandle, user: &str, lines: &str) -> RunOutput {
    librarian.request(lines).user(user).run().await.unwrap()
}

#[tokio::test]
async fn a4_each_operation_is_a_tool_whose_parameters_go_where_the_document_says() {
    let (base, requests) = library().await;
    let librarian = librarian(base).await;
    let lines = r#"library__find_books {"title": "a/b & c", "language": ["de", "fr"]}
library__read_book {"id": "../x y"}
library__add_book {"body": {"title": "Emma", "pages": "12"}}
library__remove_book {"id": "7"}
library__read_book {"id": "lost"}
library__read_book {"id": ".."}
library__find_books {"titel": "Emma"}"#;
    let output = ask(&librarian, "root", lines).await;
    let told: Vec<_> = output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect();
    // The server repeats the key, and no result shows it.
    let got = requests.lock().unwrap().clone();
    assert_eq!(
        got,
        [
            format!("GET /v1/books?title=a%2Fb+%26+c&language=de&language=fr {KEY} "),
            format!("GET /v1/books/..%2Fx%20y {KEY} "),
            format!(r#"POST /v1/books {KEY} {{"title":"Emma","pages":12}}"#),
            format!("DELETE /v1/books/7 {KEY} "),
            format!("GET /v1/books/lost {KEY} "),
        ]
        .map(|line| line
            .replace(r#"{"title":"Emma","pages":12}"#, &json!({ "title": "Emma", "pages": 12 }).to_string()))
    );
    assert!(told[0].starts_with("GET /v1/books?title=") && !told[0].contains(KEY), "{told:?}");
    assert_eq!(output.tool_calls[0].source, Some(ToolSource::Server));
    let failed = &output.tool_calls[4];
    assert_eq!(failed.outcome, Some(CallOutcome::Error(ErrorKind::Remote)));
    assert!(told[4].starts_with("404 Not Found: GET /v1/books/lost") && !told[4].contains(KEY), "{told:?}");
    assert_eq!(told[5], "`id` cannot be `..`");
    assert!(told[6].contains("did you mean `title`?"), "{told:?}");
}

#[tokio::test]
async fn a4_the_users_of_an_api_have_their_own_tools() {
    let (base, requests) = library().await;
    let librarian = librarian(base).await;
    let line = r#"library__remove_book {"id": "7"}"#;
    assert!(!ask(&librarian, "root", line).await.tool_calls[0].is_error());
    let refused = ask(&librarian, "guest", line).await;
    assert_eq!(refused.tool_calls[0].outcome, Some(CallOutcome::Error(ErrorKind::UnknownTool)));
    assert_eq!(requests.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a4_definitions_come_from_the_document() {
    let librarian = librarian("http://127.0.0.1:9".parse().unwrap()).await;
    let definitions = librarian.tool_definitions().unwrap();
    let of = |name: &str| definitions.iter().find(|definition| *definition.name == *name).unwrap();
    assert_eq!(definitions.len(), 4);
    let find = of("library__find_books");
    assert_eq!((&*find.description, find.effect), ("Finds books.", Effect::Pure));
    assert_eq!(find.input_schema["properties"]["language"]["items"]["enum"], json!(["de", "en", "fr"]));
    assert_eq!(find.input_schema["properties"]["title"]["description"], "A part of the title.");
    assert_eq!(find.input_schema["required"], json!(["title"]));
    let add = of("library__add_book");
    assert_eq!(
        (&add.input_schema["properties"]["body"]["required"], add.effect),
        (&json!(["title"]), Effect::Once)
    );
    assert_eq!(&*of("library__read_book").description, "Reads a book.\n\nIts first page.");
}

#[test]
fn a4_a_document_that_cannot_become_tools_is_an_error_that_names_file_and_place() {
    let changed = |pointer: &str, value: Value| {
        let mut document: Value = serde_json::from_str(DOCUMENT).unwrap();
        *document.pointer_mut(pointer).unwrap() = value;
        document.to_string()
    };
    let elsewhere = json!({ "$ref": "books.json#/Book" });
    let itself = json!({ "type": "array", "items": { "$ref": "#/components/schemas/Book" } });
    for (document, text) in [
        ("{".to_owned(), "library.json: EOF while parsing an object at line 1 column 1"),
        ("{}".to_owned(), "library.json#/paths: there are no paths"),
        (
            changed("/paths/~1books/get/operationId", Value::Null),
            "library.json#/paths/~1books/get: the operation has no `operationId`",
        ),
        (
            changed("/paths/~1books/get/operationId", json!("add_book")),
            "library.json#/paths/~1books/post: a second operation is called `add_book`",
        ),
        (
            changed("/components/schemas/Book/properties/language", elsewhere),
            "library.json#/components/schemas/Book/properties/language: `books.json#/Book` is not in this document; copy it \
             into `components`",
        ),
        (
            changed("/components/schemas/Book/properties/pages", itself),
            "library.json#/components/schemas/Book/properties/pages/items: `#/components/schemas/Book` contains itself, \
             which has no end here",
        ),
        (
            changed("/paths/~1books~1{id}/parameters", json!([])),
            "library.json#/paths/~1books~1{id}/get: the path names `id`, which is not a parameter",
        ),
        (
            changed("/paths/~1books~1{id}/parameters/0/in", json!("header")),
            "library.json#/paths/~1books~1{id}/parameters/0: a required parameter has to be in the path or in the query",
        ),
        (
            changed("/paths/~1books/get/parameters/0/in", json!("cookie")),
            "library.json#/paths/~1books/get/parameters/0: a required parameter has to be in the path or in the query",
        ),
    ] {
        let error =
            OpenApi::read("library.json", &document, "http://127.0.0.1".parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), text);
        assert!(matches!(error, OpenApiError::Json { .. } | OpenApiError::Place { .. }));
    }
}
