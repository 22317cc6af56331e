mod tools {
    pub mod math {
        /// Adds one.
        #[onionskin::tool]
        pub fn add_one(x: i64) -> i64 {
            x + 1
        }
    }
    pub use math::*;
}
use tools::add_one as plus;

pub(crate) fn main() {
    assert_eq!(plus(1), 2);
    assert_eq!(<plus as onionskin::Tool>::NAME, "add_one");
    let _ = tools::add_one::default();
}
