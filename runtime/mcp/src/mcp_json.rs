//! Reads a `.mcp.json`, with comments and trailing commas as editors write them. Errors name line, column and field.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use super::comments;
use super::endpoint::{self, Mistake};
use super::env_vars::{bare_variable, expand};
use super::error::McpError;
use super::server_config::{ServerConfig, Word};
use super::tool_rules::{self, Rule, ToolRules, Tools};
use onionskin_core::schema::reason_of;
use onionskin_core::text::nearest;

/// The fields of a server that are read, except the fields of `tool_rules`.
const FIELDS: [&str; 11] = [
    "type",
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "timeout",
    "startTimeout",
    "parallel",
    "asks",
];
/// Names that other programs have for `url`.
const NAMES_OF_URL: [&str; 3] = ["url", "serverUrl", "httpUrl"];
/// The values of `type` for a server that is reached by address.
const HTTP: [&str; 4] = ["http", "streamable-http", "streamableHttp", "streamable_http"];
/// Shorter limits are probably meant as seconds.
const LEAST_TIMEOUT: u64 = 100;
/// A server without its variables may do other things than with them.
const NO_VARIABLES: &str = "unknown field that speaks of variables; a server gets them from `env` alone: write \
                            `\"env\": {\"NAME\": \"${NAME}\"}`, and load a file of variables before the program starts";
const SERVERS: &str = "mcpServers";
/// The name that VS Code has for them, in its `.vscode/mcp.json`.
const SERVERS_OF_VS_CODE: &str = "servers";

/// The servers of a file.
#[derive(Default)]
pub(super) struct Servers {
    pub(super) servers: BTreeMap<String, Configured>,
    /// The fields that are not read, each as a message with its place.
    pub(super) unread: Vec<String>,
}

/// A server, or why it cannot be used. The error counts only if an agent uses the server: other programs share the file, and
/// have servers of their own in it.
pub(super) type Configured = Result<ServerConfig, McpError>;

/// Reads the servers of a file, and which of its fields are not read. Other programs share such files, and have fields of their
/// own in them.
///
/// # Errors
/// Returns an error if the text is not the JSON of such a file. A mistake in one server is an error of that server only, and a rule that
/// is not obeyed one of every server.
pub(super) fn read(text: &str, file: &str) -> Result<Servers, McpError> {
    let text = &*comments::blanked(text);
    let source = Source::new(text, file);
    let mut config = Servers::default();
    let mut refused = None;
    let fields = source.object(text, "")?;
    let has = |name: &str| fields.iter().any(|(key, _)| key == name);
    let has_servers = has(SERVERS) || has(SERVERS_OF_VS_CODE);
    let servers = if has(SERVERS) { SERVERS } else { SERVERS_OF_VS_CODE };
    for (key, value) in fields {
        if key == servers {
            for (name, value) in source.members(value, servers)? {
                let path = format!("{servers}.{name}");
                let server = if config.servers.contains_key(&name) {
                    Err(source.error(value, &path, "the server is configured twice"))
                } else {
                    source.server(value, &path)
                };
                config.servers.insert(name, server);
            }
        } else if !has_servers && nearest(&key, [SERVERS]).is_some() {
            return Err(source.unknown_field(value, "", &key, Some(SERVERS)));
        } else if !has_servers && is_server(value) {
            let reason = format!(
                "this is a server: write the servers below `{SERVERS}`: {{\"{SERVERS}\": {{{key:?}: ..}}}}"
            );
            return Err(source.error(value, &key, reason));
        } else if let Some(error) = source.disobeyed(value, "", &key) {
            refused.get_or_insert(error);
        } else {
            config.unread.push(source.unknown_field(value, "", &key, None).to_string());
        }
    }
    if let Some(error) = refused {
        let usable = config.servers.values_mut().filter(|server| server.is_ok());
        usable.for_each(|server| *server = Err(error.clone()));
    }
    Ok(config)
}

/// Whether a value has what makes a server.
fn is_server(value: &str) -> bool {
    let fields = serde_json::from_str::<serde_json::Value>(value);
    fields.is_ok_and(|fields| ["command", "url"].iter().any(|field| fields.get(field).is_some()))
}

/// The field that a misspelt one probably is.
fn near_field(name: &str) -> Option<&'static str> {
    if NAMES_OF_URL.iter().any(|other| name.eq_ignore_ascii_case(other)) {
        return Some("url");
    }
    nearest(name, FIELDS)
}

/// The text of a file. Its parts are slices of the text, so each has a known place.
struct Source<'t> {
    text: &'t str,
    file: &'t str,
    /// Where its lines begin. A file may have a message for each of many fields.
    lines: Vec<usize>,
}

impl<'t> Source<'t> {
    fn new(text: &'t str, file: &'t str) -> Self {
        let after = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, file, lines: std::iter::once(0).chain(after).collect() }
    }

    /// An error at the beginning of `part`.
    fn error(&self, part: &str, field: &str, reason: impl Into<String>) -> McpError {
        self.error_in(part, (1, 1), field, reason)
    }

    /// An error at a line and column of `part`.
    fn error_in(
        &self,
        part: &str,
        (line, column): (usize, usize),
        field: &str,
        reason: impl Into<String>,
    ) -> McpError {
        let (line, column) = self.place(part, (line, column));
        McpError::Config {
            file: self.file.to_owned(),
            line,
            column,
            field: field.to_owned(),
            reason: reason.into(),
        }
    }

    /// The line and column in the text of a line and column of `part`.
    fn place(&self, part: &str, (line, column): (usize, usize)) -> (usize, usize) {
        let start = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let above = self.lines.partition_point(|begin| *begin <= start).saturating_sub(1);
        let left = start - self.lines.get(above).copied().unwrap_or_default();
        (above + line, if line == 1 { left + column } else { column })
    }

    /// The fields of an object, which may not repeat.
    fn object(&self, part: &'t str, field: &str) -> Result<Vec<(String, &'t str)>, McpError> {
        let fields = self.members(part, field)?;
        let mut names = HashSet::new();
        match fields.iter().find(|(name, _)| !names.insert(name)) {
            Some((name, value)) => Err(self.error(value, field, format!("the key `{name}` is given twice"))),
            None => Ok(fields),
        }
    }

    fn members(&self, part: &'t str, field: &str) -> Result<Vec<(String, &'t str)>, McpError> {
        serde_json::from_str::<JsonFields<'t>>(part).map(|fields| fields.0).map_err(|error| {
            let place = (error.line().max(1), error.column().max(1));
            self.error_in(part, place, field, reason_of(&error))
        })
    }

    /// A value of a fixed type. The text of the error does not show it: it may be a secret.
    fn value<T: Deserialize<'t>>(&self, part: &'t str, field: &str, expected: &str) -> Result<T, McpError> {
        serde_json::from_str(part).map_err(|_| self.error(part, field, format!("expected {expected}")))
    }

    /// An object whose values are texts, each with its place. The last one of a name counts.
    fn texts(&self, part: &'t str, field: &str) -> Result<Texts<'t>, McpError> {
        let fields: JsonFields<'t> = self.value(part, field, "an object whose values are strings")?;
        let text = |(name, part): (String, &'t str)| {
            let text = self.value(part, &format!("{field}.{name}"), "a string")?;
            Ok((name, (part, text)))
        };
        fields.0.into_iter().map(text).collect()
    }

    fn unknown_field(&self, part: &str, parent: &str, name: &str, near: Option<&str>) -> McpError {
        let field = if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") };
        let reason = match near {
            Some(near) => format!("unknown field; did you mean `{near}`?"),
            None => "unknown field, ignored".to_owned(),
        };
        self.error(part, &field, reason)
    }

    /// Why a field that is not read cannot be ignored: it, or a field within it, seems to take tools away.
    fn disobeyed(&self, part: &str, parent: &str, name: &str) -> Option<McpError> {
        let field = if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") };
        if parent.is_empty() && tool_rules::rule(name).is_some() {
            return Some(self.error(
                part,
                &field,
                "this is a field of a server, and not of the file; write it in each server",
            ));
        }
        if let Some(reason) = tool_rules::refused(name) {
            return Some(self.error(part, &field, reason));
        }
        let Ok(value) = serde_json::from_str::<serde_json::Value>(part) else {
            return Some(self.error(part, &field, "unknown field whose value cannot be read; remove it"));
        };
        if let Some(reason) = tool_rules::switches_off(&value) {
            return Some(self.error(part, &field, reason));
        }
        let (path, reason) = tool_rules::refused_within(&value)?;
        Some(self.error(part, &format!("{field}.{path}"), reason))
    }

    /// A server, or why it cannot be used.
    fn server(&self, part: &'t str, path: &str) -> Configured {
        let fields = self.object(part, path)?;
        self.switched_on(&fields, path)?;
        let is_http = self.is_http(&fields, path)?;
        let mut written = ServerFields::default();
        let mut unread = Vec::new();
        let mut rules = ToolRules::default();
        for (name, value) in fields {
            let field = format!("{path}.{name}");
            match name.as_str() {
                "type" => {}
                "command" | "args" | "env" | "cwd" if is_http => {
                    let reason =
                        "this is for a server that a command starts, and this one is reached by its `url`";
                    return Err(self.error(value, &field, reason));
                }
                "url" | "headers" if !is_http => {
                    let reason = "this is for a server that is reached by address, and this one is started by a command";
                    return Err(self.error(value, &field, reason));
                }
                "url" => written.url = Some((value, self.value(value, &field, "a string")?)),
                "headers" => written.headers = self.texts(value, &field)?,
                "command" => written.command = Some((value, self.value(value, &field, "a string")?)),
                "args" => written.args = Some((value, self.value(value, &field, "a list of strings")?)),
                "env" => written.env = self.texts(value, &field)?,
                "cwd" => written.cwd = Some((value, self.value(value, &field, "a string")?)),
                "timeout" => written.timeout = Some(self.time(value, &field)?),
                "startTimeout" => written.start_timeout = Some(self.time(value, &field)?),
                "parallel" => written.is_parallel = self.value(value, &field, "true or false")?,
                "asks" => written.asks = self.value(value, &field, "true or false")?,
                _ => match tool_rules::rule(&name) {
                    Some(Rule::Disabled | Rule::Enabled) => {}
                    Some(rule) => self.add_rule(&mut rules, rule, &name, value, &field)?,
                    None if name.to_ascii_lowercase().starts_with("env") => {
                        return Err(self.error(value, &field, NO_VARIABLES));
                    }
                    None => match self.disobeyed(value, path, &name) {
                        Some(error) => return Err(error),
                        None => {
                            let near = near_field(&name);
                            unread.push((near, self.unknown_field(value, path, &name, near)));
                        }
                    },
                },
            }
        }
        let needed = if is_http { "url" } else { "command" };
        if written.command.is_none() && written.url.is_none() {
            let misspelt = unread.into_iter().find(|(near, _)| *near == Some(needed));
            let missing = || self.error(part, path, format!("the field `{needed}` is missing"));
            return Err(misspelt.map_or_else(missing, |(_, error)| error));
        }
        let bare = self.bare_variables(path, &written);
        let mut server = self.expanded(part, path, written)?;
        server.unread =
            unread.into_iter().map(|(_, error)| error).chain(bare).map(|error| error.to_string()).collect();
        server.rules = rules;
        Ok(server)
    }

    /// Fails for a server that is switched off.
    fn switched_on(&self, fields: &[(String, &'t str)], path: &str) -> Result<(), McpError> {
        for (name, value) in fields {
            let field = format!("{path}.{name}");
            let off = match tool_rules::rule(name) {
                Some(Rule::Disabled) => true,
                Some(Rule::Enabled) => false,
                Some(Rule::Only | Rule::Never | Rule::Unasked) | None => continue,
            };
            if self.value::<bool>(value, &field, "true or false")? == off {
                let (line, column) = self.place(value, (1, 1));
                return Err(McpError::Disabled { file: self.file.to_owned(), line, column, field });
            }
        }
        Ok(())
    }

    fn add_rule(
        &self,
        rules: &mut ToolRules,
        rule: Rule,
        name: &str,
        part: &str,
        field: &str,
    ) -> Result<(), McpError> {
        let expected = match rule {
            Rule::Only => "a list of names of tools, or an object with `true` or `false` for each tool",
            Rule::Never => "a list of names of tools",
            Rule::Unasked => "a list of names of tools, `true` or `false`",
            Rule::Disabled | Rule::Enabled => "true or false",
        };
        let tools: Tools = self.value(part, field, expected)?;
        rules.add(rule, name, tools).map_err(|()| self.error(part, field, format!("expected {expected}")))
    }

    /// Whether a server is reached by address.
    fn is_http(&self, fields: &[(String, &'t str)], path: &str) -> Result<bool, McpError> {
        let Some((_, value)) = fields.iter().find(|(name, _)| name == "type") else {
            let has = |is_so: fn(&str) -> bool| fields.iter().any(|(name, _)| is_so(name));
            return Ok(has(|name| name == "url")
                || (has(|name| near_field(name) == Some("url")) && !has(|name| name == "command")));
        };
        let field = format!("{path}.type");
        match self.value::<String>(value, &field, "a string")?.as_str() {
            "stdio" => Ok(false),
            kind if HTTP.contains(&kind) => Ok(true),
            "sse" => {
                let reason = "the transport `sse` of 2024 is not supported; if the server has streamable HTTP too, write \"http\" and \
                              its address";
                Err(self.error(value, &field, reason))
            }
            _ => Err(self.error(value, &field, "expected \"stdio\" or \"http\"")),
        }
    }

    fn time(&self, part: &str, field: &str) -> Result<Duration, McpError> {
        let expected = format!("a whole number of milliseconds, at least {LEAST_TIMEOUT}");
        let time: u64 = self.value(part, field, &expected)?;
        if time < LEAST_TIMEOUT {
            return Err(self.error(part, field, format!("expected {expected}")));
        }
        Ok(Duration::from_millis(time))
    }

    /// The texts that probably mean a variable, and are used as they are written.
    fn bare_variables(&self, path: &str, written: &ServerFields<'t>) -> Vec<McpError> {
        let texts = [("headers", &written.headers), ("env", &written.env)];
        let texts = texts.into_iter().flat_map(|(field, texts)| texts.iter().map(move |text| (field, text)));
        let bare = texts.filter_map(|(field, (name, (part, text)))| {
            let reason = format!(
                "`${0}` is used as it is written; for the variable, write `${{{0}}}`",
                bare_variable(text)?
            );
            Some(self.error(part, &format!("{path}.{field}.{name}"), reason))
        });
        bare.collect()
    }

    /// Fills in variables. One that is not set makes this server unusable, not the file.
    fn expanded(&self, part: &str, path: &str, written: ServerFields<'t>) -> Configured {
        let mut used = BTreeMap::new();
        let mut fill = |part: &str, field: &str, text: &str| {
            expand(text, |name| std::env::var(name).ok(), &mut used)
                .map_err(|reason| self.error(part, &format!("{path}.{field}"), reason))
        };
        let mut server = match written.url {
            Some((at, url)) => {
                let address = fill(at, "url", &url)?;
                let mut server = ServerConfig::http(&*address);
                server.command.shown = endpoint::shown(&url);
                for (name, (at, text)) in &written.headers {
                    server = server.header(name, fill(at, &format!("headers.{name}"), text)?);
                }
                endpoint::check(&address, &server.headers).map_err(|mistake| match mistake {
                    Mistake::Address(reason) => self.error(at, &format!("{path}.url"), reason),
                    Mistake::Header(name, reason) => {
                        // The mistake has the name in small letters.
                        let at = written.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(&name));
                        let at = at.map_or(part, |(_, (at, _))| at);
                        self.error(at, &format!("{path}.headers.{name}"), reason)
                    }
                })?;
                server
            }
            None => {
                let (at, command) = written.command.unwrap_or((part, String::new()));
                ServerConfig::new(Word { value: fill(at, "command", &command)?, shown: command })
            }
        };
        let (at, args) = written.args.unwrap_or_default();
        for (index, shown) in args.into_iter().enumerate() {
            let value = fill(at, &format!("args[{index}]"), &shown)?;
            server.args.push(Word { value, shown });
        }
        for (name, (at, text)) in written.env {
            let value = fill(at, &format!("env.{name}"), &text)?;
            server.env.insert(name, value);
        }
        if let Some((at, cwd)) = written.cwd {
            server.cwd = Some(fill(at, "cwd", &cwd)?.into());
        }
        server.timeout = written.timeout.unwrap_or(server.timeout);
        server.start_timeout = written.start_timeout.unwrap_or(server.start_timeout);
        server.is_parallel = written.is_parallel;
        server.asks = written.asks;
        server.expanded = used;
        Ok(server)
    }
}

/// Texts by their names, each with its place.
type Texts<'t> = BTreeMap<String, (&'t str, String)>;

/// A server as it is written, each field with its place.
#[derive(Default)]
struct ServerFields<'t> {
    command: Option<(&'t str, String)>,
    args: Option<(&'t str, Vec<String>)>,
    env: Texts<'t>,
    cwd: Option<(&'t str, String)>,
    url: Option<(&'t str, String)>,
    headers: Texts<'t>,
    timeout: Option<Duration>,
    start_timeout: Option<Duration>,
    is_parallel: bool,
    asks: bool,
}

/// The fields of an object, unread.
struct JsonFields<'t>(Vec<(String, &'t str)>);

impl<'de: 't, 't> Deserialize<'de> for JsonFields<'t> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor).map(JsonFields)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Vec<(String, &'de str)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
            fields.push((name, value.get()));
        }
        Ok(fields)
    }
}
