//! Reads lines as they come, each of a bounded length.

use std::io::{BufRead, Read as _};

/// The bytes of a line, its end included. A longer one is refused.
const LONGEST_LINE: u64 = 1 << 20;

/// Why a line is refused that is not text.
pub(crate) const NOT_TEXT: &str = "the line is not UTF-8 text";

/// The line, or the event that came in its place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReadLine {
    Line(String),
    /// Why a line is refused: it is not UTF-8, or it is too long.
    Refused(String),
    /// Ctrl-C, from an editor.
    Interrupted,
    End,
    Failed(String),
}

/// Reads a line, and keeps a bounded part of it.
pub(crate) fn read(input: &mut impl BufRead) -> ReadLine {
    let mut line = Vec::new();
    let read = input.take(LONGEST_LINE).read_until(b'\n', &mut line);
    let is_too_long = line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n");
    let skipped = if is_too_long { input.skip_until(b'\n') } else { Ok(0) };
    if let Err(error) = read.and(skipped) {
        return ReadLine::Failed(error.to_string());
    }
    match String::from_utf8(line) {
        _ if is_too_long => too_long(),
        Ok(line) if line.is_empty() => ReadLine::End,
        Ok(line) => ReadLine::Line(line),
        Err(_) => ReadLine::Refused(NOT_TEXT.to_owned()),
    }
}

/// A line that was read whole, if it is not too long.
pub(crate) fn bounded(line: String) -> ReadLine {
    if line.len() as u64 >= LONGEST_LINE { too_long() } else { ReadLine::Line(line) }
}

fn too_long() -> ReadLine {
    ReadLine::Refused(format!("the line has more than {} KiB", LONGEST_LINE >> 10))
}

#[cfg(test)]
mod tests {
    use std::io::{self, BufReader, Cursor};

    use super::*;

    #[test]
    fn o1_lines_are_read_bounded_and_one_after_the_other() {
        let long = io::repeat(b'x').take(3 << 20);
        let input =
            Cursor::new("a\n\u{fc}").chain(Cursor::new("\n\n")).chain(long).chain(Cursor::new("\nlast"));
        let mut input = BufReader::new(input);
        let mut typed = || read(&mut input);
        assert_eq!(typed(), ReadLine::Line("a\n".to_owned()));
        assert_eq!(typed(), ReadLine::Line("ü\n".to_owned()));
        assert_eq!(typed(), ReadLine::Line("\n".to_owned()));
        assert_eq!(typed(), ReadLine::Refused("the line has more than 1024 KiB".to_owned()));
        assert_eq!((typed(), typed()), (ReadLine::Line("last".to_owned()), ReadLine::End));
        assert!(matches!(read(&mut Cursor::new(b"\xff\n")), ReadLine::Refused(_)));
    }
}
