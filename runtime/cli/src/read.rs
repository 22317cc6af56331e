//! Reads the small files that configure a program.

use std::fs;
use std::io;
use std::path::Path;

use crate::failure::Failure;

/// The largest file that is read.
const MAX_BYTES: u64 = 64 << 10;

/// The text of a file; none if there is no such file.
pub(crate) fn read_text(file: &Path) -> Result<Option<String>, Failure> {
    let failed = |reason: String| Failure::new(format!("cannot read `{}`: {reason}", file.display()));
    match fs::metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error.to_string())),
        Ok(found) if !found.is_file() => return Err(failed("it is not a file".to_owned())),
        Ok(found) if found.len() > MAX_BYTES => {
            return Err(failed(format!("it has more than {MAX_BYTES} bytes")));
        }
        Ok(_) => {}
    }
    fs::read_to_string(file).map(Some).map_err(|error| failed(error.to_string()))
}
