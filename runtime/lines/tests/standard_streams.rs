//! The standard streams of a program that prints, and that starts processes which read and print.
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

use std::io::Write as _;
use std::process::{Command, Stdio};

use onionskin_lines::{Line, Lines, standard_streams};
use tokio::io::AsyncWriteExt as _;

/// The argument of the program.
const ECHO: &str = "echo";

fn main() {
    if std::env::args().nth(1).as_deref() == Some(ECHO) {
        return tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(echo());
    }
    if cfg!(unix) {
        o6_only_the_protocol_reads_and_writes_the_standard_streams();
    }
}

/// Repeats the lines of its input. Before each one, tools print and read.
async fn echo() {
    let (input, mut output) = standard_streams().unwrap();
    let mut lines = Lines::new(input, 1_000);
    while let Some(Line::Whole(line)) = lines.next().await.unwrap() {
        println!("a line of a tool");
        assert!(Command::new("sh").args(["-c", "echo of a process; cat"]).status().unwrap().success());
        output.write_all(&[&line[..], b"\n"].concat()).await.unwrap();
        output.flush().await.unwrap();
    }
}

fn o6_only_the_protocol_reads_and_writes_the_standard_streams() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(ECHO).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = command.spawn().unwrap();
    program.stdin.take().unwrap().write_all(b"one\ntwo\n").unwrap();
    let ended = program.wait_with_output().unwrap();
    let texts = [&ended.stdout, &ended.stderr].map(|text| str::from_utf8(text).unwrap());
    let printed = "a line of a tool\nof a process\n".repeat(2);
    assert_eq!((texts, ended.status.code()), (["one\ntwo\n", &*printed], Some(0)));
}
