//! Pictures of objects: asked for once by Magpie, made small, and served from the workspace.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use magpie_engine::recrawl::Method;
use magpie_engine::{LearnRequest, Session, learn, recrawl};
use magpie_test_support::server::{Reply, Site, links};
use serde_json::json;

use crate::support::{Served, session_options};

const DELAY: Duration = Duration::from_millis(60);

/// Products with their pictures, and the outcome of asking for these.
const PRODUCTS: [(&str, &str, &str); 8] = [
    ("Walnut Bread Board", "/img/good.png", "kept"),
    ("Copper Saucepan", "/img/moved.jpg", "kept"),
    // The picture of another product.
    ("Walnut Butter Knife", "/img/good.png", "kept"),
    ("Linen Apron", "/private/secret.png", "robots"),
    ("Glass Decanter", "/img/broken.png", "broken"),
    ("Slate Coaster", "/img/bomb.png", "size"),
    ("Cork Trivet", "/img/missing.png", "status"),
    ("Iron Skillet", "/img/page.png", "type"),
];

fn png() -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let picture = DynamicImage::ImageRgb8(RgbImage::from_pixel(640, 320, Rgb([20, 120, 40])));
    picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// A GIF of one colour that says it has more than four thousand million pixels.
fn bomb() -> Vec<u8> {
    let mut bytes = b"GIF89a\xff\xff\xff\xff\x80\0\0".to_vec();
    bytes.extend([0, 0, 0, 255, 255, 255]);
    bytes.extend(b",\0\0\0\0\xff\xff\xff\xff\0\x02\x02\x44\x01\0;");
    bytes
}

fn reply(path: &str) -> Reply {
    match path {
        "/robots.txt" => return Reply::text("User-agent: *\nDisallow: /private\n"),
        "/img/good.png" => return Reply::of("image/png", png()),
        "/img/moved.jpg" => return Reply::redirect("/img/new.png"),
        "/img/new.png" => return Reply::of("application/octet-stream", png()),
        "/img/broken.png" => return Reply::of("image/png", &png()[..200]),
        "/img/bomb.png" => return Reply::of("image/png", bomb()),
        "/img/page.png" => return Reply::html("<title>Not here</title>"),
        _ => {}
    }
    let pages: Vec<String> = (0..PRODUCTS.len())
        .map(|number| format!("/product/{number}"))
        .collect();
    let Some(number) = pages.iter().position(|own| own == path) else {
        let hrefs: Vec<&str> = pages.iter().map(String::as_str).collect();
        return if path == "/" {
            links("Shop", &hrefs)
        } else {
            Reply::status(404)
        };
    };
    let (name, picture, _) = PRODUCTS[number];
    let data = json!({
        "@context": "https://schema.org", "@type": "Product", "name": name, "image": picture, "sku": format!("K-{number}7"),
        "offers": {"@type": "Offer", "price": format!("{}.90", 11 + number), "priceCurrency": "EUR"},
    });
    Reply::html(format!(
        "<!doctype html><html lang=en><title>{name}</title><script type=\"application/ld+json\">{data}</script>\
         <h1>{name}</h1><p>{}.90 EUR</p>",
        11 + number
    ))
}

/// Settings that want pictures, with further lines about them.
fn toml(about_pictures: &str) -> String {
    format!(
        "network.allow_addresses = [\"127.0.0.0/8\"]\npoliteness.delay = \"{}ms\"\n[pictures]\nshow = \"lists\"\n{about_pictures}",
        DELAY.as_millis()
    )
}

fn session(folder: &Path, toml: &str) -> Session {
    let component = magpie_tests::vertical("products");
    Session::create(folder, &[&component], session_options(toml)).unwrap()
}

#[test]
fn pictures_are_asked_for_once_and_shown_from_the_workspace() {
    let site = Site::start(reply);
    let folder = tempfile::tempdir().unwrap();
    let toml = toml("");
    let session = session(folder.path(), &toml);
    learn(&session, &LearnRequest::sites([site.url("/")]).unwrap(), &mut ()).unwrap();
    session.clock().advance(Duration::from_secs(40 * 86_400));
    recrawl(&session, Method::Full, &mut ()).unwrap();

    let counts = site.counts();
    for (name, picture, outcome) in PRODUCTS {
        let expected = usize::from(outcome != "robots");
        assert_eq!(
            counts.get(picture).copied().unwrap_or(0),
            expected,
            "{name} {picture}"
        );
    }
    assert!(counts["/product/0"] > 1, "there were two rounds");
    let log = site.log();
    for pair in log.windows(2) {
        let is_of_picture = pair[1].path.starts_with("/img/");
        let gap = pair[1].at - pair[0].at;
        assert!(
            !is_of_picture || gap + Duration::from_millis(5) >= DELAY,
            "{gap:?}: {}",
            pair[1].path
        );
    }
    let of_outcome = |wanted: &str| {
        let mut pictures: Vec<&str> = PRODUCTS
            .iter()
            .filter(|(_, _, outcome)| *outcome == wanted)
            .map(|(_, picture, _)| *picture)
            .collect();
        pictures.sort_unstable();
        pictures.dedup();
        pictures.len() as u64
    };
    let rows = session.store().picture_counts(Default::default()).unwrap();
    assert_eq!(rows.len(), 6, "{rows:?}");
    for row in &rows {
        let outcome = row.problem.map_or("kept", |problem| problem.as_str());
        assert_eq!(row.pictures, of_outcome(outcome), "{outcome}");
    }
    let requests: u64 = rows.iter().map(|row| row.requests).sum();
    let asked = log.iter().filter(|asked| asked.path.starts_with("/img/")).count();
    assert_eq!(requests, asked as u64);
    drop(session);

    let served = Served::new(folder.path(), &toml);
    let page = served.get("/products");
    let shown: Vec<&str> = page.body.split("<img class=\"thumb\" src=\"").skip(1).collect();
    assert_eq!(shown.len(), 3, "{}", page.body);
    for rest in shown {
        let (address, rest) = rest.split_once('"').unwrap();
        let (attributes, _) = rest.split_once('>').unwrap();
        assert_eq!(
            attributes,
            " alt=\"\" loading=\"lazy\" width=\"192\" height=\"96\""
        );
        assert!(address.starts_with("/picture/"), "{address}");
        let picture = served.get(address);
        assert_eq!(
            (picture.status, picture.field("Content-Type")),
            (200, "image/jpeg")
        );
        assert!(
            picture.field("Cache-Control").contains("immutable"),
            "{}",
            picture.head
        );
    }
    assert!(
        !page.body.contains(&format!("src=\"{}", site.url("/"))),
        "{}",
        page.body
    );
    let policy = page.field("Content-Security-Policy");
    assert!(policy.contains("img-src 'self' data:;"), "{policy}");
    for path in ["/picture/0123456789abcdef", "/picture/x"] {
        assert_eq!(served.get(path).status, 404, "{path}");
    }
    let plain = Served::new(folder.path(), "");
    assert!(!plain.get("/products").body.contains("class=\"thumb\""));
}

#[test]
fn a_budget_holds_for_a_day_and_pictures_go_with_their_objects() {
    let is_replaced = Arc::new(AtomicBool::new(false));
    let shared = Arc::clone(&is_replaced);
    let site = Site::start(move |path| {
        let mut reply = reply(path);
        if shared.load(Ordering::Relaxed) && path.starts_with("/product/") {
            let body = String::from_utf8(reply.body).unwrap();
            reply.body = body.replace("/img/", "/img/later-").into_bytes();
        }
        reply
    });
    let folder = tempfile::tempdir().unwrap();
    let session = session(folder.path(), &toml("requests = 3\n"));
    let asked = || {
        let log = site.log();
        log.iter().filter(|asked| asked.path.starts_with("/img/")).count()
    };
    let hour = Duration::from_secs(3_600);
    learn(&session, &LearnRequest::sites([site.url("/")]).unwrap(), &mut ()).unwrap();
    assert_eq!(asked(), 3);
    session.clock().advance(hour);
    recrawl(&session, Method::Full, &mut ()).unwrap();
    assert_eq!(asked(), 3, "within a day");
    session.clock().advance(24 * hour);
    recrawl(&session, Method::Full, &mut ()).unwrap();
    // The picture that robots.txt forbids takes the place of another and costs no request.
    assert!((5..=6).contains(&asked()), "on the next day: {}", asked());

    // The products have other pictures, so that those of before belong to none.
    let before = session.store().asked_pictures().unwrap();
    is_replaced.store(true, Ordering::Relaxed);
    session.clock().advance(24 * hour);
    recrawl(&session, Method::Full, &mut ()).unwrap();
    let after = session.store().asked_pictures().unwrap();
    let stayed = before.iter().filter(|number| after.contains(number)).count();
    assert!(
        stayed <= 1,
        "only the picture that robots.txt forbids: {before:?} {after:?}"
    );
    assert!(after.len() >= 3, "{after:?}");
}
