-- The hidden Web: forms of sites, the URL templates made of them, and the queries that were asked.

CREATE TABLE form (
    -- Forms, search descriptions and search actions of sites.
    id INTEGER PRIMARY KEY, -- ID, increasing
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    fingerprint INTEGER NOT NULL, -- hash of its action, method and fields; the same form on many pages is one row
    source TEXT NOT NULL, -- kind of its source
    page_url TEXT NOT NULL, -- URL of the first page that has it
    depth INTEGER NOT NULL, -- smallest number of links from an entry page to a page with it
    pages INTEGER NOT NULL, -- number of pages that were seen with it
    purpose TEXT NOT NULL, -- its purpose
    confidence REAL NOT NULL, -- confidence of the purpose, 0 to 1
    refusal TEXT, -- the reason why it is not sent, for people; null if it may be sent
    template TEXT, -- URL template such as `https://example.org/search?q={query}`; null if none could be made
    fields TEXT NOT NULL, -- method, action and fields, as JSON
    seen_at INTEGER NOT NULL, -- time at which it was seen last
    UNIQUE (site_id, fingerprint)
);

CREATE TABLE query_template (
    -- URL templates of forms that a vertical asks queries of.
    vertical TEXT NOT NULL, -- name of the vertical
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    template TEXT NOT NULL, -- URL template
    state TEXT NOT NULL, -- its state
    detail TEXT NOT NULL, -- the reason for the state, for people
    asked INTEGER NOT NULL, -- number of requests that were sent
    objects INTEGER NOT NULL, -- number of distinct objects on its result pages
    size REAL, -- estimated number of objects behind it
    size_min REAL, -- lower end of the 95 % interval of the size
    size_max REAL, -- upper end of that interval
    memory TEXT NOT NULL, -- state from which asking goes on, as JSON
    changed_at INTEGER NOT NULL, -- time of the last change
    PRIMARY KEY (vertical, site_id, template)
) WITHOUT ROWID;

CREATE TABLE submission (
    -- Result pages that were asked for. One that is asked for again replaces its row.
    vertical TEXT NOT NULL, -- name of the vertical
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    template TEXT NOT NULL, -- URL template
    query TEXT NOT NULL, -- the query, or the URL of a page that shows the effect of an argument
    url TEXT NOT NULL, -- URL that was asked for
    asked_at INTEGER NOT NULL, -- time of the request
    outcome TEXT NOT NULL, -- its outcome
    objects INTEGER NOT NULL, -- number of objects on it
    new_objects INTEGER NOT NULL, -- number of those that were not known before
    PRIMARY KEY (vertical, site_id, template, url)
) WITHOUT ROWID;

CREATE TABLE argument (
    -- Arguments in the URLs of result pages.
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    name TEXT NOT NULL, -- name of the argument
    kind TEXT NOT NULL, -- its kind
    prevalence REAL NOT NULL, -- mean share of result pages with one of its values
    probes INTEGER NOT NULL, -- number of requests that decided it
    PRIMARY KEY (site_id, name)
) WITHOUT ROWID;
