//! O4: settings that cannot be used, and a collector that is away.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::process::Command;

use onionskin::otel::{Otel, OtelError};

/// The error of the settings in a process with these environment variables.
fn error_with(variables: &[(&str, &str)]) -> String {
    let mut test = Command::new(std::env::current_exe().unwrap());
    test.args(["--exact", "installs", "--ignored", "--nocapture"]).envs(variables.iter().copied());
    let output = test.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, end) = text.split_once("installed: ").unwrap_or_else(|| panic!("{text}"));
    end.lines().next().unwrap().to_owned()
}

#[test]
#[ignore = "other tests run it in a process of its own"]
fn installs() {
    match Otel::from_env().install() {
        Ok(otel) => {
            tracing::info_span!("work").in_scope(|| ());
            let end = otel.shutdown();
            println!("installed: {}", end.map_or_else(|error| error.to_string(), |()| "yes".to_owned()));
        }
        Err(error) => println!("installed: {error}"),
    }
}

#[test]
fn o4_settings_that_cannot_be_used_are_errors() {
    let error = Otel::from_env().filter("info,desk=loud").install().unwrap_err();
    assert!(matches!(error, OtelError::Setting { setting: "filter", .. }));
    assert!(error.to_string().contains("`info,desk=loud`"), "{error}");
    let error = Otel::from_env().endpoint("not an address").install().unwrap_err();
    assert!(error.to_string().contains("not an address"), "{error}");

    let error = error_with(&[("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]);
    assert!(error.contains("OTEL_EXPORTER_OTLP_PROTOCOL: `grpc` is not supported"), "{error}");
    let error = error_with(&[("OTEL_TRACES_EXPORTER", "zipkin")]);
    assert!(error.contains("OTEL_TRACES_EXPORTER: `zipkin` is not supported"), "{error}");
}

#[test]
fn o4_the_export_can_be_turned_off() {
    assert_eq!(error_with(&[("OTEL_SDK_DISABLED", "true")]), "yes");
    assert_eq!(error_with(&[("OTEL_TRACES_EXPORTER", "none"), ("OTEL_METRICS_EXPORTER", "none")]), "yes");
}

#[test]
fn o4_a_collector_that_is_away_is_an_error_at_the_end() {
    // The discard port, where nothing listens.
    let away = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
    let error = error_with(&[away, ("OTEL_EXPORTER_OTLP_TIMEOUT", "2000")]);
    assert!(error.starts_with("spans were not exported to OpenTelemetry: "), "{error}");
}
