//! x
use magpie_sdk::*;
/// x
#[derive(Record, Clone, Debug)]
pub struct Product { /// x
 pub name: String }
/// x
pub struct Products;
impl Vertical for Products { type Record = Product; const NAME: &'static str = "products"; fn extract(_: &Page) -> Result<Vec<Found<Product>>, Error> { Ok(vec![]) } }
magpie_sdk::export!(Products);
