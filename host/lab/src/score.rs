//! How well a crawl did: what it found against the truth.
/// stub
#[derive(Debug)] pub struct AttributeScore; 
/// stub
#[derive(Debug)] pub struct Fetch; 
/// stub
#[derive(Debug)] pub struct Found; 
/// stub
#[derive(Debug)] pub struct FoundObject; 
/// stub
#[derive(Debug)] pub struct Score;
/// stub
pub fn score() {}
