-- The tables of a workspace. The comments are the reference: `cargo run -p magpie-sqlite --example schema_page`.
-- This file is the first version; changes go into migrations after it.

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
    detail TEXT, -- explanation for people
    form INTEGER NOT NULL DEFAULT 0 -- form by which it is queued while its site is learned: a hash of its form and of the path of the link to it; 0 for none
);

CREATE INDEX url_queued ON url (site_id, priority, depth, id) WHERE state = 'queued' AND due_at IS NULL;

CREATE INDEX url_waiting ON url (site_id, due_at, id) WHERE state = 'queued' AND due_at IS NOT NULL;

CREATE INDEX url_form ON url (site_id, form, priority, depth, id) WHERE state = 'queued' AND due_at IS NULL AND form <> 0;

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
    name TEXT NOT NULL UNIQUE, -- name of the file in the folder `archive`, or its address in an object store
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
    same_as INTEGER REFERENCES page (id), -- page with the same body, if the record is a revisit
    text_hash INTEGER, -- XXH3-64 of the visible text, as a signed number; null if the text was not read
    site_id INTEGER REFERENCES site (id), -- site in whose lease it was fetched
    number INTEGER NOT NULL DEFAULT 0 -- number of the page within its site, from 1, in the order they were committed
);

CREATE INDEX page_url ON page (url_id, id) WHERE url_id IS NOT NULL;

CREATE INDEX page_other ON page (url, id) WHERE url IS NOT NULL;

CREATE UNIQUE INDEX page_site ON page (site_id, number);

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
    records INTEGER NOT NULL, -- number of records
    violations INTEGER NOT NULL, -- number of values that were dropped or repaired
    cpu INTEGER NOT NULL, -- CPU time in microseconds
    PRIMARY KEY (page_id, component_id)
) WITHOUT ROWID;

CREATE TABLE record (
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

CREATE TABLE warehouse (
    -- State of the clustering of each vertical, and its matcher.
    id INTEGER PRIMARY KEY, -- ID, increasing
    vertical TEXT NOT NULL UNIQUE, -- name of the vertical
    matcher TEXT NOT NULL, -- kind of the matcher; empty before the first clustering, and while everything is clustered again
    digest TEXT NOT NULL, -- BLAKE3 digest of the component
    options TEXT NOT NULL, -- options of the component, and settings of the clustering, as JSON
    schema TEXT NOT NULL, -- attributes with their kinds, as JSON
    clustered_at INTEGER NOT NULL -- time of the last change
);

CREATE TABLE object (
    -- Objects: the merged record of members that are one object.
    id INTEGER PRIMARY KEY, -- ID, increasing; never reused, even after the object has retired
    warehouse_id INTEGER NOT NULL REFERENCES warehouse (id), -- vertical
    label TEXT NOT NULL, -- label for lists
    object_type TEXT NOT NULL, -- schema.org type
    record TEXT NOT NULL, -- merged attributes of its members, as JSON in the form of `record.record`
    origins TEXT NOT NULL, -- for each attribute the member from which its value comes, as a JSON object
    members INTEGER NOT NULL, -- number of members
    current INTEGER NOT NULL, -- number of members that were on their page in its last fetch
    first_seen INTEGER NOT NULL, -- time of the first fetch of a page with the object
    last_seen INTEGER NOT NULL, -- time of the last fetch of a page with the object
    expires_at INTEGER, -- expiry
    stale INTEGER NOT NULL, -- 1 if label and record have to be merged again
    merged_into INTEGER REFERENCES object (id), -- object that it is part of, if it has retired
    state TEXT NOT NULL DEFAULT '', -- state as of the last change in the log; empty before the first
    changed_at INTEGER NOT NULL DEFAULT 0 -- time of the last change in the log
);

CREATE INDEX object_merged ON object (merged_into) WHERE merged_into IS NOT NULL;

CREATE INDEX object_stale ON object (warehouse_id, id) WHERE stale = 1 AND merged_into IS NULL;

CREATE INDEX object_vertical ON object (
    warehouse_id, id, current, first_seen, last_seen, changed_at, expires_at, members
) WHERE merged_into IS NULL;

CREATE INDEX object_expiring ON object (warehouse_id, expires_at) WHERE state = 'current' AND expires_at IS NOT NULL;

CREATE TABLE member (
    -- Members: a record found on a URL, however often it was found there.
    record_id INTEGER PRIMARY KEY REFERENCES record (id), -- record as which it was first found
    warehouse_id INTEGER NOT NULL REFERENCES warehouse (id), -- vertical
    object_id INTEGER NOT NULL REFERENCES object (id), -- object
    url_print INTEGER NOT NULL, -- XXH3-64 of the URL, as a signed number
    record_print BLOB NOT NULL, -- XXH3-128 of type and attributes, equal for equal records
    first_seen INTEGER NOT NULL, -- time of the fetch that found it first
    last_seen INTEGER NOT NULL, -- time of the last fetch that found it, or for which the server declared the page unchanged
    last_record_id INTEGER NOT NULL REFERENCES record (id), -- record as which it was last found
    current INTEGER NOT NULL, -- 1 if it was on its page in the last fetch
    features BLOB, -- features that the matcher compares; null if a newer record of its page replaced it
    keys TEXT -- keys by which candidates are found: a JSON array of `[scheme, key]`
);

CREATE INDEX member_url ON member (warehouse_id, url_print);

CREATE INDEX member_object ON member (object_id);

CREATE TABLE sighting (
    -- Sightings: records that are equal and on the same URL.
    record_id INTEGER PRIMARY KEY REFERENCES record (id), -- record
    member_id INTEGER NOT NULL REFERENCES member (record_id) -- member
);

CREATE INDEX sighting_member ON sighting (member_id);

CREATE TABLE member_link (
    -- Links by which members were joined to objects.
    one INTEGER NOT NULL REFERENCES member (record_id), -- a member
    other INTEGER NOT NULL REFERENCES member (record_id), -- the linked member, which has the higher ID
    probability REAL NOT NULL, -- probability that they are one object, 0 to 1
    scheme TEXT NOT NULL, -- scheme of the key by which they were found
    reasons TEXT NOT NULL, -- reasons of the matcher, as a JSON array
    PRIMARY KEY (one, other)
) WITHOUT ROWID;

CREATE TABLE apart (
    -- Pairs of members that a person separated.
    one INTEGER NOT NULL REFERENCES member (record_id), -- a member
    other INTEGER NOT NULL REFERENCES member (record_id), -- the other member, which has the higher ID
    made_at INTEGER NOT NULL, -- time of the separation
    PRIMARY KEY (one, other)
) WITHOUT ROWID;

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

CREATE TABLE feed (
    -- Feeds of sites: those that pages name, and URLs that turned out to be feeds. They are read with the sitemaps.
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    url TEXT NOT NULL, -- URL of the feed
    PRIMARY KEY (site_id, url)
) WITHOUT ROWID;

CREATE TABLE hint (
    -- Dates of the last change of URLs, from sitemaps and feeds.
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    fingerprint INTEGER NOT NULL, -- as in `url`
    source TEXT NOT NULL, -- source
    modified_at INTEGER NOT NULL, -- date of the change
    seen_at INTEGER NOT NULL, -- time at which the date was last read
    PRIMARY KEY (site_id, fingerprint, source)
) WITHOUT ROWID;

CREATE TABLE url_rule (
    -- Learned URL rules of sites, which apply to all runs.
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    rule TEXT NOT NULL, -- rule
    key TEXT NOT NULL, -- key; one that begins with `;` is a parameter inside the path, and `https://example.org` answers for its twin with `www.`; empty if the rule has no key
    evidence TEXT NOT NULL, -- evidence for people
    learned_at INTEGER NOT NULL, -- time of learning
    PRIMARY KEY (site_id, rule, key)
) WITHOUT ROWID;

CREATE TABLE clustered (
    -- Last clustered page of each site.
    warehouse_id INTEGER NOT NULL REFERENCES warehouse (id), -- vertical
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    page INTEGER NOT NULL, -- number of the last page whose records are clustered
    PRIMARY KEY (warehouse_id, site_id)
) WITHOUT ROWID;

CREATE TABLE selection (
    -- The selection of patterns of each vertical, and its quality.
    vertical TEXT PRIMARY KEY, -- name of the vertical
    made_at INTEGER NOT NULL, -- time of the selection
    strategy TEXT NOT NULL, -- strategy
    goal TEXT NOT NULL, -- `coverage 0.98` or `pages 5000`
    patterns INTEGER NOT NULL, -- number of selected patterns
    cost REAL NOT NULL, -- cost of a round, in pages
    lower_bound REAL NOT NULL, -- bound for any selection: a cost for a coverage goal, objects for a goal of pages
    gap REAL NOT NULL, -- distance of this selection from the bound, as a share of the bound
    covered REAL NOT NULL, -- objects on pages of selected patterns
    coverable REAL NOT NULL, -- objects on pages of any pattern
    covered_min REAL NOT NULL, -- lower end of the 95 % interval of `covered`
    covered_max REAL NOT NULL, -- upper end of that interval
    curve TEXT NOT NULL -- coverage against cost: a JSON array of `[patterns, cost, covered]`
) WITHOUT ROWID;

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

CREATE TABLE argument (
    -- Arguments in the URLs of result pages.
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    name TEXT NOT NULL, -- name of the argument
    kind TEXT NOT NULL, -- its kind
    prevalence REAL NOT NULL, -- mean share of result pages with one of its values
    probes INTEGER NOT NULL, -- number of requests that decided it
    PRIMARY KEY (site_id, name)
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
    result_page INTEGER NOT NULL, -- number of the page of results, from 0
    shown_on TEXT NOT NULL, -- IDs of the URLs that show the objects: the result page, or those that it links to, as a JSON array
    PRIMARY KEY (vertical, site_id, template, url)
) WITHOUT ROWID;

CREATE TABLE selected_query (
    -- Queries that are asked in every round.
    vertical TEXT NOT NULL, -- name of the vertical
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    template TEXT NOT NULL, -- URL template
    query TEXT NOT NULL, -- the query
    pages INTEGER NOT NULL, -- maximum number of pages of results that are read
    PRIMARY KEY (vertical, site_id, template, query)
) WITHOUT ROWID;

CREATE TABLE change (
    -- Log of the changes of objects. Rows are only added. Applied in order they give the objects as they are.
    seq INTEGER PRIMARY KEY, -- number, increasing
    object_id INTEGER NOT NULL REFERENCES object (id), -- object
    kind TEXT NOT NULL, -- kind of the change
    at INTEGER NOT NULL, -- time of the change
    run_id INTEGER REFERENCES run (id), -- last run that had begun
    label TEXT NOT NULL, -- label after the change
    object_type TEXT NOT NULL, -- schema.org type after the change
    expires_at INTEGER, -- expiry after the change
    attributes TEXT NOT NULL, -- changed attributes: a JSON object with `[old values, new values]` for each
    into_id INTEGER REFERENCES object (id) -- object that it is part of, if it was merged
);

CREATE INDEX change_object ON change (object_id, seq);

CREATE INDEX change_time ON change (at, seq);

CREATE TABLE attribute (
    -- Attributes of verticals in the search index.
    id INTEGER PRIMARY KEY, -- ID, increasing
    warehouse_id INTEGER NOT NULL REFERENCES warehouse (id), -- vertical
    name TEXT NOT NULL, -- name
    number INTEGER NOT NULL, -- number within the vertical, from 0: the column of `object_text` that has its words
    UNIQUE (warehouse_id, name)
);

CREATE TABLE facet_value (
    -- Values that are counted as facets.
    id INTEGER PRIMARY KEY, -- ID, increasing
    attribute_id INTEGER NOT NULL REFERENCES attribute (id), -- attribute
    value TEXT NOT NULL, -- value
    UNIQUE (attribute_id, value)
);

CREATE TABLE object_values (
    -- Numbers and facets of an object, packed, so that those of many objects are on few pages.
    object_id INTEGER PRIMARY KEY REFERENCES object (id), -- object
    packed BLOB NOT NULL -- attributes that have a value, facet values and numbers
);

CREATE TABLE object_number (
    -- Values that are compared as numbers: moments and durations in seconds, amounts, numbers, ratings.
    attribute_id INTEGER NOT NULL REFERENCES attribute (id), -- attribute
    low REAL NOT NULL, -- value; of a range, its least
    object_id INTEGER NOT NULL REFERENCES object (id), -- object
    high REAL NOT NULL, -- greatest value of a range, else as `low`
    currency TEXT NOT NULL, -- currency of an amount; empty for none
    PRIMARY KEY (attribute_id, low, object_id, high, currency)
) WITHOUT ROWID;

CREATE INDEX object_number_range ON object_number (attribute_id, high, object_id) WHERE high > low;

CREATE TABLE object_term (
    -- Values that are compared for equality, and the sites of objects.
    term INTEGER NOT NULL, -- XXH3-64 of the attribute and the folded value, or of a name of the site, as a signed number
    object_id INTEGER NOT NULL REFERENCES object (id), -- object
    PRIMARY KEY (term, object_id)
) WITHOUT ROWID;

CREATE TABLE object_indexed (
    -- Entries of objects in the search index, so that they can be replaced.
    object_id INTEGER PRIMARY KEY REFERENCES object (id), -- object
    text INTEGER NOT NULL, -- XXH3-64 of its words, as a signed number
    terms BLOB NOT NULL -- terms in `object_term`, 8 bytes each
);

CREATE VIRTUAL TABLE object_text USING fts5 (
    -- Folded words of objects; the row ID is the object. Column `a0` has those of the attribute with number 0.
    label, -- words of the label
    a0, -- words of the attribute with number 0
    a1, -- words of the attribute with number 1
    a2, -- words of the attribute with number 2
    a3, -- words of the attribute with number 3
    a4, -- words of the attribute with number 4
    a5, -- words of the attribute with number 5
    a6, -- words of the attribute with number 6
    a7, -- words of the attribute with number 7
    a8, -- words of the attribute with number 8
    a9, -- words of the attribute with number 9
    a10, -- words of the attribute with number 10
    a11, -- words of the attribute with number 11
    a12, -- words of the attribute with number 12
    a13, -- words of the attribute with number 13
    a14, -- words of the attribute with number 14
    a15, -- words of the attribute with number 15
    a16, -- words of the attribute with number 16
    a17, -- words of the attribute with number 17
    a18, -- words of the attribute with number 18
    a19, -- words of the attribute with number 19
    a20, -- words of the attribute with number 20
    a21, -- words of the attribute with number 21
    a22, -- words of the attribute with number 22
    a23, -- words of the attribute with number 23
    rest, -- words of further attributes
    content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '2 3'
);

CREATE TABLE word (
    -- Words of labels and facets, for suggestions.
    id INTEGER PRIMARY KEY, -- ID, increasing
    word TEXT NOT NULL UNIQUE -- folded word
);

CREATE VIRTUAL TABLE word_part USING fts5 (
    -- Parts of three characters of words; the row ID is that of the word.
    word, -- word
    content = '', columnsize = 0, detail = none, tokenize = 'trigram'
);

CREATE TABLE coverage (
    -- Coverage of attributes: the share of the records of a site that have a value.
    vertical TEXT NOT NULL, -- name of the vertical
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    attribute TEXT NOT NULL, -- name of the attribute
    of_details INTEGER NOT NULL, -- 1 if only records on detail pages are counted
    learned_filled INTEGER NOT NULL, -- records with a value when the site was learned
    learned_records INTEGER NOT NULL, -- records when the site was learned
    filled INTEGER NOT NULL, -- records with a value in the last round with records
    records INTEGER NOT NULL, -- records in the last round with records
    fell_at INTEGER, -- time since which the share is proven to be lower
    monitor TEXT, -- state of the test for a lower share, as JSON
    PRIMARY KEY (vertical, site_id, attribute)
) WITHOUT ROWID;

CREATE TABLE alert (
    -- Conditions that the operator should know of, as they begin and end. Rows are never changed.
    seq INTEGER PRIMARY KEY AUTOINCREMENT, -- position
    at INTEGER NOT NULL, -- time
    vertical TEXT NOT NULL, -- vertical whose collection it is about
    kind TEXT NOT NULL, -- kind of the condition
    subject TEXT NOT NULL, -- what it is about, such as a site; empty if it is about all
    facts TEXT NOT NULL, -- facts about it when it began, as a JSON object
    is_over INTEGER NOT NULL -- 1 if it ended, 0 if it began
);

CREATE INDEX alert_by_condition ON alert (vertical, kind, subject, seq);

CREATE TABLE webhook (
    -- Positions of webhooks in the logs of changes and of alerts.
    name TEXT PRIMARY KEY, -- name of the webhook in the settings
    change TEXT NOT NULL, -- position in the log of changes up to which it was told
    alert INTEGER NOT NULL, -- the same in the log of alerts
    pending_changes INTEGER, -- number of changes in the message that is being sent; null if there is none
    pending_alerts INTEGER, -- number of alerts in it
    failures INTEGER NOT NULL, -- number of failed attempts of this message
    failing_since INTEGER, -- time of the first of them; null if there was none
    retry_at INTEGER, -- time before which it is not sent again; null if it may be sent
    parked_at INTEGER, -- time when it was given up; null if it was not
    last_error TEXT, -- reason of the last failed attempt; null if there was none
    delivered_at INTEGER, -- time of the last delivery; null if there was none
    events INTEGER NOT NULL -- number of delivered events
) WITHOUT ROWID;

CREATE TABLE rendering (
    -- Pages that a browser showed: the document after scripts had run, and its cost.
    page_id INTEGER PRIMARY KEY REFERENCES page (id), -- page
    archive_id INTEGER NOT NULL REFERENCES archive (id), -- archive with the `conversion` record
    archive_offset INTEGER NOT NULL, -- offset of that record
    archive_length INTEGER NOT NULL, -- length of that record in the archive
    links TEXT, -- URLs that elements led to by script, as a JSON array of objects with `url`, `text` and `path`; null if there are none
    requests INTEGER NOT NULL, -- answered requests of its scripts
    bytes INTEGER NOT NULL, -- bytes of the answers
    cpu INTEGER NOT NULL -- CPU time of the browser in microseconds
);

CREATE TABLE violation (
    -- Values of an extraction that did not fit the schema.
    page_id INTEGER NOT NULL REFERENCES page (id), -- page
    component_id INTEGER NOT NULL REFERENCES component (id), -- plugin
    attribute TEXT NOT NULL, -- name of the attribute
    code TEXT NOT NULL, -- reason why the value did not fit
    count INTEGER NOT NULL, -- number of values
    PRIMARY KEY (page_id, component_id, attribute, code)
) WITHOUT ROWID;

CREATE TABLE judgement (
    -- Judgements by plugins of verticals that find objects, too. Pages that a vertical accepts which only judges are its records.
    page_id INTEGER NOT NULL REFERENCES page (id), -- page
    component_id INTEGER NOT NULL REFERENCES component (id), -- plugin
    accepted INTEGER NOT NULL, -- 1 if the page is one to look for, otherwise 0
    confidence REAL NOT NULL, -- probability that the judgement is right, 0 to 1
    reason TEXT NOT NULL, -- reason, in the words of the plugin
    PRIMARY KEY (page_id, component_id)
) WITHOUT ROWID;

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
