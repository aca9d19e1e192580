//! A matcher whose answers are known: objects are points on a line, and nearer points are more
//! probably one.

use magpie_matching::{Clustering, MemberId};
use magpie_model::{Field, Object, Value};
use magpie_model::{Key, Matcher, Merged, Prepared, Verdict};

pub(crate) fn id(number: u64) -> MemberId {
    MemberId(number)
}

/// Objects at these points.
pub(crate) fn objects(points: &[f64]) -> Vec<Object> {
    let field = |point: &f64| Field {
        path: "at".to_owned(),
        value: Value::Real(*point),
        node: None,
    };
    points
        .iter()
        .map(|point| Object {
            fields: vec![field(point)],
            ..Object::default()
        })
        .collect()
}

/// The members of all clusters, sorted.
pub(crate) fn partition(clustering: &Clustering) -> Vec<Vec<u64>> {
    let members = |members: &[MemberId]| members.iter().map(|member| member.0).collect::<Vec<u64>>();
    let mut partition: Vec<Vec<u64>> = clustering
        .clusters()
        .iter()
        .map(|cluster| members(&cluster.members))
        .collect();
    partition.sort();
    partition
}

/// Error of the matcher.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Trouble;

/// Two points are one with the probability 1 less their distance; they meet in cells of width 2.
#[derive(Default)]
pub(crate) struct Points {
    /// The call that fails, counted from 0.
    fails_at: Option<usize>,
    calls: usize,
}

impl Points {
    /// Points whose matcher fails once, at this call.
    pub(crate) fn failing_at(call: usize) -> Self {
        Self {
            fails_at: Some(call),
            calls: 0,
        }
    }

    fn call(&mut self) -> Result<(), Trouble> {
        self.calls += 1;
        if self.fails_at == Some(self.calls - 1) {
            Err(Trouble)
        } else {
            Ok(())
        }
    }
}

impl Matcher for Points {
    type Error = Trouble;

    fn prepare(&mut self, objects: &[Object]) -> Result<Vec<Prepared>, Trouble> {
        self.call()?;
        let prepared = |object: &Object| {
            let Value::Real(at) = object.fields[0].value else {
                panic!("points are numbers")
            };
            let cell = (at / 2.0).floor() as i64;
            let key = |cell: i64| Key {
                scheme: "cell".to_owned(),
                value: cell.to_string(),
            };
            // Thousandths in big-endian bytes are ordered as the points are.
            let features = ((at * 1000.0).round() as u64).to_be_bytes().to_vec();
            Prepared {
                features,
                keys: vec![key(cell), key(cell + 1)],
            }
        };
        Ok(objects.iter().map(prepared).collect())
    }

    fn compare(&mut self, one: &[u8], many: &[&[u8]]) -> Result<Vec<Verdict>, Trouble> {
        self.call()?;
        let verdict = |other: &&[u8]| {
            let probability = (1.0 - (at(one) - at(other)).abs()).max(0.0);
            Verdict {
                probability,
                reasons: vec!["near".to_owned()],
            }
        };
        Ok(many.iter().map(verdict).collect())
    }

    fn merge(&mut self, _objects: &[Object]) -> Result<Merged, Trouble> {
        Ok(Merged::default())
    }
}

fn at(features: &[u8]) -> f64 {
    let bytes: [u8; 8] = features.try_into().expect("features are eight bytes");
    u64::from_be_bytes(bytes) as f64 / 1000.0
}
