//! Suggestions of similar names: "did you mean ..?".

/// The name most similar to `name`, however it was misspelt, for names that must not be ignored.
pub fn similar<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    most_like(name, names, |likeness, _| likeness > 0.8)
}

/// The name most similar to `name`, if a slip of the fingers can have made the one of the other, or if one begins with the other.
pub fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    most_like(name, names, |likeness, candidate| {
        let begins = candidate.starts_with(name) || name.starts_with(candidate);
        if likeness > 0.8 && begins {
            return true;
        }
        // `rnu` is one slip from `run`, though the two are little alike.
        (likeness > 0.8 || likely_short(name, candidate)) && slips(name, candidate)
    })
}

/// The tool that a name can mean: one that a server or a child has under this name, `bank__pay` for `pay`, or else the nearest one.
pub fn nearest_tool<'n>(name: &str, tools: impl IntoIterator<Item = &'n str> + Clone) -> Option<&'n str> {
    let is_same = |tool: &&str| tool.strip_suffix(name).is_some_and(|owner| owner.ends_with("__"));
    tools.clone().into_iter().find(is_same).or_else(|| nearest(name, tools))
}

/// The most similar of the names that are similar enough.
fn most_like<'n>(
    name: &str,
    names: impl IntoIterator<Item = &'n str>,
    is_like: impl Fn(f64, &str) -> bool,
) -> Option<&'n str> {
    // Comparing takes time in proportion to the length, and no misspelt name is this long.
    let name = if name.len() > 200 { "" } else { name };
    names
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, candidate)| is_like(*likeness, candidate))
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

fn likely_short(name: &str, candidate: &str) -> bool {
    name.len() == 3 && candidate.len() == 3
}

/// Whether there are at most as many wrong, missing and exchanged letters as a person makes: one of four. `effort` is no slip for `effect`.
fn slips(name: &str, candidate: &str) -> bool {
    let longest = name.chars().count().max(candidate.chars().count());
    strsim::osa_distance(name, candidate) <= (longest / 4).max(1)
}

#[cfg(test)]
mod tests {
    use super::{nearest, nearest_tool};

    #[test]
    fn h5_a_name_means_the_tool_of_a_server_before_others() {
        let tools = ["pai", "bank__pay", "agent__payer"];
        assert_eq!(nearest_tool("pay", tools), Some("bank__pay"));
        assert_eq!(nearest_tool("payer", tools), Some("agent__payer"));
        assert_eq!(nearest_tool("bank__pya", tools), Some("bank__pay"));
        assert_eq!(nearest_tool("ay", tools), None);
    }

    #[test]
    fn c1_a_suggestion_is_a_slip_away() {
        for (name, meant) in [
            ("instructio", "instruction"),
            ("function_tool", "function_tools"),
            ("tiem", "time"),
            ("rnu", "run"),
            ("shell.exec", "shell.execute"),
            ("maxTokens", "max_tokens"),
        ] {
            assert_eq!(nearest(name, ["zebra", meant]), Some(meant), "{name}");
        }
        for (name, other) in
            [("effort", "effect"), ("services", "servers"), ("add_two", "add_one"), ("git", "run")]
        {
            assert_eq!(nearest(name, [other]), None, "{name}");
        }
    }
}
