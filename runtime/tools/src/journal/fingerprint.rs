//! A hash of a step's request. It does not depend on the process or the version, so it can be stored.

use std::io;

use serde::Serialize;

/// FNV-1a with 128 bits. It detects changed programs and inputs; it does not protect against forged records.
struct Fnv(u128);

impl io::Write for Fnv {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013B);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the hash of a value as JSON, in hexadecimal digits: the same in each process and version. Equal values have
/// equal hashes; it does not protect against values that were made to have the same one. A value that cannot be serialised
/// has the hash of its error.
///
/// ```
/// use onionskin::journal::fingerprint;
///
/// assert_eq!(fingerprint(&("add_one", 1)), "0c6d86985a88eaacdb1c7aae2aa45168");
/// ```
pub fn fingerprint(request: &(impl Serialize + ?Sized)) -> String {
    let mut hash = Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    if let Err(error) = serde_json::to_writer(&mut hash, request) {
        return fingerprint(&error.to_string());
    }
    format!("{:032x}", hash.0)
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn o5_a_fingerprint_is_the_same_in_each_version() {
        assert_eq!(fingerprint(&("add_one", 1)), "0c6d86985a88eaacdb1c7aae2aa45168");
        assert_ne!(fingerprint(&"a"), fingerprint(&"b"));
    }
}
