//! Plain words for titles, trades and places.
//!
//! Written for the lab. Words that stand for a vertical's own nouns are left out on purpose: a title must not be
//! recognisable by its vocabulary. A test holds these lists against the sources of the plugins.

/// Things for titles.
pub(crate) const NOUNS: &[&str] = &[
    "Amber", "Anchor", "Antler", "Archer", "Ash", "Aviary", "Basalt", "Beacon", "Birch", "Blizzard", "Bramble",
    "Brass", "Bridge", "Canyon", "Cartographer", "Cedar", "Cinder", "Clay", "Comet", "Copper", "Coral", "Cormorant",
    "Cradle", "Crow", "Current", "Dagger", "Delta", "Desert", "Dove", "Dune", "Dust", "Echo", "Eclipse", "Elm",
    "Ember", "Emperor", "Estuary", "Falcon", "Feather", "Fern", "Ferryman", "Fjord", "Flint", "Flood", "Forge",
    "Foxglove", "Frost", "Gale", "Garden", "Ghost", "Giant", "Glacier", "Granite", "Gravel", "Grove", "Gull",
    "Harbour", "Harvest", "Hawk", "Hearth", "Heron", "Hill", "Honey", "Horizon", "Hour", "Iris", "Iron", "Island",
    "Ivory", "Jackal", "Jasper", "Juniper", "Kestrel", "Kiln", "Lagoon", "Lantern", "Larch", "Lark", "Lichen",
    "Lighthouse", "Lily", "Linen", "Loom", "Magnet", "Maple", "Marsh", "Meadow", "Mercury", "Meteor", "Mill",
    "Mirror", "Mist", "Monsoon", "Moor", "Moss", "Moth", "Needle", "Nettle", "Oak", "Oracle", "Orchard", "Otter",
    "Owl", "Palace", "Pearl", "Pebble", "Pelican", "Pepper", "Pilgrim", "Pine", "Plum", "Quarry", "Quartz", "Rain",
    "Raven", "Reed", "Ridge", "River", "Rope", "Rust", "Saffron", "Salt", "Sand", "Shadow", "Shepherd", "Silk",
    "Smoke", "Snow", "Sparrow", "Spindle", "Spire", "Spruce", "Stork", "Storm", "Straw", "Stream", "Swan", "Thaw",
    "Thistle", "Thorn", "Thunder", "Tide", "Timber", "Tower", "Tundra", "Twilight", "Valley", "Vault", "Velvet",
    "Vine", "Violet", "Walnut", "Weaver", "Well", "Whale", "Wheat", "Willow", "Wind", "Winter", "Wolf", "Wren",
];

/// How these are.
pub(crate) const ADJECTIVES: &[&str] = &[
    "Ancient", "Barren", "Bitter", "Borrowed", "Bright", "Broken", "Burning", "Careful", "Certain", "Cold",
    "Crooked", "Curious", "Distant", "Dry", "Early", "Eastern", "Empty", "Endless", "Faded", "Faithful", "Fallen",
    "Foreign", "Forgotten", "Fragile", "Frozen", "Gentle", "Gilded", "Golden", "Hidden", "Hollow", "Hungry",
    "Idle", "Inner", "Lonely", "Lost", "Lucky", "Mild", "Modest", "Narrow", "Nameless", "Northern", "Odd",
    "Painted", "Pale", "Patient", "Plain", "Proud", "Quiet", "Rare", "Restless", "Rough", "Sacred", "Scarlet",
    "Second", "Secret", "Seventh", "Sharp", "Silent", "Silver", "Simple", "Sleeping", "Slow", "Small", "Southern",
    "Steep", "Stolen", "Strange", "Sudden", "Sunken", "Tall", "Tender", "Third", "Torn", "Unquiet", "Upper",
    "Vanished", "Wandering", "Western", "Wild", "Wooden", "Yellow", "Young",
];

/// What venues call themselves.
pub(crate) const HOUSES: &[&str] = &[
    "Granary", "Foundry", "Rooms", "Pavilion", "Works", "Depot", "Exchange", "Cellar", "Assembly", "Lodge",
    "Rotunda", "Boathouse", "Tannery", "Brewery", "Loft", "Courtyard", "Arcade", "Basilica", "Observatory", "Mews",
];

/// What people come for.
pub(crate) const OCCASIONS: &[&str] = &[
    "Quartet", "Ensemble", "Sextet", "Choir", "Revue", "Recital Hour", "Cabaret", "Puppets", "Monologues",
    "Improvisations", "Serenade", "Variations", "Nocturnes", "Ballads", "Sketches", "Duos", "Overtures", "Chorales",
];

/// What those who hold it call themselves.
pub(crate) const SOCIETIES: &[&str] = &["Society", "Circle", "Collective", "Foundation", "Guild", "Union", "Friends"];

/// What houses that print call themselves.
pub(crate) const PRESSES: &[&str] = &["Editions", "House", "Printers", "Impressions", "Quarto", "Folio", "Imprint"];

/// Things that are sold.
pub(crate) const WARES: &[&str] = &[
    "Kettle", "Drill", "Lamp", "Tripod", "Backpack", "Scale", "Heater", "Blender", "Saddle", "Helmet", "Stove",
    "Ladder", "Pump", "Torch", "Grinder", "Compressor", "Sander", "Wrench", "Mixer", "Toaster", "Cooler", "Vacuum",
    "Shaver", "Lantern", "Tent", "Hammock", "Thermos", "Knife", "Skillet", "Juicer", "Dehumidifier", "Purifier",
];

/// How these are said to be.
pub(crate) const MANNERS: &[&str] = &[
    "Compact", "Cordless", "Foldable", "Heavy Duty", "Outdoor", "Portable", "Professional", "Quiet", "Slim",
    "Stainless", "Travel", "Ultralight", "Waterproof", "Mini", "Twin", "Rapid",
];

/// Their colours, in English as in catalogues.
pub(crate) const HUES: &[&str] = &["Anthracite", "Cobalt", "Crimson", "Ivory", "Moss Green", "Ochre", "Slate", "Teal"];

/// Given names for people; family names are made up.
pub(crate) const GIVEN: &[&str] = &[
    "Ada", "Alba", "Alois", "Amelie", "Anselm", "Astrid", "Aurel", "Beata", "Benno", "Bruna", "Casper", "Clara",
    "Cosima", "Dario", "Delia", "Edgar", "Elin", "Emil", "Enzo", "Fabia", "Felix", "Freya", "Gerd", "Greta", "Hanno",
    "Hilde", "Ida", "Ines", "Ivo", "Jana", "Joris", "Karla", "Kaspar", "Lea", "Leon", "Lina", "Livia", "Ludo", "Magda",
    "Malik", "Marta", "Mats", "Mila", "Nadia", "Nils", "Nora", "Odile", "Olaf", "Orla", "Otto", "Paula", "Petra",
    "Rafael", "Rhea", "Romy", "Ruben", "Sanna", "Selma", "Silas", "Sven", "Tessa", "Theo", "Tilda", "Ugo", "Vera",
    "Viktor", "Wanda", "Xenia", "Yara", "Yves", "Zeno", "Zora",
];

/// What streets end in.
pub(crate) const STREETS: &[&str] = &["Street", "Lane", "Road", "Square", "Quay", "Avenue", "Row", "Hill"];

/// Words for sections of sites and for parameters. None says what a site's objects are.
pub(crate) const SECTIONS: &[&str] = &[
    "alle", "annex", "atrium", "bay", "berth", "board", "cabinet", "canal", "cell", "chart", "chest", "cluster",
    "corner", "corridor", "crate", "deck", "desk", "dock", "drawer", "entry", "facet", "field", "file", "floor",
    "folio", "gate", "grid", "hub", "index", "kind", "ledger", "leaf", "lobby", "locker", "map", "node", "nook",
    "panel", "pane", "pier", "plaza", "portal", "quarter", "rack", "record", "register", "ring", "roll", "scope",
    "sheet", "slot", "space", "stack", "stage2", "strand", "strip", "tray", "unit", "vault", "view", "wall", "wing",
    "yard", "zone", "detail", "show", "display", "read", "open", "get", "item2", "ref", "obj", "elem", "inhalt",
    "seite", "fiche", "pagina", "ficha", "scheda", "kort", "blatt", "rubrik", "rayon", "ramo", "tema", "afdeling",
];
