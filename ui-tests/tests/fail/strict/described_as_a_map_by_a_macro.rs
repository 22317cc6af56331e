use onionskin::Strict;

macro_rules! order {
    ($with:literal) => {
        #[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
        struct Order {
            #[schemars(with = $with)]
            what: String,
        }
    };
}

order!("std::collections::BTreeMap<String, u8>");

fn main() {}
