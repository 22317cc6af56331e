//! The readings of a text: as a person sees it, with digits as letters, with spaced letters joined, with mixed-up letters in order.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex_lite::Regex;

use onionskin_definitions::text::is_unseen;

/// The words of attacks. A person reads them with spaces between their letters, and with letters in another order.
const KEY_WORDS: [&str; 14] = [
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
    "print",
    "system",
    "prompt",
    "the",
];

/// The text as it is read, with digits as letters, with spaced letters joined, and with mixed-up letters in order.
pub(super) fn readings(text: &str) -> Vec<String> {
    let is_shown = |c: &char| !is_unseen(*c) && !is_mark(*c);
    let mut plain = String::with_capacity(text.len());
    for c in text.chars().filter(is_shown).map(in_plain_style).flat_map(char::to_lowercase) {
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
    let mut readings = vec![plain];
    if let Some(unspaced) = unspaced(&joined) {
        readings.push(unspaced);
    }
    if letters != joined {
        readings.push(letters);
    }
    readings.extend(unscrambled(&joined));
    // A text in Cyrillic letters, as it is: in the readings above, some of its letters are Latin ones.
    if text.chars().any(|c| matches!(c, '\u{400}'..='\u{4ff}') && looks_like(c) == c) {
        readings.push(text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" "));
    }
    // Words with dots between them.
    if joined.contains('.') {
        readings.push(joined.replace('.', " "));
    }
    readings.push(joined);
    readings
}

/// Whether it is a mark over, under or through the letter before it.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
}

/// The plain letter or digit of one in another style: bold, italic, script, double-struck, circled, squared, small capitals.
fn in_plain_style(c: char) -> char {
    // Styles of 26 letters: where they begin, and whether small letters follow the capitals.
    const CIRCLED: [u32; 7] = [0x24b6, 0x24d0, 0x249c, 0x1_f130, 0x1_f150, 0x1_f170, 0x1_f1e6];
    const SMALL: [(&str, &str); 2] = [
        (
            "\u{1d00}\u{299}\u{1d04}\u{1d05}\u{1d07}\u{a730}\u{262}\u{29c}\u{26a}\u{1d0a}\u{1d0b}\u{29f}\u{1d0d}\u{274}\u{1d0f}\u{1d18}\u{280}\u{a731}\u{1d1b}\u{1d1c}\u{1d20}\u{1d21}\u{28f}\u{1d22}",
            "abcdefghijklmnoprstuvwyz",
        ),
        (
            "\u{212c}\u{2130}\u{2131}\u{210b}\u{2110}\u{2112}\u{2133}\u{211b}\u{212f}\u{210a}\u{2134}\u{212d}\u{210c}\u{2111}\u{211c}\u{2128}\u{2102}\u{210d}\u{2115}\u{2119}\u{211a}\u{211d}\u{2124}\u{210e}",
            "befhilmregochirzchnpqrzh",
        ),
    ];
    if c.is_ascii() {
        return c;
    }
    let code = u32::from(c);
    let letter = |at: u32| char::from_u32(u32::from('a') + at % 26).unwrap_or(c);
    match code {
        0x1_d400..=0x1_d6a3 => letter(code - 0x1_d400),
        0x1_d7ce..=0x1_d7ff => char::from_digit((code - 0x1_d7ce) % 10, 10).unwrap_or(c),
        _ => {
            let circled = CIRCLED.iter().find_map(|first| code.checked_sub(*first).filter(|at| *at < 26));
            let small = || {
                SMALL.iter().find_map(|(styled, plain)| {
                    let at = styled.chars().position(|styled| styled == c)?;
                    plain.chars().nth(at)
                })
            };
            circled.map(letter).or_else(small).unwrap_or(c)
        }
    }
}

/// The Latin letter that a letter is drawn as: readings of full width, and Cyrillic and Greek letters.
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
        let mut apart = joined.into_owned();
        for word in KEY_WORDS {
            apart = apart.replace(word, &format!(" {word} "));
        }
        apart.split_whitespace().collect::<Vec<_>>().join(" ")
    })
}

/// Puts the letters of words in order: `ignroe`. The first letter of such a word is in its place.
fn unscrambled(text: &str) -> Option<String> {
    let is_other = |c: char| !c.is_ascii_alphabetic();
    let sorted = |word: &str| {
        let mut letters = word.as_bytes().to_vec();
        letters.sort_unstable();
        letters
    };
    let has_letters_of = |word: &str, key: &str| {
        key.len() > 4 && key.len() == word.len() && key.starts_with(&word[..1]) && sorted(key) == sorted(word)
    };
    let ordered = text.split_inclusive(is_other).map(|part| {
        let word = part.trim_end_matches(is_other);
        match KEY_WORDS.iter().find(|key| has_letters_of(word, key)) {
            Some(key) => Cow::Owned(format!("{key}{}", &part[word.len()..])),
            None => Cow::Borrowed(part),
        }
    });
    let ordered: String = ordered.collect();
    (ordered != text).then_some(ordered)
}
