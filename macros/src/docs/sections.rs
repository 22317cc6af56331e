//! Sections of documentation about parameters and the result: Markdown's headings, and the styles of Google, `NumPy` and
//! Sphinx.

use proc_macro2::Span;

use super::{Line, indent, outdent, whole};

/// A section's text about a parameter.
pub(crate) struct ParamDoc {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// Documentation taken apart.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) description: String,
    pub(crate) params: Vec<ParamDoc>,
    pub(crate) returns: String,
}

/// The topic of a section.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Topic {
    Params,
    Returns,
    /// Errors and panics: for people.
    People,
}

fn topic(title: &str) -> Option<Topic> {
    match title.trim().trim_end_matches(':').to_ascii_lowercase().as_str() {
        "arguments" | "args" | "parameters" | "params" => Some(Topic::Params),
        "returns" | "return" | "return value" => Some(Topic::Returns),
        "errors" | "raises" | "panics" => Some(Topic::People),
        _ => None,
    }
}

/// Takes documentation apart.
pub(crate) fn parse(lines: &[Line]) -> Parts {
    let mut parts = Parts::default();
    let mut kept: Vec<Line> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    while at < lines.len() {
        let text = lines[at].text.trim();
        let opens = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark));
        if fence.is_some() || opens.is_some() {
            fence = match (fence, opens) {
                (None, opens) => opens,
                (Some(open), Some(mark)) if open == mark => None,
                (open, _) => open,
            };
            kept.push(lines[at].clone());
            at += 1;
            continue;
        }
        if let Some((length, before)) = section(&lines[at..], &mut parts) {
            // The gap that a section leaves is one blank line.
            while kept.last().is_some_and(|line| line.text.trim().is_empty()) {
                kept.pop();
            }
            // Text of the section about all of its parameters.
            if !before.is_empty() && !kept.is_empty() {
                kept.push(Line { text: String::new(), span: Span::call_site() });
            }
            kept.extend(before);
            at += length;
            if at < lines.len() && !kept.is_empty() {
                kept.push(Line { text: String::new(), span: Span::call_site() });
            }
            while lines.get(at).is_some_and(|line| line.text.trim().is_empty()) {
                at += 1;
            }
        } else {
            kept.push(lines[at].clone());
            at += 1;
        }
    }
    parts.description = whole(&kept);
    parts
}

/// Reads a section that begins at the first of these lines; gives its length, and the text of it that is of the description.
fn section(lines: &[Line], parts: &mut Parts) -> Option<(usize, Vec<Line>)> {
    let fields = sphinx(lines, parts).map(|end| (end, Vec::new()));
    fields.or_else(|| {
        let (topic, start, end) = markdown(lines).or_else(|| numpy(lines)).or_else(|| google(lines))?;
        let body = &lines[start..end];
        let mut before = Vec::new();
        match topic {
            Topic::Params => {
                let (first, entries) = entries(body, is_rule(&lines[start - 1].text));
                if entries.is_empty() {
                    return None;
                }
                before = paragraph(first);
                parts.params.extend(entries);
            }
            Topic::Returns => {
                let inline = lines[0].text.trim().split_once(':').map_or("", |(_, text)| text.trim());
                let text = numpy_type(lines, body).unwrap_or_else(|| dedent(body));
                let is_google = start == 1 && !is_heading(&lines[0].text);
                match inline {
                    "" if is_google => add(&mut parts.returns, without_type(&text)),
                    _ if is_google => {
                        add(&mut parts.returns, without_type(inline));
                        add(&mut parts.returns, &text);
                    }
                    _ => add(&mut parts.returns, &text),
                }
            }
            Topic::People => {}
        }
        Some((end, before))
    })
}

/// Lines without the empty ones around them, and without the indentation that they have in common.
fn paragraph(lines: &[Line]) -> Vec<Line> {
    let is_text = |line: &Line| !line.text.trim().is_empty();
    let Some(start) = lines.iter().position(is_text) else { return Vec::new() };
    let end = lines.iter().rposition(is_text).map_or(start, |last| last + 1);
    outdented(&lines[start..end])
}

/// In Google style a type may precede the text: `int: The sum.`
fn without_type(text: &str) -> &str {
    match text.split_once(':') {
        Some((kind, rest)) if rest.starts_with(char::is_whitespace) && is_type(kind) => rest.trim_start(),
        _ => text,
    }
}

/// Returns whether these are the words of a type, in Python's names or in Rust's.
fn is_type(text: &str) -> bool {
    const TYPES: &[&str] = &[
        "any", "array", "bool", "boolean", "bytes", "char", "dict", "f32", "f64", "float", "hashmap", "i128",
        "i16", "i32", "i64", "i8", "int", "integer", "isize", "list", "map", "none", "number", "object",
        "option", "optional", "result", "set", "str", "string", "tuple", "u128", "u16", "u32", "u64", "u8",
        "union", "usize", "value", "vec",
    ];
    let is_part = |c: char| c.is_alphanumeric() || "_[]<>(),.|&: ?`".contains(c);
    let text = text.trim().trim_matches('`');
    let head = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let is_one = !text.contains(' ') || text.contains(['[', '<', '|', '(']);
    is_one && text.chars().all(is_part) && TYPES.contains(&head.to_ascii_lowercase().as_str())
}

fn add(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push('\n');
    }
    text.push_str(more);
}

fn is_heading(text: &str) -> bool {
    heading(text).is_some()
}

/// The level and the title of `## Title`.
fn heading(text: &str) -> Option<(usize, &str)> {
    let title = text.trim_start().trim_start_matches('#');
    let level = text.trim_start().len() - title.len();
    (level > 0 && title.starts_with(' ')).then(|| (level, title.trim()))
}

/// `# Arguments`, to the next heading of its level.
fn markdown(lines: &[Line]) -> Option<(Topic, usize, usize)> {
    let (level, title) = heading(&lines[0].text)?;
    let topic = topic(title)?;
    let mut fenced = false;
    let end = lines.iter().skip(1).position(|line| {
        fenced ^= line.text.trim_start().starts_with("```");
        !fenced
            && heading(&line.text)
                .is_some_and(|(other, title)| other <= level || self::topic(title).is_some())
    });
    Some((topic, 1, end.map_or(lines.len(), |end| end + 1)))
}

fn is_rule(text: &str) -> bool {
    let text = text.trim();
    text.len() >= 3 && text.chars().all(|c| c == '-')
}

/// A title with a line of dashes under it, to the next such title, or to a paragraph that is not an entry.
fn numpy(lines: &[Line]) -> Option<(Topic, usize, usize)> {
    if !is_rule(&lines.get(1)?.text) {
        return None;
    }
    let topic = topic(&lines[0].text)?;
    let end = (2..lines.len()).find(|&at| {
        let next = lines.get(at + 1);
        next.is_some_and(|line| is_rule(&line.text))
            || is_heading(&lines[at].text)
            || (lines[at - 1].text.trim().is_empty()
                && indent(&lines[at].text) == indent(&lines[0].text)
                && !lines[at].text.trim().is_empty()
                && next.is_none_or(|line| indent(&line.text) <= indent(&lines[at].text)))
    });
    Some((topic, 2, end.unwrap_or(lines.len())))
}

/// In `NumPy` style the first line under `Returns` is the type; the text is indented.
fn numpy_type(lines: &[Line], body: &[Line]) -> Option<String> {
    let under = body.get(1)?;
    (is_rule(&lines[1].text) && indent(&under.text) > indent(&body[0].text)).then(|| dedent(&body[1..]))
}

/// `Args:`, then indented lines or a list.
fn google(lines: &[Line]) -> Option<(Topic, usize, usize)> {
    let text = lines[0].text.trim_end();
    let (title, inline) = text.split_once(':')?;
    if !title.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    let topic = topic(title)?;
    let inline = inline.trim();
    if !inline.is_empty() && topic != Topic::Returns {
        return None;
    }
    let mut end = 1;
    for (at, line) in lines.iter().enumerate().skip(1) {
        let text = line.text.as_str();
        if text.trim().is_empty() {
            continue;
        }
        let listed = topic != Topic::Returns && bullet(text).is_some();
        if indent(text) == 0 && !listed {
            break;
        }
        end = at + 1;
    }
    (end > 1 || !inline.is_empty()).then_some((topic, 1, end))
}

/// `:param x: text`, with indented lines under it.
fn sphinx(lines: &[Line], parts: &mut Parts) -> Option<usize> {
    let (field, text) = lines[0].text.trim().strip_prefix(':')?.split_once(':')?;
    let mut words = field.split_whitespace();
    let kind = words.next()?;
    let more = lines
        .iter()
        .skip(1)
        .take_while(|line| !line.text.trim().is_empty() && indent(&line.text) > indent(&lines[0].text));
    let end = 1 + more.count();
    let mut text = text.trim().to_owned();
    add(&mut text, &dedent(&lines[1..end]));
    match kind {
        "param" | "parameter" | "arg" | "argument" => {
            parts.params.push(ParamDoc { name: words.last()?.to_owned(), text, span: lines[0].span });
        }
        "return" | "returns" => add(&mut parts.returns, &text),
        "type" | "rtype" | "raise" | "raises" => {}
        _ => return None,
    }
    Some(end)
}

/// Lines without the indentation that they have in common.
fn outdented(lines: &[Line]) -> Vec<Line> {
    let indents = lines.iter().filter(|line| !line.text.trim().is_empty()).map(|line| indent(&line.text));
    let common = indents.min().unwrap_or(0);
    let line = |line: &Line| Line { text: outdent(&line.text, common).to_owned(), span: line.span };
    lines.iter().map(line).collect()
}

/// Their text, without the indentation that they have in common.
fn dedent(lines: &[Line]) -> String {
    whole(&outdented(lines))
}

/// The text after the mark of a list's item.
fn bullet(text: &str) -> Option<&str> {
    let text = text.trim_start();
    ["* ", "- ", "+ "].into_iter().find_map(|mark| text.strip_prefix(mark)).map(str::trim_start)
}

/// The entries of a section about parameters, and the lines before the first one.
fn entries(lines: &[Line], numpy: bool) -> (&[Line], Vec<ParamDoc>) {
    let base = lines.iter().filter(|line| !line.text.trim().is_empty()).map(|line| indent(&line.text)).min();
    let base = base.unwrap_or(0);
    let mut entries: Vec<(ParamDoc, Vec<Line>)> = Vec::new();
    let mut before = 0;
    for line in lines {
        let head = (indent(&line.text) == base).then(|| entry(&line.text, numpy)).flatten();
        match (head, entries.last_mut()) {
            (Some((name, text)), _) => {
                entries.push((ParamDoc { name, text, span: line.span }, Vec::new()));
            }
            (None, Some((_, more))) => more.push(line.clone()),
            (None, None) => before += 1,
        }
    }
    let finish = |(mut entry, more): (ParamDoc, Vec<Line>)| {
        let more = dedent(&more);
        add(&mut entry.text, &more);
        entry
    };
    (&lines[..before], entries.into_iter().map(finish).collect())
}

/// A parameter's name and the text after it: `` * `x` - text ``, `x (int): text`, `x : int`, `x`.
fn entry(text: &str, numpy: bool) -> Option<(String, String)> {
    let listed = bullet(text);
    let text = listed.unwrap_or(text.trim());
    let (name, rest, marked) = match text.chars().next()? {
        '`' => {
            let (name, rest) = text[1..].split_once('`')?;
            (name, rest, true)
        }
        '*' => {
            let (name, rest) = text.strip_prefix("**")?.split_once("**")?;
            (name.trim_matches('`'), rest, true)
        }
        _ => {
            let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
            (&text[..end], &text[end..], false)
        }
    };
    let name = name.split_once(':').map_or(name, |(name, _)| name).trim();
    let legal = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
    };
    if !legal(name) {
        return None;
    }
    let rest = rest.trim();
    // A type in parentheses is between the name and the text.
    let rest = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((_, after)) if after.trim_start().starts_with([':', '-', '\u{2013}', '\u{2014}']) => {
            after.trim()
        }
        _ => rest,
    };
    let text = rest
        .strip_prefix([':', '-', '\u{2013}', '\u{2014}', '='])
        .map(|rest| rest.trim_start_matches(['-', '>']).trim());
    match text {
        // In NumPy style a type follows the colon; the text is indented below.
        _ if numpy && (rest.is_empty() || rest.starts_with(':')) => Some((name.to_owned(), String::new())),
        Some(text) => Some((name.to_owned(), text.to_owned())),
        None if rest.is_empty() => Some((name.to_owned(), String::new())),
        None if marked && listed.is_some() => Some((name.to_owned(), rest.to_owned())),
        None => None,
    }
}
