//! Cards of addresses, from a server on this machine that may be hostile.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use onionskin::loader::{CardLoader, CardUrls, LoadError, LoadedCards, MistakeKind, Registry, WatchedCards};
use onionskin::{App, ScriptedModel};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::folder;
use super::parts::{Helper, add_one};

const CARD: &str = "---\ndescription: Reports.\ndefault: true\nservers: []\ntool_hooks: [\"::onionskin::hooks::log\"]\n---\nReport.\n";

/// A server of one answer for each path.
struct Server {
    address: String,
    requests: Arc<AtomicUsize>,
}

impl Server {
    async fn start(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let (counted, answer) = (Arc::clone(&requests), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(serve(stream, Arc::clone(&answer)));
            }
        });
        Self { address, requests }
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }
}

async fn serve(mut stream: TcpStream, answer: Arc<impl Fn(&str) -> String>) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).await.unwrap_or(0) == 0 {
            return;
        }
        request.push(byte[0]);
    }
    let request = String::from_utf8(request).unwrap();
    let path = request.split(' ').nth(1).unwrap().to_owned();
    let text = answer(if path.starts_with("/query") { &path } else { path.split('?').next().unwrap() });
    let endless = path.starts_with("/endless");
    _ = stream.write_all(text.as_bytes()).await;
    while endless && stream.write_all(&[b'a'; 4096]).await.is_ok() {}
    if path.starts_with("/slow") {
        tokio::time::sleep(Duration::from_mins(1)).await;
    }
}

fn ok(kind: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn redirect(to: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}

fn loader() -> CardLoader {
    let registry = Registry::new()
        .file("tools.rs", |items| items.tool::<add_one>())
        .module("crate::tools", |items| items.tool::<add_one>().agent::<Helper>());
    CardLoader::new(registry)
        .allow_urls(CardUrls::https().loopback_http().timeout(Duration::from_millis(800)))
}

async fn load(urls: &[&str]) -> Result<LoadedCards, LoadError> {
    loader().load_with_urls(urls).await
}

/// The only mistake of an address.
async fn mistake(url: &str) -> (MistakeKind, String) {
    let error = load(&[url]).await.unwrap_err();
    let [mistake] = error.mistakes() else { panic!("{error}") };
    assert!(!error.to_string().contains("secret"), "{error}");
    (mistake.kind, mistake.to_string())
}

#[tokio::test]
async fn c3_cards_of_addresses_and_files_are_loaded_together() {
    let server = Server::start(|_| ok("text/markdown; charset=utf-8", CARD)).await;
    let folder = folder(&[("helper.yaml", "description: Helps.\ninstruction: Help.\nagents: [pmo]\n")]);
    let url = server.at("/cards/pmo.md?token=secret");
    let paths = [folder.path().to_str().unwrap(), &url, &url];
    let cards = load(&paths).await.unwrap();
    assert_eq!(cards.names().collect::<Vec<_>>(), ["helper", "pmo"]);
    assert_eq!(cards.default_agent().unwrap().name(), "pmo");
    assert_eq!(server.requests.load(Ordering::Relaxed), 1);
    let dumped = cards.dump();
    assert!(dumped[1].file.ends_with("/cards/pmo.md") && !dumped[1].file.contains("secret"), "{dumped:?}");
}

#[tokio::test]
async fn c3_addresses_that_differ_in_their_queries_are_two_cards() {
    let server = Server::start(|path| {
        let name = path.rsplit('=').next().unwrap();
        ok("text/markdown", &format!("---\nname: {name}\n---\nI am {name}.\n"))
    })
    .await;
    let (alpha, beta) = (server.at("/query.md?name=alpha"), server.at("/query.md?name=beta"));
    let cards = load(&[&alpha, &beta]).await.unwrap();
    assert_eq!(cards.names().collect::<Vec<_>>(), ["alpha", "beta"]);
    let app =
        cards.add_to(App::builder()).entry("alpha").model(ScriptedModel::turns([])).build().await.unwrap();
    for name in ["alpha", "beta"] {
        let prompt = app.agent(name).unwrap().system_prompt().await.unwrap();
        assert_eq!(prompt.as_deref(), Some(&*format!("I am {name}.")));
    }
}

#[tokio::test]
async fn c3_an_address_is_fetched_only_where_the_program_allows_it() {
    let server = Server::start(|_| ok("text/plain", CARD)).await;
    let url = server.at("/pmo.md");
    let kinds = |error: &LoadError| error.mistakes().iter().map(|mistake| mistake.kind).collect::<Vec<_>>();
    for error in [
        CardLoader::new(Registry::new()).load([&url]).unwrap_err(),
        CardLoader::new(Registry::new()).load_with_urls([&url]).await.unwrap_err(),
        loader().load([&url]).unwrap_err(),
        CardLoader::new(Registry::new())
            .allow_urls(CardUrls::https())
            .load_with_urls([&url])
            .await
            .unwrap_err(),
    ] {
        assert_eq!(kinds(&error), [MistakeKind::Address], "{error}");
    }
    let error = CardLoader::new(Registry::new()).load_with_urls([&url]).await.unwrap_err();
    assert!(error.to_string().contains("call `.allow_urls(CardUrls::https())`"), "{error}");
    let error = loader().load([&url]).unwrap_err();
    assert!(error.to_string().contains("`load` reads files: call `load_with_urls`"), "{error}");
    for scheme in ["http:", "http:/", "http:\\\\", "HTTP:"] {
        let url = format!("{}?x=://", server.at("/a.md").replace("http://", scheme));
        let (kind, said) = mistake(&url).await;
        assert!(kind == MistakeKind::Address && said.contains("this is not an address"), "{url}: {said}");
    }
    assert_eq!(server.requests.load(Ordering::Relaxed), 0);
    for (url, reason) in [
        ("ftp://example.com/pmo.md", "cards come over `https`, and not over `ftp`"),
        ("file:///etc/passwd", "cards come over `https`, and not over `file`"),
        ("http://example.com/a.md", "others could change what comes over plain HTTP: use `https`"),
        ("http://127.0.0.1.example.com/a.md", "others could change what comes over plain HTTP: use `https`"),
        (
            "https://user:secret@example.com/a.md?key=secret#secret",
            "an address with a user name or a password is not fetched",
        ),
        ("https://", "this is not an address"),
        ("https:example.com/a.md?x=://", "this is not an address"),
        ("https:/example.com/a.md?x=://", "this is not an address"),
        ("https:\\\\example.com/a.md?x=://", "this is not an address"),
        (
            "https://user:secret/secret@example.com/a.md",
            "https://example.com/a.md:1:1: this is not an address",
        ),
        (
            "https://user:secret?secret#secret@example.com/a.md",
            "https://example.com/a.md:1:1: this is not an address",
        ),
        (
            "https://user:secret\\secret@example.com/a.md",
            "https://example.com/a.md:1:1: this is not an address",
        ),
        // The host is what is before the backslash.
        (
            "http://127.0.0.1\\@example.com/card.md",
            "http://127.0.0.1/@example.com/card.md:1:1: this is not an address",
        ),
        ("https://example.com/a\n.md", "this is not an address"),
    ] {
        let (kind, said) = mistake(url).await;
        assert_eq!(kind, MistakeKind::Address);
        assert!(said.contains(reason), "{said}");
    }
}

#[tokio::test]
async fn c3_a_card_of_an_address_names_no_functions_and_no_built_in_tools() {
    let card = "---\ndescription: D.\nfunction_tools: [tools.rs:add_one, \"crate::tools::add_one\", t.rhai:f]\ntool_hooks: [hooks.rhai:a]\n\
                state: s.rs:S\nruntime: [shell.execute]\nagents: [\"crate::tools::Helper\"]\nservers: [web]\n\
                headers: { web: { Authorization: \"{session_state.token}\" } }\n---\nAct.\n";
    let server = Server::start(move |_| ok("text/plain", card)).await;
    let error = load(&[&server.at("/a.md?secret")]).await.unwrap_err();
    let places: Vec<_> = error.mistakes().iter().map(|mistake| (mistake.kind, mistake.line)).collect();
    assert_eq!(places, [3, 3, 3, 4, 5, 6, 7, 9].map(|line| (MistakeKind::Address, line)), "{error}");
    assert!(
        error.mistakes()[0].message.starts_with("a card of an address names no functions and types"),
        "{error}"
    );
    assert!(!error.to_string().contains("?secret"), "{error}");
}

#[tokio::test]
async fn c3_a_hostile_server_gives_an_error_within_the_time() {
    let server = Server::start(|path| match path {
        "/endless.md" => {
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n".to_owned()
        }
        "/slow.md" | "/short.md" => "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n---".to_owned(),
        "/slow-headers.md" => "HTTP/1.1 200 OK\r\n".to_owned(),
        "/garbage.md" => "\u{0}\u{1}not HTTP\r\n\r\n".to_owned(),
        "/loop.md" => redirect("/loop.md?key=secret"),
        "/away.md" => redirect("http://example.com/a.md?key=secret"),
        "/file.md" => redirect("file:///etc/passwd"),
        "/user.md" => redirect("https://user:secret@example.com/a.md"),
        "/data.md" => redirect("data:text/plain,secret://secret"),
        "/nowhere.md" => redirect("http://[::"),
        "/html.md" => ok("text/html", "<html>"),
        "/image.md" => ok("image/png", "png"),
        "/gone.md" => "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned(),
        "/none.md" => "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
        _ => ok("text/plain", CARD),
    })
    .await;
    let begin = Instant::now();
    for (path, reason) in [
        ("/endless.md", "a card must have at most 1048576 bytes; this one has more"),
        ("/slow.md", "the card was not there within 800ms"),
        ("/slow-headers.md", "the card was not there within 800ms"),
        ("/short.md", "the answer breaks off"),
        ("/garbage.md", "the server cannot be reached: invalid HTTP version parsed"),
        ("/loop.md", "the server redirects more than 5 times"),
        ("/away.md", "the server redirects to `http://example.com/a.md`: others could change"),
        ("/file.md", "the server redirects to `file:///etc/passwd`: cards come over `https`"),
        ("/user.md", "the server redirects to `https://example.com/a.md`: an address with a user name"),
        ("/data.md", "the server redirects to `data:`: cards come over `https`, and not over `data`"),
        ("/nowhere.md", "the server redirects to an address that cannot be read"),
        ("/html.md", "the server gives `text/html`, and a card is Markdown or YAML"),
        ("/image.md", "the server gives `image/png`"),
        ("/gone.md", "the server answers with the status 404"),
        ("/none.md", "the server answers with the status 204"),
    ] {
        let (kind, said) = mistake(&server.at(&format!("{path}?token=secret"))).await;
        assert_eq!(kind, MistakeKind::Address, "{said}");
        assert!(said.contains(&format!("{path}:1:1: {reason}")), "{said}");
    }
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());

    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (_, said) = mistake(&format!("http://{closed}/a.md?token=secret")).await;
    let reason = "/a.md:1:1: the server cannot be reached: Connection refused";
    assert!(said.contains(reason) && !said.contains("secret"), "{said}");
}

#[tokio::test]
async fn c3_a_mistake_in_a_card_of_an_address_has_its_place() {
    let server = Server::start(|path| match path {
        "/a.md" => ok("text/plain", "---\nmodle: x\n---\nA.\n"),
        "/moved.md" => redirect("/a.md"),
        _ => ok("text/plain", "A."),
    })
    .await;
    let (kind, said) = mistake(&server.at("/moved.md")).await;
    assert_eq!(kind, MistakeKind::Format);
    assert!(said.ends_with("/moved.md:2:1: unknown field `modle`; did you mean `model`?"), "{said}");
    let (kind, said) = mistake(&server.at("/pmo")).await;
    assert_eq!(kind, MistakeKind::Format);
    assert!(said.contains("a card must be a file with the ending `.md`, `.yaml` or `.yml`"), "{said}");
}

/// Watches a card of a file and one of an address.
async fn watched(local: &Path, server: &Server) -> WatchedCards {
    let cards = [local.to_str().unwrap(), &server.at("/pmo.md")];
    let watch = loader().watch(cards, |cards| cards.add_to(App::builder()).model(ScriptedModel::turns([])));
    watch.start().await.unwrap()
}

#[tokio::test]
async fn c3_a_watched_card_of_an_address_is_fetched_at_the_start_and_by_a_reload() {
    let round = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&round);
    let server = Server::start(move |_| {
        ok(
            "text/plain",
            &CARD.replace("Report.\n", &format!("Round {}.\n", counted.fetch_add(1, Ordering::Relaxed))),
        )
    })
    .await;
    let folder = folder(&[("a.yaml", "instruction: A.\n")]);
    let local = folder.path().join("a.yaml");
    let cards = watched(&local, &server).await;
    let prompt = |app: Arc<App>| async move { app.entry().system_prompt().await.unwrap().unwrap() };
    assert!(prompt(cards.app().await).await.ends_with("Round 0."));
    fs::write(&local, "instruction: B.\n").unwrap();
    assert!(prompt(cards.app().await).await.ends_with("Round 0."));
    assert!(prompt(cards.reload().await).await.ends_with("Round 1."));
    assert_eq!(server.requests.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn c3_a_reload_without_the_card_of_an_address_keeps_its_last_good_one_for_later_changes() {
    let state = Arc::new(AtomicUsize::new(0));
    let served = Arc::clone(&state);
    let server = Server::start(move |_| match served.load(Ordering::Relaxed) {
        0 => ok("text/plain", CARD),
        1 => "HTTP/1.1 500 Broken\r\ncontent-length: 0\r\n\r\n".to_owned(),
        _ => ok("text/plain", "---\nmodle: x\n---\nReport.\n"),
    })
    .await;
    let folder = folder(&[("a.yaml", "instruction: A.\n")]);
    let local = folder.path().join("a.yaml");
    let cards = watched(&local, &server).await;
    let prompt =
        |app: Arc<App>| async move { app.agent("a").unwrap().system_prompt().await.unwrap().unwrap() };
    for (at, word) in [(1, "B."), (2, "Longer.")] {
        state.store(at, Ordering::Relaxed);
        // The change comes before the reload that fails.
        fs::write(&local, format!("instruction: {word}\n")).unwrap();
        cards.reload().await;
        assert!(cards.problem().is_some());
        let app = cards.app().await;
        assert_eq!(app.agents().collect::<Vec<_>>(), ["a", "pmo"]);
        assert_eq!(prompt(app).await, word);
        fs::write(&local, format!("instruction: {word} Again.\n")).unwrap();
        assert_eq!(prompt(cards.app().await).await, format!("{word} Again."));
        assert!(cards.problem().is_none());
    }
}

/// Reading and checking a large card takes long, and other tasks of the thread go on meanwhile.
#[tokio::test]
async fn c3_cards_are_read_on_a_thread_that_may_block() {
    let card = format!("---\n---\n{}", "Be short.\n".repeat(100_000));
    let folder = folder(&[("a.md", &card)]);
    let loader = CardLoader::new(Registry::new()).base(folder.path()).allow_urls(CardUrls::https());
    let mut load = std::pin::pin!(loader.load_with_urls(["a.md"]));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(load.as_mut().poll(&mut context).is_pending());
    assert_eq!(load.await.unwrap().agents().len(), 1);
}
