//! Two invocations in a module, whose cards name the same file. It uses an item of the module.

/// What the file uses.
pub const STEP: i64 = 1;

onionskin::agent!(card = "cards/beside_each_other/clerk.yaml");
onionskin::agent!(card = "cards/beside_each_other/aide.yaml");

pub(crate) fn main() {
    drop((Clerk::builder(), Aide::builder()));
}
