-- The first version of the tables. Changes go into migrations after it.
-- A table that is partitioned has `bucket` as the first column of its keys; `schema.rs` makes its partitions.

-- Values of the workspace: the version of the schema, the name of the workspace.
CREATE TABLE magpie.meta (
    key text PRIMARY KEY,
    value text NOT NULL
);

-- Leases of buckets. Times are the server's.
CREATE TABLE magpie.bucket (
    bucket smallint PRIMARY KEY,
    epoch bigint NOT NULL DEFAULT 0, -- grows with each lease
    token uuid, -- of the lease; no other has it. Null if it was given back
    worker text, -- the owner, for people
    until timestamptz, -- end of the lease unless it is renewed; null if it was given back
    quiet_until timestamptz -- no host is asked before: the last owner did not give it back
) PARTITION BY HASH (bucket);

-- The last hand-in of each lease, so that one whose answer was lost is not done twice.
CREATE TABLE magpie.hand_in (
    bucket smallint PRIMARY KEY,
    token uuid NOT NULL, -- the lease
    sequence bigint NOT NULL -- of the last hand-in under it
) PARTITION BY HASH (bucket);

-- What follows are the tables of the folder, by bucket. `host/sqlite/SCHEMA.md` has the meaning of their columns; times
-- are milliseconds since 1970. `numbers.rs` says how rows are numbered. Text of sites is in indexes by its hash, since an
-- index takes no more than 2,700 bytes.

CREATE TABLE magpie.site (
    bucket smallint,
    site bigint,
    key text NOT NULL,
    queued bigint NOT NULL DEFAULT 0,
    ready_at bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (bucket, site),
    UNIQUE (bucket, key)
) PARTITION BY HASH (bucket);

CREATE INDEX ON magpie.site (bucket, ready_at, site) WHERE queued > 0;

CREATE TABLE magpie.url (
    bucket smallint,
    url bigint,
    site bigint NOT NULL,
    fingerprint bigint NOT NULL,
    address text NOT NULL,
    state text NOT NULL,
    priority int NOT NULL,
    depth int NOT NULL,
    attempts int NOT NULL,
    source text NOT NULL,
    found_on bigint,
    found_at bigint NOT NULL,
    due_at bigint,
    reason text,
    detail text,
    form bigint NOT NULL,
    PRIMARY KEY (bucket, url),
    UNIQUE (bucket, site, fingerprint)
) PARTITION BY HASH (bucket);

CREATE INDEX ON magpie.url (bucket, site, priority, depth, url) WHERE state = 'queued' AND due_at IS NULL;
CREATE INDEX ON magpie.url (bucket, site, due_at, url) WHERE state = 'queued' AND due_at IS NOT NULL;
CREATE INDEX ON magpie.url (bucket, site, form, priority, depth, url)
    WHERE state = 'queued' AND due_at IS NULL AND form <> 0;

-- URLs that workers found for sites of buckets that others have. The owner takes them when it leases the site.
CREATE TABLE magpie.inbox (
    bucket smallint,
    site bigint,
    fingerprint bigint,
    address text NOT NULL,
    state text NOT NULL,
    priority int NOT NULL,
    depth int NOT NULL,
    source text NOT NULL,
    found_on bigint,
    found_at bigint NOT NULL,
    due_at bigint,
    reason text,
    detail text,
    form bigint NOT NULL,
    PRIMARY KEY (bucket, site, fingerprint)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.tally (
    bucket smallint,
    site bigint,
    state text,
    reason text,
    urls bigint NOT NULL,
    PRIMARY KEY (bucket, site, state, reason)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.host (
    bucket smallint,
    origin text,
    next_ok_at bigint NOT NULL,
    delay bigint NOT NULL,
    failures bigint NOT NULL,
    robots_fetched_at bigint,
    robots_status bigint,
    robots_outcome text,
    robots_text text,
    PRIMARY KEY (bucket, origin)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.feed (
    bucket smallint,
    site bigint NOT NULL,
    url text NOT NULL
) PARTITION BY HASH (bucket);

CREATE UNIQUE INDEX ON magpie.feed (bucket, site, md5(url));

CREATE TABLE magpie.hint (
    bucket smallint,
    site bigint,
    fingerprint bigint,
    source text,
    modified_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    PRIMARY KEY (bucket, site, fingerprint, source)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.cookie (
    bucket smallint,
    site bigint NOT NULL,
    domain text NOT NULL,
    path text NOT NULL,
    name text NOT NULL,
    value text NOT NULL,
    host_only boolean NOT NULL,
    secure boolean NOT NULL,
    expires_at bigint
) PARTITION BY HASH (bucket);

CREATE INDEX ON magpie.cookie (bucket, site);

CREATE TABLE magpie.url_rule (
    bucket smallint,
    site bigint NOT NULL,
    rule text NOT NULL,
    key text NOT NULL,
    evidence text NOT NULL,
    learned_at bigint NOT NULL
) PARTITION BY HASH (bucket);

CREATE UNIQUE INDEX ON magpie.url_rule (bucket, site, rule, md5(key));

CREATE TABLE magpie.form (
    bucket smallint,
    site bigint,
    fingerprint bigint,
    position int NOT NULL, -- among the forms of the site, from 0
    source text NOT NULL,
    page_url text NOT NULL,
    pages bigint NOT NULL,
    purpose text NOT NULL,
    confidence double precision NOT NULL,
    refusal text,
    template text,
    fields text NOT NULL,
    seen_at bigint NOT NULL,
    depth bigint NOT NULL,
    PRIMARY KEY (bucket, site, fingerprint)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.query_template (
    bucket smallint,
    vertical text NOT NULL,
    site bigint NOT NULL,
    template text NOT NULL,
    state text NOT NULL,
    detail text NOT NULL,
    asked bigint NOT NULL,
    objects bigint NOT NULL,
    size double precision,
    size_min double precision,
    size_max double precision,
    memory text NOT NULL,
    changed_at bigint NOT NULL
) PARTITION BY HASH (bucket);

CREATE UNIQUE INDEX ON magpie.query_template (bucket, vertical, site, md5(template));

CREATE TABLE magpie.submission (
    bucket smallint,
    vertical text NOT NULL,
    site bigint NOT NULL,
    template text NOT NULL,
    query text NOT NULL,
    url text NOT NULL,
    asked_at bigint NOT NULL,
    outcome text NOT NULL,
    objects bigint NOT NULL,
    new_objects bigint NOT NULL,
    result_page bigint NOT NULL,
    shown_on text NOT NULL -- a JSON array of URLs
) PARTITION BY HASH (bucket);

CREATE UNIQUE INDEX ON magpie.submission (bucket, vertical, site, md5(template), md5(url));

CREATE INDEX ON magpie.submission (md5(url));

CREATE TABLE magpie.selected_query (
    bucket smallint,
    vertical text NOT NULL,
    site bigint NOT NULL,
    template text NOT NULL,
    query text NOT NULL,
    pages bigint NOT NULL
) PARTITION BY HASH (bucket);

CREATE UNIQUE INDEX ON magpie.selected_query (bucket, vertical, site, md5(template), md5(query));

CREATE TABLE magpie.argument (
    bucket smallint,
    site bigint NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    prevalence double precision NOT NULL,
    probes bigint NOT NULL
) PARTITION BY HASH (bucket);

CREATE UNIQUE INDEX ON magpie.argument (bucket, site, md5(name));

CREATE TABLE magpie.coverage (
    bucket smallint,
    vertical text,
    site bigint,
    attribute text,
    of_details boolean NOT NULL,
    learned_filled bigint NOT NULL,
    learned_records bigint NOT NULL,
    filled bigint NOT NULL,
    records bigint NOT NULL,
    fell_at bigint,
    monitor text,
    PRIMARY KEY (bucket, vertical, site, attribute)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.page (
    bucket smallint,
    page bigint,
    url bigint,
    address text, -- URL as fetched, if `url` is null
    run bigint,
    fetched_at bigint NOT NULL,
    status int,
    media_type text,
    charset text,
    language text,
    title text,
    bytes bigint NOT NULL,
    simhash bigint,
    text_hash bigint,
    etag text,
    last_modified text,
    redirect text,
    canonical text,
    nofollow boolean NOT NULL,
    noindex boolean NOT NULL,
    problem text,
    detail text,
    duration int,
    segment bigint, -- the file with the record of the answer
    position bigint,
    length bigint,
    same_as bigint,
    hash bytea,
    PRIMARY KEY (bucket, page)
) PARTITION BY HASH (bucket);

CREATE INDEX ON magpie.page (bucket, url, page) WHERE url IS NOT NULL;
CREATE INDEX ON magpie.page (bucket, md5(address)) WHERE url IS NULL;

CREATE TABLE magpie.page_links (
    bucket smallint,
    page bigint,
    links text NOT NULL, -- a JSON array with `[URL, anchor text, path, rel]` for each link
    PRIMARY KEY (bucket, page)
) PARTITION BY HASH (bucket);

-- Plugins. Small, read by all, and not partitioned.
CREATE TABLE magpie.component (
    component bigint PRIMARY KEY,
    vertical text NOT NULL,
    version text NOT NULL,
    digest text NOT NULL,
    options text NOT NULL
);

CREATE UNIQUE INDEX ON magpie.component (digest, md5(options));

CREATE TABLE magpie.extraction (
    bucket smallint,
    page bigint,
    component bigint,
    outcome text NOT NULL,
    detail text,
    records bigint NOT NULL,
    violations bigint NOT NULL,
    cpu bigint NOT NULL, -- microseconds
    PRIMARY KEY (bucket, page, component)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.violation (
    bucket smallint,
    page bigint,
    component bigint,
    attribute text,
    code text,
    count bigint NOT NULL,
    PRIMARY KEY (bucket, page, component, attribute, code)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.record (
    bucket smallint,
    record bigint,
    page bigint NOT NULL,
    component bigint NOT NULL,
    position int NOT NULL,
    object_type text NOT NULL,
    confidence double precision NOT NULL,
    content text NOT NULL, -- attributes as JSON
    expires_at bigint,
    standing boolean NOT NULL DEFAULT true,
    sources text,
    PRIMARY KEY (bucket, record)
) PARTITION BY HASH (bucket);

CREATE INDEX ON magpie.record (bucket, page, record);

CREATE TABLE magpie.judgement (
    bucket smallint,
    page bigint,
    component bigint,
    accepted boolean NOT NULL,
    confidence double precision NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (bucket, page, component)
) PARTITION BY HASH (bucket);

-- Results of learning, runs, webhooks and pictures. Stages and selections are in the shared bucket.

CREATE TABLE magpie.stage (
    bucket smallint,
    vertical text,
    name text,
    ended_at bigint NOT NULL,
    sentence text NOT NULL,
    kept text NOT NULL,
    PRIMARY KEY (bucket, vertical, name)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.learned_site (
    bucket smallint,
    vertical text,
    site bigint,
    entry text NOT NULL,
    learned_at bigint NOT NULL,
    pages bigint NOT NULL,
    yielding bigint NOT NULL,
    objects bigint NOT NULL,
    hubs bigint NOT NULL,
    PRIMARY KEY (bucket, vertical, site)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.pattern (
    bucket smallint,
    number bigint, -- counted within its site
    site bigint NOT NULL,
    vertical text NOT NULL,
    pattern text NOT NULL,
    wanted boolean NOT NULL,
    chosen boolean NOT NULL,
    pages bigint NOT NULL,
    yielding bigint NOT NULL,
    objects bigint NOT NULL,
    hubs bigint NOT NULL,
    learned_at bigint NOT NULL,
    fetches bigint NOT NULL DEFAULT 0,
    failures bigint NOT NULL DEFAULT 0,
    yields bigint NOT NULL DEFAULT 0,
    alarm text,
    monitor text,
    PRIMARY KEY (bucket, number)
) PARTITION BY HASH (bucket);

CREATE UNIQUE INDEX ON magpie.pattern (bucket, vertical, site, md5(pattern));

CREATE TABLE magpie.selection (
    bucket smallint,
    vertical text,
    made_at bigint NOT NULL,
    strategy text NOT NULL,
    goal text NOT NULL,
    patterns bigint NOT NULL,
    cost double precision NOT NULL,
    lower_bound double precision NOT NULL,
    gap double precision NOT NULL,
    covered double precision NOT NULL,
    coverable double precision NOT NULL,
    covered_min double precision NOT NULL,
    covered_max double precision NOT NULL,
    curve text NOT NULL,
    PRIMARY KEY (bucket, vertical)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.round (
    bucket smallint,
    vertical text,
    site bigint,
    run bigint,
    method text NOT NULL,
    pages bigint NOT NULL,
    unchanged bigint NOT NULL,
    hubs bigint NOT NULL,
    failures bigint NOT NULL,
    bytes bigint NOT NULL,
    objects bigint NOT NULL,
    new_objects bigint NOT NULL,
    current_objects bigint NOT NULL,
    state text NOT NULL,
    PRIMARY KEY (bucket, vertical, site, run)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.run (
    run bigint PRIMARY KEY,
    token uuid NOT NULL UNIQUE, -- of the beginning, so that one whose answer was lost is not done twice
    kind text NOT NULL,
    program text NOT NULL,
    settings text NOT NULL,
    started_at bigint NOT NULL,
    resumed_at bigint,
    ended_at bigint,
    outcome text
);

CREATE INDEX ON magpie.page (run, fetched_at) WHERE run IS NOT NULL;

CREATE TABLE magpie.alert (
    number bigint PRIMARY KEY,
    at bigint NOT NULL,
    vertical text NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    facts text NOT NULL,
    is_over boolean NOT NULL
);

CREATE INDEX ON magpie.alert (vertical, kind, md5(subject), number);

CREATE TABLE magpie.webhook (
    name text PRIMARY KEY,
    change text NOT NULL,
    alert bigint NOT NULL,
    pending_changes bigint,
    pending_alerts bigint,
    failures bigint NOT NULL,
    failing_since bigint,
    retry_at bigint,
    parked_at bigint,
    last_error text,
    delivered_at bigint,
    events bigint NOT NULL
);

CREATE TABLE magpie.picture (
    bucket smallint, -- the remainder of the fingerprint by 1,024
    fingerprint bigint,
    url text NOT NULL,
    host text NOT NULL,
    asked_at bigint NOT NULL,
    requests bigint NOT NULL,
    bytes bigint NOT NULL,
    problem text,
    width bigint,
    height bigint,
    jpeg bytea,
    PRIMARY KEY (bucket, fingerprint)
) PARTITION BY HASH (bucket);

-- Objects, their members and the log of changes: in the bucket that belongs to no site.
CREATE TABLE magpie.warehouse (
    bucket smallint,
    warehouse bigint,
    vertical text NOT NULL,
    matcher text NOT NULL,
    digest text NOT NULL,
    options text NOT NULL,
    schema text NOT NULL,
    clustered_at bigint NOT NULL,
    attribute_names text[] NOT NULL DEFAULT '{}', -- attributes in the index of objects, by number
    PRIMARY KEY (bucket, warehouse),
    UNIQUE (bucket, vertical)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.object (
    bucket smallint,
    object bigint,
    warehouse bigint NOT NULL,
    label text NOT NULL,
    object_type text NOT NULL,
    record text NOT NULL,
    origins text NOT NULL,
    members bigint NOT NULL,
    current bigint NOT NULL,
    first_seen bigint NOT NULL,
    last_seen bigint NOT NULL,
    expires_at bigint,
    stale boolean NOT NULL,
    merged_into bigint,
    state text NOT NULL DEFAULT '',
    changed_at bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (bucket, object)
) PARTITION BY HASH (bucket);

CREATE INDEX ON magpie.object (bucket, merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX ON magpie.object (bucket, warehouse, object) WHERE stale AND merged_into IS NULL;
CREATE INDEX ON magpie.object (bucket, warehouse, object) WHERE merged_into IS NULL;
CREATE INDEX ON magpie.object (bucket, warehouse, expires_at) WHERE state = 'current' AND expires_at IS NOT NULL;

CREATE TABLE magpie.member (
    bucket smallint,
    member bigint, -- the record as which it was first found
    warehouse bigint NOT NULL,
    object bigint NOT NULL,
    url_print bigint NOT NULL,
    record_print bytea NOT NULL,
    first_seen bigint NOT NULL,
    last_seen bigint NOT NULL,
    last_record bigint NOT NULL,
    current boolean NOT NULL,
    features bytea,
    keys text,
    origin bytea, -- the place where it was found, in the form of the clustering
    PRIMARY KEY (bucket, member)
) PARTITION BY HASH (bucket);

CREATE INDEX ON magpie.member (bucket, warehouse, url_print);
CREATE INDEX ON magpie.member (bucket, object);

CREATE TABLE magpie.sighting (
    bucket smallint,
    record bigint,
    member bigint NOT NULL,
    PRIMARY KEY (bucket, record)
) PARTITION BY HASH (bucket);

CREATE INDEX ON magpie.sighting (bucket, member);

CREATE TABLE magpie.member_link (
    bucket smallint,
    one bigint,
    other bigint,
    probability double precision NOT NULL,
    scheme text NOT NULL,
    reasons text NOT NULL,
    PRIMARY KEY (bucket, one, other)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.apart (
    bucket smallint,
    one bigint,
    other bigint,
    made_at bigint NOT NULL,
    PRIMARY KEY (bucket, one, other)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.clustered (
    bucket smallint,
    warehouse bigint,
    site bigint,
    page bigint NOT NULL,
    PRIMARY KEY (bucket, warehouse, site)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.change (
    bucket smallint,
    seq bigint, -- counted under the lease of the bucket, without gaps
    object bigint NOT NULL,
    kind text NOT NULL,
    at bigint NOT NULL,
    run bigint,
    label text NOT NULL,
    object_type text NOT NULL,
    expires_at bigint,
    attributes text NOT NULL,
    into_object bigint,
    PRIMARY KEY (bucket, seq)
) PARTITION BY HASH (bucket);

CREATE INDEX ON magpie.change (bucket, object, seq);
CREATE INDEX ON magpie.change (bucket, at, seq);

-- Workers, for people and for the shares of buckets. A worker that was killed leaves its row.
CREATE TABLE magpie.worker (
    worker text PRIMARY KEY,
    version text NOT NULL, -- of the program
    joined_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    buckets bigint NOT NULL, -- number of buckets that it has
    is_worker boolean NOT NULL -- false for a command, which leases what it needs
);

-- Work on sites that processes do together.
CREATE TABLE magpie.job (
    job bigint PRIMARY KEY,
    job_order text NOT NULL, -- what is to be done, as the program has written it
    is_open boolean NOT NULL,
    opened_at timestamptz NOT NULL,
    token uuid NOT NULL UNIQUE -- of the opening, so that one whose answer was lost is not done twice
);

CREATE TABLE magpie.job_task (
    bucket smallint,
    job bigint,
    site bigint,
    task_order text NOT NULL, -- the site's part of the work
    is_begun boolean NOT NULL,
    is_done boolean NOT NULL,
    PRIMARY KEY (bucket, job, site)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.job_outcome (
    job bigint,
    token uuid, -- of the worker's part
    outcome text NOT NULL,
    PRIMARY KEY (job, token)
);

-- Files that people edit: settings, navigations, readings, components.
CREATE TABLE magpie.file (
    path text PRIMARY KEY, -- within the folder of a workspace, with `/`
    version bigint NOT NULL, -- grows by one with each change
    content bytea, -- null if it was deleted
    changed_at timestamptz NOT NULL,
    changed_by text NOT NULL -- the worker or the command
);

-- Bodies in an object store: the part of a file that has those of a bucket. A file has the parts of many buckets.
CREATE TABLE magpie.segment (
    bucket smallint,
    segment bigint, -- counted under the lease of the bucket
    name text NOT NULL, -- of the file
    base bigint NOT NULL, -- the place of the part in the file. Positions of records count from it
    run bigint,
    bytes bigint NOT NULL,
    started_at bigint NOT NULL,
    PRIMARY KEY (bucket, segment)
) PARTITION BY HASH (bucket);

CREATE INDEX ON magpie.segment (name);
CREATE INDEX ON magpie.page (bucket, segment) WHERE segment IS NOT NULL;

-- Searches for a URL at all sites.
CREATE INDEX ON magpie.url (fingerprint);

-- Clustered pages that have other records since, in the bucket of the page.
CREATE TABLE magpie.reread (
    bucket smallint,
    warehouse bigint,
    page bigint,
    PRIMARY KEY (bucket, warehouse, page)
) PARTITION BY HASH (bucket);

-- Pages as browsers showed them. The document is in the segment of the page.
CREATE TABLE magpie.rendering (
    bucket smallint,
    page bigint,
    position bigint NOT NULL,
    length bigint NOT NULL,
    links text,
    requests bigint NOT NULL,
    bytes bigint NOT NULL,
    cpu bigint NOT NULL, -- microseconds
    PRIMARY KEY (bucket, page)
) PARTITION BY HASH (bucket);
-- The index of objects: `entries.rs` says what its numbers and words are.
CREATE TABLE magpie.facet_value (
    bucket smallint,
    facet_value bigint,
    value text NOT NULL,
    PRIMARY KEY (bucket, facet_value)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.object_values (
    bucket smallint,
    object bigint,
    text bigint NOT NULL, -- XXH3-64 of its words
    terms bytea NOT NULL, -- terms in `object_term`, 8 bytes each
    packed bytea NOT NULL,
    PRIMARY KEY (bucket, object)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.object_number (
    bucket smallint,
    attribute bigint,
    low double precision,
    object bigint,
    high double precision,
    currency text,
    PRIMARY KEY (bucket, attribute, low, object, high, currency)
) PARTITION BY HASH (bucket);

CREATE INDEX ON magpie.object_number (bucket, attribute, high, object) WHERE high > low;

CREATE TABLE magpie.object_term (
    bucket smallint,
    term bigint,
    object bigint,
    PRIMARY KEY (bucket, term, object)
) PARTITION BY HASH (bucket);

CREATE TABLE magpie.object_text (
    bucket smallint,
    object bigint,
    words tsvector NOT NULL, -- each word, and `:PLACE:WORD` for those of the label and of attributes with a place
    text text NOT NULL, -- the words of each place on a line, in their order
    PRIMARY KEY (bucket, object)
) PARTITION BY HASH (bucket);

-- Each search reads the entries that are pending, so they are few.
CREATE INDEX ON magpie.object_text USING gin (words) WITH (gin_pending_list_limit = 512);

CREATE TABLE magpie.word (
    bucket smallint,
    word bigint,
    text text NOT NULL,
    parts text[] NOT NULL, -- three characters each
    PRIMARY KEY (bucket, word)
) PARTITION BY HASH (bucket);

CREATE INDEX ON magpie.word USING gin (parts);
