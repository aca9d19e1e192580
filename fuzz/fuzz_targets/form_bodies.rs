#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| magpie_fuzz::form_bodies::check(data));
