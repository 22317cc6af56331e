//! Requests with the token of a login.

use std::sync::Arc;

use reqwest::header::{HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Response, StatusCode};

use crate::auth::Authority;
use crate::http_error::HttpError;
use crate::visible::visible;
use onionskin_core::secret::Secret;

/// Sends a request with the token of the login, if there is one: once more with another token if the server refuses the first, which then
/// had no effect.
///
/// # Errors
/// Returns also that a person has to log in.
pub(super) async fn send<F: Future<Output = Result<Response, HttpError>>>(
    login: &Arc<Authority>,
    send: impl Fn(Option<HeaderValue>) -> F,
) -> Result<Response, HttpError> {
    let token = login.token().await?;
    let mut response = send(token.as_ref().map(header).transpose()?).await?;
    if response.status() == StatusCode::UNAUTHORIZED
        && let Some(token) = &token
        && let Some(fresh) = login.renew(token).await?
    {
        response = send(Some(header(&fresh)?)).await?;
    }
    match response.status() {
        StatusCode::UNAUTHORIZED => Err(login.required(challenge(&response)).await),
        StatusCode::FORBIDDEN if login.lacks(challenge(&response).as_deref()).await? => {
            Err(login.required(challenge(&response)).await)
        }
        _ => Ok(response),
    }
}

fn header(token: &Secret<String>) -> Result<HeaderValue, HttpError> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose())).map_err(|_| {
        HttpError::Login { reason: "its token has characters that no header can have".to_owned() }
    })?;
    value.set_sensitive(true);
    Ok(value)
}

fn challenge(response: &Response) -> Option<String> {
    let values = response.headers().get_all(WWW_AUTHENTICATE).iter();
    let values: Vec<_> = values.filter_map(|value| Some(visible(value.to_str().ok()?))).collect();
    (!values.is_empty()).then(|| values.join(", "))
}
