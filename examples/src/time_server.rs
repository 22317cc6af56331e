//! An MCP server that gives and converts times. Its tools, their parameters and their results are those of
//! the reference server `mcp-server-time`, so an agent can use either.

use std::error::Error;

use jiff::civil::{Date, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Timestamp, Zoned};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ServerHandler, ServiceExt};
use serde::Serialize;
use serde_json::{Value, json};

/// The server. It takes time zones by their IANA names, from data that is compiled in.
#[derive(Debug, Clone)]
pub struct TimeServer {
    local_zone: String,
}

/// Serves over this program's standard streams until the client is gone.
///
/// # Errors
/// If the connection fails before the client is there.
pub async fn serve_stdio() -> Result<(), Box<dyn Error + Send + Sync>> {
    TimeServer::default().serve_stdio().await
}

impl Default for TimeServer {
    /// A server whose local time zone is UTC.
    fn default() -> Self {
        Self { local_zone: "UTC".to_owned() }
    }
}

impl TimeServer {
    /// A server that asks models to use this zone if a person names none.
    ///
    /// # Errors
    /// If the time zone does not exist.
    pub fn new(local_zone: &str) -> Result<Self, String> {
        zone(local_zone)?;
        Ok(Self { local_zone: local_zone.to_owned() })
    }

    /// As [`serve_stdio`].
    ///
    /// # Errors
    /// As [`serve_stdio`].
    pub async fn serve_stdio(self) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.serve(rmcp::transport::stdio()).await?.waiting().await?;
        Ok(())
    }

    fn tools(&self) -> Vec<Tool> {
        let zone = |role: &str| {
            let local = &self.local_zone;
            json!({
                "type": "string",
                "description": format!(
                    "{role} as an IANA name, for example 'Europe/London'; '{local}' if the user names none"
                ),
            })
        };
        let time = json!({"type": "string", "description": "Time of day, HH:MM on a 24-hour clock"});
        let current = json!({
            "type": "object",
            "properties": {"timezone": zone("Time zone")},
            "required": ["timezone"],
        });
        let convert = json!({
            "type": "object",
            "properties": {
                "source_timezone": zone("Time zone of the given time"),
                "time": time,
                "target_timezone": zone("Time zone to convert to"),
            },
            "required": ["source_timezone", "time", "target_timezone"],
        });
        let result = json!({
            "type": "object",
            "properties": {
                "timezone": {"type": "string"},
                "datetime": {"type": "string"},
                "day_of_week": {"type": "string"},
                "is_dst": {"type": "boolean"},
            },
            "required": ["timezone", "datetime", "day_of_week", "is_dst"],
        });
        let conversion = json!({
            "type": "object",
            "properties": {"source": &result, "target": &result, "time_difference": {"type": "string"}},
            "required": ["source", "target", "time_difference"],
        });
        vec![
            tool("get_current_time", "The current time in a time zone.", current, result),
            tool(
                "convert_time",
                "Converts a time of today from one time zone to another.",
                convert,
                conversion,
            ),
        ]
    }
}

fn tool(name: &'static str, description: &'static str, input: Value, output: Value) -> Tool {
    let hints = ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
    Tool::new(name, description, object(input))
        .with_raw_output_schema(object(output).into())
        .with_annotations(hints)
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

impl ServerHandler for TimeServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let implementation = Implementation::new("onionskin-time", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(implementation)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let text = |name: &str| match arguments[name].as_str() {
            Some("") | None => Err(format!("Missing required argument: {name}")),
            Some(text) => Ok(text.to_owned()),
        };
        let now = Timestamp::now();
        let result = match &*request.name {
            "get_current_time" => text("timezone").and_then(|zone| answer(current_time(&zone, now)?)),
            "convert_time" => text("source_timezone").and_then(|source| {
                answer(convert_time(&source, &text("time")?, &text("target_timezone")?, now)?)
            }),
            other => return Err(ErrorData::invalid_params(format!("Unknown tool: {other}"), None)),
        };
        Ok(result.unwrap_or_else(|error| CallToolResult::error(vec![ContentBlock::text(error)])).into())
    }
}

fn answer(value: impl Serialize) -> Result<CallToolResult, String> {
    serde_json::to_value(value).map(CallToolResult::structured).map_err(|error| error.to_string())
}

/// A moment in a time zone.
#[derive(Debug, PartialEq, Serialize)]
struct Moment {
    timezone: String,
    datetime: String,
    day_of_week: String,
    is_dst: bool,
}

impl Moment {
    fn new(timezone: &str, moment: &Zoned) -> Self {
        let offset = moment.time_zone().to_offset_info(moment.timestamp());
        Self {
            timezone: timezone.to_owned(),
            datetime: moment.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
            day_of_week: moment.strftime("%A").to_string(),
            is_dst: offset.dst().is_dst(),
        }
    }
}

/// One moment in two time zones.
#[derive(Debug, PartialEq, Serialize)]
struct Conversion {
    source: Moment,
    target: Moment,
    time_difference: String,
}

fn zone(name: &str) -> Result<TimeZone, String> {
    TimeZone::get(name).map_err(|_| format!("Invalid timezone: there is none called '{name}'"))
}

fn current_time(timezone: &str, now: Timestamp) -> Result<Moment, String> {
    Ok(Moment::new(timezone, &now.to_zoned(zone(timezone)?)))
}

/// `time` is one of the day that it is `now` in the source's time zone.
fn convert_time(source: &str, time: &str, target: &str, now: Timestamp) -> Result<Conversion, String> {
    let (source_zone, target_zone) = (zone(source)?, zone(target)?);
    let time = time_of_day(time)?;
    let today: Date = now.to_zoned(source_zone.clone()).date();
    let moment = source_zone.to_ambiguous_zoned(today.to_datetime(time));
    if let AmbiguousOffset::Gap { .. } = moment.offset() {
        let time = time.strftime("%H:%M");
        return Err(format!(
            "Invalid time: {time} does not exist in {source} on {today}, the clock skips it"
        ));
    }
    let from = moment.compatible().map_err(|error| format!("Invalid time: {error}"))?;
    let to = from.with_time_zone(target_zone);
    let seconds = to.offset().seconds() - from.offset().seconds();
    Ok(Conversion {
        source: Moment::new(source, &from),
        target: Moment::new(target, &to),
        time_difference: hours(seconds),
    })
}

fn time_of_day(text: &str) -> Result<Time, String> {
    let wrong = || "Invalid time format. Expected HH:MM on a 24-hour clock".to_owned();
    let (hour, minute) = text.split_once(':').ok_or_else(wrong)?;
    let number = |digits: &str| match digits.len() {
        1..=2 if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits.parse::<i8>().map_err(|_| wrong())
        }
        _ => Err(wrong()),
    };
    Time::new(number(hour)?, number(minute)?, 0, 0).map_err(|_| wrong())
}

/// `+3.5h`; whole hours have a zero behind the point.
fn hours(seconds: i32) -> String {
    let hours = f64::from(seconds) / 3600.0;
    if seconds % 3600 == 0 {
        return format!("{hours:+.1}h");
    }
    let text = format!("{hours:+.2}");
    format!("{}h", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_moment_is_shown_with_its_offset_and_day() {
        let moment = current_time("America/New_York", at("2026-07-04T02:30:05Z")).unwrap();
        assert_eq!(moment.datetime, "2026-07-03T22:30:05-04:00");
        assert_eq!((&*moment.day_of_week, moment.is_dst), ("Friday", true));
        let moment = current_time("UTC", at("2026-01-01T00:00:00Z")).unwrap();
        assert_eq!((&*moment.datetime, moment.is_dst), ("2026-01-01T00:00:00+00:00", false));
    }

    #[test]
    fn times_are_converted_with_their_difference() {
        let now = at("2026-01-15T12:00:00Z");
        let tokyo = convert_time("Europe/London", "16:30", "Asia/Tokyo", now).unwrap();
        assert_eq!(tokyo.target.datetime, "2026-01-16T01:30:00+09:00");
        assert_eq!(tokyo.time_difference, "+9.0h");
        let kathmandu = convert_time("UTC", "9:00", "Asia/Kathmandu", now).unwrap();
        assert_eq!(kathmandu.time_difference, "+5.75h");
        let back = convert_time("Asia/Kolkata", "00:00", "UTC", now).unwrap();
        assert_eq!((&*back.time_difference, &*back.target.datetime), ("-5.5h", "2026-01-14T18:30:00+00:00"));
    }

    #[test]
    fn what_cannot_be_converted_is_reported() {
        let now = at("2026-03-08T12:00:00Z");
        let error = |source: &str, time: &str| convert_time(source, time, "UTC", now).unwrap_err();
        assert!(error("Mars/Olympus", "12:00").contains("'Mars/Olympus'"));
        for time in ["24:00", "12", "12:60", "+1:00", "noon", "12:000", ""] {
            assert!(error("UTC", time).starts_with("Invalid time format"), "{time}");
        }
        assert!(
            error("America/New_York", "02:30").contains("does not exist"),
            "the clock goes forward that night"
        );
        assert!(TimeServer::new("Nowhere").is_err());
    }
}
