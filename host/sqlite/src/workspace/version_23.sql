ALTER TABLE round ADD COLUMN current_objects INTEGER NOT NULL -- number of current objects of the site after it
    DEFAULT 0;
