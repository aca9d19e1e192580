-- The tables of a workspace. Every table and every column has its comment here; SQLite keeps them, so
-- that `.schema` in the sqlite3 program shows them too. Times are milliseconds since 1970 unless a comment says otherwise.

CREATE TABLE meta (
    -- What the workspace says of itself.
    key TEXT PRIMARY KEY, -- `created_at`, `record_seed`, `known_up_to` and what programs add
    value TEXT NOT NULL -- the value
) WITHOUT ROWID;

CREATE TABLE run (
    -- One crawl from its start to its end, however often it was interrupted and resumed.
    id INTEGER PRIMARY KEY, -- grows
    kind TEXT NOT NULL, -- what was done: `crawl`, `fetch`, `recrawl`
    program TEXT NOT NULL, -- which program with which version
    settings TEXT NOT NULL, -- the settings as JSON
    started_at INTEGER NOT NULL, -- when it began
    resumed_at INTEGER, -- when it was resumed last
    ended_at INTEGER, -- when it ended; empty while it goes on or was interrupted
    outcome TEXT -- how it ended: `finished`, `stopped`, `disk-full` and so on
);

CREATE TABLE site (
    -- The unit of work: a worker leases a site and nobody else works on it meanwhile.
    id INTEGER PRIMARY KEY, -- grows
    key TEXT NOT NULL UNIQUE, -- an origin (`https://example.org`) or a domain, as the crawl's scope says
    queued INTEGER NOT NULL DEFAULT 0, -- how many of its URLs are queued
    ready_at INTEGER NOT NULL DEFAULT 0, -- not to be leased before
    lease_owner TEXT, -- who works on it
    lease_epoch INTEGER NOT NULL DEFAULT 0, -- grows with every lease; results of an older epoch are refused
    lease_until INTEGER NOT NULL DEFAULT 0 -- when the lease ends unless it is extended
);

CREATE INDEX site_ready ON site (ready_at, id) WHERE queued > 0;

CREATE TABLE host (
    -- A server as politeness sees it.
    origin TEXT PRIMARY KEY, -- scheme, name and port
    next_ok_at INTEGER NOT NULL, -- no request before
    delay INTEGER NOT NULL, -- milliseconds between requests
    failures INTEGER NOT NULL, -- failed requests in a row
    robots_fetched_at INTEGER, -- when robots.txt was asked for
    robots_status INTEGER, -- the answer's status code; empty when no answer came
    robots_outcome TEXT, -- what follows: `rules`, `all-allowed`, `all-refused`
    robots_text TEXT -- its text, as far as it is read
) WITHOUT ROWID;

CREATE TABLE url (
    -- Every URL that is known, whatever became of it.
    id INTEGER PRIMARY KEY, -- grows in the order URLs were found
    site_id INTEGER NOT NULL REFERENCES site (id), -- the site whose frontier knows it
    fingerprint INTEGER NOT NULL, -- xxh3-64 of the canonical form, as a signed number
    url TEXT NOT NULL, -- the canonical form
    state TEXT NOT NULL, -- `queued`, `fetched`, `failed`, `refused`, `held`
    priority INTEGER NOT NULL, -- lower comes first
    depth INTEGER NOT NULL, -- clicks from a seed
    attempts INTEGER NOT NULL, -- how often it was tried
    source TEXT NOT NULL, -- how it was found: `seed`, `link`, `sitemap`, `feed`, `redirect`, `canonical`
    found_on INTEGER, -- the URL on whose page it was found first
    found_at INTEGER NOT NULL, -- when
    due_at INTEGER, -- not to be fetched before; empty for at once
    reason TEXT, -- why it is not fetched, or why it waits: a code
    detail TEXT -- the same for people
);

CREATE INDEX url_queued ON url (site_id, priority, depth, id) WHERE state = 'queued' AND due_at IS NULL;

CREATE INDEX url_waiting ON url (site_id, due_at, id) WHERE state = 'queued' AND due_at IS NOT NULL;

CREATE TABLE hint (
    -- When URLs changed last, as the site's sitemaps and feeds say.
    site_id INTEGER NOT NULL REFERENCES site (id), -- the site
    fingerprint INTEGER NOT NULL, -- as in `url`
    modified_at INTEGER NOT NULL, -- when the URL is said to have changed
    seen_at INTEGER NOT NULL, -- when that was said last
    PRIMARY KEY (site_id, fingerprint)
) WITHOUT ROWID;

CREATE TABLE known (
    -- The fingerprints of all URLs but the newest: those with an id above `known_up_to` in `meta` are not yet here.
    site_id INTEGER NOT NULL, -- the site
    fingerprint INTEGER NOT NULL, -- as in `url`
    url_id INTEGER NOT NULL, -- the URL
    PRIMARY KEY (site_id, fingerprint)
) WITHOUT ROWID;

CREATE TABLE tally (
    -- How many URLs stand how; always the same as counting them.
    site_id INTEGER NOT NULL, -- the site
    state TEXT NOT NULL, -- as in `url`
    reason TEXT NOT NULL, -- as in `url`; the empty word for none, and for all that are queued
    urls INTEGER NOT NULL, -- how many
    PRIMARY KEY (site_id, state, reason)
) WITHOUT ROWID;

CREATE TABLE archive (
    -- The WARC files.
    id INTEGER PRIMARY KEY, -- grows
    name TEXT NOT NULL UNIQUE, -- the file's name in the folder `archive`
    run_id INTEGER REFERENCES run (id), -- the run whose pages it has
    bytes INTEGER NOT NULL, -- how long it is; what lies behind is removed when the workspace is opened
    started_at INTEGER NOT NULL, -- when it was begun
    closed INTEGER NOT NULL -- 1 when nothing is added any more
);

CREATE TABLE page (
    -- One fetch: what came, and where it lies in the archive.
    id INTEGER PRIMARY KEY, -- a name; `site_id` and `number` tell the order
    url_id INTEGER REFERENCES url (id), -- the URL in the frontier
    url TEXT, -- the URL as fetched, where `url_id` does not say it
    run_id INTEGER REFERENCES run (id), -- in which run
    fetched_at INTEGER NOT NULL, -- when
    status INTEGER, -- the status code; empty when no answer came
    media_type TEXT, -- without parameters
    charset TEXT, -- the encoding the text was read in
    language TEXT, -- the language the page names
    title TEXT, -- its title
    bytes INTEGER NOT NULL, -- of the body, codings undone
    digest BLOB, -- SHA-256 of the body as archived (content coding kept); `hex(digest)` is what the archive writes
    simhash INTEGER, -- fingerprint of the text for near duplicates, as a signed number
    etag TEXT, -- for the next conditional request
    last_modified TEXT, -- as sent
    redirect TEXT, -- where the answer sends the reader
    canonical TEXT, -- the canonical URL the page names
    problem TEXT, -- what is wrong with the fetch: a code
    detail TEXT, -- the same for people
    duration INTEGER, -- how long it took, in milliseconds
    archive_id INTEGER REFERENCES archive (id), -- the file its record lies in
    archive_offset INTEGER, -- where the record begins
    archive_length INTEGER, -- how many bytes it takes there
    same_as INTEGER REFERENCES page (id) -- the page whose body this one has, when its record is a revisit
);

CREATE INDEX page_url ON page (url_id, id) WHERE url_id IS NOT NULL;

CREATE INDEX page_other ON page (url, id) WHERE url IS NOT NULL;

CREATE TABLE dom_path (
    -- Where links stand in documents; the same places come again on every page of a site.
    id INTEGER PRIMARY KEY, -- grows
    path TEXT NOT NULL UNIQUE -- `html>body>ul>li[2]>a`
);

CREATE TABLE page_links (
    -- The links of a page, packed. The view `link` has them one by one.
    page_id INTEGER PRIMARY KEY REFERENCES page (id), -- the page
    origin TEXT NOT NULL, -- what addresses that begin with a slash continue
    links TEXT NOT NULL -- a JSON array; of each link `[address, anchor text, dom_path id or null, rel]`, ends left out where empty
);

CREATE VIEW link AS
    -- The links of pages, one by one, in their order.
SELECT
    page_links.page_id AS page_id, -- the page
    entry.key AS position, -- counts from 0
    iif(
        substr(entry.value ->> 0, 1, 1) = '/',
        page_links.origin || (entry.value ->> 0),
        entry.value ->> 0
    ) AS href, -- the address, resolved
    coalesce(entry.value ->> 1, '') AS text, -- the anchor text
    dom_path.path AS path, -- where it stands in the document
    coalesce(entry.value ->> 3, '') AS rel -- the `rel` words
FROM page_links
JOIN json_each(page_links.links) AS entry
LEFT JOIN dom_path ON dom_path.id = entry.value ->> 2;

CREATE VIEW fetch AS
    -- Pages with their URL and the name of their archive.
SELECT
    page.id AS page_id, -- the page
    coalesce(page.url, url.url) AS url, -- the URL as fetched
    page.run_id AS run_id, -- in which run
    page.fetched_at AS fetched_at, -- when
    page.status AS status, -- the status code
    page.media_type AS media_type, -- without parameters
    page.title AS title, -- its title
    page.bytes AS bytes, -- of the body, codings undone
    url.depth AS depth, -- clicks from a seed
    page.redirect AS redirect, -- where the answer sends the reader
    page.problem AS problem, -- what is wrong with the fetch: a code
    archive.name AS archive, -- the file its record lies in
    page.archive_offset AS archive_offset, -- where the record begins
    page.archive_length AS archive_length -- how many bytes it takes there
FROM page
LEFT JOIN url ON url.id = page.url_id
LEFT JOIN archive ON archive.id = page.archive_id;

CREATE TABLE component (
    -- The plugins that pages were shown to.
    id INTEGER PRIMARY KEY, -- grows
    vertical TEXT NOT NULL, -- the vertical's name
    version TEXT NOT NULL, -- the plugin's version
    digest TEXT NOT NULL, -- the BLAKE3 digest of its file
    options TEXT NOT NULL, -- the options it ran with, as JSON
    UNIQUE (digest, options)
);

CREATE TABLE extraction (
    -- What a plugin made of a page it was shown.
    page_id INTEGER NOT NULL REFERENCES page (id), -- the page
    component_id INTEGER NOT NULL REFERENCES component (id), -- the plugin
    outcome TEXT NOT NULL, -- `done`, or the code of what went wrong
    detail TEXT, -- for people: what went wrong, or what of the objects did not fit the schema
    objects INTEGER NOT NULL, -- how many were found
    violations INTEGER NOT NULL, -- how many values were dropped or mended
    cpu INTEGER NOT NULL, -- microseconds of CPU time
    PRIMARY KEY (page_id, component_id)
) WITHOUT ROWID;

CREATE TABLE object (
    -- What plugins found on pages.
    id INTEGER PRIMARY KEY, -- grows
    page_id INTEGER NOT NULL REFERENCES page (id), -- the page
    component_id INTEGER NOT NULL REFERENCES component (id), -- the plugin that found it
    position INTEGER NOT NULL, -- the place among what that plugin found on the page, from 0
    object_type TEXT NOT NULL, -- the schema.org type
    confidence REAL NOT NULL, -- how sure the extractor is, 0 to 1
    record TEXT NOT NULL, -- the attributes as JSON
    expires_at INTEGER, -- when it is of no more interest, in seconds since 1970
    UNIQUE (page_id, component_id, position)
);

CREATE TABLE cookie (
    -- The cookies of sites.
    site_id INTEGER NOT NULL REFERENCES site (id), -- the site
    domain TEXT NOT NULL, -- the domain it is for
    path TEXT NOT NULL, -- the path it is for
    name TEXT NOT NULL, -- its name
    value TEXT NOT NULL, -- its value
    host_only INTEGER NOT NULL, -- 1 when it is for the domain itself and not for those below
    secure INTEGER NOT NULL, -- 1 when it goes over TLS only
    expires_at INTEGER, -- when it ends; empty for the end of the run
    PRIMARY KEY (site_id, domain, path, name)
) WITHOUT ROWID;
