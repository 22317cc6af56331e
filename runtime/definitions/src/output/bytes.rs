//! How much memory an output takes.

use std::io;

use serde::Serialize;

use super::ToolOutput;
use crate::content::ContentBlock;

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolOutput {
    /// The bytes of the output: those of its texts, and of all else as JSON. Typed values of the program are not counted.
    pub fn bytes(&self) -> usize {
        let block = |block| ContentBlock::as_text(block).map_or_else(|| json_bytes(block), str::len);
        let rare = self.rare.0.as_deref().map_or(0, |rare| {
            json_bytes(&*rare.structured)
                + rare.exact.as_deref().map_or(0, str::len)
                + json_bytes(&rare.remote)
        });
        self.content().iter().map(block).sum::<usize>() + rare
    }
}

fn json_bytes(value: &impl Serialize) -> usize {
    struct Counted(usize);

    impl io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut counted = Counted(0);
    // What cannot be written has no bytes.
    let _ = serde_json::to_writer(&mut counted, value);
    counted.0
}
