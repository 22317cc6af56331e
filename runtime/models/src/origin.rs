//! Data of a provider goes back only to that provider, in a conversation that several models answer.

use std::borrow::Cow;

use onionskin_core::model::{History, Message, ModelRequest, ModelResponse};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The data of an answer, with the provider that they are from.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Marked {
    answered_by: String,
    provider_data: Value,
}

/// Notes the provider of an answer.
pub(crate) fn mark(response: &mut ModelResponse, provider: &str) -> serde_json::Result<()> {
    if let Some(provider_data) = response.provider_data.take() {
        let marked = Marked { answered_by: provider.to_owned(), provider_data };
        response.provider_data = Some(serde_json::to_value(marked)?);
    }
    Ok(())
}

/// The request as this provider may see it: without the data of others, and without data whose origin is unknown.
pub(crate) fn for_provider<'r>(request: &'r ModelRequest, provider: &str) -> Cow<'r, ModelRequest> {
    let has_data = |message: &Message| matches!(message, Message::Assistant { provider_data: Some(_), .. });
    if !request.messages.iter().any(has_data) {
        return Cow::Borrowed(request);
    }
    let messages = request.messages.iter().cloned().map(|mut message| {
        if let Message::Assistant { provider_data, .. } = &mut message {
            let marked = provider_data.take().and_then(|data| serde_json::from_value::<Marked>(data).ok());
            *provider_data =
                marked.filter(|marked| marked.answered_by == provider).map(|marked| marked.provider_data);
        }
        message
    });
    let messages: History = messages.collect();
    let mut request = request.clone();
    request.messages = messages;
    Cow::Owned(request)
}
