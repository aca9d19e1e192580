//! The distribution of objects over sites: each has an origin, popular ones have copies.

use crate::population::{CATEGORIES, ObjectId, Population, popularity};
use crate::random::Key;

/// The distribution of objects over sites.
///
/// Each object is on at least one site of its category, its origin, so that the web contains all
/// objects. Larger sites are the origin of more objects. Other sites take an object with a
/// probability that grows with its popularity. The rate of each site is chosen so that the number
/// of objects meets the size of the site.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    key: Key,
    /// Sites of each category, with cumulative sizes.
    origins: Vec<Vec<(u64, u32)>>,
    shares: Vec<Share>,
}

#[derive(Clone, Debug)]
struct Share {
    focus: u16,
    rate: f64,
}

/// Size and categories of a site, as input of the distribution.
pub(crate) struct SiteDemand {
    /// Categories of the site, one bit each.
    pub(crate) focus: u16,
    /// Number of objects that the site should show.
    pub(crate) objects: f64,
}

impl Spread {
    pub(crate) fn new(key: Key, demands: &[SiteDemand], population: &Population, skew: f64) -> Self {
        let origins: Vec<Vec<(u64, u32)>> = (0..CATEGORIES)
            .map(|category| origins(demands, category))
            .collect();
        let per_category = f64::from(population.count(0)) / CATEGORIES as f64;
        let share = |(index, demand): (usize, &SiteDemand)| {
            let own: f64 = (0..CATEGORIES)
                .map(|c| per_category * part(&origins[c as usize], index as u32))
                .sum();
            let offered = per_category * f64::from(demand.focus.count_ones());
            let wanted = (demand.objects - own).max(0.0);
            Share {
                focus: demand.focus,
                rate: rate(wanted / (offered - own).max(1.0), skew),
            }
        };
        let shares = demands.iter().enumerate().map(share).collect();
        Self { key, origins, shares }
    }

    pub(crate) fn has(&self, site: u32, object: ObjectId, population: &Population) -> bool {
        let share = &self.shares[site as usize];
        let category = population.category(object);
        if share.focus & (1 << category) == 0 {
            return false;
        }
        let key = self
            .key
            .of("takes", u64::from(site))
            .of("object", u64::from(object));
        key.unit() < share.rate * population.popularity(object) || self.origin(object, category) == Some(site)
    }

    pub(crate) fn sites(&self, object: ObjectId, population: &Population) -> Vec<u32> {
        (0..self.shares.len() as u32)
            .filter(|site| self.has(*site, object, population))
            .collect()
    }

    fn origin(&self, object: ObjectId, category: u8) -> Option<u32> {
        let sites = &self.origins[usize::from(category)];
        let total = sites.last()?.0;
        let draw = self.key.of("origin", u64::from(object)).below(total);
        sites
            .get(sites.partition_point(|(sum, _)| *sum <= draw))
            .map(|(_, site)| *site)
    }
}

fn origins(demands: &[SiteDemand], category: u64) -> Vec<(u64, u32)> {
    let mut sum = 0;
    let mut sites = Vec::new();
    for (index, demand) in demands
        .iter()
        .enumerate()
        .filter(|(_, demand)| demand.focus & (1 << category) != 0)
    {
        sum += (demand.objects / f64::from(demand.focus.count_ones()) * 1_000.0) as u64 + 1;
        sites.push((sum, index as u32));
    }
    sites
}

/// Returns the share of a category's objects whose origin is the site.
fn part(sites: &[(u64, u32)], site: u32) -> f64 {
    let Ok(index) = sites.binary_search_by_key(&site, |(_, site)| *site) else {
        return 0.0;
    };
    let before = if index == 0 { 0 } else { sites[index - 1].0 };
    let total = sites.last().map_or(1, |(sum, _)| *sum);
    (sites[index].0 - before) as f64 / total as f64
}

/// Returns the factor to multiply popularity by so that a site takes this share of all objects.
fn rate(share: f64, skew: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1_000.0);
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        if taken(middle, skew) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Returns the share of objects taken at a rate: the average of min(1, rate * popularity) over all
/// ranks.
fn taken(rate: f64, skew: f64) -> f64 {
    const STEPS: u32 = 128;
    let step = |index: u32| {
        // Ranks are sampled densely near the top, where popularity falls fast: rank = t^3.
        let t = (f64::from(index) + 0.5) / f64::from(STEPS);
        (rate * popularity(t * t * t, skew)).min(1.0) * 3.0 * t * t / f64::from(STEPS)
    };
    (0..STEPS).map(step).sum()
}
