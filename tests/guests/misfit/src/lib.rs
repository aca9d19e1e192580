//! Claims the contract but uses other types.

wit_bindgen::generate!({
    inline: r#"
package misfit:guest;

world guest {
    export magpie:vertical/description@0.1.0;
}

package magpie:vertical@0.1.0 {
    interface description {
        describe: func() -> string;
    }
}
"#,
    path: [],
    world: "misfit:guest/guest",
    generate_all,
});

struct It;

impl exports::magpie::vertical::description::Guest for It {
    fn describe() -> String {
        "only a text".into()
    }
}

export!(It);
