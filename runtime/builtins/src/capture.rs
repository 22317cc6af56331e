//! A bounded copy of a stream: its head and its tail, without secrets.

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncReadExt};

use onionskin_core::secret::StreamRedactor;

/// The part of a stream that was kept. Reading goes on beyond the bound, so that the writer never blocks.
pub(super) struct Capture {
    /// At most so many bytes in each half.
    half: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
    /// Hides secrets before bytes are left out: the rest of a cut secret could not be recognised.
    held: Option<StreamRedactor>,
}

impl Capture {
    pub(super) fn new(most: usize, held: Option<StreamRedactor>) -> Self {
        Self { half: most / 2, head: Vec::new(), tail: VecDeque::new(), left_out: 0, held }
    }

    /// Reads to the end. What was read stays when the future is dropped.
    pub(super) async fn drain(&mut self, stream: Option<impl AsyncRead + Unpin>) {
        let Some(mut stream) = stream else { return };
        let mut buffer = vec![0; 8 * 1024];
        // A pipe that cannot be read any more has nothing more to say.
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            self.push(&buffer[..read]);
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        match &mut self.held {
            Some(held) => {
                let text = held.push_bytes(bytes);
                self.keep(text.as_bytes());
            }
            None => self.keep(bytes),
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(self.half - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..over);
        self.left_out += over as u64;
    }

    /// The text, saying how much was left out in its middle.
    pub(super) fn into_text(mut self) -> String {
        if let Some(mut held) = self.held.take() {
            self.keep(held.finish().as_bytes());
        }
        let Self { mut head, tail, mut left_out, .. } = self;
        let mut tail = Vec::from(tail);
        if left_out == 0 {
            head.append(&mut tail);
            return String::from_utf8_lossy(&head).into_owned();
        }
        // A character that was cut in two is left out as well.
        let end = match std::str::from_utf8(&head) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => head.len(),
        };
        let start = tail.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
        left_out += (head.len() - end + start) as u64;
        format!(
            "{}\n[.. {left_out} bytes left out ..]\n{}",
            String::from_utf8_lossy(&head[..end]),
            String::from_utf8_lossy(&tail[start..])
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Capture;

    fn text(most: usize, pieces: &[&[u8]]) -> String {
        let mut capture = Capture::new(most, None);
        for piece in pieces {
            capture.push(piece);
        }
        capture.into_text()
    }

    #[test]
    fn a6_what_fits_is_kept_whole() {
        assert_eq!(text(8, &[b"abc", b"defgh"]), "abcdefgh");
        assert_eq!(text(8, &["äöüß".as_bytes()]), "äöüß");
        assert_eq!(text(8, &[]), "");
    }

    #[test]
    fn a6_head_and_tail_are_kept_of_more() {
        assert_eq!(text(4, &[b"a", b"bcdefg", b"hi"]), "ab\n[.. 5 bytes left out ..]\nhi");
        assert_eq!(text(0, &[b"abc"]), "\n[.. 3 bytes left out ..]\n");
    }

    #[test]
    fn a6_no_character_is_cut_in_two() {
        assert_eq!(text(6, &["aäääääa".as_bytes()]), "aä\n[.. 6 bytes left out ..]\näa");
        assert_eq!(text(6, &["ääääää".as_bytes()]), "ä\n[.. 8 bytes left out ..]\nä");
    }
}
