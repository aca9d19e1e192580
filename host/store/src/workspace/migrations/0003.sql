-- What was learned of sites: which of their pages are worth fetching, and how that went since.

CREATE TABLE stage (
    -- What learning has done, stage by stage.
    vertical TEXT NOT NULL, -- the vertical's name
    name TEXT NOT NULL, -- the stage: `expand`, `crawl`, `cluster`, `patterns`, `select`, `navigate`
    ended_at INTEGER NOT NULL, -- when it was through
    sentence TEXT NOT NULL, -- what it did and why, for people
    kept TEXT NOT NULL, -- what the stage goes on from when it is done again, as JSON
    PRIMARY KEY (vertical, name)
) WITHOUT ROWID;

CREATE TABLE learned_site (
    -- The sites that a vertical is collected from.
    vertical TEXT NOT NULL, -- the vertical's name
    site_id INTEGER NOT NULL REFERENCES site (id), -- the site
    entry TEXT NOT NULL, -- the URL that recrawls begin with
    learned_at INTEGER NOT NULL, -- when its patterns were made
    pages INTEGER NOT NULL, -- pages known then
    yielding INTEGER NOT NULL, -- those with objects
    objects INTEGER NOT NULL, -- different objects on them
    hubs INTEGER NOT NULL, -- hub pages of its navigation; 0 while nothing is chosen there
    PRIMARY KEY (vertical, site_id)
) WITHOUT ROWID;

CREATE TABLE pattern (
    -- The URL patterns of those sites.
    id INTEGER PRIMARY KEY, -- grows
    vertical TEXT NOT NULL, -- the vertical's name
    site_id INTEGER NOT NULL REFERENCES site (id), -- the site
    pattern TEXT NOT NULL, -- as people write it: `https://example.org/event/{number}-{slug}`
    wanted INTEGER NOT NULL, -- 1 when its pages have objects, 0 for the other kinds of pages
    chosen INTEGER NOT NULL, -- 1 when recrawls fetch its pages
    pages INTEGER NOT NULL, -- pages that it matched when it was made
    yielding INTEGER NOT NULL, -- those with objects
    objects INTEGER NOT NULL, -- different objects on them
    hubs INTEGER NOT NULL, -- hub pages that lead to them
    learned_at INTEGER NOT NULL, -- when it was made
    fetches INTEGER NOT NULL DEFAULT 0, -- fetches of its pages in recrawls
    failures INTEGER NOT NULL DEFAULT 0, -- those that failed
    yields INTEGER NOT NULL DEFAULT 0, -- those that brought an object
    alarm TEXT, -- why it is thought to be broken: `yield` or `failures`
    monitor TEXT, -- the state of its watch, as JSON
    UNIQUE (vertical, site_id, pattern)
);

CREATE TABLE selection (
    -- Which patterns were chosen, and how good the choice is.
    vertical TEXT PRIMARY KEY, -- the vertical's name
    made_at INTEGER NOT NULL, -- when
    strategy TEXT NOT NULL, -- `ours`, `paper` or `poster`
    goal TEXT NOT NULL, -- `coverage 0.98` or `pages 5000`
    patterns INTEGER NOT NULL, -- how many were chosen
    cost REAL NOT NULL, -- what a round costs, in pages
    lower_bound REAL NOT NULL, -- what no choice can beat: a cost for a coverage goal, objects for a goal of pages
    gap REAL NOT NULL, -- how far the choice is from it, as a share of it
    covered REAL NOT NULL, -- objects on pages of chosen patterns
    coverable REAL NOT NULL, -- objects on pages of any pattern
    covered_least REAL NOT NULL, -- the 95% interval of `covered`
    covered_most REAL NOT NULL, -- the same
    curve TEXT NOT NULL -- coverage against cost: a JSON array of `[patterns, cost, covered]`
) WITHOUT ROWID;

CREATE TABLE round (
    -- What recrawls did, site by site.
    run_id INTEGER NOT NULL REFERENCES run (id), -- the recrawl
    vertical TEXT NOT NULL, -- the vertical's name
    site_id INTEGER NOT NULL REFERENCES site (id), -- the site
    method TEXT NOT NULL, -- `selective`, `all-patterns` or `full`
    pages INTEGER NOT NULL, -- pages fetched
    unchanged INTEGER NOT NULL, -- those that the site said had not changed
    hubs INTEGER NOT NULL, -- those that were read for their links
    failures INTEGER NOT NULL, -- those that failed
    bytes INTEGER NOT NULL, -- of their bodies
    objects INTEGER NOT NULL, -- different objects on them
    new_objects INTEGER NOT NULL, -- those never seen before
    state TEXT NOT NULL, -- `done`, `blocked` where nothing answered, `broken` where an alarm stands, `gone` where most lists are not there any more
    PRIMARY KEY (run_id, vertical, site_id)
) WITHOUT ROWID;
