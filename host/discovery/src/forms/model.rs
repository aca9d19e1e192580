//! A linear model: weights of features for each purpose.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::OnceLock;

use magpie_model::FormPurpose;

pub(super) const PURPOSES: usize = FormPurpose::ALL.len();

/// Heading of the file of weights.
const HEADING: &str = "\
# Purpose, feature, weight. Made by `magpie-lab train forms --write` from the annotated pages of
# Formasaurus (scrapinghub/Formasaurus, MIT). Edit features.rs and train again, not this file.
";

/// Weights by feature, for each purpose in the order of [`FormPurpose::ALL`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    weights: BTreeMap<String, [f32; PURPOSES]>,
}

impl Model {
    /// The model that the program uses.
    pub fn built_in() -> &'static Model {
        static MODEL: OnceLock<Model> = OnceLock::new();
        MODEL.get_or_init(|| Model::parse(include_str!("weights.txt")))
    }

    /// Reads weights, one a line: the purpose, the feature and the weight. Lines that are no
    /// weights are skipped: the file has a heading.
    pub fn parse(text: &str) -> Model {
        let mut model = Model::default();
        for line in text.lines() {
            let mut parts = line.split_ascii_whitespace();
            let (Some(purpose), Some(feature), Some(weight)) = (parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            let purpose = FormPurpose::ALL
                .iter()
                .position(|known| known.as_str() == purpose);
            if let (Some(purpose), Ok(weight)) = (purpose, weight.parse()) {
                model.set(purpose, feature, weight);
            }
        }
        model
    }

    /// Sets the weight of a feature for a purpose, given as an index of [`FormPurpose::ALL`].
    pub fn set(&mut self, purpose: usize, feature: &str, weight: f32) {
        let weights = self.weights.entry(feature.to_owned()).or_default();
        if let Some(known) = weights.get_mut(purpose) {
            *known = weight;
        }
    }

    /// Writes the weights as [`Model::parse`] reads them, sorted, without zeros, after a heading.
    pub fn print(&self) -> String {
        let mut text = HEADING.to_owned();
        for (at, purpose) in FormPurpose::ALL.iter().enumerate() {
            for (feature, weights) in &self.weights {
                let weight = (weights[at] * 100.0).round() / 100.0;
                if weight != 0.0 {
                    // Writing to a string does not fail.
                    let _ = writeln!(text, "{} {feature} {weight}", purpose.as_str());
                }
            }
        }
        text
    }

    /// Probability of each purpose, in the order of [`FormPurpose::ALL`].
    pub fn probabilities<'a>(&self, features: impl IntoIterator<Item = &'a str>) -> [f64; PURPOSES] {
        let mut scores = [0.0_f64; PURPOSES];
        for weights in features
            .into_iter()
            .filter_map(|feature| self.weights.get(feature))
        {
            for (score, weight) in scores.iter_mut().zip(weights) {
                *score += f64::from(*weight);
            }
        }
        // Subtracted before the exponential, which would overflow for large scores.
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let scores = scores.map(|score| (score - most).exp());
        let sum: f64 = scores.iter().sum();
        scores.map(|score| score / sum)
    }

    /// The features that speak most for a purpose, the strongest first.
    pub(super) fn reasons(&self, features: &[String], purpose: usize, count: usize) -> Vec<String> {
        let weight = |feature: &String| self.weights.get(feature).map_or(0.0, |weights| weights[purpose]);
        let mut found: Vec<(&String, f32)> = features
            .iter()
            .map(|feature| (feature, weight(feature)))
            .filter(|(feature, weight)| *weight > 0.0 && *feature != "bias")
            .collect();
        found.sort_by(|one, other| other.1.total_cmp(&one.1));
        found
            .into_iter()
            .take(count)
            .map(|(feature, _)| feature.clone())
            .collect()
    }
}
