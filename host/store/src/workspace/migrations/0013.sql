-- Queries are selected as URL patterns are: by the objects that they show and by their pages.

ALTER TABLE submission ADD COLUMN result_page INTEGER NOT NULL -- number of the page of results, from 0
    DEFAULT 0;

ALTER TABLE submission ADD COLUMN shown_on TEXT NOT NULL -- IDs of the URLs that show the objects: the result page, or those that it links to, as a JSON array
    DEFAULT '[]';

CREATE TABLE selected_query (
    -- Queries that are asked in every round.
    vertical TEXT NOT NULL, -- name of the vertical
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    template TEXT NOT NULL, -- URL template
    query TEXT NOT NULL, -- the query
    pages INTEGER NOT NULL, -- maximum number of pages of results that are read
    PRIMARY KEY (vertical, site_id, template, query)
) WITHOUT ROWID;
