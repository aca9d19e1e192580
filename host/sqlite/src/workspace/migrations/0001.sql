-- The tables of a workspace. Every table and every column has a comment here. SQLite stores them, so
-- `.schema` in the sqlite3 program shows them too. Times are milliseconds since 1970 unless a comment
-- says otherwise.

CREATE TABLE meta (
    -- Values of the workspace by key.
    key TEXT PRIMARY KEY, -- `created_at`, `record_seed`, `known_up_to`, and keys of programs
    value TEXT NOT NULL -- value
) WITHOUT ROWID;

CREATE TABLE run (
    -- Runs: a crawl from its start to its end, however often it was interrupted and resumed.
    id INTEGER PRIMARY KEY, -- ID, increasing
    kind TEXT NOT NULL, -- kind
    program TEXT NOT NULL, -- name and version of the program
    settings TEXT NOT NULL, -- settings as JSON
    started_at INTEGER NOT NULL, -- time of the start
    resumed_at INTEGER, -- time of the last resumption
    ended_at INTEGER, -- time of the end; null while it runs or if it was interrupted
    outcome TEXT -- outcome; null while it runs or if it was interrupted
);

CREATE TABLE site (
    -- Sites, the unit of work: only the worker that has leased a site works on it.
    id INTEGER PRIMARY KEY, -- ID, increasing
    key TEXT NOT NULL UNIQUE, -- an origin (`https://example.org`) or a domain, depending on the scope of the crawl
    queued INTEGER NOT NULL DEFAULT 0, -- number of its queued URLs
    ready_at INTEGER NOT NULL DEFAULT 0, -- time before which it must not be leased
    lease_owner TEXT, -- worker that has leased it
    lease_epoch INTEGER NOT NULL DEFAULT 0, -- increases with every lease; results of an older epoch are refused
    lease_until INTEGER NOT NULL DEFAULT 0 -- end of the lease unless it is extended
);

CREATE INDEX site_ready ON site (ready_at, id) WHERE queued > 0;

CREATE TABLE host (
    -- Politeness state of servers.
    origin TEXT PRIMARY KEY, -- scheme, host and port
    next_ok_at INTEGER NOT NULL, -- time before which no request may be sent
    delay INTEGER NOT NULL, -- milliseconds between requests
    failures INTEGER NOT NULL, -- number of consecutive failed requests
    robots_fetched_at INTEGER, -- time of the request for robots.txt
    robots_status INTEGER, -- status code of robots.txt; null if there was no response
    robots_outcome TEXT, -- its effect
    robots_text TEXT -- text of robots.txt, as far as it is read
) WITHOUT ROWID;

CREATE TABLE url (
    -- All known URLs.
    id INTEGER PRIMARY KEY, -- ID, increasing in the order URLs were found
    site_id INTEGER NOT NULL REFERENCES site (id), -- site whose frontier has the URL
    fingerprint INTEGER NOT NULL, -- XXH3-64 of the canonical URL, as a signed number
    url TEXT NOT NULL, -- canonical URL
    state TEXT NOT NULL, -- state
    priority INTEGER NOT NULL, -- priority; lower comes first
    depth INTEGER NOT NULL, -- number of links from a seed
    attempts INTEGER NOT NULL, -- number of attempts
    source TEXT NOT NULL, -- source
    found_on INTEGER, -- URL of the page on which it was first found
    found_at INTEGER NOT NULL, -- time of the discovery
    due_at INTEGER, -- time before which it must not be fetched; null if there is none
    reason TEXT, -- reason why it is not fetched, or waits
    detail TEXT -- explanation for people
);

CREATE INDEX url_queued ON url (site_id, priority, depth, id) WHERE state = 'queued' AND due_at IS NULL;

CREATE INDEX url_waiting ON url (site_id, due_at, id) WHERE state = 'queued' AND due_at IS NOT NULL;

CREATE TABLE hint (
    -- Dates of the last change of URLs, from sitemaps and feeds.
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    fingerprint INTEGER NOT NULL, -- as in `url`
    modified_at INTEGER NOT NULL, -- date of the change
    seen_at INTEGER NOT NULL, -- time at which the date was last read
    PRIMARY KEY (site_id, fingerprint)
) WITHOUT ROWID;

CREATE TABLE known (
    -- Fingerprints of all URLs except the newest: URLs with an ID above `known_up_to` in `meta` are not inserted yet.
    site_id INTEGER NOT NULL, -- site
    fingerprint INTEGER NOT NULL, -- as in `url`
    url_id INTEGER NOT NULL, -- URL
    PRIMARY KEY (site_id, fingerprint)
) WITHOUT ROWID;

CREATE TABLE tally (
    -- Number of URLs by state and reason. Always equal to a count of the rows of `url`.
    site_id INTEGER NOT NULL, -- site
    state TEXT NOT NULL, -- state as in `url`
    reason TEXT NOT NULL, -- reason as in `url`; empty if there is none, and for queued URLs
    urls INTEGER NOT NULL, -- number of URLs
    PRIMARY KEY (site_id, state, reason)
) WITHOUT ROWID;

CREATE TABLE archive (
    -- WARC files.
    id INTEGER PRIMARY KEY, -- ID, increasing
    name TEXT NOT NULL UNIQUE, -- name of the file in the folder `archive`
    run_id INTEGER REFERENCES run (id), -- run whose pages it has
    bytes INTEGER NOT NULL, -- length; bytes after it are removed when the workspace is opened
    started_at INTEGER NOT NULL, -- time of its creation
    closed INTEGER NOT NULL -- 1 if no records are added any more
);

CREATE TABLE page (
    -- Fetches: the response, and its location in the archive.
    id INTEGER PRIMARY KEY, -- ID; `site_id` and `number` give the order
    url_id INTEGER REFERENCES url (id), -- URL in the frontier
    url TEXT, -- URL as fetched, if `url_id` is null
    run_id INTEGER REFERENCES run (id), -- run of the fetch
    fetched_at INTEGER NOT NULL, -- time of the fetch
    status INTEGER, -- status code; null if there was no response
    media_type TEXT, -- media type without parameters
    charset TEXT, -- encoding in which the text was decoded
    language TEXT, -- language that the page declares
    title TEXT, -- title
    bytes INTEGER NOT NULL, -- size of the decoded body in bytes
    digest BLOB, -- SHA-256 of the body as archived, with its content coding; `hex(digest)` is the digest in the archive
    simhash INTEGER, -- Simhash of the text, to find near duplicates, as a signed number
    etag TEXT, -- `ETag`, for the next conditional request
    last_modified TEXT, -- `Last-Modified` as it was sent
    redirect TEXT, -- redirect target
    canonical TEXT, -- canonical URL that the page declares
    problem TEXT, -- problem of the fetch
    detail TEXT, -- explanation for people
    duration INTEGER, -- duration in milliseconds
    archive_id INTEGER REFERENCES archive (id), -- archive with its record
    archive_offset INTEGER, -- offset of the record
    archive_length INTEGER, -- length of the record in the archive
    same_as INTEGER REFERENCES page (id) -- page with the same body, if the record is a revisit
);

CREATE INDEX page_url ON page (url_id, id) WHERE url_id IS NOT NULL;

CREATE INDEX page_other ON page (url, id) WHERE url IS NOT NULL;

CREATE TABLE dom_path (
    -- Paths of links in documents. The same paths occur on every page of a site.
    id INTEGER PRIMARY KEY, -- ID, increasing
    path TEXT NOT NULL UNIQUE -- `html>body>ul>li[2]>a`
);

CREATE TABLE page_links (
    -- Links of a page, packed. The view `link` has one row per link.
    page_id INTEGER PRIMARY KEY REFERENCES page (id), -- page
    origin TEXT NOT NULL, -- prefix of links that begin with a slash
    links TEXT NOT NULL -- a JSON array with `[URL, anchor text, dom_path ID or null, rel]` for each link; empty values at the end are omitted
);

CREATE VIEW link AS
    -- Links of pages in order, one row per link.
SELECT
    page_links.page_id AS page_id, -- page
    entry.key AS position, -- index among the links of the page, from 0
    iif(
        substr(entry.value ->> 0, 1, 1) = '/',
        page_links.origin || (entry.value ->> 0),
        entry.value ->> 0
    ) AS href, -- resolved URL
    coalesce(entry.value ->> 1, '') AS text, -- anchor text
    dom_path.path AS path, -- path in the document
    coalesce(entry.value ->> 3, '') AS rel -- words of `rel`
FROM page_links
JOIN json_each(page_links.links) AS entry
LEFT JOIN dom_path ON dom_path.id = entry.value ->> 2;

CREATE VIEW fetch AS
    -- Fetches with their URL and the name of their archive.
SELECT
    page.id AS page_id, -- page
    coalesce(page.url, url.url) AS url, -- URL as fetched
    page.run_id AS run_id, -- run of the fetch
    page.fetched_at AS fetched_at, -- time of the fetch
    page.status AS status, -- status code
    page.media_type AS media_type, -- media type without parameters
    page.title AS title, -- title
    page.bytes AS bytes, -- size of the decoded body in bytes
    url.depth AS depth, -- number of links from a seed
    page.redirect AS redirect, -- redirect target
    page.problem AS problem, -- problem of the fetch
    archive.name AS archive, -- name of the archive with its record
    page.archive_offset AS archive_offset, -- offset of the record
    page.archive_length AS archive_length -- length of the record in the archive
FROM page
LEFT JOIN url ON url.id = page.url_id
LEFT JOIN archive ON archive.id = page.archive_id;

CREATE TABLE component (
    -- Plugins that extracted pages.
    id INTEGER PRIMARY KEY, -- ID, increasing
    vertical TEXT NOT NULL, -- name of the vertical
    version TEXT NOT NULL, -- version of the plugin
    digest TEXT NOT NULL, -- BLAKE3 digest of its file
    options TEXT NOT NULL, -- options as JSON
    UNIQUE (digest, options)
);

CREATE TABLE extraction (
    -- Extractions of plugins from pages.
    page_id INTEGER NOT NULL REFERENCES page (id), -- page
    component_id INTEGER NOT NULL REFERENCES component (id), -- plugin
    outcome TEXT NOT NULL, -- `done`, or the problem: a code of the vertical or of the host
    detail TEXT, -- explanation for people: the failure, or the values that did not fit the schema
    objects INTEGER NOT NULL, -- number of records
    violations INTEGER NOT NULL, -- number of values that were dropped or repaired
    cpu INTEGER NOT NULL, -- CPU time in microseconds
    PRIMARY KEY (page_id, component_id)
) WITHOUT ROWID;

CREATE TABLE object (
    -- Records: what plugins found on pages.
    id INTEGER PRIMARY KEY, -- ID, increasing
    page_id INTEGER NOT NULL REFERENCES page (id), -- page
    component_id INTEGER NOT NULL REFERENCES component (id), -- plugin that found it
    position INTEGER NOT NULL, -- index among the records of that plugin on the page, from 0
    object_type TEXT NOT NULL, -- schema.org type
    confidence REAL NOT NULL, -- confidence of the extractor, 0 to 1
    record TEXT NOT NULL, -- attributes as JSON
    expires_at INTEGER, -- expiry
    UNIQUE (page_id, component_id, position)
);

CREATE TABLE cookie (
    -- Cookies of sites.
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    domain TEXT NOT NULL, -- domain that gets the cookie
    path TEXT NOT NULL, -- path that gets the cookie
    name TEXT NOT NULL, -- name of the cookie
    value TEXT NOT NULL, -- value of the cookie
    host_only INTEGER NOT NULL, -- 1 if it is sent to exactly this domain, not to its subdomains
    secure INTEGER NOT NULL, -- 1 if it is sent over TLS only
    expires_at INTEGER, -- expiry; null for the end of the run
    PRIMARY KEY (site_id, domain, path, name)
) WITHOUT ROWID;
