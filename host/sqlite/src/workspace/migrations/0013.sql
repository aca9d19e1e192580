-- Queries are selected as URL patterns are: by the objects that they show and by their pages.

ALTER TABLE submission RENAME TO submission_before;

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

INSERT INTO submission
SELECT vertical, site_id, template, query, url, asked_at, outcome, objects, new_objects, 0, '[]'
FROM submission_before;

DROP TABLE submission_before;

CREATE TABLE selected_query (
    -- Queries that are asked in every round.
    vertical TEXT NOT NULL, -- name of the vertical
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    template TEXT NOT NULL, -- URL template
    query TEXT NOT NULL, -- the query
    pages INTEGER NOT NULL, -- maximum number of pages of results that are read
    PRIMARY KEY (vertical, site_id, template, query)
) WITHOUT ROWID;
