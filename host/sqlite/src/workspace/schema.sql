-- The tables of a workspace. The comments are the reference: `cargo run -p magpie-sqlite --example schema_page`.
-- This file is the first version; changes go into migrations after it.

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
    detail TEXT, -- the same for people
    form INTEGER NOT NULL DEFAULT 0 -- the kind of URLs by which it is ordered while its site is learned: a hash of its form and of the place of the link that led to it; 0 for none
);

CREATE INDEX url_queued ON url (site_id, priority, depth, id) WHERE state = 'queued' AND due_at IS NULL;

CREATE INDEX url_waiting ON url (site_id, due_at, id) WHERE state = 'queued' AND due_at IS NOT NULL;

CREATE INDEX url_form ON url (site_id, form, priority, depth, id) WHERE state = 'queued' AND due_at IS NULL AND form <> 0;

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
    id INTEGER PRIMARY KEY, -- grows in the order pages were handed in
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
    same_as INTEGER REFERENCES page (id), -- the page whose body this one has, when its record is a revisit
    text_hash INTEGER, -- xxh3-64 of the text that a reader sees, as a signed number; empty where the text was not read
    site_id INTEGER REFERENCES site (id), -- site in whose lease it was fetched
    number INTEGER NOT NULL DEFAULT 0 -- number of the page within its site, from 1, in the order they were committed
);

CREATE INDEX page_url ON page (url_id, id) WHERE url_id IS NOT NULL;

CREATE INDEX page_other ON page (url, id) WHERE url IS NOT NULL;

CREATE UNIQUE INDEX page_site ON page (site_id, number);

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
    records INTEGER NOT NULL, -- how many were found
    violations INTEGER NOT NULL, -- how many values were dropped or mended
    cpu INTEGER NOT NULL, -- microseconds of CPU time
    PRIMARY KEY (page_id, component_id)
) WITHOUT ROWID;

CREATE TABLE record (
    -- What plugins found on pages.
    id INTEGER PRIMARY KEY, -- grows
    page_id INTEGER NOT NULL REFERENCES page (id), -- the page
    component_id INTEGER NOT NULL REFERENCES component (id), -- the plugin that found it
    position INTEGER NOT NULL, -- the place among what that plugin found on the page, from 0
    object_type TEXT NOT NULL, -- the schema.org type
    confidence REAL NOT NULL, -- how sure the extractor is, 0 to 1
    record TEXT NOT NULL, -- the attributes as JSON
    expires_at INTEGER, -- when it is of no more interest
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

CREATE TABLE warehouse (
    -- Up to where the objects of each vertical are clustered, and by whom.
    id INTEGER PRIMARY KEY, -- grows
    vertical TEXT NOT NULL UNIQUE, -- the vertical's name
    matcher TEXT NOT NULL, -- who says what is one: `plugin` or `schema`; the empty word until a clustering of everything anew is through
    digest TEXT NOT NULL, -- the BLAKE3 digest of the component
    options TEXT NOT NULL, -- the options it runs with, and the settings of the clustering, as JSON
    schema TEXT NOT NULL, -- the attributes with their kinds, as JSON
    clustered_at INTEGER NOT NULL -- when something was done last
);

CREATE TABLE object (
    -- One thing, as far as what was found of it tells.
    id INTEGER PRIMARY KEY, -- grows; never given to another, also when it has retired
    warehouse_id INTEGER NOT NULL REFERENCES warehouse (id), -- the vertical
    label TEXT NOT NULL, -- what to call it in a list
    object_type TEXT NOT NULL, -- the schema.org type
    record TEXT NOT NULL, -- the attributes of all its members merged, as JSON in the form of `record` in the table `record`
    origins TEXT NOT NULL, -- a JSON object: of each attribute the member its value comes from
    members INTEGER NOT NULL, -- how many different records it is made of
    current INTEGER NOT NULL, -- how many of these stood on their page when it was looked at last
    first_seen INTEGER NOT NULL, -- when the first page with it was fetched
    last_seen INTEGER NOT NULL, -- when a page with it was fetched last
    expires_at INTEGER, -- when it is of no more interest
    stale INTEGER NOT NULL, -- 1 while label and record have to be made anew
    merged_into INTEGER REFERENCES object (id), -- what it is part of, once it has retired
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
    -- A record found on a URL, however often it was found there.
    record_id INTEGER PRIMARY KEY REFERENCES record (id), -- where it was found first
    warehouse_id INTEGER NOT NULL REFERENCES warehouse (id), -- the vertical
    object_id INTEGER NOT NULL REFERENCES object (id), -- the thing it is of
    url_print INTEGER NOT NULL, -- xxh3-64 of the URL, as a signed number
    record_print BLOB NOT NULL, -- xxh3-128 of type and attributes: the same for equal records
    first_seen INTEGER NOT NULL, -- when the page was fetched on which it was found first
    last_seen INTEGER NOT NULL, -- when a page that has it was fetched last, or the site said that it has not changed
    last_record_id INTEGER NOT NULL REFERENCES record (id), -- where it was found last
    current INTEGER NOT NULL, -- 1 when it stood on its page when that was looked at last
    features BLOB, -- what the matcher compares it by; empty when a newer record of its page took its place
    keys TEXT -- the keys under which it meets others: a JSON array of `[scheme, key]`
);

CREATE INDEX member_url ON member (warehouse_id, url_print);

CREATE INDEX member_object ON member (object_id);

CREATE TABLE sighting (
    -- Which objects are the same record on the same URL.
    record_id INTEGER PRIMARY KEY REFERENCES record (id), -- what was found
    member_id INTEGER NOT NULL REFERENCES member (record_id) -- the record
);

CREATE INDEX sighting_member ON sighting (member_id);

CREATE TABLE member_link (
    -- The links that made clusters of members.
    one INTEGER NOT NULL REFERENCES member (record_id), -- a member
    other INTEGER NOT NULL REFERENCES member (record_id), -- the member it was linked to, which has the greater number
    probability REAL NOT NULL, -- how probably they are one, 0 to 1
    scheme TEXT NOT NULL, -- the kind of key under which they met
    reasons TEXT NOT NULL, -- what the matcher said, as a JSON array
    PRIMARY KEY (one, other)
) WITHOUT ROWID;

CREATE TABLE apart (
    -- Members that a person said are not one thing.
    one INTEGER NOT NULL REFERENCES member (record_id), -- a member
    other INTEGER NOT NULL REFERENCES member (record_id), -- the other, which has the greater number
    made_at INTEGER NOT NULL, -- when that was said
    PRIMARY KEY (one, other)
) WITHOUT ROWID;

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

CREATE TABLE feed (
    -- The feeds of sites that their pages name, or that turned out to be some. They are read with the sitemaps.
    site_id INTEGER NOT NULL REFERENCES site (id), -- the site
    url TEXT NOT NULL, -- where it lies
    PRIMARY KEY (site_id, url)
) WITHOUT ROWID;

CREATE TABLE hint (
    -- When URLs changed last, as the site's sitemaps and feeds say.
    site_id INTEGER NOT NULL REFERENCES site (id), -- the site
    fingerprint INTEGER NOT NULL, -- as in `url`
    source TEXT NOT NULL, -- who says it: `sitemap` or `feed`
    modified_at INTEGER NOT NULL, -- when the URL is said to have changed
    seen_at INTEGER NOT NULL, -- when that was said last
    PRIMARY KEY (site_id, fingerprint, source)
) WITHOUT ROWID;

CREATE TABLE url_rule (
    -- What was learned of how sites name their pages, and holds for all runs.
    site_id INTEGER NOT NULL REFERENCES site (id), -- the site
    rule TEXT NOT NULL, -- `needless-key`: the key changes nothing there and is dropped; `own-order`: the server redirects all orders of keys but its own, so the order is kept
    key TEXT NOT NULL, -- the key; one that begins with `;` is a parameter inside the path, and `https://example.org` answers for its twin with `www.`; empty where the lesson is about none
    evidence TEXT NOT NULL, -- what proved it, for people
    learned_at INTEGER NOT NULL, -- when
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
