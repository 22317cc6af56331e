/// Counts.
#[onionskin::tool]
pub fn count(number: onionskin::State<u32>) -> u32 {
    *number
}
