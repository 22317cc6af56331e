//! Cases in which the provider does not answer.

use std::time::Duration;

use super::answers::hello;
use super::probe::{Check, Probe, ensure, wrong};
use onionskin_tools::model::{Model, ModelError};

pub(super) async fn refusal<M: Model>(probe: &Probe<'_, M>) -> Check {
    let error = probe.fail(&hello()).await?;
    has_status(&error, 401)?;
    probe.requests(1)
}

pub(super) async fn transient<M: Model>(probe: &Probe<'_, M>, status: u16) -> Check {
    let error = probe.fail(&hello()).await?;
    has_status(&error, status)?;
    // The run repeats requests, as often as its limits allow.
    probe.requests(1)
}

fn has_status(error: &ModelError, expected: u16) -> Check {
    ensure(matches!(error, ModelError::Status { status, .. } if *status == expected), || {
        format!("the error is not `ModelError::Status` with the status {expected}: {error:?}")
    })
}

pub(super) async fn retry_after<M: Model>(probe: &Probe<'_, M>) -> Check {
    let error = probe.fail(&hello()).await?;
    let expected = Some(Duration::from_secs(2));
    ensure(matches!(error, ModelError::Status { retry_after, .. } if retry_after == expected), || {
        format!("the error does not say that the provider requests 2 seconds: {error:?}")
    })
}

pub(super) async fn broken_answer<M: Model>(probe: &Probe<'_, M>) -> Check {
    let error = probe.fail(&hello()).await?;
    ensure(error.is_transient(), || {
        format!("another attempt can succeed, but the error says no: {error:?}")
    })?;
    probe.requests(1)
}

pub(super) async fn cancellation<M: Model>(probe: &Probe<'_, M>) -> Check {
    let request = hello();
    {
        let mut ignore = |_| {};
        tokio::select! {
            biased;
            answer = probe.model.respond(&request, &mut ignore) => {
                return wrong(format!("the provider is silent, but the model returned {answer:?}"));
            }
            received = probe.received() => received?,
        }
    }
    probe.ended().await
}
