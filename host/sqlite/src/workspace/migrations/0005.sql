-- Feeds, and dates of change from them as well as from sitemaps.

CREATE TABLE feed (
    -- Feeds of sites: those that pages name, and URLs that turned out to be feeds. They are read with the sitemaps.
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    url TEXT NOT NULL, -- URL of the feed
    PRIMARY KEY (site_id, url)
) WITHOUT ROWID;

ALTER TABLE hint RENAME TO hint_before;

CREATE TABLE hint (
    -- Dates of the last change of URLs, from sitemaps and feeds.
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    fingerprint INTEGER NOT NULL, -- as in `url`
    source TEXT NOT NULL, -- source
    modified_at INTEGER NOT NULL, -- date of the change
    seen_at INTEGER NOT NULL, -- time at which the date was last read
    PRIMARY KEY (site_id, fingerprint, source)
) WITHOUT ROWID;

INSERT INTO hint SELECT site_id, fingerprint, 'sitemap', modified_at, seen_at FROM hint_before;

DROP TABLE hint_before;
