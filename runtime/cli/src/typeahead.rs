//! Drops text that was typed and is not read: before a question, so that it does not answer the question.

use crate::text;

/// Drops what was typed before a question. Gives a note if there was something.
pub(crate) fn set_aside() -> Option<String> {
    let typed = take_waiting()?;
    Some(format!("dropped, because it was typed before the question: {}", text::first_line(&typed)))
}

/// Takes what waits in the terminal of standard input, lines and a line that was begun.
#[cfg(unix)]
pub(crate) fn take_waiting() -> Option<String> {
    use std::io::{self, IsTerminal as _};

    use nix::sys::termios::{LocalFlags, SetArg, SpecialCharacterIndices, tcgetattr, tcsetattr};

    let input = io::stdin();
    if !input.is_terminal() {
        return None;
    }
    let before = tcgetattr(&input).ok()?;
    let mut waits = before.clone();
    // Reads what there is, also without the end of a line.
    waits.local_flags.remove(LocalFlags::ICANON);
    waits.control_chars[SpecialCharacterIndices::VMIN as usize] = 0;
    waits.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
    tcsetattr(&input, SetArg::TCSANOW, &waits).ok()?;
    let typed = read_waiting();
    // A terminal that is gone has no modes.
    let _ = tcsetattr(&input, SetArg::TCSANOW, &before);
    let typed = String::from_utf8_lossy(&typed).trim().replace(['\r', '\n'], " ");
    (!typed.is_empty()).then_some(typed)
}

#[cfg(unix)]
fn read_waiting() -> Vec<u8> {
    use std::io::Read as _;
    use std::os::fd::AsFd as _;

    /// A terminal holds a few thousand bytes.
    const MOST: u64 = 64 * 1024;

    let mut typed = Vec::new();
    if let Ok(input) = std::io::stdin().as_fd().try_clone_to_owned() {
        // The bytes that were read before an error count.
        let _ = std::fs::File::from(input).take(MOST).read_to_end(&mut typed);
    }
    typed
}

#[cfg(not(unix))]
pub(crate) fn take_waiting() -> Option<String> {
    None
}
