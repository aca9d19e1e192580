-- The warehouse: the objects that the records of all runs describe.

CREATE TABLE warehouse (
    -- State of the clustering of each vertical, and its matcher.
    id INTEGER PRIMARY KEY, -- ID, increasing
    vertical TEXT NOT NULL UNIQUE, -- name of the vertical
    page_id INTEGER NOT NULL, -- last page whose records are clustered
    object_id INTEGER NOT NULL, -- last clustered record
    matcher TEXT NOT NULL, -- kind of the matcher; empty before the first clustering, and while everything is clustered again
    digest TEXT NOT NULL, -- BLAKE3 digest of the component
    options TEXT NOT NULL, -- options of the component, and settings of the clustering, as JSON
    schema TEXT NOT NULL, -- attributes with their kinds, as JSON
    clustered_at INTEGER NOT NULL -- time of the last change
);

CREATE TABLE cluster (
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
    merged_into INTEGER REFERENCES cluster (id) -- object that it is part of, if it has retired
);

CREATE INDEX cluster_vertical ON cluster (warehouse_id, id) WHERE merged_into IS NULL;

CREATE INDEX cluster_merged ON cluster (merged_into) WHERE merged_into IS NOT NULL;

CREATE INDEX cluster_stale ON cluster (warehouse_id, id) WHERE stale = 1 AND merged_into IS NULL;

CREATE TABLE member (
    -- Members: a record found on a URL, however often it was found there.
    object_id INTEGER PRIMARY KEY REFERENCES object (id), -- record as which it was first found
    warehouse_id INTEGER NOT NULL REFERENCES warehouse (id), -- vertical
    cluster_id INTEGER NOT NULL REFERENCES cluster (id), -- object
    url_print INTEGER NOT NULL, -- XXH3-64 of the URL, as a signed number
    record_print BLOB NOT NULL, -- XXH3-128 of type and attributes, equal for equal records
    first_seen INTEGER NOT NULL, -- time of the fetch that found it first
    last_seen INTEGER NOT NULL, -- time of the last fetch that found it, or for which the server declared the page unchanged
    last_object_id INTEGER NOT NULL REFERENCES object (id), -- record as which it was last found
    current INTEGER NOT NULL, -- 1 if it was on its page in the last fetch
    features BLOB, -- features that the matcher compares; null if a newer record of its page replaced it
    keys TEXT -- keys by which candidates are found: a JSON array of `[scheme, key]`
);

CREATE INDEX member_url ON member (warehouse_id, url_print);

CREATE INDEX member_cluster ON member (cluster_id);

CREATE TABLE sighting (
    -- Sightings: records that are equal and on the same URL.
    object_id INTEGER PRIMARY KEY REFERENCES object (id), -- record
    member_id INTEGER NOT NULL REFERENCES member (object_id) -- member
);

CREATE INDEX sighting_member ON sighting (member_id);

CREATE TABLE cluster_link (
    -- Links by which members were joined to objects.
    one INTEGER NOT NULL REFERENCES member (object_id), -- a member
    other INTEGER NOT NULL REFERENCES member (object_id), -- the linked member, which has the higher ID
    probability REAL NOT NULL, -- probability that they are one object, 0 to 1
    scheme TEXT NOT NULL, -- scheme of the key by which they were found
    reasons TEXT NOT NULL, -- reasons of the matcher, as a JSON array
    PRIMARY KEY (one, other)
) WITHOUT ROWID;

CREATE TABLE apart (
    -- Pairs of members that a person separated.
    one INTEGER NOT NULL REFERENCES member (object_id), -- a member
    other INTEGER NOT NULL REFERENCES member (object_id), -- the other member, which has the higher ID
    made_at INTEGER NOT NULL, -- time of the separation
    PRIMARY KEY (one, other)
) WITHOUT ROWID;
