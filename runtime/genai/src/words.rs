//! What the body of an error says.

use std::borrow::Cow;

use serde_json::Value;

/// The words of an error: the sentence in its body, with those of the provider behind a gateway.
pub(crate) fn words(body: &Value) -> Option<Cow<'_, str>> {
    let own = sentence(body)?;
    let Some((name, raw)) = behind_gateway(body) else { return Some(own.into()) };
    let parsed = parsed(raw);
    let said = sentence(&parsed).unwrap_or(raw);
    Some(format!("{own}: {name}: {said}").into())
}

/// Whether an error, or the one behind a gateway, has one of these codes.
pub(crate) fn has_code(body: &Value, codes: &[&str]) -> bool {
    let behind = behind_gateway(body).map(|(_, raw)| parsed(raw));
    [Some(body), behind.as_ref()].into_iter().flatten().any(|body| {
        let texts = ["/error/code", "/error/type"].iter().filter_map(|path| body.pointer(path)?.as_str());
        texts.into_iter().any(|code| codes.contains(&code))
    })
}

/// The provider behind a gateway, and the text of its error. `OpenRouter` has them beside words of its own, which say nothing.
fn behind_gateway(body: &Value) -> Option<(&str, &str)> {
    let behind = body.pointer("/error/metadata")?;
    let raw = behind.get("raw")?.as_str().filter(|raw| !raw.trim().is_empty())?;
    Some((behind.get("provider_name").and_then(Value::as_str).unwrap_or("its provider"), raw))
}

fn parsed(raw: &str) -> Value {
    serde_json::from_str(raw).unwrap_or_default()
}

fn sentence(body: &Value) -> Option<&str> {
    let body = body.get(0).unwrap_or(body);
    ["/error/message", "/message", "/error", "/detail"].iter().find_map(|path| body.pointer(path)?.as_str())
}
