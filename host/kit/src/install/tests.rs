//! Parsers of external input, with damaged input.

use super::lock::Lock;
use super::{Challenge, Layer, Sha256, Source};

/// Rounds of damage. Each takes microseconds.
const ROUNDS: u32 = 20_000;

/// A generator of pseudo-random numbers (xorshift), so that a failure repeats.
struct Random(u32);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % limit
    }
}

/// Damages a text at a few places.
fn damaged(text: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        // The last byte stays, as a place for the next damage.
        if bytes.len() < 2 {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes[at] = b"\"=,:/@\\.[]{}\0\xff \n"[random.below(16)],
            1 => drop(bytes.remove(at)),
            2 => bytes.truncate(at.max(1)),
            _ => bytes.splice(at..at, "ü9".bytes()).for_each(drop),
        }
    }
    bytes
}

#[test]
fn damaged_input_is_an_error_and_never_a_panic() {
    let digest = Sha256::of(b"component").to_string();
    let manifest = format!(
        r#"{{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
        "config":{{"mediaType":"application/vnd.wasm.config.v0+json","digest":"{digest}","size":6}},
        "layers":[{{"mediaType":"application/wasm","digest":"{digest}","size":9}}]}}"#
    );
    let challenge = r#"Basic realm="x", Bearer realm="https://ghcr.io/token",service="a\"b",scope=c"#;
    let source = format!("oci://localhost:5000/magpie/events:0.1.0@{digest}");
    let lock = format!(
        "format = 1\n[[vertical]]\nname = \"events\"\nfile = \"events.wasm\"\nversion = \"0.1.0\"\n\
         source = \"{source}\"\ndigest = \"{digest}\"\nmanifest = \"{digest}\"\n"
    );
    assert!(Layer::of_manifest(manifest.as_bytes(), None).is_ok());
    assert!(Challenge::parse(challenge).is_some());
    assert!(Lock::parse(&lock).is_ok());
    let mut random = Random(1);
    for _ in 0..ROUNDS {
        let bytes = damaged(&manifest, &mut random);
        if let Ok(layer) = Layer::of_manifest(&bytes, None) {
            assert!(layer.bytes <= 1 << 27);
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let _ = Challenge::parse(&text(&damaged(challenge, &mut random)));
        // A source that was parsed prints as text that parses to the same source.
        if let Ok(parsed) = Source::parse(&text(&damaged(&source, &mut random)))
            && !matches!(parsed, Source::File(_))
        {
            assert_eq!(Source::parse(&parsed.to_string()), Ok(parsed));
        }
        if let Ok(lock) = Lock::parse(&text(&damaged(&lock, &mut random))) {
            assert!(lock.entries.iter().all(|entry| !entry.file.contains('/')));
        }
    }
}
