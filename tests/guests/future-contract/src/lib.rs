//! Built for a future contract.

wit_bindgen::generate!({
    inline: r#"
package future-contract:guest;

world guest {
    export magpie:vertical/description@0.2.0;
}

package magpie:vertical@0.2.0 {
    interface description {
        describe: func() -> string;
    }
}
"#,
    path: [],
    world: "future-contract:guest/guest",
    generate_all,
});

struct It;

impl exports::magpie::vertical::description::Guest for It {
    fn describe() -> String {
        "more than you know".into()
    }
}

export!(It);
