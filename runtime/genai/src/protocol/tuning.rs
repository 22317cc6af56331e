//! Parameters for which each protocol has words of its own: how much a model thinks, how long its answers are, the tier, and parallel calls.

use std::fmt::Display;

use serde_json::{Map, Value, json};

use onionskin_core::model::{ModelError, ReasoningEffort, RequestOption, ServiceTier, Verbosity};

use super::{Choice, Protocol, ProviderRequest, object};
use crate::names::base;

/// The fields of a body for these parameters, which are merged with the others.
///
/// # Errors
/// Returns an error for a value that the protocol has no word for.
pub(super) fn fields(
    protocol: Protocol,
    request: &ProviderRequest<'_>,
) -> Result<Map<String, Value>, ModelError> {
    let params = request.params();
    let mut fields = Map::new();
    let parts = [
        params.reasoning_effort.map(|effort| reasoning(protocol, request, effort)),
        params.verbosity.map(|verbosity| length(protocol, request, verbosity)),
        params.service_tier.map(|tier| service(protocol, request, tier)),
        // A provider refuses the field beside no tools, and there are no calls then.
        params
            .parallel_tool_calls
            .filter(|_| !request.tools.is_empty())
            .map(|may| parallel(protocol, request, may)),
    ];
    for part in parts.into_iter().flatten() {
        super::extra::add(&mut fields, &object(part?));
    }
    Ok(fields)
}

/// The error for a value, or for an option that [`Protocol::supports`] excludes already.
fn refused(request: &ProviderRequest<'_>, option: RequestOption, value: impl Display) -> ModelError {
    let adapter = request.kind.as_lower_str();
    ModelError::unsupported(option, format!("the protocol `{adapter}` has no form for `{option}: {value}`"))
}

fn reasoning(
    protocol: Protocol,
    request: &ProviderRequest<'_>,
    effort: ReasoningEffort,
) -> Result<Value, ModelError> {
    use ReasoningEffort as Effort;
    let refused = || Err(refused(request, RequestOption::ReasoningEffort, effort));
    let word = effort.to_string();
    Ok(match (protocol, effort) {
        (Protocol::Chat, _) => json!({ "reasoning_effort": word }),
        (Protocol::Responses, _) => json!({ "reasoning": { "effort": word } }),
        (Protocol::Anthropic, Effort::None) => json!({ "thinking": { "type": "disabled" } }),
        (Protocol::Anthropic, Effort::Low | Effort::Medium | Effort::High | Effort::XHigh | Effort::Max) => {
            json!({ "output_config": { "effort": word } })
        }
        // Older models take a number of tokens only.
        (Protocol::Gemini, Effort::Minimal | Effort::Low | Effort::Medium | Effort::High)
            if !["gemini-1", "gemini-2"].iter().any(|older| base(request.name).starts_with(older)) =>
        {
            json!({ "generationConfig": { "thinkingConfig": { "thinkingLevel": word } } })
        }
        (Protocol::Ollama, Effort::None) => json!({ "think": false }),
        (Protocol::Ollama, Effort::Low | Effort::Medium | Effort::High) => json!({ "think": word }),
        (Protocol::Anthropic, Effort::Minimal)
        | (Protocol::Gemini | Protocol::Ollama | Protocol::Cohere | Protocol::Bedrock, _) => {
            return refused();
        }
    })
}

fn length(
    protocol: Protocol,
    request: &ProviderRequest<'_>,
    verbosity: Verbosity,
) -> Result<Value, ModelError> {
    let word = verbosity.to_string();
    match protocol {
        Protocol::Chat => Ok(json!({ "verbosity": word })),
        Protocol::Responses => Ok(json!({ "text": { "verbosity": word } })),
        Protocol::Anthropic | Protocol::Gemini | Protocol::Ollama | Protocol::Cohere | Protocol::Bedrock => {
            Err(refused(request, RequestOption::Verbosity, verbosity))
        }
    }
}

fn service(
    protocol: Protocol,
    request: &ProviderRequest<'_>,
    tier: ServiceTier,
) -> Result<Value, ModelError> {
    let word = match tier {
        ServiceTier::Standard => "default".to_owned(),
        ServiceTier::Auto | ServiceTier::Flex | ServiceTier::Priority => tier.to_string(),
    };
    Ok(match (protocol, tier) {
        (Protocol::Anthropic, ServiceTier::Auto) => json!({ "service_tier": "auto" }),
        (Protocol::Anthropic, ServiceTier::Standard) => json!({ "service_tier": "standard_only" }),
        (Protocol::Gemini, ServiceTier::Standard) => json!({ "service_tier": "standard" }),
        (Protocol::Chat | Protocol::Responses, _)
        | (Protocol::Gemini, ServiceTier::Flex | ServiceTier::Priority) => json!({ "service_tier": word }),
        (Protocol::Bedrock, ServiceTier::Standard | ServiceTier::Flex | ServiceTier::Priority) => {
            json!({ "serviceTier": { "type": word } })
        }
        (
            Protocol::Anthropic | Protocol::Gemini | Protocol::Bedrock | Protocol::Ollama | Protocol::Cohere,
            _,
        ) => {
            return Err(refused(request, RequestOption::ServiceTier, tier));
        }
    })
}

fn parallel(protocol: Protocol, request: &ProviderRequest<'_>, may: bool) -> Result<Value, ModelError> {
    Ok(match protocol {
        Protocol::Chat | Protocol::Responses => json!({ "parallel_tool_calls": may }),
        // Without calls, none are parallel, and this choice has no such field.
        Protocol::Anthropic if matches!(request.choice(), Some(Choice::None)) => json!({}),
        // A choice of the request has a type already.
        Protocol::Anthropic if request.choice().is_some() => {
            json!({ "tool_choice": { "disable_parallel_tool_use": !may } })
        }
        Protocol::Anthropic => {
            json!({ "tool_choice": { "type": "auto", "disable_parallel_tool_use": !may } })
        }
        Protocol::Gemini | Protocol::Ollama | Protocol::Cohere | Protocol::Bedrock => {
            return Err(refused(request, RequestOption::ParallelToolCalls, may));
        }
    })
}
