//! Gzip members.

use libdeflater::{CompressionLvl, Compressor, Crc};

use super::terms::Compression;

/// Packs records, each into a gzip member of its own.
///
/// Measured over 600 real pages, per 31 KB on one core: libdeflate takes 85 µs at level 1 and 200
/// at level 6, and compresses to 23 and 22 %. zlib-rs at level 1 takes as long and reaches 31 %.
/// For the small records of requests libdeflate takes 5 µs.
pub(crate) struct Packer(Option<Compressor>);

/// The level of [`Compression::Fast`].
const FAST: i32 = 1;

/// The level of [`Compression::Small`]. Higher levels take half as long again for each twentieth.
const SMALL: i32 = 6;

/// Maximum size of a stored DEFLATE block.
const STORED_BLOCK: usize = 65_535;

/// The gzip header: deflate, no name, no time, unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

impl Packer {
    pub(crate) fn new(compression: Compression) -> Packer {
        let level = match compression {
            Compression::Stored => return Packer(None),
            Compression::Fast => FAST,
            Compression::Small => SMALL,
        };
        Packer(Some(Compressor::new(
            CompressionLvl::new(level).unwrap_or_default(),
        )))
    }

    /// Adds a member with these bytes.
    pub(crate) fn pack(&mut self, bytes: &[u8], into: &mut Vec<u8>) {
        let Some(compressor) = &mut self.0 else {
            return store(bytes, into);
        };
        let start = into.len();
        // What does not fit the room of a stored member is no smaller when compressed.
        into.resize(start + stored_length(bytes.len()), 0);
        if let Ok(length) = compressor.gzip_compress(bytes, &mut into[start..]) {
            into.truncate(start + length);
        } else {
            into.truncate(start);
            store(bytes, into);
        }
    }
}

/// The checksum and the length at the end of a member.
const TRAILER: usize = 8;

/// The length of a stored member.
fn stored_length(bytes: usize) -> usize {
    HEADER.len() + bytes + (bytes / STORED_BLOCK + 1) * 5 + TRAILER
}

/// Ends a member: the checksum and the length of what it holds.
fn end(bytes: &[u8], into: &mut Vec<u8>) {
    let mut crc = Crc::new();
    crc.update(bytes);
    into.extend_from_slice(&crc.sum().to_le_bytes());
    // By RFC 1952 the length modulo 2^32.
    into.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
}

/// Adds a member that holds the bytes as they are: for bodies that are compressed already.
pub(crate) fn store(bytes: &[u8], into: &mut Vec<u8>) {
    into.reserve(stored_length(bytes.len()));
    into.extend_from_slice(&HEADER);
    let mut rest = bytes;
    loop {
        let (block, behind) = rest.split_at(rest.len().min(STORED_BLOCK));
        // Fits: a block has at most 65,535 bytes.
        let length = block.len() as u16;
        // The flag of the last block; type 00 means stored.
        into.push(u8::from(behind.is_empty()));
        into.extend_from_slice(&length.to_le_bytes());
        into.extend_from_slice(&(!length).to_le_bytes());
        into.extend_from_slice(block);
        rest = behind;
        if rest.is_empty() {
            break;
        }
    }
    end(bytes, into);
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::MultiGzDecoder;
    use proptest::prelude::*;

    use super::*;

    fn inflate(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        MultiGzDecoder::new(bytes).read_to_end(&mut out).unwrap();
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn members_hold_what_was_packed(parts in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..300), 1..5), level in 0usize..3) {
            let mut packed = Vec::new();
            let mut packer = Packer::new([Compression::Stored, Compression::Fast, Compression::Small][level]);
            for (index, part) in parts.iter().enumerate() {
                match index % 2 {
                    0 => packer.pack(part, &mut packed),
                    _ => store(part, &mut packed),
                }
            }
            prop_assert_eq!(inflate(&packed), parts.concat());
        }
    }

    #[test]
    fn noise_is_stored() {
        let noise: Vec<u8> = (0..100_000u64)
            .map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 37) as u8)
            .collect();
        for compression in [Compression::Fast, Compression::Small] {
            let mut packed = Vec::new();
            Packer::new(compression).pack(&noise, &mut packed);
            assert!(packed.len() <= stored_length(noise.len()), "{}", packed.len());
            assert_eq!(inflate(&packed), noise);
        }
    }

    #[test]
    fn long_bodies_are_stored_in_blocks() {
        for length in [0, 1, STORED_BLOCK, STORED_BLOCK + 1, 3 * STORED_BLOCK] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let mut packed = Vec::new();
            store(&bytes, &mut packed);
            assert_eq!(inflate(&packed), bytes);
        }
    }
}
