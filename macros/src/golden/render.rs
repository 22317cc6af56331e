//! Errors as rustc shows them.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use proc_macro2::LineColumn;

use super::invocations::CompileError;

/// The errors of a program, each as rustc shows it. `path`: how the program's file is named in them.
///
/// # Errors
///
/// The message of an error that has no place in the program.
pub(super) fn render(program: &str, path: &str, errors: &[CompileError]) -> Result<String, String> {
    let renderer = Renderer::plain().decor_style(DecorStyle::Ascii);
    let shown = errors.iter().map(|error| {
        let Some(place) = &error.place else { return Err(error.message.clone()) };
        let span = offset(program, place.start)..offset(program, place.end);
        let snippet = Snippet::source(program).path(path).annotation(AnnotationKind::Primary.span(span));
        let report = [Level::ERROR.primary_title(error.message.as_str()).element(snippet)];
        Ok(renderer.render(&report) + "\n")
    });
    Ok(shown.collect::<Result<Vec<_>, _>>()?.join("\n"))
}

/// The offset in bytes of a line and a column (in characters).
fn offset(program: &str, at: LineColumn) -> usize {
    let before: usize = program.split_inclusive('\n').take(at.line - 1).map(str::len).sum();
    let columns = program[before..].chars().take(at.column);
    before + columns.map(char::len_utf8).sum::<usize>()
}
