//! The signs of an injection, from `signs.txt`.

/// The patterns of the signs and their weights. A sum of 10 is an injection.
pub(super) fn signs() -> Vec<(String, u16)> {
    let (mut parts, mut signs) = (Vec::new(), Vec::<(String, u16)>::new());
    let lines = include_str!("signs.txt").lines().filter(|line| !line.starts_with('#'));
    for (first, pattern) in lines.filter_map(|line| line.split_once(' ')) {
        match (first.parse(), signs.last_mut()) {
            (Ok(weight), _) => signs.push((pattern.to_owned(), weight)),
            (Err(_), Some((sign, _))) => *sign += &format!("|{pattern}"),
            (Err(_), None) => parts.push((first, pattern)),
        }
    }
    for (sign, _) in &mut signs {
        for (name, words) in &parts {
            *sign = sign.replace(name, words);
        }
    }
    signs
}
