//! Links and buttons that act, and others that only sound so.

use magpie_discovery::{ACTS, Acts};
use url::Url;

fn found(acts: &Acts, path: &str) -> Option<String> {
    let url = Url::parse("https://a.example")
        .and_then(|base| base.join(path))
        .expect("a URL");
    acts.of_url(url.path(), url.query())
}

/// Links that act for any visitor.
const ACTING: &[&str] = &[
    "/delete?id=4",
    "/node/5/delete",
    "/admin/users/3/destroy",
    "/api/v1/items/3/delete",
    "/logout",
    "/logout.php",
    "/user/log-out/",
    "/wiki/Special:Logout",
    "/Sign_Out.aspx;jsessionid=1",
    "/index.php?route=account/logout",
    "/index.php?r=site%2Flogout",
    "/?q=node/5/delete",
    "/index.php?option=com_users&task=user.logout",
    "/unsubscribe?u=7",
    "/add-to-cart/5",
    "/addToCart?id=5",
    "/category/delete?id=5",
    "/tag/delete/5",
    "/x?op=delete",
    "/x?cmd=delete_item",
    "/x?act=remove",
    "/x?do=userLogout&id=2",
    "/x?delete=5",
    "/x?remove",
    "/x?_method=DELETE",
    "/x?method=put",
    "/x?add-to-cart=12",
    "/abmelden",
    "/warenkorb/l%C3%B6schen",
    "/konto/loeschen.html",
    "/deconnexion",
    "/d%C3%A9connexion",
    "/supprimer?id=3",
    "/cerrar-sesion",
    "/eliminar/4",
    "/excluir?id=1",
    "/elimina/7",
    "/tanca-sessio",
    "/verwijderen",
    "/wyloguj",
    "/usu%C5%84/3",
    "/odhlasit",
    "/vymaza%C5%A5",
    "/ta-bort/9",
    "/slet?id=1",
    "/slett?id=1",
    "/poista",
    "/%C3%A7%C4%B1k%C4%B1%C5%9F",
    "/%D1%83%D0%B4%D0%B0%D0%BB%D0%B8%D1%82%D1%8C",
    "/%D0%B2%D0%B8%D0%B9%D1%82%D0%B8",
    "/%D0%B8%D0%B7%D1%82%D1%80%D0%B8%D0%B9",
    "/hapus/5",
    "/kijelentkezes",
    "/deconectare",
    "/%CE%B1%CF%80%CE%BF%CF%83%CF%8D%CE%BD%CE%B4%CE%B5%CF%83%CE%B7",
    "/dang-xuat",
    "/%E5%89%8A%E9%99%A4",
    "/%E7%99%BB%E5%87%BA",
    "/%EB%A1%9C%EA%B7%B8%EC%95%84%EC%9B%83",
];

/// Links to pages that change nothing, although their URLs contain such words.
const HARMLESS: &[&str] = &[
    "/delete-culture/",
    "/posts/delete-your-account-guide",
    "/events/the-cart-of-apollo",
    "/category/logout-records",
    "/tag/delete",
    "/artist/destroy",
    "/wiki/Unsubscribe",
    "/events/destroy-all-monsters-2025",
    "/blog/how-to-cart",
    "/blog/cart/",
    "/books/remove-the-bodies.html",
    "/news/2024/vote",
    "/cartoons/",
    "/basketball/teams",
    "/act/5",
    "/x?act=show",
    "/x?action=view&id=3",
    "/x?method=get",
    "/list?mode=grid",
    "/search?q=delete",
    "/search?q=log+out",
    "/index.php?route=product/product&product_id=40",
    "/?q=node/5",
    "/artikel/loeschen-im-verein",
    "/veranstaltungen/feuer-loeschen-lernen",
    "/kultur/abmelden-verboten",
    "/spectacles/supprimer-les-murs",
    "/que-hacer/salir",
    "/agenda/sair-a-noite",
    "/noticias/eliminar-la-pobreza",
    "/eventi/la-cancellata",
    "/events/slet-2024-prague",
    "/concerts/no-remover",
    "/%D0%BD%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D0%B8/%D1%83%D0%B4%D0%B0%D0%BB%D0%B8%D1%82%D1%8C-%D0%B2%D1%81%D0%B5",
    "/download/",
    "/print-fair",
    "/subscribe",
    "/undelete",
];

#[test]
fn links_that_act_are_known_by_whole_words() {
    let acts = Acts::default();
    for path in ACTING {
        assert!(found(&acts, path).is_some(), "{path}");
    }
    for path in HARMLESS {
        assert_eq!(found(&acts, path), None, "{path}");
    }
    assert_eq!(
        found(&acts, "/a/Delete.php?x").as_deref(),
        Some("\"Delete.php\" in the path")
    );
    assert_eq!(
        found(&acts, "/a?x=1&op=delete").as_deref(),
        Some("\"op=delete\" in the query")
    );
}

#[test]
fn a_site_that_knows_the_visitor_has_stricter_rules() {
    let known = Acts::new(&[], true);
    for path in ACTING.iter().chain(&[
        "/posts/delete-your-account",
        "/events/the-cart-of-apollo",
        "/blog/cart/",
        "/item/5/vote",
        "/item/5/edit",
        "/tag/delete",
        "/x?vote=1",
        "/x?go=delete",
        "/item-delete.php?id=3",
    ]) {
        assert!(found(&known, path).is_some(), "{path}");
    }
    for path in [
        "/",
        "/events/jazz-night",
        "/annual-report-2024",
        "/cartoons/",
        "/basketball",
        "/search?q=vote+for+pedro",
        "/x?act=show",
        "/list?page=2&sort=date",
        "/how-to-save-the-whales",
        "/removable-media",
    ] {
        assert_eq!(found(&known, path), None, "{path}");
    }
}

#[test]
fn settings_add_words() {
    let acts = Acts::new(&["Zap".to_owned(), "odjava".to_owned(), String::new()], false);
    for path in [
        "/zap",
        "/item/5/ZAP.php",
        "/x?zap=5",
        "/x?do=zap",
        "/odjava",
        "/delete",
    ] {
        assert!(found(&acts, path).is_some(), "{path}");
        assert!(
            path == "/delete" || found(&Acts::default(), path).is_none(),
            "{path}"
        );
    }
    assert_eq!(found(&acts, "/zap-comix"), None);
    assert_eq!(found(&acts, "//-/?=&x="), None, "no word");
    assert!(acts.is_acting_button("Zap this"));
}

#[test]
fn buttons_that_act_are_known_by_their_text_or_name() {
    let acts = Acts::default();
    for text in [
        "Delete",
        "\u{1F5D1} Remove item",
        "Log out",
        "Sign out",
        "Add to cart",
        "Unsubscribe",
        "Buy now",
        "Vote",
        "btnDelete",
        "delete-item \u{d7}",
        "Abmelden",
        "In den Warenkorb",
        "Löschen",
        "Se déconnecter",
        "Ajouter au panier",
        "Cerrar sesión",
        "Añadir al carrito",
        "Sair",
        "Elimina",
        "Verwijderen",
        "Wyloguj się",
        "Odhlásit se",
        "Logga ut",
        "Log ud",
        "Logg ut",
        "Kirjaudu ulos",
        "Çıkış",
        "Удалить",
        "Выйти",
        "Вийти",
        "Изтрий",
        "Hapus",
        "Kijelentkezés",
        "Șterge",
        "Αποσύνδεση",
        "Đăng xuất",
        "削除",
        "ログアウト",
        "登出",
        "로그아웃",
    ] {
        assert!(acts.is_acting_button(text), "{text}");
    }
    for text in [
        "",
        "More",
        "Load more",
        "Next month",
        "Mehr anzeigen",
        "Suivant",
        "Cartoons",
        "Basketball",
        "Program",
        "Tab",
        "»",
        "もっと見る",
        "The man who would delete the world tonight at eight",
    ] {
        assert!(!acts.is_acting_button(text), "{text}");
    }
}

#[test]
fn the_book_has_the_list() {
    let page = include_str!("../../../../docs/concepts/acts.md");
    let rows = ACTS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows = rows.map(|line| {
        let (_, rest) = line.split_once(' ').expect("a key");
        let (languages, words) = rest.trim_start().split_once(' ').expect("languages");
        format!("| {languages} | {} |", words.trim_start())
    });
    let rows: Vec<String> = rows.collect();
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| languages");
    let mut written: Vec<&str> = page.lines().filter(is_row).collect();
    let mut listed: Vec<&str> = rows.iter().map(String::as_str).collect();
    written.sort_unstable();
    listed.sort_unstable();
    assert_eq!(written, listed, "docs/concepts/acts.md has the lines of acts.txt");
}
