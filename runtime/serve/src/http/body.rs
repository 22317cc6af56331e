//! Bodies of requests, read whole within a length and a time.

use std::time::Duration;

use http::StatusCode;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Body, Bytes};

use super::responses::{Refusal, refusal};

/// Reads a body.
///
/// # Errors
/// Returns the answer to a client whose body is too long, too slow, or breaks off.
pub(crate) async fn read<B>(body: B, most: usize, patience: Duration) -> Result<Bytes, Refusal>
where
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    match tokio::time::timeout(patience, Limited::new(body, most).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = format!("the request is longer than {most} bytes");
            Err(refusal(StatusCode::PAYLOAD_TOO_LARGE, -32600, &message))
        }
        Ok(Err(_)) => Err(refusal(StatusCode::BAD_REQUEST, -32700, "the request cannot be read to its end")),
        Err(_) => Err(refusal(StatusCode::REQUEST_TIMEOUT, -32600, "the request did not arrive in time")),
    }
}
