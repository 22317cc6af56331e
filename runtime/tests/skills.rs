//! `skills.read`: skills of other tools, read as they are.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../cards/tests/folder/mod.rs"]
mod folder;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use folder::folder;
use onionskin::builtin::skills::{Skills, SkillsError};
use onionskin::declaration::AgentDeclaration;
use onionskin::{
    Agent, Args, BuildError, DynTool, Effect, Exit, RunError, ScriptedModel, ScriptedTurn, ToolContext,
    ToolResult, agent,
};
use serde_json::{Value, json};

agent! {
    Baker { instruction: "Bake.", runtime: [skills.read] }
    Plain { instruction: "Bake." }
}

const PLUM: &str = "---\nname: plum-cake\ndescription: Bakes plum cakes.\n---\n\nStone the plums.\n";

async fn read(skills: &Skills, args: Value) -> ToolResult {
    let cx = ToolContext::detached("skills.read");
    skills.read_tool().run_dyn(&cx, &mut Args::from(args.to_string())).await
}

async fn text(skills: &Skills, args: Value) -> String {
    read(skills, args).await.unwrap().to_text().into_owned()
}

async fn error(skills: &Skills, args: Value) -> String {
    match read(skills, args).await.unwrap_err() {
        Exit::Tool(error) => error.to_text().into_owned(),
        other => panic!("{other}"),
    }
}

/// The error for a `SKILL.md`, after the path of the folder.
fn mistake(text: &str) -> String {
    let folder = folder(&[("s/SKILL.md", text)]);
    let error = Skills::at(folder.path()).unwrap_err().to_string();
    error.strip_prefix(&format!("{}/", folder.path().display())).unwrap_or(&error).to_owned()
}

#[tokio::test]
async fn a6_names_and_descriptions_are_in_the_prompt_and_bodies_come_on_demand() {
    let folder = folder(&[
        ("plum-cake/SKILL.md", PLUM),
        ("plum-cake/references/tins.md", "28 cm"),
        (
            "bread/SKILL.md",
            "---\nname: bread\ndescription: |\n  Bakes bread.\n  Use it daily.\n---\nKnead.\n",
        ),
        ("README.md", "Our skills."),
    ]);
    let model = ScriptedModel::turns([
        ScriptedTurn::call("skills_read", json!({ "name": "plum-cake" })),
        ScriptedTurn::call("skills_read", json!({ "name": "plum-cake", "file": "references/tins.md" })),
        ScriptedTurn::say("{last}"),
    ]);
    let model = Arc::new(model);
    let baker = Baker::builder().model(Arc::clone(&model)).provide(Skills::at(folder.path()).unwrap());
    let output = baker.run("A cake.").await.unwrap();
    assert_eq!(output.text, "28 cm");
    let first = output.tool_calls[0].to_text();
    assert!(first.contains("Stone the plums.") && first.contains("references/tins.md]"), "{first}");
    let requests = model.requests();
    let prompt = requests[0].system.as_deref().unwrap();
    assert!(
        prompt.ends_with("\n- bread: Bakes bread. Use it daily.\n- plum-cake: Bakes plum cakes."),
        "{prompt}"
    );
    assert!(
        prompt.contains("`skills_read`") && !prompt.contains("Stone") && !prompt.contains("Knead"),
        "{prompt}"
    );
}

#[tokio::test]
async fn a6_a_skill_is_read_in_pages_and_nothing_beside_it() {
    let long = format!("{PLUM}{}", "Stir.\n".repeat(20_000));
    let folder = folder(&[
        ("skills/plum-cake/SKILL.md", &long),
        ("skills/bread/SKILL.md", "---\ndescription: Bread.\n---\n"),
        ("secret", "secret"),
    ]);
    symlink("../../secret", folder.path().join("skills/plum-cake/out")).unwrap();
    symlink(folder.path().join("secret"), folder.path().join("skills/plum-cake/absolute")).unwrap();
    let skills = Skills::at(folder.path().join("skills")).unwrap();
    assert!(text(&skills, json!({ "name": "plum-cake" })).await.contains("Go on with `from` = "));
    assert_eq!(
        text(&skills, json!({ "name": "plum-cake", "from": 6, "lines": 1 })).await.lines().next(),
        Some("Stone the plums.")
    );
    let absolute = folder.path().join("secret").to_string_lossy().into_owned();
    for file in ["../bread/SKILL.md", "../../secret", "out", "absolute", &absolute, "..", ".", "", "no-such"]
    {
        let text = error(&skills, json!({ "name": "plum-cake", "file": file })).await;
        assert!(!text.contains("Bread") && text != "secret", "{file}: {text}");
    }
    for name in ["plum-cak", "../secret", ""] {
        let text = error(&skills, json!({ "name": name })).await;
        assert!(text.contains("There are: `bread`, `plum-cake`"), "{text}");
        assert_eq!(text.contains("Did you mean `plum-cake`?"), name == "plum-cak", "{text}");
    }
}

#[test]
fn a6_skills_of_other_tools_are_read_as_they_are() {
    let real = "---\r\nname: PDF Processing\r\ndescription: 'Fills forms: \"all\" of them.'\r\nlicense: Proprietary. LICENSE.txt has complete terms\r\n\
                allowed-tools: Bash(git:*) Read\r\nmetadata:\r\n  author: example-org\r\n  version: \"1.0\"\r\nmodel: opus\r\nhooks:\r\n  PreToolUse:\r\n    - matcher: Bash\r\n---\r\n# PDF\r\n";
    let folder = folder(&[
        ("a-folder-of-another-name/SKILL.md", real),
        (
            "unnamed/SKILL.md",
            "\u{feff}---\ndescription: >-\n  Folded\n  text.\nallowed-tools: [Read]\n---   \nBody.\n---\n",
        ),
        ("lower/skill.md", "---\nname: lower\ndescription: Lower case.\n---"),
        ("notes/README.md", "No skill."),
        (".DS_Store", ""),
        ("linked/SKILL.md", "---\nname: linked\ndescription: Elsewhere.\n---\n"),
    ]);
    let root = tempfile::tempdir().unwrap();
    symlink(folder.path().join("linked"), root.path().join("link")).unwrap();
    let skills = Skills::at(folder.path()).unwrap();
    assert_eq!(skills.names().collect::<Vec<_>>(), ["PDF Processing", "linked", "lower", "unnamed"]);
    assert_eq!(skills.description("PDF Processing"), Some("Fills forms: \"all\" of them."));
    assert_eq!(skills.description("unnamed"), Some("Folded text."));
    assert_eq!(Skills::at(root.path()).unwrap().names().collect::<Vec<_>>(), ["linked"]);
    assert_eq!(Skills::at(folder.path().join("lower")).unwrap().names().collect::<Vec<_>>(), ["lower"]);
}

#[test]
fn a6_a_mistake_in_a_skill_has_its_file_line_and_column() {
    for (text, error) in [
        ("# Cake\n", "s/SKILL.md:1:1: front matter is missing: begin the file with\n---\nname: "),
        ("", "s/SKILL.md:1:1: front matter is missing: "),
        (
            "---\nname: a\n",
            "s/SKILL.md:1:1: the front matter has no end: write a line `---` after its fields",
        ),
        ("---\n---\n", "s/SKILL.md:1:1: `description` is missing: "),
        (
            "---\nname: a\n---\n",
            "s/SKILL.md:1:1: `description` is missing: say what the skill does, and when to use it",
        ),
        ("---\nname: a\ndescription: \"\"\n---\n", "s/SKILL.md:3:14: `description` is empty: "),
        ("---\nname: ' '\ndescription: b\n---\n", "s/SKILL.md:2:7: `name` is empty: "),
        (
            "---\nname: a\ndescription: Use it when: hungry\n---\n",
            "s/SKILL.md:3:25: the front matter is wrong: ",
        ),
        ("---\nname: [a]\ndescription: b\n---\n", "s/SKILL.md:2:7: the front matter is wrong: "),
        ("---\n- a\n---\n", "s/SKILL.md:2:1: the front matter is wrong: "),
        ("---\nname: a\nname: b\ndescription: c\n---\n", "s/SKILL.md:3:1: the front matter is wrong: "),
    ] {
        let found = mistake(text);
        assert!(found.starts_with(error), "{text:?}\n{found}\n{error}");
    }
    let long = mistake(&format!("---\nname: {}\ndescription: b\n---\n", "a".repeat(65)));
    assert_eq!(long, "s/SKILL.md:2:7: `name` has more than 64 characters: shorten it");
    let colon = mistake("---\nname: a\ndescription: Use it when: hungry\n---\n");
    assert!(colon.ends_with("; put a text that contains `: ` or ` #` into quotes"), "{colon}");
}

#[test]
fn a6_all_mistakes_are_said_at_once_and_an_empty_folder_is_one() {
    let two = folder(&[
        ("a/SKILL.md", ""),
        ("b/SKILL.md", "---\n---\n"),
        ("c/SKILL.md", PLUM),
        ("d/SKILL.md", PLUM),
    ]);
    let problems = Skills::at(two.path()).unwrap_err();
    let SkillsError::Several(list) = &problems else { panic!("{problems}") };
    assert_eq!(list.len(), 3);
    assert!(problems.to_string().contains("the skill `plum-cake` is both in "), "{problems}");
    let empty = folder(&[("README.md", "")]);
    let none = Skills::at(empty.path()).unwrap_err().to_string();
    assert!(none.contains("contains no skill: make one as") && none.contains("NAME/SKILL.md"), "{none}");
    let missing = Skills::at("no/such").unwrap_err().to_string();
    assert!(missing.starts_with("cannot read `no/such`: "), "{missing}");
    let [one, other] = [(), ()].map(|()| folder(&[("a/SKILL.md", PLUM)]));
    let twice = Skills::at(one.path()).unwrap().and_at(other.path()).unwrap_err();
    assert!(matches!(twice, SkillsError::Twice { .. }), "{twice}");
}

#[test]
fn a6_hostile_skill_files_end_in_an_error() {
    let bomb = format!(
        "---\na: &a [{}]\nb: &b [{}]\nc: &c [{}]\nd: [{}]\n---\n",
        "x,".repeat(99),
        "*a,".repeat(99),
        "*b,".repeat(99),
        "*c,".repeat(99)
    );
    let deep = format!("---\ndescription: {}\n---\n", "[".repeat(20_000));
    let endless = format!("---\ndescription: {}", "a".repeat(200_000));
    for text in [&bomb, &deep, &endless] {
        mistake(text);
    }
    let folder = folder(&[("ok/SKILL.md", PLUM)]);
    fs::create_dir(folder.path().join("pipe")).unwrap();
    let made =
        std::process::Command::new("mkfifo").arg(folder.path().join("pipe/SKILL.md")).status().unwrap();
    assert!(made.success());
    let text = Skills::at(folder.path()).unwrap_err().to_string();
    assert!(text.contains("is a pipe"), "{text}");
    fs::remove_file(folder.path().join("pipe/SKILL.md")).unwrap();
    fs::write(folder.path().join("pipe/SKILL.md"), b"---\ndescription: caf\xe9\n---\n").unwrap();
    let text = Skills::at(folder.path()).unwrap_err().to_string();
    assert!(text.contains("it is not text in UTF-8"), "{text}");
}

struct ByHand;

impl Agent for ByHand {
    const NAME: &'static str = "ByHand";
    type State = ();

    fn declare() -> AgentDeclaration {
        let skills = Skills::at(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/skills")).unwrap();
        AgentDeclaration::new().instruction("Bake.").runtime_tool(skills.read_tool())
    }
}

#[tokio::test]
async fn a6_an_agent_by_hand_has_skills_of_its_own() {
    let model = ScriptedModel::turns([
        ScriptedTurn::call("skills_read", json!({ "name": "bread" })),
        ScriptedTurn::say("{last}"),
    ]);
    let output = ByHand::builder().model(model).run("Bread.").await.unwrap();
    assert!(output.text.contains("Knead for ten minutes."), "{}", output.text);
}

#[tokio::test]
async fn a6_skills_that_are_missing_or_that_nothing_reads_are_errors() {
    // The tests' working directory has none of the default folders.
    let model = ScriptedModel::turns([ScriptedTurn::say("done")]);
    let run = Baker::builder().model(model).run("A cake.").await.unwrap_err();
    assert!(matches!(run, RunError::ToolDefinition { .. }), "{run:?}");
    assert!(
        run.to_string()
            .contains("make them as `skills/NAME/SKILL.md`, or give the program `.provide(Skills::at(..)?)`"),
        "{run}"
    );
    let folder = folder(&[("plum-cake/SKILL.md", PLUM)]);
    let unused = Plain::builder().model(ScriptedModel::new()).provide(Skills::at(folder.path()).unwrap());
    assert!(matches!(unused.build().await.unwrap_err(), BuildError::UnusedService { .. }));
}

#[test]
fn a6_reading_skills_has_no_effect() {
    let folder = folder(&[("plum-cake/SKILL.md", PLUM)]);
    let skills = Skills::at(folder.path()).unwrap();
    let tool = skills.read_tool();
    let definition = tool.definition();
    assert_eq!((&*definition.name, definition.effect), ("skills.read", Effect::Pure));
    assert_eq!(
        (definition.annotations.read_only, definition.annotations.open_world),
        (Some(true), Some(false))
    );
    assert_eq!(format!("{skills:?}"), r#"Skills["plum-cake"]"#);
}

/// Whether a folder with this `SKILL.md` has one skill, or else an error that names the file, and the line if it is text.
fn is_a_skill_or_a_mistake(text: &[u8]) -> Result<(), String> {
    let folder = folder(&[]);
    fs::create_dir(folder.path().join("s")).unwrap();
    fs::write(folder.path().join("s/SKILL.md"), text).unwrap();
    match Skills::at(folder.path()) {
        Ok(skills)
            if skills.names().all(|name| skills.description(name).is_some_and(|text| !text.is_empty())) =>
        {
            Ok(())
        }
        Ok(skills) => Err(format!("{skills:?}")),
        Err(error) => {
            let error = error.to_string();
            let file = format!("{}/s/SKILL.md", folder.path().display());
            let is_placed = error.starts_with(&format!("{file}:"));
            let is_no_text = error.contains(&file) && std::str::from_utf8(text).is_err();
            if is_placed || is_no_text { Ok(()) } else { Err(error) }
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn a6_any_bytes_are_a_skill_or_a_mistake_with_its_place(bytes: Vec<u8>) {
        proptest::prop_assert_eq!(is_a_skill_or_a_mistake(&bytes), Ok(()));
    }

    #[test]
    fn a6_any_front_matter_is_a_skill_or_a_mistake_with_its_place(
        lines in proptest::collection::vec("(name|description|other)?:? ?[-a-z0-9\\[\\]{}&*!|>'\"%@`# \\t:,?é]{0,16}", 0..6),
        end in "(\n---)?\n?.{0,8}",
    ) {
        let text = format!("---\n{}{end}", lines.join("\n"));
        proptest::prop_assert_eq!(is_a_skill_or_a_mistake(text.as_bytes()), Ok(()));
    }
}
