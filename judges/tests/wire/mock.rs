//! A mock of the providers' servers, aimock.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use onionskin_judges::kit;

/// A running aimock, ended when dropped.
pub struct Mock {
    child: Child,
    pub address: String,
}

impl Mock {
    /// Starts it with the fixtures of this package.
    pub fn new() -> Self {
        Self::start(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"))
    }

    /// Starts it with the fixtures in this folder.
    pub fn start(fixtures: &Path) -> Self {
        let node = kit("wire", "bin/node");
        let mock = kit("wire", "wire/node_modules/@copilotkit/aimock/dist/cli.js");
        let mut child = Command::new(node)
            .arg(mock)
            .args(["-p", "0", "--strict", "--validate-on-load", "-f"])
            .arg(fixtures)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = loop {
            match lines.next() {
                Some(Ok(line)) => match line.split_once("listening on ") {
                    Some((_, address)) => break address.trim().to_owned(),
                    None => said.push_str(&line),
                },
                _ => panic!("aimock did not start: {said}"),
            }
        };
        // Its log must have a reader, or it blocks when the pipe is full.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address }
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
