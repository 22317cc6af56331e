use onionskin::tool;

#[allow(unused_mut)]
/// Takes much.
#[deprecated]
#[tool]
#[inline]
pub(crate) async fn much(
    mut a: u8,
    mut b: (u8, [i32; 2], Option<Option<u8>>),
    c: std::collections::HashMap<String, Vec<u8>>,
    d: Box<str>,
    e: &std::collections::BTreeSet<u8>,
    f: Option<&Vec<u8>>,
    g: std::borrow::Cow<'_, [u8]>,
    h: Option<std::borrow::Cow<'_, str>>,
    i: (),
) -> usize
where
{
    a += 1;
    b.0 += a;
    c.len() + d.len() + e.len() + f.map_or(0, Vec::len) + g.len() + h.map_or(0, |h| h.len()) + usize::from(b.0) + usize::from(i == ())
}

/// Recursive.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Tree {
    children: Vec<Tree>,
}

/// Takes a tree.
#[tool]
fn tree(tree: Tree) -> Tree {
    tree
}

pub(crate) fn main() {}
