use std::fmt::Write as _;
use std::path::Path;

use clap::Parser;
use onionskin_cards::Text;
use onionskin_vocabulary::agent::TextField;
use onionskin_vocabulary::placeholders::{TextPiece, split};
use proptest::prelude::*;

use super::tool_names::{TOOL_ROWS, Tool};
use super::types::{PARAMS, PLACES, ParamPlace, Place, TYPES};
use super::*;

const PAGE: &str = "../../docs/book/src/guides/import.md";

/// The table of the page that has this name.
fn table(name: &str) -> String {
    let mut table = String::new();
    let mut row = |cells: [&str; 2]| _ = writeln!(table, "| {} | {} |", cells[0], cells[1]);
    let fields = [("claude", Kind::Claude), ("vscode", Kind::Vscode), ("fast-agent", Kind::FastAgent)];
    if let Some((_, kind)) = fields.into_iter().find(|(known, _)| *known == name) {
        row(["field", "here"]);
        row(["---", "---"]);
        kind.fields().iter().for_each(|field| row([&format!("`{}`", field.field), &here(field)]));
    } else if name == "tools" {
        row(["tools", "here"]);
        row(["---", "---"]);
        for tool in TOOL_ROWS {
            let here = match tool.tool {
                Tool::BuiltIn(tools) => listed(tools.iter().map(|tool| tool.word())),
                Tool::Agents => "`agents`, if it names them: `Task(reviewer)`; otherwise left out".to_owned(),
                Tool::Left(why) => format!("left out: {why}"),
            };
            row([&listed(tool.names.iter().copied()), &here]);
        }
    } else if name == "types" {
        row(["`type`", "here"]);
        row(["---", "---"]);
        for (kind, _, here) in TYPES {
            row([&format!("`{kind}`"), here]);
        }
    } else if name == "parameters" {
        row(["parameter", "here"]);
        row(["---", "---"]);
        for (param, place) in PARAMS {
            let here = match place {
                ParamPlace::Param(param) => format!("`request_params: {{ {param}: .. }}`"),
                ParamPlace::Limit(limit) => format!("`limits: {{ {limit}: .. }}`"),
            };
            row([&format!("`{param}`"), &here]);
        }
    } else if name == "placeholders" {
        row(["place", "here"]);
        row(["---", "---"]);
        for (place, becomes, here) in PLACES {
            let text = "the text of the file, if it is a Markdown file of the working directory; otherwise ";
            let text = if matches!(becomes, Place::File) { text } else { "" };
            row([&format!("`{{{{{place}}}}}`"), &format!("{text}{here}")]);
        }
    } else {
        panic!("there is no table {name}");
    }
    table
}

fn here(row: &fields::Row) -> String {
    let left = if matches!(row.take, fields::Take::Left) { "left out: " } else { "" };
    format!("{left}{}", row.here)
}

fn listed<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// `TRYBUILD=overwrite` writes the tables anew.
#[test]
fn c6_the_tables_of_the_book_are_those_of_the_import() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = fs::read_to_string(&path).unwrap();
    let (mut whole, mut tables) = (Vec::new(), 0);
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        whole.push(line.to_owned());
        if let Some(name) = line.strip_prefix("<!-- import: ").and_then(|rest| rest.strip_suffix(" -->")) {
            while lines.next_if(|line| line.is_empty() || line.starts_with('|')).is_some() {}
            whole.extend([String::new(), table(name)]);
            tables += 1;
        }
    }
    let expected = whole.join("\n") + "\n";
    if std::env::var_os("TRYBUILD").is_some_and(|word| word == "overwrite") {
        fs::write(&path, expected).unwrap();
    } else {
        assert_eq!(page, expected, "TRYBUILD=overwrite writes its tables anew");
    }
    assert_eq!(tables, 7);
}

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    import: ImportArguments,
}

/// A field of any program with a value that perhaps does not fit.
fn fields() -> impl Strategy<Value = String> {
    let kinds = [Kind::Claude, Kind::Vscode, Kind::FastAgent];
    let names: Vec<&str> = kinds.iter().flat_map(|kind| kind.fields()).map(|row| row.field).collect();
    let name = prop_oneof![proptest::sample::select(names).prop_map(str::to_owned), "[a-z_-]{1,9}"];
    let tools: Vec<&str> = TOOL_ROWS.iter().flat_map(|row| row.names).copied().collect();
    let types: Vec<&str> = TYPES.iter().map(|(kind, ..)| *kind).collect();
    let value = prop_oneof![
        proptest::sample::select(tools.clone()).prop_map(str::to_owned),
        proptest::collection::vec(proptest::sample::select(tools), 0..4)
            .prop_map(|tools| format!("[{}]", tools.join(", "))),
        proptest::sample::select(types).prop_map(str::to_owned),
        "[a-c]|\\[a, b, c\\]|true|false|-?[0-9]{1,3}|sonnet|GPT-5 \\(copilot\\)|Bash\\(git \\*\\), Task\\(b\\)|mcp__a__b, x/\\*",
        "\\{ [a-z_]{1,9}: [0-9a-z]{1,3}, max_iterations: [0-9-]{1,2} \\}",
        "\\PC{0,20}",
        Just("\n  - a\n  - b: [c]".to_owned()),
    ];
    (name, value).prop_map(|(name, value)| format!("{name}: {value}\n"))
}

/// The text as a model gets it.
fn read_text(text: &str) -> String {
    let read = |piece| match piece {
        TextPiece::Words(words) => words,
        TextPiece::Placeholder(path) => format!("{{{path}}}"),
    };
    split(text).into_iter().map(read).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn c6_any_file_is_imported_or_refused_with_its_line(
        fronts in proptest::collection::vec(proptest::collection::vec(fields(), 0..7), 3),
        body in "[{}a-c \\n]{0,20}|\\PC{0,20}|\\{\\{(currentDate|agents|file:a)\\}\\} b",
        kind in proptest::sample::select(vec!["claude", "vscode", "fast-agent"]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut files = Vec::new();
        for (name, front) in ["a", "b", "c"].into_iter().zip(&fronts) {
            let file = path(&format!("{name}.md"));
            fs::write(&file, format!("---\n{}---\n{body}\n", front.concat())).unwrap();
            files.push(file.display().to_string());
        }
        let out = path("out").display().to_string();
        let arguments = [&["import".to_owned(), "--from".to_owned(), kind.to_owned(), "--out".to_owned(), out][..], &files].concat();
        let ImportArguments { files, from, .. } = Arguments::parse_from(&arguments).import;
        let program = Program::new("onionskin", "1.0.0");
        let servers = Known { servers: ["a", "x"].map(|name| (name.to_owned(), Ok(None))).into(), ..Known::default() };
        let candidates = find::find(&files, from, &path("out")).unwrap();
        let mut imports: Vec<Import> = candidates.iter().filter_map(|file| read(file, &servers)).collect();
        prop_assert_eq!(imports.len(), 3);
        refuse_names(&mut imports, &Arguments::parse_from(&arguments).import);
        let texts = complete(&program, &mut imports).unwrap();
        prop_assert_eq!(texts.len(), drafts(&imports).count());
        fs::create_dir(path("out")).unwrap();
        for (stem, text) in &texts {
            fs::write(card_path(&path("out"), stem), text).unwrap();
        }
        if !texts.is_empty() {
            let loaded = loader(&program).load([path("out")]);
            prop_assert!(loaded.is_ok(), "{}", loaded.unwrap_err());
        }
        for (import, file) in imports.iter().zip(&files) {
            let text = fs::read_to_string(file).unwrap();
            let lines = 1..=text.lines().count();
            match &import.card {
                Ok(draft) => {
                    prop_assert!(draft.notes.iter().all(|note| lines.contains(&note.line)), "{:?}", draft.notes);
                    let Some(Text::Template(instruction)) = draft.card.text(TextField::Instructions) else {
                        panic!("an agent has a text");
                    };
                    if kind != "fast-agent" && !body.trim().is_empty() && !body.contains('\r') {
                        let body = text.split_once("\n---\n").unwrap().1.trim();
                        prop_assert_eq!(read_text(&instruction.value), body);
                    }
                }
                Err(note) => prop_assert!(lines.contains(&note.line) && !note.text.is_empty(), "{note:?}"),
            }
        }
    }
}
