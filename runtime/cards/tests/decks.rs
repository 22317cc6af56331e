//! Cards together: which files they are, and the mistakes that they show among themselves.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

mod folder;

use std::path::Path;

use folder::folder;
use onionskin_cards::{CardFile, Deck, DeckError, Source};

/// Cards in YAML: each with its children.
fn deck(cards: &[(String, Vec<String>)]) -> Result<Deck, DeckError> {
    let files = cards.iter().map(|(name, children)| {
        let file = format!("{name}.yaml");
        let text = format!("instruction: A.\nagents: [{}]\ndescription: D.\n", children.join(", "));
        CardFile::parse(Path::new(&file), Ok(Source::new(file.as_str(), text)), true)
    });
    match Deck::from_files(files.collect(), Vec::new(), &[]) {
        (deck, None) => Ok(deck),
        (_, Some(error)) => Err(error),
    }
}

fn lines(error: &DeckError) -> Vec<String> {
    error.errors().iter().flat_map(|error| error.lines().collect::<Vec<_>>()).collect()
}

/// `a0` with the child `a1`, and so on.
fn chain(length: usize) -> Vec<(String, Vec<String>)> {
    let child = |at: usize| if at + 1 < length { vec![format!("a{}", at + 1)] } else { Vec::new() };
    (0..length).map(|at| (format!("a{at}"), child(at))).collect()
}

#[test]
fn c1_a_long_chain_of_cards_is_a_mistake_at_the_card_with_too_many_levels() {
    assert_eq!(deck(&chain(100)).unwrap().cards.len(), 100);
    let said = "a9899.yaml:2:10: `a9900` has 100 levels of agents, its own included, so this agent would have more; that is the most: remove a \
                child";
    assert_eq!(lines(&deck(&chain(10_000)).unwrap_err()), [said]);
}

#[test]
fn c1_a_long_circle_of_cards_is_one_mistake() {
    let mut cards = chain(10_000);
    cards[9_999].1.push("a0".to_owned());
    let said = lines(&deck(&cards).unwrap_err());
    assert_eq!(
        said,
        ["a0.yaml:2:10: an agent cannot contain itself: a0 > a1 > a2 > a3 > a4 > a5 > .. > a9999 > a0"]
    );
}

#[test]
fn c1_circles_behind_many_cards_are_found() {
    let mut cards = chain(2_000);
    cards[1_999].1.push("a1999".to_owned());
    cards[1_000].1.push("a900".to_owned());
    let said = lines(&deck(&cards).unwrap_err());
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("a900.yaml:2:10: an agent cannot contain itself: a900 > a901"), "{said:?}");
    assert!(said[1].ends_with("a1999.yaml:2:10: an agent cannot contain itself: a1999 > a1999"), "{said:?}");
}

#[test]
fn c1_many_ways_to_one_card_are_looked_at_once() {
    // Two children on each of ninety levels.
    let cards: Vec<_> = (0..90)
        .flat_map(|level| {
            let next = if level < 89 {
                vec![format!("l{}", level + 1), format!("r{}", level + 1)]
            } else {
                Vec::new()
            };
            [(format!("l{level}"), next.clone()), (format!("r{level}"), next)]
        })
        .collect();
    assert_eq!(deck(&cards).unwrap().cards.len(), 180);
}

#[test]
fn c1_a_child_says_what_it_is_for() {
    let file = |file: &str, text: &str| CardFile::parse(Path::new(file), Ok(Source::new(file, text)), true);
    let files = vec![
        file("a.yaml", "instruction: A.\nagents: [b, c, \"crate::D\"]\n"),
        file("b.yaml", "instruction: B.\n"),
        file("c.yaml", "instruction: C.\ndescription: Counts.\nagents: [a]\n"),
    ];
    let (_, error) = Deck::from_files(files[..2].to_vec(), Vec::new(), &["c"]);
    assert_eq!(
        lines(&error.unwrap()),
        ["a.yaml:2:10: `b` has no description, by which `a` chooses it: write its `description` in `b.yaml`"]
    );
    // One mistake is said once, and a circle first.
    let (_, error) = Deck::from_files(files, Vec::new(), &[]);
    assert_eq!(lines(&error.unwrap()), ["a.yaml:2:13: an agent cannot contain itself: a > c > a"]);
}

#[test]
fn c1_a_card_that_is_named_twice_is_read_once() {
    let folder = folder(&[("cards/pmo.md", "---\n---\nReport.\n"), ("cards/notes.md", "No card.\n")]);
    let paths = ["cards/pmo.md", "cards", "cards/../cards/pmo.md"];
    let (deck, error) = Deck::read_with_mistakes(folder.path(), &paths, &[]);
    assert_eq!(deck.cards.len(), 1);
    let said = lines(&error.unwrap());
    assert_eq!(said.len(), 1);
    assert!(
        said[0].contains("if this file is not a card, name the cards of its folder one by one"),
        "{said:?}"
    );
    let deck = Deck::read_with_mistakes(folder.path(), &["cards", "cards/notes.md"], &[]);
    let said = lines(&deck.1.unwrap());
    assert!(!said[0].contains("if this file is not a card"), "it was named itself: {said:?}");
}

#[test]
fn c1_files_that_are_no_cards_are_passed_over_and_named() {
    let compose = ("cards/compose.yaml", "services: {}\n");
    let files = [("cards/pmo.md", "---\n---\nReport.\n"), compose, ("cards/README.md", "# Cards\n")];
    let folder = folder(&files);
    let deck = Deck::read(folder.path(), &["cards"], &[]).unwrap();
    assert_eq!(deck.names(), ["pmo"]);
    assert_eq!(
        deck.skipped,
        [
            "cards/README.md: this is no card: it has the name of a document, and no front matter",
            "cards/compose.yaml: this is no card: it has no instruction, and fields that cards do not have",
        ]
    );
    // One that is named itself is read.
    let said = lines(&Deck::read(folder.path(), &["cards/pmo.md", "cards/compose.yaml"], &[]).unwrap_err());
    assert!(said[0].starts_with("cards/compose.yaml:1:1: unknown field `services`"), "{said:?}");
    std::fs::remove_file(folder.path().join("cards/pmo.md")).unwrap();
    let said = lines(&Deck::read(folder.path(), &["cards"], &[]).unwrap_err());
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[1].starts_with("cards/compose.yaml:1:1: this is no card: "), "{said:?}");
}

#[test]
fn c1_of_very_many_mistakes_the_number_is_said() {
    let fields: Vec<String> = (0..30).map(|at| format!("field{at}: 1")).collect();
    let source = Source::new("a.yaml", format!("instruction: A.\n{}\n", fields.join("\n")));
    let error = onionskin_cards::Card::read(Path::new("a.yaml"), source).unwrap_err();
    let drawn: Vec<String> = error.drawings().collect();
    assert_eq!(drawn.len(), 21);
    assert_eq!(drawn[20], "`a.yaml` has 10 more mistakes");
    assert!(error.to_string().ends_with("\n\nand 10 more"));
}

#[test]
fn c1_a_child_whose_card_was_not_read_is_not_missing_too() {
    let folder = folder(&[
        ("boss.md", "---\nagents: [gone, broken, gon]\n---\nA.\n"),
        ("broken.md", "---\nname: [\n---\nB.\n"),
    ]);
    let error = Deck::read(folder.path(), &["boss.md", "gone.md", "broken.md"], &[]).unwrap_err();
    let said = lines(&error);
    assert_eq!(said.len(), 3, "{said:?}");
    assert_eq!(said.iter().filter(|line| line.contains("there is no agent")).count(), 1, "{said:?}");
    assert!(
        said.contains(&"boss.md:2:24: there is no agent `gon`; did you mean `gone`?".to_owned()),
        "{said:?}"
    );
}

#[test]
fn c1_a_child_is_not_the_file_of_a_card_with_another_name() {
    let folder = folder(&[
        ("boss.md", "---\nagents: [clerk]\n---\nA.\n"),
        ("clerk.md", "---\nname: Writer\nmodle: x\n---\nB.\n"),
    ]);
    let said = lines(&Deck::read(folder.path(), &["boss.md", "clerk.md"], &[]).unwrap_err());
    assert!(said.iter().any(|line| line.contains("there is no agent `clerk`")), "{said:?}");
}
