//! The tool `skills.read` shows a skill to the model.

use std::path::Path;

use onionskin_core::spec::for_each_run;
use onionskin_core::text::nearest;
use onionskin_core::{Args, Effect, Exit, Tool, ToolContext, ToolDefinition, ToolError, ToolResult};
use onionskin_vocabulary::SKILL_FOLDERS;
use serde::Deserialize;
use serde_json::json;

use super::Skills;
use super::load::Skill;
use crate::definition::definition as built_in;
use crate::filesystem::{Filesystem, TIMEOUT, Work, files, on_thread, page_arguments, read_page};
use crate::names::{shown, shown_path};
use crate::source::Source;

/// The most levels of folders and the most files that are listed with the instructions.
const MAX_DEPTH: u32 = 4;
const MAX_FILES: usize = 50;

/// The arguments, as the schema has them.
#[derive(Deserialize)]
struct Arguments {
    name: String,
    file: Option<String>,
    from: Option<u64>,
    lines: Option<u64>,
}

/// The skills that the program provides, or else the skills of the working directory.
pub(super) fn provided() -> Source<Skills> {
    let folder = SKILL_FOLDERS.iter().find(|folder| Path::new(folder).is_dir());
    Source::Provided(match folder {
        Some(folder) => Skills::at(folder).map_err(|error| error.to_string()),
        None => Err(format!(
            "`skills.read` has no skills, because there is none of the folders {}: make them as `skills/NAME/SKILL.md`, or give the \
             program `.provide(Skills::at(..)?)`",
            SKILL_FOLDERS.map(|folder| format!("`{folder}`")).join(", ")
        )),
    })
}

/// The tool `skills.read`.
pub(super) struct ReadSkill {
    definition: ToolDefinition,
    source: Source<Skills>,
}

impl ReadSkill {
    pub(super) fn new(source: Source<Skills>) -> Self {
        let mut definition = definition();
        match &source {
            Source::Own(skills) => definition.instructions = Some(instructions(skills).into()),
            Source::Provided(default) => {
                let default = default.clone();
                definition =
                    for_each_run(definition.may_take_service::<Skills>(), move |mut definition, run| {
                        let text = match run.provided::<Skills>() {
                            Ok(skills) => instructions(&skills),
                            Err(_) => instructions(default.as_ref().map_err(Clone::clone)?),
                        };
                        definition.instructions = Some(text.into());
                        Ok(definition)
                    });
            }
        }
        Self { definition, source }
    }
}

/// The text for the system prompt.
fn instructions(skills: &Skills) -> String {
    let lines = skills.0.iter().map(|Skill { name, description, .. }| format!("\n- {name}: {description}"));
    format!(
        "A skill is a set of instructions for a kind of task. Before you begin a task that one of these skills fits, read the skill with \
         the tool `skills_read`, and follow it:{}",
        lines.collect::<String>()
    )
}

fn definition() -> ToolDefinition {
    let description = "Reads the instructions of a skill, or another file of it. A long text comes in pages: the result says where to go on.";
    let [from, lines] = page_arguments();
    let arguments = json!({
        "name": { "type": "string", "description": "The name of the skill." },
        "file": {
            "type": ["string", "null"],
            "description": "A file in the folder of the skill, such as `references/forms.md`; default its instructions."
        },
        "from": from,
        "lines": lines
    });
    let mut definition = built_in(ReadSkill::NAME, description, Effect::Pure, &["name"], arguments);
    definition.annotations.open_world = Some(false);
    definition.timeout = Some(TIMEOUT);
    definition
}

impl Tool for ReadSkill {
    const NAME: &'static str = "skills.read";
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn run(&self, cx: &ToolContext, args: &mut Args) -> ToolResult {
        let Arguments { name, file, from, lines } = args.read()?;
        let skills = self.source.resolve(cx)?;
        let skill = skills.get(&name).ok_or_else(|| unknown(&name, &skills))?.clone();
        let filesystem = Filesystem::in_folder(skill.folder()?);
        on_thread(cx, filesystem, move |work| match file {
            Some(file) => read_page(work, &file, from, lines),
            None => instructions_of(work, skill.file, from, lines),
        })
        .await
    }
}

/// The instructions of a skill. Their beginning comes with the names of its other files.
fn instructions_of(work: &Work, file: &str, from: Option<u64>, lines: Option<u64>) -> ToolResult {
    let mut output = read_page(work, file, from, lines)?;
    let mut others = Vec::new();
    let more = files(work, work.filesystem.handle(), "", MAX_DEPTH, MAX_FILES, &mut others)?;
    others.retain(|other| other != file);
    if from.is_none() && !others.is_empty() {
        let names: Vec<_> = others.iter().map(|other| shown(other)).collect();
        let more = if more { ", and more" } else { "" };
        output.push_text(format!(
            "[Other files of the skill, to read with `file`: {}{more}]",
            names.join(", ")
        ));
    }
    Ok(output)
}

fn unknown(name: &str, skills: &Skills) -> Exit {
    let near = nearest(name, skills.names()).map(|near| format!(" Did you mean `{near}`?"));
    let names: Vec<_> = skills.names().map(|name| format!("`{name}`")).collect();
    let text = format!(
        "there is no skill `{}`.{} There are: {}",
        shown_path(name),
        near.unwrap_or_default(),
        names.join(", ")
    );
    Exit::Tool(ToolError::new(text))
}
