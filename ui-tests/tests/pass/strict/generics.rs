use onionskin::Strict;

trait Kind {
    type Value;
}

#[derive(Strict)]
struct Tree<T = u8> {
    value: T,
    left: Option<Box<Tree<T>>>,
    right: Option<Box<Self>>,
}

#[derive(Strict)]
struct Grid<T, const N: usize>
where
    [T; N]: Strict,
{
    rows: Vec<[T; N]>,
}

#[derive(Strict)]
struct Measured<K: Kind> {
    value: K::Value,
    more: Vec<Option<<K as Kind>::Value>>,
}

#[derive(Strict)]
enum Either<A, B> {
    One(A),
    Two(B, B),
    Both { a: Vec<A>, b: Box<Either<B, A>> },
}

struct Metre;

impl Kind for Metre {
    type Value = f64;
}

fn strict<T: Strict>() {}

pub(crate) fn main() {
    strict::<Tree<Tree<String>>>();
    strict::<Grid<bool, 3>>();
    strict::<Measured<Metre>>();
    strict::<Either<Tree, Either<u8, String>>>();
}
