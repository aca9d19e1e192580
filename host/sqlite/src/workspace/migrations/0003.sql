-- Results of learning: the pages of sites that are worth fetching, and the recrawls since.

CREATE TABLE stage (
    -- Stages of learning.
    vertical TEXT NOT NULL, -- name of the vertical
    name TEXT NOT NULL, -- stage
    ended_at INTEGER NOT NULL, -- time of the end
    sentence TEXT NOT NULL, -- description of the outcome and its reasons, for people
    kept TEXT NOT NULL, -- state from which the stage can be repeated, as JSON
    PRIMARY KEY (vertical, name)
) WITHOUT ROWID;

CREATE TABLE learned_site (
    -- Sites from which a vertical is collected.
    vertical TEXT NOT NULL, -- name of the vertical
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    entry TEXT NOT NULL, -- entry page of recrawls
    learned_at INTEGER NOT NULL, -- time at which its patterns were learned
    pages INTEGER NOT NULL, -- number of known pages at that time
    yielding INTEGER NOT NULL, -- number of those with objects
    objects INTEGER NOT NULL, -- number of distinct objects on them
    hubs INTEGER NOT NULL, -- number of hub pages in its navigation; 0 if no pattern is chosen
    PRIMARY KEY (vertical, site_id)
) WITHOUT ROWID;

CREATE TABLE pattern (
    -- URL patterns of these sites.
    id INTEGER PRIMARY KEY, -- ID, increasing
    vertical TEXT NOT NULL, -- name of the vertical
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    pattern TEXT NOT NULL, -- pattern such as `https://example.org/event/{number}-{slug}`
    wanted INTEGER NOT NULL, -- 1 if its pages have objects
    chosen INTEGER NOT NULL, -- 1 if recrawls fetch its pages
    pages INTEGER NOT NULL, -- number of pages that it matched when it was learned
    yielding INTEGER NOT NULL, -- number of those with objects
    objects INTEGER NOT NULL, -- number of distinct objects on them
    hubs INTEGER NOT NULL, -- number of hub pages that lead to them
    learned_at INTEGER NOT NULL, -- time at which it was learned
    fetches INTEGER NOT NULL DEFAULT 0, -- number of fetches of its pages in recrawls
    failures INTEGER NOT NULL DEFAULT 0, -- number of failed fetches
    yields INTEGER NOT NULL DEFAULT 0, -- number of fetches that found an object
    alarm TEXT, -- alarm, if it is considered broken
    monitor TEXT, -- state of its monitor, as JSON
    UNIQUE (vertical, site_id, pattern)
);

CREATE TABLE selection (
    -- Selections of patterns, and their quality.
    vertical TEXT PRIMARY KEY, -- name of the vertical
    made_at INTEGER NOT NULL, -- time of the selection
    strategy TEXT NOT NULL, -- `ours`, `paper` or `poster`
    goal TEXT NOT NULL, -- `coverage 0.98` or `pages 5000`
    patterns INTEGER NOT NULL, -- number of chosen patterns
    cost REAL NOT NULL, -- cost of a round in pages
    lower_bound REAL NOT NULL, -- bound that no selection can beat: a cost for a coverage goal, objects for a goal of pages
    gap REAL NOT NULL, -- distance of the selection from the bound, as a share of the bound
    covered REAL NOT NULL, -- number of objects on pages of chosen patterns
    coverable REAL NOT NULL, -- number of objects on pages of any pattern
    covered_least REAL NOT NULL, -- lower end of the 95 % interval of `covered`
    covered_most REAL NOT NULL, -- upper end of that interval
    curve TEXT NOT NULL -- coverage by cost: a JSON array of `[patterns, cost, covered]`
) WITHOUT ROWID;

CREATE TABLE round (
    -- Rounds: recrawls by site.
    run_id INTEGER NOT NULL REFERENCES run (id), -- run of the recrawl
    vertical TEXT NOT NULL, -- name of the vertical
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    method TEXT NOT NULL, -- method
    pages INTEGER NOT NULL, -- number of fetched pages
    unchanged INTEGER NOT NULL, -- number of pages that the server declared unchanged
    hubs INTEGER NOT NULL, -- number of pages that were read for their links
    failures INTEGER NOT NULL, -- number of failed pages
    bytes INTEGER NOT NULL, -- bytes of their bodies
    objects INTEGER NOT NULL, -- number of distinct objects on them
    new_objects INTEGER NOT NULL, -- number of objects that were never seen before
    state TEXT NOT NULL, -- state
    PRIMARY KEY (run_id, vertical, site_id)
) WITHOUT ROWID;
