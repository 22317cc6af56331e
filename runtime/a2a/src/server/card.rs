//! The card of the agent, as clients get it.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, Response, StatusCode, Uri};
use onionskin_core::declaration::AgentDescription;

use super::{CardError, Inner, REST_PATH, RPC_PATH};
use crate::wire::{
    Capabilities, Card, HttpScheme, Interface, Scopes, SecurityRequirement, SecurityScheme, Skill, VERSION,
};

const TEXT: &str = "text/plain";
pub(super) const JSON: &str = "application/json";
const BEARER: &str = "bearer";

/// The card as JSON, and its tag.
pub(super) struct PublicCard {
    json: Bytes,
    tag: String,
}

impl PublicCard {
    pub(super) fn new(
        agent: &AgentDescription,
        url: &str,
        version: String,
        skills: Vec<Skill>,
        needs_token: bool,
    ) -> Result<Self, CardError> {
        let card = make(agent, url, version, skills, needs_token)?;
        // A card has texts and lists alone, so it can be written.
        let json = serde_json::to_vec(&card).unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        json.hash(&mut hasher);
        Ok(Self { json: json.into(), tag: format!("W/\"{:016x}\"", hasher.finish()) })
    }
}

fn make(
    agent: &AgentDescription,
    url: &str,
    version: String,
    skills: Vec<Skill>,
    needs_token: bool,
) -> Result<Card, CardError> {
    let name = agent.name.clone();
    let wrong = || CardError::Url { url: url.to_owned() };
    let parsed: Uri = url.parse().map_err(|_| wrong())?;
    let is_address = matches!(parsed.scheme_str(), Some("http" | "https")) && parsed.host().is_some();
    if !is_address || parsed.query().is_some() || url.contains(['#', '@']) {
        return Err(wrong());
    }
    let base = url.trim_end_matches('/');
    let description = match &agent.description {
        Some(description) if !description.trim().is_empty() => description.clone(),
        _ => format!("The agent {name}."),
    };
    let interface = |path: &str, binding: &str| Interface {
        url: format!("{base}{path}"),
        protocol_binding: binding.to_owned(),
        protocol_version: VERSION.to_owned(),
        tenant: None,
    };
    let mut skills = skills;
    if skills.is_empty() {
        skills.push(Skill::new(&name, &name, &description));
    }
    for skill in &mut skills {
        if skill.tags.is_empty() {
            skill.tags.push(skill.id.clone());
        }
    }
    let texts = [("version", &version)].into_iter();
    let of_skills = skills.iter().flat_map(|skill| {
        let fields = [
            ("id of a skill", &skill.id),
            ("name of a skill", &skill.name),
            ("description of a skill", &skill.description),
        ];
        fields.into_iter().chain(skill.tags.iter().map(|tag| ("tag of a skill", tag)))
    });
    if let Some((field, _)) = texts.chain(of_skills).find(|(_, text)| text.trim().is_empty()) {
        return Err(CardError::Empty { agent: name, field });
    }
    let mut output_modes = vec![TEXT.to_owned()];
    if agent.answer.is_some() {
        output_modes.push(JSON.to_owned());
    }
    let (mut security_schemes, mut security_requirements) = (BTreeMap::new(), Vec::new());
    if needs_token {
        let scheme = HttpScheme { scheme: "Bearer".to_owned() };
        let scheme = SecurityScheme { http_auth_security_scheme: Some(scheme) };
        security_schemes.insert(BEARER.to_owned(), scheme);
        let schemes = BTreeMap::from([(BEARER.to_owned(), Scopes::default())]);
        security_requirements.push(SecurityRequirement { schemes });
    }
    Ok(Card {
        supported_interfaces: vec![interface(RPC_PATH, "JSONRPC"), interface(REST_PATH, "HTTP+JSON")],
        name,
        description,
        version,
        capabilities: Capabilities { streaming: true, push_notifications: false },
        security_schemes,
        security_requirements,
        default_input_modes: vec![TEXT.to_owned(), JSON.to_owned()],
        default_output_modes: output_modes,
        skills,
    })
}

/// `GET /.well-known/agent-card.json`.
pub(super) async fn serve(State(server): State<Arc<Inner>>, headers: HeaderMap) -> Response<Body> {
    let PublicCard { json, tag } = &server.card;
    let known = headers.get(IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    let is_known = known.is_some_and(|tags| tags.split(',').any(|known| known.trim() == tag));
    let (status, body) = if is_known {
        (StatusCode::NOT_MODIFIED, Body::empty())
    } else {
        (StatusCode::OK, Body::from(json.clone()))
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, super::http::static_value(JSON));
    headers.insert(CACHE_CONTROL, super::http::static_value("public, max-age=300"));
    if let Ok(tag) = tag.parse() {
        headers.insert(ETAG, tag);
    }
    response
}
