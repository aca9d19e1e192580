#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| magpie_fuzz::posts::check(data));
