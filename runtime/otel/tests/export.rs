//! O4: what a collector gets.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

mod collector;

use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestOption};
use onionskin::otel::{Otel, OtelError};
use onionskin::{ScriptedModel, ScriptedTurn, Secret, agent, tool};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value as Count;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::json;

use collector::{Collector, is_text, value};

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    tracing::info!("adding");
    x + 1
}

agent! {
    Adder {
        instruction: "Add.", model: "small-1", function_tools: [add_one],
        request_params: { stop_sequences: ["END", "STOP"] },
    }
}

/// A script whose tokens have parts.
struct WithParts(ScriptedModel);

impl Model for WithParts {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let mut response = self.0.respond(request, deltas).await?;
        (response.usage.cached_input_tokens, response.usage.reasoning_tokens) = (2, 1);
        Ok(response)
    }

    fn provider(&self) -> std::borrow::Cow<'static, str> {
        self.0.provider()
    }

    fn supports(&self, option: RequestOption) -> bool {
        self.0.supports(option)
    }
}

fn texts(value: Option<Value>) -> Vec<String> {
    let Some(Value::ArrayValue(list)) = value else { panic!("no list: {value:?}") };
    let texts = list.values.into_iter().map(|one| match one.value {
        Some(Value::StringValue(text)) => text,
        other => panic!("no text: {other:?}"),
    });
    texts.collect()
}

/// One test, because a program has one subscriber.
#[tokio::test]
async fn o4_a_collector_gets_spans_and_metrics() {
    let (collector, address) = Collector::start();
    let export = || Otel::from_env().endpoint(&*address);
    let otel = export()
        .service_name("desk")
        .attribute("deployment.environment.name", "test")
        .header("x-api-key", Secret::new("key-of-the-collector".to_owned()))
        .install()
        .unwrap();
    assert!(matches!(export().install(), Err(OtelError::Installed)));

    let turns = [ScriptedTurn::call("add_one", json!({ "x": 41 })), ScriptedTurn::say("{last}")];
    let adder = Adder::builder().model(WithParts(ScriptedModel::turns(turns))).build().await.unwrap();
    adder.run("41 + 1?").await.unwrap();
    otel.flush().unwrap();
    assert!(!collector.sent("/v1/traces").is_empty());
    // The model refuses the request, so the run fails.
    let failed = Adder::builder().model(ScriptedModel::turns([ScriptedTurn::fail(401)]));
    failed.run("41 + 1?").await.unwrap_err();
    otel.shutdown().unwrap();

    for sent in collector.sent("/v1/traces") {
        assert!(sent.head.contains("\r\nx-api-key: key-of-the-collector\r\n"), "{}", sent.head);
    }
    let (resources, spans) = collector.spans();
    for resource in resources {
        assert!(is_text(&resource, "service.name", "desk"));
        assert!(is_text(&resource, "deployment.environment.name", "test"));
    }
    assert_spans(&spans);

    let newest = collector.sent("/v1/metrics").pop().unwrap();
    let metrics = ExportMetricsServiceRequest::decode(&*newest.body).unwrap();
    assert_metrics(metrics);
}

fn assert_spans(spans: &[Span]) {
    let names: Vec<_> = spans.iter().map(|span| &*span.name).collect();
    let first = ["chat small-1", "execute_tool add_one", "chat small-1", "invoke_agent Adder"];
    assert_eq!(
        names,
        [&first[..], &["chat small-1", "invoke_agent Adder"]].concat(),
        "and no request of the export"
    );
    let run = &spans[3];
    assert!(
        spans[..3].iter().all(|span| span.parent_span_id == run.span_id && span.trace_id == run.trace_id)
    );
    let chat = &spans[0].attributes;
    assert_eq!(texts(value(chat, "gen_ai.response.finish_reasons")), ["tool_call"]);
    assert_eq!(texts(value(chat, "gen_ai.request.stop_sequences")), ["END", "STOP"]);
    assert!(matches!(value(chat, "gen_ai.usage.input_tokens"), Some(Value::IntValue(_))));
    assert_eq!(spans[1].events[0].name, "adding");
    let status: Vec<_> =
        spans.iter().map(|span| span.status.as_ref().map_or(0, |status| status.code)).collect();
    assert_eq!(status, [0, 0, 0, 0, 2, 2]);
    for span in spans {
        let unknown = |one: &&KeyValue| {
            !["gen_ai.", "onionskin.", "error.type"].iter().any(|known| one.key.starts_with(known))
        };
        assert_eq!(span.attributes.iter().find(unknown), None);
    }
}

fn assert_metrics(metrics: ExportMetricsServiceRequest) {
    let metrics = metrics.resource_metrics.into_iter().flat_map(|of| of.scope_metrics);
    let mut metrics: Vec<_> = metrics.flat_map(|of| of.metrics).collect();
    metrics.sort_by(|one, other| one.name.cmp(&other.name));
    let names: Vec<_> = metrics.iter().map(|metric| (&*metric.name, &*metric.unit)).collect();
    assert_eq!(
        names,
        [
            ("gen_ai.client.inference.usage.cache_read.input_tokens", "{token}"),
            ("gen_ai.client.inference.usage.reasoning.output_tokens", "{token}"),
            ("gen_ai.client.operation.duration", "s"),
            ("gen_ai.client.token.usage", "{token}"),
        ]
    );
    let (mut histograms, mut sums) = (Vec::new(), Vec::new());
    for metric in metrics {
        match metric.data {
            Some(Data::Histogram(histogram)) => histograms.push(histogram.data_points),
            Some(Data::Sum(sum)) => sums.extend(sum.data_points),
            other => panic!("no histogram and no sum: {other:?}"),
        }
    }
    let counted: Vec<_> = sums.iter().map(|point| point.value).collect();
    let [Some(Count::AsInt(cached)), Some(Count::AsInt(reasoning))] = counted[..] else {
        panic!("{counted:?}")
    };
    assert_eq!((cached, reasoning), (4, 2), "of two requests");
    assert!(sums.iter().all(|point| is_text(&point.attributes, "gen_ai.request.model", "small-1")));
    let [durations, tokens] = histograms.try_into().unwrap();
    let (failed, answered): (Vec<_>, Vec<_>) =
        durations.iter().partition(|point| is_text(&point.attributes, "error.type", "401"));
    assert_eq!((failed[0].count, answered[0].count), (1, 2));
    assert_eq!(durations.len(), 2);
    assert_eq!(durations[0].explicit_bounds[..3], [0.01, 0.02, 0.04]);
    let mut kinds: Vec<_> = tokens
        .iter()
        .map(|point| (format!("{:?}", value(&point.attributes, "gen_ai.token.type").unwrap()), point.count))
        .collect();
    kinds.sort();
    assert_eq!(kinds, [("StringValue(\"input\")".to_owned(), 2), ("StringValue(\"output\")".to_owned(), 2)]);
    for point in durations.iter().chain(&tokens) {
        assert!(is_text(&point.attributes, "gen_ai.provider.name", "onionskin"));
        assert!(is_text(&point.attributes, "gen_ai.request.model", "small-1"));
        assert!(is_text(&point.attributes, "gen_ai.operation.name", "chat"));
    }
    assert_eq!(tokens[0].explicit_bounds[..4], [1.0, 4.0, 16.0, 64.0]);
}
