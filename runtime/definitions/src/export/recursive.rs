//! Finds recursive references in a schema.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value;

use crate::schema::{referenced, subschemas};

/// The recursive references, each with its name in `$defs`.
pub(super) fn recursive(root: &Value) -> BTreeMap<String, String> {
    let graph = Graph::new(root);
    let circle = graph.circles();
    let leads_back = |&&(place, _, target): &&(usize, &str, usize)| circle[place] == circle[target];
    let pointers: BTreeSet<&str> =
        graph.references.iter().filter(leads_back).map(|(_, pointer, _)| *pointer).collect();
    let mut names = BTreeMap::new();
    let (mut taken, mut counts) = (HashSet::new(), HashMap::<String, usize>::new());
    for pointer in pointers {
        let last = pointer.rsplit('/').next().unwrap_or_default();
        let mut name: String =
            last.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let base = name.clone();
        while !taken.insert(name.clone()) {
            let number = counts.entry(base.clone()).or_insert(1);
            *number += 1;
            name = format!("{base}_{number}");
        }
        names.insert(pointer.to_owned(), name);
    }
    names
}

/// The nodes of a schema, with edges to their parts and to the nodes that they refer to.
#[derive(Default)]
struct Graph<'s> {
    leads: Vec<Vec<usize>>,
    places: HashMap<*const Value, usize>,
    /// For each reference: its node, its text, and its target.
    references: Vec<(usize, &'s str, usize)>,
    /// References whose targets were not looked up yet.
    open: Vec<(usize, &'s str)>,
}

impl<'s> Graph<'s> {
    fn new(root: &'s Value) -> Self {
        let mut graph = Self::default();
        graph.add(root);
        let mut known = HashMap::new();
        // A reference can lead to a place without known schemas, and on from there.
        while let Some((place, pointer)) = graph.open.pop() {
            let target = *known.entry(pointer).or_insert_with(|| referenced(root, pointer));
            if let Some(target) = target {
                let target = graph.add(target);
                graph.leads[place].push(target);
                graph.references.push((place, pointer, target));
            }
        }
        graph
    }

    /// Adds a schema and those in it. Examples and literals contain none.
    fn add(&mut self, schema: &'s Value) -> usize {
        let new = self.leads.len();
        let place = *self.places.entry(schema).or_insert(new);
        if place != new {
            return place;
        }
        self.leads.push(Vec::new());
        if let Some(pointer) = schema["$ref"].as_str() {
            self.open.push((place, pointer));
        }
        let inside = subschemas(schema).into_iter().map(|part| part.schema);
        let inside = inside.filter(|part| part.is_object() || part.is_array());
        let inside = inside.map(|part| self.add(part)).collect();
        self.leads[place] = inside;
        place
    }

    /// The number of the cycle for each node; nodes with the same number reach each other. Tarjan's algorithm
    /// without recursion, because a chain of references can be long.
    fn circles(&self) -> Vec<usize> {
        const UNSEEN: usize = usize::MAX;
        let count = self.leads.len();
        let (mut order, mut low, mut circle) =
            (vec![UNSEEN; count], vec![UNSEEN; count], vec![UNSEEN; count]);
        let (mut seen, mut circles) = (0, 0);
        let (mut waiting, mut way) = (Vec::new(), Vec::new());
        for start in 0..count {
            if order[start] == UNSEEN {
                way.push((start, 0));
            }
            while let Some((place, next)) = way.last_mut() {
                let place = *place;
                if *next == 0 && order[place] == UNSEEN {
                    (order[place], low[place]) = (seen, seen);
                    seen += 1;
                    waiting.push(place);
                }
                if let Some(&to) = self.leads[place].get(*next) {
                    if order[to] == UNSEEN {
                        // The node is visited again on the way back.
                        way.push((to, 0));
                        continue;
                    }
                    *next += 1;
                    if circle[to] == UNSEEN {
                        low[place] = low[place].min(low[to]);
                    }
                    continue;
                }
                way.pop();
                if low[place] == order[place] {
                    while let Some(member) = waiting.pop() {
                        circle[member] = circles;
                        if member == place {
                            break;
                        }
                    }
                    circles += 1;
                }
            }
        }
        circle
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn pointers(schema: &Value) -> Vec<String> {
        recursive(schema).into_keys().collect()
    }

    #[test]
    fn s3_what_leads_back_is_found_however_it_leads() {
        let to = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
        let schema = json!({
            "properties": { "a": to("A"), "b": to("B"), "c": to("C"), "default": to("D") },
            "default": to("C"),
            "$defs": {
                "A": { "items": to("B") },
                "B": { "anyOf": [{ "type": "null" }, { "properties": { "a": to("A"), "c": to("C") } }] },
                "C": { "type": "string", "enum": [to("C")] },
                "D": to("D"),
            },
        });
        assert_eq!(pointers(&schema), ["#/$defs/A", "#/$defs/B", "#/$defs/D"]);
        assert_eq!(pointers(&json!({ "items": { "$ref": "#" } })), ["#"]);
        assert_eq!(
            pointers(&json!({ "$ref": "#/default", "default": { "$ref": "#/default" } })),
            ["#/default"]
        );
        assert_eq!(pointers(&json!({ "items": { "$ref": "#/nowhere" } })), [""; 0]);
    }

    #[test]
    fn s3_a_long_chain_of_references_does_not_overflow_the_stack() {
        let next = |at: usize| json!({ "items": { "$ref": format!("#/$defs/{}", (at + 1) % 20_000) } });
        let definitions: Map<_, _> = (0..20_000).map(|at| (at.to_string(), next(at))).collect();
        let schema = json!({ "$ref": "#/$defs/7", "$defs": definitions });
        assert_eq!(recursive(&schema).len(), 20_000);
    }
}
