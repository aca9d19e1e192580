#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| magpie_fuzz::browser::check(data));
