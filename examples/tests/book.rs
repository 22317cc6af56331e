//! The book: `SUMMARY.md` names each chapter, chapters are short, and tables and files that it shows are those of the code. All documents:
//! their links lead somewhere, and the files that they name exist. `examples/build.rs` has the chapters compiled and run.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use onionskin_vocabulary::agent::Field;
use onionskin_vocabulary::options;

const SUMMARY: &str = include_str!("../../docs/book/src/SUMMARY.md");
const VALUES: &str = include_str!("../../docs/book/src/reference/tool-values.md");
/// The code of the rows of `VALUES`.
const VALUES_CODE: [&str; 3] = [
    include_str!("../../docs/book/src/guides/tool-values.md"),
    include_str!("../../docs/book/src/guides/more-tool-values.md"),
    include_str!("../../docs/book/src/guides/scripts.md"),
];
const WORKFLOWS: &str = include_str!("../../docs/book/src/guides/workflows.md");

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The Markdown files of a folder and of the folders in it.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages.extend(pages_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    pages
}

/// `pages`, without the folders that hold no documents.
fn pages_below(folder: &Path) -> Vec<PathBuf> {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if name == "target" || name.starts_with('.') { Vec::new() } else { pages(folder) }
}

/// The lines of a page that are not in a block of code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut code = None;
    page.lines().filter(move |line| {
        let fence = ["```", "~~~"].into_iter().find(|fence| line.trim_start().starts_with(fence));
        let is_prose = code.is_none() && fence.is_none();
        match (code, fence) {
            (None, _) => code = fence,
            (Some(_), fence) if code == fence => code = None,
            (Some(_), _) => {}
        }
        is_prose
    })
}

/// The targets of a page's links.
fn links(page: &str) -> Vec<&str> {
    prose(page)
        .flat_map(|line| line.split("](").skip(1))
        .map(|rest| rest.split(')').next().unwrap())
        .collect()
}

/// A heading as its anchor.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn anchors(page: &str) -> BTreeSet<String> {
    let headings = prose(page).filter_map(|line| line.strip_prefix('#'));
    headings.map(|heading| slug(heading.trim_start_matches('#').trim())).collect()
}

#[test]
fn the_summary_names_each_chapter_once() {
    let src = root().join("docs/book/src");
    let named = links(SUMMARY);
    let there: BTreeSet<_> = pages(&src)
        .iter()
        .map(|page| page.strip_prefix(&src).unwrap().to_str().unwrap().to_owned())
        .filter(|page| page != "SUMMARY.md")
        .collect();
    assert!(there.len() > 50, "{there:?}");
    assert_eq!(named.iter().map(|page| (*page).to_owned()).collect::<BTreeSet<_>>(), there);
    assert_eq!(named.len(), there.len(), "a chapter is named twice");
}

#[test]
fn chapters_are_short() {
    for page in pages(&root().join("docs/book/src")) {
        let lines = fs::read_to_string(&page).unwrap().lines().count();
        assert!(lines < 350, "{} has {lines} lines: split it", page.display());
    }
}

/// Links to other files of the repository and to their headings. rustdoc follows those to items.
#[test]
fn every_link_leads_somewhere() {
    let mut followed = 0;
    let mut broken = Vec::new();
    for page in pages(root()) {
        let text = fs::read_to_string(&page).unwrap();
        let is_path = |link: &&str| !["://", "::", "@", " "].iter().any(|mark| link.contains(mark));
        for link in links(&text).into_iter().filter(is_path) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.with_file_name("").join(file) };
            let leads = target.exists()
                && (anchor.is_empty() || anchors(&fs::read_to_string(&target).unwrap()).contains(anchor));
            if !leads {
                broken.push(format!("{}: {link}", page.display()));
            }
            followed += 1;
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(followed > 300, "only {followed} links were found");
}

/// Files and folders in backticks, such as `runtime/core/src/docs`. `macros/keys.rs` is short for `macros/src/keys.rs`.
#[test]
fn documents_name_files_and_folders_that_exist() {
    let root = root();
    let roots: BTreeSet<_> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let mut documents = pages(&root.join("docs"));
    documents.extend(["README.md", "CONTRIBUTING.md"].map(|page| root.join(page)));
    let (mut found, mut missing) = (0, Vec::new());
    for page in documents {
        let text = fs::read_to_string(&page).unwrap();
        for path in prose(&text).flat_map(|line| line.split('`').skip(1).step_by(2)) {
            let Some((first, rest)) = path.split_once('/').filter(|_| !path.contains([' ', '*'])) else {
                continue;
            };
            if roots.contains(first.as_ref() as &std::ffi::OsStr) {
                found += 1;
                if !root.join(path).exists() && !root.join(first).join("src").join(rest).exists() {
                    missing.push(format!("{}: {path}", page.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(found > 50, "only {found} paths were found");
}

/// The rows of the first table below a heading of one of core's pages for rustdoc. Those of fields are in the vocabulary, and
/// the page behind them has the last one.
fn table(page: &str, heading: &str) -> Vec<String> {
    if page == "agent.md" {
        let page = fs::read_to_string(root().join("runtime/core/src/docs/agent_fields.md")).unwrap();
        let head = ["| field | meaning |".to_owned(), "|---|---|".to_owned()];
        let fields = Field::all().map(|field| format!("|{} |", field.row().join(" |")));
        let last = page.lines().take_while(|line| line.starts_with('|')).map(str::to_owned);
        return head.into_iter().chain(fields).chain(last).map(|row| without_items(&row)).collect();
    }
    if heading == "Options" {
        let head = ["| option | what it does |".to_owned(), "|---|---|".to_owned()];
        let options = options::named(page.trim_end_matches(".md"))
            .unwrap()
            .iter()
            .map(|option| format!("|{} |{} |", option.forms, option.does));
        return head.into_iter().chain(options).map(|row| without_items(&row)).collect();
    }
    let page = fs::read_to_string(root().join("runtime/core/src/docs").join(page)).unwrap();
    let (_, below) = page.split_once(&format!("\n# {heading}\n")).unwrap();
    let rows =
        below.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    rows.map(without_items).collect()
}

/// A row without its links to items, which only rustdoc can follow.
fn without_items(row: &str) -> String {
    let mut parts = row.split("](");
    let mut plain = parts.next().unwrap().to_owned();
    for part in parts {
        let (target, rest) = part.split_once(')').unwrap();
        if target.contains("crate::") {
            plain.remove(plain.rfind('[').unwrap());
        } else {
            plain.push_str(&format!("]({target})"));
        }
        plain.push_str(rest);
    }
    plain
}

/// A chapter with the tables that its lines `<!-- table: agent.md, Fields -->` name, in place of those that follow these lines.
fn with_tables(chapter: &str) -> String {
    let mut lines = chapter.lines().peekable();
    let mut whole = Vec::new();
    while let Some(line) = lines.next() {
        whole.push(line.to_owned());
        let named = line.strip_prefix("<!-- table: ").and_then(|rest| rest.strip_suffix(" -->"));
        if let Some((page, heading)) = named.and_then(|named| named.split_once(", ")) {
            while lines.next_if(|line| line.is_empty() || line.starts_with('|')).is_some() {}
            whole.push(String::new());
            whole.extend(table(page, heading));
            whole.extend(lines.peek().map(|_| String::new()));
        }
    }
    whole.join("\n") + "\n"
}

/// `TRYBUILD=overwrite` writes the tables anew.
#[test]
fn tables_of_fields_and_options_are_those_of_the_macros_documentation() {
    let mut count = 0;
    for page in pages(&root().join("docs/book/src")) {
        let chapter = fs::read_to_string(&page).unwrap();
        let expected = with_tables(&chapter);
        count += chapter.matches("<!-- table: ").count();
        if std::env::var_os("TRYBUILD").is_some_and(|word| word == "overwrite") {
            fs::write(&page, &expected).unwrap();
        } else {
            assert_eq!(chapter, expected, "{}: TRYBUILD=overwrite writes its tables anew", page.display());
        }
    }
    assert!(count > 5, "only {count} tables were found");
}

/// The methods of the Python class, in the order of its own guide.
const SHOWN: [&str; 48] = [
    "ToolSpec.from_function(search_database)",
    "from_function(.., parse_docstring=False)",
    "from_function(.., examples=[..])",
    "ToolSpec.from_mcp(mcp_tool)",
    "ToolSpec.from_code(code, func_name, env)",
    "tool.bind(param=\"user_id\", default=\"user123\")",
    "tool.bind(param=\"api_key\", state_key=\"config.api.key\", default=\"default_key\")",
    "tool.bind(param=\"user_session\", state_key=\"session\")",
    "Binds",
    "tool.state[\"user_id\"] = \"user456\"",
    "tool.state = {\"config\": ..}",
    "tool.unbind(param=\"user_id\")",
    "tool.call(query=\"test\", limit=5)",
    "tool.exec(query=\"test\", limit=5)",
    "tool(query=\"test\")",
    "await tool.acall(query=\"test\", limit=5)",
    "await tool.aexec(query=\"test\", limit=5)",
    "result.structured_content",
    "the result's time and errors",
    "tool.name`, `tool.description",
    "tool.examples",
    "tool.input_schema",
    "tool.params",
    "tool.output_schema",
    "tool.docstring",
    "tool.code",
    "tool.signature()",
    "tool.signature(query='example', limit=10)",
    "tool.to_prompt()",
    "tool.to_mcp()",
    "tool.to_fastmcp()",
    "tool.to_jsonschema()",
    "\"strict\": True",
    "tool.to_jsonschema(custom_field=\"value\")",
    "class MyKnowledgeBase(ToolRegistry)",
    "@reg_toolspec(parse_docstring=True)",
    "@reg_toolspec(description=\"..\", output_schema={..})",
    "kb.to_toolspecs()",
    "kb.list_toolspecs()",
    "tool.clone()",
    "new_tool.state[\"user_id\"] = \"different_user\"",
    "tool.binded",
    "tool._clear_cache()",
    // Beyond its guide: lambdas, methods of other libraries.
    "ToolSpec.from_function(lambda ..)",
    "a tool written by hand",
    "the same, calling its live server",
    "the result as a type",
    "FastMCP's `ArgTransform`",
];

/// Text without the space in it.
fn packed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn s_every_row_of_the_value_table_is_compiled() {
    let blocks: String = VALUES_CODE
        .concat()
        .split("```rust")
        .skip(1)
        .map(|block| packed(block.split("\n```").next().unwrap()))
        .collect::<Vec<_>>()
        .join("\n");
    let (mut rows, mut left) = (0, String::new());
    for line in VALUES.lines().filter(|line| line.starts_with("| ")) {
        let line = line.replace("\\|", "\u{0}");
        left.push_str(line.trim_start_matches("| ").split(" | ").next().unwrap());
        left.push('\n');
        let ours = line.trim_end_matches(" |").rsplit(" | ").next().unwrap().replace('\u{0}', "|");
        let Some(code) = ours.trim().strip_prefix('`').and_then(|code| code.strip_suffix('`')) else {
            continue;
        };
        assert!(blocks.contains(&packed(code)), "`{code}` is in no block of the chapters");
        rows += 1;
    }
    let missing: Vec<_> = SHOWN.iter().filter(|shown| !left.contains(**shown)).collect();
    assert!(missing.is_empty(), "the table has no row for {missing:?}");
    // One of those needs no code, and five forms of export exist only here.
    assert_eq!(rows, SHOWN.len() - 1 + 5);
}

#[test]
fn c4_the_book_shows_the_files_of_the_workflow() {
    for part in ["orchestrator", "agents", "tools", "hooks"] {
        let path = format!("{}/workflows/Generator/{part}.json", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        assert!(WORKFLOWS.contains(&format!("```json\n{}\n```\n", text.trim_end())), "{part}.json:\n{text}");
    }
}
