//! Headers in cards: of compiled agents, and of loaded ones.

use std::sync::Arc;

use onionskin::loader::{MistakeKind, Registry, StateParts};
use onionskin::secret::VisitSecrets;
use onionskin::servers::{BoxError, ProviderRequest, RunHeader, ServerKind, ToolProvider, ToolServer};
use onionskin::{App, DynTool, RunContext, ScriptedModel, ScriptedTurn, Secret, ToolSpec, agent};
use serde_json::json;

use super::load;

/// Tells how many bytes the values of the headers have, which no secret hides.
struct Lengths;

impl ToolServer for Lengths {
    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        let headers = request.headers().to_vec();
        let tell = move |run: &RunContext| {
            let value = |header: &RunHeader| match header.value(run) {
                Ok(value) => format!("{}: {}", header.name(), value.expose().len()),
                Err(error) => error.to_string(),
            };
            headers.iter().map(value).collect::<Vec<_>>().join(", ")
        };
        let tell = ToolSpec::from_fn(&request.tool_name("tell"), "Tells.", move |(): (), cx| {
            let told = tell(cx.run());
            async { Ok(told) }
        });
        let tools: Vec<Arc<dyn DynTool>> = vec![Arc::new(tell)];
        Ok(Arc::new(tools))
    }

    fn kind(&self) -> ServerKind {
        ServerKind::Mcp
    }
}

const CARD: &str = "---\ndefault: true\nservers: [web]\nheaders:\n  web: { Authorization: \"Bearer {session_state.user.token}\", \
                    X-Key: \"{session_state.key}\" }\n---\nAnswer.\n";

#[tokio::test]
async fn a4_headers_of_a_loaded_card_are_secrets_of_the_session() {
    let cards = load(Registry::new(), &[("desk.md", CARD)]).unwrap();
    let turns = [ScriptedTurn::call("web__tell", json!({})), ScriptedTurn::say("{last}")];
    let app = cards.add_to(App::builder()).model(ScriptedModel::turns(turns)).server("web", Lengths);
    let app = app.build().await.unwrap();
    let session = app.session();
    session.state().set_secret("user.token", Secret::new("t0ken-of-ada".to_owned()));
    let text = app.request("Go.").session(&session).run().await.unwrap().text;
    assert_eq!(
        text,
        "authorization: 19, `key` of the session's state is not there; set it with `set_secret`"
    );
}

#[test]
fn a4_a_loaded_card_cannot_read_fields_of_the_typed_state() {
    let card = CARD.replace("session_state.user", "user").replace("default: true", "state: s.rs:Desk");
    let registry = || Registry::new().file("s.rs", |items| items.state_with::<Desk>(StateParts::visited));
    let error = load(registry(), &[("desk.md", &card)]).unwrap_err();
    let [mistake] = error.mistakes() else { panic!("{error}") };
    assert_eq!((mistake.kind, mistake.line, mistake.column), (MistakeKind::WrongKind, 5, 33));
    assert!(mistake.message.contains("`{session_state.user.token}`"), "{error}");
}

#[derive(Clone, VisitSecrets)]
struct User {
    token: Secret<String>,
}

#[derive(Clone, VisitSecrets)]
struct Desk {
    user: User,
}

agent! {
    Clerk {
        instruction: "Answer.",
        servers: [web],
        headers: { web: { Authorization: "Bearer {session_state.user.token}", "X-Key": "{session_state.key}" } },
    }
    Compiled {
        instruction: "Answer.",
        servers: [web],
        headers: { web: { Authorization: "Bearer {user.token}" } },
        state: Desk,
    }
}

#[test]
fn a4_headers_of_an_agent_in_rust_become_text_of_its_card() {
    let registry = || Registry::new().file("s.rs", |items| items.state_with::<Desk>(StateParts::visited));
    let dumped = registry().dump::<Clerk>().unwrap();
    let headers = "headers: \n  \"web\": { \"authorization\": \"Bearer {session_state.user.token}\", \"x-key\": \"{session_state.key}\" }\n";
    assert!(dumped[0].text.contains(headers), "{}", dumped[0].text);
    assert_eq!(load(Registry::new(), &[("Clerk.md", &dumped[0].text)]).unwrap().dump(), dumped);
    let error = registry().dump::<Compiled>().unwrap_err().to_string();
    assert!(
        error.contains("the header `authorization`") && error.contains("`{session_state.token}`"),
        "{error}"
    );
}
