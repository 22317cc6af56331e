//! The forms in which a text is read.

use std::sync::LazyLock;

use regex_lite::Regex;

/// The text as it is read, with digits as letters, and with spaced letters joined.
pub(super) fn forms(text: &str) -> Vec<String> {
    let is_shown = |c: &char| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}');
    let mut plain = String::with_capacity(text.len());
    for c in text.chars().filter(is_shown).flat_map(char::to_lowercase) {
        match c {
            '\n' => plain.push('\n'),
            '\u{2019}' => plain.push('\''),
            c if c.is_whitespace() => {
                if !plain.ends_with([' ', '\n']) {
                    plain.push(' ');
                }
            }
            c => plain.push(looks_like(c)),
        }
    }
    // In the middle of a sentence, a line's end is a space.
    let joined = plain.replace('\n', " ");
    let read = |c: char| match c {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        c => c,
    };
    let letters: String = joined.chars().map(read).collect();
    let mut forms = vec![plain];
    if let Some(unspaced) = unspaced(&joined) {
        forms.push(unspaced);
    }
    if letters != joined {
        forms.push(letters);
    }
    // Words with dots between them.
    if joined.contains('.') {
        forms.push(joined.replace('.', " "));
    }
    forms.push(joined);
    forms
}

/// The Latin letter that a letter is drawn as: forms of full width, and Cyrillic and Greek letters.
fn looks_like(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => {
            u32::from(c).checked_sub(0xfee0).and_then(char::from_u32).unwrap_or(c).to_ascii_lowercase()
        }
        'а' | 'α' => 'a',
        'е' => 'e',
        'о' | 'ο' => 'o',
        'р' | 'ρ' => 'p',
        'с' => 'c',
        'х' => 'x',
        'у' => 'y',
        'і' | 'ι' => 'i',
        'ѕ' => 's',
        'ԁ' => 'd',
        'ո' => 'n',
        c => c,
    }
}

/// Joins letters that have a separator between them: `i g n o r e   a l l` and `i-g-n-o-r-e`.
fn unspaced(text: &str) -> Option<String> {
    static SPACED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b\w(?:[ .\-_*]\w){4,}\b").ok());
    let spaced = SPACED.as_ref()?;
    // Few texts have some, and the pattern is slow.
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let is_spaced = |bytes: &[u8]| {
        let mut pairs = bytes.chunks(2);
        pairs.all(|pair| is_word(&pair[0]) && pair.get(1).is_none_or(|byte| b" .-_*".contains(byte)))
    };
    if !text.as_bytes().windows(9).any(is_spaced) {
        return None;
    }
    spaced.is_match(text).then(|| {
        let joined = spaced.replace_all(text, |found: &regex_lite::Captures<'_>| {
            found[0].chars().filter(|c| c.is_alphanumeric()).collect::<String>()
        });
        // Without their spaces, the words of a spaced sentence are one.
        let words = [
            "ignore",
            "disregard",
            "forget",
            "all",
            "previous",
            "prior",
            "your",
            "instructions",
            "rules",
            "reveal",
            "system",
            "prompt",
            "the",
        ];
        let mut apart = joined.into_owned();
        for word in words {
            apart = apart.replace(word, &format!(" {word} "));
        }
        apart.split_whitespace().collect::<Vec<_>>().join(" ")
    })
}
