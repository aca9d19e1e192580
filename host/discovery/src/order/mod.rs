//! The order in which the pages of a site are fetched while it is learned: by what pages of their
//! kind brought so far.
//!
//! URLs are sorted into groups by their form and by the place of the link that led to them. The
//! next URL is one of the group that is worth most; a share of the fetches goes to the forms that
//! were tried least. A group is worth the rate of new objects that a fetch starts: its own, and
//! those of the pages that it leads to, each for a fetch more (an index for branching bandits).
//! The yield of a group is weighed against that of its form, of its sibling folders
//! and of its place.
//!
//! The same yields estimate the new objects that the queue still leads to ([`PageOrder::unseen`]),
//! by which a crawl knows when it has found most of a site.

mod form;
mod likeness;

use std::collections::HashMap;

use magpie_model::CanonicalUrl;

pub(crate) use form::ending;

pub use form::UrlForm;
pub use likeness::FormYields;

/// Groups of one site. A site that makes up more gets them without places, and then by depth alone.
const MAX_GROUPS: usize = 4_096;

/// Folders below one parent that are forms of their own. Further ones count as one form.
const MAX_FOLDERS: usize = 256;

/// Maximum number of places of one form that are distinguished.
const MAX_PLACES: usize = 24;

/// Groups that pages of one kind are known to lead to.
const MAX_CHILDREN: usize = 48;

/// Fetches that what is known of a wider kind counts for, against those of a kind itself.
const PRIOR: f64 = 2.0;

/// Fetches after which an observation counts only by a third.
const MEMORY: f64 = 150.0;

/// New objects of one page that count.
const MAX_REWARD: f64 = 40.0;

/// Fetches a group that nothing is known of is thought to bring.
const HOPE: f64 = 0.01;

/// Rounds in which values spread from pages to the pages that lead to them.
const SWEEPS: usize = 3;

/// Fetches of a kind, of which none was a page, until the others of that kind wait for everything
/// else.
const NO_PAGES: u32 = 4;

/// Fetches after which an observation counts only by a third for what is still to come, or half of
/// all fetches of a kind if these are more. New objects and new URLs become rare towards the end of
/// a site.
const RECENT: f64 = 10.0;

/// Fetches that the expectation of a kind counts for: that no new object was seen does not mean
/// that there is none.
const EXPECTATION: f64 = 0.1;

/// Steps from a queued page to pages that are not known yet.
const STEPS: usize = 12;

/// Most pages that a queued page is thought to lead to.
const MAX_LEADS: f64 = 1_000.0;

/// Interval of fetches of what was tried least, once objects were found: at first; it grows by
/// one each time that the fetches have doubled.
const EXPLORE_EVERY: u64 = 3;

/// Fetches until the share for what was tried least shrinks for the first time.
const EXPLORE_MOST: u64 = 64;

/// Returns true if a URL ends like a file that is no page: a picture, a document, a style.
pub fn is_file(url: &CanonicalUrl) -> bool {
    UrlForm::of(url.path(), None).is_file
}

/// A group of URLs; never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Group(i64);

impl Group {
    /// The number that is kept with URLs: the form above, the place below.
    pub fn number(self) -> i64 {
        self.0
    }

    /// The group of a number, unless that is the zero of URLs without a group.
    pub fn from_number(number: i64) -> Option<Group> {
        (number > 0).then_some(Group(number))
    }

    fn new(form: u32, place: u32) -> Group {
        Group(i64::from(form) << 31 | i64::from(place & 0x7fff_ffff))
    }

    pub(crate) fn form(self) -> u32 {
        (self.0 >> 31) as u32
    }

    fn place(self) -> u32 {
        (self.0 & 0x7fff_ffff) as u32
    }
}

/// The yield of one fetch.
#[derive(Clone, Debug, Default)]
pub struct Brought {
    pub objects: u64,
    /// Those that were on no page before.
    pub new_objects: u64,
    /// The groups of the new URLs that it led to, one for each.
    pub offered: Vec<Group>,
    /// True if it was a page that could be read.
    pub is_page: bool,
}

/// The yield of pages of one kind. Older fetches count less.
#[derive(Clone, Debug, Default)]
struct Known {
    fetches: f64,
    objects: f64,
    /// New URLs, by the number of their group.
    led_to: Vec<(u32, f64)>,
    recent: Recent,
}

/// The yield of the last fetches.
#[derive(Clone, Copy, Debug, Default)]
struct Recent {
    /// All fetches, also old ones.
    count: f64,
    fetches: f64,
    /// Objects, new ones and others.
    objects: f64,
    new_objects: f64,
    /// New URLs of any group.
    led_to: f64,
}

/// A kind of pages that groups have in common: a form, its siblings, a depth, a place.
#[derive(Clone, Debug, Default)]
struct Kind {
    known: Known,
    queued: u64,
    taken: u64,
    /// Kinds below it.
    below: usize,
    /// The wider kind; none for depths and places.
    wider: Option<usize>,
    value: f64,
}

#[derive(Clone, Debug)]
struct Member {
    group: Group,
    form: usize,
    siblings: usize,
    depth: usize,
    place: usize,
    known: Known,
    queued: u64,
    taken: u64,
    fetched: u32,
    pages: u32,
    is_file: bool,
    value: f64,
}

/// Orders the URLs of a site by what was brought.
#[derive(Clone, Debug, Default)]
pub struct PageOrder {
    members: Vec<Member>,
    by_group: HashMap<Group, u32>,
    kinds: Vec<Kind>,
    /// The level of each kind: 0 a form, 1 siblings, 2 a depth, 3 a place.
    by_kind: HashMap<(u8, u32), usize>,
    all: Known,
    picks: u64,
    /// When it was the turn of what was tried least, in picks.
    explored: u64,
    learned: u64,
    /// When values were worked out last, in fetches.
    valued: u64,
    found: bool,
    /// The yield of the first fetches of groups.
    first: Recent,
}

impl PageOrder {
    /// The group of a URL that a link in a place leads to; places are hashes, zero where there is
    /// none.
    pub fn group(&mut self, url: &CanonicalUrl, place: u64) -> Group {
        self.group_of(url.path(), url.query(), place)
    }

    fn group_of(&mut self, path: &str, query: Option<&str>, place: u64) -> Group {
        let form = UrlForm::of(path, query);
        let place = (place >> 33) as u32;
        let is_full = self.members.len() >= MAX_GROUPS;
        let depth_is_new = !self.by_kind.contains_key(&(2, form.depth));
        let has_room = self.below(2, form.depth) < MAX_FOLDERS && !is_full;
        let folder_has_room = has_room && self.below(1, form.siblings) < MAX_FOLDERS;
        let is_known = |own: u32| self.by_kind.contains_key(&(0, own));
        // A site can make up any number of folders. Beyond the limit they share the form of their
        // siblings, and at last that of their depth.
        let own = if is_known(form.folder) || folder_has_room {
            form.folder
        } else if has_room || is_known(form.siblings) {
            form.siblings
        } else if is_full && depth_is_new {
            0
        } else {
            form.depth
        };
        let exact = Group::new(own, place);
        let group = match self.by_group.contains_key(&exact) {
            true => exact,
            false if is_full || self.below(0, own) >= MAX_PLACES => Group::new(own, 0),
            false => exact,
        };
        self.member(group, form);
        group
    }

    /// Makes a group known that URLs were sorted into before, by one of its URLs.
    pub fn restore(&mut self, group: Group, url: &CanonicalUrl) {
        self.member(group, UrlForm::of(url.path(), url.query()));
    }

    fn below(&self, level: u8, hash: u32) -> usize {
        self.by_kind
            .get(&(level, hash))
            .map_or(0, |kind| self.kinds[*kind].below)
    }

    fn member(&mut self, group: Group, form: UrlForm) -> usize {
        if let Some(member) = self.by_group.get(&group) {
            return *member as usize;
        }
        let depth = self.kind(2, form.depth, None);
        let siblings = self.kind(1, form.siblings, Some(depth));
        let own = self.kind(0, group.form(), Some(siblings));
        let place = self.kind(3, group.place(), None);
        self.kinds[own].below += 1;
        let member = self.members.len();
        self.by_group.insert(group, member as u32);
        self.members.push(Member {
            group,
            form: own,
            siblings,
            depth,
            place,
            known: Known::default(),
            queued: 0,
            taken: 0,
            fetched: 0,
            pages: 0,
            is_file: form.is_file,
            value: 0.0,
        });
        self.value_one(member);
        member
    }

    /// The kind of a level with this hash; a new one counts as one more of the wider kind.
    fn kind(&mut self, level: u8, hash: u32, wider: Option<usize>) -> usize {
        if let Some(kind) = self.by_kind.get(&(level, hash)) {
            return *kind;
        }
        if let Some(wider) = wider {
            self.kinds[wider].below += 1;
        }
        let kind = self.kinds.len();
        self.by_kind.insert((level, hash), kind);
        self.kinds.push(Kind {
            wider,
            ..Kind::default()
        });
        kind
    }

    /// Counts URLs of a group that are queued.
    pub fn queued(&mut self, group: Group, count: u64) {
        self.change(group, |queued, _| *queued += count);
    }

    /// Counts a URL of a group that was taken from the queue.
    pub fn taken(&mut self, group: Group) {
        self.change(group, |queued, taken| {
            *queued = queued.saturating_sub(1);
            *taken += 1;
        });
    }

    /// Hears that nothing of a group is queued.
    pub fn emptied(&mut self, group: Group) {
        let Some(member) = self.by_group.get(&group) else {
            return;
        };
        // The kinds above count the same URLs, so the same number is taken from them.
        let left = self.members[*member as usize].queued;
        self.change(group, |queued, _| *queued = queued.saturating_sub(left));
    }

    fn change(&mut self, group: Group, change: impl Fn(&mut u64, &mut u64)) {
        let Some(member) = self.by_group.get(&group) else {
            return;
        };
        let member = &mut self.members[*member as usize];
        change(&mut member.queued, &mut member.taken);
        for kind in [member.form, member.siblings, member.depth] {
            let kind = &mut self.kinds[kind];
            change(&mut kind.queued, &mut kind.taken);
        }
    }

    /// Learns what a fetch of a group brought.
    pub fn learn(&mut self, group: Group, brought: &Brought) {
        let Some(&member) = self.by_group.get(&group) else {
            return;
        };
        // A single list of a thousand objects must not outweigh all other pages of its form.
        let reward = (brought.new_objects as f64).min(MAX_REWARD);
        let mut led_to: Vec<u32> = brought
            .offered
            .iter()
            .filter_map(|group| self.by_group.get(group).copied())
            .collect();
        led_to.sort_unstable();
        let led_to: Vec<(u32, f64)> = led_to
            .chunk_by(|one, other| one == other)
            .map(|equal| (equal[0], equal.len() as f64))
            .collect();
        let member = &mut self.members[member as usize];
        member.fetched += 1;
        member.pages += u32::from(brought.is_page);
        if member.fetched == 1 {
            self.first.add(brought);
        }
        member.known.learn(reward, &led_to);
        member.known.recent.learn(brought);
        let kinds = [member.form, member.siblings, member.depth, member.place];
        for kind in kinds {
            self.kinds[kind].known.learn(reward, &led_to);
            self.kinds[kind].known.recent.learn(brought);
        }
        self.all.learn(reward, &led_to);
        self.learned += 1;
        self.found |= brought.new_objects > 0;
    }

    /// The group that the next URL is to be taken from; none when nothing is queued.
    pub fn turn(&mut self) -> Option<Group> {
        // All groups are valued again, which takes time in proportion to their number, so it is
        // done less often in a long crawl.
        if self.learned >= self.valued + 4.max(self.valued / 50) || (self.valued == 0 && self.learned > 0) {
            self.value();
        }
        self.picks += 1;
        let every = EXPLORE_EVERY + u64::from((1 + self.picks / EXPLORE_MOST).ilog2());
        // Until an object is found there is nothing to prefer, and the forms take turns.
        if !self.found || self.picks - self.explored >= every {
            self.explored = self.picks;
            return self.least_tried().or_else(|| self.best());
        }
        self.best()
    }

    /// Returns the number of new objects that the queued pages are expected to bring, with those of
    /// the pages that they lead to. Objects that several pages bring count once for each.
    pub fn unseen(&self) -> f64 {
        let rates: Vec<f64> = self.members.iter().map(|member| self.rate(member)).collect();
        let mut values = rates.clone();
        for _ in 0..STEPS {
            let ahead = self.members.iter().zip(&rates).enumerate();
            values = ahead
                .map(|(number, (member, rate))| member.value_of_path(number, *rate, &values))
                .collect();
        }
        let queued = self.members.iter().zip(values);
        queued.map(|(member, value)| member.queued as f64 * value).sum()
    }

    /// The rate at which further fetches of a group bring new objects: that of its last fetches,
    /// weighed against the objects on pages of its form. Of these as many are thought to be new as
    /// on the first pages of other groups.
    fn rate(&self, member: &Member) -> f64 {
        if member.is_useless() {
            return 0.0;
        }
        let kinds = [member.form, member.siblings, member.depth];
        let kinds = kinds.iter().map(|kind| &self.kinds[*kind].known.recent);
        let tried = kinds.chain([&self.first]).find(|kind| kind.fetches > 0.0);
        let objects = tried.map_or(HOPE, |kind| kind.objects / kind.fetches);
        let new = (self.first.new_objects + 1.0) / (self.first.objects + 1.0);
        let recent = &member.known.recent;
        (recent.new_objects + EXPECTATION * objects * new) / (recent.fetches + EXPECTATION)
    }

    fn best(&self) -> Option<Group> {
        let queued = self.members.iter().filter(|member| member.queued > 0);
        let best = queued.reduce(|best, member| match member.rank() > best.rank() {
            true => member,
            false => best,
        });
        best.map(|member| member.group)
    }

    /// A group whose turn it is: depths take turns, then sibling folders, forms and places, longer
    /// queues a little more often.
    fn least_tried(&self) -> Option<Group> {
        let candidates: Vec<&Member> = self
            .members
            .iter()
            .filter(|member| member.queued > 0 && !member.is_useless())
            .collect();
        let levels: [fn(&Member) -> usize; 3] = [|m| m.depth, |m| m.siblings, |m| m.form];
        let mut candidates = candidates;
        for level in levels {
            let turn = |kind: usize| turn(self.kinds[kind].taken, self.kinds[kind].queued);
            let chosen = candidates
                .iter()
                .map(|member| level(member))
                .reduce(|best, kind| if turn(kind) < turn(best) { kind } else { best })?;
            candidates.retain(|member| level(member) == chosen);
        }
        let first = candidates.into_iter().reduce(|best, member| {
            match turn(member.taken, member.queued) < turn(best.taken, best.queued) {
                true => member,
                false => best,
            }
        });
        first.map(|member| member.group)
    }

    /// Works out what all groups are worth. Wider kinds were made before those within them.
    fn value(&mut self) {
        self.valued = self.learned;
        for _ in 0..SWEEPS {
            let values: Vec<f64> = self.members.iter().map(|member| member.value).collect();
            let all = shrunk(&self.all, HOPE, &values);
            for number in 0..self.kinds.len() {
                let wider = self.kinds[number]
                    .wider
                    .map_or(all, |wider| self.kinds[wider].value);
                self.kinds[number].value = shrunk(&self.kinds[number].known, wider, &values);
            }
            for number in 0..self.members.len() {
                let prior = self.prior(number);
                let member = &mut self.members[number];
                member.value = shrunk(&member.known, prior, &values);
            }
        }
    }

    fn value_one(&mut self, member: usize) {
        self.members[member].value = self.prior(member);
    }

    /// The expected yield of a group that was not tried yet.
    fn prior(&self, member: usize) -> f64 {
        let member = &self.members[member];
        let weight = |kind: &Kind| kind.known.fetches / (kind.known.fetches + PRIOR);
        let mut form = &self.kinds[member.form];
        if form.known.fetches == 0.0 {
            form = &self.kinds[member.siblings];
        }
        if form.known.fetches == 0.0 {
            form = &self.kinds[member.depth];
        }
        let place = &self.kinds[member.place];
        let (one, other) = (weight(form), weight(place));
        match one + other > 0.0 {
            true => (one * form.value + other * place.value) / (one + other),
            false => HOPE,
        }
    }
}

impl Member {
    fn is_useless(&self) -> bool {
        self.is_file || (self.fetched >= NO_PAGES && self.pages == 0)
    }

    fn rank(&self) -> f64 {
        match self.is_useless() {
            true => -1.0,
            false => self.value,
        }
    }
}

impl Member {
    /// The new objects of a fetch and of the pages that it leads to.
    fn value_of_path(&self, number: usize, rate: f64, values: &[f64]) -> f64 {
        let known = &self.known;
        if known.fetches == 0.0 || known.recent.fetches == 0.0 || self.is_useless() {
            return rate;
        }
        let all: f64 = known.led_to.iter().map(|(_, count)| count).sum();
        if all <= 0.0 {
            return rate;
        }
        // The groups are those of all fetches, their number is that of the last ones.
        let scale = known.recent.led_to / known.recent.fetches / all;
        let (mut own, mut ahead) = (0.0, rate);
        for &(group, count) in &known.led_to {
            match group as usize == number {
                // Pages of the same group lead to one another as a series, whose sum is closed
                // below.
                true => own += count * scale,
                false => ahead += count * scale * values.get(group as usize).copied().unwrap_or(0.0),
            }
        }
        // A series is expected to have as many pages left as were fetched of it.
        let own = own.min(f64::from(self.fetched) / (f64::from(self.fetched) + 1.0));
        // The sum of the geometric series.
        (ahead / (1.0 - own)).min(MAX_LEADS * MAX_REWARD)
    }
}

impl Recent {
    fn learn(&mut self, brought: &Brought) {
        let kept = 1.0 - 1.0 / RECENT.max(self.count / 2.0);
        self.fetches *= kept;
        self.objects *= kept;
        self.new_objects *= kept;
        self.led_to *= kept;
        self.add(brought);
    }

    fn add(&mut self, brought: &Brought) {
        self.count += 1.0;
        self.fetches += 1.0;
        self.objects += brought.objects as f64;
        self.new_objects += brought.new_objects as f64;
        self.led_to += brought.offered.len() as f64;
    }
}

impl Known {
    fn learn(&mut self, reward: f64, led_to: &[(u32, f64)]) {
        let kept = 1.0 - 1.0 / MEMORY;
        self.fetches = self.fetches * kept + 1.0;
        self.objects = self.objects * kept + reward;
        for (_, count) in &mut self.led_to {
            *count *= kept;
        }
        for &(group, count) in led_to {
            match self.led_to.iter().position(|(known, _)| *known == group) {
                Some(known) => self.led_to[known].1 += count,
                None if self.led_to.len() < MAX_CHILDREN => self.led_to.push((group, count)),
                None => {
                    // The least of them gives way, if it is less.
                    if let Some(least) = self
                        .led_to
                        .iter_mut()
                        .min_by(|one, other| one.1.total_cmp(&other.1))
                        && least.1 < count
                    {
                        *least = (group, count);
                    }
                }
            }
        }
    }
}

/// Returns the scheduling rank of a group; lower is next.
fn turn(taken: u64, queued: u64) -> f64 {
    (taken as f64 + 0.5) / (2.0 + queued as f64).log2()
}

/// The rate of objects of a kind: what is known of it, weighed against a wider kind.
fn shrunk(known: &Known, wider: f64, values: &[f64]) -> f64 {
    if known.fetches == 0.0 {
        return wider;
    }
    let own = index(known, values);
    (known.fetches * own + PRIOR * wider) / (known.fetches + PRIOR)
}

/// The best rate of objects that a fetch starts: with those of the pages that it leads to as long
/// as these are better.
fn index(known: &Known, values: &[f64]) -> f64 {
    let mut led_to: Vec<(f64, f64)> = known
        .led_to
        .iter()
        .filter_map(|(group, count)| Some((*values.get(*group as usize)?, count / known.fetches)))
        .collect();
    led_to.sort_by(|one, other| other.0.total_cmp(&one.0));
    let (mut objects, mut fetches) = (known.objects / known.fetches, 1.0);
    for (value, count) in led_to {
        // Sorted, so everything after the first that lowers the rate would lower it, too.
        if value <= objects / fetches {
            break;
        }
        objects += value * count;
        fetches += count;
    }
    objects / fetches
}
