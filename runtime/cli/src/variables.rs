//! The variables of the file `.env` in the working directory. The file is from whoever wrote the folder, so it sets nothing that decides about
//! the user's own files and keys.

use std::env;
use std::path::Path;

use crate::output;
use crate::read::read_text;
use crate::text;

/// The file.
pub(crate) const FILE: &str = ".env";

/// The variables that the file cannot set: they choose where this program finds the user's own files, which servers get a key and are
/// trusted, and how programs start. A `*` stands for any text. Case does not count.
const OF_THE_USER: [&str; 51] = [
    // The user's own files.
    "HOME",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "XDG_*",
    "TMPDIR",
    "TMP",
    "TEMP",
    // Whom a connection leads to, and who is trusted.
    "*_PROXY",
    "REQUEST_METHOD",
    "SSL*",
    "OPENSSL_*",
    "REQUESTS_*",
    "CURL_*",
    "NODE_EXTRA_CA_CERTS",
    "NODE_TLS_*",
    "HOSTALIASES",
    "LOCALDOMAIN",
    "RES_OPTIONS",
    // They are parts of the addresses of providers.
    "GENAI_*",
    "OMLX_ENDPOINT",
    "VERTEX_LOCATION",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    // How programs start.
    "PATH",
    "PATHEXT",
    "COMSPEC",
    "SYSTEMROOT",
    "LD_*",
    "DYLD_*",
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "SHELL",
    "SHELLOPTS",
    "ENV",
    "BASH*",
    "ZDOTDIR",
    "IFS",
    "CARGO",
    "CARGO_*",
    "RUSTC*",
    "RUSTDOC*",
    "RUSTFLAGS",
    "RUSTUP_*",
    "GIT_*",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PYTHON*",
    "JAVA_TOOL_OPTIONS",
];

/// Stands for `$` where it has to be plain text. Files have no such character.
const MARK: &str = "\u{1}";

/// The other lines of a warning.
const MOST_LINES: usize = 9;

/// What is wrong with an entry.
enum Mistake {
    NoVariable,
    /// A `$` outside of single quotes takes the value of another variable.
    Expands,
}

/// Sets the variables of the file that the environment does not have, and gives them in their order. It warns of the lines that set nothing,
/// and shows nothing else of the file.
pub(crate) fn set() -> Vec<(String, String)> {
    let text = match read_text(Path::new(FILE)) {
        Ok(text) => text.unwrap_or_default(),
        Err(failure) => {
            output::warning(failure.text());
            return Vec::new();
        }
    };
    let (mut set, mut refused) = (Vec::new(), Vec::new());
    let (mut unread, mut expanding) = (Vec::new(), Vec::new());
    for (line, entry) in entries(text.trim_start_matches('\u{feff}')) {
        match variable(&entry) {
            Ok(None) => {}
            Ok(Some((name, _))) if is_of_the_user(&name) => refused.push(name),
            Ok(Some((name, value))) => {
                // The environment has the earlier ones of the file too.
                if env::var_os(&name).is_none() && dotenvy::from_read(entry.as_bytes()).is_ok() {
                    set.push((name, value));
                }
            }
            Err(Mistake::NoVariable) => unread.push(line),
            Err(Mistake::Expands) => expanding.push(line),
        }
    }
    warn(
        &unread,
        "this is not `NAME=value`, and sets nothing; a value with blanks, quotes or `\\` needs quotes around it",
    );
    warn(
        &expanding,
        "this sets nothing, because `$` would take the value of another variable; write a value with a `$` in single quotes",
    );
    if !refused.is_empty() {
        output::warning(&format!(
            "`{FILE}` cannot set {}: such variables choose where your own files are, whom the program trusts or how programs start; set them in \
             your environment",
            text::quoted(refused.iter().map(String::as_str))
        ));
    }
    set
}

/// Warns of lines, once for all that have the same mistake.
fn warn(lines: &[usize], mistake: &str) {
    let [first, others @ ..] = lines else { return };
    let shown: Vec<String> = others.iter().take(MOST_LINES).map(usize::to_string).collect();
    let others = match others.len() {
        0 => String::new(),
        few @ ..=MOST_LINES => format!(" ({few} more: {})", shown.join(", ")),
        many => format!(" ({many} more: {}, ..)", shown.join(", ")),
    };
    output::warning(&format!("{FILE}:{first}: {mistake}{others}"));
}

/// The lines of each entry, and the number of the first one. A value in quotes can have several lines.
fn entries(text: &str) -> Vec<(usize, String)> {
    let mut entries = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let mut entry = line.to_owned();
        let value = line.split_once('=').map(|(_, value)| value.trim_start()).unwrap_or_default();
        if let Some(quote) = value.chars().next().filter(|first| matches!(first, '"' | '\''))
            && !value[1..].contains(quote)
            && let Some(more) = lines.clone().position(|(_, line)| line.contains(quote))
        {
            for (_, line) in lines.by_ref().take(more + 1) {
                entry = entry + "\n" + line;
            }
        }
        entries.push((index + 1, entry));
    }
    entries
}

/// The variable of an entry; none if the entry is blank or a comment.
fn variable(entry: &str) -> Result<Option<(String, String)>, Mistake> {
    let read = |entry: &str| {
        let mut variables = dotenvy::from_read_iter(entry.as_bytes());
        let variable = variables.next().transpose();
        // A rest would be an entry of its own.
        variable.ok().filter(|_| variables.next().is_none())
    };
    // The parser fills in other variables. It does not, where a mark in the place of each `$` comes through as it is.
    match (read(entry), read(&entry.replace('$', MARK))) {
        (Some(variable), Some(marked)) => {
            let is_plain = marked.map(|(_, value)| value.replace(MARK, "$"))
                == variable.as_ref().map(|(_, value)| value.clone());
            let has_nul = entry.contains('\0');
            if has_nul {
                Err(Mistake::NoVariable)
            } else if is_plain {
                Ok(variable)
            } else {
                Err(Mistake::Expands)
            }
        }
        (None, None) => Err(Mistake::NoVariable),
        (Some(_), None) | (None, Some(_)) => Err(Mistake::Expands),
    }
}

fn is_of_the_user(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    OF_THE_USER.iter().any(|pattern| match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == *pattern,
    })
}
