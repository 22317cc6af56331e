//! The file of a recording.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_saphyr::{SerializerOptions, ser_options};

use super::VARIABLE;
use super::entry::Entry;
use super::error::CassetteError;
use super::stored::StoredTape;

/// The maximum size of a file, in bytes.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// The number of files that this program has begun to write. Two paths can lead to one file, so a file in work needs its number in its name.
static WRITES: AtomicU64 = AtomicU64::new(0);

/// The width of folded texts, in characters.
const WIDTH: usize = 100;

pub(super) fn read(file: &Path) -> Result<Vec<Entry>, CassetteError> {
    let text = read_text(file).map_err(|source| {
        let file = file.to_owned();
        if source.kind() == io::ErrorKind::NotFound {
            CassetteError::NotRecorded { file }
        } else {
            CassetteError::Read { file, source }
        }
    })?;
    parse(&text).map_err(|reason| CassetteError::Content { file: file.to_owned(), reason })
}

fn read_text(file: &Path) -> io::Result<String> {
    // A pipe or a device may never end, and opening it may block forever.
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::other("this is not a file"));
    }
    let mut text = String::new();
    fs::File::open(file)?.take(MAX_FILE_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(too_large());
    }
    Ok(text)
}

fn too_large() -> io::Error {
    io::Error::other(format!("it has more than {} MiB", MAX_FILE_BYTES >> 20))
}

fn parse(text: &str) -> Result<Vec<Entry>, String> {
    let tape: StoredTape =
        serde_saphyr::from_str(text).map_err(|error| error.without_snippet().to_string())?;
    tape.load()
}

/// Writes the file by a rename, so that there is never half a file.
pub(super) fn write(file: &Path, entries: &[Entry]) -> Result<(), CassetteError> {
    let failed = |source| CassetteError::Write { file: file.to_owned(), source };
    let text = text(entries).map_err(io::Error::other).map_err(failed)?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(failed(too_large()));
    }
    // A replay must have exactly what was recorded.
    match parse(&text) {
        Ok(again) if again == entries => {}
        Ok(_) => return Err(failed(io::Error::other("the entries change when they are read back"))),
        Err(reason) => return Err(failed(io::Error::other(format!("they cannot be read back: {reason}")))),
    }
    replace(file, &text).map_err(failed)
}

fn text(entries: &[Entry]) -> Result<String, String> {
    let tape = StoredTape::new(entries).map_err(|error| error.to_string())?;
    let options: SerializerOptions = ser_options! { folded_wrap_chars: WIDTH };
    let mut text = format!(
        "# Recorded conversations with a model. To record them again, run the test with {VARIABLE}=1.\n"
    );
    serde_saphyr::to_fmt_writer_with_options(&mut text, &tape, options).map_err(|error| error.to_string())?;
    Ok(text)
}

fn replace(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let Some(name) = file.file_name() else {
        return Err(io::Error::other("this is not the name of a file"));
    };
    let mut name = name.to_owned();
    name.push(format!(".{}-{}.tmp", std::process::id(), WRITES.fetch_add(1, Ordering::Relaxed)));
    let unfinished = file.with_file_name(name);
    let replaced = fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, file));
    if replaced.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&unfinished);
    }
    replaced
}
