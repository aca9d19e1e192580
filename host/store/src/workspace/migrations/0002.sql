-- The warehouse: which of the objects that were found are one thing, from run to run.

CREATE TABLE warehouse (
    -- Up to where the objects of each vertical are clustered, and by whom.
    id INTEGER PRIMARY KEY, -- grows
    vertical TEXT NOT NULL UNIQUE, -- the vertical's name
    page_id INTEGER NOT NULL, -- what was found on pages up to this one is clustered
    object_id INTEGER NOT NULL, -- the last object that was taken in
    matcher TEXT NOT NULL, -- who says what is one: `plugin` or `schema`; the empty word until a clustering of everything anew is through
    digest TEXT NOT NULL, -- the BLAKE3 digest of the component
    options TEXT NOT NULL, -- the options it runs with, and the settings of the clustering, as JSON
    schema TEXT NOT NULL, -- the attributes with their kinds, as JSON
    clustered_at INTEGER NOT NULL -- when something was done last
);

CREATE TABLE cluster (
    -- One thing, as far as what was found of it tells.
    id INTEGER PRIMARY KEY, -- grows; never given to another, also when it has retired
    warehouse_id INTEGER NOT NULL REFERENCES warehouse (id), -- the vertical
    label TEXT NOT NULL, -- what to call it in a list
    object_type TEXT NOT NULL, -- the schema.org type
    record TEXT NOT NULL, -- the attributes of all its members merged, as JSON in the form of `record` in `object`
    origins TEXT NOT NULL, -- a JSON object: of each attribute the member its value comes from
    members INTEGER NOT NULL, -- how many different records it is made of
    current INTEGER NOT NULL, -- how many of these stood on their page when it was looked at last
    first_seen INTEGER NOT NULL, -- when the first page with it was fetched
    last_seen INTEGER NOT NULL, -- when a page with it was fetched last
    expires_at INTEGER, -- when it is of no more interest, in seconds since 1970
    stale INTEGER NOT NULL, -- 1 while label and record have to be made anew
    merged_into INTEGER REFERENCES cluster (id) -- what it is part of, once it has retired
);

CREATE INDEX cluster_vertical ON cluster (warehouse_id, id) WHERE merged_into IS NULL;

CREATE INDEX cluster_merged ON cluster (merged_into) WHERE merged_into IS NOT NULL;

CREATE INDEX cluster_stale ON cluster (warehouse_id, id) WHERE stale = 1 AND merged_into IS NULL;

CREATE TABLE member (
    -- A record found on a URL, however often it was found there.
    object_id INTEGER PRIMARY KEY REFERENCES object (id), -- where it was found first
    warehouse_id INTEGER NOT NULL REFERENCES warehouse (id), -- the vertical
    cluster_id INTEGER NOT NULL REFERENCES cluster (id), -- the thing it is of
    url_print INTEGER NOT NULL, -- xxh3-64 of the URL, as a signed number
    record_print BLOB NOT NULL, -- xxh3-128 of type and attributes: the same for equal records
    first_seen INTEGER NOT NULL, -- when the page was fetched on which it was found first
    last_seen INTEGER NOT NULL, -- when a page that has it was fetched last, or the site said that it has not changed
    last_object_id INTEGER NOT NULL REFERENCES object (id), -- where it was found last
    current INTEGER NOT NULL, -- 1 when it stood on its page when that was looked at last
    features BLOB, -- what the matcher compares it by; empty when a newer record of its page took its place
    keys TEXT -- the keys under which it meets others: a JSON array of `[scheme, key]`
);

CREATE INDEX member_url ON member (warehouse_id, url_print);

CREATE INDEX member_cluster ON member (cluster_id);

CREATE TABLE sighting (
    -- Which objects are the same record on the same URL.
    object_id INTEGER PRIMARY KEY REFERENCES object (id), -- what was found
    member_id INTEGER NOT NULL REFERENCES member (object_id) -- the record
);

CREATE INDEX sighting_member ON sighting (member_id);

CREATE TABLE cluster_link (
    -- The links that made clusters of members.
    one INTEGER NOT NULL REFERENCES member (object_id), -- a member
    other INTEGER NOT NULL REFERENCES member (object_id), -- the member it was linked to, which has the greater number
    probability REAL NOT NULL, -- how probably they are one, 0 to 1
    scheme TEXT NOT NULL, -- the kind of key under which they met
    reasons TEXT NOT NULL, -- what the matcher said, as a JSON array
    PRIMARY KEY (one, other)
) WITHOUT ROWID;

CREATE TABLE apart (
    -- Members that a person said are not one thing.
    one INTEGER NOT NULL REFERENCES member (object_id), -- a member
    other INTEGER NOT NULL REFERENCES member (object_id), -- the other, which has the greater number
    made_at INTEGER NOT NULL, -- when that was said
    PRIMARY KEY (one, other)
) WITHOUT ROWID;
