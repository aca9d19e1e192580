-- The log of changes of objects, the index that searches them, and the coverage of attributes.

ALTER TABLE object ADD COLUMN state TEXT NOT NULL -- state as of the last change in the log; empty before the first
    DEFAULT '';

ALTER TABLE object ADD COLUMN changed_at INTEGER NOT NULL -- time of the last change in the log
    DEFAULT 0;

-- All that a search tests of an object without reading its record.
DROP INDEX object_vertical;
CREATE INDEX object_vertical ON object (
    warehouse_id, id, current, first_seen, last_seen, changed_at, expires_at, members
) WHERE merged_into IS NULL;

CREATE INDEX object_expiring ON object (warehouse_id, expires_at) WHERE state = 'current' AND expires_at IS NOT NULL;

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
