//! From a function's doc comment to its schema.

use serde_json::{Map, Value, json};

use onionskin_core::text::nearest;

/// The content of a function's docs.
#[derive(Debug, Default)]
pub(super) struct Docs {
    pub(super) description: String,
    /// The docs of the parameters, in the order of the function.
    pub(super) params: Vec<ParamDoc>,
    /// Type and words of the result.
    returns: Option<(DocType, String)>,
}

#[derive(Debug)]
pub(super) struct ParamDoc {
    pub(super) name: String,
    kind: DocType,
    pub(super) default: Option<Value>,
    text: String,
}

/// A type.
#[derive(Debug, Clone, PartialEq)]
struct DocType {
    schema: Value,
    optional: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Section {
    Description,
    Params,
    Returns,
    Other,
}

impl Docs {
    /// Reads the comments of a function with these parameters.
    ///
    /// # Errors
    /// Returns the part that is missing or not understood.
    pub(super) fn read(function: &str, params: &[&str], comments: &[&str]) -> Result<Self, String> {
        let lines: Vec<String> = comments.iter().flat_map(|comment| strip(comment)).collect();
        let mut section = Section::Description;
        let (mut description, mut arguments, mut returned) = (Vec::new(), Vec::new(), Vec::new());
        for line in &lines {
            if let Some(next) = heading(line) {
                section = next;
                continue;
            }
            // `Returns: int: The sum.`
            if let Some(inline) = line.trim().strip_prefix("Returns: ") {
                section = Section::Returns;
                returned.push(inline.trim());
                continue;
            }
            match section {
                Section::Description => description.push(line.as_str()),
                Section::Params => arguments.push(line.as_str()),
                Section::Returns => returned.push(line.trim()),
                Section::Other => {}
            }
        }
        let description = description.join("\n").trim().to_owned();
        if description.is_empty() {
            return Err(format!(
                "the function `{function}` has no description: the model reads it to know when to call it; write \
                 `/// What it does.` above it"
            ));
        }
        let mut described = entries(&arguments)?;
        if let Some(other) = described.iter().find(|entry| !params.contains(&entry.name.as_str())) {
            let near = match nearest(&other.name, params.iter().copied()) {
                Some(near) => format!("; did you mean `{near}`?"),
                None => String::new(),
            };
            return Err(format!(
                "the docs of `{function}` describe `{}`, which it does not take{near}",
                other.name
            ));
        }
        let params = params.iter().map(|param| {
            let at = described.iter().position(|entry| entry.name == *param);
            at.map(|at| described.remove(at)).ok_or_else(|| {
                format!(
                    "the docs of `{function}` do not describe the parameter `{param}`: write `/// * `{param}: int` - what it \
                     is` below `/// # Arguments` above the function"
                )
            })
        });
        let params = params.collect::<Result<_, _>>()?;
        Ok(Self { description, params, returns: returns(&returned.join(" ")) })
    }

    pub(super) fn input_schema(&self) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for param in &self.params {
            let mut schema = param.kind.to_schema();
            if !param.text.is_empty() {
                schema["description"] = param.text.as_str().into();
            }
            if let Some(default) = &param.default {
                schema["default"] = default.clone();
            } else if !param.kind.optional {
                required.push(Value::from(param.name.as_str()));
            }
            properties.insert(param.name.clone(), schema);
        }
        let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        schema
    }

    /// The schema of the structured result: an object as it is, all else as `{"result": ..}`.
    pub(super) fn output_schema(&self) -> Option<Value> {
        let (kind, text) = self.returns.as_ref()?;
        let mut schema = kind.to_schema();
        if schema["type"] != "object" {
            schema = json!({ "type": "object", "properties": { "result": schema }, "required": ["result"] });
        }
        if !text.is_empty() {
            schema["description"] = text.as_str().into();
        }
        Some(schema)
    }

    /// The schema of what the function itself gives.
    pub(super) fn returned(&self) -> Option<Value> {
        self.returns.as_ref().map(|(kind, _)| kind.to_schema())
    }
}

impl DocType {
    fn to_schema(&self) -> Value {
        if !self.optional {
            return self.schema.clone();
        }
        match &self.schema["type"] {
            Value::String(kind) if self.schema.get("enum").is_none() => {
                let mut schema = self.schema.clone();
                schema["type"] = json!([kind, "null"]);
                schema
            }
            Value::Null if self.schema == json!({}) => json!({}),
            _ => json!({ "anyOf": [self.schema, { "type": "null" }] }),
        }
    }
}

/// The lines of a comment without its marks.
fn strip(comment: &str) -> Vec<String> {
    if let Some(block) = comment.strip_prefix("/**") {
        let block = block.strip_suffix("*/").unwrap_or(block);
        let bare = |line: &str| match line.trim_start().strip_prefix('*') {
            // A list's star is not the comment's.
            Some(rest) if !line.trim_start().starts_with("* `") => {
                rest.strip_prefix(' ').unwrap_or(rest).to_owned()
            }
            _ => line.to_owned(),
        };
        return block.lines().map(bare).collect();
    }
    let bare = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("///").unwrap_or(line);
        line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
    };
    comment.lines().map(bare).collect()
}

fn heading(line: &str) -> Option<Section> {
    let line = line.trim();
    let word = match (line.strip_prefix("# ").or_else(|| line.strip_prefix("## ")), line.strip_suffix(':')) {
        (Some(word), _) => word.trim_end_matches(':'),
        (None, Some(word)) => word,
        _ => return None,
    };
    let is_markdown = line.starts_with('#');
    match word.to_ascii_lowercase().as_str() {
        "arguments" | "args" | "parameters" | "params" => Some(Section::Params),
        "returns" | "return" => Some(Section::Returns),
        "errors" | "raises" | "examples" | "example" | "notes" => Some(Section::Other),
        _ => is_markdown.then_some(Section::Other),
    }
}

/// The parameters that a section describes.
fn entries(lines: &[&str]) -> Result<Vec<ParamDoc>, String> {
    let mut entries: Vec<ParamDoc> = Vec::new();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let least =
        lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min().unwrap_or(0);
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        if indent(line) > least
            && let Some(last) = entries.last_mut()
        {
            let text = format!("{} {}", last.text, line.trim());
            text.trim().clone_into(&mut last.text);
            continue;
        }
        entries.push(entry(line.trim())?);
    }
    Ok(entries)
}

/// One parameter: `` * `a: int = 1` - text ``, `` * `a` (int) - text ``, `a (int, default 1): text`, or `a: text` of any type.
fn entry(line: &str) -> Result<ParamDoc, String> {
    let unclear = || {
        format!(
            "`{line}` does not say what a parameter is: write `* `name: type` - text`, `* `name: type = default` - text` or \
             `name (type): text`"
        )
    };
    let bare = line.strip_prefix("* ").or_else(|| line.strip_prefix("- ")).unwrap_or(line).trim_start();
    let (head, rest) = match bare.strip_prefix('`') {
        Some(ticked) => ticked.split_once('`').ok_or_else(unclear)?,
        None => {
            let end = bare.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(bare.len());
            let after = bare[end..].strip_prefix(':');
            match after.map(|after| after.split_once(" - ").map_or((after, ""), |(kind, _)| (kind, after))) {
                // `name: type - text`, or `name: type`. Words that are not a type are text.
                Some((kind, text)) if !is_text(kind, text) => bare.split_at(end + 1 + kind.len()),
                _ => bare.split_at(end),
            }
        }
    };
    let (name, mut kind) = match head.split_once(':') {
        Some((name, kind)) => (name.trim(), Some(kind.trim().to_owned())),
        None => (head.trim(), None),
    };
    let mut rest = rest.trim_start();
    if kind.is_none()
        && let Some(inside) = rest.strip_prefix('(')
    {
        let (inside, after) = inside.split_once(')').ok_or_else(unclear)?;
        kind = Some(inside.trim().to_owned());
        rest = after.trim_start();
    }
    let marked = rest.strip_prefix('-').or_else(|| rest.strip_prefix(':'));
    let text = marked.unwrap_or(rest).trim();
    let kind = match kind {
        Some(kind) => kind,
        // It is a name, and not the first word of a sentence.
        None if marked.is_some() || rest.is_empty() => "any".to_owned(),
        None => return Err(unclear()),
    };
    let (kind, default) = match kind.split_once('=').or_else(|| kind.split_once(", default ")) {
        Some((kind, default)) => (kind.trim().to_owned(), Some(default.trim().to_owned())),
        None => (kind, None),
    };
    let (kind, is_optional) = match kind.strip_suffix(", optional") {
        Some(kind) => (kind.to_owned(), true),
        None => (kind, false),
    };
    let default = match default.as_deref().map(serde_json::from_str) {
        None => None,
        Some(Ok(default)) => Some(default),
        Some(Err(_)) => {
            return Err(format!("the default of `{name}` is not JSON: write text in double quotes"));
        }
    };
    let mut kind = parse_kind(&kind).ok_or_else(|| {
        format!(
            "`{kind}`, the type of `{name}`, is not known: write int, float, bool, string, array, map, any, `[int]`, \
             `map<int>` or words such as `\"asc\" | \"desc\"`, with a `?` behind it if it may be left out"
        )
    })?;
    kind.optional |= is_optional;
    if name.is_empty() {
        return Err(unclear());
    }
    let schema = kind.to_schema();
    if let Some(default) = &default
        && !onionskin_core::schema::check(default, &schema, &schema, name).is_empty()
    {
        return Err(format!("the default of `{name}` is not of its type"));
    }
    Ok(ParamDoc { name: name.to_owned(), kind, default, text: text.to_owned() })
}

/// Returns whether the text between a name and a dash, or the end, is words and not a type.
fn is_text(kind: &str, text: &str) -> bool {
    let bare = kind.split('=').next().unwrap_or_default().trim();
    // One word before a dash is meant as a type.
    parse_kind(bare).is_none() && (text.is_empty() || bare.contains(char::is_whitespace))
}

fn returns(text: &str) -> Option<(DocType, String)> {
    let text = text.trim();
    let bare = text.strip_prefix("* ").or_else(|| text.strip_prefix("- ")).unwrap_or(text);
    let (kind, rest) = match bare.strip_prefix('`') {
        Some(ticked) => ticked.split_once('`')?,
        None => bare.split_once(':').or_else(|| bare.split_once(" - ")).unwrap_or((bare, "")),
    };
    let kind = parse_kind(kind)?;
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('-').or_else(|| rest.strip_prefix(':')).unwrap_or(rest);
    Some((kind, rest.trim().to_owned()))
}

/// Reads a type.
fn parse_kind(text: &str) -> Option<DocType> {
    let text = text.trim();
    if let Some(inner) = text.strip_suffix('?') {
        return Some(DocType { optional: true, ..parse_kind(inner)? });
    }
    if text.contains('|') {
        return alternatives(text);
    }
    let items = |inner: &str| parse_kind(inner).map(|kind| kind.to_schema());
    if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        return Some(required(json!({ "type": "array", "items": items(inner)? })));
    }
    if let Some(open) = text.find(['<', '['])
        && text.ends_with(['>', ']'])
    {
        let inner = items(&text[open + 1..text.len() - 1])?;
        return match text[..open].trim().to_ascii_lowercase().as_str() {
            "array" | "list" | "vec" => Some(required(json!({ "type": "array", "items": inner }))),
            "map" | "object" | "dict" => {
                Some(required(json!({ "type": "object", "additionalProperties": inner })))
            }
            _ => None,
        };
    }
    let schema = match text.to_ascii_lowercase().as_str() {
        "int" | "integer" | "i64" => json!({ "type": "integer" }),
        "float" | "number" | "f64" => json!({ "type": "number" }),
        "bool" | "boolean" => json!({ "type": "boolean" }),
        "string" | "str" => json!({ "type": "string" }),
        "array" | "list" => json!({ "type": "array" }),
        "map" | "object" | "dict" => json!({ "type": "object" }),
        "any" | "dynamic" => json!({}),
        _ => return literal(text).map(|word| required(json!({ "type": "string", "enum": [word] }))),
    };
    Some(required(schema))
}

fn required(schema: Value) -> DocType {
    DocType { schema, optional: false }
}

fn literal(text: &str) -> Option<String> {
    serde_json::from_str(text.trim()).ok()
}

/// `"a" | "b"`, or several types.
fn alternatives(text: &str) -> Option<DocType> {
    let parts: Vec<_> = text.split('|').map(str::trim).collect();
    let is_nothing = |part: &&str| ["null", "none", "()"].contains(&part.to_ascii_lowercase().as_str());
    let real: Vec<_> = parts.iter().copied().filter(|part| !is_nothing(part)).collect();
    let optional = real.len() < parts.len();
    let words: Option<Vec<_>> = real.iter().map(|part| literal(part)).collect();
    let schema = match (words, &*real) {
        (_, []) => return None,
        (Some(words), _) => json!({ "type": "string", "enum": words }),
        (None, [only]) => parse_kind(only)?.to_schema(),
        (None, several) => {
            let several: Option<Vec<_>> =
                several.iter().map(|part| Some(parse_kind(part)?.to_schema())).collect();
            json!({ "anyOf": several? })
        }
    };
    Some(DocType { schema, optional })
}
